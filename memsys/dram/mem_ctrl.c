/* Modelled: the port of classic-memory 8.2 and 8.4, and the state shared by two pseudo-channels (10.1). Not modelled:
 * quality of service with several priorities, non-volatile memory behind the same controller.
 *
 * The controller itself decides nothing: it times arrivals, finds the channel of an address and queues the answers, of
 * which at most one a tick leaves. */
#include "memsys/dram/mem_ctrl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/dram/geometry.h"
#include "memsys/dram/memory_params.h"

#define PSEUDO_CHANNEL_BIT 6

static bool mem_ctrl_recv_request(void *self, struct packet *packet, unsigned port)
{
    struct mem_ctrl *const ctrl = self;
    unsigned const pseudo_channel = ctrl->channel_count > 1 ? packet->address >> PSEUDO_CHANNEL_BIT & 1 : 0;

    (void)port;
    if (ctrl->previous_arrival_ps != 0)
        ctrl->stats.gap_ps += sim_now_ps(ctrl->sim) - ctrl->previous_arrival_ps;
    ctrl->previous_arrival_ps = sim_now_ps(ctrl->sim);
    return dram_channel_recv_request(&ctrl->channels[pseudo_channel], packet);
}

static void mem_ctrl_recv_response_retry(void *self, unsigned port)
{
    struct mem_ctrl *const ctrl = self;

    (void)port;
    packet_queue_retry(&ctrl->responses);
}

uint64_t mem_ctrl_shortest_read_ps(const struct memory_params *params)
{
    return params->dram.tCL_ps + params->dram.tBURST_ps + params->controller.static_frontend_latency_ps
         + params->controller.static_backend_latency_ps;
}

struct below mem_ctrl_port(struct mem_ctrl *ctrl)
{
    static const struct below_ops ops = {.recv_request = mem_ctrl_recv_request,
        .recv_response_retry = mem_ctrl_recv_response_retry};

    return (struct below){.ops = &ops, .self = ctrl};
}

/* Refuses what the reference refuses, and also channels that use the same address bit, which the reference decodes
 * wrongly (classic-memory 10.1). */
static struct fault check_pseudo_channels(const struct mem_ctrl *ctrl, const struct memory_params *params)
{
    const struct address_range *const range = &ctrl->range;

    if (dram_mapping_of(params->dram.addr_mapping)->has_row_stripes)
        return fault_make(FAULT_INPUT, "memory.addr_mapping RoRaBaChCo does not go with pseudo-channels; choose "
                          "RoRaBaCoCh");
    for (uint32_t i = 0; i < range->removed_count; i++)
        if (range->removed[i] == PSEUDO_CHANNEL_BIT)
            return fault_make(FAULT_INPUT, "memory.interleave is %" PRIu64 " bytes; pseudo-channels alternate every 64 "
                              "bytes, give at least 128", address_range_stripe_bytes(range));
    if (range->divisor && range->stripe_shift <= PSEUDO_CHANNEL_BIT)
        return fault_make(FAULT_INPUT, "memory.interleave is %" PRIu64 " bytes; pseudo-channels alternate every 64 "
                          "bytes, give at least 128", address_range_stripe_bytes(range));
    if (ctrl->sim->line_bytes > UINT64_C(1) << PSEUDO_CHANNEL_BIT)
        return fault_make(FAULT_INPUT, "line is %u bytes; pseudo-channels alternate every 64 bytes, give at most that",
                          ctrl->sim->line_bytes);
    return fault_none();
}

static struct fault init_stats(struct mem_ctrl_stats *stats, const struct dram_params *dram, uint32_t channels)
{
    stats->read_queue_lengths = (uint32_t)(dram->read_buffer_size * channels);
    stats->write_queue_lengths = (uint32_t)(dram->write_buffer_size * channels);
    stats->read_queue_seen = calloc(stats->read_queue_lengths, sizeof *stats->read_queue_seen);
    stats->write_queue_seen = calloc(stats->write_queue_lengths, sizeof *stats->write_queue_seen);
    if (!stats->read_queue_seen || !stats->write_queue_seen)
        return fault_make(FAULT_MEMORY, "out of memory for the controller's statistics");
    FORWARD(histogram_init(&stats->reads_per_turn, stats->read_queue_lengths));
    return histogram_init(&stats->writes_per_turn, stats->write_queue_lengths);
}

struct fault mem_ctrl_init(struct mem_ctrl *ctrl, struct sim *sim, const char *name, const struct memory_params *params,
                           unsigned number, bool has_pseudo_channels)
{
    static const char *const channel_names[] = {"dram", "dram_2"};
    const struct controller_params *const controller = &params->controller;

    *ctrl = (struct mem_ctrl){.sim = sim, .name = name, .channel_count = has_pseudo_channels ? 2 : 1,
                              .frontend_ps = controller->static_frontend_latency_ps,
                              .backend_ps = controller->static_backend_latency_ps};
    FORWARD(address_range_init(&ctrl->range, params, number));
    if (has_pseudo_channels)
        FORWARD(check_pseudo_channels(ctrl, params));
    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        FORWARD(dram_command_bus_init(&ctrl->buses[i], sim, controller->command_window_ps,
                                        params->dram.tCK_ps));
    for (uint32_t i = 0; i < ctrl->channel_count; i++) {
        struct address_range range = ctrl->range;

        if (has_pseudo_channels)
            address_range_remove_bit(&range, PSEUDO_CHANNEL_BIT);
        FORWARD(dram_channel_init(&ctrl->channels[i], ctrl, channel_names[i], params, &range, ctrl->channel_count));
        ctrl->latency_list[i] = ctrl->channels[i].stats.read_latencies;
    }
    ctrl->read_latencies = (struct latency_histograms){ctrl->latency_list, ctrl->channel_count};
    FORWARD(init_stats(&ctrl->stats, &params->dram, ctrl->channel_count));
    return packet_queue_init_responses(&ctrl->responses, sim, &ctrl->above, true);
}

void mem_ctrl_free(struct mem_ctrl *ctrl)
{
    for (uint32_t i = 0; i < ctrl->channel_count; i++) {
        dram_channel_free(&ctrl->channels[i]);
        dram_command_bus_free(&ctrl->buses[i]);
    }
    packet_queue_free(&ctrl->responses);
    free(ctrl->stats.read_queue_seen);
    free(ctrl->stats.write_queue_seen);
    ctrl->stats.read_queue_seen = ctrl->stats.write_queue_seen = NULL;
    histogram_free(&ctrl->stats.reads_per_turn);
    histogram_free(&ctrl->stats.writes_per_turn);
}

void mem_ctrl_startup(struct mem_ctrl *ctrl)
{
    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        dram_channel_startup(&ctrl->channels[i]);
}

void mem_ctrl_settle_stats(struct mem_ctrl *ctrl)
{
    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        dram_channel_settle_stats(&ctrl->channels[i]);
}

/* Counters to 0; allocations, levels and the previous arrival are kept. */
void mem_ctrl_reset_stats(struct mem_ctrl *ctrl)
{
    struct mem_ctrl_stats *const stats = &ctrl->stats;
    struct mem_ctrl_stats fresh = {.read_queue_seen = stats->read_queue_seen,
                                   .write_queue_seen = stats->write_queue_seen,
                                   .read_queue_lengths = stats->read_queue_lengths,
                                   .write_queue_lengths = stats->write_queue_lengths,
                                   .read_length = stats->read_length,
                                   .write_length = stats->write_length,
                                   .reads_per_turn = stats->reads_per_turn,
                                   .writes_per_turn = stats->writes_per_turn};

    occupancy_reset(&fresh.read_length, sim_now_ps(ctrl->sim));
    occupancy_reset(&fresh.write_length, sim_now_ps(ctrl->sim));
    histogram_reset(&fresh.reads_per_turn);
    histogram_reset(&fresh.writes_per_turn);
    memset(fresh.read_queue_seen, 0, fresh.read_queue_lengths * sizeof *fresh.read_queue_seen);
    memset(fresh.write_queue_seen, 0, fresh.write_queue_lengths * sizeof *fresh.write_queue_seen);
    *stats = fresh;
    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        dram_channel_reset_stats(&ctrl->channels[i]);
}

bool mem_ctrl_describe(const struct mem_ctrl *ctrl, uint64_t address, char *text, size_t size)
{
    uint64_t const line = sim_line_address(ctrl->sim, address & ~ADDRESS_SECURE);

    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        if (dram_channel_describe(&ctrl->channels[i], line, text, size))
            return true;
    if (packet_queue_holds_line(&ctrl->responses, line)
        || packet_queue_holds_line(&ctrl->responses, line | ADDRESS_SECURE)) {
        snprintf(text, size, "%s: its answer %s", ctrl->name,
                 ctrl->responses.waiting_for_retry ? "waits for the bus above" : "is about to leave");
        return true;
    }
    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        if (dram_channel_describe_refusal(&ctrl->channels[i], text, size))
            return false;
    snprintf(text, size, "%s: not here", ctrl->name);
    return false;
}
