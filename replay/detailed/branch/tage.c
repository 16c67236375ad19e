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

/* How the newest `length` bits of a history are folded to a width. */
struct folding {
    uint16_t top[TAGE_LANES];            /* the bit behind the highest of the width */
    uint16_t leaves_at[TAGE_LANES];      /* the bit that the oldest one has come to, when it leaves */
};

/* Constants of its hash functions. */
struct table {
    uint32_t length, path_mask;
    uint8_t path_turn, pc_shift, tag_bits;
    bool is_second_way;
};

struct tage {
    struct table tables[TAGE_TABLES];
    struct folding folding[TAGE_FOLDS];
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
}

/* leaving: all bits or none, for each lane. The result is built beside its source, without branches: compilers make
 * vectors of it. */
static inline void fold(uint16_t folded[TAGE_LANES], const struct folding *folding, uint16_t enters,
                        const uint16_t leaving[TAGE_LANES])
{
    uint16_t next[TAGE_LANES];

    for (unsigned i = 0; i < TAGE_LANES; i++) {
        uint16_t const value = (uint16_t)((uint16_t)(folded[i] + folded[i]) | enters)
            ^ (folding->leaves_at[i] & leaving[i]);
        uint16_t const is_above = (uint16_t)-((value & folding->top[i]) != 0);

        next[i] = (uint16_t)((value & ~folding->top[i]) ^ (is_above & 1));
    }
    memcpy(folded, next, sizeof next);
}

static void set_lengths(struct tage *tage, const struct branch_params *params)
{
    double const shortest = (double)params->tage_shortest, ratio = (double)params->tage_longest / shortest;
    bool const is_odd = params->type == BRANCH_TAGE;

    for (unsigned i = 0; i < TAGE_TABLES; i++) {
        struct table *const table = &tage->tables[i];
        unsigned const pair = (numbers[i] + 1u) / 2;         /* lengths are those of pairs, 1 to 18 */
        uint32_t const length = (uint32_t)(shortest * pow(ratio, (pair - 1) / (LENGTHS / 2 - 1.0)) + 0.5);
        uint8_t const tag_bits = numbers[i] < FIRST_LONG ? SHORT_TAG_BITS : LONG_TAG_BITS;

        *table = (struct table){
            .length = length, .path_mask = (1u << (length < PATH_BITS ? length : PATH_BITS)) - 1,
            .path_turn = (uint8_t)(numbers[i] % tage->index_bits), .pc_shift = (uint8_t)(2 + numbers[i] % 5),
            .tag_bits = tag_bits, .is_second_way = numbers[i] % 2 == 0
        };
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
static inline uint32_t path_hash(const struct tage *tage, uint32_t path, const struct table *table)
{
    uint32_t const bits = path & table->path_mask, width = tage->index_bits;
    uint32_t const folded = (bits ^ bits >> width ^ bits >> 2 * width) & tage->index_mask;

    return (folded << table->path_turn | folded >> (width - table->path_turn)) & tage->index_mask;
}

static void find_entries(const struct tage *tage, const struct tage_history *history, struct tage_lookup *lookup,
                         uint64_t wide_pc)
{
    uint32_t const pc = (uint32_t)(wide_pc ^ wide_pc >> 32), path = history->path;
    uint32_t bank = (pc >> 1 ^ path) % SHORT_BANKS;

    for (unsigned i = 0; i < TAGE_TABLES; i++) {
        const struct table *const table = &tage->tables[i];
        uint32_t const tag = (pc >> 1 ^ pc >> (1 + table->tag_bits) ^ history->folded[TAGE_TAG][i]
                              ^ (uint32_t)history->folded[TAGE_TAG_AGAIN][i] << 1) & ((1u << table->tag_bits) - 1);
        uint32_t index = pc >> 1 ^ pc >> table->pc_shift ^ pc >> (1 + tage->index_bits)
            ^ history->folded[TAGE_INDEX][i] ^ history->folded[TAGE_INDEX][i] >> tage->index_bits
            ^ path_hash(tage, path, table);

        /* The second way of a length lies elsewhere, by the tag. */
        if (table->is_second_way)
            index ^= tag;
        if (i == SHORT_TABLES)
            bank = (pc >> 1 ^ path >> 3) % LONG_BANKS;
        lookup->tag[i] = (uint16_t)tag;
        lookup->index[i] = bank << tage->index_bits | (index & tage->index_mask);
        bank = bank + 1 == (i < SHORT_TABLES ? SHORT_BANKS : LONG_BANKS) ? 0 : bank + 1;
    }
    lookup->bimodal = pc >> 1 & tage->bimodal_mask;
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
    const struct tagged *provider = NULL, *alternate = NULL;
    bool bimodal_says, bimodal_is_sure, alternate_is_sure;

    find_entries(tage, history, lookup, pc);
    lookup->provider = lookup->alternate = -1;
    lookup->is_late = false;
    for (int i = TAGE_TABLES - 1; i >= 0; i--) {
        const struct tagged *const entry =
            (i < SHORT_TABLES ? tage->short_entries : tage->long_entries) + lookup->index[i];

        if (entry->tag != lookup->tag[i])
            continue;
        if (provider) {
            lookup->alternate = (int8_t)i;
            alternate = entry;
            break;
        }
        lookup->provider = (int8_t)i;
        provider = entry;
    }
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

void tage_push(const struct tage *tage, struct tage_history *history, const struct branch_outcome *outcome)
{
    uint64_t const pc = outcome->pc, target = outcome->target;
    uint64_t bits = (pc >> 1 ^ pc >> 3) << 1 ^ outcome->is_taken;
    uint64_t way = pc >> 1 ^ pc >> 3 ^ pc >> 5;
    unsigned const count = outcome->is_indirect ? 3 : 2;

    if (outcome->is_indirect) {
        bits ^= target >> 1;
        way ^= target >> 1 ^ target >> 4;
    }
    for (unsigned i = 0; i < count; i++) {
        uint16_t const enters = bits >> i & 1;
        uint16_t leaving[TAGE_LANES] = {0};

        history->newest = (history->newest + 1) & RING_MASK;
        history->ring[history->newest] = (uint8_t)enters;
        history->path = (history->path << 1 ^ ((uint32_t)(way >> i) & 127)) & ((1u << PATH_BITS) - 1);
        for (unsigned j = 0; j < TAGE_TABLES; j++)
            leaving[j] = (uint16_t)-history->ring[(history->newest - tage->tables[j].length) & RING_MASK];
        for (unsigned j = 0; j < TAGE_FOLDS; j++)
            fold(history->folded[j], &tage->folding[j], enters, leaving);
    }
}
