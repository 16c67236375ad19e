/* Ctrl-C (SIGINT) and SIGTERM while a command has results to save: the first one asks it to stop, the second one ends
 * it at once, as signals do.
 *
 * Use: interrupt_listen when the work begins; interrupt_came between its pieces; if it came, write the results so far,
 * say where they stop, and return interrupt_exit_code. Before interrupt_listen a signal ends the command: outputs are
 * not under their names yet (cli/common/output.h). A signal that was ignored when the command started stays ignored.
 * One listener a process. */
#ifndef CLI_COMMON_INTERRUPT_H
#define CLI_COMMON_INTERRUPT_H

#include <stdbool.h>

void interrupt_listen(void);
/* Called by the second signal before the process ends; may call only async-signal-safe functions. NULL: nothing. */
void interrupt_at_end(void (*function)(void));
/* Calls it. For handlers of other signals that end the process. */
void interrupt_clean_up(void);
bool interrupt_came(void);
/* 128 and the signal's number, as shells have it: 130 after Ctrl-C. */
int interrupt_exit_code(void);
/* "Ctrl-C" or "SIGTERM". */
const char *interrupt_name(void);

/* SIGBUS: a mapped input became shorter than it was, or its disk failed, in the midst of a read. The command ends with
 * a line that names the file, and exit code 2; no output gets its name.
 *
 * Use: file_signals_listen, once, before anything is mapped. A SIGBUS that no mapped input explains is left to the
 * system. */

void file_signals_listen(void);

#endif
