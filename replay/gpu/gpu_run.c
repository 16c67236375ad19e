/* A GPU run: set-up, the event of the core clock, answers from memory, results.
 *
 * The event looks only at SMs that are listed as active, and of these at those whose cycle has come; then it moves to
 * the earliest cycle requested. An SM without blocks and without misses leaves the list. */
#include "replay/gpu/gpu_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "replay/gpu/gpu_machine.h"

enum { EVENTS_BETWEEN_CHECKS = 1 << 16 };

#define STALL_CYC UINT64_C(10000000)

const char *gpu_limit_name(enum gpu_limit limit)
{
#define GPU_LIMIT_NAME(value, name) #name,
    static const char *const names[] = {GPU_LIMITS(GPU_LIMIT_NAME)};
#undef GPU_LIMIT_NAME

    return names[limit];
}

void gpu_counts_add(struct gpu_counts *to, const struct gpu_counts *from)
{
#define GPU_COUNTER_ADD(name, help) to->name += from->name;
    GPU_COUNTERS(GPU_COUNTER_ADD)
#undef GPU_COUNTER_ADD
}

/* ---- a list as source */

static struct fault gpu_run_open_file(void *self, const struct gpu_command *command, struct gpu_kernel *kernel)
{
    const struct gpu_list *const list = self;

    return gpu_list_kernel(kernel, list, command->file);
}

static enum gpu_step gpu_run_next_block(void *self, struct gpu_kernel *kernel, struct gpu_block **block,
                                        struct fault *error)
{
    (void)self;
    return gpu_kernel_next_block(kernel, block, error);
}

static void free_block(void *self, struct gpu_block *block)
{
    (void)self;
    gpu_block_free(block);
}

static void close_file(void *self, struct gpu_kernel *kernel)
{
    (void)self;
    gpu_kernel_close(kernel);
}

struct gpu_source gpu_source_of_list(const struct gpu_list *list)
{
    return (struct gpu_source){
        .commands = list->commands, .command_count = list->count, .open = gpu_run_open_file,
        .next_block = gpu_run_next_block,
        .free_block = free_block, .close = close_file, .self = (void *)(uintptr_t)list,
    };
}

/* ---- warnings and faults */

void gpu_run_warn(struct gpu_run *run, const char *format, ...)
{
    char text[600];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!list_fit_next(&run->warnings, run->warning_count, sizeof *run->warnings))
        return;
    run->warnings[run->warning_count] = strdup(text);
    run->warning_count += run->warnings[run->warning_count] != NULL;
}

void gpu_run_fail(struct gpu_run *run, struct fault fault)
{
    if (run->fault.kind == FAULT_NONE)
        run->fault = fault;
    event_queue_pause(&run->sim->events);
}

/* ---- cycles */

static void gpu_run_schedule(struct gpu_machine *machine, uint64_t cyc)
{
    struct event_queue *const queue = &machine->run->sim->events;
    uint64_t const when_ps = cyc * machine->clock.period_ps;

    if (machine->in_cycle || machine->is_done || machine->run->fault.kind != FAULT_NONE)
        return;
    if (!machine->cycle_event.scheduled)
        event_schedule(queue, &machine->cycle_event, when_ps);
    else if (machine->cycle_event.when_ps > when_ps)
        event_reschedule(queue, &machine->cycle_event, when_ps);
}

static void gpu_run_finish(struct gpu_machine *machine)
{
    struct gpu_run *const run = machine->run;

    run->done_ps = max_u64(machine->last_end_cyc * machine->clock.period_ps, sim_now_ps(run->sim));
    event_queue_pause(&run->sim->events);
    if (machine->options.done)
        machine->options.done(machine->options.context);
}

/* Returns the next cycle in which an SM has work. */
static uint64_t do_cycle(struct gpu_machine *machine, uint64_t now_cyc)
{
    uint64_t next_cyc;
    uint32_t kept = 0;

    machine->now_cyc = now_cyc;
    for (uint32_t i = 0; i < machine->active_count; i++) {
        struct gpu_sm *const sm = &machine->sms[machine->active[i]];

        if (sm->wake_cyc <= now_cyc)
            gpu_sm_cycle(sm, now_cyc);
    }
    if (machine->commands_cyc <= now_cyc)
        gpu_kernels_advance(machine, now_cyc);
    if (machine->dispatch_cyc <= now_cyc && machine->run->fault.kind == FAULT_NONE)
        gpu_dispatch_cycle(machine, now_cyc);
    next_cyc = min_u64(machine->commands_cyc, machine->dispatch_cyc);
    for (uint32_t i = 0; i < machine->active_count; i++) {
        struct gpu_sm *const sm = &machine->sms[machine->active[i]];

        next_cyc = min_u64(next_cyc, sm->wake_cyc);
        if (sm->wake_cyc != CYC_NEVER || sm->resident_count)
            machine->active[kept++] = machine->active[i];
        else
            sm->in_active = false;
    }
    machine->active_count = kept;
    if (machine->options.max_warp_insts && machine->warp_insts >= machine->options.max_warp_insts)
        machine->is_done = true;
    return next_cyc;
}

static void cycle_event(void *owner)
{
    struct gpu_machine *const machine = owner;
    struct event_queue *const queue = &machine->run->sim->events;
    uint64_t next_cyc;

    do {
        machine->in_cycle = true;
        next_cyc = do_cycle(machine, domain_quotient(machine->clock, queue->now_ps));
        machine->in_cycle = false;
        if (machine->is_done)
            gpu_run_finish(machine);
        if (machine->is_done || machine->run->fault.kind != FAULT_NONE || next_cyc == CYC_NEVER)
            return;
    } while (event_continue(queue, &machine->cycle_event, next_cyc * machine->clock.period_ps));
}

static uint64_t cycle_after_now(struct gpu_machine *machine)
{
    uint64_t const now_cyc = domain_quotient(machine->clock, sim_now_ps(machine->run->sim));

    machine->now_cyc = max_u64(machine->now_cyc, now_cyc);
    return now_cyc + 1;
}

static void answer(void *self, const struct gpu_request *request)
{
    struct gpu_machine *const machine = self;
    struct gpu_sm *const sm = &machine->sms[request->sm];
    uint64_t const from_cyc = cycle_after_now(machine);

    machine->progress_cyc = max_u64(machine->progress_cyc, from_cyc);
    gpu_ldst_answer(sm, request, from_cyc);
    if (machine->arrays)                 /* other SMs of the array may have been waiting for it */
        gpu_run_schedule(machine, from_cyc);
    else if (sm->wake_cyc != CYC_NEVER)
        gpu_run_schedule(machine, max_u64(sm->wake_cyc, from_cyc));
}

static void is_next(const void *self, const struct gpu_request *request)
{
    const struct gpu_machine *const machine = self;

    gpu_ldst_prefetch_hint(&machine->sms[request->sm], request);
}

static void room(void *self, unsigned number)
{
    struct gpu_machine *const machine = self;
    uint64_t const from_cyc = cycle_after_now(machine);

    sm_rouse(&machine->sms[number], from_cyc);
    gpu_run_schedule(machine, from_cyc);
}

/* ---- set-up and end */

static struct fault check_params(const struct gpu_params *params)
{
    uint64_t const warps = params->sm.max_threads / 32;

    if (params->sms == 0)
        return fault_make(FAULT_INPUT, "gpu.sms is 0: the system has no GPU; take one that has, such as rtx2060");
    if ((warps + params->sm.schedulers - 1) / params->sm.schedulers > GPU_WARPS_OF_SCHEDULER)
        return fault_make(FAULT_INPUT, "gpu.sm.max_threads is %llu: more than %d warps a scheduler; raise "
                          "gpu.sm.schedulers", (unsigned long long)params->sm.max_threads, GPU_WARPS_OF_SCHEDULER);
    if (params->units[GPU_UNIT_INT].count == 0 && params->units[GPU_UNIT_SP].count == 0)
        return fault_make(FAULT_INPUT, "gpu.units.int.count and gpu.units.sp.count are both 0; give one of them units");
    if (params->l1.tag_banks && !is_power_of_two(params->l1.tag_banks))
        return fault_make(FAULT_INPUT, "gpu.l1.tag_banks: %llu is not a power of two; give 4",
                          (unsigned long long)params->l1.tag_banks);
    if (!is_power_of_two(params->l1.banks) || !is_power_of_two(params->l1.bank_bytes))
        return fault_make(FAULT_INPUT, "gpu.l1.banks: %llu banks of %llu bytes; both must be powers of two",
                          (unsigned long long)params->l1.banks, (unsigned long long)params->l1.bank_bytes);
    if (params->l1.cache.sector_bytes > params->l2.cache.sector_bytes)
        return fault_make(FAULT_INPUT, "gpu.l1.sector is %llu bytes, larger than gpu.l2.sector; make it at most %llu",
                          (unsigned long long)params->l1.cache.sector_bytes,
                          (unsigned long long)params->l2.cache.sector_bytes);
    return fault_none();
}

/* The L1 has room for as many ways as unified memory without shared memory gives. */
static void widen_l1(struct gpu_l1_params *params)
{
    if (params->adaptive)
        params->cache.ways = max_u64(params->cache.ways,
                                     params->unified_bytes / (params->cache.sets * params->cache.line_bytes));
}

/* The SMs number the L1 TLBs of vector accesses; each array has two more. */
static struct fault make_arrays(struct gpu_machine *machine)
{
    uint64_t const sms = machine->params.array.sms;

    if (sms) {
        machine->arrays = calloc(divide_up(machine->sm_count, sms), sizeof *machine->arrays);
        if (!machine->arrays)
            return fault_make(FAULT_MEMORY, "out of memory for shader arrays");
        machine->array_count = (uint32_t)divide_up(machine->sm_count, sms);
    }
    for (uint32_t i = 0; i < machine->array_count; i++)
        FORWARD(gpu_array_init(&machine->arrays[i], machine, i));
    if (machine->params.tlb.page_bytes == 0)
        return fault_none();
    return gpu_translation_init(&machine->translation, &machine->params.tlb,
                                machine->sm_count + 2 * machine->array_count);
}

static struct fault make_sms(struct gpu_machine *machine)
{
    uint64_t const merges = max_u64(machine->params.l1.cache.merges, GPU_ARRAY_MERGES);

    machine->sm_count = (uint32_t)machine->params.sms;
    machine->slot_count = (uint32_t)(machine->params.sm.max_threads / 32);
    machine->per_scheduler = (uint32_t)((UINT64_C(0xffff) + machine->params.sm.schedulers)
                                        / machine->params.sm.schedulers);
    machine->bank_shift = (unsigned)__builtin_ctzll(machine->params.l1.bank_bytes);
    machine->sms = calloc(machine->sm_count, sizeof *machine->sms);
    machine->active = calloc(machine->sm_count, sizeof *machine->active);
    machine->tokens = calloc(merges, sizeof *machine->tokens);
    if (!machine->sms || !machine->active || !machine->tokens)
        return fault_make(FAULT_MEMORY, "out of memory for %u SMs", machine->sm_count);
    FORWARD(make_arrays(machine));
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        FORWARD(gpu_sm_init(&machine->sms[i], machine, i));
        machine->sms[i].l1_ways = machine->params.l1.cache.ways;
    }
    machine->last_sm = machine->sm_count - 1;
    return fault_none();
}

static struct fault fill_run(struct gpu_run *run, struct gpu_machine *machine, const struct memory_params *memory,
                             const struct below *dram)
{
    struct gpu_sink const sink = {.answer = answer, .room = room, .self = machine, .is_next = is_next};

    FORWARD(gpu_kernels_pick(machine));
    FORWARD(event_queue_reserve(&run->sim->events, 1));
    event_init(&machine->cycle_event, cycle_event, machine, EVENT_DEFAULT);
    FORWARD(make_sms(machine));
    return gpu_memory_create(&run->memory, run->sim, &machine->params, memory, machine->options.commands, dram, &sink);
}

struct fault gpu_run_create(struct gpu_run **made, struct sim *sim, const struct gpu_params *params,
                            const struct memory_params *memory, const struct below *dram,
                            const struct gpu_source *source, const struct gpu_run_options *options)
{
    struct gpu_run *run;
    struct gpu_machine *machine;
    struct fault fault;

    *made = NULL;
    FORWARD(check_params(params));
    run = calloc(1, sizeof *run);
    machine = calloc(1, sizeof *machine);
    if (!run || !machine) {
        free(run);
        free(machine);
        return fault_make(FAULT_MEMORY, "out of memory for a GPU");
    }
    run->machine = machine;
    *machine = (struct gpu_machine){
        .run = run, .params = *params, .options = options ? *options : (struct gpu_run_options){0}, .source = *source,
        .clock = clock_domain(params->core_clock_ps), .owns_sim = !sim, .dispatch_cyc = CYC_NEVER,
    };
    if (machine->options.stall_cyc == 0)
        machine->options.stall_cyc = STALL_CYC;
    widen_l1(&machine->params.l1);
    run->sim = sim ? sim : &machine->own_sim;
    if (!sim)
        sim_init(&machine->own_sim, 64);
    fault = fill_run(run, machine, memory, dram);
    if (fault.kind != FAULT_NONE)
        gpu_run_destroy(run);
    else
        *made = run;
    return fault;
}

static void free_residents(struct gpu_machine *machine, struct gpu_sm *sm)
{
    for (uint64_t i = 0; sm->residents && i < machine->params.sm.max_blocks; i++)
        if (sm->residents[i].kernel)
            machine->source.free_block(machine->source.self, sm->residents[i].block);
}

void gpu_run_destroy(struct gpu_run *run)
{
    struct gpu_machine *const machine = run->machine;

    for (uint32_t i = 0; machine->sms && i < machine->sm_count; i++) {
        if (machine->sms[i].machine)
            free_residents(machine, &machine->sms[i]);
        if (machine->sms[i].machine)
            gpu_sm_free(&machine->sms[i]);
    }
    gpu_kernels_close_all(machine);
    if (run->memory)
        gpu_memory_destroy(run->memory);
    if (machine->cycle_event.scheduled)
        event_deschedule(&run->sim->events, &machine->cycle_event);
    if (machine->owns_sim)
        sim_free(&machine->own_sim);
    for (size_t i = 0; i < run->kernel_count; i++) {
        free(run->kernels[i].name);
        free(run->kernels[i].file);
        free(run->kernels[i].pcs);
    }
    for (size_t i = 0; i < run->warning_count; i++)
        free(run->warnings[i]);
    for (uint32_t i = 0; i < machine->array_count; i++)
        gpu_array_free(&machine->arrays[i]);
    gpu_translation_free(machine->translation);
    free(machine->arrays);
    free(run->warnings);
    free(run->kernels);
    free(machine->sms);
    free(machine->active);
    free(machine->tokens);
    free(machine);
    free(run);
}

/* ---- running */

void gpu_run_start(struct gpu_run *run)
{
    struct gpu_machine *const machine = run->machine;
    uint64_t const now_cyc = domain_cycles(machine->clock, sim_now_ps(run->sim));

    machine->last_end_cyc = machine->progress_cyc = machine->now_cyc = now_cyc;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        machine->sms[i].done_cyc = machine->sms[i].popped_cyc = now_cyc;
    gpu_memory_startup(run->memory);
    gpu_run_schedule(machine, now_cyc);
}

enum gpu_run_state gpu_run_state(const struct gpu_run *run)
{
    if (run->fault.kind != FAULT_NONE)
        return GPU_RUN_FAILED;
    return run->machine->is_done ? GPU_RUN_FINISHED : GPU_RUN_RUNNING;
}

enum gpu_run_state gpu_run_check(struct gpu_run *run)
{
    struct gpu_machine *const machine = run->machine;
    uint64_t const now_cyc = domain_quotient(machine->clock, sim_now_ps(run->sim));

    if (gpu_run_state(run) == GPU_RUN_RUNNING &&
        (event_queue_count(&run->sim->events) == 0 || now_cyc > machine->progress_cyc + machine->options.stall_cyc))
        run->fault = gpu_watchdog_fault(machine);
    return gpu_run_state(run);
}

struct piece {
    struct gpu_run *run;
    uint64_t until_ps, max_events;
};

static void run_events(void *context)
{
    struct piece const *const piece = context;
    struct gpu_run *const run = piece->run;
    struct event_queue *const queue = &run->sim->events;
    uint64_t const until_ps = piece->until_ps;
    uint64_t max_events = piece->max_events;

    while (gpu_run_check(run) == GPU_RUN_RUNNING && max_events > 0 && event_queue_next_ps(queue) <= until_ps) {
        uint64_t const before = event_queue_executed(queue);

        event_queue_run(queue, until_ps, min_u64(max_events, EVENTS_BETWEEN_CHECKS));
        if (event_queue_executed(queue) == before)
            break;
        max_events -= min_u64(max_events, event_queue_executed(queue) - before);
    }
}

enum gpu_run_state gpu_run_step(struct gpu_run *run, uint64_t until_ps, uint64_t max_events)
{
    struct piece piece = {run, until_ps, max_events};
    struct fault const fault = sim_execute(run->sim, run_events, &piece);

    if (fault.kind != FAULT_NONE)
        run->fault = fault;
    return gpu_run_state(run);
}

static void settle_memory(void *context)
{
    struct piece const *const piece = context;

    gpu_memory_settle(piece->run->memory, piece->until_ps);
}

enum gpu_run_state gpu_run_settle(struct gpu_run *run, uint64_t now_ps)
{
    struct piece piece = {run, now_ps, 0};
    struct fault const fault = sim_execute(run->sim, settle_memory, &piece);

    if (fault.kind != FAULT_NONE)
        run->fault = fault;
    return gpu_run_state(run);
}

uint64_t gpu_run_warp_insts(const struct gpu_run *run)
{
    return run->machine->warp_insts;
}

struct gpu_stream_result *gpu_run_streams(const struct gpu_run *run, size_t *count)
{
    struct gpu_stream_result *const streams = calloc(run->kernel_count ? run->kernel_count : 1, sizeof *streams);
    size_t used = 0;

    *count = streams ? 0 : SIZE_MAX;
    for (size_t i = 0; streams && i < run->kernel_count; i++) {
        const struct gpu_kernel_result *const kernel = &run->kernels[i];
        size_t at = 0;

        if (!kernel->is_done)
            continue;
        while (at < used && streams[at].stream != kernel->stream)
            at++;
        used += at == used;
        streams[at].stream = kernel->stream;
        streams[at].kernels++;
        streams[at].cycles += kernel->cycles;
        streams[at].busy_ps += kernel->end_ps - kernel->launch_ps;
        gpu_counts_add(&streams[at].counts, &kernel->counts);
    }
    if (used == 0) {
        free(streams);
        return NULL;
    }
    *count = used;
    return streams;
}
