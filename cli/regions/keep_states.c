#include "cli/regions/keep_states.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/common/interrupt.h"
#include "cli/common/progress.h"
#include "replay/session/session_engine.h"
#include "replay/warm/warm_file.h"

struct keeping {
    const struct keep_request *request;
    struct kept *kept;
    uint64_t *places;                    /* ascending */
    uint64_t *names;                     /* of these, the places in the trace that the set is of */
    size_t count;
    struct progress progress;
    struct warm_record *record;
    struct warm_file_writer *writer;
};

static struct warm_file_key key_of(const struct keep_request *request, const struct region_set *set)
{
    return (struct warm_file_key){set->trace_bytes, set->trace_hash, request->wish};
}

bool keep_is_begun(const struct keep_request *request, const struct region_set *set)
{
    struct warm_file_key const key = key_of(request, set);
    char *const path = region_set_states_path(request->regions);
    bool const is_begun = path && warm_file_is_begun(path, &key);

    free(path);
    return is_begun;
}

static int ascending(const void *a, const void *b)
{
    uint64_t const first = *(const uint64_t *)a, second = *(const uint64_t *)b;

    return first < second ? -1 : first > second;
}

/* Ascending, each once. */
static size_t order(uint64_t *places, size_t count)
{
    size_t kept = 0;

    qsort(places, count, sizeof *places, ascending);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || places[i] != places[kept - 1])
            places[kept++] = places[i];
    return kept;
}

/* Both traces have the regions in the same order. */
static struct fault sort_places(struct keeping *keeping, const struct region_set *set)
{
    const uint64_t *const firsts = keeping->request->firsts;

    keeping->places = malloc((set->count + 1) * sizeof *keeping->places);
    keeping->names = malloc((set->count + 1) * sizeof *keeping->names);
    if (!keeping->places || !keeping->names)
        return fault_memory(set->trace, NULL);
    for (size_t i = 0; i < set->count; i++) {
        keeping->names[i] = set->regions[i].first;
        keeping->places[i] = firsts ? firsts[i] : set->regions[i].first;
    }
    keeping->count = order(keeping->places, set->count);
    order(keeping->names, set->count);
    return fault_none();
}

static bool show_walk(void *context, uint64_t place)
{
    struct keeping *const keeping = context;
    uint64_t const of = keeping->places[keeping->count - 1];

    progress_show(&keeping->progress, place, PROGRESS_NO_TIME, of > 0 ? (double)place / (double)of : 0);
    return interrupt_came();
}

static struct fault keep_each(struct keeping *keeping, struct warm_walk *walk)
{
    for (size_t i = keeping->kept->states; i < keeping->count; i++) {
        struct warm_state state;
        struct fault fault = warm_walk_to(walk, keeping->places[i], show_walk, keeping);

        warm_walk_leave_line(walk);
        if (fault.kind == FAULT_NONE && interrupt_came())
            fault = fault_make(FAULT_STALL, "stopped by %s; %zu of %zu states are kept, and the same command goes on "
                               "from there", interrupt_name(), i, keeping->count);
        if (fault.kind != FAULT_NONE)
            return fault;
        if (!warm_record_state(keeping->record, keeping->places[i], &state))
            fault = fault_memory(keeping->request->trace, "the states of regions");
        state.place = keeping->names[i];
        state.pending = warm_walk_pending(walk);
        if (fault.kind == FAULT_NONE)
            fault = warm_file_add(keeping->writer, &state);
        warm_state_free(&state);
        if (fault.kind != FAULT_NONE)
            return fault;
        keeping->kept->states++;
    }
    return fault_none();
}

static struct fault walk_from(struct keeping *keeping, const struct warm_state *last)
{
    struct fault fault;
    struct insn_trace *const trace = insn_trace_open_as(keeping->request->trace, keeping->request->format,
                                                        INSN_OPEN_DECODED, &fault);
    struct warm_sink const sink = warm_record_sink(keeping->record);
    struct engine_options const engine = engine_fast();
    struct warm_walk *walk;

    if (!trace)
        return fault;
    walk = warm_walk_open(trace, last->place, &sink, engine_walk(&engine), &fault);
    if (walk) {
        warm_walk_set_pending(walk, &last->pending);
        progress_start(&keeping->progress);
        keeping->progress.what = "instructions";
        keeping->progress.is_shown &= !keeping->request->is_quiet;
        interrupt_listen();
        fault = keep_each(keeping, walk);
        progress_end(&keeping->progress);
        warm_walk_close(walk);
    }
    insn_trace_close(trace);
    return fault;
}

static struct fault keep_all(struct keeping *keeping, const struct warm_state *last)
{
    struct warm_record_limits const limits = warm_record_limits(keeping->request->lines);

    if (keeping->kept->states == keeping->count)
        return fault_none();
    keeping->record = warm_record_new(&limits);
    if (!keeping->record || (keeping->kept->had > 0 && !warm_record_resume(keeping->record, last)))
        return fault_memory(keeping->request->trace, "the states of regions");
    return walk_from(keeping, last);
}

struct fault keep_states(const struct keep_request *request, const struct region_set *set, struct kept *kept)
{
    struct warm_file_key const key = key_of(request, set);
    struct keeping keeping = {.request = request, .kept = kept};
    char *const path = region_set_states_path(request->regions);
    struct warm_state last = {0};
    struct fault fault = path ? sort_places(&keeping, set) : fault_memory(set->trace, NULL);

    *kept = (struct kept){0};
    if (fault.kind == FAULT_NONE) {
        keeping.writer = warm_file_begin(path, &key, &kept->had, &last, &fault);
        kept->states = kept->had;
    }
    if (keeping.writer) {
        struct fault ended;

        fault = keep_all(&keeping, &last);
        kept->bytes = warm_file_bytes(keeping.writer);
        ended = warm_file_end(keeping.writer, fault.kind == FAULT_NONE);
        fault = fault.kind == FAULT_NONE ? ended : fault;
    }
    warm_record_free(keeping.record);
    warm_state_free(&last);
    free(keeping.places);
    free(keeping.names);
    free(path);
    return fault;
}
