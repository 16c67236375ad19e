/* An SM: its warps from launch to end, barriers, and its work in a cycle (gpu-traces 10, 11).
 *
 * Modelled: in-order warps with a scoreboard (read after write, write after write) or, without one, warps that wait
 * for their last instruction; barriers that count warps which have ended as arrived; fences; groups of copies to shared
 * memory. A warp ends when its instructions are used up and its outstanding accesses are done; its slot is free then.
 * Not modelled: barrier numbers (they are not traced for all versions).
 *
 * Invariant: a TIMED warp, and an EXITING one without outstanding accesses, has its bit in `ready` or in the wheel;
 * bits of the wheel may be out of date, so each is checked when its cycle comes. */
#include <stdlib.h>

#include "replay/gpu/gpu_machine.h"

enum { FETCH_CYC = 2 };                  /* from a block's dispatch to its first issue, or fetch */

/* ---- wheel */

static uint64_t *wheel_at(const struct gpu_sm *sm, unsigned at)
{
    return &sm->wheel[at * sm->machine->params.sm.schedulers];
}

static void wheel_insert(struct gpu_sm *sm, uint32_t slot, uint64_t when_cyc)
{
    uint64_t const at_cyc = min_u64(when_cyc, max_u64(sm->popped_cyc, sm->machine->now_cyc) + GPU_WHEEL - 1);
    unsigned const at = at_cyc % GPU_WHEEL;

    wheel_at(sm, at)[sm_scheduler_of(sm->machine, slot)] |= UINT64_C(1) << sm_bit_of(sm->machine, slot);
    sm->wheel_used |= UINT64_C(1) << at;
    sm_wake(sm, at_cyc);
}

static uint64_t wheel_next_cyc(const struct gpu_sm *sm, uint64_t now_cyc)
{
    unsigned const at = (now_cyc + 1) % GPU_WHEEL;
    uint64_t const turned = at ? sm->wheel_used >> at | sm->wheel_used << (GPU_WHEEL - at) : sm->wheel_used;

    return turned ? now_cyc + 1 + (unsigned)__builtin_ctzll(turned) : CYC_NEVER;
}

static void make_ready(struct gpu_sm *sm, uint32_t slot)
{
    uint32_t const number = sm_scheduler_of(sm->machine, slot);
    struct gpu_scheduler *const scheduler = &sm->schedulers[number];
    unsigned const bit = sm_bit_of(sm->machine, slot);
    unsigned const port = warp_decoded(&sm->warps[slot], sm->warps[slot].next)->port;

    /* A bit out of date may have brought it here before: with another port only after it issued, which clears both. */
    sm->ready |= UINT32_C(1) << number;
    scheduler->ready |= UINT64_C(1) << bit;
    scheduler->by_port[port] |= UINT64_C(1) << bit;
    scheduler->ports[bit] = (uint8_t)port;
}

/* ---- ends */

static void finish_warp(struct gpu_sm *sm, uint32_t slot)
{
    struct gpu_machine *const machine = sm->machine;
    struct gpu_warp *const warp = &sm->warps[slot];
    struct gpu_resident *const resident = warp->resident;
    struct gpu_running *const running = resident->kernel;

    gpu_warp_set_state(sm, slot, GPU_WARP_FREE);
    gpu_issue_dismiss(sm, slot);
    warp->resident = NULL;
    if (--resident->unfinished > 0)
        return;
    machine->source.free_block(machine->source.self, resident->block);
    sm->threads_used -= max_u64(running->padded_threads, (uint64_t)resident->warp_count * running->warp_size);
    sm->shared_used -= running->kernel.header.shmem_bytes;
    sm->registers_used -= running->block_registers;
    sm->resident_count--;
    running->resident--;
    resident->kernel = NULL;
    resident->block = NULL;
    machine->dispatch_cyc = min_u64(machine->dispatch_cyc, machine->now_cyc);
    if (running->resident == 0 && !running->next_block)
        machine->commands_cyc = min_u64(machine->commands_cyc, machine->now_cyc);
}

static void pop_warp(struct gpu_sm *sm, uint32_t slot, uint64_t now_cyc)
{
    struct gpu_warp *const warp = &sm->warps[slot];

    if (warp->state != GPU_WARP_TIMED && (warp->state != GPU_WARP_EXITING || warp->outstanding))
        return;
    if (warp->ready_cyc > now_cyc)
        wheel_insert(sm, slot, warp->ready_cyc);
    else if (warp->state == GPU_WARP_TIMED)
        make_ready(sm, slot);
    else
        finish_warp(sm, slot);
}

static void pop_wheel(struct gpu_sm *sm, uint64_t now_cyc)
{
    uint32_t const schedulers = (uint32_t)sm->machine->params.sm.schedulers;
    unsigned const at = now_cyc % GPU_WHEEL;

    sm->popped_cyc = now_cyc;
    if (!(sm->wheel_used >> at & 1))
        return;
    sm->wheel_used &= ~(UINT64_C(1) << at);
    for (uint32_t i = 0; i < schedulers; i++) {
        uint64_t bits = wheel_at(sm, at)[i];

        wheel_at(sm, at)[i] = 0;
        for (; bits; bits &= bits - 1)
            pop_warp(sm, (uint32_t)__builtin_ctzll(bits) * schedulers + i, now_cyc);
    }
}

/* ---- waits of warps */

static void plan_at(struct gpu_sm *sm, uint32_t slot, uint64_t when_cyc)
{
    struct gpu_warp *const warp = &sm->warps[slot];

    gpu_warp_set_state(sm, slot, GPU_WARP_TIMED);
    warp->ready_cyc = when_cyc;
    if (when_cyc <= sm->popped_cyc)
        make_ready(sm, slot);
    else
        wheel_insert(sm, slot, when_cyc);
}

static void plan_end(struct gpu_sm *sm, uint32_t slot, uint64_t from_cyc)
{
    struct gpu_warp *const warp = &sm->warps[slot];

    gpu_warp_set_state(sm, slot, GPU_WARP_EXITING);
    if (!warp->is_past_end) {
        warp->is_past_end = true;
        warp->resident->live--;
        if (sm->fetches)
            gpu_fetch_stop(sm, slot);
        if (!warp->has_arrived)
            gpu_warp_arrive(sm, slot, false, from_cyc);
    }
    if (warp->outstanding)
        return;
    warp->ready_cyc = max_u64(max_u64(warp->drained_cyc, warp->memory_cyc), max_u64(from_cyc, sm->popped_cyc + 1));
    wheel_insert(sm, slot, warp->ready_cyc);
}

/* Are copies under way of groups before the last `allowed` ones? */
static bool has_copies_before(const struct gpu_warp *warp, unsigned allowed)
{
    for (unsigned back = allowed + 1; back < GPU_COPY_GROUPS; back++)
        if (warp->copies_left[(warp->copy_group + GPU_COPY_GROUPS - back) % GPU_COPY_GROUPS])
            return true;
    return false;
}

static uint64_t registers_ready_cyc(const struct gpu_sm *sm, uint32_t slot, const struct gpu_decoded *decoded)
{
    const uint16_t *const list = &sm->warps[slot].resident->kernel->registers[decoded->registers_at];
    const uint64_t *const ready = sm->registers[slot];
    uint64_t latest = 0;

    for (unsigned i = 0; i < decoded->register_count; i++)
        latest = max_u64(latest, ready[list[i]]);
    return latest;
}

void gpu_warp_plan(struct gpu_sm *sm, uint32_t slot, uint64_t from_cyc)
{
    struct gpu_warp *const warp = &sm->warps[slot];
    const struct gpu_decoded *decoded;

    if (warp->is_waiting) {
        if (warp->outstanding)
            return;
        warp->is_waiting = false;
        from_cyc = max_u64(from_cyc, warp->memory_cyc + 1);
    }
    if (warp->next == warp->end) {
        plan_end(sm, slot, from_cyc);
        return;
    }
    if (sm->fetches) {
        from_cyc = gpu_fetch_ready_cyc(sm, slot, from_cyc);
        if (from_cyc == CYC_NEVER) {
            gpu_warp_set_state(sm, slot, GPU_WARP_FETCH);
            return;
        }
    }
    decoded = warp_decoded(warp, warp->next);
    switch (decoded->action) {
    case GPU_WAIT:
        if (sm->machine->params.sm.address_latency_cyc)      /* it issues, and waits then */
            break;
        /* fall through */
    case GPU_FENCE:
        if (warp->outstanding) {
            gpu_warp_set_state(sm, slot, decoded->action == GPU_WAIT ? GPU_WARP_REGISTERS : GPU_WARP_FENCE);
            return;
        }
        from_cyc = max_u64(from_cyc, warp->memory_cyc);
        break;
    case GPU_COMMIT_GROUP:
        if (warp->copies_left[(warp->copy_group + 1) % GPU_COPY_GROUPS]) {
            gpu_warp_set_state(sm, slot, GPU_WARP_GROUPS);
            return;
        }
        break;
    case GPU_WAIT_GROUP:
        if (has_copies_before(warp, decoded->groups)) {
            gpu_warp_set_state(sm, slot, GPU_WARP_GROUPS);
            return;
        }
        break;
    default:
        break;
    }
    if (sm->machine->params.sm.scoreboard) {
        uint64_t const ready_cyc = registers_ready_cyc(sm, slot, decoded);

        if (ready_cyc == CYC_NEVER) {
            gpu_warp_set_state(sm, slot, GPU_WARP_REGISTERS);
            return;
        }
        from_cyc = max_u64(from_cyc, ready_cyc);
    }
    plan_at(sm, slot, from_cyc);
}

void gpu_warp_arrive(struct gpu_sm *sm, uint32_t slot, bool waits, uint64_t now_cyc)
{
    struct gpu_warp *const warp = &sm->warps[slot];
    struct gpu_resident *const resident = warp->resident;

    if (waits)
        gpu_warp_set_state(sm, slot, GPU_WARP_BARRIER);
    if (!warp->is_past_end)
        resident->kernel->result->counts.barriers++;
    if (warp->has_arrived && !waits)
        return;
    if (!warp->has_arrived) {
        warp->has_arrived = true;
        resident->missing--;
    }
    if (resident->missing > 0)
        return;
    resident->missing = resident->live;
    for (uint32_t i = resident->first_slot; i < resident->first_slot + resident->warp_count; i++) {
        struct gpu_warp *const other = &sm->warps[i];

        if (other->resident != resident || other->is_past_end)
            continue;
        other->has_arrived = false;
        if (other->state == GPU_WARP_BARRIER)
            gpu_warp_plan(sm, i, now_cyc + 1);
    }
}

/* ---- blocks */

uint32_t gpu_sm_find_slots(const struct gpu_sm *sm, uint32_t count)
{
    uint32_t const slots = sm->machine->slot_count;
    uint32_t length = 0;

    for (uint32_t i = 0; i < slots; i++) {
        length = sm->warps[i].state == GPU_WARP_FREE ? length + 1 : 0;
        if (length == count)
            return i + 1 - count;
    }
    return slots;
}

static void start_warp(struct gpu_sm *sm, struct gpu_resident *resident, uint32_t number, uint64_t now_cyc)
{
    uint32_t const slot = resident->first_slot + number;
    const struct gpu_warp_list *const list = &resident->block->warps[number];
    struct gpu_warp *const warp = &sm->warps[slot];
    uint64_t const first_cyc = now_cyc + FETCH_CYC + sm->machine->params.block_latency_cyc;

    /* The state stays unchanged here, since gpu_warp_set_state counts changes. */
    *warp = (struct gpu_warp){
        .next = list->insts, .end = list->count > 0 ? list->insts + list->count : list->insts, .resident = resident,
        .number = number, .age = sm->machine->ages++, .state = GPU_WARP_FREE,
    };
    gpu_issue_admit(sm, slot);
    if (sm->fetches)
        gpu_fetch_start(sm, slot, first_cyc);
    gpu_warp_plan(sm, slot, first_cyc);
}

void gpu_sm_place(struct gpu_sm *sm, struct gpu_running *running, struct gpu_block *block, uint64_t now_cyc)
{
    struct gpu_resident *resident = sm->residents;

    while (resident->kernel)
        resident++;
    *resident = (struct gpu_resident){
        .kernel = running, .block = block, .warp_count = block->warp_count, .live = block->warp_count,
        .missing = block->warp_count, .unfinished = block->warp_count,
        .first_slot = gpu_sm_find_slots(sm, block->warp_count),
    };
    gpu_sm_charge(sm, now_cyc + 1);
    sm->charged = running->result;
    sm->threads_used += max_u64(running->padded_threads, (uint64_t)block->warp_count * running->warp_size);
    sm->shared_used += running->kernel.header.shmem_bytes;
    sm->registers_used += running->block_registers;
    sm->resident_count++;
    running->resident++;
    running->result->block_count++;
    running->result->counts.blocks++;
    running->result->counts.warps += block->warp_count;
    for (uint32_t i = 0; i < block->warp_count; i++)
        start_warp(sm, resident, i, now_cyc);
    sm_rouse(sm, now_cyc + 1);
}

/* ---- cycles */

static void charge_stalls(struct gpu_sm *sm, uint64_t cycles)
{
    struct gpu_counts *const counts = &sm->charged->counts;
    const uint8_t *const schedulers = sm->stalled;

    counts->stall_scoreboard += (uint64_t)(schedulers[GPU_STALL_LOADS] + schedulers[GPU_STALL_SCOREBOARD]) * cycles;
    counts->scoreboard_loads += schedulers[GPU_STALL_LOADS] * cycles;
    counts->stall_ldst += schedulers[GPU_STALL_LDST] * cycles;
    counts->stall_unit += schedulers[GPU_STALL_UNIT] * cycles;
    counts->stall_barrier += schedulers[GPU_STALL_BARRIER] * cycles;
    counts->idle_cycles += schedulers[GPU_STALL_IDLE] * cycles;
    for (unsigned stall = 0; sm->machine->watch != NULL && stall < GPU_STALL_COUNT; stall++)
        sm->machine->watch->sms[sm->number].stall_cycles[stall] += schedulers[stall] * cycles;
}

void gpu_sm_charge(struct gpu_sm *sm, uint64_t now_cyc)
{
    uint64_t const passed_cyc = now_cyc - sm->done_cyc - 1;

    if (now_cyc <= sm->done_cyc + 1)
        return;
    sm->done_cyc = now_cyc - 1;
    if (!sm->charged || sm->resident_count == 0)
        return;
    charge_stalls(sm, 1);
    if (passed_cyc == 1)
        return;
    /* A cycle that issued is no stall; those slept through after it are. */
    for (unsigned i = 0; sm->stalled[GPU_STALL_NONE] && i < sm->machine->params.sm.schedulers; i++)
        if (sm->stalls[i] == GPU_STALL_NONE)
            gpu_issue_set_stall(sm, i, gpu_issue_reason(&sm->schedulers[i]));
    charge_stalls(sm, passed_cyc - 1);
}

void gpu_sm_cycle(struct gpu_sm *sm, uint64_t now_cyc)
{
    uint64_t ldst_cyc, issue_cyc;

    gpu_sm_charge(sm, now_cyc);
    sm->wake_cyc = CYC_NEVER;
    pop_wheel(sm, now_cyc);
    ldst_cyc = gpu_ldst_cycle(sm, now_cyc);
    issue_cyc = gpu_issue_cycle(sm, now_cyc);
    if (sm->fetches)
        issue_cyc = min_u64(issue_cyc, min_u64(gpu_fetch_cycle(sm, now_cyc), gpu_array_cycle(sm, now_cyc)));
    sm_wake(sm, min_u64(min_u64(ldst_cyc, issue_cyc), wheel_next_cyc(sm, now_cyc)));
}

/* ---- set-up */

static struct fault init_units(struct gpu_sm *sm)
{
    for (unsigned i = 0; i < GPU_UNIT_COUNT; i++) {
        uint64_t const count = max_u64(sm->machine->params.units[i].count, 1);

        sm->unit_free[i] = calloc(count, sizeof *sm->unit_free[i]);
        if (!sm->unit_free[i])
            return fault_make(FAULT_MEMORY, "out of memory for the units of an SM");
    }
    return fault_none();
}

struct fault gpu_sm_init(struct gpu_sm *sm, struct gpu_machine *machine, uint32_t number)
{
    const struct gpu_sm_params *const params = &machine->params.sm;

    *sm = (struct gpu_sm){.machine = machine, .number = number, .wake_cyc = CYC_NEVER, .free_op = GPU_NO_OP};
    sm->schedulers = calloc(params->schedulers, sizeof *sm->schedulers);
    sm->wheel = calloc(GPU_WHEEL * params->schedulers, sizeof *sm->wheel);
    sm->warps = calloc(machine->slot_count, sizeof *sm->warps);
    sm->registers = calloc(machine->slot_count, sizeof *sm->registers);
    sm->residents = calloc(params->max_blocks, sizeof *sm->residents);
    if (!sm->schedulers || !sm->wheel || !sm->warps || !sm->registers || !sm->residents)
        return fault_make(FAULT_MEMORY, "out of memory for SM %u", number);
    if (machine->arrays) {
        sm->fetches = calloc(machine->slot_count, sizeof *sm->fetches);
        sm->fetch_wanted = calloc(machine->slot_count / 64 + 1, sizeof *sm->fetch_wanted);
        if (!sm->fetches || !sm->fetch_wanted)
            return fault_make(FAULT_MEMORY, "out of memory for SM %u", number);
    }
    sm->stalled[GPU_STALL_NONE] = (uint8_t)params->schedulers;
    for (uint64_t i = 0; i < params->schedulers; i++)
        sm->schedulers[i].last = GPU_WARPS_OF_SCHEDULER - 1;    /* the first is next */
    FORWARD(init_units(sm));
    return gpu_ldst_init(sm);
}

void gpu_sm_free(struct gpu_sm *sm)
{
    gpu_ldst_free(sm);
    for (unsigned i = 0; i < GPU_UNIT_COUNT; i++)
        free(sm->unit_free[i]);
    free(sm->schedulers);
    free(sm->wheel);
    free(sm->warps);
    free(sm->registers);
    free(sm->residents);
    free(sm->ops);
    free(sm->fetches);
    free(sm->fetch_wanted);
}
