/* Warp schedulers of an SM (gpu-traces 10).
 *
 * Modelled: each scheduler looks at its warps in the order of its policy and issues from the first that can, up to
 * issue_width instructions; units that take an instruction every `interval` cycles; a few places on the way to the
 * LD/ST unit. Policies: loose round robin starts behind the warp that issued last; greedy-then-oldest stays with it,
 * else takes the one launched first; two levels go round in a small set, which a warp leaves when it waits.
 * Not modelled: writes to register banks (reads: gpu_decode.c), fetch, the queue in front of a unit.
 *
 * A scheduler whose stall lasts is not looked at each cycle: the reason is kept, and charged for all cycles at once. */
#include "replay/gpu/gpu_machine.h"

enum { INNER_WARPS = 8 };                /* of two levels: a fetch group of Narasiman et al., MICRO 2011 */

void gpu_issue_admit(struct gpu_sm *sm, uint32_t slot)
{
    struct gpu_scheduler *const scheduler = &sm->schedulers[sm_scheduler_of(sm->machine, slot)];

    scheduler->by_age[scheduler->live_count++] = (uint8_t)sm_bit_of(sm->machine, slot);
}

void gpu_issue_dismiss(struct gpu_sm *sm, uint32_t slot)
{
    struct gpu_scheduler *const scheduler = &sm->schedulers[sm_scheduler_of(sm->machine, slot)];
    uint8_t const bit = (uint8_t)sm_bit_of(sm->machine, slot);
    unsigned at = 0;

    while (scheduler->by_age[at] != bit)
        at++;
    scheduler->live_count--;
    for (; at < scheduler->live_count; at++)
        scheduler->by_age[at] = scheduler->by_age[at + 1];
    scheduler->active &= ~(UINT64_C(1) << bit);
}

static unsigned next_after(uint64_t candidates, unsigned last)
{
    uint64_t const behind = last < 63 ? candidates & ~UINT64_C(0) << (last + 1) : 0;

    return (unsigned)__builtin_ctzll(behind ? behind : candidates);
}

static unsigned oldest(const struct gpu_scheduler *scheduler, uint64_t candidates)
{
    unsigned at = 0;

    while (!(candidates >> scheduler->by_age[at] & 1))
        at++;
    return scheduler->by_age[at];
}

static unsigned pick(const struct gpu_scheduler *scheduler, enum warp_scheduler policy, uint64_t candidates)
{
    if (policy != WARP_GTO)
        return next_after(candidates, scheduler->last);
    return candidates >> scheduler->last & 1 ? scheduler->last : oldest(scheduler, candidates);
}

/* Ready warps join the inner set while it has room. Those that wait for others have left it. */
static uint64_t inner_candidates(struct gpu_scheduler *scheduler)
{
    uint64_t waiting = scheduler->ready & ~scheduler->active;

    while (waiting && __builtin_popcountll(scheduler->active) < INNER_WARPS) {
        unsigned const bit = next_after(waiting, scheduler->last);

        scheduler->active |= UINT64_C(1) << bit;
        waiting &= ~(UINT64_C(1) << bit);
    }
    return scheduler->ready & scheduler->active;
}

/* The unit of a port that a scheduler may use and that is free first. */
static uint64_t *warp_scheduler_unit_of(const struct gpu_sm *sm, unsigned scheduler, unsigned port)
{
    unsigned const schedulers = (unsigned)sm->machine->params.sm.schedulers;
    unsigned const count = (unsigned)sm->machine->params.units[port].count;
    uint64_t *const units = sm->unit_free[port];
    uint64_t *best;

    if (count <= schedulers)
        return &units[count == schedulers ? scheduler : scheduler % count];
    best = &units[scheduler];
    for (unsigned i = scheduler + schedulers; i < count; i += schedulers)
        if (units[i] < *best)
            best = &units[i];
    return best;
}

/* When the port takes an instruction; CYC_NEVER: when the LD/ST unit has moved on. */
static uint64_t port_free_cyc(const struct gpu_sm *sm, unsigned scheduler, unsigned port)
{
    if (port == GPU_PORT_NONE)
        return 0;
    if (port == GPU_PORT_MEMORY)
        return sm->schedulers[scheduler].memory_queued < GPU_LDST_QUEUE ? 0 : CYC_NEVER;
    return *warp_scheduler_unit_of(sm, scheduler, port);
}

static void write_registers(struct gpu_sm *sm, uint32_t slot, const struct gpu_decoded *decoded, uint64_t when_cyc)
{
    const uint16_t *const list = &sm->warps[slot].resident->kernel->registers[decoded->registers_at];

    for (unsigned i = 0; i < decoded->destination_count; i++)
        sm->registers[slot][list[i]] = when_cyc;
}

static void charge(struct gpu_running *running, const struct gpu_decoded *decoded, const struct gpu_inst *inst)
{
    struct gpu_counts *const counts = &running->result->counts;
    uint64_t const lanes = (uint64_t)__builtin_popcountll(inst->mask);

    counts->warp_insts++;
    counts->thread_insts += lanes;
    counts->unknown_insts += decoded->is_unknown;
    running->result->unit_fallbacks += decoded->is_fallback;
    if (running->pcs) {
        running->pcs[inst->index].executions++;
        running->pcs[inst->index].lanes += lanes;
    }
}

/* GCN3: scalar loads go to the shader array's cache, accesses to shared memory have a unit of their own; the LD/ST unit
 * takes the rest. */
static bool issue_direct(struct gpu_sm *sm, uint32_t slot, const struct gpu_inst *inst, uint64_t now_cyc)
{
    const struct gpu_params *const params = &sm->machine->params;
    const struct gpu_decoded *const decoded = warp_decoded(&sm->warps[slot], inst);

    if (decoded->is_scalar && sm->machine->arrays) {
        gpu_array_load(sm, slot, inst, now_cyc);
        gpu_warp_plan(sm, slot, now_cyc + params->array.scalar_issue_cyc);
        return true;
    }
    if (decoded->space != GPU_SPACE_SHARED)
        return false;
    gpu_ldst_access_shared(sm, slot, inst);
    sm->warps[slot].drained_cyc = max_u64(sm->warps[slot].drained_cyc, now_cyc + params->sm.shared_latency_cyc);
    gpu_warp_plan(sm, slot, now_cyc + max_u64(params->sm.shared_latency_cyc, 1));
    return true;
}

/* Issues the next instruction of a warp, whose port is free. False: the warp must not issue another now. */
static bool issue(struct gpu_sm *sm, unsigned scheduler, uint32_t slot, uint64_t now_cyc)
{
    const struct gpu_sm_params *const params = &sm->machine->params.sm;
    struct gpu_warp *const warp = &sm->warps[slot];
    const struct gpu_inst *const inst = warp->next++;
    struct gpu_decoded const decoded = *warp_decoded(warp, inst);
    uint64_t done_cyc = now_cyc + decoded.latency_cyc + params->pipeline_cyc;

    charge(warp->resident->kernel, &decoded, inst);
    sm->machine->warp_insts++;
    sm->machine->progress_cyc = now_cyc;
    if (sm->fetches && decoded.cls == GPU_CLASS_BRANCH)
        gpu_fetch_branch(sm, slot);
    switch (decoded.action) {
    case GPU_ACCESS:
        if (!params->scoreboard && params->address_latency_cyc && issue_direct(sm, slot, inst, now_cyc))
            return false;
        write_registers(sm, slot, &decoded, CYC_NEVER);
        warp->outstanding++;
        gpu_ldst_accept(sm, slot, inst, now_cyc);
        if (!params->scoreboard) {
            gpu_warp_set_state(sm, slot, GPU_WARP_SENDING);
            return false;
        }
        break;
    case GPU_BARRIER:
    case GPU_ARRIVE:
        warp->drained_cyc = max_u64(warp->drained_cyc, now_cyc + params->pipeline_cyc);
        gpu_warp_arrive(sm, slot, decoded.action == GPU_BARRIER, now_cyc);
        if (warp->state == GPU_WARP_BARRIER)
            return false;
        break;
    case GPU_WAIT:
        if (params->address_latency_cyc) {
            warp->is_waiting = true;
            gpu_warp_set_state(sm, slot, GPU_WARP_REGISTERS);
            gpu_warp_plan(sm, slot, now_cyc + 1);
            return false;
        }
        done_cyc = now_cyc + params->pipeline_cyc;
        warp->drained_cyc = max_u64(warp->drained_cyc, done_cyc);
        break;
    case GPU_COMMIT_GROUP:
        warp->copy_group = (uint8_t)((warp->copy_group + 1) % GPU_COPY_GROUPS);
        break;
    case GPU_EXECUTE:
        *warp_scheduler_unit_of(sm, scheduler, decoded.port) = now_cyc + decoded.interval_cyc;
        write_registers(sm, slot, &decoded, done_cyc);
        warp->drained_cyc = max_u64(warp->drained_cyc, done_cyc);
        break;
    default:
        done_cyc = now_cyc + params->pipeline_cyc;
        warp->drained_cyc = max_u64(warp->drained_cyc, done_cyc);
        break;
    }
    gpu_warp_plan(sm, slot, params->scoreboard ? now_cyc + 1 : max_u64(now_cyc + 1, done_cyc));
    return !decoded.ends_issue && params->scoreboard;
}

/* A second instruction of the same warp in the same cycle: its registers must be there already. */
static void issue_more(struct gpu_sm *sm, unsigned scheduler, uint32_t slot, unsigned first_port, uint64_t now_cyc)
{
    const struct gpu_sm_params *const params = &sm->machine->params.sm;
    struct gpu_warp *const warp = &sm->warps[slot];

    for (uint64_t issued = 1; issued < params->issue_width; issued++) {
        const struct gpu_decoded *decoded;
        const uint16_t *list;

        if (warp->state != GPU_WARP_TIMED || warp->ready_cyc > now_cyc + 1)
            return;
        decoded = warp_decoded(warp, warp->next);
        if (decoded->port == GPU_PORT_NONE || (params->dual_issue_units && decoded->port == first_port) ||
            port_free_cyc(sm, scheduler, decoded->port) > now_cyc)
            return;
        list = &warp->resident->kernel->registers[decoded->registers_at];
        for (unsigned i = 0; i < decoded->register_count; i++)
            if (sm->registers[slot][list[i]] > now_cyc)
                return;
        /* It is in the wheel for the next cycle; the code that pops it finds a later cycle, or none. */
        if (!issue(sm, scheduler, slot, now_cyc))
            return;
    }
}

enum gpu_stall gpu_issue_reason(const struct gpu_scheduler *scheduler)
{
    const uint16_t *const in = scheduler->in_state;

    if (in[GPU_WARP_TIMED])
        return GPU_STALL_SCOREBOARD;
    if (in[GPU_WARP_REGISTERS])
        return GPU_STALL_LOADS;
    if (in[GPU_WARP_SENDING] || in[GPU_WARP_FENCE] || in[GPU_WARP_GROUPS])
        return GPU_STALL_LDST;
    return in[GPU_WARP_BARRIER] ? GPU_STALL_BARRIER : GPU_STALL_IDLE;
}

/* The warp of this bit issues; the answer is that of `issue`. */
static bool issue_from(struct gpu_sm *sm, unsigned number, unsigned bit, unsigned port, uint64_t now_cyc)
{
    struct gpu_scheduler *const scheduler = &sm->schedulers[number];

    scheduler->ready &= ~(UINT64_C(1) << bit);
    scheduler->by_port[port] &= ~(UINT64_C(1) << bit);
    scheduler->last = (uint8_t)bit;
    gpu_issue_set_stall(sm, number, GPU_STALL_NONE);
    if (!scheduler->ready)
        sm->ready &= ~(UINT32_C(1) << number);
    return issue(sm, number, bit * (uint32_t)sm->machine->params.sm.schedulers + number, now_cyc);
}

static uint64_t warp_scheduler_schedule(struct gpu_sm *sm, unsigned number, uint64_t now_cyc)
{
    enum warp_scheduler const policy = (enum warp_scheduler)sm->machine->params.sm.policy;
    struct gpu_scheduler *const scheduler = &sm->schedulers[number];
    uint64_t candidates = policy == WARP_TWO_LEVEL ? inner_candidates(scheduler) : scheduler->ready;
    uint64_t next_cyc = CYC_NEVER;
    unsigned wanted_port = GPU_PORT_NONE;

    while (candidates) {
        unsigned const bit = pick(scheduler, policy, candidates);
        unsigned const port = scheduler->ports[bit];
        uint64_t const free_cyc = port_free_cyc(sm, number, port);

        if (free_cyc <= now_cyc) {
            uint32_t const slot = bit * (uint32_t)sm->machine->params.sm.schedulers + number;

            if (issue_from(sm, number, bit, port, now_cyc) && sm->machine->params.sm.issue_width > 1)
                issue_more(sm, number, slot, port, now_cyc);
            return scheduler->ready ? now_cyc + 1 : CYC_NEVER;
        }
        candidates &= ~scheduler->by_port[port];
        next_cyc = min_u64(next_cyc, free_cyc);
        wanted_port = port;
    }
    gpu_issue_set_stall(sm, number, wanted_port == GPU_PORT_MEMORY ? GPU_STALL_LDST
                                    : wanted_port == GPU_PORT_NONE ? gpu_issue_reason(scheduler) : GPU_STALL_UNIT);
    return next_cyc;
}

/* Have its ready warps nothing but accesses, for which the LD/ST unit has no room? */
static bool waits_for_ldst(const struct gpu_scheduler *scheduler)
{
    return scheduler->memory_queued >= GPU_LDST_QUEUE && !(scheduler->ready & ~scheduler->by_port[GPU_PORT_MEMORY]);
}

/* GCN3: the cycle is that of the first scheduler with ready warps, from the one on that had the last cycle; or, where
 * turns rotate, of the next one, ready or not. Its oldest ready warp for each unit issues if the unit is free. Where
 * the one that keeps the turn waits for the LD/ST unit, so do the others. */
static uint64_t issue_in_turn(struct gpu_sm *sm, uint64_t now_cyc)
{
    uint32_t const schedulers = (uint32_t)sm->machine->params.sm.schedulers;
    bool const rotates = sm->machine->params.sm.issue_rotates;
    struct gpu_scheduler *scheduler;
    bool is_held;

    if (rotates)
        sm->turn = (uint32_t)(now_cyc % schedulers);
    while (!rotates && !(sm->ready >> sm->turn & 1))
        sm->turn = sm->turn + 1 < schedulers ? sm->turn + 1 : 0;
    scheduler = &sm->schedulers[sm->turn];
    is_held = !rotates && waits_for_ldst(scheduler);
    for (uint32_t left = sm->ready; left; left &= left - 1) {
        unsigned const number = (unsigned)__builtin_ctz(left);

        gpu_issue_set_stall(sm, number, is_held || waits_for_ldst(&sm->schedulers[number]) ? GPU_STALL_LDST
                                                                                           : GPU_STALL_UNIT);
    }
    for (unsigned port = 0; port < GPU_PORT_COUNT; port++) {
        uint64_t const candidates = scheduler->by_port[port] & scheduler->ready;

        if (!candidates || port_free_cyc(sm, sm->turn, port) > now_cyc)
            continue;
        issue_from(sm, sm->turn, oldest(scheduler, candidates), port, now_cyc);
    }
    return sm->ready ? now_cyc + 1 : CYC_NEVER;
}

uint64_t gpu_issue_cycle(struct gpu_sm *sm, uint64_t now_cyc)
{
    uint32_t const ready = sm->ready;
    uint64_t next_cyc = CYC_NEVER;

    if (sm->machine->params.sm.issue_in_turn)
        next_cyc = ready ? issue_in_turn(sm, now_cyc) : CYC_NEVER;
    else
        for (uint32_t left = ready; left; left &= left - 1)
            next_cyc = min_u64(next_cyc, warp_scheduler_schedule(sm, (unsigned)__builtin_ctz(left), now_cyc));
    for (uint32_t left = sm->changed & ~ready; left; left &= left - 1) {
        unsigned const number = (unsigned)__builtin_ctz(left);

        gpu_issue_set_stall(sm, number, gpu_issue_reason(&sm->schedulers[number]));
    }
    /* The next choice of a scheduler that issued is not known yet. */
    sm->changed = ready;
    return next_cyc;
}
