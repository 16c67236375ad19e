/* Moments (elastic_moment.h). What belongs to one: what every record in the graph waits for, the ready list, the
 * waiting ring, buffers, answers that are due, what the CPI stack has open. What does not: statistics, which only add
 * up; windows, whose reading is of no consequence where moments are used (elastic_segment.c); fetches.
 *
 * A field that decides what the data side does has to be added here. */
#include "replay/elastic_moment.h"

#include <string.h>

#include "memsys/cache_try.h"
#include "replay/elastic_sides.h"

#define MOST_OPEN (UINT16_MAX >> 3)
#define STEP 64                      /* records that are looked at together; divides the ring */
#define NO_RECORD (UINT64_C(1) << 63)  /* in place of a record: no distance between two that were read */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

bool elastic_moment_is_settled(const struct elastic_cpu *cpu, uint64_t next_ps)
{
    const struct cache *const cache = cpu->dcache.plain_cache;
    uint64_t const now = sim_now_ps(cpu->sim);

    if (next_ps == TICK_NEVER || (cpu->tasks & ~(unsigned)ELASTIC_ROOM) != 0 || cpu->is_refused || cpu->trace_ended
        || cpu->fault.kind != FAULT_NONE || cpu->sim->log.line || !cache || !cpu->icache.plain_cache
        || !cpu->is_ready_at_edges || cpu->edge_ps != now)
        return false;
    if (cache->mshr_count > 0 || cache->write_count > 0 || cache_is_blocked(cache)
        || cache->responses.waiting_for_retry)
        return false;
    if (cpu->ready.distant_count > 0 || ready_list_count(&cpu->ready) > MOMENT_READY
        || cpu->waiting_count > MOMENT_WAITING || packet_queue_count(&cache->responses) > MOMENT_ANSWERS
        || (packet_queue_count(&cache->responses) > 0) != cache->responses.send_event.scheduled)
        return false;
    for (uint32_t i = 0; i < cache->tags.late_count; i++)
        if (cache->tags.late[i].ready_ps > now)
            return false;
    return true;
}

/* Records that stand in a row in the ring, `count` from `record` on or so many as there are before its end. */
static uint64_t row_of(const struct elastic_graph *graph, uint64_t record, uint64_t count)
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

        row = row_of(graph, record, end - record);
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

static void describe_scalars(struct elastic_cpu *cpu, uint64_t *scalars, uint64_t next_ps, uint64_t first)
{
    const struct packet_queue *const answers = &cpu->dcache.plain_cache->responses;
    const struct elastic_graph *const graph = &cpu->graph;
    const struct cpi_stack *const stack = &cpu->stats.cpi_stack;
    uint64_t const now = sim_now_ps(cpu->sim), base = graph->retired_count;

    scalars[MOMENT_FIRST] = first - base;
    scalars[MOMENT_NEXT_PS] = next_ps - now;
    scalars[MOMENT_READY_COUNT] = ready_list_count(&cpu->ready);
    scalars[MOMENT_WAITING_COUNT] = cpu->waiting_count;
    scalars[MOMENT_WAITING_CAUSE] = cpu->waiting_count ? cpu->waiting_cause : CPI_PART_COUNT;
    scalars[MOMENT_WAITING_OLDEST] = cpu->waiting_count ? relative(cpu->waiting_oldest, base) : NO_RECORD;
    scalars[MOMENT_OLDEST] = relative(graph->oldest_in_flight, base);
    scalars[MOMENT_FREE_LOADS] = cpu->free_entries[DEP_LOAD];
    scalars[MOMENT_FREE_STORES] = cpu->free_entries[DEP_STORE];
    scalars[MOMENT_FREE_OTHERS] = cpu->free_entries[DEP_COMP];
    scalars[MOMENT_SENT_STORES] = cpu->sent_stores;
    scalars[MOMENT_ANSWER_COUNT] = packet_queue_count(answers);
    scalars[MOMENT_ANSWER_PS] = answers->send_event.scheduled ? answers->send_event.when_ps - now : 0;
    scalars[MOMENT_LAST_ANSWER_PS] = max_u64(answers->last_ps, now) - now;
    scalars[MOMENT_CAUSE] = stack->cause;
    scalars[MOMENT_WORKED] = stack->worked;
    scalars[MOMENT_WORKED_PS] = stack->worked_ps - now;
    scalars[MOMENT_TASKS] = cpu->tasks;
    scalars[MOMENT_CLOCK_PS] = now % cpu->dcache.plain_cache->clock.period_ps;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * HASH_FACTOR;
    return hash ^ hash >> 32;
}

bool elastic_moment_describe(struct elastic_cpu *cpu, struct elastic_moment *moment, uint64_t next_ps, uint64_t *hash)
{
    struct elastic_graph *const graph = &cpu->graph;
    struct packet_queue *const answers = &cpu->dcache.plain_cache->responses;
    const struct ready_list *const ready = &cpu->ready;
    uint64_t const now = sim_now_ps(cpu->sim), base = graph->retired_count;
    uint64_t first = graph->first_record = elastic_graph_first(graph, graph->first_record, ELASTIC_WAITING);

    cpi_stack_charge(&cpu->stats.cpi_stack);
    elastic_graph_find_oldest(graph);
    for (uint32_t i = 0; i < packet_queue_count(answers); i++)
        first = min_u64(first, packet_queue_entry_at(answers, i)->token >> 8);
    if (graph->next_record - first > graph->mask + 1 || has_unread_children(graph))
        return false;
    moment->now_ps = now;
    moment->base = base;
    describe_scalars(cpu, moment->scalars, next_ps, first);
    *hash = 0;
    for (unsigned i = 0; i < MOMENT_SCALARS; i++)
        *hash = mix(*hash, moment->scalars[i]);
    for (size_t i = 0; i < ready_list_count(ready); i++) {
        moment->ready_ps[i] = ready_list_key_ps(ready, ready->keys[1 + i]) - now;
        moment->ready_records[i] = ready_list_key_record(ready, ready->keys[1 + i]) - base;
        *hash = mix(*hash, moment->ready_ps[i] ^ moment->ready_records[i] << 32);
    }
    for (uint64_t i = 0; i < cpu->waiting_count; i++)
        moment->waiting[i] = cpu->waiting[(cpu->waiting_head + i) & cpu->waiting_mask] - base;
    for (uint32_t i = 0; i < packet_queue_count(answers); i++) {
        const struct packet_queue_entry *const entry = packet_queue_entry_at(answers, i);
        uint64_t const record = entry->token >> 8;
        bool const is_load = elastic_graph_state(graph, elastic_graph_place(graph, record)) == ELASTIC_LOAD_SENT;

        if (entry->packet)
            return false;
        moment->answers[i] = (struct elastic_moment_answer){
            entry->when_ps - now, entry->token - (base << 8),
            is_load ? graph->sent_ps[elastic_graph_place(graph, record)] - now : 0};
    }
    return true;
}

/* ---- states */

/* 0 if a record waits for some of its parents, and so many are complete. */
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

/* The same if so many of the parents are complete. */
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

bool elastic_moment_complete(const struct elastic_cpu *cpu, struct elastic_moment *moment)
{
    const struct elastic_graph *const graph = &cpu->graph;
    uint64_t const first = moment->base + moment->scalars[MOMENT_FIRST];
    uint64_t const touched = count_touched(graph, first, moment->parents);

    if (touched > MOMENT_STATES)
        return false;
    moment->front = moment->touched = (uint32_t)touched;
    while (moment->front > 0 && is_behind_front(graph, first + moment->front - 1))
        moment->front--;
    for (uint32_t i = 0; i < touched; i++) {
        uint32_t const place = elastic_graph_place(graph, first + i), open = graph->open_dependences[place];

        if (open > (i < moment->front ? MOST_OPEN : moment->parents[i]))
            return false;
        if (i < moment->front)
            moment->states[i] = elastic_moment_state(graph->states[place], open);
        else
            moment->done[i - moment->front] = (uint8_t)(moment->parents[i] - open);
    }
    return true;
}

bool elastic_moment_has_states(const struct elastic_cpu *cpu, const struct elastic_moment *moment,
                               const struct elastic_moment_stored *stored)
{
    const struct elastic_graph *const graph = &cpu->graph;
    uint64_t const first = moment->base + moment->scalars[MOMENT_FIRST], front = first + stored->front;
    uint64_t const end = first + stored->touched;
    uint32_t any = 0;

    if (end > graph->next_record)
        return false;
    for (uint64_t record = first, row; record < front; record += row) {
        uint32_t const place = elastic_graph_place(graph, record);
        const uint16_t *const states = &graph->states[place], *const wanted = &stored->states[record - first];
        const uint32_t *const open = &graph->open_dependences[place];

        row = row_of(graph, record, front - record);
        for (uint64_t i = 0; i < row; i++)
            any |= wanted[i] ^ (open[i] << 3 | states[i]);
    }
    for (uint64_t record = front, row; any == 0 && record < end; record += row) {
        row = row_of(graph, record, end - record);
        any = !are_touched(graph, record, row, moment->parents + (record - first), stored->done + (record - front));
    }
    for (uint64_t record = end, row; any == 0 && record < graph->next_record; record += row) {
        row = row_of(graph, record, graph->next_record - record);
        any = !are_untouched(graph, record, row, moment->parents + (record - first));
    }
    return any == 0;
}

/* ---- stored moments */

/* Calls `part` for each array of a moment but the states, with its elements as words. */
#define EACH_PART(part, moment)                                                                                        \
    part((moment)->ready_ps, (moment)->scalars[MOMENT_READY_COUNT]);                                                   \
    part((moment)->ready_records, (moment)->scalars[MOMENT_READY_COUNT]);                                              \
    part((moment)->waiting, (moment)->scalars[MOMENT_WAITING_COUNT]);                                                  \
    part((moment)->answers, (moment)->scalars[MOMENT_ANSWER_COUNT] * ANSWER_WORDS)

enum { ANSWER_WORDS = sizeof(struct elastic_moment_answer) / sizeof(uint64_t) };

static size_t count_words(const uint64_t *scalars)
{
    return (size_t)(2 * scalars[MOMENT_READY_COUNT] + scalars[MOMENT_WAITING_COUNT]
                    + ANSWER_WORDS * scalars[MOMENT_ANSWER_COUNT]);
}

size_t elastic_moment_words(const struct elastic_moment *moment)
{
    return count_words(moment->scalars)
         + (moment->front * sizeof *moment->states + (moment->touched - moment->front) * sizeof *moment->done
            + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

void elastic_moment_store(const struct elastic_moment *moment, uint64_t hash, struct elastic_moment_stored *stored,
                          uint64_t *room)
{
    uint64_t *to = room;

    stored->hash = hash;
    memcpy(stored->scalars, moment->scalars, sizeof stored->scalars);
    stored->parts = room;
    stored->states = (const uint16_t *)(room + count_words(moment->scalars));
    stored->done = (const uint8_t *)(stored->states + moment->front);
    stored->front = moment->front;
    stored->touched = moment->touched;
#define STORE_PART(from, count) memcpy(to, from, (size_t)(count) * sizeof *to), to += (count)
    EACH_PART(STORE_PART, moment);
#undef STORE_PART
    memcpy(to, moment->states, moment->front * sizeof *moment->states);
    memcpy((uint16_t *)to + moment->front, moment->done, (moment->touched - moment->front) * sizeof *moment->done);
}

bool elastic_moment_is_like(const struct elastic_moment *moment, uint64_t hash,
                            const struct elastic_moment_stored *stored)
{
    const uint64_t *part = stored->parts;
    bool is_same = stored->hash == hash && memcmp(stored->scalars, moment->scalars, sizeof stored->scalars) == 0;

#define COMPARE_PART(with, count)                                                                                      \
    is_same = is_same && memcmp(part, with, (size_t)(count) * sizeof *part) == 0, part += (count)
    if (is_same) {
        EACH_PART(COMPARE_PART, moment);
    }
#undef COMPARE_PART
    return is_same;
}

uint64_t elastic_moment_first(const struct elastic_cpu *cpu, const struct elastic_moment_stored *stored)
{
    return cpu->graph.retired_count + stored->scalars[MOMENT_FIRST];
}

/* ---- going back to one */

static void restore_graph(struct elastic_cpu *cpu, const struct elastic_moment_stored *stored, const uint8_t *parents)
{
    struct elastic_graph *const graph = &cpu->graph;
    uint64_t const first = elastic_moment_first(cpu, stored);
    uint64_t const oldest = absolute(stored->scalars[MOMENT_OLDEST], graph->retired_count);

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

static void restore_answers(struct elastic_cpu *cpu, const struct elastic_moment_stored *stored,
                            const struct elastic_moment_answer *entries)
{
    struct packet_queue *const answers = &cpu->dcache.plain_cache->responses;
    struct elastic_graph *const graph = &cpu->graph;
    uint64_t const now = sim_now_ps(cpu->sim), base = graph->retired_count;

    answers->head = answers->tail = 0;
    for (uint64_t i = 0; i < stored->scalars[MOMENT_ANSWER_COUNT]; i++) {
        uint64_t const token = entries[i].token + (base << 8), record = token >> 8;
        uint32_t const place = elastic_graph_place(graph, record);

        answers->entries[answers->tail++] = (struct packet_queue_entry){
            .when_ps = now + entries[i].when_ps, .address = graph->addresses[place], .token = token};
        if (elastic_graph_state(graph, place) == ELASTIC_LOAD_SENT) {
            graph->sent_ps[place] = now + entries[i].sent_ps;
            graph->far_lists[place].early_end = record + STORE_LINK_REACH + 1;     /* all were read and let go */
        }
    }
    answers->last_ps = now + stored->scalars[MOMENT_LAST_ANSWER_PS];
    if (stored->scalars[MOMENT_ANSWER_COUNT] > 0)
        event_schedule(&cpu->sim->events, &answers->send_event, now + stored->scalars[MOMENT_ANSWER_PS]);
}

static void restore_stack(struct elastic_cpu *cpu, const struct elastic_moment_stored *stored)
{
    struct cpi_stack *const stack = &cpu->stats.cpi_stack;
    uint64_t const now = sim_now_ps(cpu->sim);

    stack->current_ps = stack->charged_ps = now;
    stack->cause = (enum cpi_part)stored->scalars[MOMENT_CAUSE];
    stack->worked = stored->scalars[MOMENT_WORKED];
    stack->worked_ps = stored->scalars[MOMENT_WORKED_PS] + now;
}

uint64_t elastic_moment_restore(struct elastic_cpu *cpu, const struct elastic_moment_stored *stored,
                                const uint8_t *parents)
{
    const uint64_t *const scalars = stored->scalars;
    const uint64_t *const ready_ps = stored->parts, *const ready_records = ready_ps + scalars[MOMENT_READY_COUNT];
    const uint64_t *const waiting = ready_records + scalars[MOMENT_READY_COUNT];
    uint64_t const now = sim_now_ps(cpu->sim), base = cpu->graph.retired_count;

    cpu->seen_ps = cpu->edge_ps = cpu->event_edge_ps = now;
    restore_graph(cpu, stored, parents);
    cpu->ready.head = cpu->ready.keys;
    for (uint64_t i = 0; i < scalars[MOMENT_READY_COUNT]; i++)
        ready_list_insert(&cpu->ready, now + ready_ps[i], base + ready_records[i]);
    cpu->waiting_head = 0;
    cpu->waiting_count = scalars[MOMENT_WAITING_COUNT];
    for (uint64_t i = 0; i < cpu->waiting_count; i++)
        cpu->waiting[i] = base + waiting[i];
    if (cpu->waiting_count > 0)
        cpu->waiting_cause = (enum cpi_part)scalars[MOMENT_WAITING_CAUSE];
    cpu->waiting_oldest = absolute(scalars[MOMENT_WAITING_OLDEST], base);
    cpu->free_entries[DEP_LOAD] = scalars[MOMENT_FREE_LOADS];
    cpu->free_entries[DEP_STORE] = scalars[MOMENT_FREE_STORES];
    cpu->free_entries[DEP_COMP] = scalars[MOMENT_FREE_OTHERS];
    cpu->sent_stores = scalars[MOMENT_SENT_STORES];
    cpu->tasks = (unsigned)scalars[MOMENT_TASKS];
    restore_answers(cpu, stored,
                    (const struct elastic_moment_answer *)(waiting + scalars[MOMENT_WAITING_COUNT]));
    restore_stack(cpu, stored);
    return now + scalars[MOMENT_NEXT_PS];
}
