/* Components come in the order of struct system; links are found by following each port. Counters of a core that
 * continue when statistics restart are not among its figures.
 *
 * A core's buffers are brought up to the present by system_run before it returns; the CPI stack of an elastic one
 * charges late, so a copy of it is charged here. */
#include "replay/record/telemetry_text.h"

#include "memsys/telemetry/names.h"
#include "replay/config/config_values.h"
#include "replay/config/detailed_params.h"
#include "replay/system/system_core.h"
#include "replay/system/system_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cores */

static void read_cpi(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct elastic_cpu *const cpu = field->source;
    struct cpi_stack stack = cpu->stats.cpi_stack;

    (void)now_ps;
    if (!stack.closed)
        cpi_stack_charge(&stack);
    memcpy(values, stack.cycles, sizeof stack.cycles);
}

static void read_records(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct elastic_cpu *const cpu = field->source;

    (void)now_ps;
    values[0] = elastic_cpu_records_completed(cpu) - cpu->records_before;
}

enum { NARROW_BINS = LATENCY_BINS_PER_OCTAVE / LATENCY_BINS_AN_OCTAVE };

static inline uint64_t sum(const uint64_t *numbers, unsigned count)
{
    uint64_t total = 0;

    for (unsigned i = 0; i < count; i++)
        total += numbers[i];
    return total;
}

/* Bins of the histogram are narrower than those of samples, and none crosses the end of one: NARROW_BINS, from `first`
 * on, make one, but the first and the last have all that lie outside, too. */
static void read_latencies(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct latency_histogram *const latency = field->source;
    uint32_t const last = latency_bin(latency->highest);
    uint32_t bin = latency_bin(latency->lowest);
    unsigned first = latency_histogram_bin(UINT64_C(1) << LATENCY_BIN_FIRST_OCTAVE) + bin * NARROW_BINS;

    (void)now_ps;
    memset(values, 0, LATENCY_BIN_COUNT * sizeof *values);
    if (latency->count == 0)
        return;
    if (bin == 0) {
        values[bin++] = sum(latency->bins, first + NARROW_BINS);
        first += NARROW_BINS;
    }
    for (; bin <= last && bin + 1 < LATENCY_BIN_COUNT; bin++, first += NARROW_BINS)
        values[bin] = sum(&latency->bins[first], NARROW_BINS);
    if (bin <= last)
        values[bin] = sum(&latency->bins[first], LATENCY_BINS - first);
}

static uint64_t limit_of(const struct elastic_cpu *cpu, unsigned type)
{
    return cpu->limit[type] == UINT64_MAX ? 0 : cpu->limit[type];
}

/* ---- detailed cores: the same names, so that readers need not know which model it is */

static void read_instructions(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct detailed_stats *const counted = field->source;

    (void)now_ps;
    values[0] = counted->instructions;
}

/* Slots as cycles: those of a cycle are as many as the core is wide. */
static void read_slots(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct detailed_stats *const counted = field->source;

    (void)now_ps;
    for (int slot = 0; slot < DETAILED_SLOT_COUNT; slot++)
        values[slot] = counted->slots[slot] / field->argument;
}

static uint32_t add_detailed_core(struct telemetry *telemetry, const struct system_core *core,
                                  const struct system_config *config)
{
    const struct detailed_params *const params = config_detailed(config);
    const struct detailed_stats *const counted = detailed_cpu_stats(core->detailed);
    uint64_t const period_ps = config_cpu_clock_ps(config);
    struct telemetry_field const fields[] = {
        {.name = "records", .kind = TELEMETRY_COUNTER, .source = counted, .read = read_instructions,
         .help = "instructions committed"},
        {.name = "rob_ps", .kind = TELEMETRY_INTEGRAL, .source = &counted->rob_cyc, .scale = period_ps,
         .limit = params->rob_entries, .help = "micro-ops in the reorder buffer"},
        {.name = "load_buffer_ps", .kind = TELEMETRY_INTEGRAL, .source = &counted->load_cyc, .scale = period_ps,
         .limit = params->lq_entries, .help = "entries of the load queue taken"},
        {.name = "store_buffer_ps", .kind = TELEMETRY_INTEGRAL, .source = &counted->store_cyc, .scale = period_ps,
         .limit = params->sq_entries, .help = "entries of the store queue taken"},
        {.name = "queue_ps", .kind = TELEMETRY_INTEGRAL, .source = &counted->queue_cyc, .scale = period_ps,
         .limit = params->iq_entries, .help = "entries of the instruction queue taken"},
        {.name = "cycles", .unit = "Cycle", .kind = TELEMETRY_COUNTER, .source = counted, .read = read_slots,
         .argument = params->commit_width, .count = DETAILED_SLOT_COUNT, .element_names = detailed_slot_names,
         .help = "cycles by where the slots of the commit width went"}
    };
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_CORE, 0, core->name);

    TELEMETRY_ADD_TABLE(telemetry, component, fields);
    return component;
}

static uint32_t add_core(struct telemetry *telemetry, const struct system_core *core)
{
    const struct elastic_cpu *const cpu = &core->cpu;
    struct telemetry_field const fields[] = {
        {.name = "records", .kind = TELEMETRY_COUNTER, .source = cpu, .read = read_records,
         .help = "data records completed"},
        {.name = "waiting", .kind = TELEMETRY_LEVEL, .source = &cpu->dep_free_count,
         .word_bytes = sizeof cpu->dep_free_count,
         .help = "records without open dependences that found no resource"},
        {.name = "rob_ps", .kind = TELEMETRY_INTEGRAL, .source = &cpu->stats.rob_ps, .limit = cpu->rob_limit,
         .help = "records in flight, of those in the reorder buffer"},
        {.name = "load_buffer_ps", .kind = TELEMETRY_INTEGRAL, .source = &cpu->stats.load_buffer_ps,
         .limit = limit_of(cpu, DEP_LOAD), .help = "entries of the load buffer taken"},
        {.name = "store_buffer_ps", .kind = TELEMETRY_INTEGRAL, .source = &cpu->stats.store_buffer_ps,
         .limit = limit_of(cpu, DEP_STORE), .help = "entries of the store buffer taken"},
        {.name = "cycles", .unit = "Cycle", .kind = TELEMETRY_COUNTER, .source = cpu, .read = read_cpi,
         .count = CPI_PART_COUNT, .element_names = cpi_part_names, .help = "cycles by what the core did or waited for"},
        {.name = "load_latency", .unit = "Tick", .kind = TELEMETRY_BINS, .source = &cpu->stats.load_latency,
         .read = read_latencies, .count = LATENCY_BIN_COUNT,
         .help = "loads by their latency: bins of latency_bin_floor"}
    };
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_CORE, 0, core->name);

    TELEMETRY_ADD_TABLE(telemetry, component, fields);
    return component;
}

/* ---- bytes moved by each requestor */

/* argument: bytes written */
static void read_requestors(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct system *const system = field->source;
    unsigned const count = system->sim.requestor_count;

    (void)now_ps;
    memset(values, 0, count * sizeof *values);
    for (unsigned i = 0; i < system->memory_count; i++)
        for (unsigned requestor = 0; requestor < count; requestor++) {
            if (system->memories[i].is_simple || system->memories[i].is_command) {
                const struct memory_traffic *const of = system->memories[i].is_simple
                    ? &system->memories[i].simple.traffic[requestor]
                    : &system->memories[i].command.stats.traffic[requestor];

                values[requestor] += field->argument ? of->bytes_written : of->bytes_read;
            } else {
                const struct mem_ctrl_requestor_stats *const of
                    = &system->memories[i].controller.stats.requestors[requestor];

                values[requestor] += field->argument ? of->write_bytes : of->read_bytes;
            }
        }
}

/* In one block with their texts. NULL: out of memory. */
static const char **requestor_names(const struct system *system)
{
    enum { MOST = TELEMETRY_NAME };
    unsigned const count = system->sim.requestor_count;
    const char **const names = malloc(count * (sizeof *names + MOST) + 1);
    char *text = (char *)(names + count);

    for (unsigned i = 0; names && i < count; i++, text += MOST) {
        if (!system_our_part(system, system->sim.requestor_names[i], text, MOST))
            snprintf(text, MOST, "%s", system->sim.requestor_names[i]);
        names[i] = text;
    }
    return names;
}

static void add_requestors(struct telemetry_system *made)
{
    const struct system *const system = made->system;
    unsigned const count = system->sim.requestor_count;
    struct telemetry_field const fields[] = {
        {.name = "requestor_read_bytes", .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = system,
         .read = read_requestors, .count = count, .element_names = made->requestor_names,
         .help = "bytes that requestors read from memory"},
        {.name = "requestor_write_bytes", .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = system,
         .read = read_requestors, .argument = 1, .count = count, .element_names = made->requestor_names,
         .help = "bytes that requestors wrote to memory"}
    };

    TELEMETRY_ADD_TABLE(&made->layout, 0, fields);
}

/* ---- how they are joined */

/* Places of all components of a system, while it is made. */
struct places {
    const struct system *system;
    struct telemetry *telemetry;
    struct telemetry_system *made;
    uint32_t *cores, *caches, *buses, *memories;
};

/* The component that a port leads to; TELEMETRY_NONE if it is none of the system's. */
static uint32_t telemetry_system_place_of(const struct places *places, const void *self)
{
    const struct system *const system = places->system;

    for (unsigned i = 0; i < system->cache_count; i++)
        if (self == &system->caches[i].cache)
            return places->caches[i];
    for (unsigned i = 0; i < system->bus_count; i++)
        if (self == system->buses[i].noc)
            return places->buses[i];
    for (unsigned i = 0; i < system->memory_count; i++)
        if (self == &system->memories[i].controller)     /* or another of its union */
            return places->memories[i];
    return TELEMETRY_NONE;
}

static uint32_t field_number(const struct telemetry *telemetry, uint32_t component, const char *name)
{
    const struct telemetry_field *const field = telemetry_find(telemetry, component, name);

    return field ? (uint32_t)(field - telemetry->fields) : TELEMETRY_NONE;
}

/* An interconnect counts the bytes of the links at both its sides. */
static void link_ports(const struct places *places, uint32_t from, const struct below *below)
{
    struct telemetry_link link = {.from = from, .to = telemetry_system_place_of(places, below->self),
        .field = TELEMETRY_NONE};

    if (link.to == TELEMETRY_NONE)
        return;
    if (places->telemetry->components[link.to].part == TELEMETRY_BUS) {
        link.field = field_number(places->telemetry, link.to, TELEMETRY_BUS_ABOVE);
        link.element = below->port;
    }
    telemetry_link(places->telemetry, &link);
}

static void link_noc(const struct places *places, uint32_t from, struct noc *noc)
{
    struct telemetry_link link = {.from = from};

    link.field = field_number(places->telemetry, from, TELEMETRY_BUS_BELOW);
    for (link.element = 0; link.element < noc->memory_port_count; link.element++) {
        link.to = telemetry_system_place_of(places, noc->ops->neighbour(noc, link.element)->self);
        if (link.to != TELEMETRY_NONE)
            telemetry_link(places->telemetry, &link);
    }
}

static void link_all(const struct places *places)
{
    const struct system *const system = places->system;
    uint32_t const membus = places->buses[system->membus];
    unsigned const ports = system->buses[system->membus].noc->cpu_port_count;

    for (unsigned i = 0; i < system->core_count; i++) {
        const struct system_core *const core = &system->cores[i];

        link_ports(places, places->cores[i], core->mmu ? &core->mmu->sides[MMU_INST].cache : &core->below_fetch);
        link_ports(places, places->cores[i], core->mmu ? &core->mmu->sides[MMU_DATA].cache : &core->below_data);
    }
    for (unsigned i = 0; i < system->cache_count; i++)
        link_ports(places, places->caches[i], &system->caches[i].cache.below);
    for (unsigned i = 0; i < system->bus_count; i++)
        link_noc(places, places->buses[i], system->buses[i].noc);
    for (unsigned port = system->gpu_port; system->gpu && port < ports; port++)
        telemetry_link(places->telemetry, &(struct telemetry_link){
            .from = places->made->gpu_channels + port - system->gpu_port, .to = membus,
            .field = field_number(places->telemetry, membus, TELEMETRY_BUS_ABOVE), .element = port
        });
}

/* ---- all of it */

/* A private cache is asked by its core alone. */
static struct telemetry_requestors requestors_of(const struct system *system, const struct system_cache *cache)
{
    bool const is_private = cache->is_private && cache->instance < system->core_count;

    struct core_requestors requestors;

    if (!is_private)
        return (struct telemetry_requestors){0, system->sim.requestor_count};
    requestors = core_requestors(&system->cores[cache->instance]);
    return (struct telemetry_requestors){.first = requestors.inst, .count = requestors.data - requestors.inst + 1u};
}

static void add_all(const struct places *places)
{
    const struct system *const system = places->system;
    struct telemetry *const telemetry = places->telemetry;

    for (unsigned i = 0; i < system->core_count; i++)
        places->cores[i] = system->cores[i].detailed
                               ? add_detailed_core(telemetry, &system->cores[i], system->config)
                               : add_core(telemetry, &system->cores[i]);
    if (system->gpu)
        telemetry_add_gpu(places->made, 0, NULL);
    for (unsigned i = 0; i < system->cache_count; i++)
        places->caches[i] = telemetry_add_cache(telemetry, 0, &system->caches[i].cache,
                                                requestors_of(system, &system->caches[i]));
    for (unsigned i = 0; i < system->bus_count; i++)
        places->buses[i] = telemetry_add_noc(telemetry, 0, system->buses[i].noc);
    for (unsigned i = 0; i < system->memory_count; i++)
        places->memories[i] = system->memories[i].is_simple
                                  ? telemetry_add_simple_memory(telemetry, 0, &system->memories[i].simple)
                                  : system->memories[i].is_command
                                  ? telemetry_add_cmd_ctrl(telemetry, 0, &system->memories[i].command)
                                  : telemetry_add_mem_ctrl(telemetry, 0, &system->memories[i].controller);
    link_all(places);
}

struct fault telemetry_system_make(struct telemetry_system *made, struct system *system)
{
    size_t const count = system->core_count + system->cache_count + system->bus_count + system->memory_count;
    uint32_t *const numbers = calloc(count + 1, sizeof *numbers);
    struct places const places = {
        .system = system, .telemetry = &made->layout, .made = made, .cores = numbers,
        .caches = numbers + system->core_count,
        .buses = numbers + system->core_count + system->cache_count,
        .memories = numbers + system->core_count + system->cache_count + system->bus_count
    };

    *made = (struct telemetry_system){.system = system, .gpu = system->gpu,
                                       .gpu_before = &system->gpu_stats.before};
    telemetry_init(&made->layout);
    made->requestor_names = requestor_names(system);
    if (!numbers || !made->requestor_names) {
        free(numbers);
        return fault_make(FAULT_MEMORY, "out of memory for the layout of samples");
    }
    telemetry_add_component(&made->layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, config_name(system->config));
    add_requestors(made);
    telemetry_add_heat(&made->layout, 0, &made->heat);
    if (!made->layout.lacks_memory)
        add_all(&places);
    free(numbers);
    FORWARD(telemetry_freeze(&made->layout));
    return address_heat_tap(&made->heat, system->buses[system->membus].noc);
}

struct fault telemetry_gpu_make(struct telemetry_system *made, const char *name, const struct gpu_run *run)
{
    *made = (struct telemetry_system){.gpu = run};
    telemetry_init(&made->layout);
    telemetry_add_component(&made->layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, name);
    telemetry_add_heat(&made->layout, 0, &made->heat);
    telemetry_add_gpu(made, 0, &made->heat);
    return telemetry_freeze(&made->layout);
}

void telemetry_system_free(struct telemetry_system *made)
{
    telemetry_free(&made->layout);
    free(made->requestor_names);
    address_heat_free(&made->heat);
    gpu_watch_free(&made->watch);
    *made = (struct telemetry_system){0};
}

void telemetry_system_reset(struct telemetry_system *made, uint64_t now_ps)
{
    made->layout.since_ps = now_ps;
    address_heat_reset(&made->heat);
    gpu_watch_reset(&made->watch);
}
