/* Modelled: gpu-traces 10 and 12.5: L2-to-DRAM queues, the pipe of fixed latency, one request a channel and DRAM cycle.
 * The queues of a channel's slices are one here, as deep as all together, in which each slice has no more than its own
 * depth while the pipe is full; a slice's miss queue counts with it. Not modelled: credits by which the reference
 * shares a channel among its slices.
 *
 * When a request enters the pipe, and leaves it, is known as soon as it is sent, unless the controller refuses: then it
 * waits.
 *
 * A controller of ours has an event queue of its own: a GPU has dozens, and in the common queue each of their events
 * would have to find its place among all others'. A controller has no effect on other components until its answers
 * reach the L2. So it is brought up to date at the edges of the L2's clock, and only if it has reads or is about to
 * get a request; each request reaches it at its own tick, between the events before and after. Nothing simulated
 * differs. Controllers of DRAM commands are, while they have reads, brought up to date at each edge, as what they have
 * scheduled depends on the engine, and items of one edge are handled in the order in which they were put there; in a
 * tick of such a controller's own event a request comes first (cmd_ctrl.h). */
#include "memsys/gpu/gpu_channel.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memsys/gpu/gpu_params.h"

static struct gpu_dram_request *request_at(const struct gpu_channel *channel, uint32_t place)
{
    return &channel->requests[(channel->head + place) & channel->mask];
}

static uint32_t gpu_channel_number_of(const struct gpu_channel *channel)
{
    return (uint32_t)(channel - channel->all->channels);
}

/* The time that the controller lives in. */
static struct sim *sim_of(const struct gpu_channel *channel)
{
    return channel->own ? &channel->own->sim : channel->all->sim;
}

/* --- to DRAM ------------------------------------------------------------------------------------------------------ */

/* Puts the channel into the calendar for the first thing that will happen; it may be there already, for something
 * later. */
static void note_due(struct gpu_channel *channel)
{
    struct gpu_channels *const all = channel->all;
    uint64_t due_ps = TICK_NEVER;

    if (channel->own && (channel->answers > 0 || channel->refused))
        due_ps = channel->own->commands ? sim_now_ps(all->sim) + 1 : event_queue_next_ps(&channel->own->sim.events);
    if (channel->in_pipe > 0 && !channel->refused)
        due_ps = min_u64(due_ps, request_at(channel, 0)->ready_ps);
    if (due_ps == TICK_NEVER || channel->due_ps != TICK_NEVER)
        return;
    channel->due_ps = due_ps;
    gpu_calendar_put(all->edges, all->first_item + gpu_channel_number_of(channel), due_ps);
}

static void enter_pipe(struct gpu_channel *channel)
{
    struct gpu_channels *const all = channel->all;
    uint64_t const now_ps = sim_now_ps(all->sim);

    while (channel->waiting > 0 && !channel->refused) {
        uint64_t const entry_ps = max_u64(channel->entry_ps, now_ps);

        request_at(channel, channel->in_pipe)->ready_ps = domain_edge_ps(all->core, entry_ps) + all->latency_ps;
        channel->entry_ps = entry_ps + all->dram.period_ps;
        channel->in_pipe++;
        channel->waiting--;
    }
}

/* On a bus that cores share, a sector is less than a line: a write, not a write-back. */
static struct packet *packet_of(const struct gpu_channel *channel, const struct gpu_dram_request *request)
{
    struct gpu_channels *const all = channel->all;
    uint64_t const address = channel->own ? gpu_controller_address(channel->own, all->hash, request->key)
                                          : gpu_pages_place(&all->pages, gpu_hash_address(all->hash, request->key));
    enum command const write = channel->own ? CMD_WritebackDirty : CMD_WriteReq;
    struct packet *const packet = packet_take_line(sim_of(channel)->packets, address, all->sector_bytes,
                                                   all->requestor, request->is_write ? write : CMD_ReadReq);

    /* read back only when the answer comes */
    packet->request.sequence = request->key;
    packet->request.pc = request->slice | (uint64_t)request->mshr << 32;
    return packet;
}

/* The controller may refuse; then it will say when to try again. */
static void hand_over(struct gpu_channel *channel, struct packet *packet)
{
    struct below const dram = channel->own ? gpu_controller_port(channel->own, packet->address) : channel->dram;
    bool const is_answered = packet_is(packet, ATTR_NEEDS_RESPONSE);

    channel->refused = NULL;
    if (!dram.ops->recv_request(dram.self, packet, dram.port)) {
        channel->refused = packet;
        return;
    }
    channel->all->under_way -= !is_answered;
    channel->answers += is_answered;
}

static void hand_over_first(struct gpu_channel *channel)
{
    const struct gpu_channels *const all = channel->all;
    struct packet *const packet = packet_of(channel, request_at(channel, 0));

    if (channel->in_pipe + channel->waiting > all->stages)
        channel->behind[request_at(channel, all->stages)->slice % all->slices]--;
    channel->head++;
    channel->in_pipe--;
    hand_over(channel, packet);
}

/* All that happens up to now_ps, in the order of time. */
static void catch_up(struct gpu_channel *channel, uint64_t now_ps)
{
    struct event_queue *const events = channel->own ? &channel->own->sim.events : NULL;
    bool const is_first = channel->own && channel->own->commands;

    for (;;) {
        bool const has_next = channel->in_pipe > 0 && !channel->refused;
        uint64_t const ready_ps = has_next ? request_at(channel, 0)->ready_ps : TICK_NEVER;

        if (events && event_queue_step(events, min_u64(ready_ps - (is_first && ready_ps > 0), now_ps)))
            continue;
        if (ready_ps > now_ps)
            return;
        if (events)
            events->now_ps = max_u64(events->now_ps, ready_ps);
        hand_over_first(channel);
    }
}

void gpu_channels_due(struct gpu_channels *channels, uint32_t number)
{
    struct gpu_channel *const channel = &channels->channels[number];

    channel->due_ps = TICK_NEVER;
    catch_up(channel, sim_now_ps(channels->sim));
    note_due(channel);
}

/* Queued are those whose turn to enter the pipe comes later, or that find it full. While it is full each slice has its
 * share of the queue: else the first to ask would take all room, and others starve. */
unsigned gpu_channels_room(const struct gpu_channels *channels, uint32_t number, uint32_t slice)
{
    const struct gpu_channel *const channel = &channels->channels[number];
    uint64_t const now_ps = sim_now_ps(channels->sim);
    uint64_t const later = channel->entry_ps > now_ps ? domain_quotient(channels->dram, channel->entry_ps - now_ps) : 0;
    uint64_t const held = channel->in_pipe > channels->stages ? channel->in_pipe - channels->stages : 0;
    uint64_t const queued = channel->waiting + max_u64(held, later);
    uint32_t const own = channel->behind[slice % channels->slices];

    if (held == 0)
        return queued < channels->capacity ? channels->capacity - (unsigned)queued : 0;
    return own < channels->share ? channels->share - own : 0;
}

/* The ring is twice as large from here on. */
static void channel_grow(struct gpu_channel *channel)
{
    uint32_t const count = channel->in_pipe + channel->waiting, size = channel->mask + 1;
    struct gpu_dram_request *const requests = malloc(2 * size * sizeof *requests);

    if (!requests)
        sim_out_of_memory(channel->all->sim);
    for (uint32_t i = 0; i < count; i++)
        requests[i] = *request_at(channel, i);
    free(channel->requests);
    channel->requests = requests;
    channel->head = 0;
    channel->mask = 2 * size - 1;
}

void gpu_channels_send(struct gpu_channels *channels, uint32_t number, uint32_t slice, uint64_t key, uint32_t mshr,
                       bool is_write)
{
    struct gpu_channel *const channel = &channels->channels[number];

    if (channel->in_pipe + channel->waiting > channel->mask)
        channel_grow(channel);
    *request_at(channel, channel->in_pipe + channel->waiting) =
        (struct gpu_dram_request){.key = key, .slice = slice, .mshr = mshr, .is_write = is_write};
    if (channel->in_pipe + channel->waiting >= channels->stages)
        channel->behind[slice % channels->slices]++;
    channel->waiting++;
    channels->under_way++;
    if (channels->heat)
        address_heat_count(channels->heat, gpu_hash_address(channels->hash, key));
    enter_pipe(channel);
    note_due(channel);
}

/* --- from DRAM ---------------------------------------------------------------------------------------------------- */

static bool gpu_channel_recv_response(void *self, struct packet *packet, unsigned port)
{
    struct gpu_channel *const channel = self;
    uint32_t const slice = (uint32_t)packet->request.pc, mshr = (uint32_t)(packet->request.pc >> 32);
    uint64_t const key = packet->request.sequence;
    bool const is_read = packet_is(packet, ATTR_READ);

    (void)port;
    packet_give(sim_of(channel)->packets, packet);
    channel->answers--;
    channel->all->under_way--;
    if (is_read)
        channel->all->sink.fetched(channel->all->sink.self, slice, key, mshr);
    return true;
}

static void gpu_channel_recv_request_retry(void *self, unsigned port)
{
    struct gpu_channel *const channel = self;

    (void)port;
    if (!channel->refused)
        return;
    hand_over(channel, channel->refused);
    if (!channel->own && !channel->refused)
        catch_up(channel, sim_now_ps(channel->all->sim));
    if (!channel->refused && channel->waiting > 0) {
        enter_pipe(channel);
        channel->all->sink.room(channel->all->sink.self, gpu_channel_number_of(channel));
    }
    if (!channel->own)
        note_due(channel);
}

struct above gpu_channels_above(struct gpu_channels *channels, uint32_t number)
{
    static const struct above_ops ops = {.recv_response = gpu_channel_recv_response,
        .recv_request_retry = gpu_channel_recv_request_retry};

    return (struct above){.ops = &ops, .self = &channels->channels[number],
                          .requestor = channels->requestor};
}

void gpu_channels_connect(struct gpu_channels *channels, uint32_t channel, struct below dram)
{
    channels->channels[channel].dram = dram;
}

/* --- set-up ------------------------------------------------------------------------------------------------------ */

static struct fault make_controller(struct gpu_channel *channel, const struct memory_params *memory,
                                    const struct cmd_config *commands)
{
    struct gpu_channels *const all = channel->all;
    struct gpu_controller_place const place = {.root = all->sim, .memory = memory, .commands = commands,
                                               .hash = all->hash, .number = gpu_channel_number_of(channel),
                                               .count = all->count,
                                               .above = gpu_channels_above(all, gpu_channel_number_of(channel))};

    FORWARD(gpu_controller_make(&channel->own, &place));
    if (!channel->own->commands)
        all->requestor = channel->own->requestor;
    return fault_none();
}

struct fault gpu_channels_init(struct gpu_channels *channels, struct sim *sim, const struct gpu_params *params,
                               const struct memory_params *memory, const struct cmd_config *commands,
                               const struct below *dram, const struct gpu_hash *hash,
                               const struct gpu_channel_sink *sink)
{
    const struct gpu_l2_params *const l2 = &params->l2;
    uint32_t const count = (uint32_t)l2->channels;
    uint32_t size = 64;

    *channels = (struct gpu_channels){.sim = sim, .hash = hash, .sink = *sink, .count = count,
                                      .capacity = (uint32_t)(l2->slices * (l2->queue + l2->cache.miss_queue)),
                                      .slices = (uint32_t)l2->slices,
                                      .share = (uint32_t)(l2->queue + l2->cache.miss_queue),
                                      .sector_bytes = (uint32_t)l2->cache.sector_bytes,
                                      .latency_ps = l2->dram_latency_cyc * params->core_clock_ps,
                                      .core = clock_domain(params->core_clock_ps),
                                      .dram = clock_domain(dram ? params->l2_clock_ps
                                                                : gpu_controller_period_ps(memory, count))};
    channels->stages = (uint32_t)((channels->latency_ps + params->core_clock_ps + params->l2_clock_ps)
                                  / channels->dram.period_ps) + 1;
    while (size < channels->capacity)
        size *= 2;
    if (dram || commands)
        channels->requestor = sim_add_requestor(sim, "gpu");
    channels->channels = calloc(count, sizeof *channels->channels);
    if (!channels->channels)
        return fault_make(FAULT_MEMORY, "out of memory for %u channels", count);
    for (uint32_t i = 0; i < count; i++) {
        struct gpu_channel *const channel = &channels->channels[i];

        *channel = (struct gpu_channel){.all = channels, .mask = size - 1, .due_ps = TICK_NEVER,
                                        .requests = malloc(size * sizeof *channel->requests),
                                        .behind = calloc(l2->slices, sizeof *channel->behind)};
        if (!channel->requests || !channel->behind)
            return fault_make(FAULT_MEMORY, "out of memory for the queue of a channel");
        if (dram)
            channel->dram = dram[i];
        else
            FORWARD(make_controller(channel, memory, commands));
    }
    if (dram)
        gpu_pages_init(&channels->pages, channels->sim, params->memory_base, params->memory_size_bytes,
                       params->page_bytes);
    return fault_none();
}

void gpu_channels_free(struct gpu_channels *channels)
{
    for (uint32_t i = 0; channels->channels && i < channels->count; i++) {
        struct gpu_channel *const channel = &channels->channels[i];

        if (channel->refused)
            packet_give(sim_of(channel)->packets, channel->refused);
        gpu_controller_free(channel->own);
        free(channel->requests);
        free(channel->behind);
    }
    gpu_pages_free(&channels->pages);
    free(channels->channels);
    *channels = (struct gpu_channels){0};
}

void gpu_channels_startup(struct gpu_channels *channels)
{
    for (uint32_t i = 0; i < channels->count; i++)
        if (channels->channels[i].own)
            gpu_controller_startup(channels->channels[i].own);
}

void gpu_channels_settle(struct gpu_channels *channels, uint64_t now_ps)
{
    for (uint32_t i = 0; i < channels->count; i++) {
        struct gpu_channel *const channel = &channels->channels[i];

        if (!channel->own || !channel->own->commands)
            continue;
        catch_up(channel, now_ps);
        gpu_controller_settle(channel->own, now_ps);
    }
}

uint64_t gpu_channels_handover_ps(const struct gpu_params *params, uint64_t now_ps)
{
    return clock_edge_ps(now_ps, params->core_clock_ps, params->l2.dram_latency_cyc);
}
