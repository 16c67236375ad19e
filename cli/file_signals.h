/* SIGBUS: a mapped input became shorter than it was, or its disk failed, in the midst of a read. The command ends with
 * a line that names the file, and exit code 2; no output gets its name.
 *
 * Use: file_signals_listen, once, before anything is mapped. A SIGBUS that no mapped input explains is left to the
 * system. */
#ifndef CLI_FILE_SIGNALS_H
#define CLI_FILE_SIGNALS_H

void file_signals_listen(void);

#endif
