/* BlockHammer (5.7): counting Bloom filters find rows that are activated often, a history which of them were
 * activated lately; such rows wait, and cores that ask for them get fewer misses in flight. A row that waits may be
 * activated when an activation leaves the history, or when a filter is cleared. */
#include "memsys/command/channel/cmd_internal.h"

#include <math.h>
#include <stdlib.h>

#include "memsys/command/channel/cmd_hash_map.h"

/* An activation, taken off its row's count in tick `due`. */
struct activation {
    int64_t due;
    int32_t row;
};

/* Rows of a rank that were activated in the last `size` ticks. */
struct history {
    struct activation *ring;             /* in the order of due; a power of two */
    size_t first, used, room;
    struct cmd_hash_map counts;
};

struct cmd_blockhammer_state {
    int64_t epoch, size, clk;            /* clk: ticks that filters and histories have seen */
    uint32_t filters, counters, hashes, current, current_map, ranks, banks, rank_level;
    int32_t *count;                      /* [bank][filter][counter] */
    struct history *histories;           /* a rank */
    uint32_t *activations;               /* [filter][source][bank] */
    float *worst;                        /* [source]: the highest likelihood of its banks in the present map */
    float rhli_divisor;
    bool has_denied;
};

static int32_t *filter_of(const struct cmd_blockhammer_state *state, uint32_t bank, uint32_t filter)
{
    return state->count + ((size_t)bank * state->filters + filter) * state->counters;
}

static uint32_t place(const struct cmd_blockhammer_state *state, int32_t row, uint32_t hash)
{
    uint32_t const first = (uint32_t)row * UINT32_C(2654435761), second = (uint32_t)row * UINT32_C(2246822519);

    return (first + hash * (second % (state->counters - 1) + 1)) % state->counters;
}

static bool is_frequent(const struct cmd_blockhammer_state *state, uint32_t bank, int32_t row, int64_t threshold)
{
    const int32_t *const counts = filter_of(state, bank, state->current);

    for (uint32_t hash = 0; hash < state->hashes; hash++)
        if (counts[place(state, row, hash)] < threshold)
            return false;
    return true;
}

static int64_t admit(struct cmd_channel *channel, const struct cmd_request *request, enum cmd_queue_name queue,
                     enum cmd_slot slot, int64_t tick)
{
    struct cmd_blockhammer_state *const state = channel->blockhammer;
    const struct cmd_config *const config = channel->config;
    const int64_t *recent;

    (void)slot;
    if ((queue != CMD_QUEUE_READ && queue != CMD_QUEUE_WRITE) || !channel->spec->command[request->command].opening)
        return tick;
    recent = cmd_hash_map_get(&state->histories[request->vector[state->rank_level]].counts, request->row);
    if (!recent || *recent < config->blockhammer.history_max
        || !is_frequent(state, request->bank, request->row, config->blockhammer.threshold))
        return tick;
    state->has_denied = true;
    return CMD_NEVER;
}

static bool add_activation(struct history *history, struct activation activation)
{
    if (history->used == history->room) {
        size_t const room = history->room ? 2 * history->room : 64;
        struct activation *const ring = malloc(room * sizeof *ring);

        if (!ring)
            return false;
        for (size_t i = 0; i < history->used; i++)
            ring[i] = history->ring[(history->first + i) & (history->room - 1)];
        free(history->ring);
        history->ring = ring;
        history->first = 0;
        history->room = room;
    }
    history->ring[(history->first + history->used++) & (history->room - 1)] = activation;
    return true;
}

/* Odd behaviour 16: an activation stays, and is taken off again `size` ticks later, unless another takes its place. */
static bool insert(struct history *history, int64_t clk, int32_t row, int64_t size)
{
    struct activation *const last = history->used == 0 ? NULL
        : &history->ring[(history->first + history->used - 1) & (history->room - 1)];

    if (last && last->due == clk + size) {
        last->row = row;
        return true;
    }
    return add_activation(history, (struct activation){clk + size, row});
}

static void advance_history(struct history *history, int64_t to, int64_t size, bool forgets_once)
{
    while (history->used > 0 && history->ring[history->first].due <= to) {
        struct activation const past = history->ring[history->first];
        int64_t *const count = cmd_hash_map_get(&history->counts, past.row);

        history->first = (history->first + 1) & (history->room - 1);
        history->used--;
        if (count && --*count == 0)
            cmd_hash_map_remove(&history->counts, past.row);
        if (!forgets_once)
            add_activation(history, (struct activation){past.due + size, past.row});    /* there is room */
    }
}

/* The next tick in which a row that waits may be activated. */
static int64_t next_change(const struct cmd_blockhammer_state *state, int64_t clk)
{
    int64_t next = (clk / state->epoch + 1) * state->epoch;

    for (uint32_t rank = 0; rank < state->ranks; rank++) {
        const struct history *const history = &state->histories[rank];

        if (history->used > 0 && history->ring[history->first].due < next)
            next = history->ring[history->first].due;
    }
    return next > clk ? next : clk + 1;
}

static void clear_filter(struct cmd_blockhammer_state *state)
{
    for (uint32_t bank = 0; bank < state->banks; bank++)
        for (uint32_t i = 0; i < state->counters; i++)
            filter_of(state, bank, state->current)[i] = 0;
    state->current = (state->current + 1) % state->filters;
}

/* RowHammer likelihood index of a source in a bank. */
static float likelihood(const struct cmd_channel *channel, uint32_t source, uint32_t bank)
{
    const struct cmd_blockhammer_state *const state = channel->blockhammer;
    size_t const map = (size_t)state->current_map * channel->sources + source;

    return state->rhli_divisor > 0 ? (float)state->activations[map * state->banks + bank] / state->rhli_divisor : 0;
}

/* The source may have the share of misses in flight that its worst bank leaves it. */
static void tell_share(struct cmd_channel *channel, uint32_t source)
{
    if (channel->hooks->throttled)
        channel->hooks->throttled(channel->hooks->owner, (int32_t)source, 1 - channel->blockhammer->worst[source]);
}

static void clear_map(struct cmd_channel *channel)
{
    struct cmd_blockhammer_state *const state = channel->blockhammer;
    size_t const entries = (size_t)channel->sources * state->banks;

    for (size_t i = 0; i < entries; i++)
        state->activations[state->current_map * entries + i] = 0;
    state->current_map = (state->current_map + 1) % state->filters;
    if (!cmd_mends(channel->config, CMD_MEND_THROTTLE_QUOTA))
        return;
    for (uint32_t source = 0; source < channel->sources; source++) {
        float const before = state->worst[source];

        state->worst[source] = 0;
        for (uint32_t bank = 0; bank < state->banks && before > 0; bank++)
            state->worst[source] = fmaxf(state->worst[source], likelihood(channel, source, bank));
        if (state->worst[source] < before)
            tell_share(channel, source);
    }
}

/* To the present tick; the clock of the throttler is one behind. */
static void advance(struct cmd_channel *channel)
{
    struct cmd_blockhammer_state *const state = channel->blockhammer;
    int64_t const clk = channel->clk, map_from = state->clk > 0 ? (state->clk - 1) / state->epoch : 0;

    for (int64_t epoch = state->clk / state->epoch; epoch < clk / state->epoch; epoch++)
        clear_filter(state);
    for (int64_t epoch = map_from; epoch < (clk - 1) / state->epoch; epoch++)
        clear_map(channel);
    for (uint32_t rank = 0; rank < state->ranks; rank++)
        advance_history(&state->histories[rank], clk, state->size,
                        cmd_mends(channel->config, CMD_MEND_THROTTLE_HISTORY));
    state->clk = clk;
}

static void throttle(struct cmd_channel *channel, uint32_t bank, uint32_t source)
{
    struct cmd_blockhammer_state *const state = channel->blockhammer;
    size_t const entry = (size_t)source * state->banks + bank, entries = (size_t)channel->sources * state->banks;
    float now;

    for (uint32_t filter = 0; filter < state->filters; filter++)
        state->activations[filter * entries + entry]++;
    now = likelihood(channel, source, bank);
    state->worst[source] = cmd_mends(channel->config, CMD_MEND_THROTTLE_QUOTA) ? fmaxf(state->worst[source], now) : now;
    tell_share(channel, source);
}

static void learn(struct cmd_channel *channel, uint32_t bank, int32_t row, int32_t rank, int32_t source)
{
    struct cmd_blockhammer_state *const state = channel->blockhammer;
    struct history *const history = &state->histories[rank];
    int64_t *const count = cmd_hash_map_put(&history->counts, row);

    if (!count || !insert(history, channel->clk, row, state->size)) {
        cmd_fail(channel, fault_memory("memory", "the history of activations"));
        return;
    }
    ++*count;
    for (uint32_t filter = 0; filter < state->filters; filter++)
        for (uint32_t hash = 0; hash < state->hashes; hash++)
            filter_of(state, bank, filter)[place(state, row, hash)]++;
    if (source >= 0 && is_frequent(state, bank, row, channel->config->blockhammer.threshold))
        throttle(channel, bank, (uint32_t)source);
}

static int64_t choose(struct cmd_channel *channel)
{
    struct cmd_blockhammer_state *const state = channel->blockhammer;
    int64_t const clk = channel->clk;
    struct cmd_pick best, behind;
    int64_t next;

    advance(channel);
    cmd_forget_picks(channel);
    state->has_denied = false;
    best = cmd_best(channel, CMD_QUEUE_ACTIVE, CMD_SLOT_ANY);
    if (best.tick > clk) {
        behind = cmd_best_behind_active(channel, CMD_SLOT_ANY);
        best = behind.tick < best.tick ? behind : best;
    }
    if (best.tick <= clk) {
        const struct cmd_request request = *best.request;
        int32_t const rank = request.vector[state->rank_level];

        cmd_row_policy_upgrade(channel, best.request);
        cmd_count_row(channel, best.request);
        cmd_issue(channel, best.request);
        if (channel->spec->command[best.request->command].opening)
            learn(channel, request.bank, request.row, rank, request.source);
        cmd_advance(channel, best);
        return clk + 1;
    }
    if (!state->has_denied)
        return best.tick;
    next = next_change(state, clk);
    return next < best.tick ? next : best.tick;
}

/* Sizes in the order and precision of the reference. */
static struct fault init_sizes(struct cmd_channel *channel, struct cmd_blockhammer_state *state)
{
    const struct cmd_config *const config = channel->config;
    float const tick_ns = (float)channel->spec->tck_ps / 1000.0f;
    int64_t const length = config->blockhammer.epoch_ns, threshold = config->blockhammer.threshold;
    int64_t const window = config->blockhammer.refresh_window_ns, rows = config->blockhammer.rowhammer_threshold;
    float divisor;

    if (length < 1 || threshold < 1 || window < 1 || rows < 1 || config->blockhammer.filters < 1
        || config->blockhammer.counters < 2 || config->blockhammer.hashes < 1 || config->blockhammer.filters > 64
        || config->blockhammer.counters > 1 << 20 || config->blockhammer.hashes > 64 || length > INT32_MAX)
        return fault_make(FAULT_INPUT, "blockhammer: epoch_ns, threshold, refresh_window_ns and rowhammer_threshold "
                                       "must be at least 1, filters and hashes 1 to 64, counters 2 to 2^20");
    state->epoch = (int64_t)((float)length / tick_ns);
    divisor = (float)(length / window) * (float)rows - (float)threshold;
    state->size = divisor > 0
        ? (int64_t)((float)(int32_t)(length - threshold * config->blockhammer.trc_ns) / divisor / tick_ns) : 0;
    if (state->size <= 0 || state->size > 1 << 28 || state->epoch < 1)
        return fault_make(FAULT_INPUT, "blockhammer: epoch_ns / refresh_window_ns * rowhammer_threshold must exceed "
                                       "threshold, and epoch_ns threshold * tRC_ns");
    /* The reference divides ticks by ns. */
    state->rhli_divisor = (float)rows * (float)(cmd_mends(config, CMD_MEND_THROTTLE_QUOTA) ? length : state->epoch)
                          / (float)window - (float)threshold;
    state->filters = (uint32_t)config->blockhammer.filters;
    state->counters = (uint32_t)config->blockhammer.counters;
    state->hashes = (uint32_t)config->blockhammer.hashes;
    return fault_none();
}

static struct fault init(struct cmd_channel *channel)
{
    const struct cmd_spec *const spec = channel->spec;
    struct cmd_blockhammer_state *const state = cmd_channel_take(channel, sizeof *state);
    int const rank = cmd_spec_level(spec, "Rank");

    if (!state)
        return fault_memory("memory", "BlockHammer");
    if (rank == CMD_NONE)
        return fault_make(FAULT_INPUT, "controller: single-bus-blockhammer needs ranks; %s has none",
                          spec->standard->name);
    FORWARD(init_sizes(channel, state));
    channel->blockhammer = state;
    state->rank_level = (uint32_t)rank;
    state->ranks = spec->size[rank];
    state->banks = spec->bank_count;
    state->histories = cmd_channel_take(channel, state->ranks * sizeof *state->histories);
    state->count = calloc((size_t)state->banks * state->filters * state->counters, sizeof *state->count);
    state->activations = calloc((size_t)state->filters * (channel->sources ? channel->sources : 1) * state->banks,
                                sizeof *state->activations);
    state->worst = calloc(channel->sources ? channel->sources : 1, sizeof *state->worst);
    if (!state->histories || !state->count || !state->activations || !state->worst)
        return fault_memory("memory", "BlockHammer");
    return fault_none();
}

void cmd_blockhammer_free(struct cmd_channel *channel)
{
    struct cmd_blockhammer_state *const state = channel->blockhammer;

    for (uint32_t rank = 0; state && state->histories && rank < state->ranks; rank++) {
        free(state->histories[rank].ring);
        cmd_hash_map_free(&state->histories[rank].counts);
    }
    if (state) {
        free(state->count);
        free(state->activations);
        free(state->worst);
    }
}

const struct cmd_controller cmd_blockhammer = {.choose = choose, .admit = admit, .init = init};
