/* Commands of a list, kernels from launch to end, streams (gpu-traces 11).
 *
 * Modelled: kernels of a stream run one after the other; with concurrent_streams kernels of other streams start beside
 * them, as far as the window of commands reaches. A copy happens when all before it has finished, and takes no time. A
 * kernel's first block is dispatched launch_latency after its turn; the end of the last kernel is the turn of the next.
 * The L1s are emptied at a kernel's end. Not modelled: which stream a copy belongs to (it is not traced). */
#include <stdlib.h>
#include <string.h>

#include "replay/gpu/gpu_machine.h"

enum { WINDOW = sizeof ((struct gpu_machine *)0)->running / sizeof ((struct gpu_machine *)0)->running[0] };

static uint64_t tick_of(const struct gpu_machine *machine, uint64_t cyc)
{
    return cyc * machine->clock.period_ps;
}

static bool is_picked(const struct gpu_run_options *options, uint64_t number)
{
    if (!options->picked)
        return true;
    for (size_t i = 0; i < options->picked_count; i++)
        if (number >= options->picked[i].first && number <= options->picked[i].last)
            return true;
    return false;
}

struct fault gpu_kernels_pick(struct gpu_machine *machine)
{
    uint64_t number = 0;
    size_t count = 0;

    for (size_t i = 0; i < machine->source.command_count; i++)
        if (machine->source.commands[i].kind == GPU_KERNEL)
            count += is_picked(&machine->options, ++number);
    if (machine->options.picked && count == 0)
        return fault_make(FAULT_INPUT, "no kernel of the list is among those picked; it has %llu, counted from 1",
                          (unsigned long long)number);
    machine->run->kernels = calloc(count ? count : 1, sizeof *machine->run->kernels);
    if (!machine->run->kernels)
        return fault_make(FAULT_MEMORY, "out of memory for the results of %zu kernels", count);
    machine->run->kernel_count = count;
    return fault_none();
}

/* ---- reading */

void gpu_kernels_read_block(struct gpu_machine *machine, struct gpu_running *running)
{
    struct fault fault;

    running->next_block = NULL;
    switch (machine->source.next_block(machine->source.self, &running->kernel, &running->next_block, &fault)) {
    case GPU_BLOCK:
        break;
    case GPU_NO_BLOCK:
        running->next_block = NULL;
        return;
    case GPU_FAILED:
        running->next_block = NULL;
        gpu_run_fail(machine->run, fault);
        return;
    }
    fault = gpu_decode(machine, running);
    if (fault.kind == FAULT_NONE && (running->next_block->warp_count > machine->slot_count ||
        (uint64_t)running->next_block->warp_count * running->warp_size > machine->params.sm.max_threads))
        fault = fault_make(FAULT_INPUT, "%.200s: block %u,%u,%u has %u warps, more than an SM holds; raise "
                           "gpu.sm.max_threads (now %llu)", running->result->file, running->next_block->id[0],
                           running->next_block->id[1], running->next_block->id[2], running->next_block->warp_count,
                           (unsigned long long)machine->params.sm.max_threads);
    if (fault.kind != FAULT_NONE)
        gpu_run_fail(machine->run, fault);
}

static struct fault kernels_describe(struct gpu_running *running, uint64_t number)
{
    const struct gpu_header *const header = &running->kernel.header;
    struct gpu_kernel_result *const result = running->result;

    *result = (struct gpu_kernel_result){
        .number = number, .id = header->id, .stream = header->stream, .warp_size = running->warp_size,
        .name = strdup(header->name ? header->name : ""),
        .file = strdup(running->kernel.file ? running->kernel.file : ""),
    };
    if (!result->name || !result->file)
        return fault_make(FAULT_MEMORY, "out of memory for the name of a kernel");
    memcpy(result->grid, header->grid, sizeof result->grid);
    memcpy(result->block, header->block, sizeof result->block);
    return fault_none();
}

static void free_running(struct gpu_machine *machine, struct gpu_running *running)
{
    if (running->next_block)
        machine->source.free_block(machine->source.self, running->next_block);
    machine->source.close(machine->source.self, &running->kernel);
    free(running->decoded);
    free(running->registers);
    free(running->pcs);
    free(running);
}

static struct fault open_kernel(struct gpu_machine *machine, const struct gpu_command *command, uint64_t number)
{
    struct gpu_running *const running = calloc(1, sizeof *running);
    struct fault fault;

    if (!running)
        return fault_make(FAULT_MEMORY, "out of memory for a kernel");
    if (FAILS(fault, machine->source.open(machine->source.self, command, &running->kernel))) {
        free(running);
        return fault;
    }
    running->result = &machine->run->kernels[machine->results_used++];
    running->warp_size = running->kernel.header.warp_size ? running->kernel.header.warp_size : 32;
    machine->running[machine->running_count++] = running;
    fault = kernels_describe(running, number);
    if (fault.kind == FAULT_NONE)
        fault = gpu_dispatch_limits(machine, running);
    return fault;
}

/* ---- launch and end */

static void launch(struct gpu_machine *machine, struct gpu_running *running, uint64_t turn_cyc)
{
    running->is_launched = true;
    running->launch_cyc = turn_cyc;
    running->start_cyc = turn_cyc + machine->params.launch_latency_cyc;
    running->result->launch_ps = tick_of(machine, running->launch_cyc);
    running->result->start_ps = tick_of(machine, running->start_cyc);
    machine->progress_cyc = max_u64(machine->progress_cyc, running->start_cyc);
    gpu_kernels_read_block(machine, running);
    if (running->next_block)
        machine->dispatch_cyc = min_u64(machine->dispatch_cyc, running->start_cyc);
    else
        machine->commands_cyc = min_u64(machine->commands_cyc, running->start_cyc);
}

static int by_pc(const void *a, const void *b)
{
    uint64_t const first = ((const struct gpu_pc_counts *)a)->pc, second = ((const struct gpu_pc_counts *)b)->pc;

    return first < second ? -1 : first > second;
}

static void keep_pc_counts(struct gpu_running *running)
{
    struct gpu_kernel_result *const result = running->result;
    size_t kept = 0;

    if (!running->pcs)
        return;
    for (size_t i = 0; i < running->decoded_count; i++)
        if (running->pcs[i].executions)
            running->pcs[kept++] = running->pcs[i];
    qsort(running->pcs, kept, sizeof *running->pcs, by_pc);
    result->pcs = running->pcs;
    result->pc_count = kept;
    running->pcs = NULL;
}

static void end_kernel(struct gpu_machine *machine, uint32_t at, uint64_t end_cyc)
{
    struct gpu_running *const running = machine->running[at];
    struct gpu_kernel_result *const result = running->result;

    for (uint32_t i = 0; i < machine->sm_count; i++) {
        struct gpu_sm *const sm = &machine->sms[i];

        if (machine->params.l1.flush && sm->resident_count == 0 && sm->ldst.is_used && gpu_ldst_can_flush(sm))
            gpu_ldst_flush(sm);
        if (sm->charged == result)
            sm->charged = NULL;
    }
    result->end_ps = tick_of(machine, end_cyc);
    result->cycles = end_cyc - max_u64(running->launch_cyc, machine->last_end_cyc);
    result->is_done = true;
    machine->last_end_cyc = end_cyc;
    keep_pc_counts(running);
    for (size_t i = 0; i < running->kernel.warning_count; i++)
        gpu_run_warn(machine->run, "%s", running->kernel.warnings[i]);
    if (machine->last_kernel == running)
        machine->last_kernel = NULL;
    free_running(machine, running);
    machine->running_count--;
    for (; at < machine->running_count; at++)
        machine->running[at] = machine->running[at + 1];
}

static void end_finished(struct gpu_machine *machine, uint64_t now_cyc)
{
    uint32_t at = 0;

    while (at < machine->running_count) {
        const struct gpu_running *const running = machine->running[at];

        if (running->is_launched && running->start_cyc <= now_cyc && !running->next_block && running->resident == 0 &&
            running->stores == 0)
            end_kernel(machine, at, now_cyc + 1);
        else
            at++;
    }
}

/* ---- commands */

static struct fault kernels_execute(struct gpu_machine *machine, const struct gpu_command *command)
{
    struct gpu_run *const run = machine->run;

    if (command->kind == GPU_COPY_TO_DEVICE) {
        run->copies++;
        run->copied_bytes += command->bytes;
        if (!machine->options.ignore_copies)
            gpu_memory_copy(run->memory, command->address, command->bytes);
        return fault_none();
    }
    if (command->kind == GPU_COPY_TO_HOST)
        return fault_none();
    machine->kernels_seen++;
    return is_picked(&machine->options, machine->kernels_seen) ? open_kernel(machine, command, machine->kernels_seen)
                                                                : fault_none();
}

static void read_commands(struct gpu_machine *machine)
{
    uint32_t const window = machine->params.concurrent_streams ? WINDOW : 1;

    while (machine->next_command < machine->source.command_count && machine->running_count < window) {
        const struct gpu_command *const command = &machine->source.commands[machine->next_command];
        struct fault fault;

        if (command->kind == GPU_COPY_TO_DEVICE && machine->running_count > 0)
            return;
        machine->next_command++;
        fault = kernels_execute(machine, command);
        if (fault.kind != FAULT_NONE) {
            gpu_run_fail(machine->run, fault);
            return;
        }
    }
}

static bool stream_is_busy(const struct gpu_machine *machine, uint32_t before)
{
    for (uint32_t i = 0; i < before; i++)
        if (machine->running[i]->result->stream == machine->running[before]->result->stream)
            return true;
    return false;
}

void gpu_kernels_advance(struct gpu_machine *machine, uint64_t now_cyc)
{
    uint64_t turn_cyc = machine->is_started ? now_cyc + 1 : now_cyc;

    machine->commands_cyc = CYC_NEVER;
    end_finished(machine, now_cyc);
    read_commands(machine);
    for (uint32_t i = 0; i < machine->running_count && machine->run->fault.kind == FAULT_NONE; i++)
        if (!machine->running[i]->is_launched && !stream_is_busy(machine, i))
            launch(machine, machine->running[i], turn_cyc);
    machine->is_started = true;
    if (machine->running_count == 0 && machine->next_command == machine->source.command_count)
        machine->is_done = true;
}

void gpu_kernels_close_all(struct gpu_machine *machine)
{
    while (machine->running_count)
        free_running(machine, machine->running[--machine->running_count]);
}
