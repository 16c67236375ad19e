#include "sweep/measure/agreement_search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/host_facts.h"

enum { TEXT = 64, LEVELS = 4, REGISTERS = 2, REGISTER_VALUES = 6, MOST_KEYS = 32, MOST_ROUNDS = 4, MOST_POINTS = 128 };

/* All keys with their names, which live as long as the search. */
struct plan {
    char chases[LEVELS][MEASURED_NAME], tags[LEVELS][TEXT], data[LEVELS][TEXT];
    const char *chase_cases[LEVELS][2];
    struct agreement_key latencies[LEVELS], refill;
    char edges[REGISTERS][2][MEASURED_NAME], counts[REGISTERS][REGISTER_VALUES][TEXT];
    const char *edge_cases[REGISTERS][3], *count_values[REGISTERS][REGISTER_VALUES + 1];
    struct agreement_key registers[REGISTERS];
    struct agreement_key misses[4];
    char read[MEASURED_NAME];
    const char *list_cases[5], *stream_cases[3];
    struct agreement_key streams[16];
    struct agreement_key inner;
    size_t level_count, register_count, miss_count, stream_count;
};

/* ---- latencies */
static void plan_latencies(struct plan *plan, const struct agreement *agreement)
{
    static const char *const sections[] = {"l1d", "l2", "l3"};

    for (unsigned level = 0; level <= agreement->system->caches && level < LEVELS; level++) {
        bool const is_memory = level == agreement->system->caches;
        struct agreement_key *const key = &plan->latencies[plan->level_count++];

        snprintf(plan->chases[level], MEASURED_NAME, "chase %" PRIu64 "K",
                 found_footprint(agreement->system, agreement->measurement, level) >> 10);
        plan->chase_cases[level][0] = plan->chases[level];
        *key = (struct agreement_key){.keys = {"memory.latency"}, .unit = "ns", .from = 60, .least = 1, .most = 1000,
                                      .gain = 1, .cases = plan->chase_cases[level]};
        if (is_memory)
            continue;
        snprintf(plan->tags[level], TEXT, "%s.tag_latency", sections[level]);
        snprintf(plan->data[level], TEXT, "%s.data_latency", sections[level]);
        *key = (struct agreement_key){.keys = {plan->tags[level], plan->data[level]}, .unit = "",
                                      .from = level == 0 ? 2 : 8, .least = 1, .most = 200, .gain = 1,
                                      .cases = plan->chase_cases[level]};
    }
}

/* Latencies that only shift those which are adjusted. */
static void fix_responses(struct agreement *agreement)
{
    static const char *const keys[] = {"l1d.response_latency", "l2.response_latency", "l3.response_latency"};

    for (unsigned level = 0; level < agreement->system->caches; level++)
        found_set(agreement->system, keys[level], "1", "not separable from tag_latency and data_latency");
    if (agreement->system->caches >= 2)
        found_set(agreement->system, "l2.private", "yes", "not measured; a core's own where there are three levels");
}

/* ---- registers */
/* Registers hold the architecture's state beside what waits behind a miss, and how much that is, is the model's: as
 * many that replays overlap below the measured edge, and do not above it. */
static void plan_registers(struct plan *plan, const struct agreement *agreement, const char *what,
                           enum measure_edge edge)
{
    static const unsigned more[REGISTER_VALUES] = {16, 24, 32, 40, 48, 64};
    struct measured_edge const found = measure_edge_find(agreement->measurement, edge);
    size_t const at = plan->register_count;

    if (isnan(found.at)) {
        found_set(agreement->system, what, NULL, "%s: no edge, or a sibling thread was always busy",
                  measure_edge_name(edge));
        return;
    }
    snprintf(plan->edges[at][0], MEASURED_NAME, "%s %.0f", measure_edge_name(edge), found.below);
    snprintf(plan->edges[at][1], MEASURED_NAME, "%s %.0f", measure_edge_name(edge), found.above);
    for (size_t i = 0; i < REGISTER_VALUES; i++) {
        snprintf(plan->counts[at][i], TEXT, "%.0f", found.below + more[i]);
        plan->count_values[at][i] = plan->counts[at][i];
    }
    for (size_t i = 0; i < 2; i++)
        plan->edge_cases[at][i] = plan->edges[at][i];
    /* Both sides of an edge differ by a factor of two. */
    plan->registers[plan->register_count++] = (struct agreement_key){
        .keys = {what}, .values = plan->count_values[at], .cases = plan->edge_cases[at], .agrees = 0.22};
}

/* ---- misses */
static void plan_misses(struct plan *plan, const struct agreement *agreement)
{
    static const char *const counts[] = {"32", "8", "10", "12", "16", "20", "24", "28", "40", "48", "64", NULL};
    static const char *const more[] = {"64", "48", "32", "24", "128", NULL};
    static const char *const walks[] = {"8", "1", "2", "4", "6", "12", "16", "32", NULL};
    static const char *const pages[] = {"32", "8", "16", "64", NULL};
    static const char *const chains[] = {"chains 8", "chains 16", "chains 32", NULL};

    plan->misses[plan->miss_count++] = (struct agreement_key){
        .keys = {"cpu.tlb.walker.outstanding"}, .values = walks, .cases = chains};
    plan->misses[plan->miss_count++] = (struct agreement_key){
        .keys = {"cpu.tlb.l1d.mshrs"}, .values = pages, .cases = chains};
    plan->misses[plan->miss_count++] = (struct agreement_key){.keys = {"l1d.mshrs"}, .values = counts, .cases = chains};
    if (agreement->system->caches >= 3)
        plan->misses[plan->miss_count++] = (struct agreement_key){
            .keys = {"l2.mshrs", "l3.mshrs"}, .values = more, .cases = chains};
}

/* ---- streams */
static const char *const widths[] = {"32B", "16B", "64B", "128B", NULL}, *const either[] = {"no", "yes", NULL};
static const char *const kinds[] = {"none", "stride", "ip_stride", "streamer", "tagged", NULL};
static const char *const outer_kinds[] = {"none", "streamer", "up_down", "stream", NULL};
static const char *const second_kinds[] = {"none", "streamer", "up_down", NULL};
static const char *const distances[] = {"0", "4", "8", "16", "32", NULL};
static const char *const degrees[] = {"0", "1", "2", "4", "8", NULL};

static void plan_streams(struct plan *plan, const struct agreement *agreement)
{
    static const char l1[] = "l1d.prefetcher.type", l2[] = "l2.prefetcher.type";
    const char *const *const lists = plan->list_cases, *const *const outer = plan->stream_cases;
    struct agreement_key const keys[] = {
        {.keys = {"l1d.prefetcher.type"}, .values = kinds, .cases = lists},
        {.keys = {"l1d.prefetcher.cross_pages"}, .values = either, .cases = lists, .needs = l1},
        {.keys = {"l1d.prefetcher.distance"}, .values = distances, .cases = lists, .needs = l1},
        {.keys = {"l1d.prefetcher.degree"}, .values = degrees, .cases = lists, .needs = l1},
        {.keys = {"l2.prefetcher.type"}, .values = outer_kinds, .cases = lists},
        {.keys = {"l2.prefetcher.distance"}, .values = distances, .cases = lists, .needs = l2},
        {.keys = {"l2.prefetcher.degree"}, .values = degrees, .cases = lists, .needs = l2},
        {.keys = {"l1d.prefetcher2.type"}, .values = second_kinds, .cases = lists, .needs = l1},
        {.keys = {"l2.prefetcher2.type"}, .values = second_kinds, .cases = lists, .needs = l2},
        {.keys = {"memory_bus.width"}, .values = widths, .cases = outer}
    };

    snprintf(plan->read, MEASURED_NAME, "read %zuK", agreement->measurement->memory.large_bytes >> 10);
    plan->stream_cases[0] = plan->read;
    plan->stream_cases[1] = "stride 64";
    plan->list_cases[0] = "stride 64";
    plan->list_cases[1] = "stride 512";
    plan->list_cases[2] = "stride 4096";
    plan->list_cases[3] = plan->read;
    /* Without a level behind all caches none of them shows. */
    plan->stream_count = agreement->system->caches < 3 ? 0 : sizeof keys / sizeof keys[0];
    memcpy(plan->streams, keys, sizeof keys);
}

/* ---- all keys */
static void make_plan(struct plan *plan, struct agreement *agreement)
{
    static const char *const delays[] = {"branch 1", NULL}, *const inner[] = {"read 128K", "read 3072K", NULL};

    plan_latencies(plan, agreement);
    plan->refill = (struct agreement_key){.keys = {"cpu.fetchToDecodeDelay"}, .unit = "", .from = 6, .least = 1,
                                          .most = 40, .gain = 2, .cases = delays};
    plan_registers(plan, agreement, "cpu.numPhysIntRegs", EDGE_INTEGERS);
    plan_registers(plan, agreement, "cpu.numPhysFloatRegs", EDGE_VECTORS);
    plan_misses(plan, agreement);
    plan->inner = (struct agreement_key){.keys = {"cache_bus.width"}, .values = widths, .cases = inner};
    plan_streams(plan, agreement);
}

static size_t add_keys(struct agreement_key **all, size_t count, struct agreement_key *keys, size_t more)
{
    for (size_t i = 0; i < more; i++)
        all[count++] = &keys[i];
    return count;
}

/* Latencies shift what misses and streams take, and these, with page walks and prefetches, shift latencies. */
static struct fault find_round(struct agreement *agreement, struct plan *plan, bool *is_changed)
{
    struct agreement_key *group[MOST_KEYS];

    for (size_t i = 0; i < plan->level_count; i++)
        FORWARD(agreement_adjust(agreement, &plan->latencies[i], is_changed));
    FORWARD(agreement_adjust(agreement, &plan->refill, is_changed));
    for (size_t i = 0; i < plan->register_count; i++) {
        group[0] = &plan->registers[i];
        FORWARD(agreement_choose(agreement, group, 1, is_changed));
    }
    FORWARD(agreement_choose(agreement, group, add_keys(group, 0, plan->misses, plan->miss_count), is_changed));
    group[0] = &plan->inner;
    FORWARD(agreement_choose(agreement, group, 1, is_changed));
    return plan->stream_count == 0 ? fault_none()
        : agreement_choose(agreement, group, add_keys(group, 0, plan->streams, plan->stream_count), is_changed);
}

static struct fault find_all(struct agreement *agreement, struct plan *plan)
{
    struct agreement_key *all[MOST_KEYS];
    size_t count;
    bool is_changed = true;

    for (size_t i = 0; i < plan->miss_count; i++)
        agreement_put_first(agreement, &plan->misses[i]);
    for (size_t i = 0; i < plan->stream_count; i++)
        agreement_put_first(agreement, &plan->streams[i]);
    for (int round = 0; round < MOST_ROUNDS && is_changed; round++) {
        is_changed = false;
        FORWARD(find_round(agreement, plan, &is_changed));
    }
    count = add_keys(all, 0, plan->latencies, plan->level_count);
    count = add_keys(all, count, &plan->refill, 1);
    count = add_keys(all, count, plan->registers, plan->register_count);
    count = add_keys(all, count, plan->misses, plan->miss_count);
    count = add_keys(all, count, &plan->inner, 1);
    count = add_keys(all, count, plan->streams, plan->stream_count);
    return agreement_settle(agreement, all, count);
}

struct fault agreement_run(struct found_system *system, struct measurement *measurement,
                           const struct agreement_options *options)
{
    struct agreement *const agreement = agreement_open(system, measurement, options);
    struct plan *const plan = calloc(1, sizeof *plan);
    struct fault fault = fault_memory("measure", "replays");

    if (agreement && plan) {
        fix_responses(agreement);
        make_plan(plan, agreement);
        fault = find_all(agreement, plan);
    }
    agreement_close(agreement);
    free(plan);
    return fault.kind == FAULT_NONE && system->is_out_of_memory ? fault_memory("measure", "the keys of the system")
                                                                 : fault;
}

/* ---- curves */
enum curve_cost { CURVE_USUAL, CURVE_LONG, CURVE_NEVER };

/* Footprints that the last cache holds must be read once before, which takes seconds of a replay; larger ones thrash it
 * and may begin cold. */
static enum curve_cost cost_of(const struct micro_case *what, uint64_t cache_bytes)
{
    if (what->kind == CASE_CORES)
        return what->number > MICRO_MOST_CORES ? CURVE_NEVER : CURVE_USUAL;
    if (what->kind != CASE_CHASE || what->bytes <= MICRO_REFILL_BYTES || 2 * what->bytes >= 3 * cache_bytes)
        return CURVE_USUAL;
    return CURVE_LONG;
}

static bool is_of_curve(const struct measured *measured, const char *name)
{
    size_t const length = strlen(name);

    return strncmp(measured->name, name, length) == 0 && measured->name[length] == ' '
        && strtod(measured->name + length, NULL) > 0;
}

/* Those of a cost, and of a curve, that no replay of the system was made of yet. */
static size_t points_of(const struct agreement *agreement, const char *name, enum curve_cost cost,
                        struct measured *points[MOST_POINTS])
{
    uint64_t const cache_bytes = agreement->system->caches > 0
        ? agreement->system->level_bytes[agreement->system->caches - 1] : 0;
    size_t count = 0;

    for (size_t i = 0; i < agreement->measurement->count && count < MOST_POINTS; i++) {
        struct measured *const measured = &agreement->measurement->list[i];

        if (is_of_curve(measured, name) && cost_of(&measured->what, cache_bytes) == cost)
            points[count++] = measured;
    }
    return count;
}

struct curve_pace {
    double spent_s;                      /* of the last replay ... */
    uint64_t bytes;                      /* ... of this footprint */
};

/* A long replay takes as long as there are lines to read before it. */
static bool can_replay(struct agreement *agreement, const struct measured *measured, const struct curve_pace *pace,
                       bool is_long)
{
    if (!is_long || pace->bytes == 0)
        return agreement_has_time(agreement, measured->name);
    return agreement_has_time(agreement, measured->name)
        && pace->spent_s / (double)pace->bytes * (double)measured->what.bytes < agreement_time_left(agreement);
}

/* Every eighth point, then those between, so that a curve that time cuts short has its shape. A curve has one point of
 * the usual cost at least. */
static struct fault replay_curve(struct agreement *agreement, const char *name, enum curve_cost cost)
{
    bool const is_long = cost == CURVE_LONG;
    struct measured *points[MOST_POINTS];
    size_t const count = points_of(agreement, name, cost, points);
    struct curve_pace pace = {.bytes = 0};

    for (size_t step = 8; step > 0; step /= 2)
        for (size_t i = 0; i < count; i += step) {
            double const start_s = host_clock_s();

            if (isfinite(points[i]->simulated))
                continue;
            if (!can_replay(agreement, points[i], &pace, is_long)
                && (is_long || pace.bytes > 0 || agreement->is_interrupted))
                return fault_none();
            FORWARD(agreement_simulate(agreement, points[i], is_long ? points[i]->what.bytes : MICRO_REFILL_BYTES));
            pace = (struct curve_pace){host_clock_s() - start_s, points[i]->what.bytes + 1};
        }
    return fault_none();
}

struct fault agreement_curves(const struct found_system *system, struct measurement *measurement,
                              const struct agreement_options *options)
{
    static const char *const names[] = {"cores", "chase", "chains", "stride", "window"};
    struct found_system copy = *system;
    struct agreement *const agreement = agreement_open(&copy, measurement, options);
    struct fault fault = agreement ? fault_none() : fault_memory("measure", "replays");

    for (enum curve_cost cost = CURVE_USUAL; cost < CURVE_NEVER; cost++)
        /* A curve that cannot be replayed costs itself only. */
        for (size_t i = 0; i < sizeof names / sizeof names[0] && fault.kind != FAULT_MEMORY; i++)
            fault = replay_curve(agreement, names[i], cost);
    agreement_close(agreement);
    return fault.kind == FAULT_MEMORY ? fault : fault_none();
}
