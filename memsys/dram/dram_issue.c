/* Modelled: classic-memory 9.5 (one burst), 9.6. Commands are decided now and go out later; all that is kept of them is
 * how long they hold up others. */
#include "memsys/dram/dram_channel.h"

#include <inttypes.h>
#include <stdio.h>

#include "memsys/dram/dram_params.h"
#include "memsys/dram/dram_schedule.h"
#include "memsys/dram/mem_ctrl.h"

static uint64_t dram_issue_now_of(const struct dram_channel *channel)
{
    return sim_now_ps(channel->sim);
}

/* Of two pseudo-channels, each forgets for both, but not the current window (classic-memory 10.1). */
static void forget_old_commands(struct dram_channel *channel)
{
    uint64_t const now_ps = dram_issue_now_of(channel);

    if (channel->controller->channel_count == 1) {
        dram_command_bus_forget(channel->row_bus, now_ps);
    } else {
        dram_command_bus_forget(channel->row_bus, dram_command_bus_start_ps(channel->row_bus, now_ps));
        dram_command_bus_forget(channel->column_bus, dram_command_bus_start_ps(channel->column_bus, now_ps));
    }
}

static void raise_to(uint64_t *tick_ps, uint64_t at_least_ps)
{
    *tick_ps = max_u64(*tick_ps, at_least_ps);
}

/* The delays that a burst imposes on all later bursts. */
static void delay_other_columns(struct dram_channel *channel, struct dram_rank *rank, uint64_t group, bool is_read,
                                uint64_t command_ps, uint64_t gap_ps)
{
    const struct dram_params *const dram = channel->dram;
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
        if (i == rank->number)
            continue;
        raise_to(&channel->ranks[i].read_allowed_ps, command_ps + channel->rank_to_rank_ps);
        raise_to(&channel->ranks[i].write_allowed_ps, command_ps + channel->rank_to_rank_ps);
    }
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
    log->line(log->context, dram_issue_now_of(channel), channel->controller->name, "burst", is_read ? "Read" : "Write",
              burst->address, details);
}

static void count_burst(struct dram_channel *channel, const struct dram_burst *burst, bool is_read, bool row_hit,
                        uint64_t command_ps, uint64_t ready_ps)
{
    struct mem_ctrl_requestor_stats *const requestor = &channel->controller->stats.requestors[burst->requestor];
    struct dram_stats *const stats = &channel->stats;
    uint64_t const latency_ps = ready_ps - burst->arrival_ps;

    if (!bus_windows_has(&stats->windows, command_ps))
        bus_windows_close(&stats->windows, command_ps, occupancy_area(&stats->read_queue, dram_issue_now_of(channel)));
    bus_windows_count(&stats->windows);
    if (is_read) {
        requestor->read_bytes += burst->size_bytes;
        requestor->read_latency_ps += latency_ps;
        stats->read_bursts++;
        stats->read_row_hits += row_hit;
        stats->bank_reads[burst->bank_place]++;
        stats->queue_ps += command_ps - burst->arrival_ps;
        stats->bus_ps += channel->dram->tBURST_ps;
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
    const struct dram_params *const dram = channel->dram;
    uint64_t command_ps = max_u64(max_u64(dram_column_allowed_ps(channel, rank, bank), channel->next_burst_ps),
                                  dram_issue_now_of(channel));

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

uint64_t dram_issue(struct dram_channel *channel, const struct dram_queue *queue, uint32_t slot)
{
    const struct dram_params *const dram = channel->dram;
    const struct dram_burst *const burst = &queue->slots[slot];
    struct dram_rank *const rank = &channel->ranks[burst->rank];
    struct dram_bank *const bank = dram_bank_of(channel, burst);
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
    closes = bank->row_accesses == dram->max_accesses_per_row || channel->closes_row(channel, queue, burst);
    if (channel->commands)
        dram_rank_tell(rank, bank, &(struct dram_command){
            .kind = is_read ? DRAM_COMMAND_READ : DRAM_COMMAND_WRITE, .start_ps = command_ps,
            .duration_ps = is_read ? min_u64(dram->tBURST_MIN_ps, dram->tRTP_ps) : dram->tBURST_MIN_ps,
            .row = burst->row, .address = burst->address, .arrival_ps = burst->arrival_ps, .closes = closes
        });
    if (closes)
        dram_rank_precharge(rank, bank, max_u64(dram_rank_precharge_allowed_ps(rank, bank), dram_issue_now_of(channel)),
                            DRAM_PRECHARGE_OF_BURST);
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
