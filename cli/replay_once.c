/* A sweep of one point without a result file. The statistics take the way of a file, in memory, so that figures of ours
 * and of recorded runs are read alike. */
#define _POSIX_C_SOURCE 200809L
#include "cli/replay_once.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/progress.h"
#include "cli/sweep.h"
#include "memsys/event.h"
#include "sweep/run_point.h"

bool replay_once_has_traces(const char *path)
{
    struct trace_pair pair = {0};
    struct proto_error ignored;
    bool const found = trace_pair_find(&pair, path, &ignored);

    trace_pair_close(&pair);
    return found;
}

static struct fault run(struct replay_once *once, const struct system_config *config, const struct workload *workload)
{
    struct spec_limits const limits = {.until_ps = TICK_NEVER - 1, .tick_scale = 1};
    double const start_s = progress_clock_s();
    char *text = NULL;
    size_t length;
    FILE *const file = open_memstream(&text, &length);
    struct fault fault = file ? run_point(config, workload, &limits, file) : fault_none();

    once->host_s = progress_clock_s() - start_s;
    if (!file || fclose(file) != 0)
        fault = fault_make(FAULT_MEMORY, "out of memory");
    if (fault.kind == FAULT_NONE)
        return stats_table_parse(&once->stats, once->traces, text, length);
    free(text);
    return fault;
}

struct fault replay_once(struct replay_once *once)
{
    const char *paths[] = {once->traces};
    struct spec_workload const spec = {.name = once->traces, .paths = paths, .path_count = 1};
    struct system_config *const config = malloc(sizeof *config);
    struct workload workload = {0};
    struct proto_error error;
    struct fault fault = config ? config_read(config, once->system, NULL, 0)
                                : fault_make(FAULT_MEMORY, "out of memory");

    if (fault.kind == FAULT_NONE && !workload_find(&workload, &spec, &error))
        fault = fault_make(FAULT_INPUT, "%s", error.text);
    if (fault.kind == FAULT_NONE && !once->has_no_cache)
        sweep_find_stores(&workload, once->cache);
    if (fault.kind == FAULT_NONE)
        fault = run(once, config, &workload);
    workload_close(&workload);
    free(config);
    return fault;
}
