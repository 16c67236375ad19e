/* LD/ST unit of an SM with its L1 (gpu-traces 8.3, 9, 10).
 *
 * Modelled: one memory instruction at a time, in the order of issue. Shared memory: latency and conflict cycles. Global
 * and local memory: coalesced into requests; each cycle as many enter the L1 as find a bank of their own, in order, up
 * to the first that does not; after the L1's latency a request looks at the tags; one that finds no room there tries
 * again, and its bank waits. Requests of the L1 to the level below go through the miss queue, one a cycle. Accesses
 * past the L1, one request a cycle, go straight to memory. Scalar loads (GCN3) have a small cache of their own. A
 * warp's access is done when its last request is answered; stores when they are acknowledged.
 * Data from below are written to registers one request a cycle, also those that waited for one sector together. Not
 * modelled: the shared-memory writes of LDGSTS.
 *
 * Times: an instruction that issues in cycle t can be taken in t + pipeline - 1. A request that a bank took in cycle t
 * looks at the tags in t + latency, and a hit can be used then; requests of the L1 leave one cycle later. A bank whose
 * head found no room is not looked at until something has changed. */
#include <stdlib.h>

#include "base/hints.h"
#include "base/list.h"
#include "replay/gpu/gpu_machine.h"

/* The receiver of an answer: the token's three lowest bits, for a shader array with its part above FOR_ARRAY. The rest
 * is the op, its place in the reorder buffer, or the MSHR of a fetch. */
enum { FOR_OP, FOR_L1, FOR_SCALAR, FOR_NO_WARP, FOR_PLACE, FOR_ARRAY };

enum { L1_DATA_BANKS = 32, L1_TOKEN_BITS = 3 };

static uint64_t token_of(uint32_t op, unsigned purpose)
{
    return (uint64_t)op << L1_TOKEN_BITS | purpose;
}

uint64_t gpu_array_token(enum gpu_array_part part, uint32_t mshr)
{
    return token_of(mshr, FOR_ARRAY + (unsigned)part);
}

/* The place `offset` behind `head` in a ring; offset <= room. */
static uint32_t ring_at(uint32_t head, uint32_t offset, uint32_t room)
{
    uint32_t const at = head + offset;

    return at < room ? at : at - room;
}

/* ---- operations */

uint32_t gpu_ldst_take_op(struct gpu_sm *sm)
{
    uint32_t op = sm->free_op;

    if (op != GPU_NO_OP) {
        sm->free_op = sm->ops[op].next_free;
        return op;
    }
    if (!list_fit(&sm->ops, sm->ops_used + 1, &sm->op_room, sizeof *sm->ops)) {
        gpu_run_fail(sm->machine->run, fault_make(FAULT_MEMORY, "out of memory for accesses of an SM"));
        return GPU_NO_OP;
    }
    return sm->ops_used++;
}

/* A store that had left is acknowledged: its kernel may end. */
static void finish_store(struct gpu_sm *sm, const struct gpu_op *op, uint64_t from_cyc)
{
    if (--op->kernel->stores > 0 || op->kernel->resident > 0)
        return;
    sm->machine->commands_cyc = min_u64(sm->machine->commands_cyc, from_cyc);
    sm_rouse(sm, from_cyc);
}

/* All of an access is done by from_cyc or, where that is later, by the end of its parts whose end was known. */
static void finish_for_warp(struct gpu_sm *sm, const struct gpu_op *op, uint64_t from_cyc)
{
    struct gpu_warp *const warp = &sm->warps[op->slot];
    struct gpu_running *const running = warp->resident->kernel;
    const struct gpu_decoded *const decoded = &running->decoded[op->inst->index];
    const uint16_t *const registers = &running->registers[decoded->registers_at];
    uint64_t const when_cyc = max_u64(from_cyc, op->known_cyc);
    uint32_t const slot = op->slot;

    for (unsigned i = 0; i < decoded->destination_count; i++)
        sm->registers[slot][registers[i]] = when_cyc;
    if (running->pcs && decoded->cls != GPU_CLASS_STORE)
        running->pcs[op->inst->index].latency_cyc += when_cyc - op->issue_cyc;
    warp->memory_cyc = max_u64(warp->memory_cyc, when_cyc);
    warp->outstanding--;
    if (decoded->is_copy_to_shared)
        warp->copies_left[op->copy_group]--;
    switch (warp->state) {
    case GPU_WARP_REGISTERS:
    case GPU_WARP_FENCE:
    case GPU_WARP_GROUPS:
    case GPU_WARP_EXITING:
        gpu_warp_plan(sm, slot, from_cyc);
        break;
    default:
        break;
    }
}

static void finish_op(struct gpu_sm *sm, uint32_t number, uint64_t from_cyc)
{
    struct gpu_op *const op = &sm->ops[number];

    if (op->has_left)
        finish_store(sm, op, from_cyc);
    else
        finish_for_warp(sm, op, from_cyc);
    op->is_used = false;
    op->next_free = sm->free_op;
    sm->free_op = number;
}

static void finish_request(struct gpu_sm *sm, uint32_t number, uint64_t from_cyc)
{
    struct gpu_op *const op = &sm->ops[number];

    op->known_cyc = max_u64(op->known_cyc, from_cyc);
    if (--op->left == 0)
        finish_op(sm, number, from_cyc);
}

/* Data from below are written to registers as many requests a cycle as the port moves, after the pipeline's depth. */
static void write_back(struct gpu_sm *sm, uint32_t number, uint64_t from_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    uint64_t const soonest_cyc = from_cyc + sm->machine->params.sm.pipeline_cyc;
    uint64_t const next_cyc = ldst->write_back_cyc + (++ldst->write_backs >= sm->machine->params.icnt_packets);

    if (max_u64(next_cyc, soonest_cyc) > ldst->write_back_cyc)
        ldst->write_backs = 0;
    ldst->write_back_cyc = max_u64(next_cyc, soonest_cyc);
    finish_request(sm, number, ldst->write_back_cyc);
}

void gpu_ldst_finish_part(struct gpu_sm *sm, uint32_t op, uint64_t cyc)
{
    finish_request(sm, op, cyc);
}

/* ---- towards memory */

static void ldst_send(struct gpu_sm *sm, const struct gpu_request *request)
{
    if (request->kind == GPU_READ)
        request->counts->to_l2_reads++;
    else
        request->counts->to_l2_writes++;
    gpu_memory_send(sm->machine->run->memory, request);
}

static void queue_miss(struct gpu_sm *sm, const struct sector_send *miss, uint64_t byte_mask, uint64_t token,
                       uint64_t now_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;

    if (ldst->miss_count == ldst->miss_room) {
        uint32_t const room = 2 * ldst->miss_room;
        struct gpu_miss *const grown = malloc(room * sizeof *grown);

        if (!grown) {
            gpu_run_fail(sm->machine->run, fault_make(FAULT_MEMORY, "out of memory for misses of an L1"));
            return;
        }
        for (uint32_t i = 0; i < ldst->miss_count; i++)
            grown[i] = ldst->misses[ring_at(ldst->miss_head, i, ldst->miss_room)];
        free(ldst->misses);
        ldst->misses = grown;
        ldst->miss_room = room;
        ldst->miss_head = 0;
    }
    ldst->misses[ring_at(ldst->miss_head, ldst->miss_count++, ldst->miss_room)] = (struct gpu_miss){
        .request = {
            .address = miss->address, .byte_mask = byte_mask, .token = token, .counts = miss->owner,
            .bytes = miss->bytes, .sm = (uint16_t)sm->number, .kind = miss->is_write ? GPU_WRITE : GPU_READ,
        },
        .queued_cyc = now_cyc,
    };
}

static uint64_t send_misses(struct gpu_sm *sm, uint64_t now_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;

    for (uint64_t i = 0; i < sm->machine->params.icnt_packets && ldst->miss_count > 0; i++) {
        struct gpu_miss *const miss = &ldst->misses[ldst->miss_head];

        if (miss->queued_cyc >= now_cyc)
            return now_cyc + 1;
        if (!gpu_memory_has_room(sm->machine->run->memory, sm->number))
            return CYC_NEVER;
        ldst_send(sm, &miss->request);
        ldst->miss_head = ring_at(ldst->miss_head, 1, ldst->miss_room);
        ldst->miss_count--;
        ldst->has_changed = true;
    }
    return ldst->miss_count ? now_cyc + 1 : CYC_NEVER;
}

/* ---- the L1 */

static void count_outcome(struct gpu_counts *counts, enum sector_outcome outcome, bool is_write)
{
    if (is_write) {
        counts->l1_writes++;
        counts->l1_write_hits += outcome == SECTOR_HIT;
        return;
    }
    counts->l1_reads++;
    switch (outcome) {
    case SECTOR_HIT: counts->l1_read_hits++; break;
    case SECTOR_HIT_RESERVED: counts->l1_read_pending_hits++; break;
    case SECTOR_MISS: counts->l1_read_misses++; break;
    case SECTOR_SECTOR_MISS: counts->l1_read_sector_misses++; break;
    case SECTOR_RESERVATION_FAIL: break;
    }
}

static uint64_t all_bytes(const struct sector_send *miss)
{
    return miss->bytes < 64 ? (UINT64_C(1) << miss->bytes) - 1 : UINT64_MAX;
}

/* Queues the cache's requests for an access to `byte_mask` of a sector; returns the number of write acknowledgements
 * that the op will get. */
static unsigned queue_sends(struct gpu_sm *sm, const struct sector_result *result, uint64_t byte_mask, uint32_t op,
                            unsigned fill, uint64_t now_cyc)
{
    unsigned writes = 0;

    for (unsigned i = 0; i < result->send_count; i++) {
        const struct sector_send *const miss = &result->sends[i];

        if (!miss->is_write) {
            queue_miss(sm, miss, all_bytes(miss), token_of(miss->mshr, fill), now_cyc);
        } else if (miss->is_write_back || op == GPU_NO_OP) {
            queue_miss(sm, miss, all_bytes(miss), token_of(0, FOR_NO_WARP), now_cyc);
        } else {
            queue_miss(sm, miss, byte_mask, token_of(op, gpu_has_reorder(sm) ? FOR_PLACE : FOR_OP), now_cyc);
            writes++;
        }
    }
    return writes;
}

static unsigned miss_room(const struct gpu_sm *sm)
{
    uint64_t const room = sm->machine->params.l1.cache.miss_queue;

    return sm->ldst.miss_count < room ? (unsigned)(room - sm->ldst.miss_count) : 0;
}

/* False: no room for it now. */
static bool access_l1(struct gpu_sm *sm, const struct gpu_l1_entry *entry, uint64_t now_cyc)
{
    uint32_t const op = gpu_op_of(sm, entry->op);
    struct gpu_counts *const counts = &sm->ops[op].kernel->result->counts;
    struct sector_result result;
    unsigned writes;

    sector_cache_access(sm->ldst.l1, &(struct sector_access){
        .address = entry->address, .byte_mask = entry->byte_mask, .token = entry->op, .owner = counts,
        .is_write = entry->is_write, .is_local = entry->is_local, .is_atomic = entry->is_atomic,
    }, miss_room(sm), &result);
    if (result.outcome == SECTOR_RESERVATION_FAIL)
        return false;
    count_outcome(counts, result.outcome, entry->is_write);
    if (sm->machine->watch != NULL && !entry->is_write)
        gpu_watch_read(&sm->machine->watch->sms[sm->number].l1, result.outcome == SECTOR_HIT);
    writes = queue_sends(sm, &result, entry->byte_mask, entry->op, FOR_L1, now_cyc);
    /* In order there is one answer: that of the write below, or of the L1. */
    if (gpu_has_reorder(sm)) {
        if (!result.is_waiting && writes == 0)
            gpu_reorder_answer(sm, entry->op, now_cyc + sm->machine->params.l1.data_latency_cyc);
        return true;
    }
    sm->ops[op].left += writes;
    if (!result.is_waiting)
        finish_request(sm, op, now_cyc + sm->machine->params.l1.data_latency_cyc);
    return true;
}

/* The bank's oldest request looks at the tags. */
static void step_bank(struct gpu_sm *sm, struct gpu_bank *bank, uint64_t now_cyc)
{
    const struct gpu_l1_entry *const head = &bank->entries[bank->head];
    uint64_t const enter_cyc = gpu_has_reorder(sm) ? gpu_reorder_enter_cyc(sm, head->op, now_cyc) : now_cyc;

    if (bank->blocked_cyc != CYC_NEVER)
        sm->ops[gpu_op_of(sm, head->op)].kernel->result->counts.l1_retries += now_cyc - bank->blocked_cyc;
    bank->blocked_cyc = bank->due_cyc = CYC_NEVER;
    if (enter_cyc > now_cyc) {
        bank->due_cyc = enter_cyc;
        bank->blocked_cyc = now_cyc;
        return;
    }
    if (!access_l1(sm, head, now_cyc)) {
        bank->blocked_cyc = now_cyc;
        return;
    }
    bank->head = ring_at(bank->head, 1, sm->ldst.bank_room);
    if (--bank->count)
        bank->due_cyc = max_u64(bank->entries[bank->head].tag_cyc, now_cyc + 1);
}

static void step_banks(struct gpu_sm *sm, uint64_t now_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    uint64_t const banks = sm->machine->params.l1.banks;
    uint64_t next_cyc = CYC_NEVER;

    if (ldst->banks_cyc > now_cyc && !ldst->has_changed)
        return;
    for (uint64_t i = 0; i < banks; i++) {
        struct gpu_bank *const bank = &ldst->banks[i];

        if (bank->due_cyc <= now_cyc || (ldst->has_changed && bank->blocked_cyc != CYC_NEVER))
            step_bank(sm, bank, now_cyc);
        next_cyc = min_u64(next_cyc, bank->due_cyc);
    }
    ldst->banks_cyc = next_cyc;
    ldst->has_changed = false;
}

/* ---- one instruction at a time */

static struct lane_access lane_access(const struct gpu_lanes *lanes, uint64_t present,
                                      const struct gpu_decoded *decoded)
{
    return (struct lane_access){
        .addresses = lanes->addresses, .lanes = present, .width_bytes = decoded->width_bytes,
        .is_atomic = decoded->cls == GPU_CLASS_ATOMIC,
    };
}

/* Adds to `count` requests. Words of a thread's local memory are apart, those of its neighbours side by side. */
static unsigned coalesce_local(const struct gpu_sm *sm, struct gpu_lanes *lanes, struct lane_access access,
                               unsigned count)
{
    uint64_t const stride = 4 * sm->machine->params.sm.max_threads * sm->machine->sm_count;
    uint32_t const words = access.width_bytes > 4 ? access.width_bytes / 4 : 1;
    struct coalesced *const requests = sm->ldst.requests;

    access.width_bytes = (uint32_t)min_u64(access.width_bytes, 4);
    for (uint32_t word = 0; word < words && count <= COALESCE_MAX_ACCESSES - GPU_MAX_LANES; word++) {
        count += coalesce(sm->machine->params.coalescing, &access, requests + count);
        for (uint64_t left = access.lanes; left; left &= left - 1)
            lanes->addresses[__builtin_ctzll(left)] += stride;
    }
    return count;
}

/* Counts an access to shared memory; the answer is how many cycles it takes. */
static uint64_t count_shared(struct gpu_sm *sm, struct gpu_running *running, const struct gpu_inst *inst,
                             struct gpu_lanes *lanes)
{
    const struct gpu_sm_params *const params = &sm->machine->params.sm;
    struct lane_access const access = lane_access(lanes, lanes->shared, &running->decoded[inst->index]);
    uint64_t const cycles = shared_memory_cycles(&access, (unsigned)params->shared_banks, params->shared_first_word,
                                                 running->warp_size > 32 ? 2 : 1);

    running->result->counts.shared_accesses++;
    running->result->counts.shared_conflict_cycles += cycles ? cycles - 1 : 0;
    if (running->pcs)
        running->pcs[inst->index].sectors += cycles;
    return cycles;
}

static void start_global(struct gpu_sm *sm, struct gpu_op *op, const struct gpu_decoded *decoded,
                         struct gpu_lanes *lanes)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    const struct gpu_params *const params = &sm->machine->params;
    struct gpu_running *const running = op->kernel;
    struct lane_access access = lane_access(lanes, lanes->global, decoded);
    struct gpu_counts *const counts = &running->result->counts;
    uint32_t const line_bytes = params->coalescing == COALESCE_LINES ? 64 : 128;

    ldst->current_past_l1 = decoded->past_l1 || decoded->cls == GPU_CLASS_ATOMIC || params->l1.skip_global
                            || params->l1.is_absent;
    ldst->current_is_local = lanes->global == 0;
    if (ldst->current_is_local)
        ldst->current_past_l1 = params->l1.is_absent;
    counts->lines += coalesce_count_lines(&access, line_bytes);
    ldst->turns = 0;
    if (params->l1.tag_banks && !ldst->current_past_l1)
        ldst->turns = max_u64(coalesce_tag_cycles(&access, (unsigned)params->l1.tag_banks),
                              shared_memory_cycles(&access, L1_DATA_BANKS, false, running->warp_size > 32 ? 2 : 1));
    ldst->request_count = coalesce(params->coalescing, &access, ldst->requests);
    /* Where generic lanes lie in both, those in local memory go the way of the others. */
    if (lanes->local) {
        access.lanes = lanes->local;
        counts->lines += coalesce_count_lines(&access, line_bytes);
        ldst->request_count = coalesce_local(sm, lanes, access, ldst->request_count);
    }
    counts->global_accesses++;
    if (running->pcs)
        running->pcs[op->inst->index].sectors += ldst->request_count;
}

/* One access of a wavefront, in lines of the scalar cache. */
static void start_scalar(struct gpu_sm *sm, const struct gpu_op *op, const struct gpu_decoded *decoded,
                         const struct gpu_lanes *lanes)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    uint64_t const address = lanes->addresses[0];

    ldst->current_is_scalar = true;
    ldst->request_count = 1;
    ldst->requests[0] = (struct coalesced){
        .address = address & ~UINT64_C(3), .bytes = (uint32_t)max_u64(decoded->width_bytes, 4), .lanes = 1,
        .byte_mask = UINT64_MAX,
    };
    op->kernel->result->counts.global_accesses++;
}

static void ldst_start(struct gpu_sm *sm, uint32_t number, uint64_t now_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    struct gpu_op *const op = &sm->ops[number];
    const struct gpu_decoded *const decoded = warp_decoded(&sm->warps[op->slot], op->inst);
    struct gpu_lanes lanes;

    gpu_space_resolve(sm, op->slot, op->inst, &lanes);
    ldst->current = number;
    ldst->request_count = ldst->request_next = 0;
    ldst->piece = 0;
    ldst->current_is_write = decoded->cls == GPU_CLASS_STORE;
    ldst->current_is_atomic = decoded->cls == GPU_CLASS_ATOMIC;
    ldst->current_is_scalar = false;
    ldst->turns = 0;
    /* The reference has no end for an access without addresses but the next cycle. */
    op->known_cyc = now_cyc + 1;
    if (lanes.shared) {
        uint64_t const cycles = count_shared(sm, op->kernel, op->inst, &lanes);

        op->known_cyc = now_cyc + sm->machine->params.sm.shared_latency_cyc + cycles;
        ldst->shared_until_cyc = now_cyc + cycles;
    }
    if (decoded->is_scalar && lanes.global)
        start_scalar(sm, op, decoded, &lanes);
    else if (lanes.global | lanes.local)
        start_global(sm, op, decoded, &lanes);
}

/* The next sector of a request: requests may be larger than sectors. */
struct piece {
    uint64_t sector, byte_mask;
};

static struct piece next_piece(const struct gpu_ldst *ldst, uint64_t sector_bytes)
{
    const struct coalesced *const request = &ldst->requests[ldst->request_next];
    uint64_t const address = request->address + ldst->piece;
    uint64_t const sector = address & ~(sector_bytes - 1);
    uint64_t const all = sector_bytes < 64 ? (UINT64_C(1) << sector_bytes) - 1 : UINT64_MAX;
    uint64_t mask = request->bytes > 64 ? UINT64_MAX : ldst->piece < 64 ? request->byte_mask >> ldst->piece : 0;

    mask = address - sector < 64 ? mask << (address - sector) : UINT64_MAX;
    return (struct piece){sector, mask & all};
}

static void advance_piece(struct gpu_ldst *ldst, uint64_t sector_bytes)
{
    const struct coalesced *const request = &ldst->requests[ldst->request_next];
    uint64_t const address = request->address + ldst->piece;

    ldst->piece += sector_bytes - (address & (sector_bytes - 1));
    if (ldst->piece >= request->bytes) {
        ldst->piece = 0;
        ldst->request_next++;
    }
}

static void send_past_l1(struct gpu_sm *sm, struct gpu_op *op)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    uint64_t const sector_bytes = sm->machine->params.l2.cache.sector_bytes;
    struct piece piece;

    ldst->is_stuck = !gpu_memory_has_room(sm->machine->run->memory, sm->number);
    if (ldst->is_stuck)
        return;
    piece = next_piece(ldst, sector_bytes);
    op->left++;
    ldst_send(sm, &(struct gpu_request){
        .address = piece.sector, .byte_mask = piece.byte_mask, .token = token_of(ldst->current, FOR_OP),
        .counts = &op->kernel->result->counts, .bytes = (uint32_t)sector_bytes, .sm = (uint16_t)sm->number,
        .kind = ldst->current_is_atomic ? GPU_ATOMIC : ldst->current_is_write ? GPU_WRITE : GPU_READ,
    });
    advance_piece(ldst, sector_bytes);
}

/* When the request looks at the tags, later by as long as its page has to be waited for. */
static uint64_t tag_cyc_of(struct gpu_sm *sm, const struct gpu_op *op, uint64_t address, uint64_t now_cyc)
{
    struct gpu_machine *const machine = sm->machine;
    uint64_t const lookup_cyc = now_cyc + machine->params.tlb.l1_latency_cyc;

    return now_cyc + machine->params.l1.cache.latency_cyc +
           gpu_machine_translate(machine, sm->number, address, lookup_cyc, &op->kernel->result->counts) -
           lookup_cyc;
}

/* Requests look at the tags in the order of tag_cyc: those whose page is known overtake those that wait for theirs. */
static void insert_entry(struct gpu_sm *sm, struct gpu_bank *bank, const struct gpu_l1_entry *entry, uint64_t now_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    uint32_t at = bank->count++;

    for (; at > 0; at--) {
        const struct gpu_l1_entry *const before = &bank->entries[ring_at(bank->head, at - 1, ldst->bank_room)];

        if (before->tag_cyc <= entry->tag_cyc || (at == 1 && bank->blocked_cyc != CYC_NEVER))
            break;
        bank->entries[ring_at(bank->head, at, ldst->bank_room)] = *before;
    }
    bank->entries[ring_at(bank->head, at, ldst->bank_room)] = *entry;
    if (at == 0) {
        bank->due_cyc = max_u64(entry->tag_cyc, now_cyc + 1);
        ldst->banks_cyc = min_u64(ldst->banks_cyc, bank->due_cyc);
    }
}

/* With tag banks the instruction has its turns, and of what enters in one any bank takes any request. */
static void send_to_banks(struct gpu_sm *sm, struct gpu_op *op, uint64_t now_cyc)
{
    const struct gpu_l1_params *const params = &sm->machine->params.l1;
    struct gpu_ldst *const ldst = &sm->ldst;
    uint64_t const most = ldst->turns ? divide_up(ldst->request_count - ldst->request_next, ldst->turns)
                                      : params->banks;
    uint64_t taken = 0;

    ldst->turns -= ldst->turns > 0;
    for (uint64_t sent = 0; sent < min_u64(most, params->banks) && ldst->request_next < ldst->request_count; sent++) {
        struct piece const piece = next_piece(ldst, params->cache.sector_bytes);
        uint64_t const place = params->tag_banks ? ldst->next_bank++ : piece.sector >> sm->machine->bank_shift;
        unsigned const number = (unsigned)(place & (params->banks - 1));
        struct gpu_bank *const bank = &ldst->banks[number];

        if (taken >> number & 1 || bank->count == ldst->bank_room ||
            (gpu_has_reorder(sm) && ldst->reorder.count == ldst->reorder.room)) {
            ldst->is_stuck = taken == 0;
            return;
        }
        taken |= UINT64_C(1) << number;
        insert_entry(sm, bank, &(struct gpu_l1_entry){
            .address = piece.sector, .byte_mask = piece.byte_mask,
            .tag_cyc = tag_cyc_of(sm, op, piece.sector, now_cyc),
            .op = gpu_has_reorder(sm) ? gpu_reorder_take(&ldst->reorder, ldst->current) : ldst->current,
            .is_write = ldst->current_is_write, .is_local = ldst->current_is_local,
        }, now_cyc);
        op->left++;
        advance_piece(ldst, params->cache.sector_bytes);
    }
    ldst->is_used = true;
}

static void send_scalar(struct gpu_sm *sm, struct gpu_op *op, uint64_t now_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    struct piece const piece = next_piece(ldst, GPU_SCALAR_LINE_BYTES);
    struct sector_result result;

    sector_cache_access(ldst->scalar, &(struct sector_access){
        .address = piece.sector, .byte_mask = piece.byte_mask, .token = ldst->current,
        .owner = &op->kernel->result->counts, .is_write = ldst->current_is_write,
    }, miss_room(sm), &result);
    if (result.outcome == SECTOR_RESERVATION_FAIL)
        return;
    op->left += result.is_waiting + queue_sends(sm, &result, piece.byte_mask, ldst->current, FOR_SCALAR,
                                                now_cyc);
    op->known_cyc = max_u64(op->known_cyc, now_cyc + sm->machine->params.sm.scalar_latency_cyc);
    advance_piece(ldst, GPU_SCALAR_LINE_BYTES);
}

/* All of the instruction is under way: the unit can take the next in the next cycle. */
static void complete_current(struct gpu_sm *sm, uint64_t now_cyc)
{
    uint32_t const number = sm->ldst.current;
    uint32_t const slot = sm->ops[number].slot;

    sm->ldst.current = GPU_NO_OP;
    if (sm->ldst.turns)
        sm->ldst.shared_until_cyc = max_u64(sm->ldst.shared_until_cyc, now_cyc + 1 + sm->ldst.turns);
    if (sm->machine->params.sm.address_latency_cyc)      /* the next one's addresses take a cycle themselves */
        sm->ldst.shared_until_cyc = max_u64(sm->ldst.shared_until_cyc, now_cyc + 2);
    else if (sm->warps[slot].state == GPU_WARP_SENDING)
        gpu_warp_plan(sm, slot, now_cyc + 1);
    if (sm->machine->params.sm.stores_leave && sm->ldst.current_is_write && sm->ldst.request_count > 0) {
        finish_for_warp(sm, &sm->ops[number], now_cyc + 1);
        sm->ops[number].has_left = true;
        sm->ops[number].kernel->stores++;
    }
    finish_request(sm, number, now_cyc);
}

static void step_current(struct gpu_sm *sm, uint64_t now_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    struct gpu_op *const op = &sm->ops[ldst->current];

    ldst->is_stuck = false;
    if (ldst->request_next < ldst->request_count) {
        if (ldst->current_is_scalar)
            send_scalar(sm, op, now_cyc);
        else if (ldst->current_past_l1)
            send_past_l1(sm, op);
        else
            send_to_banks(sm, op, now_cyc);
    }
    if (ldst->request_next == ldst->request_count)
        complete_current(sm, now_cyc);
}

/* When the unit has something to do of itself. */
static uint64_t next_step_cyc(const struct gpu_sm *sm, uint64_t now_cyc)
{
    const struct gpu_ldst *const ldst = &sm->ldst;
    uint64_t free_cyc = max_u64(now_cyc + 1, ldst->shared_until_cyc);

    if (ldst->current != GPU_NO_OP)
        return ldst->is_stuck ? CYC_NEVER : now_cyc + 1;
    if (ldst->queue_count == 0)
        return CYC_NEVER;
    return max_u64(free_cyc, sm->ops[ldst->queue[ldst->queue_head]].accept_cyc);
}

static void take_next(struct gpu_sm *sm, uint64_t now_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    uint32_t const head = ldst->queue[ldst->queue_head];

    if (sm->ops[head].accept_cyc > now_cyc)
        return;
    ldst->queue_head = ring_at(ldst->queue_head, 1, ldst->queue_room);
    ldst->queue_count--;
    sm->schedulers[sm_scheduler_of(sm->machine, sm->ops[head].slot)].memory_queued--;
    ldst_start(sm, head, now_cyc);
    if (sm->machine->params.sm.address_latency_cyc && sm->warps[sm->ops[head].slot].state == GPU_WARP_SENDING)
        gpu_warp_plan(sm, sm->ops[head].slot, now_cyc);
}

uint64_t gpu_ldst_cycle(struct gpu_sm *sm, uint64_t now_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    uint64_t next_cyc = send_misses(sm, now_cyc);

    step_banks(sm, now_cyc);
    if (ldst->current == GPU_NO_OP && ldst->queue_count && ldst->shared_until_cyc <= now_cyc)
        take_next(sm, now_cyc);
    if (ldst->current != GPU_NO_OP)
        step_current(sm, now_cyc);
    if (ldst->miss_count && gpu_memory_has_room(sm->machine->run->memory, sm->number))
        next_cyc = now_cyc + 1;
    next_cyc = min_u64(next_cyc, ldst->banks_cyc);
    return min_u64(next_cyc, next_step_cyc(sm, now_cyc));
}

void gpu_ldst_accept(struct gpu_sm *sm, uint32_t slot, const struct gpu_inst *inst, uint64_t now_cyc)
{
    struct gpu_ldst *const ldst = &sm->ldst;
    struct gpu_warp *const warp = &sm->warps[slot];
    const struct gpu_sm_params *const params = &sm->machine->params.sm;
    uint64_t const depth_cyc = params->address_latency_cyc ? params->address_latency_cyc
                               : params->pipeline_cyc > 1 ? params->pipeline_cyc - 1 : 1;
    uint32_t const number = gpu_ldst_take_op(sm);

    if (number == GPU_NO_OP)
        return;
    sm->ops[number] = (struct gpu_op){
        .issue_cyc = now_cyc, .accept_cyc = now_cyc + depth_cyc, .inst = inst, .slot = slot,
        .left = 1, .copy_group = warp->copy_group, .is_used = true, .kernel = warp->resident->kernel,
    };
    if (warp_decoded(warp, inst)->is_copy_to_shared)
        warp->copies_left[warp->copy_group]++;
    ldst->queue[ring_at(ldst->queue_head, ldst->queue_count++, ldst->queue_room)] = number;
    sm->schedulers[sm_scheduler_of(sm->machine, slot)].memory_queued++;
    sm_wake(sm, sm->ops[number].accept_cyc);
}

void gpu_ldst_access_shared(struct gpu_sm *sm, uint32_t slot, const struct gpu_inst *inst)
{
    struct gpu_lanes lanes;

    gpu_space_resolve(sm, slot, inst, &lanes);
    if (lanes.shared)
        count_shared(sm, sm->warps[slot].resident->kernel, inst, &lanes);
}

/* ---- answers, and ends of kernels */

static void ldst_fill(struct gpu_sm *sm, struct sector_cache *cache, uint64_t address, uint64_t from_cyc)
{
    uint64_t *const tokens = sm->machine->tokens;
    struct sector_result result;
    unsigned const count = sector_cache_fill(cache, address, tokens, &result);

    queue_sends(sm, &result, 0, GPU_NO_OP, FOR_L1, from_cyc - 1);
    for (unsigned i = 0; i < count; i++)
        if (gpu_has_reorder(sm) && cache == sm->ldst.l1)
            gpu_reorder_answer(sm, (uint32_t)tokens[i], from_cyc);
        else
            write_back(sm, (uint32_t)tokens[i], from_cyc);
    sm->ldst.has_changed = true;
    sm_rouse(sm, from_cyc);
}

void gpu_ldst_prefetch_hint(const struct gpu_sm *sm, const struct gpu_request *request)
{
    uint32_t const number = (uint32_t)(request->token >> L1_TOKEN_BITS);

    switch (request->token & ((1 << L1_TOKEN_BITS) - 1)) {
    case FOR_OP:
        PREFETCH(&sm->ops[number]);
        break;
    case FOR_L1:
        PREFETCH(sector_cache_mshr_at(sm->ldst.l1, number));
        PREFETCH(sector_cache_line_at(sm->ldst.l1, request->address));
        break;
    default:
        break;
    }
}

void gpu_ldst_answer(struct gpu_sm *sm, const struct gpu_request *request, uint64_t from_cyc)
{
    switch (request->token & ((1 << L1_TOKEN_BITS) - 1)) {
    case FOR_OP:
        if (request->kind == GPU_WRITE)
            finish_request(sm, (uint32_t)(request->token >> L1_TOKEN_BITS), from_cyc);
        else
            write_back(sm, (uint32_t)(request->token >> L1_TOKEN_BITS), from_cyc);
        break;
    case FOR_PLACE:
        gpu_reorder_answer(sm, (uint32_t)(request->token >> L1_TOKEN_BITS), from_cyc);
        sm->ldst.has_changed = true;
        sm_rouse(sm, from_cyc);
        break;
    case FOR_L1:
        ldst_fill(sm, sm->ldst.l1, request->address, from_cyc);
        break;
    case FOR_SCALAR:
        ldst_fill(sm, sm->ldst.scalar, request->address, from_cyc);
        break;
    case FOR_ARRAY + GPU_ARRAY_INST:
    case FOR_ARRAY + GPU_ARRAY_SCALAR:
        gpu_array_answer(sm, (enum gpu_array_part)((request->token & ((1 << L1_TOKEN_BITS) - 1)) - FOR_ARRAY),
                         request->address, from_cyc);
        break;
    default:
        break;
    }
}

bool gpu_ldst_can_flush(const struct gpu_sm *sm)
{
    return sector_cache_outstanding(sm->ldst.l1) == 0 && sector_cache_outstanding(sm->ldst.scalar) == 0;
}

static void send_flushed(void *context, const struct sector_send *flushed)
{
    struct gpu_sm *const sm = context;

    queue_miss(sm, flushed, all_bytes(flushed), token_of(0, FOR_NO_WARP), sm->machine->now_cyc);
    sm_rouse(sm, sm->machine->now_cyc + 1);
}

void gpu_ldst_flush(struct gpu_sm *sm)
{
    sector_cache_flush(sm->ldst.l1, send_flushed, sm);
    sector_cache_flush(sm->ldst.scalar, NULL, NULL);
    sm->ldst.is_used = false;
}
