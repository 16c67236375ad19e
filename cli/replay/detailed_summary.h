/* What the summary of a replay says of a detailed core. */
#ifndef CLI_REPLAY_DETAILED_SUMMARY_H
#define CLI_REPLAY_DETAILED_SUMMARY_H

#include <stdio.h>

#include "replay/system/system.h"

/* Columns of the bars in tables of where cycles went. */
#define SUMMARY_BAR_WIDTH 40

void detailed_summary_print(FILE *to, const struct system *system, const struct system_core *core);

#endif
