/* The memory-dependence unit (o3-core 5.8): which loads and stores wait for barriers, and for stores of their set.
 *
 * Barriers complete in order, at the head of the ROB; so a micro-op that must wait for all outstanding ones waits for
 * the youngest. A squash removes both or only the waiting, younger one. */
#include "replay/detailed/detailed_core.h"

static void wait_for(struct inst *inst, struct inst *producer)
{
    inst->order_link.inst = inst;
    inst_link_add(&producer->order_waiters, &inst->order_link);
}

/* The store of that number, if it is still in the unit. It is older than `inst`. */
static struct inst *find_store(struct detailed_cpu *cpu, const struct inst *inst, uint64_t seq)
{
    const struct load_store_queue *const lsq = &cpu->lsq;
    uint64_t place = inst->flags & UOP_LOAD ? inst->other_tail : inst->queue_place;

    while (place-- > lsq->store_head) {
        struct inst *const store = lsq->stores[place & lsq->store_mask];

        if (store->seq == seq)
            return inst_is(store, INST_IN_MEMDEP) ? store : NULL;
        if (store->seq < seq)
            break;
    }
    return NULL;
}

static struct inst *producer_of(struct detailed_cpu *cpu, const struct inst *inst)
{
    struct iew_stage *const iew = &cpu->iew;
    struct inst *producer = inst->flags & UOP_LOAD ? iew->load_barrier : iew->store_barrier;
    uint64_t seq;

    if (producer)
        return producer;
    if (!iew->sets.is_on)
        return NULL;
    seq = store_sets_check(&iew->sets, inst->pc);
    return seq > 0 ? find_store(cpu, inst, seq) : NULL;
}

static void memory_order_count(struct detailed_cpu *cpu, const struct inst *inst)
{
    if (inst->flags & UOP_LOAD)
        cpu->stats.inserted_loads++;
    else
        cpu->stats.inserted_stores++;
}

static void know_store(struct detailed_cpu *cpu, struct inst *inst)
{
    if (store_sets_insert(&cpu->iew.sets, inst->pc, inst->seq, &inst->store_set))
        inst->state |= INST_IN_STORE_SET;
}

void order_insert(struct detailed_cpu *cpu, struct inst *inst)
{
    struct inst *const producer = producer_of(cpu, inst);

    inst->state |= INST_IN_MEMDEP;
    memory_order_count(cpu, inst);
    inst->waited = producer && (inst->flags & UOP_LOAD) && producer != cpu->iew.load_barrier;
    if (producer) {
        wait_for(inst, producer);
        if (inst->flags & UOP_LOAD)
            cpu->stats.conflicting_loads++;
        else
            cpu->stats.conflicting_stores++;
    }
    if (inst->flags & (UOP_READ_BARRIER | UOP_WRITE_BARRIER))
        order_insert_barrier(cpu, inst);
    if (inst->flags & UOP_STORE)
        know_store(cpu, inst);
}

void order_insert_nonspec(struct detailed_cpu *cpu, struct inst *inst)
{
    inst->state |= INST_IN_MEMDEP;
    memory_order_count(cpu, inst);
    if (inst->flags & (UOP_READ_BARRIER | UOP_WRITE_BARRIER))
        order_insert_barrier(cpu, inst);
    know_store(cpu, inst);
}

/* The youngest outstanding barriers, anew. */
static void find_barriers(struct iew_stage *iew)
{
    iew->load_barrier = iew->store_barrier = NULL;
    for (uint32_t i = 0; i < iew->barrier_count; i++) {
        if (iew->barriers[i]->flags & UOP_READ_BARRIER)
            iew->load_barrier = iew->barriers[i];
        if (iew->barriers[i]->flags & UOP_WRITE_BARRIER)
            iew->store_barrier = iew->barriers[i];
    }
}

void order_insert_barrier(struct detailed_cpu *cpu, struct inst *inst)
{
    struct iew_stage *const iew = &cpu->iew;

    inst->state |= INST_IN_MEMDEP;
    iew->barriers[iew->barrier_count++] = inst;
    find_barriers(iew);
}

void order_issued(struct detailed_cpu *cpu, struct inst *inst)
{
    if (!(inst->flags & UOP_STORE))
        return;
    inst->state &= ~(uint32_t)INST_IN_STORE_SET;
    store_sets_issued(&cpu->iew.sets, inst->pc, inst->seq);
}

static void memory_order_leave(struct iew_stage *iew, struct inst *inst)
{
    inst->state &= ~(uint32_t)INST_IN_MEMDEP;
    if (!(inst->flags & (UOP_READ_BARRIER | UOP_WRITE_BARRIER)))
        return;
    for (uint32_t i = 0, kept = 0; i < iew->barrier_count; i++) {
        if (iew->barriers[i] != inst)
            iew->barriers[kept++] = iew->barriers[i];
        if (i + 1 == iew->barrier_count) {
            iew->barrier_count = kept;
            break;
        }
    }
    find_barriers(iew);
}

void order_complete(struct detailed_cpu *cpu, struct inst *inst)
{
    if (!inst_is(inst, INST_IN_MEMDEP))
        return;
    memory_order_leave(&cpu->iew, inst);
    while (inst->order_waiters) {
        struct inst *const waiter = inst->order_waiters->inst;

        inst_link_remove(&waiter->order_link);
        if (waiter->waiting == 0)
            issue_ready(cpu, waiter);
    }
}

/* A squashed one: only younger ones wait for it. */
static void memory_order_forget(struct detailed_cpu *cpu, struct inst *inst, uint64_t seq)
{
    inst_link_remove(&inst->order_link);
    while (inst->order_waiters)
        inst_link_remove(inst->order_waiters);
    if (inst_is(inst, INST_IN_MEMDEP))
        memory_order_leave(&cpu->iew, inst);
    if (inst_is(inst, INST_IN_STORE_SET)) {
        inst->state &= ~(uint32_t)INST_IN_STORE_SET;
        store_sets_squash(&cpu->iew.sets, inst->store_set, seq);
    }
}

void order_squash(struct detailed_cpu *cpu, uint64_t seq)
{
    for (struct inst *inst = cpu->young_youngest; inst && inst->seq > seq; inst = inst->young_before)
        memory_order_forget(cpu, inst, seq);
}
