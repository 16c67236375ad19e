/* Shared parts of a shader array's SMs: the instruction and the scalar cache, each with its TLB (gpu-traces 14).
 *
 * Modelled: fetches and scalar loads look into their cache when they are made, in that order; a hit is there after the
 * cache's latency, a miss goes to the L2 after its own, and later by as long as translation takes: of instructions only
 * misses are translated, of scalar loads all. Answers of each cache come in the order of requests (through a reorder
 * buffer). A request without an MSHR waits and blocks those after it. Not modelled: ports (four requests a cycle),
 * the reorder buffers' 128 entries.
 *
 * The first SM of an array is its leader: its port to the L2 is the array's, and its cycles do the array's work. */
#include <stdlib.h>

#include "base/list.h"
#include "replay/gpu/gpu_machine.h"

enum { FIRST_ENTRIES = 64 };
#define LINE_BYTES UINT64_C(64)

static struct gpu_array *array_of(const struct gpu_sm *sm)
{
    return &sm->machine->arrays[sm->number / sm->machine->params.array.sms];
}

static struct gpu_order_entry *entry_at(struct gpu_order *order, uint64_t number)
{
    return &order->entries[number & (order->room - 1)];
}

/* ---- requests to the L2 */

/* Sorted by cycle, the first at the end. */
static void send_at(struct gpu_array *array, uint64_t cyc, const struct gpu_request *request)
{
    uint32_t at = array->delayed_count;

    if (!list_fit(&array->delayed, array->delayed_count + 1, &array->delayed_room, sizeof *array->delayed)) {
        gpu_run_fail(array->machine->run, fault_make(FAULT_MEMORY, "out of memory for requests of a shader array"));
        return;
    }
    for (; at > 0 && array->delayed[at - 1].cyc <= cyc; at--)
        array->delayed[at] = array->delayed[at - 1];
    array->delayed[at] = (struct gpu_delayed){.cyc = cyc, .request = *request};
    array->delayed_count++;
    sm_rouse(&array->machine->sms[array->leader], cyc);
}

uint64_t gpu_array_cycle(struct gpu_sm *sm, uint64_t now_cyc)
{
    struct gpu_machine *const machine = sm->machine;
    struct gpu_array *const array = array_of(sm);

    if (array->leader != sm->number)
        return CYC_NEVER;
    while (array->delayed_count > 0) {
        const struct gpu_delayed *const first = &array->delayed[array->delayed_count - 1];

        if (first->cyc > now_cyc)
            return first->cyc;
        if (!gpu_memory_has_room(machine->run->memory, sm->number))
            return now_cyc + 1;
        first->request.counts->to_l2_reads++;
        gpu_memory_send(machine->run->memory, &first->request);
        array->delayed_count--;
    }
    return CYC_NEVER;
}

/* ---- answers, in order */

static void deliver(struct gpu_array *array, enum gpu_array_part part)
{
    struct gpu_order *const order = &array->orders[part];

    while (order->first < order->tried) {
        struct gpu_order_entry const entry = *entry_at(order, order->first);
        struct gpu_sm *const sm = &array->machine->sms[entry.sm];

        if (entry.done_cyc == CYC_NEVER)
            return;
        order->first++;
        order->last_cyc = max_u64(order->last_cyc, entry.done_cyc);
        if (part == GPU_ARRAY_INST)
            gpu_fetch_arrive(sm, entry.what, entry.age, entry.address, order->last_cyc);
        else
            gpu_ldst_finish_part(sm, entry.what, order->last_cyc);
    }
}

/* Looks into the cache for the requests that have not yet, as far as there is room. */
static void try_requests(struct gpu_array *array, enum gpu_array_part part, uint64_t now_cyc)
{
    const struct gpu_array_params *const params = &array->machine->params.array;
    struct gpu_order *const order = &array->orders[part];
    bool const is_inst = part == GPU_ARRAY_INST;
    uint64_t const hit_cyc = is_inst ? params->inst_latency_cyc : array->machine->params.sm.scalar_latency_cyc;

    for (; order->tried < order->next; order->tried++) {
        struct gpu_order_entry *const entry = entry_at(order, order->tried);
        uint64_t const start_cyc = max_u64(entry->start_cyc, now_cyc);
        struct sector_result result;

        sector_cache_access(array->caches[part], &(struct sector_access){
            .address = entry->address, .token = order->tried, .owner = entry->counts}, UINT32_MAX, &result);
        if (result.outcome == SECTOR_RESERVATION_FAIL)
            return;
        entry->counts->inst_misses += is_inst && result.outcome == SECTOR_MISS;
        entry->counts->scalar_misses += !is_inst && result.outcome == SECTOR_MISS;
        entry->done_cyc = result.is_waiting ? CYC_NEVER : start_cyc + hit_cyc;
        for (unsigned i = 0; i < result.send_count; i++) {
            uint64_t send_cyc = start_cyc + (is_inst ? params->inst_miss_cyc : params->scalar_miss_cyc);

            if (is_inst)
                send_cyc = gpu_machine_translate(array->machine, array->inst_tlb, entry->address, send_cyc,
                                                 entry->counts);
            send_at(array, send_cyc, &(struct gpu_request){
                .address = result.sends[i].address, .byte_mask = UINT64_MAX, .counts = entry->counts,
                .token = gpu_array_token(part, result.sends[i].mshr), .bytes = (uint32_t)LINE_BYTES,
                .sm = (uint16_t)array->leader, .kind = GPU_READ});
        }
    }
}

void gpu_array_answer(struct gpu_sm *sm, enum gpu_array_part part, uint64_t address, uint64_t from_cyc)
{
    struct gpu_array *const array = array_of(sm);
    struct gpu_order *const order = &array->orders[part];
    uint64_t *const tokens = sm->machine->tokens;
    struct sector_result result;
    unsigned const count = sector_cache_fill(array->caches[part], address, tokens, &result);

    for (unsigned i = 0; i < count; i++)
        entry_at(order, tokens[i])->done_cyc = from_cyc + sm->machine->params.array.return_latency_cyc;
    try_requests(array, part, from_cyc);
    deliver(array, part);
}

/* ---- new requests */

static struct fault order_grow(struct gpu_order *order)
{
    uint64_t const room = order->room ? 2 * order->room : FIRST_ENTRIES;
    struct gpu_order_entry *const entries = calloc(room, sizeof *entries);

    if (!entries)
        return fault_make(FAULT_MEMORY, "out of memory for requests of a shader array");
    for (uint64_t i = order->first; i < order->next; i++)
        entries[i & (room - 1)] = *entry_at(order, i);
    free(order->entries);
    order->entries = entries;
    order->room = room;
    return fault_none();
}

static void request(struct gpu_array *array, enum gpu_array_part part, const struct gpu_order_entry *entry,
                    uint64_t now_cyc)
{
    struct gpu_order *const order = &array->orders[part];

    if (order->next - order->first == order->room) {
        struct fault const fault = order_grow(order);

        if (fault.kind != FAULT_NONE) {
            gpu_run_fail(array->machine->run, fault);
            return;
        }
    }
    *entry_at(order, order->next++) = *entry;
    try_requests(array, part, now_cyc);
    deliver(array, part);
}

void gpu_array_fetch(struct gpu_sm *sm, uint32_t slot, uint64_t address, struct gpu_counts *counts, uint64_t now_cyc)
{
    counts->inst_fetches++;
    request(array_of(sm), GPU_ARRAY_INST, &(struct gpu_order_entry){
        .done_cyc = CYC_NEVER, .start_cyc = now_cyc, .age = sm->warps[slot].age, .address = address, .counts = counts,
        .sm = sm->number, .what = slot}, now_cyc);
}

static void load_line(struct gpu_sm *sm, uint32_t op, uint64_t address, struct gpu_counts *counts, uint64_t now_cyc)
{
    struct gpu_array *const array = array_of(sm);
    uint64_t const lookup_cyc = now_cyc + sm->machine->params.array.scalar_miss_cyc;
    uint64_t const late_cyc = gpu_machine_translate(sm->machine, array->inst_tlb + 1, address, lookup_cyc, counts)
                              - lookup_cyc;

    counts->scalar_reads++;
    request(array, GPU_ARRAY_SCALAR, &(struct gpu_order_entry){
        .done_cyc = CYC_NEVER, .start_cyc = now_cyc + late_cyc, .address = address,
        .counts = counts, .sm = sm->number, .what = op}, now_cyc);
}

void gpu_array_load(struct gpu_sm *sm, uint32_t slot, const struct gpu_inst *inst, uint64_t now_cyc)
{
    struct gpu_counts *const counts = &sm->warps[slot].resident->kernel->result->counts;
    uint32_t const number = gpu_ldst_take_op(sm);
    struct gpu_lanes lanes;
    uint64_t first, last;

    if (number == GPU_NO_OP)
        return;
    counts->global_accesses++;
    sm->ops[number] = (struct gpu_op){.issue_cyc = now_cyc, .inst = inst, .slot = slot, .left = 1, .is_used = true,
                                      .kernel = sm->warps[slot].resident->kernel};
    sm->warps[slot].outstanding++;
    gpu_space_resolve(sm, slot, inst, &lanes);
    first = lanes.addresses[0] & ~UINT64_C(3);
    last = first + max_u64(warp_decoded(&sm->warps[slot], inst)->width_bytes, 4) - 1;
    for (uint64_t line = first / LINE_BYTES; lanes.global && line <= last / LINE_BYTES; line++) {
        sm->ops[number].left++;
        load_line(sm, number, line * LINE_BYTES, counts, now_cyc);
    }
    gpu_ldst_finish_part(sm, number, now_cyc + 1);
}

/* ---- set-up */

void gpu_array_prepare(struct gpu_sm *sm, uint64_t kernel)
{
    struct gpu_array *const array = array_of(sm);

    if (array->owner == kernel)
        return;
    array->owner = kernel;
    for (unsigned part = 0; part < GPU_ARRAY_PARTS; part++)
        if (sector_cache_outstanding(array->caches[part]) == 0)
            sector_cache_flush(array->caches[part], NULL, NULL);
}

struct fault gpu_array_init(struct gpu_array *array, struct gpu_machine *machine, uint32_t number)
{
    const struct gpu_array_params *const params = &machine->params.array;
    struct sector_cache_params cache = {
        .line_bytes = LINE_BYTES, .sector_bytes = LINE_BYTES, .alloc = SECTOR_ON_MISS, .write = SECTOR_READ_ONLY,
        .write_miss = SECTOR_NO_ALLOCATE, .index = SET_LINEAR, .mshrs = params->mshrs, .merges = GPU_ARRAY_MERGES,
        .miss_queue = UINT32_MAX, .latency_cyc = 1,
    };

    *array = (struct gpu_array){.machine = machine, .leader = number * (uint32_t)params->sms,
                                .inst_tlb = machine->sm_count + 2 * number};
    for (unsigned part = 0; part < GPU_ARRAY_PARTS; part++) {
        cache.sets = part == GPU_ARRAY_INST ? params->inst_sets : params->scalar_sets;
        cache.ways = part == GPU_ARRAY_INST ? params->inst_ways : params->scalar_ways;
        FORWARD(sector_cache_init(&array->caches[part], &cache));
        FORWARD(order_grow(&array->orders[part]));
    }
    return fault_none();
}

void gpu_array_free(struct gpu_array *array)
{
    for (unsigned part = 0; part < GPU_ARRAY_PARTS; part++) {
        if (array->caches[part])
            sector_cache_free(array->caches[part]);
        free(array->orders[part].entries);
    }
    free(array->delayed);
}
