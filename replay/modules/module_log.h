/* Records the calls of a system's modules while it runs, and what they answer, as lines of module_record.h.
 *
 * Use: module_log_tap once the configuration is finished and before the system is made: a module of the log's own
 * stands then in each place of one, and passes all calls on. module_log_free once the system is gone.
 * Ownership: the file is the caller's; errors of writing are the stream's. Results of the run do not change. */
#ifndef REPLAY_MODULES_MODULE_LOG_H
#define REPLAY_MODULES_MODULE_LOG_H

#include <stdio.h>

#include "base/fault.h"

struct module_log;
struct system_config;

/* FAULT_INPUT: the system has no module. */
struct fault module_log_tap(struct module_log **log, struct system_config *config, FILE *file);
void module_log_free(struct module_log *log);

#endif
