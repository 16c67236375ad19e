/* What the view shows of runs that are over, as texts: verdicts, doubts and metrics of one, and what the systems of two
 * differ in.
 *
 * Use: view_results_make in replay_request.judged; view_results_difference whenever a run begins. */
#ifndef CLI_VIEW_RESULTS_H
#define CLI_VIEW_RESULTS_H

#include "replay/config/config.h"
#include "replay/metrics/verdict.h"
#include "viz/state/findings.h"

/* What was there is replaced. */
void view_results_make(struct findings *findings, const struct figures *figures, const struct verdict *verdict);
/* "l2.size 256KiB vs 1MiB; l2.mshrs 16 vs 32"; "the same system"; keys that do not have room are counted. */
struct fault view_results_difference(char *text, size_t room, const struct system_config *left,
                                     const struct system_config *right);

#endif
