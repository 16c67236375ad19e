/* Modelled: classic-memory 8.2 (queues, merging, reads served by waiting writes), 8.3 and 8.4 (the two events, when the
 * data bus turns). The choice of the next burst: dram_schedule.h; its timing: dram_issue.c. Not modelled: priorities,
 * data. */
#include "memsys/dram/dram_channel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/dram/dram_schedule.h"
#include "memsys/dram/mem_ctrl.h"
#include "memsys/dram/memory_params.h"
#include "memsys/dram/page_policy.h"
#include "memsys/dram/refresh.h"

static uint64_t dram_channel_now_of(const struct dram_channel *channel)
{
    return sim_now_ps(channel->sim);
}

static void dram_channel_schedule(struct dram_channel *channel, struct event *event, uint64_t when_ps)
{
    event_schedule(&channel->sim->events, event, when_ps);
}

/* --- queues ------------------------------------------------------------------------------------------------------- */

static void push(struct dram_channel *channel, struct dram_queue *queue)
{
    uint32_t const slot = dram_queue_push(queue);

    if (channel->index)
        channel->index->pushed(channel, queue, slot);
}

static void remove_burst(struct dram_channel *channel, struct dram_queue *queue, uint32_t slot)
{
    if (channel->index)
        channel->index->removing(channel, queue, slot);
    dram_queue_remove(queue, slot);
}

/* The waiting write with that aligned address. */
static uint32_t find_write(const struct dram_channel *channel, uint64_t aligned)
{
    return channel->index ? channel->index->find(channel, &channel->writes, aligned)
                          : dram_queue_find(&channel->writes, aligned);
}

/* --- arrival ------------------------------------------------------------------------------------------------------ */

/* The pieces of [address, end) that lie in one aligned burst each. */
static uint64_t piece_end(const struct dram_channel *channel, uint64_t address, uint64_t end)
{
    return min_u64((address | (channel->geometry.burst_bytes - 1)) + 1, end);
}

static uint64_t aligned(const struct dram_channel *channel, uint64_t address)
{
    return address & ~(channel->geometry.burst_bytes - 1);
}

static void kick(struct dram_channel *channel)
{
    if (!channel->next_request_event.scheduled)
        dram_channel_schedule(channel, &channel->next_request_event, dram_channel_now_of(channel));
}

static uint32_t waiting_writes(const struct mem_ctrl *ctrl)
{
    return ctrl->channels[0].writes.count + (ctrl->channel_count > 1 ? ctrl->channels[1].writes.count : 0);
}

/* As the reference sees it: of two pseudo-channels only the first one's issued reads (classic-memory 10.1). */
static uint32_t waiting_reads(const struct mem_ctrl *ctrl)
{
    return ctrl->channels[0].reads.count + (ctrl->channel_count > 1 ? ctrl->channels[1].reads.count : 0)
           + ctrl->channels[0].response_count;
}

static void fill_burst(const struct dram_channel *channel, struct dram_burst *burst, const struct dram_place *place,
                       const struct packet *packet, uint64_t address, uint32_t size)
{
    burst->row = place->row;
    burst->rank = (uint16_t)place->rank;
    burst->bank = (uint16_t)place->bank;
    burst->bank_place = (uint32_t)(place->rank * channel->geometry.banks + place->bank);
    burst->address = address;
    burst->aligned = aligned(channel, address);
    burst->arrival_ps = dram_channel_now_of(channel);
    burst->size_bytes = size;
    burst->requestor = packet->request.requestor;
}

static void append_write(struct dram_channel *channel, const struct packet *packet, uint64_t address, uint32_t size)
{
    struct mem_ctrl *const ctrl = channel->controller;
    struct dram_place const place = dram_geometry_decode(&channel->geometry, address);
    struct dram_burst *const burst = dram_queue_room(&channel->writes);

    ctrl->stats.write_queue_seen[waiting_writes(ctrl)]++;
    fill_burst(channel, burst, &place, packet, address, size);
    burst->packet = NULL;
    burst->split = DRAM_NOT_SPLIT;
    push(channel, &channel->writes);
    occupancy_up(&channel->stats.write_queue, dram_channel_now_of(channel), channel->writes.count);
    channel->ranks[place.rank].write_entries++;
    occupancy_set(&ctrl->stats.write_length, dram_channel_now_of(channel), waiting_writes(ctrl));
}

static void add_writes(struct dram_channel *channel, struct packet *packet, uint64_t address)
{
    struct mem_ctrl_stats *const stats = &channel->controller->stats;
    uint64_t const end = address + packet->size_bytes;

    stats->write_reqs++;
    stats->bytes_written += packet->size_bytes;
    while (address < end) {
        uint64_t const next = piece_end(channel, address, end);

        stats->write_sizes[log2_up(next - address)]++;
        stats->write_bursts++;
        stats->requestors[packet->request.requestor].write_accesses++;
        if (find_write(channel, aligned(channel, address)) != DRAM_NO_BURST)
            stats->merged_writes++;
        else
            append_write(channel, packet, address, (uint32_t)(next - address));
        address = next;
    }
    mem_ctrl_respond(channel->controller, channel->stats.traffic, packet, channel->controller->frontend_ps);
    kick(channel);
}

static bool write_queue_covers(const struct dram_channel *channel, uint64_t address, uint64_t end)
{
    uint32_t const slot = find_write(channel, aligned(channel, address));
    const struct dram_burst *burst;

    if (slot == DRAM_NO_BURST)
        return false;
    burst = &channel->writes.slots[slot];
    return burst->address <= address && end <= burst->address + burst->size_bytes;
}

static void append_read(struct dram_channel *channel, struct packet *packet, uint64_t address, uint32_t size,
                        uint32_t split)
{
    struct mem_ctrl *const ctrl = channel->controller;
    struct dram_place const place = dram_geometry_decode(&channel->geometry, address);
    struct dram_burst *const burst = dram_queue_room(&channel->reads);

    ctrl->stats.read_queue_seen[waiting_reads(ctrl)]++;
    fill_burst(channel, burst, &place, packet, address, size);
    burst->packet = packet;
    burst->split = split;
    push(channel, &channel->reads);
    occupancy_up(&channel->stats.read_queue, dram_channel_now_of(channel), channel->reads.count);
    channel->ranks[place.rank].read_entries++;
    occupancy_set(&ctrl->stats.read_length, dram_channel_now_of(channel), waiting_reads(ctrl));
}

static void count_read_burst(struct dram_channel *channel, const struct packet *packet, uint64_t size)
{
    struct mem_ctrl_stats *const stats = &channel->controller->stats;

    stats->read_sizes[log2_up(size)]++;
    stats->read_bursts++;
    stats->requestors[packet->request.requestor].read_accesses++;
}

/* A packet of one burst that no waiting write covers. */
static void add_read(struct dram_channel *channel, struct packet *packet, uint64_t address)
{
    count_read_burst(channel, packet, packet->size_bytes);
    append_read(channel, packet, address, packet->size_bytes, DRAM_NOT_SPLIT);
    kick(channel);
}

static void add_reads(struct dram_channel *channel, struct packet *packet, uint64_t address, uint32_t bursts)
{
    struct mem_ctrl_stats *const stats = &channel->controller->stats;
    uint64_t const end = address + packet->size_bytes;
    uint32_t split = DRAM_NOT_SPLIT, served = 0;

    while (address < end) {
        uint64_t const next = piece_end(channel, address, end);

        count_read_burst(channel, packet, next - address);
        if (write_queue_covers(channel, address, next)) {
            served++;
            stats->serviced_by_write_queue++;
            stats->bytes_read_from_write_queue += channel->geometry.burst_bytes;
        } else {
            if (bursts > 1 && split == DRAM_NOT_SPLIT)
                split = channel->free_splits[--channel->free_split_count];
            append_read(channel, packet, address, (uint32_t)(next - address), split);
        }
        address = next;
    }
    if (served == bursts) {
        mem_ctrl_respond(channel->controller, channel->stats.traffic, packet, channel->controller->frontend_ps);
        return;
    }
    if (split != DRAM_NOT_SPLIT)
        channel->splits[split] = (struct dram_split){bursts, served};
    kick(channel);
}

bool dram_channel_recv_request(struct dram_channel *channel, struct packet *packet)
{
    struct mem_ctrl *const ctrl = channel->controller;
    uint64_t const address = packet->address & ~ADDRESS_SECURE;
    uint64_t const offset = address - aligned(channel, address);
    uint32_t const bursts = (uint32_t)((offset + packet->size_bytes + channel->geometry.burst_bytes - 1)
                                       >> channel->geometry.burst.shift);

    assert(packet->size_bytes > 0);
    if (packet_is(packet, ATTR_WRITE)) {
        if (channel->writes.count + bursts > channel->writes.capacity) {
            channel->write_retry_owed = true;
            ctrl->stats.write_retries++;
            return false;
        }
        sim_accepted(channel->sim, ctrl->name, packet, address);
        add_writes(channel, packet, address);
    } else {
        if (channel->reads.count + channel->response_count + bursts > channel->reads.capacity) {
            channel->read_retry_owed = true;
            ctrl->stats.read_retries++;
            return false;
        }
        sim_accepted(channel->sim, ctrl->name, packet, address);
        ctrl->stats.read_reqs++;
        ctrl->stats.bytes_read += packet->size_bytes;
        if (bursts == 1 && !write_queue_covers(channel, address, address + packet->size_bytes))
            add_read(channel, packet, address);
        else
            add_reads(channel, packet, address, bursts);
    }
    return true;
}

/* --- the two events ----------------------------------------------------------------------------------------------- */

static struct dram_response *response_at(const struct dram_channel *channel, uint32_t place)
{
    uint32_t const index = channel->response_head + place;

    return &channel->responses[index < channel->reads.capacity ? index : index - channel->reads.capacity];
}

/* Starts a turn of the bus, or counts that the bus keeps its direction. */
static bool turn_bus(struct dram_channel *channel)
{
    struct mem_ctrl_stats *const stats = &channel->controller->stats;
    bool const turns = channel->bus != channel->bus_next;

    if (!turns) {
        if (channel->bus == BUS_READ)
            stats->stays_read++;
        else
            stats->stays_write++;
    } else if (channel->bus == BUS_READ) {
        stats->turns_to_write++;
        histogram_sample(&stats->reads_per_turn, channel->reads_this_time);
        channel->reads_this_time = 0;
    } else {
        stats->turns_to_read++;
        histogram_sample(&stats->writes_per_turn, channel->writes_this_time);
        channel->writes_this_time = 0;
    }
    channel->bus = channel->bus_next;
    return turns;
}

static bool is_busy(struct dram_channel *channel)
{
    uint32_t busy = 0;

    if (channel->refreshing_ranks == 0)
        return false;
    for (uint32_t i = 0; i < channel->rank_count; i++)
        busy += channel->refresh->is_busy(&channel->ranks[i]);
    return busy == channel->rank_count;
}

/* False: nothing can be done before something arrives or a refresh ends. */
static bool do_read(struct dram_channel *channel, bool turned)
{
    const struct dram_params *const dram = channel->dram;
    const struct dram_burst *burst;
    uint64_t ready_ps;
    uint32_t slot;

    if (channel->reads.count == 0) {
        if (channel->writes.count == 0 || channel->writes.count <= channel->write_low)
            return false;
        channel->bus_next = BUS_WRITE;
        return true;
    }
    slot = channel->scheduler->choose(channel, &channel->reads, turned ? min_u64(dram->tWTR_ps, dram->tCS_ps) : 0);
    if (slot == DRAM_NO_BURST)
        return false;
    burst = &channel->reads.slots[slot];
    remove_burst(channel, &channel->reads, slot);
    ready_ps = dram_issue(channel, &channel->reads, slot);
    channel->reads_this_time++;
    if (channel->response_count == 0)
        dram_channel_schedule(channel, &channel->respond_event, ready_ps);
    *response_at(channel, channel->response_count++) =
        (struct dram_response){.ready_ps = ready_ps, .packet = burst->packet, .split = burst->split,
                               .rank = burst->rank};
    above_response_bound(&channel->controller->above, burst->packet,
                   ready_ps + channel->controller->frontend_ps + channel->controller->backend_ps);
    occupancy_down(&channel->stats.read_queue, dram_channel_now_of(channel), channel->reads.count);
    if (channel->writes.count > channel->write_high
        && (channel->reads_this_time >= channel->min_reads || channel->reads.count == 0))
        channel->bus_next = BUS_WRITE;
    return true;
}

static bool do_write(struct dram_channel *channel, bool turned)
{
    const struct dram_params *const dram = channel->dram;
    uint64_t const turn_ps = turned ? min_u64(dram->tRTW_ps, dram->tCS_ps) : 0;
    uint32_t const slot = channel->scheduler->choose(channel, &channel->writes, turn_ps);

    if (slot == DRAM_NO_BURST)
        return false;
    remove_burst(channel, &channel->writes, slot);
    dram_issue(channel, &channel->writes, slot);
    channel->writes_this_time++;
    occupancy_down(&channel->stats.write_queue, dram_channel_now_of(channel), channel->writes.count);
    if (channel->writes.count == 0 || channel->writes.count + channel->min_writes < channel->write_low
        || (channel->reads.count > 0 && channel->writes_this_time >= channel->min_writes))
        channel->bus_next = BUS_READ;
    return true;
}

/* Would the event only find that the bus stays with reads, and the read queue empty? */
static bool is_idle(const struct dram_channel *channel)
{
    return channel->reads.count == 0 && channel->bus == BUS_READ && channel->bus_next == BUS_READ
           && channel->refreshing_ranks == 0
           && (channel->writes.count == 0 || channel->writes.count <= channel->write_low);
}

static void serve_next_request(struct dram_channel *channel)
{
    struct mem_ctrl *const ctrl = channel->controller;
    bool const turned = turn_bus(channel);

    if (is_busy(channel) || !(channel->bus == BUS_READ ? do_read(channel, turned) : do_write(channel, turned)))
        return;
    if (!channel->next_request_event.scheduled)
        dram_channel_schedule(channel, &channel->next_request_event, max_u64(channel->next_request_ps,
                                                                             dram_channel_now_of(channel)));
    if (channel->write_retry_owed && channel->writes.count < channel->write_retry_limit) {
        channel->write_retry_owed = false;
        ctrl->above.ops->recv_request_retry(ctrl->above.self, ctrl->above.port);
    }
}

static void on_next_request(void *owner)
{
    struct dram_channel *const channel = owner;

    if (is_idle(channel))
        channel->controller->stats.stays_read++;
    else
        serve_next_request(channel);
}

/* True when this was the last burst of its packet. */
static bool finish_burst(struct dram_channel *channel, uint32_t split)
{
    if (split == DRAM_NOT_SPLIT)
        return true;
    channel->splits[split].finished++;
    if (channel->splits[split].finished < channel->splits[split].bursts)
        return false;
    channel->free_splits[channel->free_split_count++] = split;
    return true;
}

static void on_respond(void *owner)
{
    struct dram_channel *const channel = owner;
    struct mem_ctrl *const ctrl = channel->controller;
    struct dram_response const response = *response_at(channel, 0);
    struct dram_rank *const rank = &channel->ranks[response.rank];

    dram_rank_read_left(rank);
    if (finish_burst(channel, response.split))
        mem_ctrl_respond(ctrl, channel->stats.traffic, response.packet, ctrl->frontend_ps + ctrl->backend_ps);
    channel->response_head = channel->response_head + 1 < channel->reads.capacity ? channel->response_head + 1 : 0;
    channel->response_count--;
    if (channel->response_count > 0)
        dram_channel_schedule(channel, &channel->respond_event, response_at(channel, 0)->ready_ps);
    else
        channel->refresh->reads_left(rank);
    channel->refresh->resume_lost(rank);
    if (channel->read_retry_owed) {
        channel->read_retry_owed = false;
        ctrl->above.ops->recv_request_retry(ctrl->above.self, ctrl->above.port);
    }
}

/* --- set-up ------------------------------------------------------------------------------------------------------- */

static struct fault check_times(const struct memory_params *params)
{
    const struct dram_params *const dram = &params->dram;

    if (dram->tCS_ps == PARAM_MISSING || dram->tREFI_ps == PARAM_MISSING)
        return fault_make(FAULT_INPUT, "memory: %s has no %s; give %s", params->device,
                          dram->tCS_ps == PARAM_MISSING ? "tCS" : "tREFI",
                          dram->tCS_ps == PARAM_MISSING ? "memory.tCS, such as 2ns" : "memory.tREFI, such as 3.9us");
    if (dram->tREFI_ps <= dram->tRP_ps || dram->tREFI_ps <= dram->tRFC_ps)
        return fault_make(FAULT_INPUT, "memory.tREFI is %" PRIu64 " ps; it must be longer than tRP (%" PRIu64
                          " ps) and tRFC (%" PRIu64 " ps)", dram->tREFI_ps, dram->tRP_ps, dram->tRFC_ps);
    if (params->controller.write_low_thresh_perc >= params->controller.write_high_thresh_perc)
        return fault_make(FAULT_INPUT, "memory.write_low_thresh_perc is %" PRIu64 "; it must be below "
                          "write_high_thresh_perc, %" PRIu64, params->controller.write_low_thresh_perc,
                          params->controller.write_high_thresh_perc);
    return fault_none();
}

/* From a burst to the next, if nothing is in its way. */
static uint64_t burst_delay_ps(const struct dram_params *dram)
{
    return dram->tBURST_ps == dram->tBURST_MIN_ps ? dram->tBURST_ps : dram->tBURST_MAX_ps / 2;
}

static void derive_delays(struct dram_channel *channel, const struct controller_params *controller)
{
    const struct dram_params *const dram = channel->dram;

    channel->rank_to_rank_ps = dram->tBURST_ps + dram->tCS_ps;
    channel->write_to_read_ps = dram->tBURST_ps + dram->tWTR_ps + dram->tCWL_ps;
    channel->read_to_write_ps = dram->tBURST_ps + dram->tRTW_ps;
    channel->write_to_read_same_group_ps = dram->tCWL_ps + dram->tBURST_MAX_ps + dram->tWTR_L_ps;
    channel->read_to_write_same_group_ps = dram->tRTW_ps + dram->tBURST_MAX_ps;
    channel->command_offset_ps = dram->tRP_ps + max_u64(dram->tRCD_ps, dram->tRCD_WR_ps);
    channel->next_burst_ps = channel->command_offset_ps;
    channel->min_reads = controller->min_reads_per_switch;
    channel->min_writes = controller->min_writes_per_switch;
    channel->write_high = (uint32_t)(dram->write_buffer_size * controller->write_high_thresh_perc / 100);
    channel->write_low = (uint32_t)(dram->write_buffer_size * controller->write_low_thresh_perc / 100);
    channel->scheduler = dram_scheduler_of((enum mem_sched)controller->mem_sched_policy);
    channel->refresh = dram_refresh_of((enum refresh_policy)controller->refresh);
    channel->closes_row = dram_page_policy_of((enum page_policy)dram->page_policy);
}

static struct fault dram_channel_allocate(struct dram_channel *channel)
{
    const struct dram_params *const dram = channel->dram;
    uint32_t const bank_count = (uint32_t)(dram->banks_per_rank * dram->ranks_per_channel);

    FORWARD(dram_queue_init(&channel->reads, dram->read_buffer_size));
    FORWARD(dram_queue_init(&channel->writes, dram->write_buffer_size));
    channel->responses = calloc(dram->read_buffer_size, sizeof *channel->responses);
    channel->splits = calloc(dram->read_buffer_size, sizeof *channel->splits);
    channel->free_splits = calloc(dram->read_buffer_size, sizeof *channel->free_splits);
    channel->stats.bank_reads = calloc(bank_count, sizeof *channel->stats.bank_reads);
    channel->stats.bank_writes = calloc(bank_count, sizeof *channel->stats.bank_writes);
    channel->stats.bank_activates = calloc(bank_count, sizeof *channel->stats.bank_activates);
    channel->stats.bank_conflicts = calloc(bank_count, sizeof *channel->stats.bank_conflicts);
    channel->stats.read_latencies = calloc(1, sizeof *channel->stats.read_latencies);
    channel->ranks = calloc(dram->ranks_per_channel, sizeof *channel->ranks);
    if (!channel->responses || !channel->splits || !channel->free_splits || !channel->stats.bank_reads
        || !channel->stats.bank_writes || !channel->stats.bank_activates || !channel->stats.bank_conflicts
        || !channel->stats.read_latencies || !channel->ranks)
        return fault_make(FAULT_MEMORY, "out of memory for a DRAM channel of %u banks", bank_count);
    channel->rank_count = (uint32_t)dram->ranks_per_channel;
    for (uint32_t i = 0; i < channel->reads.capacity; i++)
        channel->free_splits[channel->free_split_count++] = i;
    return fault_none();
}

struct fault dram_channel_init(struct dram_channel *channel, struct mem_ctrl *controller, const char *name,
                               const struct memory_params *params, const struct address_range *range,
                               uint32_t pseudo_channels)
{
    const struct dram_params *const dram = &params->dram;

    *channel = (struct dram_channel){.controller = controller, .sim = controller->sim, .name = name,
                                     .row_bus = &controller->buses[0],
                                     .column_bus = &controller->buses[pseudo_channels - 1],
                                     .params = malloc(sizeof *params)};
    if (!channel->params)
        return fault_make(FAULT_MEMORY, "out of memory for a DRAM channel");
    *channel->params = *params;
    channel->dram = &channel->params->dram;
    channel->energy = (struct energy_meter){&channel->params->energy, channel, dram_channel_energy_counts,
                                            8 * dram_burst_bytes(channel->dram)};
    channel->write_retry_limit = (uint32_t)(dram->write_buffer_size * pseudo_channels);
    event_init(&channel->next_request_event, on_next_request, channel, EVENT_DEFAULT);
    channel->next_request_event.is_apart = true;
    event_init(&channel->respond_event, on_respond, channel, EVENT_DEFAULT);
    FORWARD(check_times(params));
    FORWARD(dram_geometry_init(&channel->geometry, params, range, channel->sim->line_bytes));
    channel->has_bank_groups = dram->bank_groups_per_rank > 0;
    derive_delays(channel, &params->controller);
    bus_windows_init(&channel->stats.windows, dram->tREFI_ps, burst_delay_ps(dram));
    FORWARD(dram_channel_allocate(channel));
    for (uint32_t i = 0; i < channel->rank_count; i++)
        FORWARD(dram_rank_init(&channel->ranks[i], channel, i));
    /* One sample size for each length of stay that max_accesses_per_row allows (as the reference). */
    FORWARD(histogram_init(&channel->stats.bytes_per_activate,
                             (uint32_t)(dram->max_accesses_per_row ? dram->max_accesses_per_row
                                                                   : channel->geometry.row_bytes)));
    return event_queue_reserve(&channel->sim->events, 2);
}

/* The packet of a read is the channel's until its last burst: it is given back with that burst, wherever it is. */
static void give_packets(struct dram_channel *channel)
{
    for (uint32_t i = 0; i < channel->response_count; i++)
        if (finish_burst(channel, response_at(channel, i)->split))
            packet_give(channel->sim->packets, response_at(channel, i)->packet);
    while (channel->reads.count > 0) {
        const struct dram_burst *const burst = &channel->reads.slots[channel->reads.first];

        if (finish_burst(channel, burst->split))
            packet_give(channel->sim->packets, burst->packet);
        remove_burst(channel, &channel->reads, channel->reads.first);
    }
}

void dram_channel_free(struct dram_channel *channel)
{
    give_packets(channel);
    for (uint32_t i = 0; i < channel->rank_count; i++)
        dram_rank_free(&channel->ranks[i]);
    if (channel->index)
        channel->index->free(channel);
    dram_queue_free(&channel->reads);
    dram_queue_free(&channel->writes);
    free(channel->params);
    free(channel->responses);
    free(channel->splits);
    free(channel->free_splits);
    free(channel->stats.bank_reads);
    free(channel->stats.bank_writes);
    free(channel->stats.bank_activates);
    free(channel->stats.bank_conflicts);
    free(channel->stats.read_latencies);
    free(channel->ranks);
    histogram_free(&channel->stats.bytes_per_activate);
    *channel = (struct dram_channel){0};
}

void dram_channel_startup(struct dram_channel *channel)
{
    for (uint32_t i = 0; i < channel->rank_count; i++)
        channel->refresh->start(&channel->ranks[i]);
}

void dram_channel_drain(struct dram_channel *channel)
{
    channel->write_low = 0;
    kick(channel);
}

double dram_channel_peak_bytes_per_s(const struct dram_channel *channel)
{
    uint64_t const delay_ps = burst_delay_ps(channel->dram);

    return (double)(UINT64_C(1000000000000) / delay_ps) * (double)channel->geometry.burst_bytes;
}

void dram_channel_settle_stats(struct dram_channel *channel)
{
    for (uint32_t i = 0; i < channel->rank_count; i++)
        dram_rank_settle_stats(&channel->ranks[i]);
}

void dram_channel_reset_stats(struct dram_channel *channel)
{
    struct dram_stats *const stats = &channel->stats;
    uint64_t const banks = channel->dram->banks_per_rank * channel->rank_count;

    stats->read_bursts = stats->write_bursts = stats->read_row_hits = stats->write_row_hits = 0;
    stats->queue_ps = stats->bus_ps = stats->access_ps = 0;
    memset(stats->bank_reads, 0, banks * sizeof *stats->bank_reads);
    memset(stats->bank_writes, 0, banks * sizeof *stats->bank_writes);
    memset(stats->bank_activates, 0, banks * sizeof *stats->bank_activates);
    memset(stats->bank_conflicts, 0, banks * sizeof *stats->bank_conflicts);
    memset(stats->traffic, 0, sizeof stats->traffic);
    histogram_reset(&stats->bytes_per_activate);
    latency_histogram_reset(stats->read_latencies);
    bus_windows_reset(&stats->windows, dram_channel_now_of(channel));
    occupancy_reset(&stats->read_queue, dram_channel_now_of(channel));
    occupancy_reset(&stats->write_queue, dram_channel_now_of(channel));
    for (uint32_t i = 0; i < channel->rank_count; i++)
        dram_rank_reset_stats(&channel->ranks[i]);
}

/* --- stall reports ------------------------------------------------------------------------------------------------ */

static bool describe_queued(const struct dram_channel *channel, const struct dram_queue *queue, const char *what,
                            uint64_t line, char *text, size_t size)
{
    uint32_t before = 0;

    for (uint32_t slot = queue->first; slot != DRAM_NO_BURST; slot = queue->slots[slot].next, before++) {
        const struct dram_burst *const burst = &queue->slots[slot];
        const struct dram_rank *const rank = &channel->ranks[burst->rank];

        if (sim_line_address(channel->sim, burst->aligned) != line && burst->address != line)
            continue;
        if (rank->refresh_state == REFRESH_IDLE)
            snprintf(text, size, "%s: in the %s queue, %u bursts before it", channel->controller->name, what,
                     before);
        else
            snprintf(text, size, "%s: in the %s queue, waiting for rank %u, which is %s", channel->controller->name,
                     what, rank->number, dram_refresh_state_text(rank->refresh_state));
        return true;
    }
    return false;
}

bool dram_channel_describe_refusal(const struct dram_channel *channel, char *text, size_t size)
{
    const char *const what = channel->read_retry_owed ? "read" : "write";
    uint32_t const waiting = channel->read_retry_owed ? channel->reads.count + channel->response_count
                                                      : channel->writes.count;

    if (!channel->read_retry_owed && !channel->write_retry_owed)
        return false;
    snprintf(text, size, "%s: not here; a %s was refused and waits for room, %u bursts are in the %s queue, rank %u "
             "is %s", channel->controller->name, what, waiting, what, channel->active_rank,
             dram_refresh_state_text(channel->ranks[channel->active_rank].refresh_state));
    return true;
}

bool dram_channel_describe(const struct dram_channel *channel, uint64_t address, char *text, size_t size)
{
    uint64_t const line = sim_line_address(channel->sim, address & ~ADDRESS_SECURE);

    for (uint32_t i = 0; i < channel->response_count; i++) {
        const struct dram_response *const response = response_at(channel, i);

        if (sim_line_address(channel->sim, response->packet->address & ~ADDRESS_SECURE) == line) {
            snprintf(text, size, "%s: its burst is issued, data at %" PRIu64 " ps", channel->controller->name,
                     response->ready_ps);
            return true;
        }
    }
    return describe_queued(channel, &channel->reads, "read", line, text, size)
           || describe_queued(channel, &channel->writes, "write", line, text, size);
}
