/* Both traces are kept whole. A dependence is kept as the index of the record that it names, so that pairs of indices
 * say whether two are the same. */
#include "tests/support/elastic_compare.h"

#include <stdlib.h>
#include <string.h>

#include "proto/elastic/dep_trace.h"
#include "proto/elastic/packet_trace.h"
#include "proto/elastic/trace_writer.h"

/* Where two traces part: they meet within REACH of each, where RUN in a row are alike. They do not part where records
 * differ in their address alone and the next LIKENESS are alike but for that. */
enum { REACH = 400, RUN = 6, LIKENESS = 16 };

#define NO_PARTNER SIZE_MAX

#define TRAIT_NAME(suffix, name) name,
const char *const elastic_trait_names[ELASTIC_TRAIT_COUNT] = { ELASTIC_TRAITS(TRAIT_NAME) };

struct one {
    uint64_t seq, pc, place, delay;
    uint32_t size_bytes, flags, weight;
    uint8_t type;
    uint16_t order_count, producer_count;
    size_t deps;                         /* index of the first one: order dependences, then producers */
};

struct side {
    struct one *records;
    size_t *deps;                        /* indices of records; NO_PARTNER: of one that is not in the trace */
    struct packet_record *fetches;
    uint64_t *keys, *plain_keys, *fetch_keys;    /* keys of the pairing; plain: without address */
    size_t *partners, *fetch_partners;   /* on the other side */
    size_t count, room, dep_count, dep_room, fetch_count, fetch_room;
};

/* ---- reading */

static bool grow(void *array, size_t *room, size_t needed, size_t element)
{
    void **const place = array;
    size_t const larger = *room ? 2 * *room : 4096;
    void *moved;

    if (needed <= *room)
        return true;
    moved = realloc(*place, (larger > needed ? larger : needed) * element);
    if (!moved)
        return false;
    *place = moved;
    *room = larger > needed ? larger : needed;
    return true;
}

static size_t index_of(const struct side *side, uint64_t seq)
{
    size_t low = 0, high = side->count;

    while (low < high) {
        size_t const middle = low + (high - low) / 2;

        if (side->records[middle].seq < seq)
            low = middle + 1;
        else
            high = middle;
    }
    return low < side->count && side->records[low].seq == seq ? low : NO_PARTNER;
}

static bool keep(struct side *side, const struct dep_record *record)
{
    size_t const deps = record->rob_dep_count + (size_t)record->reg_dep_count;

    if (!grow(&side->records, &side->room, side->count + 1, sizeof *side->records)
        || !grow(&side->deps, &side->dep_room, side->dep_count + deps, sizeof *side->deps))
        return false;
    side->records[side->count] = (struct one){
        .seq = record->seq_num, .pc = record->pc, .place = record->p_addr, .delay = record->comp_delay,
        .size_bytes = record->size_bytes, .flags = record->flags, .weight = record->weight,
        .type = (uint8_t)record->type, .order_count = (uint16_t)record->rob_dep_count,
        .producer_count = (uint16_t)record->reg_dep_count, .deps = side->dep_count
    };
    for (size_t i = 0; i < record->rob_dep_count; i++)
        side->deps[side->dep_count++] = index_of(side, record->rob_dep[i]);
    for (size_t i = 0; i < record->reg_dep_count; i++)
        side->deps[side->dep_count++] = index_of(side, record->reg_dep[i]);
    side->count++;
    return true;
}

static struct fault read_records(struct side *side, const char *path)
{
    struct fault fault = fault_none();
    struct dep_reader *const reader = dep_reader_open(path, &fault);
    struct dep_record record;
    enum dep_result result = DEP_END;

    if (!reader)
        return fault;
    while (fault.kind == FAULT_NONE && (result = dep_reader_next(reader, &record, &fault)) == DEP_RECORD)
        if (!keep(side, &record))
            fault = fault_memory(path, NULL);
    dep_reader_close(reader);
    return fault;
}

static struct fault read_fetches(struct side *side, const char *path)
{
    struct fault fault = fault_none();
    struct packet_reader *const reader = packet_reader_open(path, &fault);
    struct packet_record record;

    if (!reader)
        return fault;
    while (fault.kind == FAULT_NONE && packet_reader_next(reader, &record, &fault) == PACKET_RECORD) {
        if (grow(&side->fetches, &side->fetch_room, side->fetch_count + 1, sizeof *side->fetches))
            side->fetches[side->fetch_count++] = record;
        else
            fault = fault_memory(path, NULL);
    }
    packet_reader_close(reader);
    return fault;
}

static uint64_t mix(uint64_t key, uint64_t value)
{
    key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

static struct fault make_keys(struct side *side, const char *folder)
{
    struct fault fault = fault_none();

    side->keys = calloc(side->count + 1, sizeof *side->keys);
    side->plain_keys = calloc(side->count + 1, sizeof *side->plain_keys);
    side->partners = calloc(side->count + 1, sizeof *side->partners);
    side->fetch_keys = calloc(side->fetch_count + 1, sizeof *side->fetch_keys);
    side->fetch_partners = calloc(side->fetch_count + 1, sizeof *side->fetch_partners);
    if (!side->keys || !side->plain_keys || !side->partners || !side->fetch_keys || !side->fetch_partners) {
        fault = fault_memory(folder, NULL);
        return fault;
    }
    for (size_t i = 0; i < side->count; i++) {
        side->plain_keys[i] = mix(mix(side->records[i].type, side->records[i].pc), side->records[i].size_bytes);
        side->keys[i] = mix(side->plain_keys[i], side->records[i].place);
    }
    for (size_t i = 0; i < side->fetch_count; i++)
        side->fetch_keys[i] = mix(mix(side->fetches[i].addr, side->fetches[i].pc), side->fetches[i].size_bytes);
    return fault;
}

static struct fault read_side(struct side *side, const char *folder)
{
    struct trace_paths paths;
    struct fault fault;

    if (FAILS(fault, trace_dir_find(folder, &paths)))
        return fault;
    FORWARD(read_records(side, paths.dep));
    FORWARD(read_fetches(side, paths.fetch));
    return make_keys(side, folder);
}

static void free_side(struct side *side)
{
    free(side->records);
    free(side->deps);
    free(side->fetches);
    free(side->keys);
    free(side->plain_keys);
    free(side->fetch_keys);
    free(side->partners);
    free(side->fetch_partners);
}

/* ---- pairs */

struct row {
    const uint64_t *keys, *plain_keys;
    size_t *partners;
    size_t count, at;
};

static bool is_run(const struct row *ours, const struct row *theirs, size_t skip_ours, size_t skip_theirs)
{
    size_t const a = ours->at + skip_ours, b = theirs->at + skip_theirs;
    size_t const left_a = ours->count - a, left_b = theirs->count - b;
    size_t length = RUN;

    /* at the ends of both a shorter run does */
    if (left_a < length && left_a == left_b)
        length = left_a;
    return left_a >= length && left_b >= length && length > 0
        && memcmp(ours->keys + a, theirs->keys + b, length * sizeof *ours->keys) == 0;
}

/* Steps over the fewest. False: they do not meet. */
static bool meet(struct row *ours, struct row *theirs, size_t *skip_ours, size_t *skip_theirs)
{
    for (size_t sum = 1; sum <= 2 * REACH; sum++)
        for (size_t a = sum > REACH ? sum - REACH : 0; a <= sum && a <= REACH; a++) {
            size_t const b = sum - a;

            if (ours->at + a <= ours->count && theirs->at + b <= theirs->count && is_run(ours, theirs, a, b)) {
                *skip_ours = a;
                *skip_theirs = b;
                return true;
            }
        }
    return false;
}

static bool is_likeness(const struct row *ours, const struct row *theirs)
{
    size_t const left_a = ours->count - ours->at, left_b = theirs->count - theirs->at;
    size_t const least = left_a < left_b ? left_a : left_b, length = least < LIKENESS ? least : LIKENESS;

    return memcmp(ours->plain_keys + ours->at, theirs->plain_keys + theirs->at, length * sizeof *ours->keys) == 0;
}

static void skip(struct row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        row->partners[row->at++] = NO_PARTNER;
}

static void pair(struct row *ours, struct row *theirs)
{
    ours->partners[ours->at] = theirs->at;
    theirs->partners[theirs->at++] = ours->at++;
}

/* How many pairs; parts: how often the rows parted. As many on both sides are pairs that differ. */
static size_t pair_rows(struct row *ours, struct row *theirs, size_t *parts)
{
    size_t pairs = 0;

    while (ours->at < ours->count && theirs->at < theirs->count) {
        size_t a = 1, b = 1;

        if (ours->keys[ours->at] == theirs->keys[theirs->at] || is_likeness(ours, theirs)) {
            pair(ours, theirs);
            pairs++;
            continue;
        }
        ++*parts;
        meet(ours, theirs, &a, &b);
        if (a == b) {
            for (; a > 0; a--, pairs++)
                pair(ours, theirs);
        } else {
            skip(ours, a);
            skip(theirs, b);
        }
    }
    skip(ours, ours->count - ours->at);
    skip(theirs, theirs->count - theirs->at);
    return pairs;
}

static size_t pair_sides(struct side sides[ELASTIC_SIDES], bool of_fetches, size_t *parts)
{
    struct row rows[ELASTIC_SIDES];

    for (int i = 0; i < ELASTIC_SIDES; i++)
        rows[i] = of_fetches
            ? (struct row){sides[i].fetch_keys, sides[i].fetch_keys, sides[i].fetch_partners, sides[i].fetch_count, 0}
            : (struct row){sides[i].keys, sides[i].plain_keys, sides[i].partners, sides[i].count, 0};
    return pair_rows(&rows[ELASTIC_OURS], &rows[ELASTIC_REFERENCE], parts);
}

/* ---- equality */

static bool are_same_deps(const struct side sides[ELASTIC_SIDES], const size_t *ours, size_t our_count,
                          const size_t *theirs, size_t their_count)
{
    if (our_count != their_count)
        return false;
    for (size_t i = 0; i < our_count; i++)
        if (ours[i] == NO_PARTNER || theirs[i] == NO_PARTNER ? ours[i] != theirs[i]
                                                             : sides[ELASTIC_OURS].partners[ours[i]] != theirs[i])
            return false;
    return true;
}

static uint32_t compare_pair(const struct side sides[ELASTIC_SIDES], const struct one *a, const struct one *b)
{
    const size_t *const of_a = sides[ELASTIC_OURS].deps + a->deps;
    const size_t *const of_b = sides[ELASTIC_REFERENCE].deps + b->deps;
    bool differs[ELASTIC_TRAIT_COUNT] = {
        [ELASTIC_TYPE] = a->type != b->type,
        [ELASTIC_PC] = a->pc != b->pc,
        [ELASTIC_ADDRESS] = a->place != b->place,
        [ELASTIC_SIZE] = a->size_bytes != b->size_bytes,
        [ELASTIC_FLAGS] = a->flags != b->flags,
        [ELASTIC_ORDER] = !are_same_deps(sides, of_a, a->order_count, of_b, b->order_count),
        [ELASTIC_PRODUCERS] = !are_same_deps(sides, of_a + a->order_count, a->producer_count,
                                             of_b + b->order_count, b->producer_count),
        [ELASTIC_WEIGHT] = a->weight != b->weight,
        [ELASTIC_DELAY] = a->delay != b->delay
    };
    uint32_t traits = 0;

    for (int i = 0; i < ELASTIC_WHOLE; i++)
        differs[ELASTIC_WHOLE] |= differs[i];
    for (int i = 0; i < ELASTIC_TRAIT_COUNT; i++)
        traits |= (uint32_t)differs[i] << i;
    return traits;
}

struct told {
    void (*differs)(void *context, const struct elastic_difference *difference);
    void *context;
};

static void tell_unpaired(const struct told *told, int side, size_t at, const struct one *record)
{
    struct elastic_difference difference = {.at = {NO_PARTNER, NO_PARTNER}, .pc = record->pc};

    difference.at[side] = at;
    difference.delay[side] = record->delay;
    if (told->differs)
        told->differs(told->context, &difference);
}

static void compare_records(const struct side sides[ELASTIC_SIDES], struct elastic_compared *compared,
                            const struct told *told)
{
    struct side const *const ours = &sides[ELASTIC_OURS], *const theirs = &sides[ELASTIC_REFERENCE];
    size_t next = 0;

    for (size_t i = 0; i < ours->count; i++) {
        size_t const j = ours->partners[i];

        if (j == NO_PARTNER) {
            tell_unpaired(told, ELASTIC_OURS, i, &ours->records[i]);
            continue;
        }
        for (; next < j; next++)
            tell_unpaired(told, ELASTIC_REFERENCE, next, &theirs->records[next]);
        next = j + 1;

        uint32_t const traits = compare_pair(sides, &ours->records[i], &theirs->records[j]);

        for (int k = 0; k < ELASTIC_TRAIT_COUNT; k++)
            compared->equal[k] += !(traits >> k & 1);
        if (traits && told->differs)
            told->differs(told->context, &(struct elastic_difference){
                .at = {i, j}, .pc = ours->records[i].pc, .traits = traits,
                .delay = {ours->records[i].delay, theirs->records[j].delay}});
    }
    for (; next < theirs->count; next++)
        tell_unpaired(told, ELASTIC_REFERENCE, next, &theirs->records[next]);
}

static void compare_fetches(const struct side sides[ELASTIC_SIDES], struct elastic_compared *compared)
{
    struct side const *const ours = &sides[ELASTIC_OURS], *const theirs = &sides[ELASTIC_REFERENCE];

    for (size_t i = 0; i < ours->fetch_count; i++) {
        size_t const j = ours->fetch_partners[i];

        if (j == NO_PARTNER || ours->fetch_keys[i] != theirs->fetch_keys[j])
            continue;
        compared->equal_fetches++;
        if (i > 0 && j > 0 && ours->fetch_partners[i - 1] == j - 1)
            compared->equal_steps += ours->fetches[i].tick - ours->fetches[i - 1].tick
                                     == theirs->fetches[j].tick - theirs->fetches[j - 1].tick;
        else
            compared->equal_steps += i == 0 && j == 0;
    }
}

struct fault elastic_compare(const char *ours, const char *reference, struct elastic_compared *compared,
                             void (*differs)(void *context, const struct elastic_difference *difference),
                             void *context)
{
    struct side sides[ELASTIC_SIDES] = {0};
    struct told const told = {differs, context};
    struct fault fault = read_side(&sides[ELASTIC_OURS], ours);
    size_t unused = 0;

    *compared = (struct elastic_compared){0};
    if (fault.kind == FAULT_NONE)
        fault = read_side(&sides[ELASTIC_REFERENCE], reference);
    if (fault.kind == FAULT_NONE) {
        for (int i = 0; i < ELASTIC_SIDES; i++) {
            compared->records[i] = sides[i].count;
            compared->fetches[i] = sides[i].fetch_count;
        }
        compared->record_pairs = pair_sides(sides, false, &compared->parts);
        compared->fetch_pairs = pair_sides(sides, true, &unused);
        compare_records(sides, compared, &told);
        compare_fetches(sides, compared);
    }
    for (int i = 0; i < ELASTIC_SIDES; i++)
        free_side(&sides[i]);
    return fault;
}
