/* Modelled: gpu-traces 10 and 12: fixed latency before the tags, one access and one fill in a cycle, both only while
 * replies have room, accesses that fail and are tried again, atomics at the L2, writes answered when the L2 has them.
 * Two partitions: copies of far lines in LRU order with all others, as plateaus of latency and bandwidth on cards show;
 * not modelled: a limit of its own for the way between them, and messages that end a copy.
 * Not modelled: a data port narrower than a sector, and the cycle that a miss takes from the tags to the queue below.
 *
 * A request that failed is not tried in each cycle but when something has changed: a sector of the slice was filled, or
 * the channel has room. Its retries are counted as if it were. */
#include "memsys/gpu/slice.h"

#include <stdlib.h>

#include "memsys/gpu/gpu_params.h"

#define TWINS_TOKEN (UINT64_C(1) << 63)

static uint64_t slice_now_of(const struct gpu_slices *slices)
{
    return sim_now_ps(slices->sim);
}

static uint32_t slice_number_of(const struct gpu_slices *slices, const struct gpu_slice *slice)
{
    return (uint32_t)(slice - slices->slices);
}

static void put_request(struct gpu_slices *slices, uint32_t slice, uint64_t when_ps)
{
    gpu_calendar_put(slices->edges, 2 * slice, max_u64(when_ps, slices->slices[slice].next_access_ps));
}

static void put_fill(struct gpu_slices *slices, uint32_t slice, uint64_t when_ps)
{
    gpu_calendar_put(slices->edges, 2 * slice + 1, max_u64(when_ps, slices->slices[slice].next_fill_ps));
}

/* Tick at which the slice may reply; now or earlier if it may at once. */
static uint64_t reply_room_ps(const struct gpu_slices *slices, uint32_t slice)
{
    return gpu_crossbar_waiting(&slices->icnt->replies, slice) < slices->reply_queue ? 0 : slice_now_of(slices) + 1;
}

/* --- towards the other partition --------------------------------------------------------------------------------- */

/* Reads of far lines have MSHRs of their own, as many as others, and leave a line of each set: a crossing always finds
 * an MSHR and a line that do not wait for a crossing themselves. As much is under way to DRAM as with one partition;
 * were MSHRs shared, a far line would take two of them, and streams would be a quarter slower. */

static struct gpu_crossing *crossing_at(const struct gpu_slices *slices, const struct gpu_slice *slice, uint32_t place)
{
    return &slice->crossings[(slice->first_crossing + place) & slices->fetched_mask];
}

static void put_crossing(struct gpu_slices *slices, uint32_t slice, uint64_t when_ps)
{
    gpu_calendar_put(slices->edges, slices->far_item + slice, max_u64(when_ps, slices->slices[slice].next_access_ps));
}

/* The way there and back is paid here, so that the answer takes none. */
static void cross_over(struct gpu_slices *slices, uint32_t slice, const struct sector_send *send,
                       struct gpu_counts *counts)
{
    uint32_t const number = gpu_slices_twin(slices, slice);
    struct gpu_slice *const twin = &slices->slices[number];
    uint64_t const ready_ps = slice_now_of(slices) + slices->far_latency_ps;

    counts->l2_far_reads++;
    *crossing_at(slices, twin, twin->crossing_count) =
        (struct gpu_crossing){.ready_ps = ready_ps, .key = send->address & ~GPU_KEY_COPY, .counts = counts,
                              .mshr = send->mshr};
    if (twin->crossing_count++ == 0)
        put_crossing(slices, number, ready_ps);
}

/* --- towards DRAM ------------------------------------------------------------------------------------------------ */

static void send_below(struct gpu_slices *slices, uint32_t slice, const struct sector_result *result,
                       struct gpu_counts *counts)
{
    if (slices->watch)
        slices->watch->slices[slice].sends += result->send_count;
    for (unsigned i = 0; i < result->send_count; i++) {
        const struct sector_send *const send = &result->sends[i];

        if (send->address & GPU_KEY_COPY && slices->half > 0) {
            cross_over(slices, slice, send, counts);
            continue;
        }
        if (send->is_write)
            counts->dram_writes++;
        else
            counts->dram_reads++;
        gpu_channels_send(slices->channels, slice / slices->per_channel, slice, send->address, send->mshr,
                          send->is_write);
    }
}

/* --- accesses ---------------------------------------------------------------------------------------------------- */

static void count_access(struct gpu_counts *counts, const struct gpu_request *request, enum sector_outcome outcome)
{
    if (request->kind == GPU_WRITE) {
        counts->l2_writes++;
        counts->l2_write_hits += outcome == SECTOR_HIT;
        return;
    }
    counts->l2_reads++;
    counts->l2_atomics += request->kind == GPU_ATOMIC;
    counts->l2_read_hits += outcome == SECTOR_HIT;
    counts->l2_read_pending_hits += outcome == SECTOR_HIT_RESERVED;
    counts->l2_read_misses += outcome == SECTOR_MISS;
    counts->l2_read_sector_misses += outcome == SECTOR_SECTOR_MISS;
}

/* The token that returns with a fetched sector: slot, SM and size, all that the answer needs. */
static uint64_t token_of(const struct gpu_request *request, uint32_t slot)
{
    uint64_t const bytes = request->kind == GPU_WRITE ? 0 : request->bytes;

    return slot | (uint64_t)request->sm << 32 | bytes << 48;
}

/* `key`: of the sector; a twin's token is its MSHR. */
static void answer(struct gpu_slices *slices, uint32_t slice, uint64_t token, uint64_t key)
{
    if (token & TWINS_TOKEN)
        gpu_slices_fetched(slices, gpu_slices_twin(slices, slice), key | GPU_KEY_COPY, (uint32_t)token);
    else
        slices->sink.answer(slices->sink.self, (uint32_t)token, slice, token >> 32 & UINT16_MAX,
                            (uint32_t)(token >> 48));
}

/* Records the reason why the first request waits. Whether an event will resume it; if not, it is tried again in the
 * next cycle. */
static bool note_failure(const struct gpu_slices *slices, const struct gpu_slice *slice, struct gpu_failure *failure,
                         unsigned room)
{
    uint32_t const number = slice_number_of(slices, slice);
    const struct gpu_channel *const channel = &slices->channels->channels[number / slices->per_channel];
    bool const has_no_room = room < 2;

    if (!failure->has_failed) {
        failure->has_failed = true;
        failure->failed_ps = slice_now_of(slices);
    }
    failure->waits_for_fill = slices->has_tags ? sector_cache_outstanding(slice->cache) > 0 : slice->reads > 0;
    failure->waits_for_room = has_no_room && channel->waiting > 0;
    if ((!has_no_room || failure->waits_for_room) && (failure->waits_for_fill || failure->waits_for_room))
        return true;
    failure->waits_for_fill = failure->waits_for_room = false;
    return false;
}

static void note_request_failure(struct gpu_slices *slices, struct gpu_slice *slice, unsigned room)
{
    if (!note_failure(slices, slice, &slice->failure, room))
        put_request(slices, slice_number_of(slices, slice), slice_now_of(slices));
}

static struct gpu_arrival *arrival_at(const struct gpu_slices *slices, const struct gpu_slice *slice, uint32_t place)
{
    return &slice->arrivals[(slice->first + place) & slices->arrival_mask];
}

/* The first request has been taken. */
static void slice_go_on(struct gpu_slices *slices, struct gpu_slice *slice)
{
    slice->first++;
    if (--slice->count == 0)
        return;
    put_request(slices, slice_number_of(slices, slice), arrival_at(slices, slice, 0)->ready_ps);
    if (slices->hooks)
        slices->hooks->request_is_next(slices, slice);
}

/* The first request could be taken. */
static void end_failure(const struct gpu_slices *slices, struct gpu_failure *failure, struct gpu_counts *counts)
{
    if (!failure->has_failed)
        return;
    counts->l2_retries += domain_quotient(slices->clock, slice_now_of(slices) - failure->failed_ps);
    failure->has_failed = false;
}

/* Without tags: on to DRAM, as it is. */
static void pass_on(struct gpu_slices *slices, struct gpu_slice *slice, const struct gpu_request *request,
                    const struct gpu_arrival *arrival)
{
    uint32_t const number = slice_number_of(slices, slice), channel = number / slices->per_channel;
    unsigned const room = gpu_channels_room(slices->channels, channel, number);
    bool const reads = request->kind != GPU_WRITE, writes = request->kind != GPU_READ;
    uint64_t const key = arrival->key & ~slices->sector_mask;

    if (room < (unsigned)reads + writes || (reads && slice->reads > slices->fetched_mask)) {
        note_request_failure(slices, slice, room);
        return;
    }
    end_failure(slices, &slice->failure, request->counts);
    request->counts->dram_reads += reads;
    request->counts->dram_writes += writes;
    if (slices->watch)
        slices->watch->slices[number].sends += (unsigned)reads + writes;
    if (reads)
        gpu_channels_send(slices->channels, channel, number, key, arrival->slot, false);
    if (writes)
        gpu_channels_send(slices->channels, channel, number, key, arrival->slot, true);
    slice->reads += reads;
    slice_go_on(slices, slice);
    if (!reads)
        answer(slices, number, token_of(request, arrival->slot), key);
    slices->sink.room(slices->sink.self, number);
}

static void try_request(struct gpu_slices *slices, struct gpu_slice *slice)
{
    struct gpu_arrival const arrival = *arrival_at(slices, slice, 0);
    uint32_t const number = slice_number_of(slices, slice);
    const struct gpu_request *const request = &slices->pool->slots[arrival.slot].request;
    struct gpu_counts *const counts = request->counts;
    unsigned const room = gpu_channels_room(slices->channels, number / slices->per_channel, number);
    struct sector_access const access = {.address = arrival.key & ~slices->sector_mask,
                                         .token = token_of(request, arrival.slot),
                                         .byte_mask = request->byte_mask, .is_write = request->kind == GPU_WRITE,
                                         .is_atomic = request->kind == GPU_ATOMIC,
                                         .is_modest = slices->half > 0 && arrival.key & GPU_KEY_COPY};
    struct sector_result result;

    slice->next_access_ps = slice_now_of(slices) + slices->clock.period_ps;
    if (!slices->has_tags) {
        pass_on(slices, slice, request, &arrival);
        return;
    }
    sector_cache_access(slice->cache, &access, room, &result);
    if (result.outcome == SECTOR_RESERVATION_FAIL) {
        note_request_failure(slices, slice, room);
        return;
    }
    end_failure(slices, &slice->failure, counts);
    count_access(counts, request, result.outcome);
    if (slices->watch && request->kind != GPU_WRITE)
        gpu_watch_read(&slices->watch->slices[number].l2, result.outcome == SECTOR_HIT);
    slice_go_on(slices, slice);
    if (result.send_count > 0)
        send_below(slices, number, &result, counts);
    if (slices->half > 0 && request->kind != GPU_READ)
        sector_cache_drop(slices->slices[gpu_slices_twin(slices, number)].cache, access.address | GPU_KEY_COPY);
    if (!result.is_waiting)
        answer(slices, number, access.token, access.address);
    slices->sink.room(slices->sink.self, number);
}

static void on_request(struct gpu_slices *slices, struct gpu_slice *slice)
{
    uint64_t const room_ps = reply_room_ps(slices, slice_number_of(slices, slice));

    if (slices->half > 0 && slice->next_access_ps > slice_now_of(slices))        /* a crossing went first */
        put_request(slices, slice_number_of(slices, slice), slice->next_access_ps);
    else if (room_ps > slice_now_of(slices))
        put_request(slices, slice_number_of(slices, slice), room_ps);
    else
        try_request(slices, slice);
}

/* The first request, which failed and waited for a fill or for room, is tried again. */
static void resume(struct gpu_slices *slices, struct gpu_slice *slice)
{
    slice->failure.waits_for_fill = slice->failure.waits_for_room = false;
    on_request(slices, slice);
}

static void try_crossing(struct gpu_slices *slices, struct gpu_slice *slice)
{
    struct gpu_crossing const crossing = *crossing_at(slices, slice, 0);
    uint32_t const number = slice_number_of(slices, slice);
    unsigned const room = gpu_channels_room(slices->channels, number / slices->per_channel, number);
    struct sector_access const access = {.address = crossing.key, .token = crossing.mshr | TWINS_TOKEN,
                                         .is_first = true};
    struct sector_result result;

    slice->next_access_ps = slice_now_of(slices) + slices->clock.period_ps;
    sector_cache_access(slice->cache, &access, room, &result);
    if (result.outcome == SECTOR_RESERVATION_FAIL) {
        if (!note_failure(slices, slice, &slice->far_failure, room))
            put_crossing(slices, number, slice->next_access_ps);
        return;
    }
    end_failure(slices, &slice->far_failure, crossing.counts);
    slice->first_crossing++;
    if (--slice->crossing_count > 0)
        put_crossing(slices, number, crossing_at(slices, slice, 0)->ready_ps);
    if (result.send_count > 0)
        send_below(slices, number, &result, crossing.counts);
    if (!result.is_waiting)
        answer(slices, number, access.token, access.address);
}

void gpu_slices_far_due(struct gpu_slices *slices, uint32_t number)
{
    struct gpu_slice *const slice = &slices->slices[number];

    if (slice->next_access_ps > slice_now_of(slices))
        put_crossing(slices, number, slice->next_access_ps);
    else
        try_crossing(slices, slice);
}

/* What waited for a fill is tried again, a crossing first. */
static void resume_after_fill(struct gpu_slices *slices, struct gpu_slice *slice)
{
    if (slice->far_failure.waits_for_fill) {
        slice->far_failure.waits_for_fill = slice->far_failure.waits_for_room = false;
        gpu_slices_far_due(slices, slice_number_of(slices, slice));
    }
    if (slice->failure.waits_for_fill)
        resume(slices, slice);
}

static void on_fill(struct gpu_slices *slices, struct gpu_slice *slice)
{
    uint32_t const number = slice_number_of(slices, slice);
    uint64_t const room_ps = reply_room_ps(slices, number);
    struct sector_result result;
    uint64_t key;
    unsigned count;

    if (room_ps > slice_now_of(slices)) {
        put_fill(slices, number, room_ps);
        return;
    }
    slice->next_fill_ps = slice_now_of(slices) + slices->clock.period_ps;
    key = slice->fetched[slice->fetched_head++ & slices->fetched_mask];
    slice->fetched_count--;
    if (!slices->has_tags) {
        slice->reads--;
        answer(slices, number, token_of(&slices->pool->slots[key].request, (uint32_t)key), key);
        if (slice->fetched_count > 0)
            put_fill(slices, number, slice_now_of(slices));
        resume_after_fill(slices, slice);
        return;
    }
    count = sector_cache_fill(slice->cache, key, slices->tokens, &result);
    if (result.send_count > 0 && count > 0)      /* victims only make room for a sector with a waiting reader */
        send_below(slices, number, &result, slices->pool->slots[(uint32_t)slices->tokens[0]].request.counts);
    for (unsigned i = 0; i < count; i++)
        answer(slices, number, slices->tokens[i], key);
    if (slice->fetched_count > 0)
        put_fill(slices, number, slice_now_of(slices));
    resume_after_fill(slices, slice);
}

void gpu_slices_due(struct gpu_slices *slices, uint32_t item)
{
    struct gpu_slice *const slice = &slices->slices[item / 2];

    if (item % 2 == 0)
        on_request(slices, slice);
    else
        on_fill(slices, slice);
}

void gpu_slices_receive(struct gpu_slices *slices, uint32_t slot, uint64_t arrival_ps)
{
    const struct gpu_slot *const of = &slices->pool->slots[slot];
    struct gpu_slice *const slice = &slices->slices[of->slice];
    struct gpu_arrival const arrival = {.ready_ps = domain_edge_ps(slices->core, arrival_ps) + slices->latency_ps,
                                        .key = of->key, .slot = slot};

    *arrival_at(slices, slice, slice->count) = arrival;
    if (slice->count++ == 0)
        put_request(slices, of->slice, arrival.ready_ps);
}

void gpu_slices_fetched(void *self, uint32_t number, uint64_t key, uint32_t mshr)
{
    struct gpu_slices *const slices = self;
    struct gpu_slice *const slice = &slices->slices[number];

    slice->fetched[(slice->fetched_head + slice->fetched_count++) & slices->fetched_mask] =
        slices->has_tags ? key : mshr;
    if (slices->hooks && slices->has_tags)
        slices->hooks->fill_is_next(slice->cache, key, mshr);
    if (slice->fetched_count == 1)
        put_fill(slices, number, slice_now_of(slices));
}

void gpu_slices_channel_room(void *self, uint32_t channel)
{
    struct gpu_slices *const slices = self;

    for (uint32_t i = channel * slices->per_channel; i < (channel + 1) * slices->per_channel; i++) {
        struct gpu_slice *const slice = &slices->slices[i];

        if (slice->far_failure.waits_for_room) {
            slice->far_failure.waits_for_fill = slice->far_failure.waits_for_room = false;
            put_crossing(slices, i, slice_now_of(slices));
        }
        if (!slice->failure.waits_for_room)
            continue;
        slice->failure.waits_for_fill = slice->failure.waits_for_room = false;
        put_request(slices, i, slice_now_of(slices));
    }
}

/* --- set-up ------------------------------------------------------------------------------------------------------ */

struct fault gpu_slices_init(struct gpu_slices *slices, struct sim *sim, const struct gpu_params *params,
                             struct gpu_pool *pool, struct gpu_icnt *icnt, struct gpu_channels *channels,
                             const struct gpu_slice_sink *sink)
{
    const struct gpu_l2_params *const l2 = &params->l2;
    struct sector_cache_params cache = l2->cache;
    uint32_t const count = (uint32_t)(l2->channels * l2->slices);
    uint64_t const lines = l2->cache.sets * l2->cache.ways * (l2->cache.line_bytes / l2->cache.sector_bytes);
    uint32_t size = 1, arrivals = 1;

    *slices = (struct gpu_slices){.sim = sim, .pool = pool, .icnt = icnt, .channels = channels, .sink = *sink,
                                  .count = count, .per_channel = (uint32_t)l2->slices,
                                  .limit = (uint32_t)(params->icnt_queue + l2->queue), .reply_queue = l2->queue,
                                  .latency_ps = l2->cache.latency_cyc * params->core_clock_ps,
                                  .far_latency_ps = l2->far_latency_cyc * params->core_clock_ps,
                                  .half = l2->partitions > 1 ? count / 2 : 0,
                                  .clock = clock_domain(params->l2_clock_ps),
                                  .core = clock_domain(params->core_clock_ps),
                                  .sector_mask = l2->cache.sector_bytes - 1, .has_tags = !l2->is_absent};
    cache.mshrs *= l2->partitions > 1 ? 2 : 1;
    while (size < cache.mshrs || (l2->cache.alloc == SECTOR_STREAMING && size < lines))
        size *= 2;
    while (arrivals < slices->limit)
        arrivals *= 2;
    slices->fetched_mask = size - 1;
    slices->arrival_mask = arrivals - 1;
    slices->tokens = calloc(l2->cache.merges, sizeof *slices->tokens);
    slices->slices = calloc(count, sizeof *slices->slices);
    if (!slices->tokens || !slices->slices)
        return fault_make(FAULT_MEMORY, "out of memory for %u L2 slices", count);
    for (uint32_t i = 0; i < count; i++) {
        FORWARD(sector_cache_init(&slices->slices[i].cache, &cache));
        if (slices->half > 0)
            sector_cache_split_mshrs(slices->slices[i].cache);
        slices->slices[i].fetched = calloc(size, sizeof *slices->slices[i].fetched);
        slices->slices[i].arrivals = calloc(arrivals, sizeof *slices->slices[i].arrivals);
        if (slices->half > 0)
            slices->slices[i].crossings = calloc(size, sizeof *slices->slices[i].crossings);
        if (!slices->slices[i].fetched || !slices->slices[i].arrivals ||
            (slices->half > 0 && !slices->slices[i].crossings))
            return fault_make(FAULT_MEMORY, "out of memory for an L2 slice");
    }
    return fault_none();
}

void gpu_slices_free(struct gpu_slices *slices)
{
    for (uint32_t i = 0; slices->slices && i < slices->count; i++) {
        sector_cache_free(slices->slices[i].cache);
        free(slices->slices[i].fetched);
        free(slices->slices[i].arrivals);
        free(slices->slices[i].crossings);
    }
    free(slices->tokens);
    free(slices->slices);
    *slices = (struct gpu_slices){0};
}

uint64_t gpu_slices_tags_ps(const struct gpu_params *params, uint64_t arrival_ps)
{
    uint64_t const ready_ps = clock_edge_ps(arrival_ps, params->core_clock_ps, params->l2.cache.latency_cyc);

    return clock_edge_ps(ready_ps, params->l2_clock_ps, 0);
}
