/* The instruction queue of the detailed core: ready lists by op class, functional units, wake-up (o3-core 5.3, 5.4).
 *
 * Modelled: oldest first among all classes, a class that finds no unit is skipped for the rest of the cycle, units that
 * are held for the whole latency, results of several cycles that come in reverse order of their issue. With branchUnits
 * branches, and comparisons that are one with a branch, have units of their own, and take integer ones when these are
 * busy; an operation whose result is a register needs an integer unit even with its branch. */
#include "base/bits.h"
#include "replay/detailed/detailed_core.h"

/* ---- ready lists */
static bool may_take_branch_unit(const struct detailed_cpu *cpu, const struct inst *inst)
{
    if (cpu->params.branch_units == 0 || inst->op != DETAILED_OP_INT_ALU)
        return false;
    return (inst->flags & UOP_CONTROL) != 0 || (inst->fused && (inst->uop->traits & UOP_FUSES_COMPARE) != 0);
}

static void ready_add(struct detailed_cpu *cpu, struct inst *inst)
{
    struct iew_stage *const iew = &cpu->iew;
    unsigned const number = may_take_branch_unit(cpu, inst) ? (unsigned)BRANCH_QUEUE : inst->op;
    struct ready_queue *const queue = &iew->ready[number];
    struct inst *before = queue->youngest;

    assert(!inst_is(inst, INST_IN_READY));
    while (before && before->seq > inst->seq)
        before = before->ready_before;
    inst->ready_before = before;
    inst->ready_next = before ? before->ready_next : queue->oldest;
    if (inst->ready_next)
        inst->ready_next->ready_before = inst;
    else
        queue->youngest = inst;
    if (before)
        before->ready_next = inst;
    else
        queue->oldest = inst;
    inst->state |= INST_IN_READY;
    inst->ready_queue = number;
    iew->ready_classes |= UINT32_C(1) << number;
}

static void ready_remove(struct iew_stage *iew, struct inst *inst)
{
    struct ready_queue *const queue = &iew->ready[inst->ready_queue];

    if (inst->ready_before)
        inst->ready_before->ready_next = inst->ready_next;
    else
        queue->oldest = inst->ready_next;
    if (inst->ready_next)
        inst->ready_next->ready_before = inst->ready_before;
    else
        queue->youngest = inst->ready_before;
    inst->state &= ~(uint32_t)INST_IN_READY;
    if (!queue->oldest)
        iew->ready_classes &= ~(UINT32_C(1) << inst->ready_queue);
}

void issue_ready(struct detailed_cpu *cpu, struct inst *inst)
{
    if (inst_is(inst, INST_SQUASHED | INST_IN_READY))
        return;
    ready_add(cpu, inst);
    cpu->changed = true;
}

/* ---- entries, and the age list */
static void detailed_issue_enter(struct detailed_cpu *cpu, struct inst *inst)
{
    struct iew_stage *const iew = &cpu->iew;

    assert(iew->queue_used < cpu->params.iq_entries);
    iew->queue_used++;
    inst->state |= INST_IN_QUEUE;
}

void issue_leave(struct detailed_cpu *cpu, struct inst *inst)
{
    if (!inst_is(inst, INST_IN_QUEUE))
        return;
    inst->state &= ~(uint32_t)INST_IN_QUEUE;
    cpu->iew.queue_used--;
}

void issue_insert(struct detailed_cpu *cpu, struct inst *inst)
{
    detailed_issue_enter(cpu, inst);
    cpu->stats.added_insts++;
    inst->waiting = 0;
    for (unsigned i = 0; i < inst->source_count; i++) {
        struct physical_register *const reg = &cpu->registers[inst->sources[i]];

        inst->source_links[i].before = NULL;
        if (reg->is_ready)
            continue;
        inst->source_links[i].inst = inst;
        inst_link_add(&reg->waiters, &inst->source_links[i]);
        inst->waiting++;
    }
    if (inst->flags & UOP_MEMORY)
        order_insert(cpu, inst);
    if (inst->waiting == 0 && !inst->order_link.before)
        issue_ready(cpu, inst);
}

void issue_insert_nonspec(struct detailed_cpu *cpu, struct inst *inst)
{
    detailed_issue_enter(cpu, inst);
    for (unsigned i = 0; i < inst->source_count; i++)
        inst->source_links[i].before = NULL;
    cpu->stats.added_nonspec++;
}

void issue_nonspec(struct detailed_cpu *cpu, uint64_t seq)
{
    struct inst *const inst = cpu->commit.rob[cpu->commit.head & cpu->commit.rob_mask];

    if (cpu->commit.head == cpu->commit.tail || inst->seq != seq)
        return;
    inst->state |= INST_AT_COMMIT;
    issue_ready(cpu, inst);
}

void issue_wake_register(struct detailed_cpu *cpu, unsigned reg)
{
    struct physical_register *const physical = &cpu->registers[reg];

    physical->is_ready = 1;
    while (physical->waiters) {
        struct inst_link *const link = physical->waiters;
        struct inst *const waiter = link->inst;

        inst_link_remove(link);
        if (link == &waiter->data_link)
            delay_add(cpu, DELAY_RENAMED, waiter, cpu->params.memory_renaming_cyc);
        else if (--waiter->waiting == 0 && !waiter->order_link.before)
            issue_ready(cpu, waiter);
    }
}

/* Its results are available: wakes the micro-ops that wait for them. */
void issue_wake(struct detailed_cpu *cpu, struct inst *inst)
{
    if (inst->flags & UOP_MEMORY) {
        order_complete(cpu, inst);
        issue_leave(cpu, inst);
        inst->state |= INST_MEMORY_DONE;
    } else if (inst->flags & (UOP_READ_BARRIER | UOP_WRITE_BARRIER)) {
        order_complete(cpu, inst);
    }
    for (unsigned i = 0; i < inst->result_count; i++)
        issue_wake_register(cpu, inst->results[i]);
}

static void unlink_sources(struct inst *inst)
{
    for (unsigned i = 0; i < inst->source_count; i++)
        inst_link_remove(&inst->source_links[i]);
}

void issue_squash(struct detailed_cpu *cpu, uint64_t seq)
{
    for (struct inst *inst = cpu->young_youngest; inst && inst->seq > seq; inst = inst->young_before) {
        if (inst_is(inst, INST_IN_READY))
            ready_remove(&cpu->iew, inst);
        inst_link_remove(&inst->data_link);
        if (!inst_is(inst, INST_IN_QUEUE))
            continue;
        unlink_sources(inst);
        issue_leave(cpu, inst);
        inst->state |= INST_SQUASHED | INST_CAN_COMMIT;
    }
}

/* ---- issue */
void issue_begin(struct detailed_cpu *cpu)
{
    struct iew_stage *const iew = &cpu->iew;

    for (unsigned unit = 0; unit < DETAILED_UNIT_COUNT; unit++) {
        iew->units_busy[unit] -= iew->units_freed_next[unit];
        iew->units_freed_next[unit] = 0;
    }
}

void issue_complete(struct detailed_cpu *cpu, uint64_t cycle, uint64_t sent_cyc)
{
    struct iew_stage *const iew = &cpu->iew;
    struct inst **const slot = &iew->completions[cycle & iew->completion_mask];

    while (*slot) {
        struct inst *const inst = *slot;

        *slot = inst->list_next;
        inst->list_next = NULL;
        iew->completions_held--;
        if (!cpu->params.is_pipelined[inst->op])
            iew->units_freed_next[cpu->op_unit[inst->op]]++;
        inst_wire_send(&cpu->to_execute, sent_cyc, inst);
        cpu->changed = true;
    }
}

/* unit: NO_UNIT: none, or one of branches */
static void detailed_issue_start(struct detailed_cpu *cpu, struct inst *inst, unsigned unit)
{
    struct iew_stage *const iew = &cpu->iew;
    uint64_t const latency_cyc =
        (inst->uop->latency_cyc > 0 ? inst->uop->latency_cyc : cpu->params.latency_cyc[inst->op])
        + ((inst->uop->traits & UOP_SCALED) ? cpu->params.scaled_cyc : 0);

    inst_hold(inst);
    if (latency_cyc == 1) {
        inst_wire_send(&cpu->to_execute, cpu->cycle, inst);
    } else {
        struct inst **const slot = &iew->completions[(cpu->cycle + latency_cyc - 1) & iew->completion_mask];

        inst->list_next = *slot;
        *slot = inst;
        iew->completions_held++;
    }
    if (unit == NO_UNIT)
        return;
    iew->units_busy[unit]++;
    if (latency_cyc == 1 || cpu->params.is_pipelined[inst->op])
        iew->units_freed_next[unit]++;
}

static void issue_one(struct detailed_cpu *cpu, struct inst *inst, unsigned unit)
{
    ready_remove(&cpu->iew, inst);
    detailed_issue_start(cpu, inst, unit);
    inst->issue_cyc = cpu->cycle;
    if (inst->first_issue_cyc == DETAILED_NEVER)
        inst->first_issue_cyc = cpu->cycle;
    inst->state |= INST_ISSUED;
    cpu->stats.issued_insts++;
    cpu->stats.issued_class[inst->op]++;
    cpu->changed = true;
    if (inst->flags & UOP_MEMORY)
        order_issued(cpu, inst);
    else
        issue_leave(cpu, inst);
}

/* The oldest that is ready, of these classes. */
static struct inst *oldest(const struct iew_stage *iew, uint32_t classes)
{
    struct inst *found = NULL;

    for (; classes; classes &= classes - 1) {
        struct inst *const inst = iew->ready[bits_zeros_below(classes)].oldest;

        if (!found || inst->seq < found->seq)
            found = inst;
    }
    return found;
}

void issue_tick(struct detailed_cpu *cpu)
{
    struct iew_stage *const iew = &cpu->iew;
    uint32_t skipped = 0;
    uint64_t const most_branches = cpu->params.most_branches > 0 ? cpu->params.most_branches : MOST_WIDTH;
    uint64_t branches = 0;

    lsq_take_retried(cpu);
    for (uint64_t issued = 0; issued < cpu->params.issue_width;) {
        struct inst *const inst = oldest(iew, iew->ready_classes & ~skipped);
        unsigned unit;

        if (!inst)
            break;
        unit = cpu->op_unit[inst->op];
        if (inst->ready_queue == BRANCH_QUEUE) {
            if (branches >= most_branches) {
                skipped |= UINT32_C(1) << BRANCH_QUEUE;
                continue;
            }
            unit = branches++ < cpu->params.branch_units ? (unsigned)NO_UNIT : unit;
        }
        if (unit != NO_UNIT && iew->units_busy[unit] >= cpu->params.units[unit]) {
            skipped |= UINT32_C(1) << inst->ready_queue;
            cpu->stats.busy_class[inst->op]++;
            continue;
        }
        if (cpu->has_limits) {
            if (limits_hold(cpu, inst)) {
                skipped |= UINT32_C(1) << inst->ready_queue;
                continue;
            }
            limits_note(cpu, inst);
        }
        issue_one(cpu, inst, unit);
        issued++;
    }
}
