/* Makes memsys/dram/frfcfs.c faster: a choice looks at each bank once instead of at each burst.
 *
 * Why the result is the same: all bursts of a bank for its open row are ready at the same time, and so are all others
 * of it; the index has the oldest burst of either kind. Tests: tests/unit/memsys/fast/test_dram_choose.c; random
 * systems with and without the fast path `dram`. */
#include "memsys/dram/dram_params.h"
#include "memsys/dram/dram_schedule.h"
#include "memsys/fast/dram_index.h"

static uint64_t dram_choose_now_of(const struct dram_channel *channel)
{
    return sim_now_ps(channel->sim);
}

/* A choice between values without a branch: no branch predictor can guess which bank is ready. */
static uint64_t pick(bool is_first, uint64_t first, uint64_t second)
{
    return second ^ ((first ^ second) & -(uint64_t)is_first);
}

/* The age if the burst may be chosen, else DRAM_NO_AGE; the older of two is the smaller one. */
static uint64_t age_if(bool may_be_chosen, uint64_t age)
{
    return age | ((uint64_t)may_be_chosen - 1);
}

static uint32_t words_of(const struct dram_channel *channel)
{
    return channel->index_data->words_per_rank;
}

static const struct dram_bank_bursts *bank_bursts(const struct dram_channel *channel,
                                                  const struct dram_queue_index *all, uint32_t rank, uint32_t bank)
{
    return &all->banks[rank * channel->index_data->banks_per_rank + bank];
}

static const uint64_t *open_banks(const struct dram_channel *channel, uint32_t rank)
{
    return channel->index_data->open_banks + rank * words_of(channel);
}

static uint64_t group_set_of(const struct dram_channel *channel, uint32_t group, uint32_t word)
{
    return channel->index_data->group_banks[group * words_of(channel) + word];
}

/* The oldest burst whose row is open; `seamless`: among those that cause no gap on the data bus. */
static uint64_t find_hit(const struct dram_channel *channel, const struct dram_queue_index *all,
                         uint64_t earliest_column_ps, uint64_t *seamless)
{
    uint64_t hit = DRAM_NO_AGE;

    *seamless = DRAM_NO_AGE;
    for (uint32_t r = 0; r < channel->rank_count; r++) {
        const struct dram_rank *const rank = &channel->ranks[r];
        const uint64_t *const sets = all->hitting + r * words_of(channel);

        if (!dram_is_eligible(rank))
            continue;
        for (uint32_t word = 0; word < words_of(channel); word++)
            for (uint64_t left = sets[word]; left != 0; left &= left - 1) {
                uint32_t const number = word * 64 + (uint32_t)__builtin_ctzll(left);
                uint64_t const oldest = bank_bursts(channel, all, r, number)->hit;

                hit = min_u64(hit, oldest);
                if (dram_column_allowed_ps(channel, rank, &rank->banks[number]) <= earliest_column_ps)
                    *seamless = min_u64(*seamless, oldest);
            }
    }
    return hit;
}

/* Preparing a bank for another row. It is seamless if it causes no gap on the data bus: its activate is sent before
 * activate_end_ps, and its column command may be sent at column_ps. A closed bank may be activated when rank, group and
 * bank allow it, an open one tRP after its precharge. */
struct deadline {
    uint64_t column_ps, activate_end_ps;
};

static uint64_t group_column_ps(const struct dram_channel *channel, const struct dram_bank_group *group)
{
    return channel->bus == BUS_READ ? group->read_allowed_ps : group->write_allowed_ps;
}

static uint64_t rank_column_ps(const struct dram_channel *channel, const struct dram_rank *rank)
{
    return channel->bus == BUS_READ ? rank->read_allowed_ps : rank->write_allowed_ps;
}

/* The seamless banks among one word of a rank's, found group by group, since most are held up by group or rank. True if
 * there are any; `oldest` then is the oldest burst for another row in them. */
static bool find_seamless_in(const struct dram_channel *channel, const struct dram_queue_index *all,
                             const struct dram_rank *rank, uint32_t word, uint64_t waiting,
                             const struct deadline *deadline, uint64_t *oldest)
{
    const struct dram_bank_bursts *const bursts = bank_bursts(channel, all, rank->number, word * 64);
    const struct dram_bank *const banks = &rank->banks[word * 64];
    uint64_t const activate_end_ps = deadline->activate_end_ps, column_ps = deadline->column_ps;
    uint64_t const tRP_ps = channel->dram->tRP_ps;
    const uint64_t *const open = open_banks(channel, rank->number);
    bool const open_in_time = dram_choose_now_of(channel) + tRP_ps < activate_end_ps;
    bool const closed_in_time = max_u64(rank->activate_allowed_ps, dram_choose_now_of(channel)) < activate_end_ps;
    bool const is_read = channel->bus == BUS_READ;
    uint64_t best = *oldest;
    bool found = false;

    waiting &= (closed_in_time ? ~open[word] : 0) | (open_in_time ? open[word] : 0);
    for (uint32_t g = 0; g < rank->group_count && waiting != 0; g++) {
        const struct dram_bank_group *const group = &rank->groups[g];
        uint64_t const group_set = group_set_of(channel, g, word);
        uint64_t left = waiting & group_set;

        waiting &= ~group_set;
        if (left == 0 || group_column_ps(channel, group) > column_ps)
            continue;
        if (group->activate_allowed_ps >= activate_end_ps)
            left &= open[word];
        for (; left != 0; left &= left - 1) {
            uint32_t const number = (uint32_t)__builtin_ctzll(left);
            const struct dram_bank *const bank = &banks[number];
            uint64_t const closed_ps = bank->activate_allowed_ps;
            uint64_t const open_ps = dram_rank_precharge_allowed_ps(rank, bank) + tRP_ps;
            uint64_t const activate_ps = pick(bank->open_row == DRAM_NO_ROW, closed_ps, open_ps);
            bool const is_seamless = (activate_ps < activate_end_ps)
                                     & ((is_read ? bank->read_allowed_ps : bank->write_allowed_ps) <= column_ps);

            found |= is_seamless;
            best = min_u64(best, age_if(is_seamless, bursts[number].miss));
        }
    }
    *oldest = best;
    return found;
}

/* True if some bank of a waiting burst is seamless. */
static bool find_seamless(const struct dram_channel *channel, const struct dram_queue_index *all,
                          const struct deadline *deadline, uint64_t *oldest)
{
    bool found = false;

    for (uint32_t r = 0; r < channel->rank_count; r++) {
        const struct dram_rank *const rank = &channel->ranks[r];
        const uint64_t *const sets = all->waiting + r * words_of(channel);

        if (!dram_is_eligible(rank) || rank_column_ps(channel, rank) > deadline->column_ps)
            continue;
        for (uint32_t word = 0; word < words_of(channel); word++)
            if (sets[word] != 0)
                found = find_seamless_in(channel, all, rank, word, sets[word], deadline, oldest) || found;
    }
    return found;
}

/* The oldest burst for another row in a bank that can be activated soonest. */
struct soonest {
    uint64_t oldest, activate_ps;
};

static void note_bank(struct soonest *soonest, uint64_t activate_ps, uint64_t oldest)
{
    bool const is_sooner = activate_ps < soonest->activate_ps, is_later = activate_ps > soonest->activate_ps;

    soonest->activate_ps = min_u64(activate_ps, soonest->activate_ps);
    soonest->oldest = min_u64(age_if(!is_sooner, soonest->oldest), age_if(!is_later, oldest));
}

static void find_soonest_in(const struct dram_channel *channel, const struct dram_queue_index *all,
                            const struct dram_rank *rank, uint32_t word, uint64_t waiting, struct soonest *soonest)
{
    const uint64_t *const open = open_banks(channel, rank->number);
    uint64_t closed = waiting & ~open[word];
    uint64_t const allowed_ps = max_u64(rank->activate_allowed_ps, dram_choose_now_of(channel));
    const struct dram_bank_bursts *const bursts = bank_bursts(channel, all, rank->number, word * 64);
    const struct dram_bank *const banks = &rank->banks[word * 64];

    for (uint64_t left = waiting & open[word]; left != 0; left &= left - 1) {
        uint32_t const number = (uint32_t)__builtin_ctzll(left);

        uint64_t const allowed_open_ps = dram_rank_precharge_allowed_ps(rank, &banks[number]);

        note_bank(soonest, max_u64(allowed_open_ps, dram_choose_now_of(channel)) + channel->dram->tRP_ps,
                  bursts[number].miss);
    }
    for (uint32_t g = 0; g < rank->group_count && closed != 0; g++) {
        uint64_t const group_ps = max_u64(rank->groups[g].activate_allowed_ps, allowed_ps);
        uint64_t const group_set = group_set_of(channel, g, word);
        uint64_t left = closed & group_set;

        closed &= ~group_set;
        if (group_ps > soonest->activate_ps)
            continue;
        for (; left != 0; left &= left - 1) {
            uint32_t const number = (uint32_t)__builtin_ctzll(left);

            note_bank(soonest, max_u64(banks[number].activate_allowed_ps, group_ps), bursts[number].miss);
        }
    }
}

/* `hidden`: the preparation is hidden behind bursts that are already issued. */
static uint64_t find_prepared(const struct dram_channel *channel, const struct dram_queue_index *all,
                              uint64_t earliest_column_ps, bool *hidden)
{
    uint64_t const row_to_column_ps = channel->bus == BUS_READ ? channel->dram->tRCD_ps : channel->dram->tRCD_WR_ps;
    /* Differences are written so that they cannot fall below 0. */
    struct deadline const deadline = {earliest_column_ps,
                                      max_u64(earliest_column_ps + 1, row_to_column_ps) - row_to_column_ps};
    struct soonest soonest = {DRAM_NO_AGE, TICK_NEVER};
    uint64_t oldest = DRAM_NO_AGE;

    *hidden = find_seamless(channel, all, &deadline, &oldest);
    if (*hidden)
        return oldest;
    for (uint32_t r = 0; r < channel->rank_count; r++)
        for (uint32_t word = 0; dram_is_eligible(&channel->ranks[r]) && word < words_of(channel); word++) {
            uint64_t const waiting = all->waiting[r * words_of(channel) + word];

            if (waiting != 0)
                find_soonest_in(channel, all, &channel->ranks[r], word, waiting, &soonest);
        }
    *hidden = soonest.activate_ps <= max_u64(max_u64(earliest_column_ps, row_to_column_ps) - row_to_column_ps,
                                             dram_choose_now_of(channel));
    return soonest.oldest;
}

/* Is the oldest burst of all a row hit without a gap? Then no other need be looked at. */
static bool is_first_seamless(const struct dram_channel *channel, const struct dram_queue *queue,
                              uint64_t earliest_column_ps)
{
    const struct dram_burst *const burst = &queue->slots[queue->first];
    const struct dram_rank *const rank = &channel->ranks[burst->rank];
    const struct dram_bank *const bank = &rank->banks[burst->bank];

    return bank->open_row == burst->row && dram_is_eligible(rank)
           && dram_column_allowed_ps(channel, rank, bank) <= earliest_column_ps;
}

uint32_t dram_choose_first_ready(const struct dram_channel *channel, const struct dram_queue *queue,
                                 uint64_t extra_column_ps)
{
    const struct dram_queue_index *const all = dram_index_of(channel, queue);
    uint64_t const earliest_column_ps = max_u64(channel->next_burst_ps + extra_column_ps, dram_choose_now_of(channel));
    uint64_t hit = DRAM_NO_AGE, seamless = DRAM_NO_AGE, prepared = DRAM_NO_AGE;
    bool hidden = false;

    if (queue->count == 1)
        return dram_is_eligible(&channel->ranks[queue->slots[queue->first].rank]) ? queue->first : DRAM_NO_BURST;
    if (is_first_seamless(channel, queue, earliest_column_ps))
        return queue->first;
    if (all->hits > 0)
        hit = find_hit(channel, all, earliest_column_ps, &seamless);
    if (seamless != DRAM_NO_AGE)
        return dram_age_slot(seamless);
    if (all->hits < queue->count)
        prepared = find_prepared(channel, all, earliest_column_ps, &hidden);
    return dram_age_slot(hit == DRAM_NO_AGE || (hidden && prepared != DRAM_NO_AGE) ? prepared : hit);
}
