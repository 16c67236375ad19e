/* Figures of a GPU. Counters are sums over its kernels, as in statistics; each SM shows its warps by state and why its
 * schedulers do not issue, each slice and channel its waiting requests, and all of them the counts of the watch
 * (memsys/gpu/watch.h). Cycles that an SM sleeps through are charged when it wakes, so stall counters come in steps.
 * Counters of kernels continue when statistics of a system restart: their values at that time are subtracted. */
#include "base/text.h"
#include "memsys/gpu/icnt.h"
#include "memsys/gpu/slice.h"
#include "replay/gpu/gpu_machine.h"
#include "replay/record/telemetry_text.h"

#include <stddef.h>

static const char *const counter_names[] = {
#define COUNTER_NAME(name, help) #name,
    GPU_COUNTERS(COUNTER_NAME)
};
enum { COUNTER_COUNT = sizeof counter_names / sizeof *counter_names };

static void read_counters(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct telemetry_system *const made = field->source;
    struct gpu_counts sum = {0}, before = {0};

    (void)now_ps;
    for (size_t i = 0; i < made->gpu->kernel_count; i++)
        gpu_counts_add(&sum, &made->gpu->kernels[i].counts);
    if (made->gpu_before)
        before = *made->gpu_before;
#define COUNTER_VALUE(name, help) *values++ = sum.name - before.name;
    GPU_COUNTERS(COUNTER_VALUE)
}

/* ---- counts of the watch */

static const char *const access_names[] = {"hits", "misses"};

/* One row. */
#define DEMAND(cache, text)                                                                                           \
    {.name = "demand", .kind = TELEMETRY_COUNTER, .source = &(cache)->hits, .count = 2,                               \
     .element_names = access_names, .help = text}

_Static_assert((int)GPU_STALL_COUNT <= (int)GPU_WATCH_STALLS, "a watch has room for all reasons");
_Static_assert(offsetof(struct gpu_watch_cache, misses) == sizeof(uint64_t), "hits and misses are neighbours");

/* ---- SMs */

static const char *const warp_states[GPU_WARP_STATE_COUNT + 1] = {
    [GPU_WARP_FREE] = "free", [GPU_WARP_TIMED] = "timed", [GPU_WARP_REGISTERS] = "registers",
    [GPU_WARP_BARRIER] = "barrier", [GPU_WARP_FENCE] = "fence", [GPU_WARP_GROUPS] = "groups",
    [GPU_WARP_SENDING] = "sending", [GPU_WARP_EXITING] = "exiting", [GPU_WARP_STATE_COUNT] = "ready"
};
static const char *const stall_names[GPU_STALL_COUNT] = {
    [GPU_STALL_NONE] = "none", [GPU_STALL_LOADS] = "loads", [GPU_STALL_SCOREBOARD] = "scoreboard",
    [GPU_STALL_LDST] = "ldst", [GPU_STALL_UNIT] = "unit", [GPU_STALL_BARRIER] = "barrier", [GPU_STALL_IDLE] = "idle"
};

/* Schedulers count no free slots: they are those that are left. */
static void read_warps(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_sm *const sm = field->source;

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

static void read_stalls(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_sm *const sm = field->source;

    (void)now_ps;
    for (unsigned stall = 0; stall < GPU_STALL_COUNT; stall++)
        values[stall] = sm->resident_count ? sm->stalled[stall] : 0;
    if (!sm->resident_count)
        values[GPU_STALL_IDLE] = sm->machine->params.sm.schedulers;
}

static void read_in_use(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_sm *const sm = field->source;

    (void)now_ps;
    values[0] = sm->resident_count;
    values[1] = sm->ldst.queue_count;
    values[2] = sector_cache_outstanding(sm->ldst.l1);
}

static void add_sm(struct telemetry *telemetry, uint32_t parent, const struct gpu_sm *sm,
                   const struct gpu_watch_sm *watch)
{
    static const char *const level_names[] = {"blocks", "memory_instructions", "l1_mshrs"};
    const struct gpu_machine *const machine = sm->machine;
    uint64_t const schedulers = machine->params.sm.schedulers;
    struct telemetry_field const fields[] = {
        {.name = "warps", .kind = TELEMETRY_LEVEL, .source = sm, .read = read_warps,
         .count = GPU_WARP_STATE_COUNT + 1, .limit = machine->slot_count, .element_names = warp_states,
         .help = "warps by state, and those that can issue now"},
        {.name = "stalls", .kind = TELEMETRY_LEVEL, .source = sm, .read = read_stalls, .count = GPU_STALL_COUNT,
         .limit = schedulers, .element_names = stall_names,
         .help = "schedulers by why they do not issue; none: they do; idle: also without blocks"},
        {.name = "in_use", .kind = TELEMETRY_LEVEL, .source = sm, .read = read_in_use, .count = 3,
         .element_names = level_names, .help = "blocks on the SM, memory instructions that wait for the LD/ST unit, "
                                               "sectors that the L1 waits for"},
        DEMAND(&watch->l1, "sectors read from the L1 that were there, and that were not"),
        {.name = "stall_cycles", .unit = "Cycle", .kind = TELEMETRY_COUNTER, .source = watch->stall_cycles,
         .count = GPU_STALL_COUNT, .element_names = stall_names,
         .limit = 1000000000000 / machine->clock.period_ps * schedulers,
         .help = "cycles of schedulers by why they did not issue; none: they did; only while there are blocks"}
    };
    char name[24];

    text_member_name(name, sizeof name, "sm", sm->number, (unsigned)machine->sm_count);
    TELEMETRY_ADD_TABLE(telemetry, telemetry_add_component(telemetry, TELEMETRY_SM, parent, name), fields);
}

/* ---- interconnect: its ports move whole pieces, headers included */

static void read_icnt_waiting(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_icnt *const icnt = field->source;

    (void)now_ps;
    values[0] = icnt->requests.waiting;
    values[1] = icnt->replies.waiting;
}

/* first_sm: the place of the first SM; the others follow. */
static uint32_t add_icnt(struct telemetry *telemetry, uint32_t parent, const struct gpu_icnt *icnt,
                         const struct gpu_watch *watch, uint32_t first_sm)
{
    static const char *const direction_names[] = {"requests", "replies"};
    uint64_t const piece_bytes = icnt->packet_bytes.period_ps;
    uint64_t const peak = 1000000000000 / icnt->clock.period_ps * piece_bytes;
    struct telemetry_field const fields[] = {
        {.name = TELEMETRY_BUS_ABOVE, .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = &watch->sms[0].pieces,
         .stride = sizeof watch->sms[0], .scale = piece_bytes, .count = watch->sm_count, .limit = peak,
         .help = "bytes of packets by SM; its peak is that of one direction"},
        {.name = TELEMETRY_BUS_BELOW, .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = &watch->slices[0].pieces,
         .stride = sizeof watch->slices[0], .scale = piece_bytes, .count = watch->slice_count, .limit = peak,
         .help = "bytes of packets by slice of the L2; its peak is that of one direction"},
        {.name = "waiting", .kind = TELEMETRY_LEVEL, .source = icnt, .read = read_icnt_waiting, .count = 2,
         .element_names = direction_names, .help = "packets that wait for a port"}
    };
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_BUS, parent, "gpu_icnt");
    struct telemetry_link link = {.to = component, .field = TELEMETRY_ADD_TABLE(telemetry, component, fields)};

    for (; link.element < watch->sm_count; link.element++) {
        link.from = first_sm + link.element;
        telemetry_link(telemetry, &link);
    }
    return component;
}

/* ---- slices and channels */

static void read_slice(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_slices *const slices = field->source;
    const struct gpu_slice *const slice = &slices->slices[field->argument];

    (void)now_ps;
    values[0] = slice->count;
    values[1] = sector_cache_outstanding(slice->cache);
}

static void read_channel(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct gpu_channels *const channels = field->source;
    const struct gpu_channel *const channel = &channels->channels[field->argument];

    (void)now_ps;
    values[0] = channel->waiting;
    values[1] = channel->in_pipe;
    values[2] = channel->answers;
}

/* Sectors that the slices of a channel sent to DRAM and got from there, together. argument: the first of them */
static void read_channel_below(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct telemetry_system *const made = field->source;
    const struct gpu_slices *const slices = gpu_memory_slices(made->gpu->memory);

    (void)now_ps;
    values[0] = 0;
    for (uint32_t i = 0; i < slices->per_channel; i++)
        values[0] += made->watch.slices[field->argument + i].sends * slices->channels->sector_bytes;
}

/* The answer is the place of the first; the others follow. */
static uint32_t add_slices(struct telemetry_system *made, uint32_t parent, uint32_t icnt)
{
    static const char *const names[] = {"requests", "mshrs"};
    struct telemetry *const telemetry = &made->layout;
    const struct gpu_slices *const slices = gpu_memory_slices(made->gpu->memory);
    const struct telemetry_field *const bytes = telemetry_find(telemetry, icnt, TELEMETRY_BUS_BELOW);
    uint32_t const bytes_below = bytes ? (uint32_t)(bytes - telemetry->fields) : TELEMETRY_NONE;
    uint32_t const first = telemetry->component_count;

    for (uint32_t i = 0; i < slices->count; i++) {
        struct telemetry_field const fields[] = {
            {.name = "in_use", .kind = TELEMETRY_LEVEL, .source = slices, .argument = i, .read = read_slice,
             .count = 2, .element_names = names, .help = "requests before the tags, sectors that the slice waits for"},
            DEMAND(&made->watch.slices[i].l2, "sectors read from the slice that were there, and that were not")
        };
        uint32_t component;
        char name[24];

        text_member_name(name, sizeof name, "l2_slice", i, slices->count);
        component = telemetry_add_component(telemetry, TELEMETRY_SLICE, parent, name);
        TELEMETRY_ADD_TABLE(telemetry, component, fields);
        telemetry_link(telemetry, &(struct telemetry_link){.from = icnt, .to = component, .field = bytes_below,
                                                           .element = i});
    }
    return first;
}

static void add_channel(struct telemetry_system *made, uint32_t parent, const struct gpu_channels *channels,
                        uint32_t number, uint32_t first_slice)
{
    static const char *const names[] = {"waiting", "in_pipe", "answers"};
    struct telemetry *const telemetry = &made->layout;
    const struct gpu_channel *const channel = &channels->channels[number];
    uint32_t const slices = gpu_memory_slices(made->gpu->memory)->per_channel, slice = number * slices;
    struct telemetry_field const fields[] = {
        {.name = "in_use", .kind = TELEMETRY_LEVEL, .source = channels, .argument = number, .read = read_channel,
         .count = 3, .element_names = names,
         .help = "requests that wait, that are on their way to the controller, that it owes"},
        {.name = TELEMETRY_BUS_ABOVE, .unit = "Byte", .kind = TELEMETRY_COUNTER, .stride = sizeof made->watch.slices[0],
         .source = &made->watch.slices[slice].sends, .scale = channels->sector_bytes, .count = slices,
         .help = "bytes of sectors that slices of the L2 wrote and asked for"},
        {.name = TELEMETRY_BUS_BELOW, .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = made, .argument = slice,
         .read = read_channel_below, .help = "the same of all slices of the channel"}
    };
    struct telemetry_link link = {0};
    uint32_t component, first;
    char name[24];

    text_member_name(name, sizeof name, "gpu_channel", number, channels->count);
    component = telemetry_add_component(telemetry, TELEMETRY_BUS, parent, name);
    first = TELEMETRY_ADD_TABLE(telemetry, component, fields);
    for (link.to = component, link.field = first + 1; link.element < slices; link.element++) {
        link.from = first_slice + slice + link.element;
        telemetry_link(telemetry, &link);
    }
    if (!channel->own)
        return;
    for (uint32_t i = 0; i < channel->own->command_count; i++)
        telemetry_link(telemetry, &(struct telemetry_link){
            .from = component, .to = telemetry_add_cmd_ctrl(telemetry, parent, &channel->own->commands[i].ctrl),
            .field = first + 2
        });
    if (channel->own->commands)
        return;
    telemetry_link(telemetry, &(struct telemetry_link){
        .from = component, .to = telemetry_add_mem_ctrl(telemetry, parent, &channel->own->ctrl), .field = first + 2
    });
}

static void add_below(struct telemetry_system *made, uint32_t parent, uint32_t first_sm)
{
    const struct gpu_memory *const memory = made->gpu->memory;
    const struct gpu_channels *const channels = gpu_memory_channels(memory);
    uint32_t const icnt = add_icnt(&made->layout, parent, gpu_memory_icnt(memory), &made->watch, first_sm);
    uint32_t const first_slice = add_slices(made, parent, icnt);

    made->gpu_channels = made->layout.component_count;
    for (uint32_t i = 0; i < channels->count; i++)
        add_channel(made, parent, channels, i, first_slice);
}

uint32_t telemetry_add_gpu(struct telemetry_system *made, uint32_t parent, struct address_heat *heat)
{
    const struct gpu_run *const run = made->gpu;
    const struct gpu_machine *const machine = run->machine;
    struct telemetry *const telemetry = &made->layout;
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_GPU, parent, "gpu");
    uint32_t const slice_count = gpu_memory_slices(run->memory)->count;
    uint32_t first_sm;

    if (gpu_watch_init(&made->watch, machine->sm_count, slice_count, heat).kind != FAULT_NONE) {
        telemetry->lacks_memory = true;
        return component;
    }
    run->machine->watch = &made->watch;
    gpu_memory_watch(run->memory, &made->watch);
    TELEMETRY_ADD_TABLE(telemetry, component, ((struct telemetry_field const[]){
        {.name = "counts", .kind = TELEMETRY_COUNTER, .source = made, .read = read_counters, .count = COUNTER_COUNT,
         .element_names = counter_names, .help = "sums over all kernels of the counters that statistics have"},
        {.name = "kernels", .kind = TELEMETRY_LEVEL, .source = &machine->running_count,
         .word_bytes = sizeof machine->running_count,
         .help = "kernels that are open"},
        {.name = "load_latency", .unit = "Tick", .kind = TELEMETRY_BINS, .source = made->watch.latencies,
         .count = LATENCY_BIN_COUNT,
         .help = "reads that the memory below the L1s answered, by latency: bins of latency_bin_floor"}
    }));
    first_sm = telemetry->component_count;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        add_sm(telemetry, component, &machine->sms[i], &made->watch.sms[i]);
    add_below(made, component, first_sm);
    return component;
}
