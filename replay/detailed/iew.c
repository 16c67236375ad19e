/* Dispatch, execution and write-back of the detailed core (o3-core 5).
 *
 * Modelled: dispatch with its stalls (5.2), execution with squash requests (5.5), write-back slots that overflow into
 * later cycles (5.6, S21), free entries signalled only in some cycles (5.7, S8). The instruction queue is
 * detailed_issue.c, memory dependences memory_order.c, loads and stores lsq.c. */
#include "replay/detailed/detailed_core.h"

static void take_arrived(struct detailed_cpu *cpu)
{
    struct iew_stage *const iew = &cpu->iew;

    while (iew->arrived.count > 0)
        inst_fifo_push(&iew->skid, inst_fifo_pop(&iew->arrived));
}

static void block(struct detailed_cpu *cpu)
{
    struct iew_stage *const iew = &cpu->iew;

    if (iew->status != STAGE_BLOCKED && iew->status != STAGE_UNBLOCKING)
        signals_now(cpu)->iew_block = true;
    take_arrived(cpu);
    iew->status = STAGE_BLOCKED;
}

static void unblock(struct detailed_cpu *cpu)
{
    if (cpu->iew.skid.count > 0)
        return;
    signals_now(cpu)->iew_unblock = true;
    cpu->iew.status = STAGE_RUNNING;
}

/* Reports to rename that the micro-op is no longer in flight. */
static void report(struct detailed_cpu *cpu, const struct inst *inst)
{
    struct signals *const now = signals_now(cpu);

    now->dispatched++;
    now->dispatched_joined += inst_is(inst, INST_JOINED);
    now->dispatched_eliminated += inst_is(inst, INST_ELIMINATED);
    if (inst->flags & UOP_LOAD)
        now->dispatched_loads++;
    else if (inst->flags & (UOP_STORE | UOP_ATOMIC))
        now->dispatched_stores++;
    cpu->changed = true;
}

static void drop_all(struct detailed_cpu *cpu, struct inst_fifo *fifo)
{
    while (fifo->count > 0) {
        struct inst *const inst = inst_fifo_pop(fifo);

        report(cpu, inst);
        inst_drop(cpu, inst);
    }
}

/* Those that no ROB holds are squashed now. */
static void drop_kept_out(struct detailed_cpu *cpu, uint64_t seq)
{
    struct inst_fifo *const kept_out = &cpu->commit.kept_out;

    for (uint32_t rest = kept_out->count; rest > 0; rest--) {
        struct inst *const inst = inst_fifo_pop(kept_out);

        if (inst->seq > seq)
            inst_drop(cpu, inst);
        else
            inst_fifo_push(kept_out, inst);
    }
}

/* ---- signals (5.1) */
static void take_signals(struct detailed_cpu *cpu, const struct signals *commit)
{
    struct iew_stage *const iew = &cpu->iew;

    if (commit->squash) {
        issue_squash(cpu, commit->squash_seq);
        order_squash(cpu, commit->squash_seq);
        lsq_squash(cpu, commit->squash_seq);
        iew->was_squashed = true;
        drop_all(cpu, &iew->skid);
        drop_all(cpu, &iew->arrived);
        drop_kept_out(cpu, commit->squash_seq);
        if (iew->status == STAGE_BLOCKED || iew->status == STAGE_UNBLOCKING)
            signals_now(cpu)->iew_unblock = true;
        iew->status = STAGE_SQUASHING;
        cpu->changed = true;
    } else if (commit->rob_squashing) {
        iew->status = STAGE_SQUASHING;
        drop_all(cpu, &iew->arrived);
        block(cpu);
        cpu->changed = true;
    } else if (iew->queue_used >= cpu->params.iq_entries) {
        block(cpu);
    } else if (iew->status == STAGE_BLOCKED) {
        iew->status = STAGE_UNBLOCKING;
        unblock(cpu);
    } else if (iew->status == STAGE_SQUASHING) {
        iew->status = STAGE_RUNNING;
    }
}

/* ---- dispatch (5.2) */
/* True: it went where it waits for its execution. */
static void dispatch_one(struct detailed_cpu *cpu, struct inst *inst)
{
    uint32_t const flags = inst->flags;
    bool const is_conditional_store = (flags & (UOP_STORE | UOP_LINKED)) == (UOP_STORE | UOP_LINKED);

    inst->dispatch_cyc = cpu->cycle;
    report(cpu, inst);
    cpu->stats.dispatched_insts++;
    if (inst_is(inst, INST_ELIMINATED)) {
        idioms_dispatch(cpu, inst);
        return;
    }
    if (flags & UOP_MEMORY)
        lsq_insert(cpu, inst);
    if (flags & UOP_LOAD)
        cpu->stats.dispatched_loads++;
    else if (flags & (UOP_STORE | UOP_ATOMIC))
        cpu->stats.dispatched_stores++;
    if ((flags & UOP_ATOMIC) || is_conditional_store) {
        inst->state |= INST_CAN_COMMIT;
        issue_insert_nonspec(cpu, inst);
        order_insert_nonspec(cpu, inst);
    } else if (!(flags & UOP_MEMORY) && (flags & (UOP_READ_BARRIER | UOP_WRITE_BARRIER))) {
        inst->state |= INST_CAN_COMMIT;
        issue_insert_nonspec(cpu, inst);
        order_insert_barrier(cpu, inst);
    } else if (flags & UOP_NON_SPECULATIVE) {
        inst->state |= INST_CAN_COMMIT;
        issue_insert_nonspec(cpu, inst);
    } else {
        issue_insert(cpu, inst);
    }
}

static bool has_queue_room(struct detailed_cpu *cpu, const struct inst *inst)
{
    if (inst_is(inst, INST_ELIMINATED))
        return true;
    if (cpu->iew.queue_used >= cpu->params.iq_entries) {
        cpu->stats.dispatch_iq_full++;
        return false;
    }
    if ((inst->flags & UOP_LOAD) ? lsq_loads(&cpu->lsq) >= cpu->params.lq_entries
                                 : (inst->flags & (UOP_STORE | UOP_ATOMIC))
                                       && lsq_stores(&cpu->lsq) >= cpu->params.sq_entries) {
        cpu->stats.dispatch_lsq_full++;
        return false;
    }
    return true;
}

static void dispatch(struct detailed_cpu *cpu, struct inst_fifo *list)
{
    bool must_block = false;

    for (uint64_t slots = 0; list->count > 0; ) {
        struct inst *const inst = inst_fifo_at(list, 0);

        if (slots >= cpu->params.dispatch_width && !inst_is(inst, INST_JOINED))
            break;
        slots += inst_slots(inst);
        if (inst_is(inst, INST_SQUASHED)) {
            report(cpu, inst);
        } else if (!has_queue_room(cpu, inst)) {
            must_block = true;
            break;
        } else {
            dispatch_one(cpu, inst);
        }
        inst_drop(cpu, inst_fifo_pop(list));
    }
    if (must_block || list->count > 0) {
        block(cpu);
        signals_now(cpu)->iew_unblock = false;
    }
}

/* ---- execution (5.5) */
static struct squash_request *request_now(struct detailed_cpu *cpu)
{
    struct squash_request *const request = &cpu->requests[cpu->cycle % SIGNAL_SLOTS];

    if (request->cycle != cpu->cycle)
        *request = (struct squash_request){.cycle = cpu->cycle};
    return request;
}

static bool is_mispredicted(const struct inst *inst)
{
    return (inst->flags & UOP_CONTROL) && inst_has_values(inst) && inst->insn->next_pc != inst->predicted_next;
}

/* Outcome of a mispredicted branch for the branch unit: its direction, except for S1. */
static bool is_reported_taken(const struct detailed_cpu *cpu, const struct inst *inst)
{
    if (cpu->supply->takes_size_for_four)
        return inst->insn->next_pc != inst->pc + 4;
    return inst->insn->next_pc != inst->pc + inst->insn->size_bytes;
}

static void ask_for_mispredict(struct detailed_cpu *cpu, struct inst *inst, struct squash_request *request)
{
    bool const is_conditional = (inst->flags & UOP_CONDITIONAL) != 0;

    inst->state |= INST_MISPREDICTED;
    if (inst_is(inst, INST_PREDICTED_TAKEN))
        cpu->stats.predicted_taken_wrong++;
    else
        cpu->stats.predicted_untaken_wrong++;
    if (request->is_wanted && request->seq <= inst->seq)
        return;
    *request = (struct squash_request){
        .cycle = cpu->cycle,
        .is_wanted = true,
        .is_mispredict = true,
        .is_control = true,
        .is_unconditional = !is_conditional,
        .is_taken = is_reported_taken(cpu, inst),
        .seq = inst->seq,
        .position = position_after(inst),
    };
}

static void ask_for_violation(struct detailed_cpu *cpu, const struct inst *store, struct squash_request *request)
{
    struct inst *const load = cpu->lsq.violator;

    store_sets_violation(&cpu->iew.sets, store->pc, load->pc);
    cpu->stats.order_violations++;
    if (request->is_wanted && request->seq < load->seq)
        return;
    *request = (struct squash_request){
        .cycle = cpu->cycle,
        .is_wanted = true,
        .includes = true,
        .seq = load->seq,
        .position = position_of(load),
    };
}

void iew_check_squash(struct detailed_cpu *cpu, struct inst *inst)
{
    struct iew_stage *const iew = &cpu->iew;
    struct load_store_queue *const lsq = &cpu->lsq;
    struct squash_request *const request = request_now(cpu);
    bool const waits = (inst->flags & UOP_LOAD) && !inst_is(inst, INST_EXECUTED);

    if (!iew->has_redirected || !request->is_wanted || request->seq > inst->seq) {
        if (!waits && is_mispredicted(inst)) {
            iew->has_redirected = true;
            ask_for_mispredict(cpu, inst, request);
        } else if (lsq->violator) {
            iew->has_redirected = true;
            ask_for_violation(cpu, inst, request);
            lsq->violator = NULL;
        }
    } else if (lsq->violator) {
        lsq->violator = NULL;
        cpu->stats.order_violations++;
    }
}

static void execute_one(struct detailed_cpu *cpu, struct inst *inst)
{
    inst->execute_cyc = cpu->cycle;
    if (inst_is(inst, INST_SQUASHED)) {
        inst->state |= INST_EXECUTED | INST_CAN_COMMIT;
        return;
    }
    cpu->stats.executed_insts++;
    if (inst->flags & UOP_LOAD) {
        lsq_execute_load(cpu, inst);
    } else if (inst->flags & (UOP_STORE | UOP_ATOMIC)) {
        lsq_execute_store(cpu, inst);
    } else {
        inst->state |= INST_EXECUTED;
        if (inst->flags & UOP_TRAP)
            inst->state |= INST_FAULT;
        iew_send_to_commit(cpu, inst);
    }
    iew_check_squash(cpu, inst);
    if (inst->fused)
        fusion_execute(cpu, inst);
}

static void iew_execute(struct detailed_cpu *cpu)
{
    struct iew_stage *const iew = &cpu->iew;
    uint64_t const issued_cyc = cpu->cycle - cpu->params.issue_to_execute_cyc;
    uint32_t count;
    struct inst **const insts = inst_wire_at(&cpu->to_execute, issued_cyc, &count);

    iew->writeback_slot = iew->writeback_cycle = 0;
    iew->has_redirected = false;
    for (uint32_t i = 0; i < count; i++) {
        execute_one(cpu, insts[i]);
        inst_drop(cpu, insts[i]);
    }
    if (count > 0) {
        iew->has_executed = true;
        cpu->changed = true;
    }
    inst_wire_clear(&cpu->to_execute, issued_cyc);
    iew->writeback_slot = 0;
}

/* ---- write-back (5.6) */
void iew_send_to_commit(struct detailed_cpu *cpu, struct inst *inst)
{
    struct iew_stage *const iew = &cpu->iew;
    uint64_t const base = core_coming_cycle(cpu);

    if (iew->writeback_base != base) {
        iew->writeback_base = base;
        iew->writeback_slot = 0;
    }
    while (inst_wire_count(&cpu->to_commit, base + iew->writeback_cycle) > iew->writeback_slot)
        if (++iew->writeback_slot == cpu->params.writeback_width) {
            iew->writeback_cycle++;
            iew->writeback_slot = 0;
        }
    inst_hold(inst);
    inst_wire_send(&cpu->to_commit, base + iew->writeback_cycle, inst);
    cpu->changed = true;
}

static void write_back(struct detailed_cpu *cpu)
{
    uint32_t count;
    struct inst **const insts = inst_wire_at(&cpu->to_commit, cpu->cycle, &count);

    for (uint32_t i = 0; i < count; i++) {
        struct inst *const inst = insts[i];

        cpu->changed = true;
        inst->to_commit_cyc = cpu->cycle;
        if (inst_is(inst, INST_SQUASHED) || !inst_is(inst, INST_EXECUTED) || inst_is(inst, INST_FAULT))
            continue;
        inst->state |= INST_WRITTEN_BACK;
        issue_wake(cpu, inst);
    }
}

/* ---- the tick (5.0) */
void iew_tick(struct detailed_cpu *cpu)
{
    struct iew_stage *const iew = &cpu->iew;
    const struct signals *const commit = signals_seen(cpu, cpu->params.commit_to_iew_cyc);
    uint64_t const sent_cyc = cpu->cycle - cpu->params.rename_to_iew_cyc;
    enum stage_status const before = iew->status;
    struct signals *const now = signals_now(cpu);
    bool tells;
    uint32_t count;
    struct inst **const sent = inst_wire_at(&cpu->to_iew, sent_cyc, &count);

    iew->writeback_slot = iew->writeback_cycle = 0;
    for (uint32_t i = 0; i < count; i++)
        inst_fifo_push(&iew->arrived, sent[i]);
    inst_wire_clear(&cpu->to_iew, sent_cyc);
    issue_begin(cpu);
    lsq_begin(cpu);
    iew->has_executed = iew->was_squashed = false;
    if (cpu->delayed > 0)
        delays_take(cpu, false);
    take_signals(cpu, commit);
    if (iew->status == STAGE_RUNNING) {
        dispatch(cpu, &iew->arrived);
    } else if (iew->status == STAGE_UNBLOCKING) {
        dispatch(cpu, &iew->skid);
        if (count > 0)
            take_arrived(cpu);
        unblock(cpu);
    }
    iew_execute(cpu);
    write_back(cpu);
    issue_tick(cpu);
    tells = iew->has_executed || iew->was_squashed || iew->update_next || cpu->cycle == cpu->start_cycle;
    iew->update_next = false;
    lsq_write_back(cpu);
    if (commit->done_seq > 0 && !commit->squash && !commit->rob_squashing) {
        lsq_commit(cpu, commit->done_seq);
        iew->update_next = true;
        cpu->changed = true;
    }
    if (commit->nonspec_seq > 0)
        issue_nonspec(cpu, commit->nonspec_seq);
    if (tells) {
        now->has_queue_counts = true;
        now->free_iq = (uint32_t)cpu->params.iq_entries - iew->queue_used;
        now->free_lq = (uint32_t)cpu->params.lq_entries - lsq_loads(&cpu->lsq);
        now->free_sq = (uint32_t)cpu->params.sq_entries - lsq_stores(&cpu->lsq);
        cpu->changed = true;
    }
    if (count > 0 || iew->status != before)
        cpu->changed = true;
}
