/* The view's texts about finished runs: verdicts, doubts and metrics of one, and the differences between the systems
 * of two.
 *
 * Use: view_results_make in replay_request.judged; view_results_difference whenever a run begins. */
#ifndef CLI_VIEW_RUN_RESULTS_H
#define CLI_VIEW_RUN_RESULTS_H

#include "replay/metrics/verdict.h"
#include "viz/state/state_figures.h"

struct system_config;

/* Replaces the previous findings. */
void view_results_make(struct findings *findings, const struct figures *figures, const struct verdict *verdict);
/* "l2.size 256KiB vs 1MiB; l2.mshrs 16 vs 32"; "the same system"; keys that do not have room are counted. */
struct fault view_results_difference(char *text, size_t room, const struct system_config *left,
                                     const struct system_config *right);

#endif
