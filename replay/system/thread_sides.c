/* Decodes the records of one instruction at a time, and fetches one at a time, so that the number of instructions
 * fetched is known at each request for the next one. */
#include "replay/system/thread_sides.h"

#include <stdlib.h>
#include <string.h>

#include "proto/store/shapes.h"

static enum source_result fail_memory(struct fault *fault)
{
    *fault = fault_make(FAULT_MEMORY, "out of memory for the records of a thread");
    return SOURCE_FAULT;
}

/* ---- data records, an instruction at a time */

static bool make_record_room(struct thread_sides *sides, size_t count)
{
    size_t const room = 2 * count;

    if (count <= sides->record_room)
        return true;
    free(sides->records);
    free(sides->shapes);
    free(sides->lists);
    sides->records = malloc(room * sizeof *sides->records);
    sides->shapes = malloc(room * sizeof *sides->shapes);
    sides->lists = malloc(room * sizeof *sides->lists);
    sides->record_room = room;
    return sides->records && sides->shapes && sides->lists;
}

static bool make_dep_room(struct thread_sides *sides, size_t count)
{
    size_t const room = 2 * count;

    if (count <= sides->dep_room)
        return true;
    free(sides->distances);
    free(sides->edges);
    free(sides->no_distances);
    sides->distances = malloc(room * sizeof *sides->distances);
    sides->edges = malloc(room * sizeof *sides->edges);
    sides->no_distances = calloc(room, sizeof *sides->no_distances);
    sides->dep_room = room;
    return sides->distances && sides->edges && sides->no_distances;
}

/* Sequence numbers have no gaps, so a distance in them is one in records. */
static void fill_record(struct thread_sides *sides, size_t place, const struct dep_record *record, size_t deps_before)
{
    uint32_t *const distances = sides->distances + deps_before;

    for (uint32_t i = 0; i < record->rob_dep_count; i++)
        distances[i] = (uint32_t)(record->seq_num - record->rob_dep[i]);
    for (uint32_t i = 0; i < record->reg_dep_count; i++)
        distances[record->rob_dep_count + i] = (uint32_t)(record->seq_num - record->reg_dep[i]);
    sides->shapes[place] = (struct store_shape){
        .pc = record->pc, .present = (uint16_t)record->present, .size_bytes = record->size_bytes,
        .flags = record->flags, .weight = record->weight, .is_access = store_is_access(record->type),
        .text = record->present & DEP_AFTER_ANSWER ? (uint32_t)(record->seq_num - record->answer_dep) : 0,
        .reach = UINT16_MAX, .comp_delay = record->comp_delay, .links.type = (uint8_t)record->type};
    sides->lists[place] = (struct store_lists){
        .rob_dep_count = record->rob_dep_count, .reg_dep_count = record->reg_dep_count, .record_distance = distances,
        .seq_distance = sides->no_distances};
    store_lists_complete(&sides->lists[place], sides->edges + deps_before, UINT64_MAX);
    sides->lists[place].linked_count = 0;       /* parents have no links */
    sides->records[place] = (struct store_record){&sides->shapes[place], record->seq_num, record->p_addr};
}

static enum source_result give_records(void *self, struct record_batch *out, struct fault *fault)
{
    struct thread_sides *const sides = self;
    struct depend_output output;
    enum thread_step step;
    size_t deps = 0;

    do
        step = sides->decoders.next(sides->decoders.data, &output, fault);
    while (step == THREAD_GAVE && output.record_count == 0);
    if (step == THREAD_FAILED)
        return SOURCE_FAULT;
    if (step == THREAD_IS_OVER)
        return SOURCE_END;
    for (size_t i = 0; i < output.record_count; i++)
        deps += (size_t)output.records[i].rob_dep_count + output.records[i].reg_dep_count;
    if (!make_record_room(sides, output.record_count) || !make_dep_room(sides, deps))
        return fail_memory(fault);
    deps = 0;
    for (size_t i = 0; i < output.record_count; i++) {
        fill_record(sides, i, &output.records[i], deps);
        deps += (size_t)output.records[i].rob_dep_count + output.records[i].reg_dep_count;
    }
    *out = (struct record_batch){.records = sides->records, .count = output.record_count};
    return SOURCE_RECORD;
}

static enum source_result give_lists(void *self, const struct store_shape *shape, struct store_lists *out,
                                     struct fault *fault)
{
    const struct thread_sides *const sides = self;

    (void)fault;
    *out = sides->lists[shape - sides->shapes];
    return SOURCE_RECORD;
}

/* ---- fetches, one at a time */

/* Decodes until the fetch after the next one is known, or the end. */
static struct fault thread_sides_look_ahead(struct thread_sides *sides)
{
    struct fault fault = fault_none();

    while (!sides->fetch_ended && sides->waiting_count < 2) {
        struct depend_output output;
        enum thread_step const step = sides->decoders.next(sides->decoders.fetch, &output, &fault);

        if (step == THREAD_FAILED)
            return fault;
        if (step == THREAD_IS_OVER) {
            sides->fetch_ended = true;
            return fault_none();
        }
        for (size_t i = 0; i < output.fetch_count; i++)
            sides->waiting[sides->waiting_count++]
                = (struct thread_waiting_fetch){output.fetches[i], output.fetched_before};
    }
    return fault_none();
}

static enum source_result give_fetch(void *self, struct store_fetch_batch *out, struct fault *fault)
{
    struct thread_sides *const sides = self;
    struct packet_record const *fetch;

    if (sides->gave_fetch && sides->decoders.fetched)
        sides->decoders.fetched(sides->decoders.context, sides->given_until);
    if (FAILS(*fault, thread_sides_look_ahead(sides)))
        return SOURCE_FAULT;
    if (sides->waiting_count == 0)
        return SOURCE_END;
    fetch = &sides->waiting[0].fetch;
    sides->fetch_shape = (struct store_fetch_shape){
        .addr = fetch->addr, .pc = fetch->pc, .step_ticks = fetch->tick - sides->last_tick, .cmd = fetch->cmd,
        .size_bytes = fetch->size_bytes, .flags = fetch->flags, .present = fetch->present};
    sides->store_fetch = (struct store_fetch){&sides->fetch_shape, fetch->tick};
    sides->last_tick = fetch->tick;
    sides->gave_fetch = true;
    sides->given_until = sides->waiting_count > 1 ? sides->waiting[1].before : UINT64_MAX;
    memmove(sides->waiting, sides->waiting + 1, --sides->waiting_count * sizeof *sides->waiting);
    *out = (struct store_fetch_batch){.fetches = &sides->store_fetch, .count = 1, .shapes = &sides->fetch_shape,
                                      .shape_count = 1};
    return SOURCE_RECORD;
}

/* ---- the interface */

struct fault thread_sides_begin(struct thread_sides *sides, const struct thread_decoders *decoders)
{
    sides->decoders = *decoders;
    sides->waiting_count = 0;
    sides->fetch_ended = decoders->fetch == NULL;
    sides->gave_fetch = false;
    sides->last_tick = 0;
    return thread_sides_look_ahead(sides);
}

void thread_sides_free(struct thread_sides *sides)
{
    free(sides->records);
    free(sides->shapes);
    free(sides->lists);
    free(sides->distances);
    free(sides->edges);
    free(sides->no_distances);
    *sides = (struct thread_sides){.record_room = 0};
}

struct record_source thread_sides_records(struct thread_sides *sides, const char *name, uint64_t window)
{
    return (struct record_source){.batch = give_records, .lists = give_lists, .self = sides, .name = name,
                                  .window_records = window, .known_reach_seq = UINT64_MAX};
}

struct fetch_source thread_sides_fetches(struct thread_sides *sides, const char *name)
{
    bool const has_fetches = sides->decoders.fetch && sides->waiting_count > 0;

    return (struct fetch_source){has_fetches ? give_fetch : NULL, sides, name};
}

uint64_t thread_sides_pc(const struct thread_sides *sides)
{
    return sides->waiting_count > 0 ? sides->waiting[0].fetch.pc : 0;
}
