/* `rubato compare --detailed`: both sides of each pair are run now. */
#ifndef CLI_SWEEP_COMPARE_DETAILED_H
#define CLI_SWEEP_COMPARE_DETAILED_H

#include "replay/session/session.h"

struct compare_detailed_request {
    const char *const *systems, *const *traces, *const *settings;
    size_t system_count, trace_count, setting_count;
    const char *base;                    /* NULL: base, else the first system */
    const char *captures;                /* where elastic traces stay; NULL: nowhere */
    struct engine_options engine;
    struct workload_options reading;
    bool is_tsv;
};

/* The exit code; what is wrong was printed. */
int compare_detailed(const struct compare_detailed_request *request);

#endif
