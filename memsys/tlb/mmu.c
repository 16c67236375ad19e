/* Modelled: virtual-memory 4: L1 TLBs with entries of their own for each page size, looked up at no cost beside the L1
 * cache; an L2 TLB for both sizes and both sides; misses that are merged by page, a limit of them, back-pressure. Not
 * modelled: prefetch into TLBs but for pages whose lines are prefetched, invalidations, protection, page faults.
 *
 * A request's way: hit in its L1 TLB -> the cache, in the same call. Miss -> kept in a struct mmu_miss, MISS_IN_L2 for
 * the L2's latency -> found: the L1 TLB gets the entry, and the requests go to `ready`; not found: a walk (walker.c),
 * after which both TLBs get it. `ready` is sent at once, as far as the cache takes it.
 *
 * All that may send or call back happens in this MMU's own events, or in calls of its neighbours that may: never while
 * a cache is about to hand over a response. */
#include "memsys/tlb/mmu.h"

#include <stdio.h>
#include <stdlib.h>

#include "memsys/tlb/tlb_params.h"
#include "memsys/tlb/walker.h"

enum { MISSES_OF_THE_CORE = 2 };         /* that prefetches leave free */
#define MOST_VIRTUAL ((UINT64_C(1) << 48) - 1)       /* what four levels of tables reach */

/* ---- waiting requests */

static void now_waits(struct mmu_side *side)
{
    if (side->waiting++ == 0)
        side->waiting_since_ps = sim_now_ps(side->mmu->sim);
}

static void count_stall(struct mmu_side *side)
{
    uint64_t const now_ps = sim_now_ps(side->mmu->sim);

    if (side->waiting > 0)
        side->stats.stalled_ps += now_ps - side->waiting_since_ps;
    side->waiting_since_ps = now_ps;
}

static void waits_no_more(struct mmu_side *side)
{
    count_stall(side);
    side->waiting--;
}

void mmu_sync(struct mmu *mmu)
{
    for (unsigned i = 0; i < MMU_SIDES; i++)
        count_stall(&mmu->sides[i]);
}

static void mmu_keep(struct mmu_miss *miss, struct packet *packet)
{
    packet_list_add(&miss->packets, packet);
    miss->packet_count++;
    miss->arrival_sum_ps += sim_now_ps(miss->side->mmu->sim);
}

static void give_prefetch(const struct mmu *mmu, const struct request *request)
{
    const struct mmu_prefetches *of = mmu->prefetches;

    while (of->requestor != request->requestor)
        of++;
    of->take(of->self, request);
}

/* The translation is there: the L1 TLB has it, requests are ready. */
static void translated(struct mmu_miss *miss)
{
    struct mmu_side *const side = miss->side;

    tlb_put(mmu_l1_of(side, miss->key), miss->key);
    side->stats.waited_ps += miss->packet_count * sim_now_ps(side->mmu->sim) - miss->arrival_sum_ps;
    while (miss->packets.first) {
        struct packet *const packet = packet_list_pop(&miss->packets);

        if (packet->command != CMD_HardPFReq) {
            packet_list_add(&side->ready, packet);
            continue;
        }
        give_prefetch(side->mmu, &packet->request);
        packet_give(side->mmu->sim->packets, packet);
    }
    miss->state = MISS_IS_FREE;
    side->has_news = true;
    side->miss_count--;
    waits_no_more(side);
}

static void leave_queue(struct mmu *mmu, struct mmu_miss *gone)
{
    struct miss_list left = {NULL, NULL};

    while (mmu->in_queue.first) {
        struct mmu_miss *const miss = miss_list_pop(&mmu->in_queue);

        if (miss != gone)
            miss_list_add(&left, miss);
    }
    mmu->in_queue = left;
    mmu->stats.queued_ps += sim_now_ps(mmu->sim) - gone->due_ps;
}

/* A walk has found that translation. Serves all requests that wait for it, except those still looking up the L2 TLB,
 * which will find it there. */
static void walked(struct mmu *mmu, struct tlb_key key)
{
    if (mmu->has_l2 && !tlb_find(&mmu->l2, key))
        tlb_put(&mmu->l2, key);
    for (unsigned s = 0; s < MMU_SIDES; s++) {
        struct mmu_side *const side = &mmu->sides[s];

        for (uint64_t i = 0; i < side->miss_limit && side->miss_count > 0; i++) {
            struct mmu_miss *const miss = &side->misses[i];

            if ((miss->state != MISS_IN_QUEUE && miss->state != MISS_IN_WALK)
                || !tlb_keys_are_equal(miss->key, key))
                continue;
            if (miss->state == MISS_IN_QUEUE)
                leave_queue(mmu, miss);
            translated(miss);
        }
    }
}

/* ---- sending */

static bool mmu_send(struct below *below, struct packet_list *list)
{
    struct packet *const packet = list->first;
    struct packet *const next = packet->next;        /* the packet is not ours once it is sent */

    if (!below->ops->recv_request(below->self, packet, below->port))
        return false;
    list->first = next;
    return true;
}

static void send_side(struct mmu *mmu, struct mmu_side *side)
{
    bool const has_reads = side == &mmu->sides[MMU_DATA] && !mmu->walker.ops;

    while (!side->is_refused && has_reads && mmu->reads.first)
        side->is_refused = !mmu_send(&side->cache, &mmu->reads);
    while (!side->is_refused && side->ready.first)
        side->is_refused = !mmu_send(&side->cache, &side->ready);
}

static bool mmu_has_room(const struct mmu_side *side)
{
    return side->miss_count < side->miss_limit;
}

/* The core was refused; it may be sent back, and be refused again. */
static void call_core(struct mmu_side *side)
{
    if (!side->owes_retry || !side->has_news || side->is_refused)
        return;
    side->owes_retry = false;
    side->core.ops->recv_request_retry(side->core.self, side->core.port);
}

static void send_all(struct mmu *mmu)
{
    while (mmu->walker.ops && !mmu->is_walker_refused && mmu->reads.first)
        mmu->is_walker_refused = !mmu_send(&mmu->walker, &mmu->reads);
    for (unsigned i = 0; i < MMU_SIDES; i++)
        if (mmu->sides[i].cache.ops)
            send_side(mmu, &mmu->sides[i]);
    for (unsigned i = 0; i < MMU_SIDES; i++)
        call_core(&mmu->sides[i]);
}

static void work(void *owner)
{
    struct mmu *const mmu = owner;
    struct tlb_key key;

    while (walker_next(mmu, &key))
        walked(mmu, key);
    walker_begin_queued(mmu);
    send_all(mmu);
}

static void want_work(struct mmu *mmu)
{
    if (!mmu->work_event.scheduled)
        event_schedule(&mmu->sim->events, &mmu->work_event, sim_now_ps(mmu->sim));
}

/* An entry that has come is due. */
static void walk_due(void *owner)
{
    struct mmu *const mmu = owner;

    work(mmu);
    if (mmu->arrived)
        event_schedule(&mmu->sim->events, &mmu->walk_event, mmu->arrived->due_ps);
}

static void entry_came(struct mmu *mmu)
{
    uint64_t const due_ps = mmu->arrived->due_ps;

    if (due_ps == sim_now_ps(mmu->sim))
        want_work(mmu);
    else if (!mmu->walk_event.scheduled)
        event_schedule(&mmu->sim->events, &mmu->walk_event, due_ps);
    else if (mmu->walk_event.when_ps > due_ps)
        event_reschedule(&mmu->sim->events, &mmu->walk_event, due_ps);
}

/* ---- the L2 TLB */

static void mmu_look_up(struct mmu *mmu, struct mmu_miss *miss)
{
    if (mmu->has_l2) {
        mmu->stats.l2_accesses++;
        if (tlb_find(&mmu->l2, miss->key)) {
            mmu->stats.l2_hits++;
            translated(miss);
            return;
        }
        mmu->stats.l2_misses++;
    }
    walker_ask(mmu, miss);
}

static void look_up_due(void *owner)
{
    struct mmu *const mmu = owner;

    while (mmu->in_l2.first && mmu->in_l2.first->due_ps == sim_now_ps(mmu->sim))
        mmu_look_up(mmu, miss_list_pop(&mmu->in_l2));
    if (mmu->in_l2.first)
        event_schedule(&mmu->sim->events, &mmu->lookup_event, mmu->in_l2.first->due_ps);
    send_all(mmu);
}

/* ---- requests */

static bool mmu_refuse(struct mmu_side *side)
{
    side->owes_retry = true;
    side->has_news = false;
    side->stats.refused++;
    return false;
}

static bool pass(struct mmu_side *side, struct packet *packet)
{
    if (side->cache.ops->recv_request(side->cache.self, packet, side->cache.port))
        return true;
    side->is_refused = true;
    return mmu_refuse(side);
}

static void begin_miss(struct mmu_side *side, struct tlb_key key, struct vm_page page, struct packet *packet)
{
    struct mmu *const mmu = side->mmu;
    struct mmu_miss *miss = side->misses;

    while (miss->state != MISS_IS_FREE)
        miss++;
    *miss = (struct mmu_miss){
        .state = MISS_IN_L2, .key = key, .page = page, .side = side,
        .due_ps = clock_edge_ps(sim_now_ps(mmu->sim), mmu->clock.period_ps, mmu->has_l2 ? mmu->l2_latency_cyc : 0)};
    mmu_keep(miss, packet);
    side->miss_count++;
    now_waits(side);
    miss_list_add(&mmu->in_l2, miss);
    if (!mmu->lookup_event.scheduled)
        event_schedule(&mmu->sim->events, &mmu->lookup_event, miss->due_ps);
}

static struct mmu_miss *find_miss(struct mmu_side *side, struct tlb_key key)
{
    for (uint64_t i = 0; i < side->miss_limit; i++)
        if (side->misses[i].state != MISS_IS_FREE && tlb_keys_are_equal(side->misses[i].key, key))
            return &side->misses[i];
    return NULL;
}

static bool take_miss(struct mmu_side *side, struct tlb_key key, struct vm_page page, struct packet *packet)
{
    struct mmu_miss *const miss = side->miss_count > 0 ? find_miss(side, key) : NULL;

    if (miss ? miss->packet_count >= side->target_limit : !mmu_has_room(side))
        return mmu_refuse(side);
    if (miss)
        mmu_keep(miss, packet);
    else
        begin_miss(side, key, page, packet);
    side->stats.merged += miss != NULL;
    side->stats.accesses++;
    side->stats.misses++;
    return true;
}

/* An entry is marked as used even if the cache refuses the request: it comes again before any other of this side. The
 * write of a locked pair has the translation of its read, and is not counted: while the line is locked, the cache may
 * take nothing else, a walk's reads neither. */
static bool mmu_recv_request(void *self, struct packet *packet, unsigned port)
{
    struct mmu_side *const side = self;
    struct mmu *const mmu = side->mmu;
    struct vm_page page;
    struct tlb_key key;

    (void)port;
    if (side->is_refused || side->ready.first)
        return mmu_refuse(side);
    if (packet->command == CMD_LockedRMWWriteReq)
        return pass(side, packet);
    page = vm_find(mmu->memory, mmu->own, packet->address & ~ADDRESS_SECURE);
    if (!page.space) {
        bool const is_taken = pass(side, packet);

        side->stats.untranslated += is_taken;
        return is_taken;
    }
    key = mmu_key_of(mmu, &page);
    if (!tlb_find(mmu_l1_of(side, key), key))
        return take_miss(side, key, page, packet);
    if (!pass(side, packet))
        return false;
    side->stats.accesses++;
    side->stats.hits++;
    return true;
}

/* ---- prefetches */

uint64_t mmu_virtual_of(const struct mmu *mmu, uint64_t physical)
{
    struct vm_page const page = vm_find(mmu->memory, mmu->own, physical & ~ADDRESS_SECURE);

    return page.space ? page.address | (physical & ADDRESS_SECURE) : VM_NOWHERE;
}

uint64_t mmu_place_of(const struct mmu *mmu, uint64_t address, uint64_t from)
{
    struct vm_page const page = vm_find(mmu->memory, mmu->own, from & ~ADDRESS_SECURE);
    struct fault fault = fault_none();       /* of a page for which there is no room: it is not prefetched */
    uint64_t const virtual = address & ~ADDRESS_SECURE;
    uint64_t const place = page.space && virtual <= MOST_VIRTUAL ? space_touch_and_place(page.space, virtual, &fault)
                                                                 : VM_NOWHERE;

    return place == VM_NOWHERE ? VM_NOWHERE : place | (from & ADDRESS_SECURE);
}

bool mmu_translate_prefetch(struct mmu *mmu, enum mmu_side_number number, const struct request *request, uint64_t from)
{
    struct mmu_side *const side = &mmu->sides[number];
    struct request placed = *request;
    struct mmu_miss *miss;
    struct vm_page page;
    struct tlb_key key;
    struct packet *packet;

    placed.address = mmu_place_of(mmu, request->address, from);
    if (placed.address == VM_NOWHERE)
        return true;
    page = vm_find(mmu->memory, mmu->own, placed.address & ~ADDRESS_SECURE);
    if (!page.space)
        return true;
    key = mmu_key_of(mmu, &page);
    if (tlb_find(mmu_l1_of(side, key), key)) {
        give_prefetch(mmu, &placed);
        return true;
    }
    miss = side->miss_count > 0 ? find_miss(side, key) : NULL;
    if (miss ? miss->packet_count >= side->target_limit
             : side->miss_count + MISSES_OF_THE_CORE >= side->miss_limit || mmu->in_queue.first)
        return false;
    packet = packet_take(mmu->sim->packets, &placed, CMD_HardPFReq);
    if (miss)
        mmu_keep(miss, packet);
    else
        begin_miss(side, key, page, packet);
    return true;
}

void mmu_add_prefetches(struct mmu *mmu, struct mmu_prefetches prefetches)
{
    assert(mmu->prefetches_count < MMU_PREFETCHES);
    mmu->prefetches[mmu->prefetches_count++] = prefetches;
}

static void mmu_recv_response_retry(void *self, unsigned port)
{
    struct mmu_side *const side = self;

    (void)port;
    side->cache.ops->recv_response_retry(side->cache.self, side->cache.port);
}

static bool mmu_recv_snoop_response(void *self, struct packet *packet, unsigned port)
{
    struct mmu_side *const side = self;

    (void)port;
    return side->cache.ops->recv_snoop_response(side->cache.self, packet, side->cache.port);
}

/* ---- from the caches */

static bool mmu_recv_response(void *self, struct packet *packet, unsigned port)
{
    struct mmu_side *const side = self;

    (void)port;
    if (packet->request.requestor != side->mmu->requestor)
        return side->core.ops->recv_response(side->core.self, packet, side->core.port);
    walker_take(side->mmu, packet);
    entry_came(side->mmu);
    return true;
}

static void mmu_recv_request_retry(void *self, unsigned port)
{
    struct mmu_side *const side = self;

    (void)port;
    side->is_refused = false;
    side->has_news = true;
    send_side(side->mmu, side);
    call_core(side);
}

static void recv_snoop(void *self, struct packet *packet, unsigned port)
{
    struct mmu_side *const side = self;

    (void)port;
    side->core.ops->recv_snoop(side->core.self, packet, side->core.port);
}

static void recv_snoop_response_retry(void *self, unsigned port)
{
    struct mmu_side *const side = self;

    (void)port;
    side->core.ops->recv_snoop_response_retry(side->core.self, side->core.port);
}

static bool recv_entry(void *self, struct packet *packet, unsigned port)
{
    struct mmu *const mmu = self;

    (void)port;
    walker_take(mmu, packet);
    entry_came(mmu);
    return true;
}

static void recv_walker_retry(void *self, unsigned port)
{
    struct mmu *const mmu = self;

    (void)port;
    mmu->is_walker_refused = false;
    want_work(mmu);
}

static void ignore_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)packet;
    (void)port;
}

static void ignore_retry(void *self, unsigned port)
{
    (void)self;
    (void)port;
}

static const struct below_ops below_ops = {mmu_recv_request, mmu_recv_response_retry, mmu_recv_snoop_response};
static const struct above_ops above_ops = {mmu_recv_response, mmu_recv_request_retry, recv_snoop,
                                           recv_snoop_response_retry, NULL};
static const struct above_ops walker_ops = {recv_entry, recv_walker_retry, ignore_snoop, ignore_retry, NULL};

/* ---- set-up */

static struct fault init_side(struct mmu *mmu, struct mmu_side *side, const struct tlb_l1_params *params)
{
    side->mmu = mmu;
    side->miss_limit = params->mshrs;
    side->target_limit = params->targets_per_mshr;
    side->misses = calloc(params->mshrs, sizeof *side->misses);
    if (!side->misses)
        return fault_make(FAULT_MEMORY, "out of memory for the misses of %s", mmu->name);
    FORWARD(tlb_init(&side->small, params->entries, params->assoc));
    return tlb_init(&side->huge, params->huge_entries, params->huge_assoc);
}

struct fault mmu_init(struct mmu *mmu, const struct mmu_setup *setup)
{
    const struct tlb_params *const params = setup->params;
    uint64_t const walk_caches[VM_LEVELS + 1] = {0, 0, params->caches.level2, params->caches.level3,
                                                 params->caches.level4};

    *mmu = (struct mmu){.sim = setup->sim, .clock = clock_domain(setup->period_ps), .memory = setup->memory,
                        .own = setup->own, .has_l2 = params->l2.entries > 0,
                        .l2_latency_cyc = params->l2.latency_cyc, .walk_limit = params->walker.outstanding,
                        .walk_step_ps = params->walker.latency_cyc * setup->period_ps,
                        .first_touch_ps = params->walker.first_touch_cyc * setup->period_ps,
                        .least_reads = (unsigned)max_u64(params->walker.least_reads, 1)};
    snprintf(mmu->name, sizeof mmu->name, "%s.mmu", setup->core);
    snprintf(mmu->walker_name, sizeof mmu->walker_name, "%s.walker", mmu->name);
    event_init(&mmu->lookup_event, look_up_due, mmu, EVENT_DEFAULT);
    event_init(&mmu->work_event, work, mmu, EVENT_DEFAULT);
    event_init(&mmu->walk_event, walk_due, mmu, EVENT_DEFAULT);
    FORWARD(event_queue_reserve(&setup->sim->events, 3));
    mmu->requestor = sim_add_requestor(setup->sim, mmu->walker_name);
    FORWARD(init_side(mmu, &mmu->sides[MMU_DATA], &params->l1d));
    FORWARD(init_side(mmu, &mmu->sides[MMU_INST], &params->l1i));
    FORWARD(tlb_init(&mmu->l2, params->l2.entries, params->l2.assoc));
    for (unsigned level = 0; level <= VM_LEVELS; level++)
        FORWARD(tlb_init(&mmu->walk_caches[level], walk_caches[level], walk_caches[level]));
    mmu->host = params->walker.nested ? vm_memory_host(setup->memory) : NULL;
    FORWARD(tlb_init(&mmu->nested, mmu->host ? params->caches.nested : 0, params->caches.nested));
    mmu->walks = calloc(mmu->walk_limit, sizeof *mmu->walks);
    if (!mmu->walks)
        return fault_make(FAULT_MEMORY, "out of memory for the walks of %s", mmu->name);
    return histogram_init(&mmu->stats.walk_latency, MMU_LATENCY_BINS);
}

static void give_all(struct mmu *mmu, struct packet_list *list)
{
    while (list->first)
        packet_give(mmu->sim->packets, packet_list_pop(list));
}

void mmu_free(struct mmu *mmu)
{
    if (!mmu->sim)
        return;
    for (unsigned s = 0; s < MMU_SIDES; s++) {
        struct mmu_side *const side = &mmu->sides[s];

        for (uint64_t i = 0; side->misses && i < side->miss_limit; i++)
            give_all(mmu, &side->misses[i].packets);
        give_all(mmu, &side->ready);
        free(side->misses);
        tlb_free(&side->small);
        tlb_free(&side->huge);
    }
    give_all(mmu, &mmu->reads);
    tlb_free(&mmu->l2);
    tlb_free(&mmu->nested);
    for (unsigned level = 0; level <= VM_LEVELS; level++)
        tlb_free(&mmu->walk_caches[level]);
    free(mmu->walks);
    if (mmu->stats.walk_latency.bins)
        histogram_free(&mmu->stats.walk_latency);
    *mmu = (struct mmu){.sim = NULL};
}

void mmu_connect(struct mmu *mmu, enum mmu_side_number side, struct above core, struct below cache)
{
    mmu->sides[side].core = core;
    mmu->sides[side].cache = cache;
}

struct below mmu_below(struct mmu *mmu, enum mmu_side_number side)
{
    return (struct below){.ops = &below_ops, .self = &mmu->sides[side]};
}

struct above mmu_above(struct mmu *mmu, enum mmu_side_number side)
{
    const struct above *const core = &mmu->sides[side].core;

    return (struct above){.ops = &above_ops, .self = &mmu->sides[side], .is_snooping = core->is_snooping,
                          .requestor = core->requestor};
}

struct above mmu_walker_above(struct mmu *mmu)
{
    return (struct above){.ops = &walker_ops, .self = mmu, .requestor = mmu->requestor};
}

void mmu_connect_walker(struct mmu *mmu, struct below below)
{
    mmu->walker = below;
}

static const char *const state_names[] = {
    [MISS_IN_L2] = "is looked up in the L2 TLB", [MISS_IN_QUEUE] = "waits for a free page walk",
    [MISS_IN_WALK] = "waits for a page walk"
};

bool mmu_describe(const struct mmu *mmu, uint64_t address, char *text, size_t size)
{
    for (unsigned s = 0; s < MMU_SIDES; s++)
        for (uint64_t i = 0; i < mmu->sides[s].miss_limit; i++) {
            const struct mmu_miss *const miss = &mmu->sides[s].misses[i];

            for (const struct packet *packet = miss->packets.first; packet; packet = packet->next)
                if (packet->address == address) {
                    snprintf(text, size, "%s: its page %s", mmu->name, state_names[miss->state]);
                    return true;
                }
        }
    return false;
}
