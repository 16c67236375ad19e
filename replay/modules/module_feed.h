/* Feeds calls of a log (module_log.h) to a module, in their order, and compares what it answers: metadata, victims,
 * prefetches, predictions. No system runs, so that time plays no part: what the module asks is answered from the log.
 *
 * Use: fill in a request; module_feed. Which instances: those of modules with that name.
 * Ownership: borrows all. Errors: FAULT_INPUT with file and line, for a log that is none or breaks off; differences are
 * no errors. */
#ifndef REPLAY_MODULES_MODULE_FEED_H
#define REPLAY_MODULES_MODULE_FEED_H

#include <stdint.h>

#include "base/fault.h"
#include "include/rubato_policy.h"

struct module_feed_request {
    const struct rubato_module *module;  /* its version and name were checked */
    const char *path;                    /* of the module, in faults */
    const char *log;
    const char *as;                      /* name of the module in the log */
    /* Called for each difference; line: of the log. */
    void (*differs)(void *context, uint64_t line, const char *text);
    void *context;
};

struct module_feed_result {
    uint64_t calls, prefetches, differences;
    uint64_t instances, other_instances; /* others: of other modules */
    uint64_t unknown;                    /* questions that the log does not answer */
    char asked[32];                      /* one of them */
};

struct fault module_feed(const struct module_feed_request *request, struct module_feed_result *result);

#endif
