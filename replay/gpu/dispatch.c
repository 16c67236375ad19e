/* Blocks to SMs (gpu-traces 11; macsim-traces 5).
 *
 * Modelled: how many blocks of a kernel an SM holds; the L1's share of unified memory; each cycle every SM may take one
 * block, in turn, as long as it has threads, registers, shared memory and neighbouring warp slots for it; blocks in the
 * order of the file. A kernel that has begun to dispatch blocks continues until it has none left; then kernels of
 * other streams fill the free resources. With dispatch_pause one block at a time, and a pause after it; with
 * at most dispatch_blocks in a cycle. A block's first instruction comes block_latency after it was placed. */
#include "replay/gpu/gpu_machine.h"

/* ---- limits of a kernel */

static void limit_to(struct gpu_kernel_result *result, uint64_t blocks, enum gpu_limit limit)
{
    if (blocks < result->blocks_per_sm) {
        result->blocks_per_sm = (uint32_t)blocks;
        result->limit = limit;
    }
}

static struct fault does_not_fit(const struct gpu_machine *machine, const struct gpu_running *running)
{
    const struct gpu_sm_params *const params = &machine->params.sm;
    const struct gpu_header *const header = &running->kernel.header;

    return fault_make(FAULT_INPUT, "%.160s: a block of %llu threads with %u registers each and %llu bytes of shared "
                      "memory does not fit into an SM with %llu threads, %llu registers, %llu bytes; raise "
                      "gpu.sm.%s or take a configuration of the GPU that was traced", running->result->file,
                      (unsigned long long)gpu_header_threads(header), header->nregs,
                      (unsigned long long)header->shmem_bytes, (unsigned long long)params->max_threads,
                      (unsigned long long)params->registers, (unsigned long long)params->shared_bytes,
                      running->result->limit == GPU_LIMIT_THREADS ? "max_threads"
                      : running->result->limit == GPU_LIMIT_REGISTERS ? "registers" : "shared");
}

/* The smallest size of shared memory that suffices for the kernel's blocks. */
static uint64_t shared_option(const struct gpu_l1_params *params, uint64_t needed)
{
    uint64_t option = params->shared_options[0];

    for (unsigned i = 1; i < GPU_SHARED_OPTIONS && params->shared_options[i] && option < needed; i++)
        option = params->shared_options[i];
    return option;
}

static uint64_t l1_ways(const struct gpu_l1_params *params, uint64_t shared_needed)
{
    uint64_t const way_bytes = params->cache.sets * params->cache.line_bytes;
    uint64_t const full = params->unified_bytes / way_bytes;
    uint64_t const shared = shared_option(params, shared_needed);
    uint64_t const left = params->unified_bytes > shared ? params->unified_bytes - shared : 0;

    if (!params->adaptive || full == 0)
        return params->cache.ways;
    return max_u64((full * left + params->unified_bytes / 2) / params->unified_bytes, 1);
}

struct fault gpu_dispatch_limits(struct gpu_machine *machine, struct gpu_running *running)
{
    const struct gpu_params *const params = &machine->params;
    const struct gpu_header *const header = &running->kernel.header;
    struct gpu_kernel_result *const result = running->result;
    uint64_t const blocks = (uint64_t)header->grid[0] * header->grid[1] * header->grid[2];

    running->padded_threads = round_up(max_u64(gpu_header_threads(header), 1), running->warp_size);
    running->block_registers = running->padded_threads * round_up(header->nregs, 4);
    result->blocks_per_sm = UINT32_MAX;
    limit_to(result, params->sm.max_threads / running->padded_threads, GPU_LIMIT_THREADS);
    if (header->shmem_bytes)
        limit_to(result, params->sm.shared_bytes / header->shmem_bytes, GPU_LIMIT_SHARED);
    if (running->block_registers)
        limit_to(result, params->sm.registers / running->block_registers, GPU_LIMIT_REGISTERS);
    limit_to(result, params->sm.max_blocks, GPU_LIMIT_BLOCKS);
    if (header->max_blocks)
        limit_to(result, header->max_blocks, GPU_LIMIT_TRACE);
    if (result->blocks_per_sm == 0)
        return does_not_fit(machine, running);
    if (blocks)
        limit_to(result, divide_up(blocks, machine->sm_count), GPU_LIMIT_GRID);
    running->l1_ways = l1_ways(&params->l1, result->blocks_per_sm * header->shmem_bytes);
    result->l1_bytes = params->l1.cache.sets * params->l1.cache.line_bytes * running->l1_ways;
    return fault_none();
}

/* ---- placing */

static uint32_t residents_of(const struct gpu_sm *sm, const struct gpu_running *running)
{
    uint32_t count = 0;

    for (uint32_t i = 0, seen = 0; seen < sm->resident_count; i++) {
        seen += sm->residents[i].kernel != NULL;
        count += sm->residents[i].kernel == running;
    }
    return count;
}

static bool dispatch_fits(const struct gpu_sm *sm, const struct gpu_running *running)
{
    const struct gpu_sm_params *const params = &sm->machine->params.sm;
    uint32_t const warps = running->next_block->warp_count;
    uint64_t const threads = max_u64(running->padded_threads, (uint64_t)warps * running->warp_size);

    if (sm->resident_count >= params->max_blocks || sm->threads_used + threads > params->max_threads ||
        sm->shared_used + running->kernel.header.shmem_bytes > params->shared_bytes ||
        sm->registers_used + running->block_registers > params->registers)
        return false;
    if (sm->resident_count >= running->result->blocks_per_sm &&
        residents_of(sm, running) >= running->result->blocks_per_sm)
        return false;
    return gpu_sm_find_slots(sm, warps) < sm->machine->slot_count;
}

/* An SM without blocks gets the L1 that the kernel wants. False: not yet, something is on its way. */
static bool prepare_l1(struct gpu_sm *sm, const struct gpu_running *running)
{
    bool const is_new = sm->l1_owner != running->result->number && sm->machine->params.l1.flush;

    if (!is_new && sm->l1_ways == running->l1_ways)
        return true;
    if (!gpu_ldst_can_flush(sm))
        return false;
    if (sm->ldst.is_used)
        gpu_ldst_flush(sm);
    if (sm->l1_ways != running->l1_ways)
        sector_cache_set_ways(sm->ldst.l1, running->l1_ways);
    sm->l1_ways = running->l1_ways;
    sm->l1_owner = running->result->number;
    return true;
}

static bool has_block(const struct gpu_running *running, uint64_t now_cyc)
{
    return running->is_launched && running->start_cyc <= now_cyc && running->next_block;
}

static struct gpu_running *select_kernel(struct gpu_machine *machine, uint64_t now_cyc)
{
    if (machine->last_kernel && has_block(machine->last_kernel, now_cyc))
        return machine->last_kernel;
    for (uint32_t i = 0; i < machine->running_count; i++)
        if (has_block(machine->running[i], now_cyc))
            return machine->running[i];
    return NULL;
}

static uint64_t next_start_cyc(const struct gpu_machine *machine, uint64_t now_cyc)
{
    uint64_t next_cyc = CYC_NEVER;

    for (uint32_t i = 0; i < machine->running_count; i++)
        if (machine->running[i]->is_launched && machine->running[i]->start_cyc > now_cyc)
            next_cyc = min_u64(next_cyc, machine->running[i]->start_cyc);
    return next_cyc;
}

void gpu_dispatch_cycle(struct gpu_machine *machine, uint64_t now_cyc)
{
    uint32_t const first = machine->last_sm + 1;
    uint64_t placed = 0;

    machine->dispatch_cyc = next_start_cyc(machine, now_cyc);
    if (now_cyc < machine->pause_cyc) {
        machine->dispatch_cyc = min_u64(machine->dispatch_cyc, machine->pause_cyc);
        return;
    }
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        struct gpu_sm *const sm = &machine->sms[(first + i) % machine->sm_count];
        struct gpu_running *const running = select_kernel(machine, now_cyc);

        if (!running)
            return;
        if (!dispatch_fits(sm, running))
            continue;
        machine->dispatch_cyc = now_cyc + 1;
        if (sm->resident_count == 0 && !prepare_l1(sm, running))
            continue;
        if (machine->arrays)
            gpu_array_prepare(sm, running->result->number);
        if (machine->params.dispatch_pause_cyc)
            machine->pause_cyc = now_cyc + 1 + max_u64(machine->params.dispatch_pause_cyc,
                                                       running->next_block->warp_count);
        gpu_sm_place(sm, running, running->next_block, now_cyc);
        running->next_block = NULL;
        machine->last_sm = sm->number;
        machine->last_kernel = running;
        machine->progress_cyc = max_u64(machine->progress_cyc, now_cyc);
        gpu_kernels_read_block(machine, running);
        if (machine->params.dispatch_pause_cyc) {
            machine->dispatch_cyc = machine->pause_cyc;
            return;
        }
        if (++placed == machine->params.dispatch_blocks)
            return;
    }
}
