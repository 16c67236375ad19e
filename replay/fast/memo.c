/* The memo (memo.h): where snapshots are taken, and which segments are kept.
 *
 * Points: a snapshot is taken some records after the last one, at a landmark (find_landmark), so that in code that
 * repeats snapshots are taken at the same places. If the core was at that place before, the snapshot is kept as a
 * node, and the core is observed up to the next point. If that hits in the L1s and does nothing odd, it becomes a
 * segment from that node to one of the next snapshot.
 *
 * Credit: searching, watching and storing cost credit, in estimated instructions of the host; skipped records earn
 * it. The initial credit is proportional to the trace; a core that has used it up sleeps for a while and then gets a
 * little; so a trace without repetition costs 1 to 2 % more instructions.
 *
 * Memory: nodes and segments are stored consecutively; when memory is full, all of them and the names are discarded.
 *
 * Not kept: records that are logged, scaled in time, refused, split or sent with a packet; records of a block's
 * begin, which have edges to other blocks. */
#include "replay/fast/memo.h"

#include <stdlib.h>
#include <string.h>

#include "memsys/fast/cache_replay.h"
#include "replay/fast/advance.h"
#include "replay/fast/fast_core.h"
#include "replay/fast/segment.h"
#include "replay/fast/snapshot.h"

enum {
    SHORTEST = 64,                   /* records from one point to the start of the search for a landmark ... */
    LANDMARKS_WITHIN = 128,          /* ... within this many */
    UNSETTLED = 32,                  /* half of those from a snapshot that cannot be described to the next look; then */
    MOST_UNSETTLED = 512,            /* twice as many each time, but not more */
    SLEEP = 32768,                   /* when there is no credit */
    PLACE_RECORDS = 16,              /* that tell where a point is */
    PLACES = 1024,                   /* points that are remembered */
    MOST_NODES_OF_PLACE = 12,        /* more snapshots in which a place was reached are not worth while */
    BUCKETS = 512,
    ROOM_BYTES = 1536 * 1024,
    MOST_RECORDS = 4096,             /* of a segment */
    RARITIES = 2048                  /* instructions whose rarity is known, by their hash */
};

/* Instructions of the host. */
enum {
    FIRST_CREDIT = 800000, FIRST_CREDIT_OF_RECORD = 8, CREDIT_AFTER_SLEEP = 30000, MOST_CREDIT = 4000000,
    COST_OF_UNSETTLED = 200, COST_OF_LOOK = 1500, COST_OF_NODE = 4000, COST_OF_WATCHED_RECORD = 30, COST_OF_NAME = 600,
    GAIN_OF_RECORD = 150
};

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

struct place {
    uint32_t tag;                    /* of the instructions; 0: none */
    uint32_t nodes;
};

struct memo_state {
    struct elastic_chain chain;
    int64_t credit, given;           /* `given`: of FIRST_CREDIT */
    uint64_t asked;                  /* names that were paid for */
    uint64_t unsettled;              /* records from the last snapshot that could not be described to the next look */
    struct elastic_snapshot snapshot;    /* the present, at a point */
    struct memo_node *watched;       /* from where on it is watched; NULL: it is not */
    struct elastic_sums before;
    uint64_t misses;                 /* of both L1s, before */
    uint64_t base, first, begin_ps, first_rob_number, last_bin, latency_bins;
    uint64_t foreign_ps;             /* tick of the first event of others, which must not come while it is watched */
    bool is_odd;                     /* the watched records cannot be kept */
    int64_t earliest;                /* while watched, the least of how many records were complete when one was sent or
                                      * completed, less its number */
    uint64_t event;                  /* which data event was scheduled last when a record completed; and how many did */
    int64_t at_once, most_at_once;   /* since then; and most of that, while watched */
    uint32_t access_count;
    struct segment_access accesses[SEGMENT_ACCESSES];
    struct place places[PLACES];
    uint8_t rarities[RARITIES];      /* see find_rarities; 0: not known */
    bool has_rarities;               /* those of the block were looked for */
    struct memo_node *buckets[BUCKETS];
    size_t used_bytes;
    bool is_full;                    /* there was no room for a node or a segment */
    uint64_t room[ROOM_BYTES / sizeof(uint64_t)];
};

struct elastic_memo {
    struct memo_state *state;        /* NULL: no store yet, or no memory for it; nothing is skipped */
    uint64_t next_point;             /* that many complete: a point; UINT64_MAX: none */
    uint64_t milestone;              /* while observed, the core's own milestone */
};

/* ---- life */

static void forget_all(struct memo_state *state)
{
    memset(state->buckets, 0, sizeof state->buckets);
    memset(state->places, 0, sizeof state->places);
    state->used_bytes = 0;
    state->is_full = false;
}

/* The same, and names, whose block begins again. */
static void forget_names(struct elastic_cpu *cpu)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;

    forget_all(state);
    shape_names_clear(&state->chain.names);
    shape_names_begin_block(&state->chain.names, &cpu->record_source);
}

static void stop_watching(struct elastic_cpu *cpu)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;

    if (!fast_of(cpu)->is_watched)
        return;
    state->credit -= (int64_t)(fast_of(cpu)->graph.retired_count - state->base) * COST_OF_WATCHED_RECORD;
    state->watched = NULL;
    fast_of(cpu)->is_watched = false;
    fast_find_milestone(cpu);
}

/* The initial credit is a part of the trace's expected cost, as far as its length is known. */
static void give_credit(struct elastic_cpu *cpu)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    uint64_t const records = max_u64(cpu->record_source.records, state->chain.block + state->chain.block_records);
    int64_t const credit = (int64_t)min_u64(FIRST_CREDIT, FIRST_CREDIT_OF_RECORD * records);

    state->credit += credit > state->given ? credit - state->given : 0;
    state->given = credit > state->given ? credit : state->given;
}

static void memo_begin_block(struct elastic_cpu *cpu)
{
    struct memo_state *state = fast_of(cpu)->memo->state;

    if (!cpu->record_source.forms || cpu->scales_ticks)
        return;
    if (!state) {
        state = fast_of(cpu)->memo->state = malloc(sizeof *state);
        if (!state)
            return;
        state->credit = state->given = 0;
        state->event = 0;
        state->at_once = 0;
        state->unsettled = UNSETTLED;
        state->asked = state->chain.names.asked = 0;
        state->watched = NULL;
        state->chain.skipped_records = 0;
        memset(state->rarities, 0, sizeof state->rarities);
        shape_names_clear(&state->chain.names);
        forget_all(state);
    }
    stop_watching(cpu);
    state->chain.block = fast_of(cpu)->graph.next_record;
    state->chain.block_records = 0;
    if (!shape_names_begin_block(&state->chain.names, &cpu->record_source))
        return;
    if (shape_names_are_used_up(&state->chain.names))
        forget_names(cpu);
    state->chain.block_records = state->chain.names.forms.records;
    give_credit(cpu);
    state->has_rarities = false;
    if (fast_of(cpu)->memo->next_point == UINT64_MAX
        || fast_of(cpu)->memo->next_point < state->chain.block + STORE_LINK_REACH) {
        fast_of(cpu)->memo->next_point = state->chain.block + STORE_LINK_REACH;
        fast_find_milestone(cpu);
    }
}

static void memo_forget(struct elastic_cpu *cpu)
{
    stop_watching(cpu);
    if (fast_of(cpu)->memo->state)
        forget_all(fast_of(cpu)->memo->state);
}

static void memo_take(struct elastic_cpu *cpu)
{
    memo_forget(cpu);
    fast_of(cpu)->memo->next_point = UINT64_MAX;
    if (fast_of(cpu)->memo->state)
        fast_of(cpu)->memo->state->chain.block_records = 0;
}

static void free_all(struct elastic_cpu *cpu)
{
    free(fast_of(cpu)->memo->state);
    free(fast_of(cpu)->memo);
    fast_of(cpu)->memo = NULL;
}

/* ---- watching */

/* A record is sent or completes, perhaps too early relative to a window that is read late. */
static void note_ahead(struct elastic_cpu *cpu, uint64_t record)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    int64_t const after = (int64_t)(fast_of(cpu)->graph.retired_count - 1 - record);

    state->earliest = after < state->earliest ? after : state->earliest;
}

/* Is the answer of that record the last one in line, where it was put without a look at addresses? */
static bool is_answered_last(const struct elastic_cpu *cpu, uint64_t record)
{
    const struct packet_queue *const answers = cache_answers(accesses_l1d(cpu));
    uint32_t const count = packet_queue_count(answers);
    const struct packet_queue_entry *const last = packet_queue_entry_at(answers, count - 1);

    return last->token >> 8 == record
        && (count == 1 || packet_queue_entry_at(answers, count - 2)->when_ps <= last->when_ps);
}

void elastic_memo_note_access(struct elastic_cpu *cpu, uint64_t record)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    uint64_t const after_ps = sim_now_ps(cpu->sim) - state->begin_ps;

    note_ahead(cpu, record);
    if (state->access_count == SEGMENT_ACCESSES || after_ps > UINT32_MAX || record - state->first >= MOST_RECORDS
        || !is_answered_last(cpu, record)) {
        state->is_odd = true;
        return;
    }
    state->accesses[state->access_count++] = (struct segment_access){
        .after_ps = (uint32_t)after_ps, .record = (uint16_t)(record - state->first),
        .is_load = fast_access(cpu, record).shape->links.type == DEP_LOAD};
}

static void note_completion(struct elastic_cpu *cpu, uint64_t record)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;

    note_ahead(cpu, record);
    if (state->event != cpu->stats.num_sched_dcache_event)
        state->at_once = 0;
    state->event = cpu->stats.num_sched_dcache_event;
    state->at_once++;
    state->most_at_once = state->at_once > state->most_at_once ? state->at_once : state->most_at_once;
}

/* Milestones are points, too; while it is watched, each completion is one. */
static uint64_t find_milestone(struct elastic_cpu *cpu, uint64_t milestone)
{
    fast_of(cpu)->memo->milestone = min_u64(milestone, fast_of(cpu)->memo->next_point);
    return fast_of(cpu)->is_watched ? 0 : fast_of(cpu)->memo->milestone;
}

static bool complete(struct elastic_cpu *cpu, uint64_t record)
{
    uint64_t const count = fast_of(cpu)->graph.retired_count;

    if (fast_of(cpu)->is_watched) {
        note_completion(cpu, record);
        if (count < fast_of(cpu)->memo->milestone)
            return false;
    }
    if (count >= fast_of(cpu)->memo->next_point) {
        fast_of(cpu)->memo->next_point = UINT64_MAX;
        fast_of(cpu)->tasks |= ELASTIC_POINT;
    }
    return true;
}

/* Of accesses without packets. */
static uint64_t count_misses(const struct elastic_cpu *cpu)
{
    const struct cache *const l1d = accesses_l1d(cpu);

    return cache_access_counts(l1d, false)->misses + cache_access_counts(l1d, true)->misses
         + cache_access_counts(cpu->icache.self, false)->misses;
}

/* The present is the node's snapshot. */
static void begin_watching(struct elastic_cpu *cpu, struct memo_node *node)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    struct latency_histogram *const latency = &cpu->stats.load_latency;

    state->watched = node;
    elastic_sums_now(cpu, &state->before);
    state->misses = count_misses(cpu);
    state->base = fast_of(cpu)->graph.retired_count;
    state->first = elastic_snapshot_first(cpu, &node->snapshot);
    state->begin_ps = sim_now_ps(cpu->sim);
    state->first_rob_number = fast_of(cpu)->graph.nodes[state->first & fast_of(cpu)->graph.mask].rob_number;
    state->last_bin = latency->last_bin;
    state->latency_bins = latency->bins[latency->last_bin];
    state->foreign_ps = elastic_first_foreign_ps(cpu);
    state->is_odd = false;
    state->access_count = 0;
    state->earliest = state->at_once = state->most_at_once = 0;
    fast_of(cpu)->is_watched = true;
}

/* ---- keeping */

/* Memory after everything kept; NULL if full. */
static void *take_room(struct memo_state *state, size_t bytes)
{
    size_t const whole = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    void *const room = (char *)state->room + state->used_bytes;

    if (whole > ROOM_BYTES - state->used_bytes) {
        state->is_full = true;
        return NULL;
    }
    state->used_bytes += whole;
    return room;
}

/* Gives the snapshot its records; false if some have edges that differ from their shapes'. */
static bool find_parents(struct elastic_cpu *cpu)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    uint64_t const first = state->snapshot.base + state->snapshot.scalars[SNAPSHOT_FIRST];
    uint64_t const count = fast_of(cpu)->graph.next_record - first, i = first - state->chain.block;

    if (!elastic_chain_has_records(&state->chain, first, count))
        return false;
    shape_names_prepare(&state->chain.names, i, i + count);
    state->snapshot.parents = &state->chain.names.parents[i];
    return true;
}

/* The node whose snapshot the present is. */
static struct memo_node *find_node(struct elastic_cpu *cpu, uint64_t hash)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    const struct elastic_snapshot *const snapshot = &state->snapshot;
    struct memo_node *node = state->buckets[hash % BUCKETS];

    while (node && !(elastic_snapshot_is_like(snapshot, hash, &node->snapshot) && find_parents(cpu)
                     && elastic_snapshot_has_states(cpu, snapshot, &node->snapshot)))
        node = node->next;
    return node;
}

/* The present, described, becomes a node; NULL if it cannot. */
static struct memo_node *add_node(struct elastic_cpu *cpu, uint64_t hash)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    struct memo_node *node;

    state->credit -= COST_OF_NODE;
    if (!find_parents(cpu) || !elastic_snapshot_complete(cpu, &state->snapshot))
        return NULL;
    node = take_room(state, sizeof *node + elastic_snapshot_words(&state->snapshot) * sizeof(uint64_t));
    if (!node)
        return NULL;
    elastic_snapshot_store(&state->snapshot, hash, &node->snapshot, (uint64_t *)(node + 1));
    node->segments = NULL;
    node->next = state->buckets[hash % BUCKETS];
    state->buckets[hash % BUCKETS] = node;
    return node;
}

/* A parent that is nearer completes after its child was read, whenever that is: at the latest as the first of a window,
 * when all but a window of the records before it are complete, and those that complete from one data event, in which
 * the window becomes due, to the next, which reads it. */
static int64_t find_reach(const struct elastic_cpu *cpu)
{
    const struct memo_state *const state = fast_of(cpu)->memo->state;

    return (int64_t)cpu->record_source.window_records - 2 * state->most_at_once - 1 + state->earliest;
}

/* Has none of the block's records before `end` more children than have been noted already, or one that may be read only
 * after the record was sent, though it has no more to wait for than that? */
static bool are_known_parents(struct elastic_cpu *cpu, uint64_t i, uint64_t end, int64_t reach)
{
    struct shape_names *const names = &fast_of(cpu)->memo->state->chain.names;
    uint64_t const most = fast_of(cpu)->graph.max_dependents;

    if (names->most_children <= most && names->farthest_early < reach)
        return true;
    while (i < end && shape_names_of(names, i)->children <= most && shape_names_of(names, i)->early < reach)
        i++;
    return i == end;
}

/* Can a segment from the node that is watched be kept, as far as its records are concerned? */
static bool may_keep(struct elastic_cpu *cpu, uint64_t records, uint64_t touched_records)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    struct shape_names *const names = &state->chain.names;
    uint64_t const first = state->first - state->chain.block, touched = first + state->watched->snapshot.touched;

    if (records > MOST_RECORDS || !elastic_chain_has_records(&state->chain, state->first, touched_records))
        return false;
    shape_names_prepare(names, first, first + records);
    for (uint64_t i = first; i < first + records; i++)
        if (names->names[i] == SHAPE_NAMELESS)
            return false;
    return shape_names_farthest(names, touched, first + records) < find_reach(cpu)
        && are_known_parents(cpu, first, first + records, find_reach(cpu));
}

/* Can everything since the observed node be repeated? Then `sums` are the sums of that time. */
static bool is_repeatable(struct elastic_cpu *cpu, struct elastic_sums *sums)
{
    const struct memo_state *const state = fast_of(cpu)->memo->state;
    const struct latency_histogram *const latency = &cpu->stats.load_latency;

    elastic_sums_now(cpu, sums);
    elastic_sums_since(sums, &state->before, state->first_rob_number);
    return !state->is_odd && state->foreign_ps > sim_now_ps(cpu->sim) && sums->odd == 0
        && count_misses(cpu) == state->misses && sums->sent == state->access_count
        && (sums->latency_count == 0
            || (latency->last_bin == state->last_bin
                && latency->bins[latency->last_bin] - state->latency_bins == sums->latency_count));
}

/* Makes a segment of the records watched so far, up to the snapshot of `end`, if they can be kept. */
static void keep_segment(struct elastic_cpu *cpu, struct memo_node *end)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    uint64_t const begin = elastic_snapshot_first(cpu, &end->snapshot) - state->first;
    uint64_t const records = begin + end->snapshot.front, touched = begin + end->snapshot.touched;
    size_t const access_bytes = state->access_count * sizeof *state->accesses;
    size_t const name_bytes = (size_t)records * sizeof(uint16_t);
    struct elastic_sums sums;
    struct elastic_segment *segment;
    char *parts;

    if (!is_repeatable(cpu, &sums) || !may_keep(cpu, records, touched))
        return;
    segment = take_room(state, sizeof *segment + access_bytes + name_bytes);
    if (!segment)
        return;
    parts = (char *)(segment + 1);
    *segment = (struct elastic_segment){
        .next = state->watched->segments, .end = end, .span_ps = sim_now_ps(cpu->sim) - state->begin_ps,
        .length = (uint32_t)(fast_of(cpu)->graph.retired_count - state->base), .records = (uint32_t)records,
        .touched = (uint32_t)touched, .reach = find_reach(cpu), .latency = cpu->stats.load_latency.last,
        .latency_bin = cpu->stats.load_latency.last_bin, .sums = sums, .access_count = state->access_count,
        .accesses = (const struct segment_access *)parts, .names = (const uint16_t *)(parts + access_bytes)};
    memcpy(parts, state->accesses, access_bytes);
    shape_names_prepare(&state->chain.names, state->first - state->chain.block,
                        state->first - state->chain.block + records);
    memcpy(parts + access_bytes, &state->chain.names.names[state->first - state->chain.block], name_bytes);
    state->watched->segments = segment;
}

/* ---- points */

/* A hash of the instruction, the same in all blocks. */
static uint64_t instruction_of(const struct memo_state *state, uint64_t i)
{
    const struct store_forms *const forms = &state->chain.names.forms;
    uint32_t const number = bits_load16(forms->numbers + 2 * i);

    return (number < forms->shape_count ? forms->shapes[number].pc : 0) * HASH_FACTOR;
}

/* Where the present is in the code; NULL: in a place that is new, or of which too many nodes were made. */
static struct place *find_place(struct elastic_cpu *cpu)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    uint64_t const first = fast_of(cpu)->graph.retired_count - state->chain.block;
    uint64_t const end = min_u64(first + PLACE_RECORDS, state->chain.block_records);
    uint64_t hash = 1;
    struct place *place;
    uint32_t tag;

    for (uint64_t i = first; i < end; i++)
        hash = (hash ^ instruction_of(state, i)) * HASH_FACTOR, hash ^= hash >> 29;
    place = &state->places[hash % PLACES];
    tag = (uint32_t)(hash >> 32) | 1;
    if (place->tag != tag) {
        *place = (struct place){.tag = tag};
        return NULL;
    }
    return place->nodes < MOST_NODES_OF_PLACE ? place : NULL;
}

static size_t rarity_place(uint64_t instruction)
{
    return (instruction >> 32) % RARITIES;
}

/* How rare are instructions of the block that were in none before? Twice as rare is one more; those that hardly ever
 * come again count as the most common ones. Steps of 1 to 16 without a period, so that no loop is in time with them. */
static void find_rarities(struct memo_state *state)
{
    uint16_t counts[RARITIES] = {0};
    uint64_t const records = state->chain.block_records;
    uint32_t samples = 0;

    state->has_rarities = true;
    for (uint64_t i = 0; i < records; i += 1 + (i * HASH_FACTOR >> 60), samples++)
        counts[rarity_place(instruction_of(state, i))]++;
    for (size_t place = 0; place < RARITIES; place++) {
        if (state->rarities[place] > 0 || counts[place] == 0)
            continue;
        state->rarities[place] = 1;
        while (counts[place] > 1 && (uint32_t)counts[place] << state->rarities[place] < samples)
            state->rarities[place]++;
    }
}

/* The rarest instruction is the least; among such the order has no meaning. */
static uint64_t memo_rank_of(struct memo_state *state, uint64_t record)
{
    uint64_t const instruction = instruction_of(state, record - state->chain.block);
    size_t const place = rarity_place(instruction);

    if (unlikely(state->rarities[place] == 0) && !state->has_rarities)
        find_rarities(state);
    return instruction >> 8 | (UINT64_C(255) - state->rarities[place]) << 56;
}

/* The first record from `record` on, before `end`, of the rarest instruction, so that where code repeats, the same is
 * found again. */
static uint64_t find_landmark(struct memo_state *state, uint64_t record, uint64_t end)
{
    uint64_t best = record, least = UINT64_MAX;

    for (; record < end; record++) {
        uint64_t const rank = memo_rank_of(state, record);

        best = rank < least ? record : best;
        least = rank < least ? rank : least;
    }
    return best;
}

/* Returns the number of completed records at the next point. */
static uint64_t find_next_point(struct elastic_cpu *cpu, bool is_settled)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    uint64_t const complete = fast_of(cpu)->graph.retired_count, end = state->chain.block + state->chain.block_records;

    if (state->credit < 0) {
        stop_watching(cpu);
        state->credit += CREDIT_AFTER_SLEEP;
        return complete + SLEEP;
    }
    if (!is_settled) {
        state->unsettled = min_u64(2 * state->unsettled, MOST_UNSETTLED);
        return complete + state->unsettled;
    }
    state->unsettled = UNSETTLED;
    if (complete < state->chain.block)
        return state->chain.block;
    return find_landmark(state, complete + SHORTEST, min_u64(complete + SHORTEST + LANDMARKS_WITHIN, end));
}

/* Called after the current state was described. Keeps the records watched up to here if possible; returns the node
 * with this snapshot, if any. */
static struct memo_node *arrive(struct elastic_cpu *cpu, uint64_t hash)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    struct memo_node *node = find_node(cpu, hash);

    if (!state->watched)
        return node;
    if (!state->is_odd) {
        if (!node)
            node = add_node(cpu, hash);
        if (node)
            keep_segment(cpu, node);
    }
    stop_watching(cpu);
    return node;
}

/* At a point that was described. */
static uint64_t use_snapshot(struct elastic_cpu *cpu, uint64_t hash, uint64_t next_ps)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    struct memo_node *node = arrive(cpu, hash);
    uint64_t const complete = fast_of(cpu)->graph.retired_count;

    if (!node) {
        struct place *const place = find_place(cpu);

        if (!place)
            return next_ps;
        node = add_node(cpu, hash);
        place->nodes++;
        if (node)
            begin_watching(cpu, node);
        return next_ps;
    }
    next_ps = elastic_chain_skip(cpu, &state->chain, &node, next_ps);
    state->credit += (int64_t)(fast_of(cpu)->graph.retired_count - complete) * GAIN_OF_RECORD;
    if (state->credit > MOST_CREDIT)
        state->credit = MOST_CREDIT;
    if (state->chain.is_at_end)
        begin_watching(cpu, node);
    return next_ps;
}

/* Do the next events depend only on the core and its L1s? */
static bool is_settled(const struct elastic_cpu *cpu, uint64_t next_ps)
{
    return elastic_snapshot_is_settled(cpu, next_ps) && cache_is_quiet(accesses_l1d(cpu))
        && packet_queue_count(cache_answers(accesses_l1d(cpu))) <= SNAPSHOT_ANSWERS
        && fast_of(cpu)->graph.retired_count >= fast_of(cpu)->memo->state->chain.block + STORE_LINK_REACH;
}

/* Reads the responses that the L1D owes; false if they need packets. */
static bool read_responses(const struct elastic_cpu *cpu, struct elastic_responses *responses)
{
    struct cache *const l1d = accesses_l1d(cpu);

    responses->clock_ps = sim_now_ps(cpu->sim) % l1d->clock.period_ps;
    return packet_queue_take_snapshot(cache_answers(l1d), &responses->due);
}

static uint64_t at_point(struct elastic_cpu *cpu, uint64_t next_ps)
{
    struct memo_state *const state = fast_of(cpu)->memo->state;
    bool const is_quiet = is_settled(cpu, next_ps);
    struct elastic_responses responses;
    uint64_t hash;

    state->credit -= (int64_t)(state->chain.names.asked - state->asked) * COST_OF_NAME;
    state->asked = state->chain.names.asked;
    state->credit -= is_quiet ? COST_OF_LOOK : COST_OF_UNSETTLED;
    if (is_quiet && read_responses(cpu, &responses)
        && elastic_snapshot_describe(cpu, &state->snapshot, &responses, next_ps, &hash))
        next_ps = use_snapshot(cpu, hash, next_ps);
    else
        stop_watching(cpu);
    if (state->is_full) {
        stop_watching(cpu);
        forget_names(cpu);
    }
    fast_of(cpu)->memo->next_point = find_next_point(cpu, is_quiet);
    return next_ps;
}

/* ---- binding */

uint64_t elastic_memo_skipped(const struct elastic_cpu *cpu)
{
    return fast_of(cpu)->memo && fast_of(cpu)->memo->state ? fast_of(cpu)->memo->state->chain.skipped_records : 0;
}

struct fault elastic_memo_bind(struct elastic_cpu *cpu)
{
    struct elastic_memo *const memo = calloc(1, sizeof *memo);

    if (!memo)
        return fault_make(FAULT_MEMORY, "out of memory for a core's memo");
    memo->next_point = UINT64_MAX;
    fast_of(cpu)->memo = memo;
    fast_of(cpu)->hooks.find_milestone = find_milestone;
    fast_of(cpu)->hooks.complete = complete;
    fast_of(cpu)->hooks.at_point = at_point;
    fast_of(cpu)->hooks.begin_block = memo_begin_block;
    fast_of(cpu)->hooks.forget = memo_forget;
    fast_of(cpu)->hooks.take = memo_take;
    fast_of(cpu)->hooks.free = free_all;
    return fault_none();
}
