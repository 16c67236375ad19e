/* Load and store queue of the detailed core: order, forwarding, violations (o3-core 6.1, 6.2, 6.5). Requests to the
 * L1D and its responses are in lsq_send.c.
 *
 * Modelled: the youngest older store that overlaps decides; a partial overlap waits until that store is sent; loads
 * that ran ahead of a store to the same 16 bytes are squashed. An access whose address is not known (wrong paths)
 * takes an entry and completes as if it were forwarded; nothing collides with it. */
#include "replay/detailed/detailed_core.h"

static struct inst *load_at(const struct load_store_queue *lsq, uint64_t place)
{
    return lsq->loads[place & lsq->load_mask];
}

static struct inst *store_at(const struct load_store_queue *lsq, uint64_t place)
{
    return lsq->stores[place & lsq->store_mask];
}

void lsq_insert(struct detailed_cpu *cpu, struct inst *inst)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    inst_hold(inst);
    if (inst->flags & UOP_LOAD) {
        inst->other_tail = lsq->store_tail;
        inst->queue_place = lsq->load_tail++;
        lsq->loads[inst->queue_place & lsq->load_mask] = inst;
    } else {
        inst->other_tail = lsq->load_tail;
        inst->queue_place = lsq->store_tail++;
        lsq->stores[inst->queue_place & lsq->store_mask] = inst;
    }
}

/* ---- lists of loads, in order; each holds */
static void list_add(struct inst ***end, struct inst *inst)
{
    inst_hold(inst);
    inst->list_next = NULL;
    **end = inst;
    *end = &inst->list_next;
}

static struct inst *list_take(struct inst **list, struct inst ***end)
{
    struct inst *const inst = *list;

    *list = inst->list_next;
    inst->list_next = NULL;
    if (!*list)
        *end = list;
    return inst;
}

/* ---- addresses */
/* The micro-op's access becomes that of its queue entry; false: its address is not known. */
static bool translate(struct inst *inst)
{
    if (!inst->access || !inst->access->has_place) {
        inst->state |= INST_NO_PACKET;
        return false;
    }
    inst->address = inst->access->address;
    inst->place = inst->access->place;
    inst->state |= INST_REQUESTED;
    return true;
}

/* First touch of a page (o3-core 7.6), which the operating system has not served yet; on a wrong path any page that is
 * not mapped. */
static bool faults(const struct detailed_cpu *cpu, const struct inst *inst)
{
    if (!inst->access)
        return false;
    return inst->access->faults || (inst->access->is_first_touch && inst_is_right(inst)
                                    && cpu->commit.faulted_number != inst->insn->number);
}

/* ---- forwarding (6.2) */
enum overlap { OVERLAP_NONE, OVERLAP_FULL, OVERLAP_PART };

static enum overlap overlap_of(const struct inst *load, const struct inst *store)
{
    uint64_t const load_end = load->address + load->access->size_bytes, store_end = store->address + store->size_bytes;

    if (store->size_bytes == 0 || load->address >= store_end || store->address >= load_end)
        return OVERLAP_NONE;
    if (load->address >= store->address && load_end <= store_end && !(store->flags & UOP_ATOMIC)
        && !(load->flags & UOP_LINKED))
        return OVERLAP_FULL;
    return OVERLAP_PART;
}

/* True: a store has it, or will. */
static bool search_stores(struct detailed_cpu *cpu, struct inst *load)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    for (uint64_t place = load->other_tail; place-- > lsq->write_place;) {
        const struct inst *const store = store_at(lsq, place);

        switch (overlap_of(load, store)) {
        case OVERLAP_NONE:
            continue;
        case OVERLAP_FULL:
            cpu->stats.forwarded_loads++;
            if (cpu->params.forward_cyc > 0)
                delay_add(cpu, DELAY_FORWARD, load, cpu->params.forward_cyc + 1);
            else
                list_add(&lsq->forwarded_end, load);
            return true;
        case OVERLAP_PART:
            if (!lsq->has_stall || load->seq < lsq->stall_load) {
                lsq->has_stall = true;
                lsq->stall_store = store->seq;
                lsq->stall_load = load->seq;
            }
            load->state &= ~(uint32_t)(INST_ISSUED | INST_ADDRESS_VALID);
            load->state |= INST_WAITS_STORE;
            list_add(&lsq->replayed_end, load);
            cpu->stats.rescheduled_loads++;
            return true;
        }
    }
    return false;
}

void lsq_store_was_sent(struct detailed_cpu *cpu, const struct inst *store)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    if (!lsq->has_stall || lsq->stall_store != store->seq)
        return;
    lsq->has_stall = false;
    while (lsq->replayed) {
        struct inst *const load = list_take(&lsq->replayed, &lsq->replayed_end);

        load->state &= ~(uint32_t)INST_WAITS_STORE;
        if (cpu->params.failed_forward_cyc > 0)
            delay_add(cpu, DELAY_REPLAY, load, cpu->params.failed_forward_cyc + cpu->is_ticking);
        else
            issue_ready(cpu, load);
        inst_drop(cpu, load);
    }
}

void lsq_execute_load(struct detailed_cpu *cpu, struct inst *inst)
{
    struct load_store_queue *const lsq = &cpu->lsq;
    bool found;

    if (faults(cpu, inst)) {
        inst->state |= INST_EXECUTED | INST_FAULT;
        iew_send_to_commit(cpu, inst);
        return;
    }
    if (!translate(inst)) {
        if (inst->access && inst->access->never_ends)
            return;
        list_add(&lsq->forwarded_end, inst);
        return;
    }
    inst->size_bytes = inst->access->size_bytes;
    inst->state |= INST_ADDRESS_VALID;
    found = search_stores(cpu, inst);
    if (inst->waited) {
        inst->waited = false;
        store_sets_waited(&cpu->iew.sets, inst->pc, found, cpu->params.store_set_trust);
    }
    if (!found)
        lsq_send_load(cpu, inst);
}

/* ---- violations (6.5) */
static void check_violations(struct detailed_cpu *cpu, const struct inst *store)
{
    struct load_store_queue *const lsq = &cpu->lsq;
    unsigned const shift = (unsigned)cpu->params.dep_check_shift;
    uint64_t const first = store->address >> shift, last = (store->address + store->size_bytes - 1) >> shift;

    for (uint64_t place = store->other_tail > lsq->load_head ? store->other_tail : lsq->load_head;
         place < lsq->load_tail; place++) {
        struct inst *const load = load_at(lsq, place);

        if (!inst_is(load, INST_ADDRESS_VALID) || inst_is(load, INST_SQUASHED))
            continue;
        if (load->address >> shift > last || (load->address + load->size_bytes - 1) >> shift < first)
            continue;
        if (inst_is(load, INST_MEMORY_RENAMED) && load->renamed_store >= store->seq)
            continue;
        if (lsq->violator && lsq->violator->seq < load->seq)
            break;
        lsq->violator = load;
        cpu->stats.detected_violations++;
        break;
    }
}

void lsq_execute_store(struct detailed_cpu *cpu, struct inst *inst)
{
    struct load_store_queue *const lsq = &cpu->lsq;
    bool const is_plain = (inst->flags & (UOP_STORE | UOP_LINKED)) == UOP_STORE;

    if (faults(cpu, inst)) {
        inst->state |= INST_EXECUTED | INST_FAULT;
        iew_send_to_commit(cpu, inst);
        return;
    }
    if (translate(inst))
        inst->size_bytes = inst->access->size_bytes;
    if (is_plain) {
        inst->state |= INST_EXECUTED;
        iew_send_to_commit(cpu, inst);
    } else {
        inst->state |= INST_CAN_WRITE_BACK;
        lsq->to_write_back++;
    }
    if (inst->size_bytes > 0)
        check_violations(cpu, inst);
}

/* ---- the ends of entries */
void lsq_commit(struct detailed_cpu *cpu, uint64_t seq)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    while (lsq->load_head < lsq->load_tail && load_at(lsq, lsq->load_head)->seq <= seq)
        inst_drop(cpu, load_at(lsq, lsq->load_head++));
    for (uint64_t place = lsq->store_head; place < lsq->store_tail; place++) {
        struct inst *const store = store_at(lsq, place);

        if (store->seq > seq)
            break;
        if (inst_is(store, INST_CAN_WRITE_BACK))
            continue;
        store->state |= INST_CAN_WRITE_BACK;
        lsq->to_write_back++;
    }
}

void lsq_squash(struct detailed_cpu *cpu, uint64_t seq)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    while (lsq->load_tail > lsq->load_head && load_at(lsq, lsq->load_tail - 1)->seq > seq) {
        struct inst *const load = load_at(lsq, --lsq->load_tail);

        if (lsq->has_stall && lsq->stall_load == load->seq)
            lsq->has_stall = false;
        load->state |= INST_SQUASHED;
        cpu->stats.squashed_loads++;
        inst_drop(cpu, load);
    }
    if (lsq->violator && lsq->violator->seq > seq)
        lsq->violator = NULL;
    while (lsq->store_tail > lsq->store_head) {
        struct inst *const store = store_at(lsq, lsq->store_tail - 1);

        if (store->seq <= seq || inst_is(store, INST_CAN_WRITE_BACK))
            break;
        if (lsq->has_stall && lsq->stall_store == store->seq)
            lsq->has_stall = false;
        store->state |= INST_SQUASHED;
        cpu->stats.squashed_stores++;
        lsq->store_tail--;
        inst_drop(cpu, store);
    }
    for (struct inst **link = &lsq->replayed; *link;) {
        struct inst *const load = *link;

        if (load->seq <= seq) {
            link = &load->list_next;
            continue;
        }
        *link = load->list_next;
        if (!*link)
            lsq->replayed_end = link;
        load->list_next = NULL;
        inst_drop(cpu, load);
    }
}

void lsq_finish_forward(struct detailed_cpu *cpu, struct inst *inst)
{
    inst->state |= INST_EXECUTED;
    iew_send_to_commit(cpu, inst);
}

void lsq_finish_behind(struct detailed_cpu *cpu, struct inst *inst)
{
    list_add(&cpu->lsq.forwarded_end, inst);
}

/* Results that this cycle has, from no cache, go to the coming one. */
void lsq_end_tick(struct detailed_cpu *cpu)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    while (lsq->forwarded) {
        struct inst *const load = list_take(&lsq->forwarded, &lsq->forwarded_end);

        if (!inst_is(load, INST_SQUASHED))
            lsq_finish_forward(cpu, load);
        inst_drop(cpu, load);
    }
}

/* ---- loads that the L1D refused (6.3) */
void lsq_take_retried(struct detailed_cpu *cpu)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    while (lsq->retried) {
        struct inst *const load = list_take(&lsq->retried, &lsq->retried_end);

        load->state &= ~(uint32_t)INST_WAITS_CACHE;
        issue_ready(cpu, load);
        inst_drop(cpu, load);
    }
}

/* ---- waits of a fixed number of cycles behind events that the reference acts on at once (forwardDelay,
 * forwardFailDelay, memoryRenamingLatency): they end before dispatch and issue of a cycle */
void delay_add(struct detailed_cpu *cpu, enum delay_kind kind, struct inst *inst, uint64_t cycles)
{
    struct inst_delay *const delay = &cpu->delays[kind];

    delay->due_cyc[(delay->fifo.head + delay->fifo.count) & delay->fifo.mask] = core_coming_cycle(cpu) + cycles;
    inst_hold(inst);
    inst_fifo_push(&delay->fifo, inst);
    cpu->delayed++;
    cpu->changed = true;
}

static void end_delay(struct detailed_cpu *cpu, enum delay_kind kind, struct inst *inst)
{
    switch (kind) {
    case DELAY_FORWARD:
        if (!inst_is(inst, INST_SQUASHED))
            lsq_finish_forward(cpu, inst);
        break;
    case DELAY_REPLAY:
        if (!inst_is(inst, INST_SQUASHED))
            issue_ready(cpu, inst);
        break;
    case DELAY_RENAMED:
        if (!inst_is(inst, INST_SQUASHED))
            issue_wake_register(cpu, inst->renamed_result);
        break;
    case DELAY_KINDS:
        break;
    }
}

void delays_take(struct detailed_cpu *cpu, bool all)
{
    for (unsigned kind = 0; kind < DELAY_KINDS; kind++) {
        struct inst_delay *const delay = &cpu->delays[kind];

        while (delay->fifo.count > 0 && (all || delay->due_cyc[delay->fifo.head & delay->fifo.mask] <= cpu->cycle)) {
            struct inst *const inst = inst_fifo_pop(&delay->fifo);

            cpu->delayed--;
            cpu->changed = true;
            if (!all || kind == DELAY_RENAMED)
                end_delay(cpu, (enum delay_kind)kind, inst);
            inst_drop(cpu, inst);
        }
    }
}
