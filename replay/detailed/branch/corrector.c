/* Modelled: as in tage.h. Each group of tables adds its counters, and twice that where its weight says that the
 * group makes a difference; a sum beyond a threshold, which adapts, overrules TAGE even where TAGE is sure, a smaller
 * one only where a chooser has seen that pay. Hash functions are our own. */
#include "replay/detailed/branch/tage.h"

#include <stdlib.h>

#include "replay/detailed/branch/counter.h"

enum { COUNTER_BITS = 6, WEIGHT_BITS = 6, FIRST_WEIGHT = 7, CHOOSER_BITS = 7, BIASES = CORRECTOR_GROUP_COUNT };
enum { THRESHOLD_MOST = (1 << 11) - 1, THRESHOLD_BEGIN = 35 << 3, BIAS_MASK = (1 << CORRECTOR_BIAS_BITS) - 1 };

#define GROUP_ROW(suffix, tables, bits, first, second, third) {tables, bits, {first, second, third}},
static const struct { uint8_t tables, bits, lengths[CORRECTOR_MOST]; } groups[] = {CORRECTOR_GROUPS(GROUP_ROW)};

void corrector_init(struct corrector *corrector)
{
    for (unsigned table = 0; table < CORRECTOR_BIASES; table++)
        for (unsigned i = 0; i <= BIAS_MASK; i++)
            corrector->biases[table][i] = i & 1 ? 15 : -16;  /* as TAGE says */
    for (unsigned group = 0; group < CORRECTOR_GROUP_COUNT; group++) {
        for (unsigned table = 0; table < CORRECTOR_MOST; table++)
            for (unsigned i = 0; i < 1 << CORRECTOR_BITS; i++)
                corrector->tables[group][table][i] = i & 1 ? 0 : -1;
        for (unsigned i = 0; i < 8; i++)
            corrector->weights[group][i] = FIRST_WEIGHT;
    }
    for (unsigned i = 0; i < 8; i++)
        corrector->weights[BIASES][i] = 4;
    corrector->threshold = THRESHOLD_BEGIN;
}

static inline unsigned local1(uint64_t pc)
{
    return (unsigned)(pc >> 1 ^ pc >> 3) & 255;
}

static inline unsigned local2(uint64_t pc)
{
    return (unsigned)(pc >> 5) & 15;
}

static inline unsigned local3(uint64_t pc)
{
    return (unsigned)(pc >> 10 ^ pc >> 1) & 15;
}

/* Bit 0 is the prediction to correct. */
static inline uint16_t hash(uint64_t pc, uint64_t history, unsigned bits, bool before)
{
    uint64_t const word = (history + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ pc * UINT64_C(0xc2b2ae3d27d4eb4f);

    return (uint16_t)((word >> (64 - (bits - 1))) << 1 | before);
}

static int group_sum(const struct corrector *corrector, struct corrector_lookup *lookup, unsigned group, uint64_t pc,
                     uint64_t history)
{
    int sum = 0;

    for (unsigned table = 0; table < groups[group].tables; table++) {
        uint64_t const part = history & ((UINT64_C(1) << groups[group].lengths[table]) - 1);
        uint16_t const index = hash(pc, part, groups[group].bits, lookup->before);

        lookup->index[group][table] = index;
        sum += 2 * corrector->tables[group][table][index] + 1;
    }
    return sum;
}

static inline bool counts_twice(const struct corrector *corrector, const struct corrector_lookup *lookup,
                                unsigned group)
{
    return corrector->weights[group][lookup->weight] >= 0;
}

static void bias_indices(struct corrector_lookup *lookup, uint64_t pc, const struct tage_lookup *tage)
{
    unsigned const word = (unsigned)(pc >> 1 ^ pc >> 3), before = lookup->before;
    unsigned const is_low = tage->confidence == TAGE_LOW, is_high = tage->confidence == TAGE_HIGH;
    unsigned const is_split = is_low && tage->provider_says != tage->alternate_says;
    unsigned const provider = (unsigned)(tage->provider + 1) / 4;

    lookup->bias[0] = (uint16_t)((word << 2 | is_split << 1 | before) & BIAS_MASK);
    lookup->bias[1] = (uint16_t)(((word ^ word >> 5) << 2 | is_high << 1 | before) & BIAS_MASK);
    lookup->bias[2] = (uint16_t)((word << 6 | provider << 3 | is_high << 2 | is_low << 1 | before) & BIAS_MASK);
}

void corrector_lookup(const struct corrector *corrector, const struct corrector_history *history, uint32_t path,
                      struct corrector_lookup *lookup, uint64_t pc, const struct tage_lookup *tage)
{
    uint64_t const histories[] = {
        [CORRECTOR_GLOBAL] = history->global, [CORRECTOR_PATH] = path,
        [CORRECTOR_LOCAL1] = history->locals[0][local1(pc)], [CORRECTOR_LOCAL2] = history->locals[1][local2(pc)],
        [CORRECTOR_LOCAL3] = history->locals[2][local3(pc)], [CORRECTOR_INNER] = history->inner,
        [CORRECTOR_INNER_HISTORY] = history->inner_histories[history->inner]
    };
    int sum = 0, threshold, size;

    lookup->weight = (uint8_t)((pc >> 1 ^ pc >> 3) & 7);
    lookup->per_pc = (uint8_t)((pc >> 1 ^ pc >> 3) & 63);
    threshold = (corrector->threshold >> 3) + corrector->thresholds[lookup->per_pc];
    bias_indices(lookup, pc, tage);
    for (unsigned table = 0; table < CORRECTOR_BIASES; table++)
        sum += 2 * corrector->biases[table][lookup->bias[table]] + 1;
    lookup->sums[BIASES] = (int16_t)sum;
    for (unsigned group = 0; group < CORRECTOR_GROUP_COUNT; group++)
        lookup->sums[group] = (int16_t)group_sum(corrector, lookup, group, pc, histories[group]);
    sum = 0;
    for (unsigned group = 0; group <= BIASES; group++) {
        bool const twice = counts_twice(corrector, lookup, group);

        sum += lookup->sums[group] * (1 + twice);
        threshold += 12 * twice;
    }
    lookup->sum = (int16_t)sum;
    lookup->threshold = (int16_t)threshold;
    lookup->says = sum >= 0;
    lookup->is_taken = lookup->says;
    if (lookup->says == lookup->before)
        return;
    size = abs(sum);
    if (tage->confidence == TAGE_HIGH) {
        if (size < threshold / 4 || (size < threshold / 2 && corrector->high_chooser >= 0))
            lookup->is_taken = lookup->before;
    } else if (tage->confidence == TAGE_MEDIUM && size < threshold / 4 && corrector->medium_chooser >= 0) {
        lookup->is_taken = lookup->before;
    }
}

static void train_choosers(struct corrector *corrector, const struct corrector_lookup *lookup, bool is_taken,
                           uint8_t confidence)
{
    int const size = abs(lookup->sum);
    bool const was_right = lookup->before == is_taken;

    if (confidence == TAGE_HIGH && size < lookup->threshold / 2 && size >= lookup->threshold / 4)
        counter_step_signed(&corrector->high_chooser, CHOOSER_BITS, was_right);
    if (confidence == TAGE_MEDIUM && size < lookup->threshold / 4)
        counter_step_signed(&corrector->medium_chooser, CHOOSER_BITS, was_right);
}

static void train_weight(struct corrector *corrector, const struct corrector_lookup *lookup, unsigned group,
                         bool is_taken)
{
    int const own = lookup->sums[group];
    int const others = lookup->sum - own * (1 + counts_twice(corrector, lookup, group));

    /* Does counting it once or twice decide? */
    if ((others + own >= 0) != (others + 2 * own >= 0))
        counter_step_signed(&corrector->weights[group][lookup->weight], WEIGHT_BITS, (own >= 0) == is_taken);
}

void corrector_train(struct corrector *corrector, const struct corrector_lookup *lookup, bool is_taken,
                     uint8_t confidence)
{
    bool const was_wrong = lookup->says != is_taken;

    if (lookup->says != lookup->before)
        train_choosers(corrector, lookup, is_taken, confidence);
    if (!was_wrong && abs(lookup->sum) >= lookup->threshold)
        return;
    counter_step_signed(&corrector->thresholds[lookup->per_pc], 8, was_wrong);
    if (was_wrong)
        corrector->threshold = (int16_t)(corrector->threshold + (corrector->threshold < THRESHOLD_MOST));
    else
        corrector->threshold = (int16_t)(corrector->threshold - (corrector->threshold > 0));
    for (unsigned group = 0; group <= BIASES; group++)
        train_weight(corrector, lookup, group, is_taken);
    for (unsigned table = 0; table < CORRECTOR_BIASES; table++)
        counter_step_signed(&corrector->biases[table][lookup->bias[table]], COUNTER_BITS, is_taken);
    for (unsigned group = 0; group < CORRECTOR_GROUP_COUNT; group++)
        for (unsigned table = 0; table < groups[group].tables; table++)
            counter_step_signed(&corrector->tables[group][table][lookup->index[group][table]], COUNTER_BITS, is_taken);
}

void corrector_push(struct corrector_history *history, const struct branch_outcome *outcome)
{
    uint64_t const pc = outcome->pc;
    bool const is_taken = outcome->is_taken;
    uint16_t *const inner_history = &history->inner_histories[history->inner];
    uint16_t *const first = &history->locals[0][local1(pc)], *const second = &history->locals[1][local2(pc)];
    uint16_t *const third = &history->locals[2][local3(pc)];

    *inner_history = (uint16_t)(*inner_history << 1 | is_taken);
    if (outcome->is_backward) {
        if (!is_taken)
            history->inner = 0;
        else if (history->inner < 255)
            history->inner++;
    }
    history->global = history->global << 1 | (is_taken && outcome->is_backward);
    *first = (uint16_t)(*first << 1 | is_taken);
    *second = (uint16_t)(((unsigned)*second << 1 | is_taken) ^ (unsigned)(pc >> 1 & 15));
    *third = (uint16_t)(*third << 1 | is_taken);
}
