/* Ctrl-C (SIGINT) and SIGTERM while a command has results to save: the first one asks it to stop, the second one ends
 * it at once, as signals do.
 *
 * Use: interrupt_listen when the work begins; interrupt_came between its pieces; if it came, write what there is, say
 * where it stops, and return interrupt_exit_code. Before interrupt_listen, and after interrupt_end, a signal ends
 * the command: outputs are not under their names yet (cli/output.h). A signal that the command was told to ignore stays
 * ignored. One listener a process. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_listen(void);
/* Called by the second signal before the process ends; may call only what signal handlers may. NULL: nothing. */
void interrupt_at_end(void (*function)(void));
/* Calls it. For handlers of other signals that end the process. */
void interrupt_clean_up(void);
/* From now on the next one ends the command. */
void interrupt_end(void);
bool interrupt_came(void);
/* 128 and the signal's number, as shells have it: 130 after Ctrl-C. */
int interrupt_exit_code(void);
/* "Ctrl-C" or "SIGTERM". */
const char *interrupt_name(void);

#endif
