/* What signals do to a run that is sampled: SIGUSR1 asks for a sample; those that end a program remove the name under
 * which samples are published, and then do what they always do; of Ctrl-C and SIGTERM only the second one does.
 *
 * Use: sample_signals_start; sample_signals_asked now and then; sample_signals_stop. One run at a time. A signal that
 * the command was told to ignore stays ignored. */
#ifndef CLI_REPLAY_SAMPLE_SIGNALS_H
#define CLI_REPLAY_SAMPLE_SIGNALS_H

#include <stdbool.h>

/* `path`: of the shared memory, or NULL; copied. */
void sample_signals_start(const char *path);
void sample_signals_stop(void);

/* SIGUSR1 came since the last call. */
bool sample_signals_asked(void);

#endif
