/* Modelled: classic-memory 13.1, 13.2 and the counters of 13.5 that the queue makes. Not modelled: squashing by
 * throttled degree (throttle_control_percentage is 0), cache_snoop.
 *
 * A candidate: its line is in the page of the access, or its page has been translated; it is not queued yet. It leaves
 * the queue when the cache takes it, when a training access asks for its line, or as the oldest of a full queue. */
#include "memsys/prefetch/prefetcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/prefetch/prefetch_params.h"

/* Of an address to learn from: it is physical, where others are virtual. */
#define WITHOUT_VIRTUAL (UINT64_C(1) << 61)

#define PREFETCHER_DECLARE(upper, name) extern const struct prefetcher_ops prefetch_##name;
PREFETCHERS(PREFETCHER_DECLARE)

#define PREFETCHER_ROW(upper, name) [PREFETCHER_##upper] = &prefetch_##name,
static const struct prefetcher_ops *const kinds[] = {[PREFETCHER_NONE] = NULL, PREFETCHERS(PREFETCHER_ROW)};

const struct prefetcher_ops *prefetcher_ops_of(uint64_t kind)
{
    assert(kind < sizeof kinds / sizeof *kinds);
    return kinds[kind];
}

/* Attributes of commands that ignore_ keys leave out. Stores and reads for ownership need the line writable;
 * write-backs do not. */
static uint32_t ignored_attributes(const struct prefetcher_params *params)
{
    return (params->ignore_stores ? ATTR_NEEDS_WRITABLE : 0u) | (params->ignore_prefetches ? ATTR_HARD_PREFETCH : 0u)
        | (params->ignore_writebacks ? ATTR_EVICTION : 0u);
}

/* What each prefetcher has, the first of a cache or not. NULL: out of memory. */
static struct prefetcher *make_kind(const struct prefetcher_ops *ops, struct sim *sim, uint64_t period_ps,
                                    const struct prefetcher_params *params)
{
    struct prefetcher *const prefetcher = calloc(1, sizeof *prefetcher);

    if (!prefetcher)
        return NULL;
    prefetcher->ops = ops;
    prefetcher->sim = sim;
    prefetcher->latency_ps = params->latency_cyc * period_ps;
    prefetcher->degree = params->degree ? (uint32_t)params->degree : ops->degree;
    prefetcher->distance = params->distance ? (uint32_t)params->distance : ops->distance;
    prefetcher->training = params->train_on == PREFETCH_TRAINING_AUTO ? ops->training : (uint8_t)params->train_on;
    prefetcher->crosses_pages = params->cross_pages != 0;
    prefetcher->ignored_attributes = ignored_attributes(params);
    prefetcher->ignores_walks = params->ignore_walks != 0;
    prefetcher->first_of_cache = prefetcher;
    prefetcher->own = calloc(1, ops->own_bytes + 1);
    if (prefetcher->own)
        return prefetcher;
    free(prefetcher);
    return NULL;
}

static struct fault lacks_memory(const char *cache_name)
{
    return fault_make(FAULT_MEMORY, "out of memory for the prefetcher of %s", cache_name);
}

struct fault prefetcher_create(struct prefetcher **made, struct sim *sim, const char *cache_name, uint64_t period_ps,
                               const struct prefetcher_params *params)
{
    const struct prefetcher_ops *const ops = prefetcher_ops_of(params->type);

    *made = NULL;
    return ops ? prefetcher_create_of(made, sim, cache_name, period_ps, params, ops) : fault_none();
}

struct fault prefetcher_create_of(struct prefetcher **made, struct sim *sim, const char *cache_name,
                                  uint64_t period_ps, const struct prefetcher_params *params,
                                  const struct prefetcher_ops *ops)
{
    struct prefetcher *prefetcher;

    *made = NULL;
    prefetcher = make_kind(ops, sim, period_ps, params);
    if (!prefetcher)
        return lacks_memory(cache_name);
    prefetcher->limit = (uint32_t)params->queue_size;
    prefetcher->queue = malloc(2 * (size_t)prefetcher->limit * sizeof *prefetcher->queue);
    snprintf(prefetcher->name, sizeof prefetcher->name, "%s.prefetcher", cache_name);
    if (!prefetcher->queue) {
        prefetcher_destroy(prefetcher);
        return lacks_memory(cache_name);
    }
    prefetcher->requestor = sim_add_requestor(sim, prefetcher->name);
    if (ops->start)
        ops->start(prefetcher);
    *made = prefetcher;
    return fault_none();
}

struct fault prefetcher_add(struct prefetcher *first, uint64_t period_ps, const struct prefetcher_params *params)
{
    const struct prefetcher_ops *const ops = prefetcher_ops_of(params->type);
    struct prefetcher *made;

    return ops ? prefetcher_add_of(first, period_ps, params, ops, &made) : fault_none();
}

struct fault prefetcher_add_of(struct prefetcher *first, uint64_t period_ps, const struct prefetcher_params *params,
                               const struct prefetcher_ops *ops, struct prefetcher **made)
{
    struct prefetcher *last = first;
    struct prefetcher *prefetcher;

    prefetcher = make_kind(ops, first->sim, period_ps, params);
    if (!prefetcher)
        return fault_make(FAULT_MEMORY, "out of memory for a further %s", first->name);
    while (last->next)
        last = last->next;
    last->next = prefetcher;
    prefetcher->first_of_cache = first;
    if (ops->start)
        ops->start(prefetcher);
    *made = prefetcher;
    return fault_none();
}

bool prefetcher_crosses_pages(const struct prefetcher *prefetcher)
{
    while (prefetcher && !prefetcher->crosses_pages)
        prefetcher = prefetcher->next;
    return prefetcher != NULL;
}

void prefetcher_destroy(struct prefetcher *prefetcher)
{
    while (prefetcher) {
        struct prefetcher *const next = prefetcher->next;

        free(prefetcher->queue);
        free(prefetcher->own);
        free(prefetcher->displaced);
        free(prefetcher);
        prefetcher = next;
    }
}

/* ---- the queue */

/* Place of the line's candidate, counted from the oldest; count if it is not queued. */
static uint32_t find_candidate(const struct prefetcher *prefetcher, uint64_t line_address)
{
    const struct prefetch_candidate *const oldest = prefetcher->queue + prefetcher->queue_first;
    uint32_t place = 0;

    while (place < prefetcher->count && oldest[place].line_address != line_address)
        place++;
    return place;
}

static void remove_oldest(struct prefetcher *prefetcher)
{
    prefetcher->queue_first++;
    prefetcher->count--;
}

static void prefetcher_append(struct prefetcher *prefetcher, const struct prefetch_candidate *candidate)
{
    if (prefetcher->queue_first + prefetcher->count == 2 * prefetcher->limit) {
        memmove(prefetcher->queue, prefetcher->queue + prefetcher->queue_first,
                prefetcher->count * sizeof *prefetcher->queue);
        prefetcher->queue_first = 0;
    }
    prefetcher->queue[prefetcher->queue_first + prefetcher->count++] = *candidate;
}

static void squash(struct prefetcher *prefetcher, uint64_t line_address)
{
    uint32_t const place = find_candidate(prefetcher, line_address);
    struct prefetch_candidate *const found = prefetcher->queue + prefetcher->queue_first + place;

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
    *candidate = prefetcher->queue[prefetcher->queue_first];
    remove_oldest(prefetcher);
    prefetcher->stats.issued++;
    return true;
}

void prefetcher_queue(struct prefetcher *prefetcher, const struct prefetch_candidate *candidate)
{
    struct prefetcher_stats *const stats = &prefetcher->stats;
    uint32_t place;

    if (prefetcher->refuses) {
        if (prefetcher->count == prefetcher->limit)
            stats->removed_full++;
        else
            prefetcher_append(prefetcher, candidate);
        return;
    }
    place = find_candidate(prefetcher, candidate->line_address);
    if (place < prefetcher->count) {
        if (place + 1 < prefetcher->count)       /* the reference overlooks the youngest: classic-memory 13.5 */
            stats->already_queued++;
        return;
    }
    if (prefetcher->count == prefetcher->limit) {
        stats->removed_full++;
        remove_oldest(prefetcher);
    }
    prefetcher_append(prefetcher, candidate);
}

static bool prefetch_is_virtual(const struct prefetcher *prefetcher)
{
    return prefetcher->crosses_pages && prefetcher->first_of_cache->translator.translate;
}

bool prefetcher_propose(struct prefetcher *prefetcher, uint64_t address)
{
    const struct prefetch_access *const access = &prefetcher->access;
    struct prefetch_candidate const candidate = {
        .line_address = sim_line_address(prefetcher->sim, address), .pc = access->pc, .has_pc = access->has_pc,
        .ready_ps = sim_now_ps(prefetcher->sim) + prefetcher->latency_ps};

    return prefetcher_propose_candidate(prefetcher, &candidate, true);
}

bool prefetcher_propose_candidate(struct prefetcher *prefetcher, const struct prefetch_candidate *proposed,
                                  bool within_access)
{
    const struct prefetch_access *const access = &prefetcher->access;
    struct prefetcher *const first = prefetcher->first_of_cache;
    bool const is_virtual = prefetch_is_virtual(prefetcher);
    struct prefetch_candidate candidate = *proposed;
    bool const is_other_page = within_access
        ? candidate.line_address >> PREFETCH_PAGE_SHIFT != access->address >> PREFETCH_PAGE_SHIFT : is_virtual;

    if (first->refuses && first->count == first->limit) {
        first->stats.removed_full++;
        return false;
    }
    if (is_other_page && (!is_virtual || access->address & WITHOUT_VIRTUAL)) {
        first->stats.other_page++;
        if (access->is_first_hit)
            first->stats.useful_other_page++;
        return false;
    }
    if (is_other_page && !first->translator.translate(first->translator.self, &candidate, prefetcher->access_physical))
        return false;
    first->stats.identified++;
    if (is_other_page)
        return true;
    if (within_access)
        candidate.line_address += prefetcher->access_physical - access->address;   /* the same page: as far apart */
    prefetcher_queue(first, &candidate);
    return true;
}

/* ---- training */

/* What a prefetcher sees of a physical address. A page table that a walk reads has no virtual one: it is learnt from by
 * its physical address, far from all virtual ones. */
static uint64_t address_to_learn(const struct prefetcher *prefetcher, uint64_t physical)
{
    const struct prefetch_translator *const translator = &prefetcher->first_of_cache->translator;
    uint64_t address = physical;

    if (prefetch_is_virtual(prefetcher))
        address = translator->virtual_of(translator->self, physical);
    return address == PREFETCH_NOWHERE ? physical | WITHOUT_VIRTUAL : address;
}

static bool prefetcher_is_wanted(const struct prefetcher *prefetcher, const struct prefetch_event *event)
{
    bool const is_fetch = (event->request->flags & REQUEST_FETCH) != 0;
    uint32_t const attributes = command_attributes(event->command);

    if (attributes & prefetcher->ignored_attributes
        || (prefetcher->ignores_walks && event->request->flags & REQUEST_WALK))
        return false;
    if (!event->is_miss && prefetcher->training != PREFETCH_TRAINING_ACCESSES)
        return prefetcher->training == PREFETCH_TRAINING_FIRST_HITS && event->was_prefetched;
    if (event->request->flags & REQUEST_UNCACHEABLE)
        return false;
    if (is_fetch)
        return !prefetcher->ops->ignores_fetches;
    return (attributes & ATTR_READ) || !(attributes & ATTR_INVALIDATE);
}

void prefetcher_begin_access(struct prefetcher *prefetcher, const struct prefetch_event *event)
{
    const struct request *const request = event->request;
    uint64_t const address = address_to_learn(prefetcher, request->address);

    prefetcher->access_physical = request->address;
    prefetcher->access = (struct prefetch_access){
        .address = address, .line_address = sim_line_address(prefetcher->sim, address),
        .pc = request->pc, .has_pc = request->has_pc, .is_miss = event->is_miss,
        .is_first_hit = event->was_prefetched, .requestor = request->requestor};
    if (!prefetcher->ignores_queued)
        squash(prefetcher->first_of_cache, sim_line_address(prefetcher->sim, request->address));
}

void prefetcher_observe(struct prefetcher *prefetcher, const struct prefetch_event *event)
{
    if (event->was_prefetched) {
        prefetcher->stats.useful++;
        if (event->is_miss)
            prefetcher->stats.useful_but_miss++;
    }
    for (struct prefetcher *one = prefetcher; one; one = one->next) {
        if (one->ops->observe) {
            one->ops->observe(one, event);
        } else if (prefetcher_is_wanted(one, event)) {
            prefetcher_begin_access(one, event);
            one->ops->train(one, &one->access);
        }
    }
}

void prefetcher_line_filled(struct prefetcher *prefetcher, uint64_t line_address, bool by_prefetch)
{
    for (struct prefetcher *one = prefetcher; one; one = one->next)
        if (one->ops->filled)
            one->ops->filled(one, address_to_learn(one, line_address), by_prefetch);
}

void prefetcher_line_lost(struct prefetcher *prefetcher, uint64_t line_address)
{
    for (struct prefetcher *one = prefetcher; one; one = one->next)
        if (one->ops->lost)
            one->ops->lost(one, address_to_learn(one, line_address));
}
