/* The replay of a captured region: its cycles, and what they went to.
 *
 * Use: native_replay; read; native_replay_free. Ownership: `config` and the trace are borrowed. */
#ifndef SWEEP_NATIVE_NATIVE_REPLAY_H
#define SWEEP_NATIVE_NATIVE_REPLAY_H

#include "replay/metrics/metrics.h"
#include "replay/metrics/verdict.h"
#include "replay/session/session.h"

struct native_replayed {
    double cycles, seconds, instructions;
    double host_s;
    struct figures figures;
    struct verdict verdict;
};

struct native_replay_request {
    const char *trace, *system;          /* system: of one core */
    const char *const *settings;
    size_t setting_count;
    uint64_t warmup;                     /* instructions that run before the statistics begin */
    struct engine_options engine;
    /* As in session_outputs; NULL: none. */
    bool (*progress)(void *context, const struct session_progress *progress);
    void *context;
};

struct fault native_replay(const struct native_replay_request *request, struct native_replayed *replayed);
/* Before any program runs: will this system do? */
struct fault native_system_check(const char *system, const char *const *settings, size_t setting_count);
void native_replay_free(struct native_replayed *replayed);

#endif
