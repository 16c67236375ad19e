/* Figures of a GPU. Counters are sums over its kernels, as in statistics; each SM shows its warps by state and why its
 * schedulers do not issue, each slice and channel what waits there. Cycles that an SM sleeps through are charged when
 * it wakes, so stall counters come in steps. Counters go on where statistics of a system restart: what they
 * were then is subtracted. */
#include "memsys/gpu_slice.h"
#include "memsys/telemetry_parts.h"
#include "replay/gpu_machine.h"
#include "replay/telemetry_system.h"

#include <stdio.h>

static const char *const counter_names[] = {
#define COUNTER_NAME(name, help) #name,
    GPU_COUNTERS(COUNTER_NAME)
};
enum { COUNTER_COUNT = sizeof counter_names / sizeof *counter_names };

static void read_counters(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct telemetry_system *const made = context;
    struct gpu_counts sum = {0}, before = {0};

    (void)argument;
    (void)now_ps;
    for (size_t i = 0; i < made->gpu->kernel_count; i++)
        gpu_counts_add(&sum, &made->gpu->kernels[i].counts);
    if (made->gpu_before)
        before = *made->gpu_before;
#define COUNTER_VALUE(name, help) *values++ = sum.name - before.name;
    GPU_COUNTERS(COUNTER_VALUE)
}

static void read_kernels(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_run *const run = context;

    (void)argument;
    (void)now_ps;
    values[0] = run->machine->running_count;
}

/* ---- SMs */

static const char *const warp_states[GPU_WARP_STATE_COUNT + 1] = {
    [GPU_WARP_FREE] = "free", [GPU_WARP_TIMED] = "timed", [GPU_WARP_REGISTERS] = "registers",
    [GPU_WARP_BARRIER] = "barrier", [GPU_WARP_FENCE] = "fence", [GPU_WARP_GROUPS] = "groups",
    [GPU_WARP_SENDING] = "sending", [GPU_WARP_EXITING] = "exiting", [GPU_WARP_STATE_COUNT] = "ready"
};
static const char *const stall_names[GPU_STALL_COUNT] = {
    [GPU_STALL_NONE] = "none", [GPU_STALL_SCOREBOARD] = "scoreboard", [GPU_STALL_MEMORY] = "memory",
    [GPU_STALL_UNIT] = "unit", [GPU_STALL_BARRIER] = "barrier", [GPU_STALL_IDLE] = "idle"
};

/* Schedulers count no free slots: they are those that are left. */
static void read_warps(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_sm *const sm = context;

    (void)argument;
    (void)now_ps;
    for (unsigned state = 0; state <= GPU_WARP_STATE_COUNT; state++)
        values[state] = 0;
    for (uint64_t i = 0; i < sm->machine->params.sm.schedulers; i++) {
        for (unsigned state = GPU_WARP_FREE + 1; state < GPU_WARP_STATE_COUNT; state++)
            values[state] += sm->schedulers[i].in_state[state];
        values[GPU_WARP_STATE_COUNT] += (uint64_t)__builtin_popcountll(sm->schedulers[i].ready);
    }
    values[GPU_WARP_FREE] = sm->machine->slot_count;
    for (unsigned state = GPU_WARP_FREE + 1; state < GPU_WARP_STATE_COUNT; state++)
        values[GPU_WARP_FREE] -= values[state];
}

static void read_stalls(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_sm *const sm = context;

    (void)argument;
    (void)now_ps;
    for (unsigned stall = 0; stall < GPU_STALL_COUNT; stall++)
        values[stall] = sm->resident_count ? sm->stalled[stall] : 0;
    if (!sm->resident_count)
        values[GPU_STALL_IDLE] = sm->machine->params.sm.schedulers;
}

static void read_blocks(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_sm *const sm = context;

    (void)argument;
    (void)now_ps;
    values[0] = sm->resident_count;
    values[1] = sm->ldst.queue_count;
    values[2] = sector_cache_outstanding(sm->ldst.l1);
}

static void add_sm(struct telemetry *telemetry, uint32_t parent, const struct gpu_sm *sm)
{
    static const char *const level_names[] = {"blocks", "memory_instructions", "l1_mshrs"};
    char name[24];
    struct telemetry_field field = {.kind = TELEMETRY_LEVEL, .unit = "Count", .source = sm};

    snprintf(name, sizeof name, "sm%u", sm->number);
    field.component = telemetry_add_component(telemetry, TELEMETRY_SM, parent, name);
    field.name = "warps";
    field.help = "warps by state, and those that can issue now";
    field.count = GPU_WARP_STATE_COUNT + 1;
    field.limit = sm->machine->slot_count;
    field.element_names = warp_states;
    field.read = read_warps;
    telemetry_add(telemetry, &field);
    field.name = "stalls";
    field.help = "schedulers by why they do not issue; none: they do; idle: also without blocks";
    field.count = GPU_STALL_COUNT;
    field.limit = sm->machine->params.sm.schedulers;
    field.element_names = stall_names;
    field.read = read_stalls;
    telemetry_add(telemetry, &field);
    field.name = "in_use";
    field.help = "blocks on the SM, memory instructions that wait for the LD/ST unit, sectors that the L1 waits for";
    field.count = 3;
    field.limit = 0;
    field.element_names = level_names;
    field.read = read_blocks;
    telemetry_add(telemetry, &field);
}

/* ---- slices and channels */

static void read_slice(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_slices *const slices = context;
    const struct gpu_slice *const slice = &slices->slices[argument];

    (void)now_ps;
    values[0] = slice->count;
    values[1] = sector_cache_outstanding(slice->cache);
}

static void read_channel(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_channels *const channels = context;
    const struct gpu_channel *const channel = &channels->channels[argument];

    (void)now_ps;
    values[0] = channel->waiting;
    values[1] = channel->in_pipe;
    values[2] = channel->answers;
}

static void add_slices(struct telemetry *telemetry, uint32_t parent, const struct gpu_slices *slices)
{
    static const char *const names[] = {"requests", "mshrs"};

    for (uint32_t i = 0; i < slices->count; i++) {
        char name[24];

        snprintf(name, sizeof name, "l2_slice%u", i);
        telemetry_add(telemetry, &(struct telemetry_field){
            .component = telemetry_add_component(telemetry, TELEMETRY_SLICE, parent, name), .kind = TELEMETRY_LEVEL,
            .name = "in_use", .unit = "Count", .help = "requests before the tags, sectors that the slice waits for",
            .source = slices, .argument = i, .read = read_slice, .count = 2, .element_names = names
        });
    }
}

static void add_channels(struct telemetry *telemetry, uint32_t parent, const struct gpu_channels *channels)
{
    static const char *const names[] = {"waiting", "in_pipe", "answers"};

    for (uint32_t i = 0; i < channels->count; i++) {
        char name[24];
        uint32_t component;

        snprintf(name, sizeof name, "gpu_channel%u", i);
        component = telemetry_add_component(telemetry, TELEMETRY_BUS, parent, name);
        telemetry_add(telemetry, &(struct telemetry_field){
            .component = component, .kind = TELEMETRY_LEVEL, .name = "in_use", .unit = "Count",
            .help = "requests that wait, that are on their way to the controller, that it owes",
            .source = channels, .argument = i, .read = read_channel, .count = 3, .element_names = names
        });
        telemetry_link(telemetry, &(struct telemetry_link){.from = parent, .to = component, .field = TELEMETRY_NONE});
        if (channels->channels[i].own)
            telemetry_link(telemetry, &(struct telemetry_link){
                .from = component, .field = TELEMETRY_NONE,
                .to = telemetry_add_mem_ctrl(telemetry, parent, &channels->channels[i].own->ctrl)
            });
    }
}

uint32_t telemetry_add_gpu(struct telemetry_system *made, uint32_t parent)
{
    const struct gpu_run *const run = made->gpu;
    const struct gpu_machine *const machine = run->machine;
    struct telemetry *const telemetry = &made->layout;
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_GPU, parent, "gpu");

    telemetry_add(telemetry, &(struct telemetry_field){
        .component = component, .kind = TELEMETRY_COUNTER, .name = "counts", .unit = "Count",
        .help = "sums over all kernels of the counters that statistics have", .source = made, .read = read_counters,
        .count = COUNTER_COUNT, .element_names = counter_names
    });
    telemetry_add(telemetry, &(struct telemetry_field){
        .component = component, .kind = TELEMETRY_LEVEL, .name = "kernels", .unit = "Count",
        .help = "kernels that are open", .source = run, .read = read_kernels, .count = 1
    });
    for (uint32_t i = 0; i < machine->sm_count; i++)
        add_sm(telemetry, component, &machine->sms[i]);
    add_slices(telemetry, component, gpu_memory_slices(run->memory));
    add_channels(telemetry, component, gpu_memory_channels(run->memory));
    return component;
}
