/* Rename of the detailed core (o3-core 4): register renaming, free entries of the queues behind it, serialising.
 *
 * Modelled: free-entry accounting that counts micro-ops in flight twice (S7), stale counts (S8), serialise-before and
 * -after. Registers: rename_registers.c. */
#include "replay/detailed/detailed_core.h"

struct free_entries { int64_t rob, iq, lq, sq; };

static void take_arrived(struct detailed_cpu *cpu)
{
    struct rename_stage *const rename = &cpu->rename;

    while (rename->arrived.count > 0)
        inst_fifo_push(&rename->skid, inst_fifo_pop(&rename->arrived));
}

static void block(struct detailed_cpu *cpu)
{
    struct rename_stage *const rename = &cpu->rename;
    struct signals *const now = signals_now(cpu);

    take_arrived(cpu);
    if (rename->status == STAGE_BLOCKED)
        return;
    if (rename->status != STAGE_UNBLOCKING) {
        now->rename_block = true;
        now->rename_unblock = false;
    }
    if (rename->status != STAGE_SERIALISING)
        rename->status = STAGE_BLOCKED;
}

static void unblock(struct detailed_cpu *cpu)
{
    struct rename_stage *const rename = &cpu->rename;

    if (rename->skid.count > 0 || rename->status == STAGE_SERIALISING)
        return;
    signals_now(cpu)->rename_unblock = true;
    rename->status = STAGE_RUNNING;
}

static void rename_clear(struct detailed_cpu *cpu, struct inst_fifo *fifo)
{
    while (fifo->count > 0)
        inst_drop(cpu, inst_fifo_pop(fifo));
}

static void set_serialising(struct detailed_cpu *cpu, struct inst *inst)
{
    if (cpu->rename.serialising)
        inst_drop(cpu, cpu->rename.serialising);
    cpu->rename.serialising = inst;
    if (inst)
        inst_hold(inst);
}

/* ---- squash (4.5) */
static void squash(struct detailed_cpu *cpu, uint64_t seq)
{
    struct rename_stage *const rename = &cpu->rename;
    struct signals *const now = signals_now(cpu);

    if (rename->status == STAGE_BLOCKED || rename->status == STAGE_UNBLOCKING) {
        now->rename_unblock = true;
        rename->resume_serialising = false;
        set_serialising(cpu, NULL);
    } else if (rename->status == STAGE_SERIALISING) {
        if (rename->serialising && rename->serialising->seq <= seq) {
            rename->resume_serialising = true;
        } else {
            rename->resume_serialising = false;
            now->rename_unblock = true;
            set_serialising(cpu, NULL);
        }
    }
    rename->status = STAGE_SQUASHING;
    rename_clear(cpu, &rename->arrived);
    rename_clear(cpu, &rename->skid);
    registers_undo(cpu, seq);
    memory_renaming_squash(cpu, seq);
    cpu->changed = true;
}

void rename_restart(struct detailed_cpu *cpu, uint64_t seq)
{
    struct rename_stage *const rename = &cpu->rename;

    rename_clear(cpu, &rename->arrived);
    rename_clear(cpu, &rename->skid);
    set_serialising(cpu, NULL);
    registers_undo(cpu, seq);
    memory_renaming_squash(cpu, seq);
    registers_return(rename);
    registers_commit(cpu, seq);
    rename->status = STAGE_RUNNING;
    rename->iew_stalls = rename->serialise_next = rename->resume_serialising = false;
    rename->in_progress = rename->loads_in_progress = rename->stores_in_progress = 0;
    rename->joined_in_progress = rename->eliminated_in_progress = 0;
}

/* ---- the renaming pass (4.3) */
/* Fewer entries than micro-ops; which of the two is short is counted. */
static void count_full(struct detailed_cpu *cpu, const struct free_entries *free)
{
    if (free->rob <= free->iq)
        cpu->stats.rob_full++;
    else
        cpu->stats.iq_full++;
}

static bool is_of_store_queue(const struct inst *inst)
{
    return (inst->flags & (UOP_STORE | UOP_ATOMIC)) != 0;
}

static bool has_queue_entry(struct detailed_cpu *cpu, const struct inst *inst, const struct free_entries *free)
{
    if ((inst->flags & UOP_LOAD) && free->lq <= 0) {
        cpu->stats.lq_full++;
        return false;
    }
    if (is_of_store_queue(inst) && free->sq <= 0) {
        cpu->stats.sq_full++;
        return false;
    }
    return true;
}

/* True: it waits until all before it have committed. */
static bool has_to_serialise(struct detailed_cpu *cpu, struct inst *inst)
{
    bool const is_temporary = inst_is(inst, INST_SERIALISE_BEFORE);

    if ((!is_temporary && !(inst->flags & UOP_SERIALISE_BEFORE)) || inst_is(inst, INST_SERIALISE_HANDLED))
        return false;
    if (is_temporary) {
        cpu->stats.temp_serializing++;
    } else {
        cpu->stats.serializing++;
        inst->state |= INST_SERIALISE_HANDLED;
    }
    cpu->rename.status = STAGE_SERIALISING;
    set_serialising(cpu, inst);
    return true;
}

/* Marks the micro-op after a serialising one. */
static void serialise_after(struct detailed_cpu *cpu, struct inst *inst, const struct inst_fifo *rest)
{
    bool const is_conditional_store = (inst->flags & (UOP_STORE | UOP_LINKED)) == (UOP_STORE | UOP_LINKED);

    if ((!(inst->flags & UOP_SERIALISE_AFTER) && !is_conditional_store) || inst_is(inst, INST_SERIALISE_HANDLED))
        return;
    cpu->stats.serializing++;
    inst->state |= INST_SERIALISE_HANDLED;
    if (rest->count > 0)
        inst_fifo_at(rest, 0)->state |= INST_SERIALISE_BEFORE;
    else
        cpu->rename.serialise_next = true;
}

static void rename_send(struct detailed_cpu *cpu, struct inst *inst, struct free_entries *free)
{
    struct rename_stage *const rename = &cpu->rename;

    if (inst->uop->traits & rename->eliminates) {
        idioms_rename(cpu, inst);
    } else {
        registers_read(cpu, inst);
        registers_write(cpu, inst);
        if ((inst->flags & (UOP_LOAD | UOP_STORE)) && cpu->params.renamed_stores > 0)
            memory_renaming_rename(cpu, inst);
    }
    if (cpu->fuses) {
        inst->rename_done_cyc = cpu->cycle;
        if (inst_is(inst, INST_FUSES))
            fusion_rename(cpu, inst);
    }
    rename->joined_in_progress += inst_is(inst, INST_JOINED);
    rename->eliminated_in_progress += inst_is(inst, INST_ELIMINATED);
    if (inst->flags & UOP_LOAD) {
        rename->loads_in_progress++;
        free->lq--;
    } else if (is_of_store_queue(inst)) {
        rename->stores_in_progress++;
        free->sq--;
    }
    inst_wire_send(&cpu->to_iew, cpu->cycle, inst);
    inst_hold(inst);
    inst_wire_send(&cpu->to_rob, cpu->cycle, inst);
}

/* The outcome for the first micro-op of the list. */
enum renaming { RENAMED, WAS_SQUASHED, MUST_WAIT };

static enum renaming rename_first(struct detailed_cpu *cpu, struct inst_fifo *list, struct free_entries *free)
{
    struct inst *const inst = inst_fifo_at(list, 0);

    if (!has_queue_entry(cpu, inst, free))
        return MUST_WAIT;
    if (inst_is(inst, INST_SQUASHED)) {
        inst_drop(cpu, inst_fifo_pop(list));
        return WAS_SQUASHED;
    }
    if (!(inst->uop->traits & cpu->rename.eliminates) && !registers_suffice(cpu, inst)) {
        cpu->stats.registers_full++;
        return MUST_WAIT;
    }
    if (has_to_serialise(cpu, inst)) {
        inst_drop(cpu, inst_fifo_pop(list));
        cpu->changed = true;
        return MUST_WAIT;
    }
    inst_fifo_pop(list);
    serialise_after(cpu, inst, list);
    rename_send(cpu, inst, free);
    return RENAMED;
}

/* How many of the list have entries. */
static int64_t find_room(const struct detailed_cpu *cpu, const struct inst_fifo *list, const struct free_entries *free)
{
    int64_t const room = free->rob < free->iq ? free->rob : free->iq;
    int64_t rob = free->rob, iq = free->iq;
    uint32_t i;

    if (!cpu->fuses && cpu->rename.eliminates == 0)
        return room > 0 ? room : 0;
    for (i = 0; i < list->count; i++) {
        const struct inst *const inst = inst_fifo_at(list, i);

        rob -= inst_slots(inst);
        iq -= (inst->uop->traits & cpu->rename.eliminates) == 0 && !inst_is(inst, INST_FUSES);
        if (rob < 0 || iq < 0)
            break;
    }
    return i;
}

static void pass(struct detailed_cpu *cpu, struct inst_fifo *list, struct free_entries free)
{
    struct rename_stage *const rename = &cpu->rename;
    int64_t const room = find_room(cpu, list, &free);
    int64_t left = list->count;
    uint64_t renamed = 0, slots = 0;
    bool must_block = false;

    if (left == 0)
        return;
    if (room < left) {
        count_full(cpu, &free);
        left = room;
        must_block = true;
    }
    if (left > 0 && rename->serialise_next) {
        if (rename->empty_rob && rename->in_progress == 0)
            rename->serialise_next = false;
        else
            inst_fifo_at(list, 0)->state |= INST_SERIALISE_BEFORE;
    }
    for (; left > 0 && (slots < cpu->params.rename_width || inst_is(inst_fifo_at(list, 0), INST_JOINED)); left--) {
        unsigned const taken = inst_slots(inst_fifo_at(list, 0));
        enum renaming const result = rename_first(cpu, list, &free);

        if (result == MUST_WAIT)
            break;
        cpu->changed = true;
        renamed += result == RENAMED;
        slots += result == RENAMED ? taken : 0;
    }
    rename->in_progress += (int64_t)renamed;
    cpu->stats.renamed_insts += renamed;
    if (must_block || left > 0) {
        block(cpu);
        signals_now(cpu)->rename_unblock = false;
    }
}

/* ---- the tick (4.2) */
static struct free_entries read_counts(struct detailed_cpu *cpu, const struct signals *iew,
                                       const struct signals *commit)
{
    struct rename_stage *const rename = &cpu->rename;

    if (iew->has_queue_counts) {
        rename->free_iq = iew->free_iq;
        rename->free_lq = iew->free_lq;
        rename->free_sq = iew->free_sq;
    }
    if (commit->has_rob_count) {
        rename->free_rob = commit->free_rob;
        rename->empty_rob = commit->empty_rob;
    }
    return (struct free_entries){
        .rob = rename->free_rob - (rename->in_progress - iew->dispatched)
            + (rename->joined_in_progress - iew->dispatched_joined),
        .iq = rename->free_iq - (rename->in_progress - iew->dispatched)
            + (rename->eliminated_in_progress - iew->dispatched_eliminated),
        .lq = rename->free_lq - (rename->loads_in_progress - iew->dispatched_loads),
        .sq = rename->free_sq - (rename->stores_in_progress - iew->dispatched_stores),
    };
}

static bool has_to_stall(const struct rename_stage *rename, const struct free_entries *free)
{
    return rename->iew_stalls || free->rob <= 0 || free->iq <= 0 || (free->lq <= 0 && free->sq <= 0)
        || (rename->status == STAGE_SERIALISING && (!rename->empty_rob || rename->in_progress != 0));
}

/* Releases the serialising micro-op. */
static void resume(struct detailed_cpu *cpu)
{
    struct rename_stage *const rename = &cpu->rename;
    struct inst *const inst = rename->serialising;

    rename->status = STAGE_UNBLOCKING;
    unblock(cpu);
    inst->state &= ~(uint32_t)INST_SERIALISE_BEFORE;
    inst_hold(inst);
    inst_fifo_push_front(rename->skid.count > 0 ? &rename->skid : &rename->arrived, inst);
    set_serialising(cpu, NULL);
    cpu->changed = true;
}

static void forget_dispatched(struct rename_stage *rename, const struct signals *iew)
{
    rename->in_progress -= iew->dispatched;
    rename->joined_in_progress -= iew->dispatched_joined;
    rename->eliminated_in_progress -= iew->dispatched_eliminated;
    rename->loads_in_progress -= iew->dispatched_loads;
    rename->stores_in_progress -= iew->dispatched_stores;
}

void rename_tick(struct detailed_cpu *cpu)
{
    struct rename_stage *const rename = &cpu->rename;
    const struct signals *const iew = signals_seen(cpu, cpu->params.iew_to_rename_cyc);
    const struct signals *const commit = signals_seen(cpu, cpu->params.commit_to_rename_cyc);
    uint64_t const sent_cyc = cpu->cycle - cpu->params.decode_to_rename_cyc;
    enum stage_status const before = rename->status;
    bool has_arrived = false;
    struct free_entries free;
    uint32_t count;
    struct inst **const sent = inst_wire_at(&cpu->to_rename, sent_cyc, &count);

    for (uint32_t i = 0; i < count; i++) {
        has_arrived = has_arrived || !inst_is(sent[i], INST_SQUASHED);
        sent[i]->rename_cyc = cpu->cycle;    /* arrival, as the reference notes it */
        inst_fifo_push(&rename->arrived, sent[i]);
    }
    inst_wire_clear(&cpu->to_rename, sent_cyc);
    free = read_counts(cpu, iew, commit);
    if (iew->iew_block)
        rename->iew_stalls = true;
    if (iew->iew_unblock)
        rename->iew_stalls = false;
    if (commit->squash) {
        squash(cpu, commit->squash_seq);
    } else {
        if (!commit->rob_squashing)
            registers_return(rename);
        if (has_to_stall(rename, &free)) {
            block(cpu);
        } else if (rename->status == STAGE_BLOCKED) {
            rename->status = STAGE_UNBLOCKING;
            unblock(cpu);
        } else if (rename->status == STAGE_SQUASHING) {
            if (rename->resume_serialising)
                rename->status = STAGE_SERIALISING;
            else
                rename->status = STAGE_RUNNING;
        } else if (rename->status == STAGE_SERIALISING) {
            resume(cpu);
        }
        if (rename->status == STAGE_SERIALISING && rename->resume_serialising) {
            rename->resume_serialising = false;
            block(cpu);
            signals_now(cpu)->rename_unblock = false;
        }
        if (rename->status == STAGE_RUNNING) {
            pass(cpu, &rename->arrived, free);
        } else if (rename->status == STAGE_UNBLOCKING) {
            pass(cpu, &rename->skid, free);
            if (has_arrived)
                take_arrived(cpu);
            unblock(cpu);
        }
        if (commit->done_seq > 0 && rename->status != STAGE_SQUASHING)
            registers_commit(cpu, commit->done_seq);
    }
    forget_dispatched(rename, iew);
    if (count > 0 || iew->dispatched > 0 || rename->status != before)
        cpu->changed = true;
}
