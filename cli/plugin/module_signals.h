/* A crash in a module is named: one line on standard error, and exit code 3, which ends the point of a sweep and no
 * other. A crash elsewhere ends the process as it would have. */
#ifndef CLI_PLUGIN_MODULE_SIGNALS_H
#define CLI_PLUGIN_MODULE_SIGNALS_H

void module_signals_listen(void);

#endif
