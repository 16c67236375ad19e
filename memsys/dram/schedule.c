/* Modelled: classic-memory 9.4 (first-ready and plain first-come scheduling), 9.5 (one burst, page policies), 9.6. Not
 * modelled: priorities.
 *
 * Choosing. A row hit that causes no gap on the data bus goes first. Else a bank that can be prepared while the bus is
 * still busy; else the oldest row hit; else a bank that can be prepared soonest. The queue knows the
 * oldest burst of each bank of either kind, so a choice looks at each bank once.
 *
 * Issuing. Commands are decided now and go out later; all that is kept of them is how long they hold up others. */
#include "memsys/dram/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memsys/dram/mem_ctrl.h"

static uint64_t now_of(const struct dram_channel *channel)
{
    return sim_now_ps(channel->sim);
}

/* --- choosing ----------------------------------------------------------------------------------------------------- */

static struct dram_bank *bank_of(const struct dram_channel *channel, const struct dram_burst *burst)
{
    return &channel->ranks[burst->rank].banks[burst->bank];
}

static bool is_eligible(const struct dram_rank *rank)
{
    return rank->refresh_state == REFRESH_IDLE;
}

static uint64_t column_allowed_ps(const struct dram_channel *channel, const struct dram_rank *rank,
                                  const struct dram_bank *bank)
{
    return channel->bus == BUS_READ ? dram_rank_read_allowed_ps(rank, bank) : dram_rank_write_allowed_ps(rank, bank);
}

/* A choice between values without a branch: which bank is ready is what no processor can guess. */
static uint64_t pick(bool is_first, uint64_t first, uint64_t second)
{
    return second ^ ((first ^ second) & -(uint64_t)is_first);
}

/* The age if the burst may be chosen, else DRAM_NOBODY; the older of two is the smaller one. */
static uint64_t age_if(bool may_be_chosen, uint64_t age)
{
    return age | ((uint64_t)may_be_chosen - 1);
}

/* The oldest burst whose row is open; `seamless`: among those that cause no gap on the data bus. */
static uint64_t find_hit(const struct dram_channel *channel, const struct dram_queue *queue,
                         uint64_t earliest_column_ps, uint64_t *seamless)
{
    uint64_t hit = DRAM_NOBODY;

    *seamless = DRAM_NOBODY;
    for (uint32_t r = 0; r < channel->rank_count; r++) {
        const struct dram_rank *const rank = &channel->ranks[r];
        const uint64_t *const sets = queue->hitting + r * queue->words_per_rank;

        if (!is_eligible(rank))
            continue;
        for (uint32_t word = 0; word < queue->words_per_rank; word++)
            for (uint64_t left = sets[word]; left != 0; left &= left - 1) {
                uint32_t const number = word * 64 + (uint32_t)__builtin_ctzll(left);
                uint64_t const oldest = dram_queue_bank(queue, r, number)->hit;

                hit = min_u64(hit, oldest);
                if (column_allowed_ps(channel, rank, &rank->banks[number]) <= earliest_column_ps)
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
static bool find_seamless_in(const struct dram_channel *channel, const struct dram_queue *queue,
                             const struct dram_rank *rank, uint32_t word, uint64_t waiting,
                             const struct deadline *deadline, uint64_t *oldest)
{
    const struct dram_bank_queue *const bursts = dram_queue_bank(queue, rank->number, word * 64);
    const struct dram_bank *const banks = &rank->banks[word * 64];
    uint64_t const activate_end_ps = deadline->activate_end_ps, column_ps = deadline->column_ps;
    uint64_t const tRP_ps = channel->dram.tRP_ps;
    bool const open_in_time = now_of(channel) + tRP_ps < activate_end_ps;
    bool const closed_in_time = max_u64(rank->activate_allowed_ps, now_of(channel)) < activate_end_ps;
    bool const is_read = channel->bus == BUS_READ;
    uint64_t best = *oldest;
    bool found = false;

    waiting &= (closed_in_time ? ~rank->open_banks[word] : 0) | (open_in_time ? rank->open_banks[word] : 0);
    for (uint32_t g = 0; g < rank->group_count && waiting != 0; g++) {
        const struct dram_bank_group *const group = &rank->groups[g];
        uint64_t const group_set = rank->group_banks[g * queue->words_per_rank + word];
        uint64_t left = waiting & group_set;

        waiting &= ~group_set;
        if (left == 0 || group_column_ps(channel, group) > column_ps)
            continue;
        if (group->activate_allowed_ps >= activate_end_ps)
            left &= rank->open_banks[word];
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
static bool find_seamless(const struct dram_channel *channel, const struct dram_queue *queue,
                          const struct deadline *deadline, uint64_t *oldest)
{
    bool found = false;

    for (uint32_t r = 0; r < channel->rank_count; r++) {
        const struct dram_rank *const rank = &channel->ranks[r];
        const uint64_t *const sets = queue->waiting + r * queue->words_per_rank;

        if (!is_eligible(rank) || rank_column_ps(channel, rank) > deadline->column_ps)
            continue;
        for (uint32_t word = 0; word < queue->words_per_rank; word++)
            if (sets[word] != 0)
                found = find_seamless_in(channel, queue, rank, word, sets[word], deadline, oldest) || found;
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

static void find_soonest_in(const struct dram_channel *channel, const struct dram_queue *queue,
                            const struct dram_rank *rank, uint32_t word, uint64_t waiting, struct soonest *soonest)
{
    uint64_t closed = waiting & ~rank->open_banks[word];
    uint64_t const allowed_ps = max_u64(rank->activate_allowed_ps, now_of(channel));
    const struct dram_bank_queue *const bursts = dram_queue_bank(queue, rank->number, word * 64);
    const struct dram_bank *const banks = &rank->banks[word * 64];

    for (uint64_t left = waiting & rank->open_banks[word]; left != 0; left &= left - 1) {
        uint32_t const number = (uint32_t)__builtin_ctzll(left);

        uint64_t const allowed_open_ps = dram_rank_precharge_allowed_ps(rank, &banks[number]);

        note_bank(soonest, max_u64(allowed_open_ps, now_of(channel)) + channel->dram.tRP_ps, bursts[number].miss);
    }
    for (uint32_t g = 0; g < rank->group_count && closed != 0; g++) {
        uint64_t const group_ps = max_u64(rank->groups[g].activate_allowed_ps, allowed_ps);
        uint64_t const group_set = rank->group_banks[g * queue->words_per_rank + word];
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
static uint64_t find_prepared(const struct dram_channel *channel, const struct dram_queue *queue,
                              uint64_t earliest_column_ps, bool *hidden)
{
    uint64_t const row_to_column_ps = channel->bus == BUS_READ ? channel->dram.tRCD_ps : channel->dram.tRCD_WR_ps;
    /* Differences are written so that they cannot fall below 0. */
    struct deadline const deadline = {earliest_column_ps,
                                      max_u64(earliest_column_ps + 1, row_to_column_ps) - row_to_column_ps};
    struct soonest soonest = {DRAM_NOBODY, TICK_NEVER};
    uint64_t oldest = DRAM_NOBODY;

    *hidden = find_seamless(channel, queue, &deadline, &oldest);
    if (*hidden)
        return oldest;
    for (uint32_t r = 0; r < channel->rank_count; r++)
        for (uint32_t word = 0; is_eligible(&channel->ranks[r]) && word < queue->words_per_rank; word++) {
            uint64_t const waiting = queue->waiting[r * queue->words_per_rank + word];

            if (waiting != 0)
                find_soonest_in(channel, queue, &channel->ranks[r], word, waiting, &soonest);
        }
    *hidden = soonest.activate_ps <= max_u64(max_u64(earliest_column_ps, row_to_column_ps) - row_to_column_ps,
                                             now_of(channel));
    return soonest.oldest;
}

static uint32_t choose_first(const struct dram_channel *channel, const struct dram_queue *queue)
{
    uint32_t slot = queue->first;

    while (slot != DRAM_NO_BURST && !is_eligible(&channel->ranks[queue->slots[slot].rank]))
        slot = queue->slots[slot].next;
    return slot;
}

/* Is the oldest burst of all a row hit without a gap? Then no other need be looked at. */
static bool is_first_seamless(const struct dram_channel *channel, const struct dram_queue *queue,
                              uint64_t earliest_column_ps)
{
    const struct dram_burst *const burst = &queue->slots[queue->first];
    const struct dram_rank *const rank = &channel->ranks[burst->rank];
    const struct dram_bank *const bank = &rank->banks[burst->bank];

    return bank->open_row == burst->row && is_eligible(rank)
           && column_allowed_ps(channel, rank, bank) <= earliest_column_ps;
}

static uint32_t choose_first_ready(const struct dram_channel *channel, const struct dram_queue *queue,
                                   uint64_t extra_column_ps)
{
    uint64_t const earliest_column_ps = max_u64(channel->next_burst_ps + extra_column_ps, now_of(channel));
    uint64_t hit = DRAM_NOBODY, seamless = DRAM_NOBODY, prepared = DRAM_NOBODY;
    bool hidden = false;

    if (is_first_seamless(channel, queue, earliest_column_ps))
        return queue->first;
    if (queue->hits > 0)
        hit = find_hit(channel, queue, earliest_column_ps, &seamless);
    if (seamless != DRAM_NOBODY)
        return dram_age_slot(seamless);
    if (queue->hits < queue->count)
        prepared = find_prepared(channel, queue, earliest_column_ps, &hidden);
    return dram_age_slot(hit == DRAM_NOBODY || (hidden && prepared != DRAM_NOBODY) ? prepared : hit);
}

uint32_t dram_schedule_choose(struct dram_channel *channel, const struct dram_queue *queue, uint64_t extra_column_ps)
{
    if (queue->count == 1 || channel->is_fcfs)
        return choose_first(channel, queue);
    return choose_first_ready(channel, queue, extra_column_ps);
}

/* --- issuing ------------------------------------------------------------------------------------------------------ */

/* Of two pseudo-channels, each forgets for both, but not the current window (classic-memory 10.1). */
static void forget_old_commands(struct dram_channel *channel)
{
    uint64_t const now_ps = now_of(channel);

    if (channel->controller->channel_count == 1) {
        dram_command_bus_forget(channel->row_bus, now_ps);
    } else {
        dram_command_bus_forget(channel->row_bus, dram_command_bus_start_ps(channel->row_bus, now_ps));
        dram_command_bus_forget(channel->column_bus, dram_command_bus_start_ps(channel->column_bus, now_ps));
    }
}

/* Stores in any case: nobody can guess whether it must. */
static void raise_to(uint64_t *tick_ps, uint64_t at_least_ps)
{
    *tick_ps = max_u64(*tick_ps, at_least_ps);
}

/* What a burst demands of all bursts that follow. */
static void delay_other_columns(struct dram_channel *channel, struct dram_rank *rank, uint64_t group, bool is_read,
                                uint64_t command_ps, uint64_t gap_ps)
{
    const struct dram_params *const dram = &channel->dram;
    uint64_t const read_ps = command_ps + (is_read ? gap_ps : channel->write_to_read_ps);
    uint64_t const write_ps = command_ps + (is_read ? channel->read_to_write_ps : gap_ps);

    if (channel->has_bank_groups) {
        uint64_t const same_read_ps =
            command_ps + (is_read ? dram->tCCD_L_ps : max_u64(dram->tCCD_L_ps, channel->write_to_read_same_group_ps));
        uint64_t const same_write_ps =
            command_ps + (is_read ? max_u64(dram->tCCD_L_ps, channel->read_to_write_same_group_ps)
                                  : dram->tCCD_L_WR_ps);

        for (uint32_t i = 0; i < rank->group_count; i++) {
            raise_to(&rank->groups[i].read_allowed_ps, i == group ? same_read_ps : read_ps);
            raise_to(&rank->groups[i].write_allowed_ps, i == group ? same_write_ps : write_ps);
        }
    } else {
        raise_to(&rank->read_allowed_ps, read_ps);
        raise_to(&rank->write_allowed_ps, write_ps);
    }
    for (uint32_t i = 0; i < channel->rank_count; i++) {
        uint64_t const other_ps = pick(i != rank->number, command_ps + channel->rank_to_rank_ps, 0);

        raise_to(&channel->ranks[i].read_allowed_ps, other_ps);
        raise_to(&channel->ranks[i].write_allowed_ps, other_ps);
    }
}

/* Page policy: is the row closed behind a burst of it, with those of its bank that still wait? */
static bool closes_row(const struct dram_channel *channel, const struct dram_bank_queue *waiting, uint64_t row_accesses)
{
    const struct dram_params *const dram = &channel->dram;

    if (dram->page_policy == PAGE_CLOSE || row_accesses == dram->max_accesses_per_row)
        return true;
    if (dram->page_policy == PAGE_OPEN || waiting->hits > 0)
        return false;
    return waiting->count > 0 || dram->page_policy == PAGE_CLOSE_ADAPTIVE;
}

static void log_burst(const struct dram_channel *channel, const struct dram_burst *burst, bool is_read, bool row_hit,
                      uint64_t command_ps, uint64_t ready_ps)
{
    const struct log_sink *const log = &channel->sim->log;
    bool const is_pseudo = channel->controller->channel_count > 1;
    char details[200];

    snprintf(details, sizeof details,
             "%s%srank=%u bank=%u row=%" PRIu64 " hit=%d command=%" PRIu64 " ready=%" PRIu64,
             is_pseudo ? channel->name : "", is_pseudo ? " " : "", burst->rank, burst->bank, burst->row, row_hit,
             command_ps, ready_ps);
    log->line(log->context, now_of(channel), channel->controller->name, "burst", is_read ? "Read" : "Write",
              burst->address, details);
}

static void count_burst(struct dram_channel *channel, const struct dram_burst *burst, bool is_read, bool row_hit,
                        uint64_t command_ps, uint64_t ready_ps)
{
    struct mem_ctrl_requestor_stats *const requestor = &channel->controller->stats.requestors[burst->requestor];
    struct dram_stats *const stats = &channel->stats;
    uint64_t const latency_ps = ready_ps - burst->arrival_ps;

    if (unlikely(!bus_windows_has(&stats->windows, command_ps)))
        bus_windows_close(&stats->windows, command_ps, occupancy_area(&stats->read_queue, now_of(channel)));
    bus_windows_count(&stats->windows);
    if (is_read) {
        requestor->read_bytes += burst->size_bytes;
        requestor->read_latency_ps += latency_ps;
        stats->read_bursts++;
        stats->read_row_hits += row_hit;
        stats->bank_reads[burst->bank_place]++;
        stats->queue_ps += command_ps - burst->arrival_ps;
        stats->bus_ps += channel->dram.tBURST_ps;
        stats->access_ps += latency_ps;
        latency_histogram_add(stats->read_latencies, latency_ps);
    } else {
        requestor->write_bytes += burst->size_bytes;
        requestor->write_latency_ps += latency_ps;
        stats->write_bursts++;
        stats->write_row_hits += row_hit;
        stats->bank_writes[burst->bank_place]++;
    }
}

/* Command tick of a burst whose row is open. Interleaved bursts leave room for the other half of one before them; the
 * gap to the next command is an answer too. */
static uint64_t burst_command_ps(struct dram_channel *channel, const struct dram_rank *rank,
                                 const struct dram_bank *bank, uint64_t latency_ps, uint64_t *gap_ps)
{
    const struct dram_params *const dram = &channel->dram;
    uint64_t command_ps = max_u64(max_u64(column_allowed_ps(channel, rank, bank), channel->next_burst_ps),
                                  now_of(channel));

    if (dram->data_clock_sync && command_ps - rank->last_burst_ps > dram->tBURST_MAX_ps + latency_ps)
        command_ps = dram_command_bus_pair(channel->row_bus, command_ps, dram->tCK_ps);
    else
        command_ps = dram_command_bus_single(channel->column_bus, command_ps);
    *gap_ps = dram->tBURST_MIN_ps;
    if (dram->tBURST_ps != dram->tBURST_MIN_ps) {
        if (command_ps == rank->last_burst_ps + dram->tBURST_MIN_ps)
            *gap_ps = dram->tBURST_ps;
        else if (command_ps < rank->last_burst_ps + dram->tBURST_ps)
            command_ps = rank->last_burst_ps + dram->tBURST_ps;
    }
    return command_ps;
}

uint64_t dram_schedule_issue(struct dram_channel *channel, const struct dram_queue *queue, uint32_t slot)
{
    const struct dram_params *const dram = &channel->dram;
    const struct dram_burst *const burst = &queue->slots[slot];
    struct dram_rank *const rank = &channel->ranks[burst->rank];
    struct dram_bank *const bank = bank_of(channel, burst);
    bool const is_read = channel->bus == BUS_READ;
    bool const row_hit = bank->open_row == burst->row;
    uint64_t const latency_ps = is_read ? dram->tCL_ps : dram->tCWL_ps;
    uint64_t command_ps, ready_ps, gap_ps;
    bool closes;

    forget_old_commands(channel);
    if (rank->in_low_power)
        dram_rank_wake(rank, dram->tXP_ps);
    if (!row_hit) {
        if (bank->open_row != DRAM_NO_ROW)
            dram_rank_change_row(rank, bank, burst->row);
        else
            dram_rank_activate(rank, bank, burst->row);
    }
    command_ps = burst_command_ps(channel, rank, bank, latency_ps, &gap_ps);
    ready_ps = command_ps + latency_ps + dram->tBURST_ps;
    rank->last_burst_ps = command_ps;
    delay_other_columns(channel, rank, bank->group, is_read, command_ps, gap_ps);
    channel->active_rank = rank->number;
    raise_to(&bank->own_precharge_ps, is_read ? command_ps + dram->tRTP_ps : ready_ps + dram->tWR_ps);
    bank->row_accesses++;
    closes = closes_row(channel, &queue->banks[burst->bank_place], bank->row_accesses);
    if (unlikely(channel->commands != NULL))
        dram_rank_tell(rank, bank, &(struct dram_command){
            .kind = is_read ? DRAM_COMMAND_READ : DRAM_COMMAND_WRITE, .start_ps = command_ps,
            .duration_ps = is_read ? min_u64(dram->tBURST_MIN_ps, dram->tRTP_ps) : dram->tBURST_MIN_ps,
            .row = burst->row, .address = burst->address, .closes = closes
        });
    if (closes)
        dram_rank_precharge(rank, bank, max_u64(dram_rank_precharge_allowed_ps(rank, bank), now_of(channel)));
    if (is_read)
        dram_rank_read_issued(rank);
    else
        dram_rank_write_issued(rank, ready_ps);
    channel->next_burst_ps = command_ps + gap_ps;
    channel->next_request_ps = channel->next_burst_ps - channel->command_offset_ps;
    count_burst(channel, burst, is_read, row_hit, command_ps, ready_ps);
    if (channel->sim->log.line)
        log_burst(channel, burst, is_read, row_hit, command_ps, ready_ps);
    return ready_ps;
}
