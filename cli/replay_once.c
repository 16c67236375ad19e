/* The statistics take the way of a file, in memory, so that figures of ours and of recorded runs are read alike. */
#define _POSIX_C_SOURCE 200809L
#include "cli/replay_once.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/progress.h"
#include "cli/stats_text.h"
#include "cli/store_cache.h"
#include "cli/trace_pair.h"
#include "replay/system.h"

/* All that is open. */
struct one_run {
    struct system_config config;
    struct trace_pair pair;
    struct trace_input inputs[CONFIG_MAX_CORES];
    struct system_traces sources[CONFIG_MAX_CORES];
    struct system *system;
};

static struct fault of_proto(const struct proto_error *error)
{
    return fault_make(FAULT_INPUT, "%s", error->text);
}

bool replay_once_has_traces(const char *path)
{
    struct trace_pair pair = {0};
    struct proto_error ignored;
    bool const found = trace_pair_find(&pair, path, &ignored);

    trace_pair_close(&pair);
    return found;
}

static void find_store(struct trace_pair *pair, const struct replay_once *once)
{
    char usual_folder[STORE_CACHE_PATH_MAX];
    const char *folder = once->cache;

    if (!folder && store_cache_folder(usual_folder))
        folder = usual_folder;
    if (pair->store || once->has_no_cache || !folder)
        return;
    pair->store = store_cache_find(folder, pair->data, pair->fetch);
    if (!pair->store)
        pair->store = store_cache_make(folder, pair->data, pair->fetch);
}

static struct fault open_inputs(struct one_run *run)
{
    struct proto_error error;

    for (unsigned i = 0; i < run->config.core_count; i++) {
        run->sources[i] = (struct system_traces){.tick_scale = 1};
        if (!trace_input_open(&run->inputs[i], &run->pair, &run->sources[i].records, &run->sources[i].fetches, &error))
            return of_proto(&error);
    }
    return fault_none();
}

static struct fault read_stats(struct replay_once *once, struct system *system)
{
    char *text = NULL;
    size_t length;
    FILE *const file = open_memstream(&text, &length);

    if (!file)
        return fault_make(FAULT_MEMORY, "out of memory");
    stats_text_write(file, &system->stats, system_now_ps(system));
    if (fclose(file) != 0) {
        free(text);
        return fault_make(FAULT_MEMORY, "out of memory");
    }
    return stats_table_parse(&once->stats, once->traces, text, length);
}

static struct fault run_to_end(struct replay_once *once, struct one_run *run)
{
    double const start_s = progress_clock_s();
    struct fault fault = fault_none();

    run->system = system_create(&run->config, run->sources, NULL, &fault);
    FAULT_TRY(fault);
    FAULT_TRY(system_add_stats(run->system));
    if (system_run(run->system, TICK_NEVER - 1, UINT64_MAX, 0) == SYSTEM_FAILED)
        return run->system->fault;
    once->host_s = progress_clock_s() - start_s;
    for (unsigned i = 0; i < run->config.core_count; i++)
        trace_input_warn(&run->inputs[i]);
    return read_stats(once, run->system);
}

static struct fault open_and_run(struct replay_once *once, struct one_run *run)
{
    struct proto_error error;

    FAULT_TRY(config_read(&run->config, once->system, NULL, 0));
    if (run->config.core_count == 0)
        return fault_make(FAULT_INPUT, "%s has no cores; expected a system that replays elastic traces", once->system);
    if (!trace_pair_find(&run->pair, once->traces, &error))
        return of_proto(&error);
    find_store(&run->pair, once);
    FAULT_TRY(open_inputs(run));
    return run_to_end(once, run);
}

struct fault replay_once(struct replay_once *once)
{
    struct one_run *const run = calloc(1, sizeof *run);
    struct fault fault;

    if (!run)
        return fault_make(FAULT_MEMORY, "out of memory");
    fault = open_and_run(once, run);
    system_destroy(run->system);
    for (unsigned i = 0; i < CONFIG_MAX_CORES; i++)
        trace_input_close(&run->inputs[i]);
    trace_pair_close(&run->pair);
    free(run);
    return fault;
}
