/* Modelled: reading of data records in windows (elastic-trace 2.4, 2.5) into the dependence graph, from which those
 * without open dependences are issued at once.
 *
 * Beyond the reference: an address outside memory is a fault when the record is read, and so is a delay that leads
 * beyond the last tick. */
#include "replay/fast/fast_issue.h"

#include <stdlib.h>

#include "proto/store/store_run.h"

#define READ_AT_ONCE 256u

/* Ready list and dep_free_queue hold live nodes only, so that room for the whole graph is enough. */
struct fault fast_data_reserve(struct elastic_cpu *cpu)
{
    uint64_t const old_places = fast_of(cpu)->graph.mask + 1;
    uint64_t places;
    uint64_t *queue;

    FORWARD(elastic_graph_reserve(&fast_of(cpu)->graph));
    places = fast_of(cpu)->graph.mask + 1;
    if (places == old_places && fast_of(cpu)->dep_free_queue)
        return fault_none();
    FORWARD(ready_list_reserve(&fast_of(cpu)->ready, places));
    queue = malloc(places * sizeof *queue);
    if (!queue)
        return fault_make(FAULT_MEMORY, "out of memory for %llu waiting records", (unsigned long long)places);
    for (uint64_t i = 0; i < cpu->dep_free_count; i++)
        queue[i] = fast_of(cpu)->dep_free_queue[(fast_of(cpu)->dep_free_head + i) & fast_of(cpu)->dep_free_mask];
    free(fast_of(cpu)->dep_free_queue);
    fast_of(cpu)->dep_free_queue = queue;
    fast_of(cpu)->dep_free_head = 0;
    fast_of(cpu)->dep_free_mask = places - 1;
    return fault_none();
}

/* Sets the delay of a new record, if it differs from its shape's; false after a fault. */
static bool set_delay(struct elastic_cpu *cpu, const struct store_record *record, uint64_t number)
{
    bool const is_time = record->shape->present & DEP_AT_TIME;
    double const delay = (double)record->shape->comp_delay * (is_time ? 1 : cpu->tick_scale * cpu->delay_factor);

    if (!(delay < (double)ELASTIC_LAST_TICK)) {
        elastic_fail_delay(cpu, number, record);
        return false;
    }
    elastic_graph_own_shape(&fast_of(cpu)->graph, elastic_graph_place(&fast_of(cpu)->graph, number))->comp_delay
        = (uint64_t)delay;
    return true;
}

static uint32_t put_any(struct elastic_cpu *cpu, uint64_t number, const struct store_record *record,
                        uint32_t before, uint64_t rob_number)
{
    struct elastic_row const row = elastic_graph_row(&fast_of(cpu)->graph, number);
    struct store_lists lists;
    struct fault fault;

    if (cpu->record_source.lists(cpu->record_source.self, record->shape, &lists, &fault) == SOURCE_FAULT) {
        elastic_fail(cpu, fault);
        return elastic_graph_put(&row, 0, record->shape, record->seq_num, rob_number);
    }
    return elastic_graph_put_any(&fast_of(cpu)->graph, number, record, &lists, before, rob_number);
}

/* State that put_records and its parts share. */
struct putting {
    uint64_t first;                  /* number of the first record */
    struct elastic_row row;          /* of the graph, from that one on */
    uint32_t before, link_reach;     /* records of the block before it; as far as links may lead */
    uint64_t rob_number;
    uint16_t *found;                 /* end of the list of issuable records, as offsets from the first */
};

/* Puts any record, the i-th, without its address; false if it is not allowed. */
static bool put_odd(struct elastic_cpu *cpu, struct putting *putting, const struct store_record *record,
                    size_t i)
{
    const struct store_shape *const shape = record->shape;
    uint64_t const number = putting->first + i;
    uint32_t open;

    putting->rob_number += 1 + (uint64_t)shape->weight;
    open = shape->reach <= putting->link_reach
        ? elastic_graph_put(&putting->row, i, shape, record->seq_num, putting->rob_number)
        : put_any(cpu, number, record, putting->before + (uint32_t)i, putting->rob_number);
    if (shape->comp_delay >= fast_of(cpu)->unscaled_delay && !set_delay(cpu, record, number))
        return false;
    *putting->found = (uint16_t)i;
    putting->found += open == 0;
    return true;
}

/* May an access have an address that is not among the first unbroken_bytes of memory? */
static bool may_access(struct elastic_cpu *cpu, uint64_t number, uint64_t address, const struct store_shape *shape)
{
    struct elastic_access const access = {.shape = shape, .record = number, .address = address};

    return elastic_access_is_valid(cpu, &access);
}

/* Puts addresses of the next accesses of a run, whose numbers in the row are `accesses`; false if one may not be. The
 * shapes were put. */
static bool put_addresses(struct elastic_cpu *cpu, const struct putting *putting, struct store_run *run,
                          const uint16_t *accesses, const uint16_t *end)
{
    struct elastic_row const row = putting->row;
    uint64_t const unbroken_bytes = fast_of(cpu)->unbroken_bytes, memory_base = cpu->limits.memory_base;
    uint64_t const offset = cpu->address_offset;

    for (; accesses < end; accesses++) {
        size_t const i = *accesses;
        const struct store_shape *const shape = row.nodes[i].shape;
        uint64_t const address = store_run_address(run, shape) + offset;

        row.addresses[i] = address;
        if (address - memory_base >= unbroken_bytes && !may_access(cpu, putting->first + i, address, shape))
            return false;
    }
    return true;
}

/* Puts up to `most` records of a run, without their addresses, while they are valid; returns their number. Most
 * are put here, unless their edges reach as far as `odd_reach`. */
static size_t put_shapes(struct elastic_cpu *cpu, struct putting *putting, struct store_run *run, size_t most,
                         uint32_t odd_reach, uint16_t **accesses_end)
{
    struct elastic_row const row = putting->row;
    uint64_t rob_number = putting->rob_number;
    uint16_t *found = putting->found, *access = *accesses_end;
    size_t i;

    for (i = 0; i < most; i++) {
        const struct store_shape *const shape = store_run_shape(run);

        store_run_pass(run, shape);
        *access = (uint16_t)i;
        access += shape->is_access;
        if (shape->reach >= odd_reach) {
            struct store_record const record = {.shape = shape, .seq_num = run->seq_num};

            putting->rob_number = rob_number;
            putting->found = found;
            if (!put_odd(cpu, putting, &record, i))
                break;
            rob_number = putting->rob_number;
            found = putting->found;
            continue;
        }
        rob_number += 1 + (uint64_t)shape->weight;
        *found = (uint16_t)i;
        found += elastic_graph_put(&row, i, shape, run->seq_num, rob_number) == 0;
    }
    putting->rob_number = rob_number;
    putting->found = found;
    *accesses_end = access;
    return i;
}

/* Puts the next `most` records of a run while they are right; the answer is how many. */
static size_t put_run(struct elastic_cpu *cpu, struct putting *putting, struct store_run *given, size_t most,
                      uint32_t odd_reach)
{
    uint16_t accesses[READ_AT_ONCE], *end = accesses;
    struct store_run run = *given;
    size_t const done = put_shapes(cpu, putting, &run, most, odd_reach, &end);
    bool const is_right = put_addresses(cpu, putting, &run, accesses, end);

    run.count -= (uint32_t)most;
    *given = run;
    return is_right ? done : 0;
}

/* Puts a record that is decoded. */
static bool put_record(struct elastic_cpu *cpu, struct putting *putting, const struct store_record *record, size_t i)
{
    if (record->shape->is_access) {
        uint64_t const address = record->p_addr + cpu->address_offset;

        if (!may_access(cpu, putting->first + i, address, record->shape))
            return false;
        putting->row.addresses[i] = address;
    }
    return put_odd(cpu, putting, record, i);
}

/* Puts records into the graph, whose ring does not end before, while they are right; the answer is how many. Notes in
 * `ready` which of them can be issued. */
static size_t put_records(struct elastic_cpu *cpu, const struct record_batch *batch, size_t most,
                          uint16_t ready[READ_AT_ONCE], size_t *ready_count)
{
    struct putting putting = {
        .first = fast_of(cpu)->graph.next_record,
        .row = elastic_graph_row(&fast_of(cpu)->graph, fast_of(cpu)->graph.next_record),
        .before = batch->before,
        .link_reach = batch->before < STORE_LINK_REACH ? batch->before : STORE_LINK_REACH,
        .rob_number = cpu->rob_number, .found = ready};
    size_t done = 0;

    if (batch->run)
        done = put_run(cpu, &putting, batch->run, most,
                       batch->longest_delay < fast_of(cpu)->unscaled_delay ? putting.link_reach + 1 : 0);
    else
        while (done < most && put_record(cpu, &putting, &batch->records[done], done))
            done++;
    elastic_graph_advance(&fast_of(cpu)->graph, done);
    cpu->rob_number = putting.rob_number;
    *ready_count = (size_t)(putting.found - ready);
    return done;
}

/* Is the decoded run, if any, valid? If not, the source reports the fault. */
static bool read_is_sound(struct elastic_cpu *cpu)
{
    struct fault fault;

    if (!cpu->batch.run || store_run_is_sound(cpu->batch.run))
        return true;
    cpu->batch.run->count = 0;
    if (cpu->record_source.batch(cpu->record_source.self, &cpu->batch, &fault) == SOURCE_FAULT)
        elastic_fail(cpu, fault);
    assert(cpu->fault.kind != FAULT_NONE);
    return false;
}

/* Adds the first `count` records of the batch to the graph; false if a fault stopped the run. */
static bool add_records(struct elastic_cpu *cpu, size_t count)
{
    struct record_batch *const batch = &cpu->batch;

    while (count > 0) {
        uint64_t const first = fast_of(cpu)->graph.next_record;
        uint16_t ready[READ_AT_ONCE];
        size_t ready_count, most, added;

        if (fast_of(cpu)->graph.node_room == 0) {
            struct fault const fault = fast_data_reserve(cpu);

            if (fault.kind != FAULT_NONE)
                elastic_fail(cpu, fault);
        }
        most = min_u64(min_u64(count, fast_of(cpu)->graph.node_room), READ_AT_ONCE);
        most = min_u64(most, elastic_graph_row_length(&fast_of(cpu)->graph, fast_of(cpu)->graph.next_record));
        added = put_records(cpu, batch, most, ready, &ready_count);
        if (fast_of(cpu)->graph.lacks_memory)
            elastic_fail_memory(cpu);
        if (cpu->fault.kind != FAULT_NONE || !read_is_sound(cpu))
            return false;
        for (size_t i = 0; i < ready_count; i++)
            issue_first(cpu, elastic_graph_place(&fast_of(cpu)->graph, first + ready[i]), first + ready[i],
                        fast_of(cpu)->tasks & ELASTIC_TURN);
        if (batch->records)
            batch->records += added;
        batch->count -= added;
        batch->before += (uint32_t)added;
        count -= added;
    }
    return true;
}

/* The next records of the source, if there are any. */
static bool fetch_batch(struct elastic_cpu *cpu)
{
    struct fault fault;

    if (!cpu->batch.shapes_stay)
        elastic_graph_keep_shapes(&fast_of(cpu)->graph);
    if (fast_of(cpu)->graph.lacks_memory)
        elastic_fail_memory(cpu);
    switch (cpu->record_source.batch(cpu->record_source.self, &cpu->batch, &fault)) {
    case SOURCE_RECORD:
        if (cpu->batch.delay_unit == 0 || cpu->batch.delay_unit % cpu->clock.period_ps != 0)
            fast_of(cpu)->is_ready_at_edges = false;
        if (cpu->batch.before == 0 && fast_of(cpu)->hooks.begin_block)
            fast_of(cpu)->hooks.begin_block(cpu);
        return true;
    case SOURCE_END:
        cpu->trace_ended = true;
        break;
    case SOURCE_FAULT:
        elastic_fail(cpu, fault);
        break;
    }
    cpu->batch.count = 0;
    return false;
}

/* "When fewer than a window of records are in the graph" (2.5), which is until then as it is now. */
static uint64_t window_due_at(const struct elastic_cpu *cpu)
{
    uint64_t const read = fast_of(cpu)->graph.next_record, window = cpu->record_source.window_records;

    if (cpu->trace_ended)
        return UINT64_MAX;
    return read < window ? 0 : read - window + 1;
}

bool fast_data_read_window(struct elastic_cpu *cpu)
{
    uint64_t left = cpu->record_source.window_records;

    if (cpu->trace_ended || cpu->fault.kind != FAULT_NONE)
        return false;
    while (left > 0 && (cpu->batch.count > 0 || fetch_batch(cpu))) {
        size_t const count = min_u64(left, cpu->batch.count);

        if (!add_records(cpu, count))
            return false;
        cpu->records_read += count;
        left -= count;
    }
    if (cpu->fault.kind != FAULT_NONE)
        return false;
    fast_of(cpu)->window_due_at = window_due_at(cpu);
    fast_of(cpu)->tasks &= ~(unsigned)(ELASTIC_WINDOW_DUE | ELASTIC_WINDOW_WANTED);
    fast_find_milestone(cpu);
    return !cpu->trace_ended;
}

