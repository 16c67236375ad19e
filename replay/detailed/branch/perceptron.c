/* Modelled: the multiperspective perceptron, 64 KB (D. Jimenez, "Multiperspective perceptron predictor", CBP-5, 2016;
 * branch-prediction 11): the sum of weights, one of each of 37 tables, each indexed by the pc and another view of the
 * execution history. Branches that have always gone one way are predicted by a filter and train no weights, but join
 * all histories except their own. Weights learn at commit. Histories are updated at fetch, and restored by a squash
 * (in_flight.h); without speculative history, as in the reference, they are updated at commit. Unconditional micro-ops
 * join the global history and the path.
 *
 * A weight is a magnitude of 5 bits with two signs, of which the pc takes one; larger magnitudes count more than in
 * proportion. Views of the last n branches are polynomials over them, of which one enters and one leaves at a time:
 * hash <- hash * M + entering - leaving * M^n, modulo 2^64. Hash functions and the curve of magnitudes are our own.
 *
 * Iterations: the first IMLI counter is of backward branches, taken in a row; the fourth of forward ones, not taken. */
#include "replay/detailed/branch/perceptron.h"

#include <math.h>
#include <stdlib.h>

#include "base/bits.h"
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/in_flight.h"
#include "replay/detailed/branch/parts.h"

enum kind {
    ACYCLIC, BLURRY, GHIST, GHISTMODPATH, GHISTPATH, IMLI, LOCAL, MODHIST, MODPATH, PATH, RECENCY, RECENCYPOS,
    SGHISTPATH
};

struct feature {
    uint8_t kind;
    uint16_t a, b;
    uint8_t shift;
    uint16_t entries;
    double coefficient;
};

#define FEATURE_ROW(kind, a, b, shift, entries, coefficient) {kind, a, b, shift, entries, coefficient},
static const struct feature features[] = {PERCEPTRON_FEATURES(FEATURE_ROW)};

/* Hot loops over features are written out, by macros ..._STEP: so that a feature's values are constants for the
 * compiler. */

enum {
    TABLES = sizeof features / sizeof features[0],
    FILTER = 18025, LOCALS = 510, LOCAL_BITS = 11, LOCAL_MASK = (1 << LOCAL_BITS) - 1,
    HISTORY = 512, HISTORY_MASK = HISTORY - 1, MOD_HISTORY = 32, STACK = 31, REGIONS = 7,
    MAGNITUDES = 32, ENTRY_BITS = 7,     /* 5 and two signs */
    ACYCLIC_BITS = 12, PC_BIT = 2, SPEED = 9, FIRST_THETA = 10,
    BEST = 20, CHOOSE_EVERY = 1024, MOST_MISSES = (1 << 24) - 1, BIAS_ALWAYS = 5, BIAS_MOSTLY = 1,
    SCALE = 1024                         /* of sums: 1 */
};

#define FUDGE 0.245
#define IMLI1_TABLES UINT64_C(0xc1000)
#define IMLI4_TABLES UINT64_C(0x80008000)
#define POSITION_TABLES UINT64_C(0x100000090)
#define STEP UINT64_C(0x9e3779b97f4a7c15)
#define SPREAD UINT64_C(0xc2b2ae3d27d4eb4f)

/* State of a branch in the filter. BACKWARD: its direction when last taken; untaken branches have no target here. */
enum { SEEN_NOT_TAKEN = 1, SEEN_TAKEN = 2, SEEN_BOTH = 3, BACKWARD = 4 };

struct weight {
    uint8_t magnitude;
    bool is_positive[2];
};

struct perceptron_history {
    uint64_t hashes[TABLES];
    uint32_t history_pc[HISTORY], mod_pc[2][MOD_HISTORY];    /* rings; mod: pcs that divide by 1, 3 */
    uint8_t history_bit[HISTORY], mod_bit[2][MOD_HISTORY];
    uint32_t newest, mod_newest[2];
    uint32_t stack[STACK], regions[REGIONS];         /* newest first */
    uint32_t acyclic;                    /* bits */
    uint32_t imli1, imli4;
    uint16_t locals[LOCALS];
};

struct perceptron {
    uint32_t first[TABLES], size[TABLES];            /* of each table in weights */
    int32_t values[TABLES][MAGNITUDES];              /* the contribution of a magnitude */
    uint64_t leaving[TABLES];            /* M^n */
    struct perceptron_history committed, speculative;
    struct in_flight *in_flight;         /* NULL: look-ups see `committed` */
    uint8_t filter[FILTER];
    int32_t theta, theta_count;
    uint32_t misses[TABLES];
    uint64_t best;                       /* bit a table: among those with the fewest misses */
    uint32_t until_choice;
    struct weight weights[];
};

struct perceptron_state {
    uint64_t pc;
    uint16_t index[TABLES];              /* within the table */
    int32_t sum;
    bool is_conditional, is_filtered, is_taken;
};

static uint64_t power(uint64_t base, unsigned exponent)
{
    uint64_t result = 1;

    while (exponent-- > 0)
        result *= base;
    return result;
}

/* How many elements a rolling view has. */
static unsigned view_length(const struct feature *feature)
{
    switch (feature->kind) {
    case GHIST:
        return (unsigned)(feature->b - feature->a);
    case GHISTPATH: case PATH:
        return feature->a;
    default:
        return feature->b;
    }
}

static void perceptron_free(void *own)
{
    struct perceptron *const perceptron = own;

    in_flight_free(perceptron->in_flight);
    free(perceptron);
}

static void *perceptron_new(const struct branch_params *params, size_t most_in_flight)
{
    uint32_t given = 0, shares = 0, share, total = 0;
    struct perceptron *perceptron;

    for (unsigned i = 0; i < TABLES; i++) {
        given += features[i].entries;
        shares += features[i].entries == 0;
    }
    share = (((uint32_t)params->perceptron_bits - 2 * FILTER - LOCALS * LOCAL_BITS) / ENTRY_BITS - given) / shares;
    total = given + shares * share;
    perceptron = calloc(1, sizeof *perceptron + total * sizeof perceptron->weights[0]);
    if (!perceptron)
        return NULL;
    if (params->speculative_history) {
        perceptron->in_flight = in_flight_new(most_in_flight);
        if (!perceptron->in_flight) {
            free(perceptron);
            return NULL;
        }
    }
    total = 0;
    for (unsigned i = 0; i < TABLES; i++) {
        perceptron->first[i] = total;
        perceptron->size[i] = features[i].entries ? features[i].entries : share;
        total += perceptron->size[i];
        perceptron->leaving[i] = power(STEP, view_length(&features[i]));
        for (int m = 0; m < MAGNITUDES; m++)
            perceptron->values[i][m] = (int32_t)lround(SCALE * FUDGE * features[i].coefficient * (m + m * m / 14.0));
    }
    perceptron->theta = FIRST_THETA;
    perceptron->best = (UINT64_C(1) << BEST) - 1;
    return perceptron;
}

/* --- look-up ---------------------------------------------------------------------------------------------------- */

static inline uint32_t word_of(uint64_t pc)
{
    return (uint32_t)(pc >> 1 ^ pc >> 33);
}

static inline uint32_t reduced(uint64_t hash, uint32_t size)
{
    return (uint32_t)((hash >> 32) * size >> 32);
}

static unsigned position_of(const struct perceptron_history *history, uint32_t pc)
{
    unsigned position = 0;

    while (position < STACK && history->stack[position] != pc)
        position++;
    return position;
}

static inline void find_weight(const struct perceptron *perceptron, const struct perceptron_history *history,
                               struct perceptron_state *state, const struct feature *feature, unsigned i, uint32_t pc,
                               uint64_t position)
{
    uint64_t view;

    switch (feature->kind) {
    case ACYCLIC:
        view = history->acyclic;
        break;
    case IMLI:
        view = feature->a == 1 ? history->imli1 : history->imli4;
        break;
    case LOCAL:
        view = history->locals[pc % LOCALS];
        break;
    case RECENCYPOS:
        view = position;
        break;
    default:
        view = history->hashes[i];
    }
    if (IMLI1_TABLES >> i & 1)
        view += (uint64_t)history->imli1 << 40;
    if (IMLI4_TABLES >> i & 1)
        view += (uint64_t)history->imli4 << 40;
    if (POSITION_TABLES >> i & 1)
        view += position << 40;
    view = (view ^ view >> 29) * STEP ^ pc * SPREAD;
    state->index[i] = (uint16_t)reduced((view ^ view >> 31) * SPREAD, perceptron->size[i]);
}

#define WEIGHT_STEP(...) find_weight(perceptron, history, state, &features[i], i, pc, position), i++;

static void find_weights(const struct perceptron *perceptron, const struct perceptron_history *history,
                         struct perceptron_state *state)
{
    uint32_t const pc = word_of(state->pc);
    uint64_t const position = position_of(history, pc);
    unsigned i = 0;

    PERCEPTRON_FEATURES(WEIGHT_STEP)
}

static inline bool sign_bit(uint64_t pc)
{
    return (word_of(pc) ^ word_of(pc) >> 7) & 1;
}

static inline int32_t perceptron_value_of(const struct perceptron *perceptron, const struct perceptron_state *state,
                                          unsigned i)
{
    const struct weight *const weight = &perceptron->weights[perceptron->first[i] + state->index[i]];
    int32_t const value = perceptron->values[i][weight->magnitude];

    return weight->is_positive[sign_bit(state->pc)] ? value : -value;
}

/* The bias from the branch's local history, before all features. */
static int32_t bias_of(uint16_t local)
{
    unsigned const ones = bits_ones(local);

    if (ones == 0 || ones == LOCAL_BITS)
        return ones ? BIAS_ALWAYS * SCALE : -BIAS_ALWAYS * SCALE;
    if (ones == 1 || ones == LOCAL_BITS - 1)
        return ones == 1 ? -BIAS_MOSTLY * SCALE : BIAS_MOSTLY * SCALE;
    return 0;
}

/* *best: the sum of the best tables alone. */
static int32_t sum_of(const struct perceptron *perceptron, const struct perceptron_history *history,
                      const struct perceptron_state *state, int32_t *best)
{
    int32_t sum = bias_of(history->locals[word_of(state->pc) % LOCALS]);

    *best = 0;
    for (unsigned i = 0; i < TABLES; i++) {
        int32_t const value = perceptron_value_of(perceptron, state, i);

        sum += value;
        *best += perceptron->best >> i & 1 ? value : 0;
    }
    return sum;
}

/* --- training --------------------------------------------------------------------------------------------------- */

static void train_weights(struct perceptron *perceptron, const struct perceptron_state *state, bool is_taken)
{
    bool const sign = sign_bit(state->pc);

    for (unsigned i = 0; i < TABLES; i++) {
        struct weight *const weight = &perceptron->weights[perceptron->first[i] + state->index[i]];

        if (weight->is_positive[sign] == is_taken)
            weight->magnitude = (uint8_t)(weight->magnitude + (weight->magnitude < MAGNITUDES - 1));
        else if (weight->magnitude > 0)
            weight->magnitude--;
        else
            weight->is_positive[sign] = is_taken;
    }
}

/* Weights are trained until sums reach theta, which grows with mispredictions and shrinks with needless training. */
static void adapt_theta(struct perceptron *perceptron, bool was_wrong)
{
    perceptron->theta_count += was_wrong ? 1 : -1;
    if (perceptron->theta_count >= SPEED) {
        perceptron->theta++;
        perceptron->theta_count = 0;
    } else if (perceptron->theta_count <= -SPEED) {
        perceptron->theta -= perceptron->theta > 0;
        perceptron->theta_count = 0;
    }
}

static void choose_best(struct perceptron *perceptron)
{
    uint64_t best = 0;

    for (unsigned chosen = 0; chosen < BEST; chosen++) {
        unsigned table = TABLES;

        for (unsigned i = 0; i < TABLES; i++)
            if (!(best >> i & 1) && (table == TABLES || perceptron->misses[i] < perceptron->misses[table]))
                table = i;
        best |= UINT64_C(1) << table;
    }
    perceptron->best = best;
    perceptron->until_choice = CHOOSE_EVERY;
}

static void count_misses(struct perceptron *perceptron, const struct perceptron_state *state, bool is_taken)
{
    bool is_full = false;

    for (unsigned i = 0; i < TABLES; i++) {
        perceptron->misses[i] += (perceptron_value_of(perceptron, state, i) >= 0) != is_taken;
        is_full |= perceptron->misses[i] == MOST_MISSES;
    }
    for (unsigned i = 0; i < TABLES && is_full; i++)
        perceptron->misses[i] /= 2;
    if (perceptron->until_choice == 0)
        choose_best(perceptron);
    perceptron->until_choice--;
}

static void perceptron_learn(struct perceptron *perceptron, const struct perceptron_state *state, bool is_taken)
{
    bool const was_wrong = state->is_taken != is_taken;
    bool const is_low = abs(state->sum) <= perceptron->theta * SCALE;
    int32_t best, sum;

    if (!was_wrong && !is_low)
        return;
    if (is_low)
        count_misses(perceptron, state, is_taken);
    adapt_theta(perceptron, was_wrong);
    train_weights(perceptron, state, is_taken);
    /* Once more where that was not enough. */
    sum = sum_of(perceptron, &perceptron->committed, state, &best);
    if ((sum >= 0) != is_taken)
        train_weights(perceptron, state, is_taken);
}

/* The newest is 0. */
static inline uint32_t history_at(const struct perceptron_history *history, uint32_t age)
{
    return (history->newest - age) & HISTORY_MASK;
}

static inline uint64_t element(uint32_t pc, unsigned shift, bool bit)
{
    return ((uint64_t)(pc >> shift) << 1 | bit) + 1;
}

static inline void roll(const struct perceptron *perceptron, struct perceptron_history *history, unsigned i,
                        uint64_t enters, uint64_t leaves)
{
    history->hashes[i] = history->hashes[i] * STEP + enters - leaves * perceptron->leaving[i];
}

/* Zeroed rings hold elements too, so that every element that leaves has entered: those of pc 0 and bit 0 contribute
 * nothing. */
static inline uint64_t aged(const struct perceptron_history *history, const struct feature *feature, uint32_t age)
{
    uint32_t const at = history_at(history, age);
    uint32_t const pc = history->history_pc[at];
    bool const bit = history->history_bit[at] & 1;

    if (history->history_bit[at] == 0)
        return 0;
    return feature->kind == GHIST ? 1u + bit : element(pc, feature->shift, feature->kind != PATH && bit);
}

static inline void push_view(const struct perceptron *perceptron, struct perceptron_history *history,
                             const struct feature *feature, unsigned i)
{
    if (feature->kind == GHIST)
        roll(perceptron, history, i, aged(history, feature, feature->a), aged(history, feature, feature->b));
    else if (feature->kind == GHISTPATH || feature->kind == PATH)
        roll(perceptron, history, i, aged(history, feature, 0), aged(history, feature, feature->a));
    else if (feature->kind == SGHISTPATH)
        roll(perceptron, history, i, aged(history, feature, feature->a),
             aged(history, feature, feature->a + feature->b));
}

#define VIEW_STEP(...) push_view(perceptron, history, &features[i], i), i++;

static void push_history(const struct perceptron *perceptron, struct perceptron_history *history, uint64_t wide_pc,
                         bool is_taken)
{
    unsigned i = 0;

    history->newest = (history->newest + 1) & HISTORY_MASK;
    history->history_pc[history->newest] = word_of(wide_pc);
    history->history_bit[history->newest] = (uint8_t)(2 | (is_taken ^ (wide_pc >> PC_BIT & 1)));
    PERCEPTRON_FEATURES(VIEW_STEP)
}

static inline uint64_t mod_aged(const struct perceptron_history *history, const struct feature *feature,
                                unsigned ring, uint32_t age)
{
    uint32_t const at = (history->mod_newest[ring] - age) % MOD_HISTORY;
    bool const bit = history->mod_bit[ring][at] & 1;

    if (history->mod_bit[ring][at] == 0)
        return 0;
    return feature->kind == MODHIST ? 1u + bit
        : element(history->mod_pc[ring][at], feature->shift, feature->kind == GHISTMODPATH && bit);
}

static inline void push_mod_view(const struct perceptron *perceptron, struct perceptron_history *history,
                                 const struct feature *feature, unsigned i, unsigned ring)
{
    if ((feature->kind == MODHIST || feature->kind == MODPATH || feature->kind == GHISTMODPATH)
        && feature->a == (ring == 0 ? 1 : 3))
        roll(perceptron, history, i, mod_aged(history, feature, ring, 0), mod_aged(history, feature, ring, feature->b));
}

#define MOD_STEP(...) push_mod_view(perceptron, history, &features[i], i, ring), i++;

static void push_mod(const struct perceptron *perceptron, struct perceptron_history *history, uint32_t pc,
                     bool is_taken)
{
    for (unsigned ring = 0; ring < 2; ring++) {
        unsigned i = 0;

        if (ring == 1 && pc % 3 != 0)
            continue;
        history->mod_newest[ring] = (history->mod_newest[ring] + 1) % MOD_HISTORY;
        history->mod_pc[ring][history->mod_newest[ring]] = pc;
        history->mod_bit[ring][history->mod_newest[ring]] = (uint8_t)(2 | is_taken);
        PERCEPTRON_FEATURES(MOD_STEP)
    }
}

static inline void push_recent_view(struct perceptron_history *history, const struct feature *feature, unsigned i)
{
    bool const is_recency = feature->kind == RECENCY;
    unsigned const length = is_recency ? feature->a : feature->b;
    uint64_t hash = 0;

    if (!is_recency && feature->kind != BLURRY)
        return;
    for (unsigned j = 0; j < length; j++)
        hash = hash * STEP + (is_recency ? history->stack[j] >> feature->shift : history->regions[j]);
    history->hashes[i] = hash;
}

#define RECENT_STEP(...) push_recent_view(history, &features[i], i), i++;

/* The order in which branches were last met; and regions of code, each change of one. */
static void push_recent(struct perceptron_history *history, uint32_t pc)
{
    uint32_t const region = pc >> 9;     /* 2^10 bytes: the lowest bit of a pc has gone */
    unsigned const position = position_of(history, pc);
    unsigned i = 0;

    for (unsigned j = position == STACK ? STACK - 1 : position; j > 0; j--)
        history->stack[j] = history->stack[j - 1];
    history->stack[0] = pc;
    if (history->regions[0] != region) {
        for (unsigned j = REGIONS - 1; j > 0; j--)
            history->regions[j] = history->regions[j - 1];
        history->regions[0] = region;
    }
    PERCEPTRON_FEATURES(RECENT_STEP)
}

static void push_conditional(const struct perceptron *perceptron, struct perceptron_history *history,
                             const struct branch_outcome *outcome)
{
    bool const is_taken = outcome->is_taken;
    uint32_t const pc = word_of(outcome->pc);
    uint32_t const bit = 1u << pc % ACYCLIC_BITS;

    if (outcome->is_backward)
        history->imli1 = is_taken ? history->imli1 + 1 : 0;
    else
        history->imli4 = is_taken ? 0 : history->imli4 + 1;
    history->acyclic = is_taken ? history->acyclic | bit : history->acyclic & ~bit;
    push_mod(perceptron, history, pc, is_taken);
    push_recent(history, pc);
    if (outcome->joins_local) {
        uint16_t *const local = &history->locals[pc % LOCALS];

        *local = (uint16_t)((*local << 1 | is_taken) & LOCAL_MASK);
    }
}

static void update(const struct perceptron *perceptron, struct perceptron_history *history,
                 const struct branch_outcome *outcome)
{
    if (outcome->is_conditional)
        push_conditional(perceptron, history, outcome);
    push_history(perceptron, history, outcome->pc, outcome->is_taken);
}

/* --- the unit's calls ------------------------------------------------------------------------------------------- */

static struct branch_outcome outcome_of(const struct perceptron *perceptron, const struct perceptron_state *state,
                                        bool is_taken, uint64_t target)
{
    return (struct branch_outcome){
        .pc = state->pc, .target = target, .is_conditional = state->is_conditional, .is_taken = is_taken,
        .is_backward = is_taken ? target < state->pc
            : (perceptron->filter[word_of(state->pc) % FILTER] & BACKWARD) != 0,
        .joins_local = !state->is_filtered
    };
}

/* The speculative history anew: the committed one and what is in flight. */
static void renew(struct perceptron *perceptron)
{
    struct in_flight *const in_flight = perceptron->in_flight;

    perceptron->speculative = perceptron->committed;
    for (uint64_t i = 0; i < in_flight_count(in_flight); i++)
        update(perceptron, &perceptron->speculative, in_flight_at(in_flight, i));
    in_flight->is_stale = false;
}

static void perceptron_shift(void *own, void *own_state, bool is_taken, uint64_t target)
{
    struct perceptron *const perceptron = own;
    struct branch_outcome const outcome = outcome_of(perceptron, own_state, is_taken, target);

    if (!perceptron->in_flight)
        return;
    in_flight_add(perceptron->in_flight, &outcome);
    if (!perceptron->in_flight->is_stale)
        update(perceptron, &perceptron->speculative, &outcome);
}

static void perceptron_undo(void *own, const void *own_state)
{
    struct perceptron *const perceptron = own;

    (void)own_state;
    if (perceptron->in_flight)
        in_flight_drop(perceptron->in_flight);
}

static void perceptron_correct(void *own, void *own_state, bool is_taken, uint64_t target)
{
    perceptron_undo(own, own_state);
    perceptron_shift(own, own_state, is_taken, target);
}

static bool perceptron_lookup(void *own, void *own_state, const struct branch_query *query)
{
    struct perceptron *const perceptron = own;
    struct perceptron_state *const state = own_state;
    const struct perceptron_history *const history = perceptron->in_flight ? &perceptron->speculative
        : &perceptron->committed;
    uint8_t seen;
    int32_t best;

    state->pc = query->pc;
    state->is_conditional = query->is_conditional;
    state->is_taken = true;
    state->is_filtered = false;
    if (perceptron->in_flight && perceptron->in_flight->is_stale)
        renew(perceptron);
    if (!query->is_conditional)
        return true;
    seen = perceptron->filter[word_of(query->pc) % FILTER] & SEEN_BOTH;
    state->is_filtered = seen != SEEN_BOTH;
    find_weights(perceptron, history, state);
    state->sum = sum_of(perceptron, history, state, &best);
    state->is_taken = state->is_filtered ? seen == SEEN_TAKEN : abs(state->sum) <= SCALE ? best >= 0 : state->sum >= 0;
    return state->is_taken;
}

static void perceptron_train(void *own, const void *own_state, bool is_taken, uint64_t target)
{
    struct perceptron *const perceptron = own;
    const struct perceptron_state *const state = own_state;
    struct branch_outcome const outcome = perceptron->in_flight ? *in_flight_retire(perceptron->in_flight)
        : outcome_of(perceptron, state, is_taken, target);

    if (state->is_conditional) {
        uint8_t *const seen = &perceptron->filter[word_of(state->pc) % FILTER];

        if (is_taken)
            *seen = (uint8_t)((*seen & SEEN_NOT_TAKEN) | SEEN_TAKEN | (target < state->pc ? BACKWARD : 0));
        else
            *seen |= SEEN_NOT_TAKEN;
        if ((*seen & SEEN_BOTH) == SEEN_BOTH)
            perceptron_learn(perceptron, state, is_taken);
    }
    update(perceptron, &perceptron->committed, &outcome);
}

const struct direction_ops direction_perceptron = {
    .name = "perceptron", .state_bytes = sizeof(struct perceptron_state), .new = perceptron_new,
    .free = perceptron_free, .lookup = perceptron_lookup, .shift = perceptron_shift, .undo = perceptron_undo,
    .correct = perceptron_correct, .train = perceptron_train
};
