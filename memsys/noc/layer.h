/* Layer: one path through a crossbar that one packet occupies at a time (classic-memory 5.3).
 *
 * Use: layer_init; then for each packet layer_try. If it says yes, pass the packet on and end with layer_succeeded,
 * or with layer_failed when the next component refused the packet. If it says no, refuse the packet: the layer calls
 * `retry` with the same source when that source's turn has come. layer_peer_retry reports that the component that
 * refused can take a packet. The release at the end of the occupied time is an event of the layer's own.
 *
 * Sources are served in the order in which they were refused; one that arrives when the layer is free goes at once.
 * Units: ticks are picoseconds. Ownership: the list of waiting sources is the layer's; nothing is allocated after
 * set-up. */
#ifndef MEMSYS_NOC_LAYER_H
#define MEMSYS_NOC_LAYER_H

#include "memsys/sim/sim.h"

enum layer_state {
    LAYER_IDLE,
    LAYER_BUSY,                      /* see also release_place */
    LAYER_RETRY                      /* the source that is being retried may take the layer now */
};

/* A waiting source; the layer only stores it and hands it to `retry`. A source waits at most once in a layer. */
struct layer_source {
    uint8_t kind, port;
};

struct layer {
    uint16_t state;                  /* enum layer_state */
    bool peer_refused;               /* the next component refused the packet of `refused` and owes a retry */
    struct layer_source refused;
    uint16_t waiting_head, waiting_count, waiting_mask;
    struct layer_source *waiting;    /* ring, a power of two */
    /* BUSY without waiting sources: the reserved place of the release, which is not queued. Else its tick is 0 if the
     * layer may be taken, TICK_NEVER if not, so that one comparison usually suffices. */
    struct event_place release_place;
    struct sim *sim;
    uint64_t period_ps;
    void (*retry)(void *owner, struct layer_source source);
    void *owner;
    uint64_t occupancy_ps;           /* statistic: sum of (release - now) over all releases scheduled */
    struct event release;
};

/* At most `max_sources` different sources will ever wait. Reserves its one event. */
struct fault layer_init(struct layer *layer, struct sim *sim, uint64_t period_ps, unsigned max_sources,
                        void (*retry)(void *owner, struct layer_source source), void *owner);
void layer_free(struct layer *layer);

/* Is the layer BUSY with a release that has a place? */
static inline bool layer_release_is_reserved(const struct layer *layer)
{
    return layer->state == LAYER_BUSY && layer->release_place.when_ps != TICK_NEVER;
}

/* Tick of the release; TICK_NEVER if the layer is free. */
static inline uint64_t layer_release_ps(const struct layer *layer)
{
    if (layer_release_is_reserved(layer) && !event_has_passed(&layer->sim->events, &layer->release_place))
        return layer->release_place.when_ps;
    return layer->release.scheduled ? layer->release.when_ps : TICK_NEVER;
}

/* Use layer_try: these are its slow halves. */
void layer_wait(struct layer *layer, struct layer_source source);
bool layer_settle(struct layer *layer);

/* Would layer_try say yes? */
static inline bool layer_is_free(struct layer *layer)
{
    return layer->release_place.when_ps < layer->sim->events.now_ps || layer_settle(layer);
}

/* The layer, which is free, becomes the caller's until layer_succeeded or layer_failed. */
static inline void layer_take(struct layer *layer)
{
    layer->state = LAYER_BUSY;
    layer->release_place.when_ps = TICK_NEVER;
}

/* True: the layer is the caller's until layer_succeeded or layer_failed. False: the source waits for its retry. */
static inline bool layer_try(struct layer *layer, struct layer_source source)
{
    if (!layer_is_free(layer)) {
        layer_wait(layer, source);
        return false;
    }
    layer_take(layer);
    return true;
}

/* The packet is gone; the layer stays occupied until that tick. */
static inline void layer_succeeded(struct layer *layer, uint64_t until_ps)
{
    struct event_queue *const events = &layer->sim->events;

    layer->occupancy_ps += until_ps - events->now_ps;
    if (layer->waiting_count > 0)
        event_schedule(events, &layer->release, until_ps);
    else
        layer->release_place = event_reserve(events, until_ps);
}

/* The next component refused the packet of `source`: the layer stays closed to all sources until that component's
 * retry. */
void layer_failed(struct layer *layer, struct layer_source source, uint64_t until_ps);
/* The component that refused can take a packet. The source it refused goes first. */
void layer_peer_retry(struct layer *layer);

#endif
