/* Modelled: TAGE as in tage.h, 64 KB by default: 36 history lengths of which 21 have a table; tables of short tags
 * share ten banks of 1024 entries and those of long tags twenty, in an order that pc and path rotate; two tables of
 * one length are two ways of it.
 *
 * Histories of up to 3000 bits are kept folded to the width of an index and of two tags; a bit that enters and the bit
 * that leaves are all that changes. Hash functions and the walk that allocates are our own.
 *
 * The predictor `tage` folds to odd widths. Branches give two bits of history each, so where few of them alternate,
 * what varies recurs every second or fourth bit, and in a fold of ten or twelve bits meets the same few of its bits
 * again and again: entries of many histories would be one. tage_sc_l keeps the widths of its source.
 *
 * Tables of short histories may predict before those of long ones (overrideHistory): a prediction of the latter that
 * differs is late. Source: D. Jimenez, S. Keckler, C. Lin, "The Impact of Delay on the Design of Branch Predictors",
 * MICRO 2000.
 *
 * A useful entry (its counter made the difference and was right) is not given away. Failed allocations count up, those
 * that worked down; when they reach 2^10 all entries lose that mark. */
#include "replay/detailed/branch/tage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/counter.h"

enum {
    LENGTHS = 36,
    FIRST_LONG = 13, SHORT_BANKS = 10, LONG_BANKS = 20, SHORT_TAG_BITS = 8, LONG_TAG_BITS = 12,
    COUNTER_BITS = 3, PATH_BITS = 27,
    PC_SHIFTS = 5,
    BIMODAL_SHARE = 2,                   /* one hysteresis bit for 2^2 entries */
    USE_ALT_COUNTERS = 16, USE_ALT_BITS = 5,
    MOST_ALLOCATED = 2, RESET_AT = 1 << 10, RESET_BEGIN = 1 << 9,
    RING_MASK = TAGE_RING - 1
};

/* Which of the 36 lengths have a table. */
static const uint8_t numbers[TAGE_TABLES] = {
    2, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 26, 28, 32, 36
};
enum { SHORT_TABLES = 6 };               /* of these, numbers below FIRST_LONG */

struct tagged {
    int8_t counter;                      /* taken: >= 0 */
    uint8_t is_useful;
    uint16_t tag;
};

/* A number for each table, in lanes of which compilers make vectors. */
typedef uint16_t tage_lanes[TAGE_LANES];

/* How the newest `length` bits of a history are folded to a width. */
struct folding {
    tage_lanes top;                      /* the bit behind the highest of the width */
    tage_lanes leaves_at;                /* the bit that the oldest one has come to, when it leaves */
    tage_lanes left_at;                  /* and one bit later */
};

/* Constants of hash functions. */
struct hashing {
    tage_lanes path[3];                  /* bits of the path that a length covers, an index's width each */
    tage_lanes turn;                     /* by which the folded path is multiplied */
    tage_lanes pc_shift[PC_SHIFTS];      /* all bits in the lanes whose pc is shifted by 2 and that number */
    tage_lanes is_short, is_second_way;  /* all bits, or none */
    tage_lanes tag_mask, bank, banks;    /* bank: of the first one, those before it */
};

struct tage {
    uint32_t lengths[TAGE_TABLES];
    struct folding folding[TAGE_FOLDS];
    struct hashing hashing;
    uint32_t index_bits, index_mask, bimodal_mask;
    int first_tables;                    /* as many of the shortest histories predict at once */
    int8_t use_alt[USE_ALT_COUNTERS];
    int32_t ticks;
    uint32_t random;
    struct tagged *short_entries, *long_entries;     /* these and the next point behind the struct */
    uint8_t *bimodal, *hysteresis;
};

static void set_width(struct folding *folding, unsigned lane, uint32_t length, unsigned width)
{
    folding->top[lane] = (uint16_t)(1u << width);
    folding->leaves_at[lane] = (uint16_t)(1u << length % width);
    folding->left_at[lane] = (uint16_t)(1u << (length + 1) % width);
}

/* leaving: all bits or none, for each lane. The result is built beside its source, without branches: compilers make
 * vectors of it. */
static inline void fold(tage_lanes folded, const struct folding *folding, uint16_t enters, const tage_lanes leaving)
{
    tage_lanes next;

    for (unsigned i = 0; i < TAGE_LANES; i++) {
        uint16_t const value = (uint16_t)((uint16_t)(folded[i] + folded[i]) | enters)
            ^ (folding->leaves_at[i] & leaving[i]);
        uint16_t const is_above = (uint16_t)-((value & folding->top[i]) != 0);

        next[i] = (uint16_t)((value & ~folding->top[i]) ^ (is_above & 1));
    }
    memcpy(folded, next, sizeof next);
}

/* The same twice: enters has the first bit in bit 1, leaving in bit 0. */
static inline void fold_two(tage_lanes folded, const struct folding *folding, uint16_t enters,
                            const tage_lanes leaving)
{
    tage_lanes next;

    for (unsigned i = 0; i < TAGE_LANES; i++) {
        uint16_t const top = folding->top[i], first = (uint16_t)-(leaving[i] & 1);
        uint16_t const second = (uint16_t)-(leaving[i] >> 1 & 1);
        uint16_t const high = (uint16_t)-((folded[i] & top >> 1) != 0), low = (uint16_t)-((folded[i] & top >> 2) != 0);
        uint16_t const turned = (uint16_t)((uint16_t)(folded[i] << 2) & (uint16_t)(top - 1)) | (high & 2) | (low & 1);

        next[i] = (uint16_t)(turned ^ enters ^ (folding->left_at[i] & first) ^ (folding->leaves_at[i] & second));
    }
    memcpy(folded, next, sizeof next);
}

static void set_hashing(struct tage *tage, unsigned lane, uint32_t length, unsigned tag_bits)
{
    struct hashing *const hashing = &tage->hashing;
    uint32_t const path_mask = (1u << (length < PATH_BITS ? length : PATH_BITS)) - 1;

    for (unsigned i = 0; i < 3; i++)
        hashing->path[i][lane] = (uint16_t)(path_mask >> i * tage->index_bits & tage->index_mask);
    hashing->turn[lane] = (uint16_t)(1u << numbers[lane] % tage->index_bits);
    hashing->pc_shift[numbers[lane] % PC_SHIFTS][lane] = UINT16_MAX;
    hashing->is_short[lane] = lane < SHORT_TABLES ? UINT16_MAX : 0;
    hashing->is_second_way[lane] = numbers[lane] % 2 == 0 ? UINT16_MAX : 0;
    hashing->tag_mask[lane] = (uint16_t)((1u << tag_bits) - 1);
    hashing->bank[lane] = (uint16_t)(lane < SHORT_TABLES ? lane : lane - SHORT_TABLES);
    hashing->banks[lane] = lane < SHORT_TABLES ? SHORT_BANKS : LONG_BANKS;
}

static void set_lengths(struct tage *tage, const struct branch_params *params)
{
    double const shortest = (double)params->tage_shortest, ratio = (double)params->tage_longest / shortest;
    bool const is_odd = params->type == BRANCH_TAGE;

    for (unsigned i = 0; i < TAGE_TABLES; i++) {
        unsigned const pair = (numbers[i] + 1u) / 2;         /* lengths are those of pairs, 1 to 18 */
        uint32_t const length = (uint32_t)(shortest * pow(ratio, (pair - 1) / (LENGTHS / 2 - 1.0)) + 0.5);
        uint8_t const tag_bits = numbers[i] < FIRST_LONG ? SHORT_TAG_BITS : LONG_TAG_BITS;

        tage->lengths[i] = length;
        set_hashing(tage, i, length, tag_bits);
        set_width(&tage->folding[TAGE_INDEX], i, length, is_odd ? tage->index_bits | 1 : tage->index_bits);
        set_width(&tage->folding[TAGE_TAG], i, length, tag_bits + (unsigned)is_odd);
        set_width(&tage->folding[TAGE_TAG_AGAIN], i, length, tag_bits - 1u);
        if (params->first_history == 0 || length <= params->first_history)
            tage->first_tables = (int)i + 1;
    }
}

struct tage *tage_new(const struct branch_params *params)
{
    size_t const bank = (size_t)1 << params->tage_bank_bits, bimodal = (size_t)1 << params->tage_bimodal_bits;
    size_t const tagged = (SHORT_BANKS + LONG_BANKS) * bank;
    struct tage *const tage = calloc(1, sizeof *tage + tagged * sizeof(struct tagged) + bimodal
                                     + (bimodal >> BIMODAL_SHARE));

    if (!tage)
        return NULL;
    tage->short_entries = (struct tagged *)(tage + 1);
    tage->long_entries = tage->short_entries + SHORT_BANKS * bank;
    tage->bimodal = (uint8_t *)(tage->short_entries + tagged);
    tage->hysteresis = tage->bimodal + bimodal;
    tage->index_bits = (uint32_t)params->tage_bank_bits;
    tage->index_mask = (uint32_t)bank - 1;
    tage->bimodal_mask = (uint32_t)bimodal - 1;
    set_lengths(tage, params);
    for (size_t i = 0; i < bimodal >> BIMODAL_SHARE; i++)
        tage->hysteresis[i] = 1;
    tage->ticks = RESET_BEGIN;
    tage->random = 1;
    return tage;
}

void tage_free(struct tage *tage)
{
    free(tage);
}

uint32_t tage_chance(struct tage *tage, uint32_t limit)
{
    tage->random ^= tage->random << 13;
    tage->random ^= tage->random >> 17;
    tage->random ^= tage->random << 5;
    return (tage->random >> 8) % limit;
}

static inline struct tagged *entry_of(struct tage *tage, const struct tage_lookup *lookup, int table)
{
    return (table < SHORT_TABLES ? tage->short_entries : tage->long_entries) + lookup->index[table];
}

/* Weak, 1, to strong, 7. */
static inline int strength(int8_t counter)
{
    return abs(2 * counter + 1);
}

/* The path's bits that a length covers, folded to an index; each table turns them otherwise. */
static inline void hash_paths(const struct tage *tage, uint32_t path, tage_lanes hashes)
{
    const struct hashing *const hashing = &tage->hashing;
    unsigned const width = tage->index_bits;
    uint16_t const first = (uint16_t)path, second = (uint16_t)(path >> width), third = (uint16_t)(path >> 2 * width);
    uint16_t const to_top = (uint16_t)(1u << (16 - width));

    for (unsigned i = 0; i < TAGE_LANES; i++) {
        uint16_t const folded = (uint16_t)((first & hashing->path[0][i]) ^ (second & hashing->path[1][i])
                                           ^ (third & hashing->path[2][i]));
        uint16_t const above = (uint16_t)((uint32_t)(uint16_t)(folded * to_top) * hashing->turn[i] >> 16);

        hashes[i] = (uint16_t)(folded * hashing->turn[i]) | above;
    }
}

/* Of each table the tag, the index in its bank, and the bank. */
static inline void hash_all(const struct tage *tage, const struct tage_history *history, uint32_t pc,
                            tage_lanes tags, tage_lanes indices, tage_lanes banks)
{
    const struct hashing *const hashing = &tage->hashing;
    unsigned const width = tage->index_bits;
    uint16_t const above = (uint16_t)(1u << width);
    uint16_t const short_pc = (uint16_t)(pc >> 1 ^ pc >> (1 + SHORT_TAG_BITS));
    uint16_t const long_pc = (uint16_t)(pc >> 1 ^ pc >> (1 + LONG_TAG_BITS));
    uint16_t const short_bank = (uint16_t)((pc >> 1 ^ history->path) % SHORT_BANKS);
    uint16_t const long_bank = (uint16_t)((pc >> 1 ^ history->path >> 3) % LONG_BANKS);
    uint16_t const pc_by[PC_SHIFTS] = {(uint16_t)(pc >> 2), (uint16_t)(pc >> 3), (uint16_t)(pc >> 4),
                                       (uint16_t)(pc >> 5), (uint16_t)(pc >> 6)};
    uint16_t const own = (uint16_t)(pc >> 1 ^ pc >> (1 + width)), mask = (uint16_t)tage->index_mask;
    tage_lanes paths;

    hash_paths(tage, history->path, paths);
    for (unsigned i = 0; i < TAGE_LANES; i++) {
        uint16_t const is_short = hashing->is_short[i];
        uint16_t const bank = (uint16_t)(hashing->bank[i] + ((short_bank & is_short) | (long_bank & ~is_short)));
        uint16_t const tag = (uint16_t)((((short_pc & is_short) | (long_pc & ~is_short)) ^ history->folded[TAGE_TAG][i]
                                         ^ history->folded[TAGE_TAG_AGAIN][i] << 1) & hashing->tag_mask[i]);
        uint16_t const shifted = (uint16_t)((pc_by[0] & hashing->pc_shift[0][i]) | (pc_by[1] & hashing->pc_shift[1][i])
                                            | (pc_by[2] & hashing->pc_shift[2][i])
                                            | (pc_by[3] & hashing->pc_shift[3][i])
                                            | (pc_by[4] & hashing->pc_shift[4][i]));
        uint16_t const folded = history->folded[TAGE_INDEX][i];
        uint16_t const is_above = (uint16_t)-((folded & above) != 0);
        uint16_t const is_behind = (uint16_t)-(bank >= hashing->banks[i]);

        tags[i] = tag;
        /* The second way of a length lies elsewhere, by the tag. */
        indices[i] = (uint16_t)((own ^ shifted ^ folded ^ (is_above & 1) ^ paths[i]
                                 ^ (tag & hashing->is_second_way[i])) & mask);
        banks[i] = (uint16_t)(bank - (is_behind & hashing->banks[i]));
    }
}

static void find_entries(const struct tage *tage, const struct tage_history *history, struct tage_lookup *lookup,
                         uint64_t wide_pc)
{
    uint32_t const pc = (uint32_t)(wide_pc ^ wide_pc >> 32);
    tage_lanes tags, indices, banks;

    hash_all(tage, history, pc, tags, indices, banks);
    memcpy(lookup->tag, tags, sizeof tags);
    for (unsigned i = 0; i < TAGE_LANES; i++)
        lookup->index[i] = (uint32_t)banks[i] << tage->index_bits | indices[i];
    lookup->bimodal = pc >> 1 & tage->bimodal_mask;
}

/* A bit for each table whose entry has the tag. */
static uint32_t find_matches(const struct tage *tage, const struct tage_lookup *lookup)
{
    uint32_t matches = 0;

    for (int i = TAGE_TABLES - 1; i >= SHORT_TABLES; i--)
        matches = 2 * matches + (tage->long_entries[lookup->index[i]].tag == lookup->tag[i]);
    for (int i = SHORT_TABLES - 1; i >= 0; i--)
        matches = 2 * matches + (tage->short_entries[lookup->index[i]].tag == lookup->tag[i]);
    return matches;
}

/* The longest history of them; -1: none. */
static inline int last_of(uint32_t matches)
{
    return matches == 0 ? -1 : (int)log2_down(matches);
}

static inline const struct tagged *found_entry(const struct tage *tage, const struct tage_lookup *lookup, int table)
{
    return table < 0 ? NULL : (table < SHORT_TABLES ? tage->short_entries : tage->long_entries) + lookup->index[table];
}

/* What tables that predict at once say alone. */
static bool first_says(const struct tage *tage, const struct tage_lookup *lookup, bool bimodal_says)
{
    for (int i = tage->first_tables - 1; i >= 0; i--) {
        const struct tagged *const entry =
            (i < SHORT_TABLES ? tage->short_entries : tage->long_entries) + lookup->index[i];

        if (entry->tag == lookup->tag[i])
            return entry->counter >= 0;
    }
    return bimodal_says;
}

void tage_lookup(const struct tage *tage, const struct tage_history *history, struct tage_lookup *lookup, uint64_t pc)
{
    const struct tagged *provider, *alternate;
    uint32_t matches;
    bool bimodal_says, bimodal_is_sure, alternate_is_sure;

    find_entries(tage, history, lookup, pc);
    matches = find_matches(tage, lookup);
    lookup->provider = (int8_t)last_of(matches);
    lookup->alternate = (int8_t)last_of(matches & ~(UINT32_C(1) << (lookup->provider & 31)));
    lookup->is_late = false;
    provider = found_entry(tage, lookup, lookup->provider);
    alternate = found_entry(tage, lookup, lookup->alternate);
    bimodal_says = tage->bimodal[lookup->bimodal];
    bimodal_is_sure = tage->hysteresis[lookup->bimodal >> BIMODAL_SHARE] == bimodal_says;
    lookup->alternate_says = alternate ? alternate->counter >= 0 : bimodal_says;
    if (!provider) {
        lookup->provider_says = lookup->is_taken = bimodal_says;
        lookup->confidence = bimodal_is_sure ? TAGE_HIGH : TAGE_LOW;
        lookup->is_new = false;
        lookup->use_alt = 0;
        return;
    }
    alternate_is_sure = alternate ? strength(alternate->counter) > 1 : bimodal_is_sure;
    lookup->use_alt = (uint8_t)((lookup->provider / 4 << 1 | alternate_is_sure) & (USE_ALT_COUNTERS - 1));
    lookup->provider_says = provider->counter >= 0;
    lookup->is_new = strength(provider->counter) == 1;
    lookup->is_taken = lookup->is_new && tage->use_alt[lookup->use_alt] >= 0 ? lookup->alternate_says
        : lookup->provider_says;
    lookup->is_late = lookup->provider >= tage->first_tables
        && first_says(tage, lookup, bimodal_says) != lookup->is_taken;
    lookup->confidence = strength(provider->counter) == 7 ? TAGE_HIGH : lookup->is_new ? TAGE_LOW : TAGE_MEDIUM;
}

static void train_bimodal(struct tage *tage, const struct tage_lookup *lookup, bool is_taken)
{
    uint8_t *const says = &tage->bimodal[lookup->bimodal];
    uint8_t *const hysteresis = &tage->hysteresis[lookup->bimodal >> BIMODAL_SHARE];
    uint8_t counter = (uint8_t)(*says << 1 | *hysteresis);

    counter_step(&counter, 3, is_taken);
    *says = counter >> 1;
    *hysteresis = counter & 1;
}

static void forget_useful(struct tagged *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        entries[i].is_useful = 0;
}

/* New entries in up to two tables of longer histories, not next to each other. */
static void tage_allocate(struct tage *tage, const struct tage_lookup *lookup, bool is_taken)
{
    unsigned allocated = 0;
    int32_t failed = 0;
    int table = lookup->provider + 1;

    if (table > 0)
        table += (int)tage_chance(tage, 2) + (tage_chance(tage, 4) == 0 ? 2 : 0);
    for (; table < TAGE_TABLES && allocated < MOST_ALLOCATED; table++) {
        struct tagged *const entry = entry_of(tage, lookup, table);

        if (entry->is_useful) {
            failed++;
        } else if (strength(entry->counter) > 3) {
            entry->counter = (int8_t)(entry->counter + (entry->counter > 0 ? -1 : 1));
        } else {
            *entry = (struct tagged){.counter = is_taken ? 0 : -1, .tag = lookup->tag[table]};
            allocated++;
            table++;
        }
    }
    tage->ticks = max_int(tage->ticks + failed - 2 * (int32_t)allocated, 0);
    if (tage->ticks >= RESET_AT) {
        forget_useful(tage->short_entries, (size_t)SHORT_BANKS << tage->index_bits);
        forget_useful(tage->long_entries, (size_t)LONG_BANKS << tage->index_bits);
        tage->ticks = 0;
    }
}

static void train_provider(struct tage *tage, const struct tage_lookup *lookup, bool is_taken)
{
    struct tagged *const provider = entry_of(tage, lookup, lookup->provider);
    struct tagged *const alternate = lookup->alternate >= 0 ? entry_of(tage, lookup, lookup->alternate) : NULL;

    /* A new entry that was wrong leaves the prediction to the other one, which learns too. */
    if (strength(provider->counter) == 1 && (provider->counter >= 0) != is_taken) {
        if (alternate)
            counter_step_signed(&alternate->counter, COUNTER_BITS, is_taken);
        else
            train_bimodal(tage, lookup, is_taken);
    }
    counter_step_signed(&provider->counter, COUNTER_BITS, is_taken);
    if (strength(provider->counter) == 1)
        provider->is_useful = 0;
    if (lookup->provider_says == lookup->alternate_says) {
        /* If the shorter history is confident, no entry is needed here. */
        if (lookup->alternate_says == is_taken && alternate && strength(alternate->counter) == 7)
            provider->is_useful = 0;
    } else if (lookup->provider_says == is_taken) {
        provider->is_useful = 1;
    }
}

void tage_train(struct tage *tage, const struct tage_lookup *lookup, bool is_taken, bool was_right)
{
    bool allocates = lookup->is_taken != is_taken && lookup->provider < TAGE_TABLES - 1;

    if (lookup->provider >= 0 && lookup->is_new) {
        if (lookup->provider_says == is_taken)
            allocates = false;
        if (lookup->provider_says != lookup->alternate_says)
            counter_step_signed(&tage->use_alt[lookup->use_alt], USE_ALT_BITS, lookup->alternate_says == is_taken);
    }
    /* Where another part was right, seldom. */
    if (allocates && (!was_right || tage_chance(tage, 32) == 0))
        tage_allocate(tage, lookup, is_taken);
    if (lookup->provider >= 0)
        train_provider(tage, lookup, is_taken);
    else
        train_bimodal(tage, lookup, is_taken);
}

static inline uint32_t longer_path(uint32_t path, uint32_t way)
{
    return (path << 1 ^ (way & 127)) & ((1u << PATH_BITS) - 1);
}

/* Each element of the ring has the direction behind its own, too, in bit 1. */
static inline void enter(struct tage_history *history, unsigned bit)
{
    history->ring[history->newest] |= (uint8_t)(bit << 1);
    history->newest = (history->newest + 1) & RING_MASK;
    history->ring[history->newest] = (uint8_t)bit;
}

static void push_one(const struct tage *tage, struct tage_history *history, uint16_t enters, uint32_t way)
{
    tage_lanes leaving = {0};

    enter(history, enters);
    history->path = longer_path(history->path, way);
    for (unsigned i = 0; i < TAGE_TABLES; i++)
        leaving[i] = (uint16_t)-(history->ring[(history->newest - tage->lengths[i]) & RING_MASK] & 1);
    for (unsigned i = 0; i < TAGE_FOLDS; i++)
        fold(history->folded[i], &tage->folding[i], enters, leaving);
}

/* bits: the first in bit 0. */
static void push_two(const struct tage *tage, struct tage_history *history, unsigned bits, uint32_t way)
{
    uint16_t const enters = (uint16_t)((bits & 1) << 1 | bits >> 1);
    tage_lanes leaving = {0};

    enter(history, bits & 1);
    enter(history, bits >> 1);
    history->path = longer_path(longer_path(history->path, way), way >> 1);
    for (unsigned i = 0; i < TAGE_TABLES; i++)
        leaving[i] = history->ring[(history->newest - 1 - tage->lengths[i]) & RING_MASK];
    for (unsigned i = 0; i < TAGE_FOLDS; i++)
        fold_two(history->folded[i], &tage->folding[i], enters, leaving);
}

void tage_push(const struct tage *tage, struct tage_history *history, const struct branch_outcome *outcome)
{
    uint64_t const pc = outcome->pc, target = outcome->target;
    uint64_t bits = (pc >> 1 ^ pc >> 3) << 1 ^ outcome->is_taken;
    uint64_t way = pc >> 1 ^ pc >> 3 ^ pc >> 5;

    if (outcome->is_indirect) {
        bits ^= target >> 1;
        way ^= target >> 1 ^ target >> 4;
    }
    push_two(tage, history, (unsigned)bits & 3, (uint32_t)way);
    if (outcome->is_indirect)
        push_one(tage, history, (uint16_t)(bits >> 2 & 1), (uint32_t)(way >> 2));
}
