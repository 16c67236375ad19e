/* What a replay of instruction traces says of them at its end: instructions, micro-ops, what the traces lack, waits. */
#ifndef CLI_REPLAY_INSN_SUMMARY_H
#define CLI_REPLAY_INSN_SUMMARY_H

#include <stdio.h>

#include "replay/session/session.h"

/* is_whole: all instructions are in the measured time. */
void insn_summary_print(FILE *to, const struct insn_threads_figures *figures, const struct system *system,
                        bool is_whole);
/* The same of traces themselves, in lines that begin with `indent`: what they lack, and what stands in its place. */
void insn_summary_lacks(FILE *to, const struct insn_threads_figures *figures, const char *indent);

#endif
