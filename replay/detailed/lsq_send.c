/* The load and store queue's requests to the L1D (o3-core 6.3, 6.4).
 *
 * releaseSentStores, which the reference lacks: a store leaves its queue when the L1D takes it, as in ChampSim and in
 * cores whose L1D has write buffers of its own. Fences then wait until stores are taken, not until they are written.
 *
 * Modelled: accesses split at the end of a line, all parts sent in one tick, refusals and retries, any number of
 * stores a cycle in order, completion by response. Not modelled: load ports that are not the issue's (cacheLoadPorts)
 * beyond a limit a cycle. */
#include "replay/detailed/detailed_core.h"

static struct inst *store_at(const struct load_store_queue *lsq, uint64_t place)
{
    return lsq->stores[place & lsq->store_mask];
}

static uint32_t parts_of(const struct detailed_cpu *cpu, const struct inst *inst)
{
    uint64_t const last = inst->address + inst->size_bytes - 1;

    return (uint32_t)(last / cpu->line_bytes - inst->address / cpu->line_bytes) + 1;
}

static enum command command_of(const struct inst *inst)
{
    if (inst->flags & UOP_ATOMIC)
        return CMD_SwapReq;
    if (inst->flags & UOP_LOAD)
        return inst->flags & UOP_LINKED ? CMD_LoadLockedReq : inst->flags & UOP_PREFETCH ? CMD_SoftPFReq : CMD_ReadReq;
    return inst->flags & UOP_LINKED ? CMD_StoreCondReq : CMD_WriteReq;
}

static uint32_t request_flags(const struct inst *inst)
{
    if (inst->flags & UOP_ATOMIC)
        return REQUEST_SWAP;
    if (inst->flags & UOP_LINKED)
        return REQUEST_LLSC;
    return inst->flags & UOP_PREFETCH ? REQUEST_PREFETCH : 0;
}

/* Physical address of a virtual one of the access. Its second page lies where the supply says. */
static uint64_t lsq_send_place_of(struct detailed_cpu *cpu, const struct inst *inst, uint64_t address)
{
    uint64_t place;

    if ((address ^ inst->address) >> 12 == 0 || !supply_place(cpu->supply, address, &place))
        return inst->place + (address - inst->address);
    return place;
}

/* Do this cycle's stores reach that line, too? */
static bool may_write(const struct detailed_cpu *cpu, uint64_t line)
{
    const struct load_store_queue *const lsq = &cpu->lsq;

    return lsq->lines_written < cpu->params.store_lines || (lsq->lines_written > 0 && lsq->line_written == line);
}

static void note_written(struct load_store_queue *lsq, uint64_t line)
{
    lsq->store_ports_used++;
    if (lsq->lines_written == 0 || lsq->line_written != line)
        lsq->lines_written++;
    lsq->line_written = line;
}

/* Offers the part that is to be sent next; false: it was not taken. */
static bool send_part(struct detailed_cpu *cpu, struct inst *inst)
{
    struct load_store_queue *const lsq = &cpu->lsq;
    bool const is_load = (inst->flags & UOP_LOAD) != 0;
    uint64_t const line = cpu->line_bytes;
    uint64_t const begin = inst->parts_sent == 0 ? inst->address
                                                 : (inst->address / line + inst->parts_sent) * line;
    uint64_t const end = min_u64(inst->address + inst->size_bytes, (begin / line + 1) * line);
    struct packet *packet;
    struct request request = {
        .pc = inst->pc,
        .size_bytes = (uint32_t)(end - begin),
        .flags = request_flags(inst),
        .sequence = inst->pool_place,
        .requestor = cpu->data_requestor,
        .has_pc = true,
    };

    if (lsq->cache_blocked)
        return false;
    if (is_load ? lsq->load_ports_used >= cpu->params.load_ports : lsq->store_ports_used >= cpu->params.store_ports)
        return false;
    if (!is_load && cpu->params.store_lines > 0 && !may_write(cpu, begin / line))
        return false;
    request.address = lsq_send_place_of(cpu, inst, begin);
    packet = packet_take(cpu->sim->packets, &request, command_of(inst));
    inst->packets_left++;
    inst_hold(inst);
    if (!cpu->dcache.ops->recv_request(cpu->dcache.self, packet, cpu->dcache.port)) {
        packet_give(cpu->sim->packets, packet);
        inst->packets_left--;
        inst_drop(cpu, inst);
        lsq->cache_blocked = true;
        cpu->stats.blocked_by_cache++;
        return false;
    }
    sim_log(cpu->sim, cpu->data_name, "send", command_of(inst), request.address);
    if (is_load)
        lsq->load_ports_used++;
    else
        note_written(lsq, begin / line);
    inst->parts_sent++;
    cpu->changed = true;
    return true;
}

static bool send_all(struct detailed_cpu *cpu, struct inst *inst)
{
    uint32_t const parts = parts_of(cpu, inst);

    while (inst->parts_sent < parts)
        if (!send_part(cpu, inst))
            return false;
    return true;
}

/* ---- loads */
void lsq_send_load(struct detailed_cpu *cpu, struct inst *inst)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    if (inst->flags & UOP_LINKED)
        lsq->reservation = inst->place / 64;
    if (send_all(cpu, inst)) {
        if (inst->flags & UOP_PREFETCH && !inst_is(inst, INST_EXECUTED)) {
            inst->state |= INST_EXECUTED;
            iew_send_to_commit(cpu, inst);
        }
        return;
    }
    inst->state &= ~(uint32_t)INST_ISSUED;
    inst->state |= INST_WAITS_CACHE;
    inst_hold(inst);
    inst->list_next = NULL;
    *lsq->blocked_end = inst;
    lsq->blocked_end = &inst->list_next;
}

/* ---- stores */
static void complete_store(struct detailed_cpu *cpu, struct inst *store)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    store->state |= INST_COMPLETE_STORE;
    lsq->to_write_back--;
    lsq_store_was_sent(cpu, store);
    if (store_at(lsq, lsq->store_head) == store) {
        while (lsq->store_head < lsq->store_tail && inst_is(store_at(lsq, lsq->store_head), INST_COMPLETE_STORE))
            inst_drop(cpu, store_at(lsq, lsq->store_head++));
        cpu->iew.update_next = true;
    }
    core_wake(cpu);
}

/* SC and AMO have their result. */
static void finish_result(struct detailed_cpu *cpu, struct inst *inst)
{
    if (inst_is(inst, INST_EXECUTED))
        return;
    inst->state |= INST_EXECUTED;
    iew_send_to_commit(cpu, inst);
}

static bool is_conditional(const struct inst *store)
{
    return (store->flags & (UOP_STORE | UOP_LINKED)) == (UOP_STORE | UOP_LINKED);
}

/* The reservation of the last LR holds; any SC clears it. */
static bool reservation_holds(struct load_store_queue *lsq, const struct inst *store)
{
    bool const holds = lsq->reservation == store->place / 64;

    lsq->reservation = UINT64_MAX;
    return holds;
}

/* ---- streaming stores: caches on the way of a line give up their copy, and none is fetched. Not modelled: fences,
 * loads and other stores of the line, which send it earlier; what is left in buffers at the end is not written. */
#define ANSWERS_NOTHING UINT64_MAX

bool lsq_answers_nothing(const struct packet *packet)
{
    return packet->request.sequence == ANSWERS_NOTHING;
}

/* False: the L1D refuses it. */
static bool send_line(struct detailed_cpu *cpu, struct combined_line *line)
{
    struct combined_span const span = combining_span(&cpu->lsq.combining, line);
    struct request const request = {.address = span.address, .size_bytes = (uint32_t)span.size_bytes,
                                    .flags = REQUEST_UNCACHEABLE, .sequence = ANSWERS_NOTHING,
                                    .requestor = cpu->data_requestor};
    struct packet *packet;

    if (cpu->lsq.cache_blocked)
        return false;
    packet = packet_take(cpu->sim->packets, &request, CMD_WriteReq);
    if (!cpu->dcache.ops->recv_request(cpu->dcache.self, packet, cpu->dcache.port)) {
        packet_give(cpu->sim->packets, packet);
        cpu->lsq.cache_blocked = true;
        cpu->stats.blocked_by_cache++;
        return false;
    }
    sim_log(cpu->sim, cpu->data_name, "send", CMD_WriteReq, request.address);
    line->written = 0;
    return true;
}

/* Full lines that the L1D refused before. */
static void send_full_lines(struct detailed_cpu *cpu)
{
    struct write_combining *const combining = &cpu->lsq.combining;

    for (uint64_t i = 0; i < combining->count; i++)
        if (combining_is_full(combining, &combining->lines[i]) && !send_line(cpu, &combining->lines[i]))
            return;
}

static bool combine(struct detailed_cpu *cpu, const struct inst *store)
{
    struct write_combining *const combining = &cpu->lsq.combining;
    uint64_t const line_address = store->place & ~(uint64_t)(cpu->line_bytes - 1);
    struct combined_line *const line = combining_line(combining, line_address);

    if (combining_is_taken(line, line_address) && !send_line(cpu, line))
        return false;
    combining_write(combining, line, store->place, store->size_bytes);
    if (combining_is_full(combining, line))
        send_line(cpu, line);
    return true;
}

/* It is done once its line has it: nothing answers it. */
static bool combine_store(struct detailed_cpu *cpu, struct inst *store)
{
    struct load_store_queue *const lsq = &cpu->lsq;
    uint64_t const line = store->address / cpu->line_bytes;

    if (lsq->store_ports_used >= cpu->params.store_ports || (cpu->params.store_lines > 0 && !may_write(cpu, line)))
        return false;
    if (!combine(cpu, store)) {
        lsq->store_blocked = true;
        return false;
    }
    lsq->store_blocked = false;
    note_written(lsq, line);
    lsq->write_place++;
    store->state |= INST_SENT_STORE;
    store->store_cyc = core_coming_cycle(cpu);
    complete_store(cpu, store);
    cpu->changed = true;
    return true;
}

static bool is_combined(const struct detailed_cpu *cpu, const struct inst *store)
{
    return cpu->lsq.combining.count > 0 && store->flags & UOP_STREAMING && parts_of(cpu, store) == 1;
}

/* True: write_place has moved on. */
static bool send_store(struct detailed_cpu *cpu, struct inst *store)
{
    struct load_store_queue *const lsq = &cpu->lsq;
    bool is_first = store->parts_sent == 0 && !lsq->store_blocked;

    if (store->size_bytes == 0 || (is_conditional(store) && is_first && !reservation_holds(lsq, store))) {
        lsq->write_place++;
        store->store_cyc = core_coming_cycle(cpu);
        if (!(store->flags & UOP_STORE) || is_conditional(store))
            lsq_finish_behind(cpu, store);
        complete_store(cpu, store);
        return true;
    }
    if (store->parts_sent == 0 && is_combined(cpu, store))
        return combine_store(cpu, store);
    if (!send_all(cpu, store)) {
        lsq->store_blocked = true;
        return false;
    }
    lsq->store_blocked = false;
    lsq->write_place++;
    store->state |= INST_SENT_STORE;
    store->store_cyc = core_coming_cycle(cpu);
    if (cpu->params.release_sent && (store->flags & (UOP_STORE | UOP_LINKED | UOP_ATOMIC)) == UOP_STORE)
        complete_store(cpu, store);
    else
        lsq_store_was_sent(cpu, store);
    cpu->changed = true;
    return true;
}

void lsq_write_back(struct detailed_cpu *cpu)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    while (lsq->to_write_back > 0 && lsq->write_place < lsq->store_tail) {
        struct inst *const store = store_at(lsq, lsq->write_place);

        if (!inst_is(store, INST_CAN_WRITE_BACK))
            return;
        if (is_conditional(store) && lsq->write_place != lsq->store_head)
            return;
        if (!send_store(cpu, store))
            return;
    }
}

/* ---- the L1D calls */
bool lsq_response(struct detailed_cpu *cpu, struct packet *packet)
{
    struct inst *inst;

    sim_log(cpu->sim, cpu->data_name, "recv", packet->command, packet->request.address);
    if (lsq_answers_nothing(packet)) {
        packet_give(cpu->sim->packets, packet);
        return true;
    }
    inst = &cpu->pool[packet->request.sequence];
    packet_give(cpu->sim->packets, packet);
    if (--inst->packets_left == 0 && inst->parts_sent == parts_of(cpu, inst)) {
        if (inst->flags & UOP_LOAD) {
            if (!inst_is(inst, INST_SQUASHED | INST_EXECUTED)) {
                inst->state |= INST_EXECUTED;
                iew_send_to_commit(cpu, inst);
            }
        } else {
            if ((inst->flags & UOP_ATOMIC) || is_conditional(inst))
                finish_result(cpu, inst);
            if (!inst_is(inst, INST_COMPLETE_STORE))
                complete_store(cpu, inst);
        }
    }
    inst_drop(cpu, inst);
    core_wake(cpu);
    return true;
}

/* Loads that were refused may try again. */
static void retry_loads(struct load_store_queue *lsq)
{
    if (!lsq->blocked)
        return;
    *lsq->retried_end = lsq->blocked;
    lsq->retried_end = lsq->blocked_end;
    lsq->blocked = NULL;
    lsq->blocked_end = &lsq->blocked;
}

void lsq_begin(struct detailed_cpu *cpu)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    if (lsq->load_ports_used >= cpu->params.load_ports && !lsq->cache_blocked)
        retry_loads(lsq);
    lsq->load_ports_used = lsq->store_ports_used = lsq->lines_written = 0;
}

void lsq_retry(struct detailed_cpu *cpu)
{
    struct load_store_queue *const lsq = &cpu->lsq;

    retry_loads(lsq);
    lsq->cache_blocked = false;
    send_full_lines(cpu);
    if (lsq->store_blocked && lsq->write_place < lsq->store_tail)
        send_store(cpu, store_at(lsq, lsq->write_place));
    core_wake(cpu);
}
