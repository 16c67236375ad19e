/* ROB and commit of the detailed core (o3-core 7).
 *
 * Modelled: ROB walks that squash, non-speculative micro-ops requested at the head, traps of system calls and
 * page faults, squash-after, when rename sees the ROB as empty (7.7). Not modelled: interrupts. */
#include "replay/detailed/detailed_core.h"

static struct inst *at(const struct commit_stage *commit, uint64_t place)
{
    return commit->rob[place & commit->rob_mask];
}

static bool is_empty(const struct commit_stage *commit)
{
    return commit->head == commit->tail;
}

/* ---- squashes */
/* 7.4 */
static void walk(struct detailed_cpu *cpu)
{
    struct commit_stage *const commit = &cpu->commit;

    for (uint64_t n = 0; n < cpu->params.squash_width && commit->walk_place > commit->head; n++) {
        struct inst *const inst = at(commit, commit->walk_place - 1);

        if (inst->seq <= commit->walk_seq)
            break;
        inst->state |= INST_SQUASHED | INST_CAN_COMMIT;
        commit->walk_place--;
    }
    commit->walk_is_done =
        commit->walk_place <= commit->head || at(commit, commit->walk_place - 1)->seq <= commit->walk_seq;
    cpu->changed = true;
}

static void begin_walk(struct detailed_cpu *cpu, uint64_t seq)
{
    struct commit_stage *const commit = &cpu->commit;

    inst_squash_outside(cpu, 0);
    commit->walk_place = commit->tail;
    commit->walk_seq = seq;
    walk(cpu);
    commit->changed_rob = true;
    commit->status = COMMIT_SQUASHING;
    commit->is_refilling = true;
}

/* All in the ROB. */
static void squash_all(struct detailed_cpu *cpu)
{
    struct commit_stage *const commit = &cpu->commit;
    struct signals *const now = signals_now(cpu);

    now->squash = now->rob_squashing = true;
    now->squash_is_control = false;
    now->squash_seq = is_empty(commit) ? commit->last_committed : at(commit, commit->head)->seq - 1;
    now->squash_position = commit->after;
    commit->youngest = commit->last_committed;
    begin_walk(cpu, now->squash_seq);
}

/* 7.2.3 */
static void take_request(struct detailed_cpu *cpu)
{
    struct commit_stage *const commit = &cpu->commit;
    uint64_t const cycle = cpu->cycle - cpu->params.iew_to_commit_cyc;
    const struct squash_request *const request = &cpu->requests[cycle % SIGNAL_SLOTS];
    struct signals *const now = signals_now(cpu);

    if (request->cycle != cycle || !request->is_wanted || commit->status >= COMMIT_TRAP
        || request->seq > commit->youngest)
        return;
    now->squash = now->rob_squashing = true;
    now->squash_seq = request->includes ? request->seq - 1 : request->seq;
    now->squash_position = request->position;
    now->squash_is_control = request->is_mispredict && request->is_control;
    now->squash_taken = request->is_taken || request->is_unconditional;
    commit->youngest = now->squash_seq;
    begin_walk(cpu, now->squash_seq);
    if (request->is_mispredict)
        cpu->stats.commit_mispredicts++;
}

/* ---- the ROB */
/* It does not enter, or it leaves squashed. If it was dispatched, or will be (S22), it is held until IEW has heard of
 * the squash. */
static void keep_out(struct detailed_cpu *cpu, struct inst *inst)
{
    if (!inst_is(inst, INST_SQUASHED) || inst_is(inst, INST_IN_QUEUE | INST_IN_MEMDEP))
        inst_fifo_push(&cpu->commit.kept_out, inst);
    else
        inst_drop(cpu, inst);
}

static void take_renamed(struct detailed_cpu *cpu)
{
    struct commit_stage *const commit = &cpu->commit;
    uint64_t const sent_cyc = cpu->cycle - cpu->params.rename_to_rob_cyc;
    uint32_t count;
    struct inst **const sent = inst_wire_at(&cpu->to_rob, sent_cyc, &count);

    for (uint32_t i = 0; i < count; i++) {
        struct inst *const inst = sent[i];

        if (commit->status == COMMIT_SQUASHING || commit->status == COMMIT_TRAP || inst_is(inst, INST_SQUASHED)) {
            keep_out(cpu, inst);
            continue;
        }
        inst->state |= INST_ENTERED_ROB;
        commit->rob[commit->tail++ & commit->rob_mask] = inst;
        commit->entries += inst_slots(inst);
        commit->youngest = inst->seq;
        commit->changed_rob = true;
        if (commit->is_refilling && inst_is_right(inst)) {
            commit->is_refilling = false;
            commit->refilled_seq = inst->seq;
        }
    }
    if (count > 0)
        cpu->changed = true;
    inst_wire_clear(&cpu->to_rob, sent_cyc);
}

static void tell_listener(struct detailed_cpu *cpu, const struct inst *inst)
{
    struct detailed_retired retired = {
        .seq = inst->seq,
        .insn = inst->insn,
        .uop = inst->uop,
        .access = inst->access,
        .micro_pc = inst->micro_pc,
        .is_squashed = inst_is(inst, INST_SQUASHED),
        .has_fault = inst_is(inst, INST_FAULT),
        .has_request = inst_is(inst, INST_REQUESTED),
        .is_written_back = inst_is(inst, INST_WRITTEN_BACK),
        .is_predicted_taken = inst_is(inst, INST_PREDICTED_TAKEN),
        .is_mispredicted = inst_is(inst, INST_MISPREDICTED),
        .fetch_cyc = inst->fetch_cyc,
        .decode_cyc = inst->decode_cyc,
        .rename_cyc = inst->rename_cyc,
        .dispatch_cyc = inst->dispatch_cyc,
        .issue_cyc = inst->issue_cyc,
        .execute_cyc = inst->execute_cyc,
        .to_commit_cyc = inst->to_commit_cyc,
        .store_cyc = inst->store_cyc,
        .retire_cyc = cpu->cycle,
        .producer_count = inst->source_count,
    };

    for (unsigned i = 0; i < inst->source_count; i++)
        retired.producers[i] = inst->producers[i];
    cpu->listener->retired(cpu->listener->context, &retired);
}

static void commit_leave(struct detailed_cpu *cpu, struct inst *inst)
{
    struct commit_stage *const commit = &cpu->commit;

    if (cpu->listener && cpu->listener->retired)
        tell_listener(cpu, inst);
    commit->head++;
    commit->entries -= inst_slots(inst);
    commit->changed_rob = true;
    cpu->changed = true;
    if (inst_is(inst, INST_SQUASHED))
        keep_out(cpu, inst);
    else
        inst_drop(cpu, inst);
}

/* ---- traps (7.5, 7.6) */
static void trap(struct detailed_cpu *cpu, struct inst *inst)
{
    struct commit_stage *const commit = &cpu->commit;

    commit->status = COMMIT_TRAP;
    commit->trap_cyc = cpu->cycle + cpu->params.trap_cyc + 1;
    cpu->changed = true;
    if (inst->flags & UOP_TRAP) {
        commit->after = position_after(inst);
        if (inst_is_right(inst)) {
            const struct supply_insn *next;
            struct fault fault = fault_none();

            switch (supply_right(cpu->supply, inst->insn->number + 1, &next, &fault)) {
            case SUPPLY_END:
                core_finish(cpu);            /* the exit */
                break;
            case SUPPLY_FAULT:
                core_fail(cpu, fault);
                break;
            case SUPPLY_INSN:
                break;
            }
        }
    } else {
        commit->after = position_of(inst);
        commit->faulted_number = inst->insn->number;
        cpu->stats.page_faults++;
    }
}

/* ---- the loop (7.3) */
static void count_committed(struct detailed_cpu *cpu, const struct inst *inst)
{
    struct detailed_stats *const stats = &cpu->stats;

    stats->uops++;
    stats->committed_class[inst->op]++;
    if (inst->flags & UOP_LOAD)
        stats->loads++;
    if (inst->flags & UOP_STORE)
        stats->stores++;
    if (inst->flags & UOP_CONTROL)
        stats->branches++;
    if (inst->micro_pc + 1u < inst->insn->uop_count)
        return;
    supply_release(cpu->supply, inst->insn->number);
    if (inst->insn->is_repeat)
        return;
    stats->instructions++;
    cpu->instructions++;
}

/* The head cannot be executed before commit asks for it. */
static void ask_for(struct detailed_cpu *cpu, struct inst *inst)
{
    if (cpu->commit.committed_now > 0 || cpu->lsq.to_write_back > 0)
        return;
    signals_now(cpu)->nonspec_seq = inst->seq;
    inst->state &= ~(uint32_t)INST_CAN_COMMIT;
    cpu->stats.nonspec_stalls++;
    cpu->changed = true;
}

static bool is_last_of_trace(struct detailed_cpu *cpu, const struct inst *inst)
{
    const struct supply_insn *next;
    struct fault fault = fault_none();

    if (inst->micro_pc + 1u < inst->insn->uop_count || inst->insn->number < cpu->fetch.highest_number)
        return false;
    switch (supply_right(cpu->supply, inst->insn->number + 1, &next, &fault)) {
    case SUPPLY_END:
        return true;
    case SUPPLY_FAULT:
        core_fail(cpu, fault);
        return false;
    case SUPPLY_INSN:
        break;
    }
    return false;
}

/* False: nothing more commits in this cycle. */
static bool commit_head(struct detailed_cpu *cpu, struct inst *inst)
{
    struct commit_stage *const commit = &cpu->commit;
    bool is_last;

    if (!inst_is(inst, INST_EXECUTED)) {
        ask_for(cpu, inst);
        return false;
    }
    if (inst_is(inst, INST_FAULT)) {
        if (commit->committed_now == 0 && cpu->lsq.to_write_back == 0)
            trap(cpu, inst);
        return false;
    }
    is_last = is_last_of_trace(cpu, inst);
    count_committed(cpu, inst);
    if (inst->flags & (UOP_STORE | UOP_ATOMIC))
        commit->stores_committed = true;
    commit->committed_now++;
    commit->slots_now += inst_slots(inst);
    commit->last_committed = inst->seq;
    signals_now(cpu)->done_seq = inst->seq;
    if (inst->flags & UOP_SQUASH_AFTER) {
        commit->status = COMMIT_SQUASH_AFTER;
        commit->after = position_after(inst);
    }
    commit_leave(cpu, inst);
    if (cpu->instructions >= cpu->reached_at) {
        cpu->reached_at = UINT64_MAX;
        cpu->reached(cpu->reached_context);
    }
    if (is_last)
        commit->status = COMMIT_ENDING;
    return true;
}

static void commit_all(struct detailed_cpu *cpu)
{
    struct commit_stage *const commit = &cpu->commit;

    while (commit->status == COMMIT_RUNNING && !cpu->is_done && !is_empty(commit)) {
        struct inst *const inst = at(commit, commit->head);

        if (!inst_is(inst, INST_CAN_COMMIT)
            || (commit->slots_now >= cpu->params.commit_width && !inst_is(inst, INST_JOINED)))
            break;
        if (inst_is(inst, INST_SQUASHED)) {
            cpu->stats.squashed_insts++;
            commit_leave(cpu, inst);
        } else if (!commit_head(cpu, inst)) {
            break;
        }
    }
}

/* The last instruction has committed. */
static void end_when_written(struct detailed_cpu *cpu)
{
    const struct load_store_queue *const lsq = &cpu->lsq;

    if (lsq->store_head == lsq->store_tail
        || lsq->stores[lsq->store_head & lsq->store_mask]->seq > cpu->commit.last_committed)
        core_finish(cpu);
}

/* Free entries, and whether the ROB is empty (7.7). */
static void tell_counts(struct detailed_cpu *cpu)
{
    struct commit_stage *const commit = &cpu->commit;
    struct signals *const now = signals_now(cpu);

    if (commit->changed_rob) {
        now->has_rob_count = true;
        commit->changed_rob = false;
        commit->check_empty = commit->check_empty || is_empty(commit);
        cpu->changed = true;
    }
    if (commit->check_empty && is_empty(commit) && cpu->lsq.to_write_back == 0 && !commit->stores_committed) {
        commit->check_empty = false;
        now->has_rob_count = now->empty_rob = true;
        cpu->changed = true;
    }
    now->free_rob = (uint32_t)(cpu->params.rob_entries - commit->entries);
}

static void mark_completed(struct detailed_cpu *cpu)
{
    uint64_t const cycle = cpu->cycle - cpu->params.iew_to_commit_cyc;
    uint32_t count;
    struct inst **const insts = inst_wire_at(&cpu->to_commit, cycle, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (!inst_is(insts[i], INST_SQUASHED))
            insts[i]->state |= INST_CAN_COMMIT;
        inst_drop(cpu, insts[i]);
    }
    if (count > 0)
        cpu->changed = true;
    inst_wire_clear(&cpu->to_commit, cycle);
}

void commit_tick(struct detailed_cpu *cpu)
{
    struct commit_stage *const commit = &cpu->commit;

    commit->stores_committed = false;
    commit->committed_now = commit->slots_now = 0;
    if (commit->status == COMMIT_SQUASHING) {
        cpu->changed = true;
        if (commit->walk_is_done) {
            commit->status = COMMIT_RUNNING;
        } else {
            walk(cpu);
            signals_now(cpu)->rob_squashing = true;
        }
    }
    if (commit->trap_cyc == cpu->cycle) {
        commit->trap_cyc = DETAILED_NEVER;
        squash_all(cpu);
    } else if (commit->status == COMMIT_SQUASH_AFTER) {
        squash_all(cpu);
    }
    take_request(cpu);
    take_renamed(cpu);
    if (commit->status == COMMIT_ENDING)
        end_when_written(cpu);
    else if (commit->status != COMMIT_SQUASHING)
        commit_all(cpu);
    tell_counts(cpu);
    mark_completed(cpu);
}
