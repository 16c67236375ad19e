/* A ring of two windows of records, by number in the order of commits; a table from sequence numbers to them. Since no
 * dependence is longer than a window of sequence numbers, and the ring has the latest window of records at all times,
 * a table of that size answers whether a producer has a record.
 *
 * The reference searches its buffer backwards for the parents of stores. All records but squashed loads are complete
 * by the time they commit, so the nearest store and the nearest committed load are the ones that it finds. */
#include "replay/detailed/probe/elastic_window.h"

#include <assert.h>
#include <stdlib.h>

/* elastic-trace 1.6 */
#define FLAG_LINKED 0x00200000u
#define FLAG_PREFETCH 0x01000000u

#define NOT_YET UINT64_MAX               /* delays: of a record that waits for nothing so far */
#define NONE UINT64_MAX                  /* numbers of records */

enum { ORDER_DEPS = 2 };

struct record {
    uint64_t seq, pc, place, address;
    uint64_t execute_ps, to_commit_ps, commit_ps;
    uint64_t delay_ps;
    uint64_t order[ORDER_DEPS], producers[UOP_SOURCES];
    uint32_t size_bytes, flags, children;
    uint8_t type;                        /* enum dep_type */
    uint8_t order_count, producer_count;
    bool is_squashed;
};

struct place_of {
    uint64_t seq, number;
};

struct elastic_window {
    struct elastic_window_setup setup;
    struct record *ring;
    struct place_of *places;             /* by the low bits of the sequence number */
    uint64_t ring_mask, place_mask;
    uint64_t oldest, next;               /* numbers of the oldest record in the ring and of the next one */
    uint64_t last_store, last_load;      /* the latest ones; NONE */
    bool is_past_first, is_over;
    struct elastic_window_counts counts;
};

/* ---- making */

static uint64_t power_of_two(uint64_t least)
{
    uint64_t power = 1;

    while (power < least)
        power *= 2;
    return power;
}

struct elastic_window *elastic_window_new(const struct elastic_window_setup *setup)
{
    struct elastic_window *const window = calloc(1, sizeof *window);
    uint64_t const places = power_of_two(setup->window), ring = 2 * places;

    assert(setup->window > 0);
    if (!window)
        return NULL;
    window->setup = *setup;
    window->ring = calloc(ring, sizeof *window->ring);
    window->places = calloc(places, sizeof *window->places);
    window->ring_mask = ring - 1;
    window->place_mask = places - 1;
    window->last_store = window->last_load = NONE;
    if (window->ring && window->places)
        return window;
    elastic_window_free(window);
    return NULL;
}

void elastic_window_free(struct elastic_window *window)
{
    if (!window)
        return;
    free(window->ring);
    free(window->places);
    free(window);
}

const struct elastic_window_counts *elastic_window_counted(const struct elastic_window *window)
{
    return &window->counts;
}

static struct record *record_at(struct elastic_window *window, uint64_t number)
{
    return &window->ring[number & window->ring_mask];
}

/* NULL: the micro-op has no record, or its record was already handed out. No micro-op has sequence number 0. */
static struct record *elastic_window_find(struct elastic_window *window, uint64_t seq)
{
    const struct place_of *const place = &window->places[seq & window->place_mask];

    return seq != 0 && place->seq == seq && place->number >= window->oldest ? record_at(window, place->number) : NULL;
}

/* ---- delays */

static uint64_t executed_ps(const struct record *record)
{
    return record->type == DEP_LOAD ? record->execute_ps
         : record->type == DEP_STORE ? record->commit_ps : record->to_commit_ps;
}

static uint64_t register_done_ps(const struct record *parent)
{
    return parent->type == DEP_STORE ? parent->commit_ps : parent->to_commit_ps;
}

static uint64_t order_done_ps(const struct record *parent, const struct record *child)
{
    if (parent->type == DEP_LOAD)
        return child->type == DEP_STORE ? parent->to_commit_ps : parent->execute_ps;
    return register_done_ps(parent);
}

static void wait_for(struct elastic_window *window, struct record *parent, struct record *child, uint64_t done_ps)
{
    uint64_t const at_ps = executed_ps(child);
    uint64_t const delay_ps = at_ps >= done_ps ? at_ps - done_ps : 0;

    window->counts.overtaken += at_ps < done_ps;
    if (child->delay_ps == NOT_YET || delay_ps < child->delay_ps)
        child->delay_ps = delay_ps;
    parent->children++;
}

/* ---- dependences */

static void wait_for_producer(struct elastic_window *window, struct record *record, uint64_t seq)
{
    struct record *const parent = elastic_window_find(window, seq);
    unsigned at = record->producer_count;

    if (!parent)
        return;
    for (unsigned i = 0; i < record->producer_count; i++)
        if (record->producers[i] == seq)
            return;
    for (; at > 0 && record->producers[at - 1] > seq; at--)
        record->producers[at] = record->producers[at - 1];
    record->producers[at] = seq;
    record->producer_count++;
    window->counts.register_deps++;
    wait_for(window, parent, record, register_done_ps(parent));
}

static void wait_in_order(struct elastic_window *window, struct record *record, struct record *parent)
{
    record->order[record->order_count++] = parent->seq;
    window->counts.order_deps++;
    wait_for(window, parent, record, order_done_ps(parent, record));
}

/* A store waits for the nearest store and the nearest load. */
static void wait_for_nearest(struct elastic_window *window, struct record *record, uint64_t number)
{
    if (number != NONE && window->next - number <= window->setup.window)
        wait_in_order(window, record, record_at(window, number));
}

static bool was_complete(const struct record *record, uint64_t at_ps)
{
    switch (record->type) {
    case DEP_LOAD: return !record->is_squashed && record->execute_ps <= at_ps;
    case DEP_STORE: return record->commit_ps <= at_ps;
    default: return record->to_commit_ps <= at_ps;
    }
}

/* A record without other dependences depends on the nearest record that was complete, or the nearest load sent, when
 * it was executed. */
static void wait_for_issue(struct elastic_window *window, struct record *record)
{
    uint64_t const most = window->next - window->oldest;
    uint64_t const back = most < window->setup.window ? most : window->setup.window;

    for (uint64_t i = 1; i <= back; i++) {
        struct record *const parent = record_at(window, window->next - i);

        if (was_complete(parent, executed_ps(record))) {
            wait_in_order(window, record, parent);
            return;
        }
    }
}

/* ---- writing */

static void elastic_window_put(struct elastic_window *window, const struct record *record, uint32_t weight)
{
    bool const has_address = record->type != DEP_COMP;
    struct dep_record given = {
        .seq_num = record->seq, .pc = record->pc, .comp_delay = record->delay_ps, .weight = weight,
        .type = record->type, .rob_dep_count = record->order_count, .reg_dep_count = record->producer_count,
        .rob_dep = record->order, .reg_dep = record->producers,
        .present = DEP_HAS_PC | (weight > 0 ? (unsigned)DEP_HAS_WEIGHT : 0u)
    };

    if (has_address) {
        given.present |= DEP_HAS_P_ADDR | DEP_HAS_SIZE | DEP_HAS_FLAGS;
        given.p_addr = record->place;
        given.size_bytes = record->size_bytes;
        given.flags = record->flags;
    }
    if (has_address && window->setup.has_virtual) {
        given.present |= DEP_HAS_V_ADDR;
        given.v_addr = record->address;
    }
    if (given.comp_delay == NOT_YET) {
        window->counts.unordered += window->is_past_first;
        given.comp_delay = window->is_past_first ? 0 : executed_ps(record);
    }
    window->counts.records[record->type]++;
    window->counts.squashed_loads += record->is_squashed;
    window->is_over = !window->setup.put(window->setup.self, &given);
}

/* The count of those left out begins anew with each call, as the reference's does. */
static void put_oldest(struct elastic_window *window, uint64_t count)
{
    uint32_t filtered = 0;

    for (uint64_t i = 0; i < count && !window->is_over; i++) {
        const struct record *const record = record_at(window, window->oldest++);

        if (record->type == DEP_COMP && record->children == 0) {
            filtered++;
            window->counts.filtered++;
            continue;
        }
        elastic_window_put(window, record, filtered);
        filtered = 0;
    }
    window->is_past_first = true;
}

void elastic_window_end(struct elastic_window *window)
{
    put_oldest(window, window->next - window->oldest);
}

/* ---- micro-ops */

/* The reference's decoder gives a request the logarithm of its size, as the alignment that it wants. */
static uint32_t request_flags(uint32_t uop_flags, uint32_t size_bytes)
{
    uint32_t flags = 0;

    while (size_bytes > 1 && size_bytes % 2 == 0) {
        size_bytes /= 2;
        flags++;
    }
    if (size_bytes != 1)
        flags = 0;
    return flags | (uop_flags & UOP_LINKED ? FLAG_LINKED : 0) | (uop_flags & UOP_PREFETCH ? FLAG_PREFETCH : 0);
}

static bool has_request(const struct detailed_retired *retired)
{
    return retired->has_request && retired->access;
}

/* Committed micro-ops have a record, unless they fault or lack a request that they need. Of squashed ones, only loads
 * whose data arrived before they left the ROB have a record. */
static bool has_record(const struct detailed_retired *retired)
{
    uint32_t const flags = retired->uop->flags;

    if (retired->has_fault || (flags & UOP_TRAP))
        return false;
    if (retired->is_squashed)
        return (flags & UOP_LOAD) && has_request(retired) && retired->execute_cyc != DETAILED_NEVER
            && retired->to_commit_cyc != DETAILED_NEVER;
    assert(retired->execute_cyc != DETAILED_NEVER && retired->to_commit_cyc != DETAILED_NEVER);
    return !(flags & UOP_MEMORY) || has_request(retired);
}

static uint8_t elastic_window_type_of(uint32_t uop_flags)
{
    return uop_flags & UOP_LOAD ? DEP_LOAD : uop_flags & UOP_STORE ? DEP_STORE : DEP_COMP;
}

static void elastic_window_fill(const struct elastic_window *window, struct record *record,
                                const struct detailed_retired *retired)
{
    uint64_t const period_ps = window->setup.period_ps;

    *record = (struct record){
        .seq = retired->seq, .pc = retired->insn->pc, .type = elastic_window_type_of(retired->uop->flags),
        .delay_ps = NOT_YET,
        .execute_ps = retired->execute_cyc * period_ps, .to_commit_ps = retired->to_commit_cyc * period_ps,
        .commit_ps = retired->retire_cyc * period_ps, .is_squashed = retired->is_squashed
    };
    if (record->type == DEP_COMP)
        return;
    record->place = retired->access->place;
    record->address = retired->access->address;
    record->size_bytes = retired->access->size_bytes;
    record->flags = request_flags(retired->uop->flags, record->size_bytes);
}

static void find_dependences(struct elastic_window *window, struct record *record,
                             const struct detailed_retired *retired, enum elastic_sight sight)
{
    bool const has_producers = sight == ELASTIC_FROM_RENAME && !retired->is_squashed;

    for (unsigned i = 0; has_producers && i < retired->producer_count; i++)
        if (retired->seq - retired->producers[i] < window->setup.window)
            wait_for_producer(window, record, retired->producers[i]);
    if (record->type == DEP_STORE) {
        wait_for_nearest(window, record, window->last_store);
        wait_for_nearest(window, record, window->last_load);
    }
    if (record->producer_count == 0 && record->order_count == 0)
        wait_for_issue(window, record);
}

void elastic_window_add(struct elastic_window *window, const struct detailed_retired *retired,
                        enum elastic_sight sight)
{
    struct record *const record = record_at(window, window->next);

    if (window->is_over || !has_record(retired))
        return;
    elastic_window_fill(window, record, retired);
    find_dependences(window, record, retired, sight);
    window->places[record->seq & window->place_mask] = (struct place_of){record->seq, window->next};
    if (record->type == DEP_STORE)
        window->last_store = window->next;
    else if (record->type == DEP_LOAD && !record->is_squashed)
        window->last_load = window->next;
    if (++window->next - window->oldest == 2 * (uint64_t)window->setup.window)
        put_oldest(window, window->setup.window);
}
