/* Each function asks the model that the core has. */
#include "replay/system/system_core.h"

#include <assert.h>
#include <stdlib.h>

#include "memsys/dram/memory_params.h"
#include "memsys/vm/vm_params.h"
#include "proto/insn/v2p.h"
#include "replay/config/config_limits.h"
#include "replay/config/config_values.h"
#include "replay/elastic/elastic_cpu.h"
#include "replay/system/system_stats.h"

static struct fault make_detailed(struct system_core *core, const struct elastic_cpu_setup *setup,
                                  const struct system_config *config, const struct system_traces *traces)
{
    struct detailed_cpu_setup const detailed = {
        .sim = setup->sim, .name = core->name, .number = (unsigned)(core - core->system->cores),
        .period_ps = setup->period_ps, .params = config_detailed(config), .branch = config_branch(config),
        .where = {core->system, (uint32_t)(core - core->system->cores), core->system->core_count},
        .line_bytes = setup->line_bytes, .listener = traces->listener,
        .supply = traces->is_idle || (traces->takes_threads && !traces->has_elastic_threads) ? NULL : traces->supply
    };
    struct fault fault = fault_none();

    core->detailed = detailed_cpu_new(&detailed, &fault);
    return fault;
}

struct fault core_make(struct system_core *core, const struct elastic_cpu_setup *setup,
                       const struct system_config *config, const struct system_traces *traces)
{
    return config_is_detailed(config) ? make_detailed(core, setup, config, traces)
                                      : elastic_cpu_init(&core->cpu, setup);
}

void core_free(struct system_core *core)
{
    if (core->detailed)
        detailed_cpu_free(core->detailed);
    else
        elastic_cpu_free(&core->cpu);
    core->detailed = NULL;
    if (core->mmu)
        mmu_free(core->mmu);
    free(core->mmu);
}

/* ---- joining */
struct above core_port(struct system_core *core, bool is_fetch)
{
    if (core->detailed)
        return is_fetch ? detailed_cpu_inst_port(core->detailed) : detailed_cpu_data_port(core->detailed);
    return is_fetch ? elastic_cpu_inst_port(&core->cpu) : elastic_cpu_data_port(&core->cpu);
}

/* The detailed core is connected when both sides are known. */
void core_connect(struct system_core *core, bool is_fetch, const struct below *below)
{
    *(is_fetch ? &core->below_fetch : &core->below_data) = *below;
    if (!core->detailed)
        *(is_fetch ? &core->cpu.icache : &core->cpu.dcache) = *below;
    else if (core->below_fetch.ops && core->below_data.ops)
        detailed_cpu_connect(core->detailed, &core->below_fetch, &core->below_data);
}

static void elastic_finished(void *context, struct elastic_cpu *cpu)
{
    struct system_core *const core = context;

    (void)cpu;
    core->finished(core);
}

static void elastic_reached(void *context, struct elastic_cpu *cpu)
{
    struct system_core *const core = context;

    (void)cpu;
    core->reached(core);
}

static void detailed_finished(void *context)
{
    struct system_core *const core = context;

    core->finished(core);
}

static void detailed_reached(void *context)
{
    struct system_core *const core = context;

    core->reached(core);
}

void core_listen(struct system_core *core, void (*finished)(struct system_core *core),
                 void (*reached)(struct system_core *core))
{
    core->finished = finished;
    core->reached = reached;
    if (core->detailed) {
        detailed_cpu_on_finished(core->detailed, detailed_finished, core);
    } else {
        core->cpu.finished = elastic_finished;
        core->cpu.notify = elastic_reached;
        core->cpu.context = core;
    }
    core_notify_at(core, UINT64_MAX);
}

void core_notify_at(struct system_core *core, uint64_t work)
{
    core->notify_at = work;
    if (core->detailed)
        detailed_cpu_on_instructions(core->detailed, work, detailed_reached, core);
    else
        elastic_cpu_notify_at(&core->cpu, work);
}

/* ---- running */
void core_take(struct system_core *core, const struct system_thread *thread)
{
    if (core->detailed)
        detailed_cpu_take(core->detailed, thread->supply);
    else
        elastic_cpu_take(&core->cpu, &thread->records, &thread->fetches);
}

struct fault core_start(struct system_core *core)
{
    return core->detailed ? detailed_cpu_start(core->detailed) : elastic_cpu_start(&core->cpu);
}

void core_sync(struct system_core *core, bool is_whole)
{
    if (core->detailed)
        detailed_cpu_sync(core->detailed);
    else if (is_whole)
        elastic_cpu_sync(&core->cpu);
    else
        elastic_cpu_sync_figures(&core->cpu);
}

void core_add_stats(struct system_core *core, struct stats *stats)
{
    if (core->detailed)
        detailed_stats_add(core->detailed, core->name, stats);
    else
        elastic_cpu_add_stats(&core->cpu, stats);
    if (core->mmu)
        mmu_add_stats(core->mmu, stats);
}

/* ---- the state */
bool core_is_done(const struct system_core *core)
{
    return core->detailed ? detailed_cpu_is_done(core->detailed) : elastic_cpu_is_done(&core->cpu);
}

bool core_is_waiting(const struct system_core *core)
{
    return core->detailed ? detailed_cpu_is_waiting(core->detailed) : elastic_cpu_is_waiting(&core->cpu);
}

uint64_t core_activity(const struct system_core *core)
{
    return core->detailed ? detailed_cpu_activity(core->detailed) : core->cpu.activity;
}

uint64_t core_work(const struct system_core *core)
{
    return core->detailed ? detailed_cpu_instructions(core->detailed) : elastic_cpu_records_completed(&core->cpu);
}

const struct fault *core_fault(const struct system_core *core)
{
    if (core->fault.kind != FAULT_NONE)
        return &core->fault;
    return core->detailed ? detailed_cpu_fault(core->detailed) : &core->cpu.fault;
}

void core_describe(const struct system_core *core, char *text, size_t size)
{
    if (core->detailed)
        detailed_cpu_describe(core->detailed, text, size);
    else
        elastic_cpu_describe(&core->cpu, text, size);
}

bool core_stuck_address(const struct system_core *core, uint64_t *address)
{
    return !core->detailed && elastic_cpu_stuck_address(&core->cpu, address);
}

struct core_requestors core_requestors(struct system_core *core)
{
    return (struct core_requestors){core_port(core, true).requestor, core_port(core, false).requestor};
}

/* The ranges of memories in ascending order. */

static_assert((int)CONFIG_MAX_MEMORIES <= (int)VM_MAX_RANGES, "each memory is a range");

struct vm_memory *spaces_make(const struct system_config *config, struct fault *fault)
{
    struct vm_range ranges[CONFIG_MAX_MEMORIES];
    struct vm_memory *memory;

    for (unsigned i = 0; i < config_memory_count(config); i++) {
        struct vm_range const range = {config_memory(config, i)->base, config_memory(config, i)->size_bytes};
        unsigned place = i;

        for (; place > 0 && ranges[place - 1].base > range.base; place--)
            ranges[place] = ranges[place - 1];
        ranges[place] = range;
    }
    memory = vm_memory_make(config_pages(config), ranges, config_memory_count(config), fault);
    if (!memory || !config_walks_are_nested(config) || vm_memory_add_host(memory, fault))
        return memory;
    vm_memory_free(memory);
    return NULL;
}

bool spaces_are_needed(const struct system_config *config)
{
    const struct pages_params *const pages = config_pages(config);

    return config_has_tlb(config) || pages->policy != PLACEMENT_FIRST_TOUCH || pages->huge != HUGE_NEVER
        || *config_pages_map(config);
}

struct fault spaces_map(struct space *space, const char *file)
{
    struct fault fault;
    struct v2p_map map;

    if (!*file)
        return fault_none();
    if (space_number(space) > 1)
        return fault_at(file, FAULT_NO_OFFSET, "pages.map: the pages of one process; here are several, so leave the "
                        "map out, or give the traces of one");
    fault = v2p_read(file, &map);
    for (size_t i = 0; fault.kind == FAULT_NONE && i < map.count; i++) {
        struct fault wrong = space_map(space, map.pages[i].address, map.pages[i].physical, map.page_bytes);

        if (wrong.kind == FAULT_INPUT)
            fault = fault_at_line(file, map.pages[i].line, "%.400s", fault_text(wrong));
        else if (wrong.kind != FAULT_NONE)
            fault = fault_memory(file, "its pages");
    }
    v2p_free(&map);
    return fault;
}
