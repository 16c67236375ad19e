/* Modelled: classic-memory 13.1, 13.2 and the counters of 13.5 that the queue makes. Not modelled: squashing by
 * throttled degree (throttle_control_percentage is 0), cache_snoop, candidates in other pages by way of a TLB.
 *
 * A candidate: its line is in the page of the access, not queued yet. It leaves the queue when the cache takes it,
 * when a training access asks for its line, or as the oldest of a full queue. */
#include "memsys/prefetch/prefetcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/prefetch/prefetch_params.h"

#define PREFETCHER_DECLARE(upper, name) extern const struct prefetcher_ops prefetch_##name;
PREFETCHERS(PREFETCHER_DECLARE)

#define PREFETCHER_ROW(upper, name) [PREFETCHER_##upper] = &prefetch_##name,
static const struct prefetcher_ops *const kinds[] = {[PREFETCHER_NONE] = NULL, PREFETCHERS(PREFETCHER_ROW)};

const struct prefetcher_ops *prefetcher_ops_of(uint64_t kind)
{
    assert(kind < sizeof kinds / sizeof *kinds);
    return kinds[kind];
}

struct fault prefetcher_create(struct prefetcher **made, struct sim *sim, const char *cache_name, uint64_t period_ps,
                               const struct prefetcher_params *params)
{
    const struct prefetcher_ops *const ops = prefetcher_ops_of(params->type);
    struct prefetcher *prefetcher;

    *made = NULL;
    if (!ops)
        return fault_none();
    prefetcher = calloc(1, sizeof *prefetcher);
    if (!prefetcher)
        return fault_make(FAULT_MEMORY, "out of memory for the prefetcher of %s", cache_name);
    prefetcher->ops = ops;
    prefetcher->sim = sim;
    prefetcher->latency_ps = params->latency_cyc * period_ps;
    prefetcher->degree = params->degree ? (uint32_t)params->degree : ops->degree;
    prefetcher->distance = params->distance ? (uint32_t)params->distance : ops->distance;
    prefetcher->training = params->train_on == PREFETCH_TRAINING_AUTO ? ops->training : (uint8_t)params->train_on;
    prefetcher->limit = (uint32_t)params->queue_size;
    prefetcher->queue = malloc(2 * (size_t)prefetcher->limit * sizeof *prefetcher->queue);
    prefetcher->own = calloc(1, ops->own_bytes + 1);
    snprintf(prefetcher->name, sizeof prefetcher->name, "%s.prefetcher", cache_name);
    if (!prefetcher->queue || !prefetcher->own) {
        prefetcher_destroy(prefetcher);
        return fault_make(FAULT_MEMORY, "out of memory for the prefetcher of %s", cache_name);
    }
    prefetcher->requestor = sim_add_requestor(sim, prefetcher->name);
    if (ops->start)
        ops->start(prefetcher);
    *made = prefetcher;
    return fault_none();
}

void prefetcher_destroy(struct prefetcher *prefetcher)
{
    if (!prefetcher)
        return;
    free(prefetcher->queue);
    free(prefetcher->own);
    free(prefetcher->displaced);
    free(prefetcher);
}

/* ---- the queue */

/* Place of the line's candidate, counted from the oldest; count if it is not queued. */
static uint32_t find_candidate(const struct prefetcher *prefetcher, uint64_t line_address)
{
    const struct prefetch_candidate *const oldest = prefetcher->queue + prefetcher->first;
    uint32_t place = 0;

    while (place < prefetcher->count && oldest[place].line_address != line_address)
        place++;
    return place;
}

static void remove_oldest(struct prefetcher *prefetcher)
{
    prefetcher->first++;
    prefetcher->count--;
}

static void prefetcher_append(struct prefetcher *prefetcher, const struct prefetch_candidate *candidate)
{
    if (prefetcher->first + prefetcher->count == 2 * prefetcher->limit) {
        memmove(prefetcher->queue, prefetcher->queue + prefetcher->first,
                prefetcher->count * sizeof *prefetcher->queue);
        prefetcher->first = 0;
    }
    prefetcher->queue[prefetcher->first + prefetcher->count++] = *candidate;
}

static void squash(struct prefetcher *prefetcher, uint64_t line_address)
{
    uint32_t const place = find_candidate(prefetcher, line_address);
    struct prefetch_candidate *const found = prefetcher->queue + prefetcher->first + place;

    if (place == prefetcher->count)
        return;
    memmove(found, found + 1, (prefetcher->count - place - 1) * sizeof *found);
    prefetcher->count--;
    prefetcher->stats.removed_by_demand++;
}

bool prefetcher_take(struct prefetcher *prefetcher, struct prefetch_candidate *candidate)
{
    if (!prefetcher->count)
        return false;
    *candidate = prefetcher->queue[prefetcher->first];
    remove_oldest(prefetcher);
    prefetcher->stats.issued++;
    return true;
}

bool prefetcher_propose(struct prefetcher *prefetcher, uint64_t address)
{
    const struct prefetch_access *const access = &prefetcher->access;
    struct prefetcher_stats *const stats = &prefetcher->stats;
    uint64_t const line_address = sim_line_address(prefetcher->sim, address);
    uint32_t place;

    if (line_address >> PREFETCH_PAGE_SHIFT != access->address >> PREFETCH_PAGE_SHIFT) {
        stats->other_page++;
        if (access->is_first_hit)
            stats->useful_other_page++;
        return false;
    }
    stats->identified++;
    place = find_candidate(prefetcher, line_address);
    if (place < prefetcher->count) {
        if (place + 1 < prefetcher->count)       /* the reference overlooks the youngest: classic-memory 13.5 */
            stats->already_queued++;
        return true;
    }
    if (prefetcher->count == prefetcher->limit) {
        stats->removed_full++;
        remove_oldest(prefetcher);
    }
    prefetcher_append(prefetcher, &(struct prefetch_candidate){
        .line_address = line_address, .pc = access->pc, .has_pc = access->has_pc,
        .ready_ps = sim_now_ps(prefetcher->sim) + prefetcher->latency_ps});
    return true;
}

/* ---- training */

static bool prefetcher_is_wanted(const struct prefetcher *prefetcher, const struct prefetch_event *event)
{
    bool const is_fetch = (event->request->flags & REQUEST_FETCH) != 0;
    uint32_t const attributes = command_attributes(event->command);

    if (!event->is_miss && prefetcher->training != PREFETCH_TRAINING_ACCESSES)
        return prefetcher->training == PREFETCH_TRAINING_FIRST_HITS && event->was_prefetched;
    if (event->request->flags & REQUEST_UNCACHEABLE)
        return false;
    if (is_fetch)
        return !prefetcher->ops->ignores_fetches;
    return (attributes & ATTR_READ) || !(attributes & ATTR_INVALIDATE);
}

void prefetcher_observe(struct prefetcher *prefetcher, const struct prefetch_event *event)
{
    const struct request *const request = event->request;

    if (event->was_prefetched) {
        prefetcher->stats.useful++;
        if (event->is_miss)
            prefetcher->stats.useful_but_miss++;
    }
    if (!prefetcher_is_wanted(prefetcher, event))
        return;
    prefetcher->access = (struct prefetch_access){
        .address = request->address, .line_address = sim_line_address(prefetcher->sim, request->address),
        .pc = request->pc, .has_pc = request->has_pc, .is_miss = event->is_miss,
        .is_first_hit = event->was_prefetched, .requestor = request->requestor};
    squash(prefetcher, prefetcher->access.line_address);
    prefetcher->ops->train(prefetcher, &prefetcher->access);
}
