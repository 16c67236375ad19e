/* Modelled: gpu-traces 10 and 12.5: L2-to-DRAM queues, the pipe of fixed latency, one request a channel and DRAM cycle.
 * The queues of a channel's slices are one here, as deep as all together; a slice's miss queue counts with it. Not
 * modelled: credits by which the reference shares a channel among its slices.
 *
 * When a request enters the pipe is known as soon as it is sent, unless the controller refuses: then it waits. */
#include "memsys/gpu_channel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void take_ready(struct gpu_channel *channel);

static struct gpu_dram_request *request_at(const struct gpu_channel *channel, uint32_t place)
{
    return &channel->requests[(channel->head + place) & channel->mask];
}

static uint32_t number_of(const struct gpu_channel *channel)
{
    return (uint32_t)(channel - channel->all->channels);
}

/* --- to DRAM ----------------------------------------------------------------------------------------------------- */

static uint64_t pipe_end_ps(const struct gpu_channels *channels, uint64_t entry_ps)
{
    return domain_edge_ps(channels->core, entry_ps) + channels->latency_ps;
}

static void note_due(struct gpu_channel *channel)
{
    if (channel->is_due || channel->refused || channel->in_pipe == 0)
        return;
    channel->is_due = true;
    gpu_calendar_put(&channel->all->due, number_of(channel), request_at(channel, 0)->ready_ps);
}

static void enter_pipe(struct gpu_channel *channel)
{
    struct gpu_channels *const all = channel->all;

    while (channel->waiting > 0 && !channel->refused) {
        uint64_t const entry_ps = max_u64(channel->entry_ps, sim_now_ps(all->sim));

        request_at(channel, channel->in_pipe)->ready_ps = pipe_end_ps(all, entry_ps);
        channel->entry_ps = entry_ps + all->dram.period_ps;
        channel->in_pipe++;
        channel->waiting--;
    }
    note_due(channel);
}

/* On a bus that cores share, a sector is less than a line: a write, not a write-back. */
static struct packet *packet_of(struct gpu_channels *all, const struct gpu_dram_request *request)
{
    uint64_t const address = all->controllers
                               ? gpu_hash_dram_address(all->hash, request->key)
                               : gpu_pages_place(&all->pages, gpu_hash_address(all->hash, request->key));
    enum command const write = all->controllers ? CMD_WritebackDirty : CMD_WriteReq;
    struct packet *const packet = packet_take_line(&all->sim->packets, address, all->sector_bytes, all->requestor,
                                                   request->is_write ? write : CMD_ReadReq);

    /* for the answer, which nobody else reads */
    packet->request.sequence = request->key;
    packet->request.pc = request->slice;
    return packet;
}

/* False: the controller refused, and will say when to try again. */
static bool hand_over(struct gpu_channel *channel, struct packet *packet)
{
    bool const ends_here = packet_is(packet, ATTR_WRITE) && !packet_is(packet, ATTR_NEEDS_RESPONSE);

    channel->refused = NULL;
    if (!channel->dram.ops->recv_request(channel->dram.self, packet, channel->dram.port)) {
        channel->refused = packet;
        return false;
    }
    channel->all->under_way -= ends_here;
    return true;
}

/* Hands over all that have left the pipe. */
static void take_ready(struct gpu_channel *channel)
{
    struct gpu_channels *const all = channel->all;

    while (channel->in_pipe > 0 && request_at(channel, 0)->ready_ps <= sim_now_ps(all->sim)) {
        struct packet *const packet = packet_of(all, request_at(channel, 0));

        channel->head++;
        channel->in_pipe--;
        if (!hand_over(channel, packet))
            return;
    }
    note_due(channel);
}

static void on_due(void *owner, uint32_t number)
{
    struct gpu_channels *const all = owner;
    struct gpu_channel *const channel = &all->channels[number];

    channel->is_due = false;
    take_ready(channel);
}

unsigned gpu_channels_room(const struct gpu_channels *channels, uint32_t number)
{
    const struct gpu_channel *const channel = &channels->channels[number];
    uint64_t const now_ps = sim_now_ps(channels->sim);
    uint64_t waiting = channel->waiting;

    if (channel->entry_ps > now_ps)
        waiting += domain_quotient(channels->dram, channel->entry_ps - now_ps);
    return waiting < channels->capacity ? channels->capacity - (unsigned)waiting : 0;
}

/* The ring is twice as large from here on. */
static void grow(struct gpu_channel *channel)
{
    uint32_t const count = channel->in_pipe + channel->waiting, size = channel->mask + 1;
    struct gpu_dram_request *const requests = malloc(2 * size * sizeof *requests);

    if (!requests)
        abort();                             /* as the pool of packets */
    for (uint32_t i = 0; i < count; i++)
        requests[i] = *request_at(channel, i);
    free(channel->requests);
    channel->requests = requests;
    channel->head = 0;
    channel->mask = 2 * size - 1;
}

void gpu_channels_send(struct gpu_channels *channels, uint32_t number, uint32_t slice, uint64_t key, bool is_write)
{
    struct gpu_channel *const channel = &channels->channels[number];

    if (channel->in_pipe + channel->waiting > channel->mask)
        grow(channel);
    *request_at(channel, channel->in_pipe + channel->waiting) =
        (struct gpu_dram_request){.key = key, .slice = slice, .is_write = is_write};
    channel->waiting++;
    channels->under_way++;
    enter_pipe(channel);
}

/* --- from DRAM --------------------------------------------------------------------------------------------------- */

static bool recv_response(void *self, struct packet *packet, unsigned port)
{
    struct gpu_channel *const channel = self;
    uint32_t const slice = (uint32_t)packet->request.pc;
    uint64_t const key = packet->request.sequence;
    bool const is_write = packet_is(packet, ATTR_WRITE);

    (void)port;
    packet_give(&channel->all->sim->packets, packet);
    channel->all->under_way--;
    if (!is_write)
        channel->all->sink.fetched(channel->all->sink.self, slice, key);
    return true;
}

static void recv_request_retry(void *self, unsigned port)
{
    struct gpu_channel *const channel = self;

    (void)port;
    if (!channel->refused || !hand_over(channel, channel->refused))
        return;
    take_ready(channel);
    if (channel->refused || channel->waiting == 0)
        return;
    enter_pipe(channel);
    channel->all->sink.room(channel->all->sink.self, number_of(channel));
}

static const struct above_ops channel_ops = {.recv_response = recv_response, .recv_request_retry = recv_request_retry};

struct above gpu_channels_above(struct gpu_channels *channels, uint32_t channel)
{
    return (struct above){.ops = &channel_ops, .self = &channels->channels[channel],
                          .requestor = channels->requestor};
}

void gpu_channels_connect(struct gpu_channels *channels, uint32_t channel, struct below dram)
{
    channels->channels[channel].dram = dram;
}

/* --- set-up ------------------------------------------------------------------------------------------------------ */

/* One channel as a memory of its own, whose decoding gives back the row, bank and column that the address was made of.
 * The window in which commands are counted is one of whole cycles: a burst may take a single one. */
static struct memory_params own_memory(const struct memory_params *memory, const struct gpu_hash *hash)
{
    struct memory_params own = *memory;
    uint64_t const rows_bytes =
        dram_row_bytes(&memory->dram) * memory->dram.banks_per_rank * memory->dram.ranks_per_channel;

    own.channels = 1;
    own.base = 0;
    own.interleave_bytes = INTERLEAVE_AUTO;
    own.xor_low_bit = 0;
    own.dram.addr_mapping = MAP_RO_RA_BA_CO_CH;
    own.controller.command_window_ps =
        clock_edge_ps(memory->controller.command_window_ps, memory->dram.tCK_ps, 0);
    own.size_bytes =
        max_u64(UINT64_C(1) << (hash->row.width + hash->bank.width + hash->column.width), rows_bytes);
    return own;
}

static struct fault make_controllers(struct gpu_channels *channels, const struct memory_params *memory)
{
    struct memory_params const own = own_memory(memory, channels->hash);

    if (memory->type != MEMORY_DRAM)
        return fault_make(FAULT_INPUT, "memory.type: a GPU of its own needs dram");
    channels->controllers = calloc(channels->count, sizeof *channels->controllers);
    channels->names = calloc(channels->count, sizeof *channels->names);
    if (!channels->controllers || !channels->names)
        return fault_make(FAULT_MEMORY, "out of memory for %u memory controllers", channels->count);
    for (uint32_t i = 0; i < channels->count; i++) {
        struct mem_ctrl *const controller = &channels->controllers[i];

        snprintf(channels->names[i], sizeof channels->names[i], "gpu.mem_ctrls%u", i);
        FAULT_TRY(mem_ctrl_init(controller, channels->sim, channels->names[i], &own, 0, false));
        controller->above = gpu_channels_above(channels, i);
        channels->channels[i].dram = mem_ctrl_port(controller);
    }
    return fault_none();
}

struct fault gpu_channels_init(struct gpu_channels *channels, struct sim *sim, const struct gpu_params *params,
                               const struct memory_params *memory, const struct below *dram,
                               const struct gpu_hash *hash, const struct gpu_channel_sink *sink)
{
    const struct gpu_l2_params *const l2 = &params->l2;
    uint32_t const count = (uint32_t)l2->channels;
    uint32_t size = 64;

    *channels = (struct gpu_channels){.sim = sim, .hash = hash, .sink = *sink, .count = count,
                                      .capacity = (uint32_t)(l2->slices * (l2->queue + l2->cache.miss_queue)),
                                      .sector_bytes = (uint32_t)l2->cache.sector_bytes,
                                      .latency_ps = l2->dram_latency_cyc * params->core_clock_ps,
                                      .core = clock_domain(params->core_clock_ps),
                                      .dram = clock_domain(dram ? params->l2_clock_ps : memory->dram.tCK_ps)};
    while (size < channels->capacity)
        size *= 2;
    channels->requestor = sim_add_requestor(sim, "gpu");
    channels->channels = calloc(count, sizeof *channels->channels);
    if (!channels->channels)
        return fault_make(FAULT_MEMORY, "out of memory for %u channels", count);
    for (uint32_t i = 0; i < count; i++) {
        struct gpu_channel *const channel = &channels->channels[i];

        *channel = (struct gpu_channel){.all = channels, .mask = size - 1,
                                        .requests = malloc(size * sizeof *channel->requests)};
        if (!channel->requests)
            return fault_make(FAULT_MEMORY, "out of memory for the queue of a channel");
        if (dram)
            channel->dram = dram[i];
    }
    FAULT_TRY(gpu_calendar_init(&channels->due, sim, params->core_clock_ps, count, on_due, channels));
    if (!dram)
        return make_controllers(channels, memory);
    return gpu_pages_init(&channels->pages, params->memory_base, params->memory_size_bytes, params->page_bytes);
}

void gpu_channels_free(struct gpu_channels *channels)
{
    for (uint32_t i = 0; channels->channels && i < channels->count; i++) {
        if (channels->channels[i].refused)
            packet_give(&channels->sim->packets, channels->channels[i].refused);
        if (channels->controllers && channels->controllers[i].sim)
            mem_ctrl_free(&channels->controllers[i]);
        free(channels->channels[i].requests);
    }
    if (channels->due.items)
        gpu_calendar_free(&channels->due);
    free(channels->channels);
    free(channels->controllers);
    free(channels->names);
    gpu_pages_free(&channels->pages);
    *channels = (struct gpu_channels){0};
}

void gpu_channels_startup(struct gpu_channels *channels)
{
    for (uint32_t i = 0; channels->controllers && i < channels->count; i++)
        mem_ctrl_startup(&channels->controllers[i]);
}

uint64_t gpu_channels_handover_ps(const struct gpu_params *params, uint64_t now_ps)
{
    return clock_edge_ps(now_ps, params->core_clock_ps, params->l2.dram_latency_cyc);
}

uint64_t gpu_channels_read_ps(const struct memory_params *memory)
{
    const struct dram_params *const dram = &memory->dram;
    const struct controller_params *const controller = &memory->controller;
    /* an answer never leaves in the tick in which it is made */
    uint64_t const way_ps = max_u64(controller->static_frontend_latency_ps + controller->static_backend_latency_ps, 1);

    return dram->tRCD_ps + dram->tCL_ps + dram->tBURST_ps + way_ps;
}
