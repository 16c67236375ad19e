/* Modelled: classic-memory 5.3, one layer; a release without a waiting source only reserves its place in the order of
 * events (16.3).
 *
 * 1. The release is scheduled, or has its place reserved, exactly while the layer is BUSY and no source is in the
 * middle of using it. It is queued as soon as a source waits.
 * 2. Retries are nested calls. The retried source normally takes the layer again inside its retry; if it does not,
 *    the layer stays BUSY until the next clock edge, which may be now.
 * 3. While the peer owes a retry the layer accepts no source, even when IDLE; the retry may come before or after the
 *    release. */
#include "memsys/noc/layer.h"

#include <stdlib.h>

/* A source waits from now on: the release must be a queued event. */
static void queue_release(struct layer *layer)
{
    if (layer_release_is_reserved(layer)) {
        event_schedule_reserved(&layer->sim->events, &layer->release, &layer->release_place);
        layer->release_place.when_ps = TICK_NEVER;
    }
}

static void retry_first(struct layer *layer)
{
    struct layer_source const source = layer->waiting[layer->waiting_head];

    layer->waiting_head = (layer->waiting_head + 1) & layer->waiting_mask;
    layer->waiting_count--;
    layer->state = LAYER_RETRY;
    layer->release_place.when_ps = 0;
    layer->retry(layer->owner, source);
    if (layer->state == LAYER_RETRY) {
        layer_take(layer);
        layer_succeeded(layer, clock_edge_ps(sim_now_ps(layer->sim), layer->period_ps, 0));
    }
}

static void layer_release(void *owner)
{
    struct layer *const layer = owner;

    layer->state = LAYER_IDLE;
    layer->release_place.when_ps = layer->peer_refused ? TICK_NEVER : 0;
    if (layer->waiting_count > 0 && !layer->peer_refused)
        retry_first(layer);
}

/* If the release would have run by now, it did. */
bool layer_settle(struct layer *layer)
{
    if (layer_release_is_reserved(layer) && event_has_passed(&layer->sim->events, &layer->release_place)) {
        layer->state = LAYER_IDLE;
        layer->release_place.when_ps = layer->peer_refused ? TICK_NEVER : 0;
    }
    return layer->state != LAYER_BUSY && !layer->peer_refused;
}

struct fault layer_init(struct layer *layer, struct sim *sim, uint64_t period_ps, unsigned max_sources,
                        void (*retry)(void *owner, struct layer_source source), void *owner)
{
    unsigned capacity = 1;

    assert(period_ps > 0 && max_sources <= UINT16_MAX / 2);
    while (capacity < max_sources)
        capacity *= 2;
    *layer = (struct layer){.waiting_mask = (uint16_t)(capacity - 1), .sim = sim, .period_ps = period_ps,
                            .retry = retry, .owner = owner};
    event_init(&layer->release, layer_release, layer, EVENT_DEFAULT);
    layer->waiting = calloc(capacity, sizeof *layer->waiting);
    if (!layer->waiting)
        return fault_make(FAULT_MEMORY, "out of memory for the waiting list of a crossbar");
    FORWARD(sim_keep_place(sim, &layer->release_place));
    return event_queue_reserve(&sim->events, 1);
}

void layer_free(struct layer *layer)
{
    free(layer->waiting);
    layer->waiting = NULL;
    layer->waiting_count = 0;
}

#ifdef CHECK_HOT_PATHS
static bool waits(const struct layer *layer, struct layer_source source)
{
    for (unsigned i = 0; i < layer->waiting_count; i++) {
        struct layer_source const other = layer->waiting[(layer->waiting_head + i) & layer->waiting_mask];

        if (other.kind == source.kind && other.port == source.port)
            return true;
    }
    return false;
}
#endif

void layer_wait(struct layer *layer, struct layer_source source)
{
    HOT_ASSERT(!waits(layer, source));
    assert(layer->waiting_count <= layer->waiting_mask);
    layer->waiting[(layer->waiting_head + layer->waiting_count) & layer->waiting_mask] = source;
    layer->waiting_count++;
    queue_release(layer);
}

void layer_failed(struct layer *layer, struct layer_source source, uint64_t until_ps)
{
    assert(!layer->peer_refused);
    layer->peer_refused = true;
    layer->refused = source;
    layer_succeeded(layer, until_ps);
    if (layer->release_place.when_ps != TICK_NEVER)
        queue_release(layer);
}

void layer_peer_retry(struct layer *layer)
{
    assert(layer->peer_refused && layer->waiting_count <= layer->waiting_mask);
    layer_settle(layer);
    queue_release(layer);
    layer->peer_refused = false;
    layer->waiting_head = (layer->waiting_head - 1) & layer->waiting_mask;
    layer->waiting[layer->waiting_head] = layer->refused;
    layer->waiting_count++;
    if (layer->state == LAYER_IDLE)
        retry_first(layer);
}
