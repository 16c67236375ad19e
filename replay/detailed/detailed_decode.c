/* Decode of the detailed core (o3-core 3): passes micro-ops on, and corrects direct branches whose target fetch did not
 * know. */
#include "replay/detailed/detailed_core.h"

static void take_arrived(struct detailed_cpu *cpu)
{
    struct decode_stage *const decode = &cpu->decode;

    while (decode->arrived.count > 0)
        inst_fifo_push(&decode->skid, inst_fifo_pop(&decode->arrived));
}

static void block(struct detailed_cpu *cpu)
{
    struct signals *const now = signals_now(cpu);

    take_arrived(cpu);
    if (cpu->decode.status == STAGE_BLOCKED)
        return;
    cpu->decode.status = STAGE_BLOCKED;
    if (now->decode_unblock)
        now->decode_unblock = false;
    else
        now->decode_block = true;
}

static void unblock(struct detailed_cpu *cpu)
{
    if (cpu->decode.skid.count > 0)
        return;
    signals_now(cpu)->decode_unblock = true;
    cpu->decode.status = STAGE_RUNNING;
}

static void detailed_decode_clear(struct detailed_cpu *cpu, struct inst_fifo *fifo)
{
    while (fifo->count > 0)
        inst_drop(cpu, inst_fifo_pop(fifo));
}

static void squash_on_signal(struct detailed_cpu *cpu)
{
    struct decode_stage *const decode = &cpu->decode;
    struct signals *const now = signals_now(cpu);

    if (decode->status == STAGE_BLOCKED || decode->status == STAGE_UNBLOCKING) {
        if (now->decode_block)
            now->decode_block = false;
        else
            now->decode_unblock = true;
    }
    decode->status = STAGE_SQUASHING;
    detailed_decode_clear(cpu, &decode->arrived);
    detailed_decode_clear(cpu, &decode->skid);
}

/* The direct branch does not go where fetch went on. */
static void squash_behind(struct detailed_cpu *cpu, struct inst *inst, uint64_t target)
{
    struct decode_stage *const decode = &cpu->decode;
    struct signals *const now = signals_now(cpu);
    bool const is_right = inst_is_right(inst) && inst->insn->next_pc == target;

    now->decode_squash = true;
    now->decode_seq = inst->seq;
    now->decode_taken = inst_is(inst, INST_PREDICTED_TAKEN) || !(inst->flags & UOP_CONDITIONAL);
    now->decode_position =
        (struct position){is_right ? inst->insn->number + 1 : SUPPLY_WRONG, target, 0, state_after(inst)};
    if (decode->status == STAGE_BLOCKED || decode->status == STAGE_UNBLOCKING)
        now->decode_unblock = true;
    decode->status = STAGE_SQUASHING;
    for (struct inst *young = cpu->young_youngest; young && young->seq > inst->seq; young = young->young_before)
        young->state |= INST_SQUASHED;
    detailed_decode_clear(cpu, &decode->arrived);
    detailed_decode_clear(cpu, &decode->skid);
    inst->predicted_next = target;
    cpu->stats.decode_mispredicted++;
}

static void pass_on(struct detailed_cpu *cpu, struct inst_fifo *list)
{
    uint64_t sent = 0;

    while (list->count > 0 && (sent < cpu->params.decode_width || inst_is(inst_fifo_at(list, 0), INST_JOINED))) {
        struct inst *const inst = inst_fifo_pop(list);

        cpu->changed = true;
        if (inst_is(inst, INST_SQUASHED)) {
            inst_drop(cpu, inst);
            continue;
        }
        inst->decode_cyc = cpu->cycle;
        inst_wire_send(&cpu->to_rename, cpu->cycle, inst);
        sent += inst_slots(inst);
        cpu->stats.decoded_insts++;
        if ((inst->flags & (UOP_CONTROL | UOP_DIRECT)) == (UOP_CONTROL | UOP_DIRECT)
            && (!(inst->flags & UOP_CONDITIONAL) || inst_is(inst, INST_PREDICTED_TAKEN))) {
            cpu->stats.decode_resolved++;
            if (inst->insn->target != inst->predicted_next) {
                squash_behind(cpu, inst, inst->insn->target);
                break;
            }
        }
    }
    if (list->count > 0)
        block(cpu);
}

void decode_tick(struct detailed_cpu *cpu)
{
    struct decode_stage *const decode = &cpu->decode;
    const struct signals *const rename = signals_seen(cpu, cpu->params.rename_to_decode_cyc);
    uint64_t const sent_cyc = cpu->cycle - cpu->params.fetch_to_decode_cyc;
    enum stage_status const before = decode->status;
    uint32_t count;
    struct inst **const sent = inst_wire_at(&cpu->to_decode, sent_cyc, &count);

    for (uint32_t i = 0; i < count; i++)
        inst_fifo_push(&decode->arrived, sent[i]);
    inst_wire_clear(&cpu->to_decode, sent_cyc);
    if (rename->rename_block)
        decode->rename_stalls = true;
    if (rename->rename_unblock)
        decode->rename_stalls = false;
    if (signals_seen(cpu, cpu->params.commit_to_decode_cyc)->squash)
        squash_on_signal(cpu);
    else if (decode->rename_stalls)
        block(cpu);
    else if (decode->status == STAGE_BLOCKED) {
        decode->status = STAGE_UNBLOCKING;
        unblock(cpu);
    } else if (decode->status == STAGE_SQUASHING)
        decode->status = STAGE_RUNNING;
    if (decode->status == STAGE_RUNNING) {
        pass_on(cpu, &decode->arrived);
    } else if (decode->status == STAGE_UNBLOCKING) {
        pass_on(cpu, &decode->skid);
        if (count > 0)
            take_arrived(cpu);
        unblock(cpu);
    }
    if (count > 0 || decode->status != before)
        cpu->changed = true;
}
