/* Snapshots (snapshot.h). Every field that affects the data side has to be included here. */
#include "replay/fast/snapshot.h"

#include <string.h>

#include "replay/fast/fast_core.h"

#define MOST_OPEN (UINT16_MAX >> 3)
#define STEP 64                      /* records that are looked at together; divides the ring */
#define NO_RECORD (UINT64_C(1) << 63)  /* in place of a record: no distance between two that were read */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

bool elastic_snapshot_is_settled(const struct elastic_cpu *cpu, uint64_t next_ps)
{
    return next_ps != TICK_NEVER && (fast_of(cpu)->tasks & ~(unsigned)ELASTIC_ROOM) == 0 && !cpu->is_refused
        && !cpu->trace_ended && cpu->fault.kind == FAULT_NONE && !cpu->sim->log.line && fast_of(cpu)->is_ready_at_edges
        && cpu->edge_ps == sim_now_ps(cpu->sim) && fast_of(cpu)->ready.distant_count == 0
        && ready_list_count(&fast_of(cpu)->ready) <= SNAPSHOT_READY && cpu->dep_free_count <= SNAPSHOT_DEP_FREE;
}

/* Number of contiguous records in the ring: `count` from `record` on, or fewer at its end. */
static uint64_t snapshot_row_of(const struct elastic_graph *graph, uint64_t record, uint64_t count)
{
    return min_u64(count, elastic_graph_row_length(graph, record));
}

/* Did a parent let go of a record that is not read yet? */
static bool has_unread_children(const struct elastic_graph *graph)
{
    uint64_t const end = graph->next_record + graph->link_room;
    uint32_t any = 0;

    for (uint64_t record = graph->next_record, row; record < end; record += row) {
        const uint32_t *const open = &graph->open_dependences[elastic_graph_place(graph, record)];

        row = snapshot_row_of(graph, record, end - record);
        for (uint64_t i = 0; i < row; i++)
            any |= open[i];
    }
    return any != 0;
}

static uint64_t relative(uint64_t record, uint64_t base)
{
    return record == UINT64_MAX ? NO_RECORD : record - base;
}

static uint64_t absolute(uint64_t record, uint64_t base)
{
    return record == NO_RECORD ? UINT64_MAX : record + base;
}

static void describe_scalars(struct elastic_cpu *cpu, uint64_t *scalars, const struct elastic_responses *responses,
                             uint64_t next_ps, uint64_t first)
{
    const struct elastic_graph *const graph = &fast_of(cpu)->graph;
    const struct cpi_stack *const stack = &cpu->stats.cpi_stack;
    uint64_t const now = sim_now_ps(cpu->sim), base = graph->retired_count;

    scalars[SNAPSHOT_FIRST] = first - base;
    scalars[SNAPSHOT_NEXT_PS] = next_ps - now;
    scalars[SNAPSHOT_READY_COUNT] = ready_list_count(&fast_of(cpu)->ready);
    scalars[SNAPSHOT_DEP_FREE_COUNT] = cpu->dep_free_count;
    scalars[SNAPSHOT_DEP_FREE_CAUSE] = cpu->dep_free_count ? cpu->dep_free_cause : CPI_PART_COUNT;
    scalars[SNAPSHOT_DEP_FREE_OLDEST] = cpu->dep_free_count ? relative(fast_of(cpu)->dep_free_oldest, base) : NO_RECORD;
    scalars[SNAPSHOT_OLDEST] = relative(graph->oldest_in_flight, base);
    scalars[SNAPSHOT_FREE_LOADS] = cpu->free_entries[DEP_LOAD];
    scalars[SNAPSHOT_FREE_STORES] = cpu->free_entries[DEP_STORE];
    scalars[SNAPSHOT_FREE_OTHERS] = cpu->free_entries[DEP_COMP];
    scalars[SNAPSHOT_SENT_STORES] = fast_of(cpu)->sent_stores;
    scalars[SNAPSHOT_ANSWER_COUNT] = responses->due.count;
    scalars[SNAPSHOT_ANSWER_PS] = responses->due.count > 0 ? responses->due.next_ps - now : 0;
    scalars[SNAPSHOT_LAST_ANSWER_PS] = max_u64(responses->due.last_ps, now) - now;
    scalars[SNAPSHOT_CAUSE] = stack->cause;
    scalars[SNAPSHOT_WORKED] = stack->worked;
    scalars[SNAPSHOT_WORKED_PS] = stack->worked_ps - now;
    scalars[SNAPSHOT_TASKS] = fast_of(cpu)->tasks;
    scalars[SNAPSHOT_CLOCK_PS] = responses->clock_ps;
}

static uint64_t snapshot_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * HASH_FACTOR;
    return hash ^ hash >> 32;
}

bool elastic_snapshot_describe(struct elastic_cpu *cpu, struct elastic_snapshot *snapshot,
                               const struct elastic_responses *responses, uint64_t next_ps, uint64_t *hash)
{
    struct elastic_graph *const graph = &fast_of(cpu)->graph;
    const struct ready_list *const ready = &fast_of(cpu)->ready;
    uint64_t const now = sim_now_ps(cpu->sim), base = graph->retired_count;
    uint64_t first = graph->first_record = elastic_graph_first(graph, graph->first_record, ELASTIC_WAITING);

    cpi_stack_charge(&cpu->stats.cpi_stack);
    elastic_graph_find_oldest(graph);
    for (uint32_t i = 0; i < responses->due.count; i++)
        first = min_u64(first, responses->due.entries[i].token >> 8);
    if (graph->next_record - first > graph->mask + 1 || has_unread_children(graph))
        return false;
    snapshot->now_ps = now;
    snapshot->base = base;
    describe_scalars(cpu, snapshot->scalars, responses, next_ps, first);
    *hash = 0;
    for (unsigned i = 0; i < SNAPSHOT_SCALARS; i++)
        *hash = snapshot_mix(*hash, snapshot->scalars[i]);
    for (size_t i = 0; i < ready_list_count(ready); i++) {
        snapshot->ready_ps[i] = ready_list_key_ps(ready, ready->keys[1 + i]) - now;
        snapshot->ready_records[i] = ready_list_key_record(ready, ready->keys[1 + i]) - base;
        *hash = snapshot_mix(*hash, snapshot->ready_ps[i] ^ snapshot->ready_records[i] << 32);
    }
    for (uint64_t i = 0; i < cpu->dep_free_count; i++)
        snapshot->dep_free[i]
            = fast_of(cpu)->dep_free_queue[(fast_of(cpu)->dep_free_head + i) & fast_of(cpu)->dep_free_mask] - base;
    for (uint32_t i = 0; i < responses->due.count; i++) {
        const struct packet_queue_entry *const due = &responses->due.entries[i];
        uint64_t const record = due->token >> 8;
        bool const is_load = elastic_graph_state(graph, elastic_graph_place(graph, record)) == ELASTIC_LOAD_SENT;

        snapshot->answers[i] = (struct elastic_snapshot_answer){
            due->when_ps - now, due->token - (base << 8),
            is_load ? graph->sent_ps[elastic_graph_place(graph, record)] - now : 0};
    }
    return true;
}

/* ---- states */

/* 0 if a record waits for some of its parents, and `done` of them are complete. */
static inline uint32_t difference(uint32_t state, uint32_t open, uint32_t done, uint32_t parents)
{
    return (state ^ ELASTIC_WAITING) | ((open + done) ^ parents) | (open == 0);
}

/* Do `count` records in a row, whose link_counts are those, wait for some of their parents, and are none of these
 * complete? */
static bool are_untouched(const struct elastic_graph *graph, uint64_t record, uint64_t count, const uint8_t *parents)
{
    uint32_t const place = elastic_graph_place(graph, record);
    const uint16_t *const states = &graph->states[place];
    const uint32_t *const open = &graph->open_dependences[place];
    uint32_t any = 0;

    for (uint64_t i = 0; i < count; i++)
        any |= difference(states[i], open[i], 0, parents[i]);
    return any == 0;
}

/* The same if `done` of the parents are complete. */
static bool are_touched(const struct elastic_graph *graph, uint64_t record, uint64_t count, const uint8_t *parents,
                        const uint8_t *done)
{
    uint32_t const place = elastic_graph_place(graph, record);
    const uint16_t *const states = &graph->states[place];
    const uint32_t *const open = &graph->open_dependences[place];
    uint32_t any = 0;

    for (uint64_t i = 0; i < count; i++)
        any |= difference(states[i], open[i], done[i], parents[i]);
    return any == 0;
}

/* How many records from the first one on are not behind all that are more than read. */
static uint64_t count_touched(const struct elastic_graph *graph, uint64_t first, const uint8_t *parents)
{
    uint64_t end = graph->next_record;

    while (end - first >= STEP && (end - STEP) % STEP == 0
           && are_untouched(graph, end - STEP, STEP, parents + (end - STEP - first)))
        end -= STEP;
    while (end > first && are_untouched(graph, end - 1, 1, parents + (end - 1 - first))) {
        end--;
        while (end % STEP == 0 && end - first >= STEP
               && are_untouched(graph, end - STEP, STEP, parents + (end - STEP - first)))
            end -= STEP;
    }
    return end - first;
}

/* Does a record wait for others? */
static bool is_behind_front(const struct elastic_graph *graph, uint64_t record)
{
    uint32_t const place = elastic_graph_place(graph, record);

    return graph->states[place] == ELASTIC_WAITING && graph->open_dependences[place] > 0;
}

bool elastic_snapshot_complete(const struct elastic_cpu *cpu, struct elastic_snapshot *snapshot)
{
    const struct elastic_graph *const graph = &fast_of(cpu)->graph;
    uint64_t const first = snapshot->base + snapshot->scalars[SNAPSHOT_FIRST];
    uint64_t const touched = count_touched(graph, first, snapshot->parents);

    if (touched > SNAPSHOT_STATES)
        return false;
    snapshot->front = snapshot->touched = (uint32_t)touched;
    while (snapshot->front > 0 && is_behind_front(graph, first + snapshot->front - 1))
        snapshot->front--;
    for (uint32_t i = 0; i < touched; i++) {
        uint32_t const place = elastic_graph_place(graph, first + i), open = graph->open_dependences[place];

        if (open > (i < snapshot->front ? MOST_OPEN : snapshot->parents[i]))
            return false;
        if (i < snapshot->front)
            snapshot->states[i] = elastic_snapshot_state(graph->states[place], open);
        else
            snapshot->done[i - snapshot->front] = (uint8_t)(snapshot->parents[i] - open);
    }
    return true;
}

bool elastic_snapshot_has_states(const struct elastic_cpu *cpu, const struct elastic_snapshot *snapshot,
                               const struct elastic_snapshot_stored *stored)
{
    const struct elastic_graph *const graph = &fast_of(cpu)->graph;
    uint64_t const first = snapshot->base + snapshot->scalars[SNAPSHOT_FIRST], front = first + stored->front;
    uint64_t const end = first + stored->touched;
    uint32_t any = 0;

    if (end > graph->next_record)
        return false;
    for (uint64_t record = first, row; record < front; record += row) {
        uint32_t const place = elastic_graph_place(graph, record);
        const uint16_t *const states = &graph->states[place], *const wanted = &stored->states[record - first];
        const uint32_t *const open = &graph->open_dependences[place];

        row = snapshot_row_of(graph, record, front - record);
        for (uint64_t i = 0; i < row; i++)
            any |= wanted[i] ^ (open[i] << 3 | states[i]);
    }
    for (uint64_t record = front, row; any == 0 && record < end; record += row) {
        row = snapshot_row_of(graph, record, end - record);
        any = !are_touched(graph, record, row, snapshot->parents + (record - first), stored->done + (record - front));
    }
    for (uint64_t record = end, row; any == 0 && record < graph->next_record; record += row) {
        row = snapshot_row_of(graph, record, graph->next_record - record);
        any = !are_untouched(graph, record, row, snapshot->parents + (record - first));
    }
    return any == 0;
}

/* ---- stored snapshots */

/* Calls `part` for each array of a snapshot but the states, with its elements as words. */
#define EACH_PART(part, snapshot)                                                                                     \
    part((snapshot)->ready_ps, (snapshot)->scalars[SNAPSHOT_READY_COUNT]);                                            \
    part((snapshot)->ready_records, (snapshot)->scalars[SNAPSHOT_READY_COUNT]);                                       \
    part((snapshot)->dep_free, (snapshot)->scalars[SNAPSHOT_DEP_FREE_COUNT]);                                         \
    part((snapshot)->answers, (snapshot)->scalars[SNAPSHOT_ANSWER_COUNT] * ANSWER_WORDS)

enum { ANSWER_WORDS = sizeof(struct elastic_snapshot_answer) / sizeof(uint64_t) };

static size_t count_words(const uint64_t *scalars)
{
    return (size_t)(2 * scalars[SNAPSHOT_READY_COUNT] + scalars[SNAPSHOT_DEP_FREE_COUNT]
                    + ANSWER_WORDS * scalars[SNAPSHOT_ANSWER_COUNT]);
}

size_t elastic_snapshot_words(const struct elastic_snapshot *snapshot)
{
    return count_words(snapshot->scalars)
         + (snapshot->front * sizeof *snapshot->states + (snapshot->touched - snapshot->front) * sizeof *snapshot->done
            + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

void elastic_snapshot_store(const struct elastic_snapshot *snapshot, uint64_t hash,
                            struct elastic_snapshot_stored *stored,
                          uint64_t *room)
{
    uint64_t *to = room;

    stored->hash = hash;
    memcpy(stored->scalars, snapshot->scalars, sizeof stored->scalars);
    stored->parts = room;
    stored->states = (const uint16_t *)(room + count_words(snapshot->scalars));
    stored->done = (const uint8_t *)(stored->states + snapshot->front);
    stored->front = snapshot->front;
    stored->touched = snapshot->touched;
#define STORE_PART(from, count) memcpy(to, from, (size_t)(count) * sizeof *to), to += (count)
    EACH_PART(STORE_PART, snapshot);
#undef STORE_PART
    memcpy(to, snapshot->states, snapshot->front * sizeof *snapshot->states);
    memcpy((uint16_t *)to + snapshot->front, snapshot->done, (snapshot->touched
                                                              - snapshot->front) * sizeof *snapshot->done);
}

bool elastic_snapshot_is_like(const struct elastic_snapshot *snapshot, uint64_t hash,
                            const struct elastic_snapshot_stored *stored)
{
    const uint64_t *part = stored->parts;
    bool is_same = stored->hash == hash && memcmp(stored->scalars, snapshot->scalars, sizeof stored->scalars) == 0;

#define COMPARE_PART(with, count)                                                                                      \
    is_same = is_same && memcmp(part, with, (size_t)(count) * sizeof *part) == 0, part += (count)
    if (is_same) {
        EACH_PART(COMPARE_PART, snapshot);
    }
#undef COMPARE_PART
    return is_same;
}

uint64_t elastic_snapshot_first(const struct elastic_cpu *cpu, const struct elastic_snapshot_stored *stored)
{
    return fast_of(cpu)->graph.retired_count + stored->scalars[SNAPSHOT_FIRST];
}

/* ---- going back to one */

static void restore_graph(struct elastic_cpu *cpu, const struct elastic_snapshot_stored *stored, const uint8_t *parents)
{
    struct elastic_graph *const graph = &fast_of(cpu)->graph;
    uint64_t const first = elastic_snapshot_first(cpu, stored);
    uint64_t const oldest = absolute(stored->scalars[SNAPSHOT_OLDEST], graph->retired_count);

    for (uint32_t i = 0; i < stored->front; i++) {
        uint32_t const place = elastic_graph_place(graph, first + i);

        graph->states[place] = stored->states[i] & 7;
        graph->open_dependences[place] = stored->states[i] >> 3;
    }
    for (uint32_t i = stored->front; i < stored->touched; i++)
        graph->open_dependences[elastic_graph_place(graph, first + i)] =
            (uint32_t)parents[i] - stored->done[i - stored->front];
    elastic_graph_set_oldest(graph, oldest,
                             oldest == UINT64_MAX ? UINT64_MAX : graph->nodes[oldest & graph->mask].rob_number);
}

/* The loads that wait for responses were sent; those are due. */
static void restore_answers(struct elastic_cpu *cpu, const struct elastic_snapshot_stored *stored,
                            const struct elastic_snapshot_answer *answers, struct elastic_responses *responses)
{
    struct elastic_graph *const graph = &fast_of(cpu)->graph;
    uint64_t const now = sim_now_ps(cpu->sim), base = graph->retired_count;

    responses->due.count = (uint32_t)stored->scalars[SNAPSHOT_ANSWER_COUNT];
    responses->due.next_ps = now + stored->scalars[SNAPSHOT_ANSWER_PS];
    responses->due.last_ps = now + stored->scalars[SNAPSHOT_LAST_ANSWER_PS];
    for (uint32_t i = 0; i < responses->due.count; i++) {
        uint64_t const token = answers[i].token + (base << 8), record = token >> 8;
        uint32_t const place = elastic_graph_place(graph, record);

        responses->due.entries[i] = (struct packet_queue_entry){.when_ps = now + answers[i].when_ps,
                                                                .address = graph->addresses[place], .token = token};
        if (elastic_graph_state(graph, place) == ELASTIC_LOAD_SENT) {
            graph->sent_ps[place] = now + answers[i].sent_ps;
            graph->far_lists[place].early_end = record + STORE_LINK_REACH + 1;     /* all were read and let go */
        }
    }
}

static void restore_stack(struct elastic_cpu *cpu, const struct elastic_snapshot_stored *stored)
{
    struct cpi_stack *const stack = &cpu->stats.cpi_stack;
    uint64_t const now = sim_now_ps(cpu->sim);

    stack->current_ps = stack->charged_ps = now;
    stack->cause = (enum cpi_part)stored->scalars[SNAPSHOT_CAUSE];
    stack->worked = stored->scalars[SNAPSHOT_WORKED];
    stack->worked_ps = stored->scalars[SNAPSHOT_WORKED_PS] + now;
}

uint64_t elastic_snapshot_restore(struct elastic_cpu *cpu, const struct elastic_snapshot_stored *stored,
                                  const uint8_t *parents, struct elastic_responses *responses)
{
    const uint64_t *const scalars = stored->scalars;
    const uint64_t *const ready_ps = stored->parts, *const ready_records = ready_ps + scalars[SNAPSHOT_READY_COUNT];
    const uint64_t *const dep_free = ready_records + scalars[SNAPSHOT_READY_COUNT];
    uint64_t const now = sim_now_ps(cpu->sim), base = fast_of(cpu)->graph.retired_count;

    cpu->seen_ps = cpu->edge_ps = cpu->event_edge_ps = now;
    restore_graph(cpu, stored, parents);
    fast_of(cpu)->ready.head = fast_of(cpu)->ready.keys;
    for (uint64_t i = 0; i < scalars[SNAPSHOT_READY_COUNT]; i++)
        ready_list_insert(&fast_of(cpu)->ready, now + ready_ps[i], base + ready_records[i]);
    fast_of(cpu)->dep_free_head = 0;
    cpu->dep_free_count = scalars[SNAPSHOT_DEP_FREE_COUNT];
    for (uint64_t i = 0; i < cpu->dep_free_count; i++)
        fast_of(cpu)->dep_free_queue[i] = base + dep_free[i];
    if (cpu->dep_free_count > 0)
        cpu->dep_free_cause = (enum cpi_part)scalars[SNAPSHOT_DEP_FREE_CAUSE];
    fast_of(cpu)->dep_free_oldest = absolute(scalars[SNAPSHOT_DEP_FREE_OLDEST], base);
    cpu->free_entries[DEP_LOAD] = scalars[SNAPSHOT_FREE_LOADS];
    cpu->free_entries[DEP_STORE] = scalars[SNAPSHOT_FREE_STORES];
    cpu->free_entries[DEP_COMP] = scalars[SNAPSHOT_FREE_OTHERS];
    fast_of(cpu)->sent_stores = scalars[SNAPSHOT_SENT_STORES];
    fast_of(cpu)->tasks = (unsigned)scalars[SNAPSHOT_TASKS];
    restore_answers(cpu, stored,
                    (const struct elastic_snapshot_answer *)(dep_free + scalars[SNAPSHOT_DEP_FREE_COUNT]), responses);
    restore_stack(cpu, stored);
    return now + scalars[SNAPSHOT_NEXT_PS];
}
