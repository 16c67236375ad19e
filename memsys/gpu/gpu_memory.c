/* Partitions of the L2: an SM's reads go to the slice of its own side, with the key of a copy where the line is the
 * other's. Stores and atomics go to the line's slice; their answers take the way between partitions, which the request
 * would.
 *
 * Modelled: gpu-traces 10 (memory pipeline), 11 (copies fill the L2), 12. Interconnect, slices and channels are in
 * icnt.c, slice.c and gpu_channel.c; this file connects them: requests in slots of one pool, the queue of each SM's
 * port, and answers on their way back. A copy of more than four times the L2 leaves the same lines in it as its last
 * part alone.
 *
 * A request waits at its SM's port until its slice has room and the interconnect lets it pass, and with it all that the
 * SM sends after it. */
#include "memsys/gpu/gpu_memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/gpu/gpu_params.h"
#include "memsys/gpu/hash.h"
#include "memsys/gpu/slice.h"

enum { FIRST_SLOTS = 1024 };

_Static_assert(sizeof(struct gpu_slot) == 64, "a slot is a line of the host's cache");

struct gpu_memory {
    struct sim *sim;
    struct gpu_params params;
    struct gpu_sink sink;
    struct gpu_hash hash;
    struct gpu_icnt icnt;
    struct gpu_channels channels;
    struct gpu_slices slices;
    struct gpu_pool pool;
    struct gpu_calendar edges;           /* of the L2's clock: work of slices, then of channels */
    struct gpu_calendar answers;         /* slots whose answer reaches the SM */
    struct gpu_watch *watch;
    uint8_t *sides;                      /* partition of each SM; NULL with one */
};

/* --- slots ------------------------------------------------------------------------------------------------------- */

static void free_slot(struct gpu_pool *pool, uint32_t slot)
{
    pool->slots[slot].next = pool->free;
    pool->free = slot;
    pool->used--;
}

/* Grows a few times at the start of a run; callers cannot continue without memory, so failure ends the run. */
static void grow_pool(struct gpu_memory *memory)
{
    struct gpu_pool *const pool = &memory->pool;
    uint32_t const count = pool->count ? 2 * pool->count : FIRST_SLOTS;

    struct gpu_slot *const slots = aligned_alloc(sizeof *slots, count * sizeof *slots);

    if (!slots)
        sim_out_of_memory(memory->sim);
    if (pool->count > 0)
        memcpy(slots, pool->slots, pool->count * sizeof *slots);
    free(pool->slots);
    pool->slots = slots;
    gpu_calendar_grow(&memory->answers, count);
    pool->used += count - pool->count;
    for (uint32_t slot = count; slot-- > pool->count;)
        free_slot(pool, slot);
    pool->count = count;
}

static uint32_t take_slot(struct gpu_memory *memory)
{
    struct gpu_pool *const pool = &memory->pool;
    uint32_t slot;

    if (pool->free == GPU_NO_SLOT)
        grow_pool(memory);
    slot = pool->free;
    pool->free = pool->slots[slot].next;
    pool->used++;
    return slot;
}

/* Whether the slice is in the other partition than the SM. */
static bool is_far(const struct gpu_memory *memory, uint32_t sm, uint32_t slice)
{
    return memory->sides && memory->sides[sm] != (slice >= memory->slices.half);
}

/* --- requests ---------------------------------------------------------------------------------------------------- */

bool gpu_memory_has_room(const struct gpu_memory *memory, unsigned sm)
{
    return gpu_crossbar_waiting(&memory->icnt.requests, sm) < memory->params.icnt_queue;
}

void gpu_memory_send(struct gpu_memory *memory, const struct gpu_request *request)
{
    struct gpu_slice_place place = gpu_hash_slice(&memory->hash, request->address);
    struct gpu_crossbar *const crossbar = &memory->icnt.requests;
    uint32_t const bytes = request->kind == GPU_READ ? 0 : request->bytes;
    uint32_t const slot = take_slot(memory);
    uint64_t arrival_ps;

    assert(request->sm < memory->params.sms && gpu_memory_has_room(memory, request->sm));
    if (request->kind == GPU_READ && is_far(memory, request->sm, place.slice))
        place = (struct gpu_slice_place){place.key | GPU_KEY_COPY, gpu_slices_twin(&memory->slices, place.slice)};
    memory->pool.slots[slot] = (struct gpu_slot){.request = *request, .key = place.key, .slice = place.slice,
                                                 .sent_ps = sim_now_ps(memory->sim)};
    if (gpu_slices_has_room(&memory->slices, place.slice) &&
        gpu_crossbar_pass(crossbar, request->sm, place.slice, bytes, &arrival_ps))
        gpu_slices_receive(&memory->slices, slot, arrival_ps);
    else
        gpu_crossbar_wait(crossbar, slot, request->sm, place.slice, bytes);
}

static void on_request_passes(void *self, const struct gpu_packet *packet, uint32_t sm, uint64_t arrival_ps)
{
    struct gpu_memory *const memory = self;

    gpu_slices_receive(&memory->slices, packet->slot, arrival_ps);
    if (gpu_crossbar_waiting(&memory->icnt.requests, sm) + 1 == memory->params.icnt_queue)
        memory->sink.room(memory->sink.self, sm);
}

static bool slice_has_room(const void *self, uint32_t slice)
{
    const struct gpu_memory *const memory = self;

    return gpu_slices_has_room(&memory->slices, slice);
}

static void on_slice_room(void *self, uint32_t slice)
{
    struct gpu_memory *const memory = self;

    gpu_crossbar_room(&memory->icnt.requests, slice);
}

/* --- answers ----------------------------------------------------------------------------------------------------- */

static void on_reply_passes(void *self, const struct gpu_packet *packet, uint32_t slice, uint64_t arrival_ps)
{
    struct gpu_memory *const memory = self;
    uint64_t const far_ps = is_far(memory, packet->to, slice) ? memory->slices.far_latency_ps : 0;

    gpu_calendar_put(&memory->answers, packet->slot, arrival_ps + far_ps);
}

static void on_slice_answer(void *self, uint32_t slot, uint32_t slice, uint32_t sm, uint32_t bytes)
{
    struct gpu_memory *const memory = self;
    uint64_t arrival_ps;

    if (memory->slices.hooks)
        memory->slices.hooks->answer_is_sent(&memory->pool.slots[slot]);
    if (gpu_crossbar_pass(&memory->icnt.replies, slice, sm, bytes, &arrival_ps))
        gpu_calendar_put(&memory->answers, slot,
                         arrival_ps + (is_far(memory, sm, slice) ? memory->slices.far_latency_ps : 0));
    else
        gpu_crossbar_wait(&memory->icnt.replies, slot, slice, sm, bytes);
}

static void on_answer(void *owner, uint32_t slot)
{
    struct gpu_memory *const memory = owner;
    struct gpu_request const request = memory->pool.slots[slot].request;

    if (request.kind != GPU_WRITE) {
        uint64_t const latency_ps = sim_now_ps(memory->sim) - memory->pool.slots[slot].sent_ps;

        request.counts->latency_requests++;
        request.counts->latency_ps += latency_ps;
        if (memory->watch)
            memory->watch->latencies[latency_bin(latency_ps)]++;
    }
    free_slot(&memory->pool, slot);
    memory->sink.answer(memory->sink.self, &request);
}

static void answer_is_next(const void *owner, uint32_t slot)
{
    const struct gpu_memory *const memory = owner;

    memory->sink.is_next(memory->sink.self, &memory->pool.slots[slot].request);
}

/* --- the L2's clock ----------------------------------------------------------------------------------------------- */

static void on_edge(void *owner, uint32_t item)
{
    struct gpu_memory *const memory = owner;

    if (item < memory->channels.first_item)
        gpu_slices_due(&memory->slices, item);
    else if (item < memory->slices.far_item)
        gpu_channels_due(&memory->channels, item - memory->channels.first_item);
    else
        gpu_slices_far_due(&memory->slices, item - memory->slices.far_item);
}

bool gpu_memory_idle(const struct gpu_memory *memory)
{
    return memory->pool.used == 0 && memory->channels.under_way == 0;
}

void gpu_memory_watch(struct gpu_memory *memory, struct gpu_watch *watch)
{
    memory->watch = memory->slices.watch = memory->icnt.requests.watch = memory->icnt.replies.watch = watch;
    memory->channels.heat = watch ? watch->heat : NULL;
}

const struct gpu_slices *gpu_memory_slices(const struct gpu_memory *memory)
{
    return &memory->slices;
}

const struct gpu_channels *gpu_memory_channels(const struct gpu_memory *memory)
{
    return &memory->channels;
}

void gpu_memory_bind(struct gpu_memory *memory, const struct gpu_hooks *hooks)
{
    memory->slices.hooks = hooks;
    memory->answers.is_next = memory->sink.is_next ? answer_is_next : NULL;
}

struct mem_ctrl *gpu_memory_controller(struct gpu_memory *memory, unsigned channel)
{
    const struct gpu_channels *const channels = &memory->channels;

    struct gpu_controller *const own = channel < channels->count ? channels->channels[channel].own : NULL;

    return own && !own->commands ? &own->ctrl : NULL;
}

const struct gpu_icnt *gpu_memory_icnt(const struct gpu_memory *memory)
{
    return &memory->icnt;
}

/* --- copies ------------------------------------------------------------------------------------------------------ */

void gpu_memory_copy(struct gpu_memory *memory, uint64_t address, uint64_t bytes)
{
    const struct gpu_l2_params *const l2 = &memory->params.l2;
    uint64_t const sector_bytes = l2->cache.sector_bytes;
    uint64_t const most = 4 * l2->cache.sets * l2->cache.ways * l2->cache.line_bytes * memory->slices.count;
    uint64_t const end = address + bytes;
    uint64_t const first = (bytes > most ? end - most : address) & ~(sector_bytes - 1);

    if (!memory->params.copies_fill_l2 || l2->is_absent || bytes == 0)
        return;
    for (uint64_t i = 0; i < (end - first + sector_bytes - 1) / sector_bytes; i++) {
        struct gpu_slice_place const place = gpu_hash_slice(&memory->hash, first + i * sector_bytes);

        sector_cache_preload(memory->slices.slices[place.slice].cache, place.key);
    }
}

/* --- set-up ------------------------------------------------------------------------------------------------------ */

static struct fault check_params(const struct gpu_params *params)
{
    if (params->sms == 0)
        return fault_make(FAULT_INPUT, "gpu.sms is 0; give at least 1 for a GPU's memory");
    if (params->l2.interleave_bytes < params->l2.cache.sector_bytes)
        return fault_make(FAULT_INPUT, "gpu.l2.interleave is less than a sector; give at least that");
    if (params->l2.partitions > 1 && params->l2.channels % 2 != 0)
        return fault_make(FAULT_INPUT, "gpu.l2.partitions is 2, but gpu.l2.channels is %" PRIu64 "; give an even "
                          "number of channels", params->l2.channels);
    if (params->l2.partitions > 1 && (params->l2.is_absent || params->l2.cache.alloc != SECTOR_ON_MISS))
        return fault_make(FAULT_INPUT, "gpu.l2.partitions is 2; needs an L2 with alloc: on_miss");
    if (params->l2.partitions > 1 && params->l2.cache.ways < 2)
        return fault_make(FAULT_INPUT, "gpu.l2.partitions is 2; needs at least 2 ways");
    return fault_none();
}

static struct fault init_sides(struct gpu_memory *memory)
{
    const struct gpu_params *const params = &memory->params;

    if (params->l2.partitions < 2)
        return fault_none();
    memory->sides = calloc(params->sms, sizeof *memory->sides);
    if (!memory->sides)
        return fault_make(FAULT_MEMORY, "out of memory for a GPU's memory");
    for (uint64_t sm = 0; sm < params->sms; sm++)
        memory->sides[sm] = sm / params->l2.partition_sms % 2 != 0;
    return fault_none();
}

static struct fault init_parts(struct gpu_memory *memory, const struct memory_params *dram_params,
                               const struct cmd_config *commands, const struct below *dram)
{
    const struct gpu_params *const params = &memory->params;
    struct gpu_channel_sink const channel_sink = {gpu_slices_fetched, gpu_slices_channel_room, &memory->slices};
    struct gpu_slice_sink const slice_sink = {on_slice_answer, on_slice_room, memory};
    struct gpu_crossbar_sink const request_sink = {on_request_passes, slice_has_room, memory};
    struct gpu_crossbar_sink const reply_sink = {on_reply_passes, NULL, memory};
    uint32_t const slices = (uint32_t)(params->l2.channels * params->l2.slices);

    FORWARD(check_params(params));
    FORWARD(init_sides(memory));
    FORWARD(gpu_hash_init(&memory->hash, &params->l2));
    memory->pool.free = GPU_NO_SLOT;
    FORWARD(gpu_calendar_init(&memory->answers, memory->sim, params->icnt_clock_ps, FIRST_SLOTS, on_answer, memory));
    FORWARD(gpu_calendar_init(&memory->edges, memory->sim, params->l2_clock_ps,
                                3 * slices + (uint32_t)params->l2.channels, on_edge, memory));
    FORWARD(gpu_icnt_init(&memory->icnt, memory->sim, params, gpu_slices_most_replies(&params->l2), &request_sink,
                            &reply_sink));
    FORWARD(gpu_channels_init(&memory->channels, memory->sim, params, dram_params, commands, dram,
                              &memory->hash, &channel_sink));
    FORWARD(gpu_slices_init(&memory->slices, memory->sim, params, &memory->pool, &memory->icnt, &memory->channels,
                              &slice_sink));
    memory->slices.edges = memory->channels.edges = &memory->edges;
    memory->channels.first_item = 2 * slices;
    memory->slices.far_item = 2 * slices + (uint32_t)params->l2.channels;
    return fault_none();
}

struct fault gpu_memory_create(struct gpu_memory **made, struct sim *sim, const struct gpu_params *params,
                               const struct memory_params *memory_params, const struct cmd_config *commands,
                               const struct below *dram, const struct gpu_sink *sink)
{
    struct gpu_memory *const memory = calloc(1, sizeof *memory);
    struct fault fault;

    *made = NULL;
    if (!memory)
        return fault_make(FAULT_MEMORY, "out of memory for a GPU's memory");
    memory->sim = sim;
    memory->params = *params;
    memory->sink = *sink;
    fault = init_parts(memory, memory_params, commands, dram);
    if (fault.kind != FAULT_NONE) {
        gpu_memory_destroy(memory);
        return fault;
    }
    *made = memory;
    return fault_none();
}

void gpu_memory_destroy(struct gpu_memory *memory)
{
    if (!memory)
        return;
    gpu_slices_free(&memory->slices);
    gpu_channels_free(&memory->channels);
    if (memory->icnt.sim)
        gpu_icnt_free(&memory->icnt);
    if (memory->edges.items)
        gpu_calendar_free(&memory->edges);
    if (memory->answers.items)
        gpu_calendar_free(&memory->answers);
    free(memory->pool.slots);
    free(memory->sides);
    free(memory);
}

struct above gpu_memory_above(struct gpu_memory *memory, unsigned channel)
{
    return gpu_channels_above(&memory->channels, channel);
}

void gpu_memory_connect(struct gpu_memory *memory, unsigned channel, struct below dram)
{
    gpu_channels_connect(&memory->channels, channel, dram);
}

void gpu_memory_startup(struct gpu_memory *memory)
{
    gpu_channels_startup(&memory->channels);
}

void gpu_memory_settle(struct gpu_memory *memory, uint64_t now_ps)
{
    gpu_channels_settle(&memory->channels, now_ps);
}

/* --- unloaded latencies ------------------------------------------------------------------------------------------ */

static uint64_t request_at_tags_ps(const struct gpu_params *params)
{
    return gpu_slices_tags_ps(params, params->icnt_latency_cyc * params->icnt_clock_ps);
}

static uint64_t reply_ps(const struct gpu_params *params, uint64_t now_ps)
{
    return clock_edge_ps(now_ps, params->icnt_clock_ps, params->icnt_latency_cyc);
}

uint64_t gpu_memory_l2_latency_ps(const struct gpu_params *params)
{
    return reply_ps(params, request_at_tags_ps(params));
}

uint64_t gpu_memory_dram_latency_ps(const struct gpu_params *params, const struct memory_params *memory)
{
    uint64_t const at_dram_ps = gpu_channels_handover_ps(params, request_at_tags_ps(params));
    uint64_t const fetched_ps = at_dram_ps + gpu_controller_read_ps(memory);

    return reply_ps(params, clock_edge_ps(fetched_ps, params->l2_clock_ps, 0));
}
