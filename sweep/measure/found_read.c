/* What follows from single benchmarks and curves. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "replay/config/units.h"
#include "sweep/measure/found_system.h"

enum { TEXT = 64 };

static const char *number_text(char *text, double number)
{
    snprintf(text, TEXT, "%.0f", number);
    return text;
}

static const char *bytes_text(char *text, uint64_t bytes)
{
    char formatted[UNITS_TEXT];

    units_format(UNIT_BYTES, bytes, 0, formatted, sizeof formatted);
    snprintf(text, TEXT, "%s", formatted);
    return text;
}

/* ---- benchmarks */
static bool is_steady(const struct measurement *measurement, const char *name)
{
    const struct measured *const measured = measurement_find(measurement, name);

    return measured && passes_are_steady(&measured->cycles);
}

static void set_missing(struct found_system *system, const char *key, const struct measured *measured, const char *name)
{
    found_set(system, key, NULL, "%s: %s", name, measured ? measured->missing ? measured->missing : "no passes"
                                                             : "it was not measured");
}

/* `what` of a benchmark as the key's value, with its name, cycles and spread. */
static void set_from(struct found_system *system, const struct measurement *measurement, const char *key,
                     const char *name, double (*what)(double cycles))
{
    const struct measured *const measured = measurement_find(measurement, name);
    double const cycles = measurement_value(measurement, name), value = what(cycles);
    char text[TEXT];

    if (!isfinite(cycles) || value < 1) {
        set_missing(system, key, measured, name);
        return;
    }
    if (!passes_are_steady(&measured->cycles))
        found_set_doubtful(system, key, number_text(text, value), "%s: %.3f cycles would be %s, but it was disturbed: "
                           "spread %.1f %%", name, cycles, text, 100 * passes_spread(&measured->cycles));
    else
        found_set(system, key, number_text(text, value), "%s: %.3f cycles, spread %.1f %%", name, cycles,
                    100 * passes_spread(&measured->cycles));
}

static double as_rate(double cycles)
{
    return round(1 / cycles);
}

static double as_latency(double cycles)
{
    return round(cycles);
}

/* DIV and OR. */
static double as_division(double cycles)
{
    return round(cycles) - 1;
}

/* The lesser of both is what all kinds together get in a cycle. */
static void read_widths(struct found_system *system, const struct measurement *measurement)
{
    static const char *const keys[] = {"cpu.fetchWidth", "cpu.decodeWidth", "cpu.renameWidth", "cpu.dispatchWidth"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        set_from(system, measurement, keys[i], "zero", as_rate);
    found_set(system, "cpu.squashWidth", "64", "not measured; a misprediction's cost is in fetchToDecodeDelay");
    found_set(system, "cpu.issueWidth", NULL, "no benchmark here issues more than it renames");
    found_set(system, "cpu.commitWidth", NULL, "as many as are renamed at least; more does not show");
}

static void read_units(struct found_system *system, const struct measurement *measurement)
{
    set_from(system, measurement, "cpu.cacheLoadPorts", "load", as_rate);
    set_from(system, measurement, "cpu.cacheStorePorts", "store", as_rate);
    set_from(system, measurement, "cpu.fuPool.IntALU", "add", as_rate);
    set_from(system, measurement, "cpu.fuPool.IntMultDiv", "mul", as_rate);
    set_from(system, measurement, "cpu.fuPool.FP_ALU", "fadd", as_rate);
    set_from(system, measurement, "cpu.fuPool.FP_MultDiv", "fmul", as_rate);
    set_from(system, measurement, "cpu.fuPool.SIMD_Unit", "vadd", as_rate);
    set_from(system, measurement, "cpu.fuPool.RdWrPort", "load", as_rate);
}

static void read_latencies(struct found_system *system, const struct measurement *measurement)
{
    static const struct { const char *class, *name; } list[] = {
        {"IntMult", "mul_lat"}, {"FloatAdd", "fadd_lat"}, {"FloatMult", "fmul_lat"}, {"FloatMultAcc", "fma_lat"},
        {"FloatDiv", "fdiv_lat"}, {"FloatSqrt", "fsqrt_lat"}, {"SimdAlu", "vadd_lat"}, {"SimdMult", "vmul_lat"}
    };
    char key[FOUND_KEY];

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        snprintf(key, sizeof key, "cpu.opLat.%s", list[i].class);
        set_from(system, measurement, key, list[i].name, as_latency);
    }
    set_from(system, measurement, "cpu.opLat.IntDiv", "div_lat", as_division);
}

/* Whether units take the next division before the last is done: by the rate, the nearer of both. */
static void read_pipelined(struct found_system *system, const struct measurement *measurement)
{
    static const struct { const char *class, *rate, *latency, *units; } list[] = {
        {"FloatDiv", "fdiv", "fdiv_lat", "fmul"}, {"FloatSqrt", "fsqrt", "fsqrt_lat", "fmul"}
    };
    char key[FOUND_KEY];

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        double const rate = measurement_value(measurement, list[i].rate);
        double const latency = measurement_value(measurement, list[i].latency);
        double const units = as_rate(measurement_value(measurement, list[i].units));
        double const both[] = {1 / units, latency / units};

        snprintf(key, sizeof key, "cpu.pipelined.%s", list[i].class);
        if (isfinite(rate) && isfinite(latency) && !(is_steady(measurement, list[i].rate)
                                                      && is_steady(measurement, list[i].latency)))
            found_set(system, key, NULL, "%s, %s: disturbed", list[i].rate, list[i].latency);
        else if (isfinite(rate) && isfinite(latency) && units >= 1)
            found_set(system, key, nearest_of(both, 2, rate) == both[0] ? "yes" : "no",
                        "%s: one each %.2f cycles; the model has %.2f and %.2f", list[i].rate, rate, both[0], both[1]);
    }
}

/* A load of other bytes of a piece of 16 that was just stored to: as fast as any, if only bytes are compared. */
static void read_pieces(struct found_system *system, const struct measurement *measurement)
{
    double const cycles = measurement_value(measurement, "forward 3");

    if (is_steady(measurement, "forward 3") && cycles < 1.5)
        found_set(system, "cpu.LSQDepCheckShift", "0", "forward 3: a load of bytes beside those just stored takes %.2f "
                  "cycles: it does not wait", cycles);
    else
        found_set(system, "cpu.LSQDepCheckShift", NULL, "forward 3: %.2f cycles", cycles);
}

/* ---- edges */
/* The edge's number plus `more`, or why it has none. */
static void set_from_edge(struct found_system *system, const struct measurement *measurement, const char *key,
                          enum measure_edge edge, double more)
{
    struct measured_edge const found = measure_edge_find(measurement, edge);
    char text[TEXT];

    if (isfinite(found.at) && found.above - found.below > fmax(0.1 * found.below, 2))
        found_set(system, key, NULL, "%s: between %.0f and %.0f; a sibling thread was busy in all passes between",
                  measure_edge_name(edge), found.below, found.above);
    else if (isfinite(found.at))
        found_set(system, key, number_text(text, floor(found.at) + more), "%s: %.0f take %.2f cycles, %.0f take %.2f",
                    measure_edge_name(edge), found.below, found.fast, found.above, found.slow);
    else
        found_set(system, key, NULL, "%s: %s", measure_edge_name(edge),
                    isfinite(found.below) ? "no edge up to the largest number, or a sibling thread was always busy"
                                          : "no passes");
}

static void read_queues(struct found_system *system, const struct measurement *measurement)
{
    double const window = measure_edge_find(measurement, EDGE_WINDOW).at;
    static const struct { const char *key; enum measure_edge edge; } list[] = {
        {"cpu.LQEntries", EDGE_LOADS}, {"cpu.SQEntries", EDGE_STORES}, {"cpu.numIQEntries", EDGE_WAITING}
    };

    set_from_edge(system, measurement, "cpu.numROBEntries", EDGE_WINDOW, 2);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        /* One that is met where the window ends is the window's. */
        if (measure_edge_find(measurement, list[i].edge).at > 0.95 * window)
            found_set(system, list[i].key, NULL, "%s: the window ends before it",
                        measure_edge_name(list[i].edge));
        else
            set_from_edge(system, measurement, list[i].key, list[i].edge, list[i].edge == EDGE_LOADS ? 2 : 0);
    }
}

/* Cycles of an access to one of N pages, beyond those of one to N lines. */
static double pages_cost(const struct measurement *measurement, double pages)
{
    char names[2][MEASURED_NAME];

    snprintf(names[0], sizeof names[0], "pages %.0f", pages);
    snprintf(names[1], sizeof names[1], "lines %.0f", pages);
    return measurement_value(measurement, names[0]) - measurement_value(measurement, names[1]);
}

static void read_second_tlb(struct found_system *system, const struct measurement *measurement)
{
    static const double sizes[] = {256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192};
    struct measured_edge const second = measure_edge_find(measurement, EDGE_MORE_PAGES);
    double const entries = nearest_of(sizes, sizeof sizes / sizeof sizes[0], second.at);
    char text[TEXT];

    if (isnan(second.at)) {
        found_set(system, "cpu.tlb.l2.entries", NULL, "pages: no edge behind that of the first level");
        return;
    }
    found_set(system, "cpu.tlb.l2.entries", number_text(text, entries), "pages: %.0f take %.1f cycles more than as "
              "many lines, %.0f take %.1f; the nearest usual size", second.below, second.fast, second.above,
              second.slow);
    found_set(system, "cpu.tlb.l2.assoc", fmod(entries, 3) == 0 ? "12" : "8", "not measured; usual for a level "
              "of this size");
}

static void read_pages(struct found_system *system, const struct measurement *measurement)
{
    struct measured_edge const first = measure_edge_find(measurement, EDGE_PAGES);
    double const pages = 2 * pow(2, ceil(log2(first.below))), hit = pages_cost(measurement, pages);
    char text[TEXT], name[MEASURED_NAME];
    bool is_known;

    if (isnan(first.at) || isnan(hit)) {
        found_set(system, "cpu.tlb.l1d.entries", NULL, "pages: no edge");
        return;
    }
    found_set(system, "cpu.tlb.l1d.entries", number_text(text, first.below), "pages: %.0f take %.2f cycles more than "
              "as many lines, %.0f take %.2f", first.below, first.fast, first.above, first.slow);
    found_set(system, "cpu.tlb.l1d.assoc", number_text(text, first.below), "pages: any %.0f fit", first.below);
    read_second_tlb(system, measurement);
    snprintf(name, sizeof name, "pages %.0f", pages);
    is_known = is_steady(measurement, name);
    found_set(system, "cpu.tlb.l2.latency", is_known ? number_text(text, hit) : NULL, "pages: %.0f take %.2f cycles "
              "more than as many lines%s", pages, hit, is_known ? "" : "; disturbed");
}

static void read_branches(struct found_system *system, const struct measurement *measurement)
{
    struct measured_edge const jumps = measure_edge_find(measurement, EDGE_JUMPS);
    char text[TEXT];

    if (isfinite(jumps.below) && isfinite(jumps.above))
        found_set(system, "cpu.branchPred.BTBEntries", number_text(text, jumps.below), "jumps: %.0f take %.2f "
                    "cycles each, %.0f take %.2f", jumps.below, jumps.fast, jumps.above, jumps.slow);
    else
        found_set(system, "cpu.branchPred.BTBEntries", NULL, "jumps: no edge up to the largest number");
    found_set(system, "cpu.branchPred.RASSize", NULL, "calls are not measured");
    found_set(system, "cpu.branchPred.type", NULL, "period: a pattern of 64 takes %.2f cycles, of 1024 %.2f, of 4096 "
              "%.2f; replays are too short to learn it", measurement_value(measurement, "period 64"),
              measurement_value(measurement, "period 1024"), measurement_value(measurement, "period 4096"));
}

/* ---- caches */
/* The size from the curve; the system's own word, if it lies on the step where the curve rises. */
static void read_size(struct found_system *system, const struct measurement *measurement, unsigned level,
                      const struct curve_level *found)
{
    static const char *const sections[] = {"l1d", "l2", "l3"};
    uint64_t const said = measurement->host.cache_bytes[level];
    /* A cache that others use, too, or whose places pages decide, rises before it is full. */
    bool const agrees = said > 0 && (double)said >= found->edge && (double)said <= 2 * found->next;
    uint64_t const bytes = agrees ? said : (uint64_t)found->edge;
    char key[FOUND_KEY], text[TEXT];

    system->level_bytes[level] = bytes;
    snprintf(key, sizeof key, "%s.size", sections[level]);
    found_set(system, key, bytes_text(text, bytes), "chase: %.1f cycles up to %.0f KiB, more from %.0f KiB%s",
                found->y, found->edge / 1024, found->next / 1024,
                agrees ? "; the system's word" : said > 0 ? "; the system says otherwise" : "");
}

/* Sets are a power of two; those of 48 KiB in the 2 ways of a system that says nothing would not be. 0: no usual number
 * of ways makes them one. */
static bool fits_ways(uint64_t bytes, uint64_t ways)
{
    return ways > 0 && bytes > 0 && bytes % (ways * RING_LINE) == 0 && is_power_of_two(bytes / RING_LINE / ways);
}

static unsigned usual_ways(uint64_t bytes)
{
    enum { LEAST_WAYS = 8, MOST_WAYS = 32 };

    for (unsigned ways = LEAST_WAYS; ways <= MOST_WAYS; ways++)
        if (fits_ways(bytes, ways))
            return ways;
    return 0;
}

static void read_ways(struct found_system *system, const struct measurement *measurement)
{
    struct measured_edge const ways = measure_edge_find(measurement, EDGE_WAYS);
    uint64_t const bytes = system->level_bytes[0];
    unsigned const said = measurement->host.cache_ways[0], usual = usual_ways(bytes);
    char text[TEXT];

    if (isfinite(ways.at) && fits_ways(bytes, (uint64_t)ways.below))
        found_set(system, "l1d.assoc", number_text(text, ways.below), "ways: %.0f lines 64 KiB apart take %.2f "
                    "cycles, %.0f take %.2f", ways.below, ways.fast, ways.above, ways.slow);
    else if (fits_ways(bytes, said))
        found_set(system, "l1d.assoc", number_text(text, said), "the system's word; ways: no edge that fits the size, "
                    "or a sibling thread was always busy");
    else if (usual > 0)
        found_set(system, "l1d.assoc", number_text(text, usual), "not measured; the least usual number that makes sets "
                    "a power of two");
    else
        found_set(system, "l1d.assoc", NULL, "ways: no edge that fits the size, or a sibling thread was always busy");
}

static void read_said_ways(struct found_system *system, const struct measurement *measurement, unsigned level)
{
    static const char *const keys[] = {"l1d.assoc", "l2.assoc", "l3.assoc"};
    unsigned const said = measurement->host.cache_ways[level];
    char text[TEXT];

    if (said > 0 && system->level_bytes[level] % ((uint64_t)said * RING_LINE) == 0)
        found_set(system, keys[level], number_text(text, said), "the system's word; places in physical memory are "
                    "not known, so it cannot be measured");
    else
        found_set(system, keys[level], NULL, "places in physical memory are not known");
}

static void read_caches(struct found_system *system, const struct measurement *measurement)
{
    struct curve_level levels[CURVE_MOST_LEVELS];
    size_t const found = measure_levels(measurement, levels);
    char text[TEXT];

    system->caches = found > 3 ? 3 : found > 0 ? (unsigned)found - 1 : 0;
    for (unsigned level = 0; level < system->caches; level++)
        read_size(system, measurement, level, &levels[level]);
    if (system->caches >= 1)
        read_ways(system, measurement);
    for (unsigned level = 1; level < system->caches; level++)
        read_said_ways(system, measurement, level);
    if (system->caches < 3)
        found_set(system, system->caches == 0 ? "l1d.size" : system->caches == 1 ? "l2.size" : "l3.size", NULL,
                    "chase: no plateau within the memory that could be had (%s)", measurement->host.free_limit);
    if (measurement->host.instruction_bytes > 0)
        found_set(system, "l1i.size", bytes_text(text, measurement->host.instruction_bytes), "the system's word; "
                    "fetch: %.2f cycles a line in 16 KiB, %.2f in 64 KiB, %.2f in 256 KiB",
                    measurement_value(measurement, "fetch 16K"), measurement_value(measurement, "fetch 64K"),
                    measurement_value(measurement, "fetch 256K"));
    else
        found_set(system, "l1i.size", NULL, "fetch: where it rises, targets of branches may be what lacks");
}

uint64_t found_footprint(const struct found_system *system, const struct measurement *measurement, unsigned level)
{
    enum { L1_BYTES = 8 << 10, L2_BYTES = 128 << 10 };

    if (level >= system->caches)
        return measurement->memory.large_bytes;
    if (level == 0)
        return min_u64(L1_BYTES, (uint64_t)1 << log2_down(system->level_bytes[0] / 2));
    if (level == 1)
        return max_u64(L2_BYTES, (uint64_t)1 << log2_up(2 * system->level_bytes[0]));
    return 3 * ((uint64_t)1 << log2_down(system->level_bytes[1]));
}

/* ---- all */
static void read_clock(struct found_system *system, const struct measurement *measurement)
{
    char text[TEXT];

    snprintf(text, sizeof text, "%.3fGHz", 1e-9 * measurement_clock_hz(measurement));
    found_set(system, "cpu_clock", text, "a chain of additions against %s, spread %.1f %%",
                measurement->host.counter_name, 100 * passes_spread(&measurement->period));
}

/* The largest of any number of cores. NULL: that of all cores was not measured, and fewer of them may not reach it. */
static const struct measured *most_bandwidth(const struct measurement *measurement)
{
    const struct measured *best = NULL;
    char all[MEASURED_NAME];

    snprintf(all, sizeof all, "cores %u", measurement->host.core_count);
    if (isnan(measurement_value(measurement, all)))
        return NULL;
    for (size_t i = 0; i < measurement->count; i++) {
        const struct measured *const measured = &measurement->list[i];

        if (measured->what.kind == CASE_CORES && passes_are_confirmed(&measured->cycles)
            && (!best || passes_value(&measured->cycles) < passes_value(&best->cycles)))
            best = measured;
    }
    return best;
}

static void read_bandwidth(struct found_system *system, const struct measurement *measurement)
{
    const struct measured *const most = most_bandwidth(measurement);
    char all[MEASURED_NAME], text[TEXT];
    double cycles;

    if (system->caches < 3 || !most) {
        found_set(system, "memory.bandwidth", NULL, system->caches < 3 ? "cores: the memory that could be had is too "
                  "small (%s)" : "cores: disturbed, or never run together", measurement->host.free_limit);
        return;
    }
    snprintf(all, sizeof all, "cores %u", measurement->host.core_count);
    cycles = passes_value(&most->cycles);
    snprintf(text, sizeof text, "%.2fGB/s", 256 / cycles * measurement_clock_hz(measurement) * 1e-9);
    if (is_steady(measurement, all) && is_steady(measurement, most->name))
        found_set(system, "memory.bandwidth", text, "%s: %.1f cycles for 256 bytes, reads; spread %.1f %%; one core "
                  "alone %.1f", most->name, cycles, 100 * passes_spread(&most->cycles),
                  measurement_value(measurement, "cores 1"));
    else
        found_set_doubtful(system, "memory.bandwidth", text, "%s: %.1f cycles for 256 bytes would be %s, but it was "
                           "disturbed: spread %.1f %%", most->name, cycles, text,
                           100 * passes_spread(&most->cycles));
}

static void read_memory(struct found_system *system, const struct measurement *measurement)
{
    char text[TEXT];

    found_set(system, "memory.type", "simple", "a device of DRAM cannot be told from outside; latency and bandwidth "
              "can");
    found_set(system, "memory.size", bytes_text(text, (uint64_t)4 << 30), "not measured; room for traces");
    read_bandwidth(system, measurement);
}

struct fault found_read(struct found_system *system, const struct measurement *measurement)
{
    *system = (struct found_system){.caches = 0};
    read_clock(system, measurement);
    found_set(system, "pages.policy", "random", "not measured; systems place pages anywhere");
    found_set(system, "cpu.model", "detailed", "figures of a core are those of the detailed one");
    read_widths(system, measurement);
    read_queues(system, measurement);
    found_set(system, "cpu.wbWidth", NULL, "it does not show");
    read_units(system, measurement);
    read_latencies(system, measurement);
    read_pipelined(system, measurement);
    read_pieces(system, measurement);
    read_branches(system, measurement);
    read_pages(system, measurement);
    read_caches(system, measurement);
    read_memory(system, measurement);
    return system->is_out_of_memory ? fault_memory("measure", "the keys of the system") : fault_none();
}
