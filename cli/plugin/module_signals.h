/* A module that does not come back is named and ends the process likewise: the processor time of --module-limit has
 * passed since a piece of the run ended (base/beat.h), and the module's code is on the stack. Without one the run goes
 * on.
 *
 * A crash in a module is named: one line on standard error, and exit code 3, which ends the point of a sweep and no
 * other. A crash elsewhere ends the process as it would have. */
#ifndef CLI_PLUGIN_MODULE_SIGNALS_H
#define CLI_PLUGIN_MODULE_SIGNALS_H

#include <stdint.h>

/* Default of --module-limit. */
#define MODULE_LIMIT_PS (UINT64_C(600) * 1000000000000)
#define MODULE_LIMIT_CLI_OPTION                                                                                        \
    "module-limit", "TIME", "end the run, exit code 3, if a module has not come back and no piece of the run has\n"    \
    "ended for TIME of processor time (default 600s)"

void module_signals_listen(void);
/* 0: the default. */
void module_signals_limit(uint64_t limit_ps);

#endif
