#include "sweep/measure/measure_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* Times of one miss: up to OVERLAPPED two of them overlap, from IN_ROW on they do not; between, some do, as where a
 * sibling thread came while a pass ran. */
#define OVERLAPPED 1.6
#define EDGE_OF_MISSES 1.75
#define IN_ROW 1.9

enum { CURVE_MOST_POINTS = 128 };

#define MEASURE_EDGE_NAME(suffix, name) name,
static const char *const edge_names[] = { MEASURE_EDGES(MEASURE_EDGE_NAME) };

const char *measure_edge_name(enum measure_edge edge)
{
    return edge_names[edge];
}

static struct fault plan_full(void)
{
    return fault_memory("measure", "the list of microbenchmarks");
}

/* ---- operations */
/* name, operation, has a latency, has a rate */
#define MEASURE_OPERATIONS(O)                                                                                         \
    O("nop", NOP, 0, 1) O("add", SUM, 1, 1) O("mul", MUL, 1, 1) O("div", DIV, 1, 0) O("move", MOVE, 1, 0)             \
    O("zero", ZERO, 0, 1) O("fadd", FADD, 1, 1) O("fmul", FMUL, 1, 1) O("fma", FMA, 1, 1) O("fdiv", FDIV, 1, 1)       \
    O("fsqrt", FSQRT, 1, 1) O("vadd", VADD, 1, 1) O("vmul", VMUL, 1, 1) O("load", LOAD, 0, 1)                         \
    O("store", STORE, 0, 1) O("vload", VLOAD, 0, 1) O("vstore", VSTORE, 0, 1)

static bool add_operations(struct measurement *measurement)
{
    static const struct { const char *name; enum micro_operation operation; bool has_latency, has_rate; } list[] = {
#define OPERATION_ROW(name, operation, latency, rate) {name, MICRO_##operation, latency, rate},
        MEASURE_OPERATIONS(OPERATION_ROW)
    };
    bool is_added = true;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct micro_case what = {.kind = CASE_OPERATION, .operation = list[i].operation};

        if (list[i].has_rate)
            is_added = measurement_add(measurement, &what, "%s", list[i].name) && is_added;
        what.chains = 1;
        if (list[i].has_latency)
            is_added = measurement_add(measurement, &what, "%s_lat", list[i].name) && is_added;
    }
    for (unsigned way = 0; way < 4; way++)
        is_added = measurement_add(measurement, &(struct micro_case){.kind = CASE_FORWARD, .number = way},
                                   "forward %u", way) && is_added;
    return is_added;
}

/* ---- curves */
static bool add_number(struct measurement *measurement, const char *name, struct micro_case what, unsigned number)
{
    what.number = number;
    return measurement_add(measurement, &what, "%s %u", name, number) != NULL;
}

static bool add_numbers(struct measurement *measurement, const char *name, struct micro_case what,
                        const unsigned *numbers)
{
    bool is_added = true;

    for (; *numbers; numbers++)
        is_added = add_number(measurement, name, what, *numbers) && is_added;
    return is_added;
}

/* The curve's cases without their number. */
static struct micro_case case_of_edge(const struct measurement *measurement, enum measure_edge edge)
{
    struct micro_case what = {.kind = CASE_WINDOW, .operation = MICRO_OPERATION_COUNT,
                              .bytes = measurement->memory.large_bytes};

    switch (edge) {
    case EDGE_INTEGERS: what.operation = MICRO_ADD; break;
    case EDGE_VECTORS: what.operation = MICRO_VADD; break;
    case EDGE_LOADS: what.operation = MICRO_LOAD; break;
    case EDGE_STORES: what.operation = MICRO_STORE; break;
    case EDGE_WAITING: what.operation = MICRO_OR; break;
    case EDGE_PAGES: case EDGE_MORE_PAGES: what = (struct micro_case){.kind = CASE_PAGES}; break;
    case EDGE_JUMPS: what = (struct micro_case){.kind = CASE_JUMPS}; break;
    case EDGE_WAYS: what = (struct micro_case){.kind = CASE_WAYS, .bytes = 64 * 1024}; break;
    default: break;
    }
    return what;
}

static const unsigned *numbers_of_edge(enum measure_edge edge)
{
    static const unsigned windows[] = {24, 48, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 800, 0};
    static const unsigned queues[] = {16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0};
    static const unsigned pages[] = {16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 0};
    static const unsigned more[] = {768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 0};
    static const unsigned jumps[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 0};
    static const unsigned ways[] = {2, 4, 6, 8, 10, 12, 16, 20, 24, 0};

    switch (edge) {
    case EDGE_WINDOW: case EDGE_INTEGERS: case EDGE_VECTORS: return windows;
    case EDGE_PAGES: return pages;
    case EDGE_MORE_PAGES: return more;
    case EDGE_JUMPS: return jumps;
    case EDGE_WAYS: return ways;
    default: return queues;
    }
}

static bool add_point(struct measurement *measurement, enum measure_edge edge, unsigned number)
{
    struct micro_case const what = case_of_edge(measurement, edge), lines = {.kind = CASE_LINES};

    return add_number(measurement, edge_names[edge], what, number)
        && (what.kind != CASE_PAGES || add_number(measurement, "lines", lines, number));
}

static bool add_edges(struct measurement *measurement)
{
    bool is_added = true;

    for (enum measure_edge edge = 0; edge < EDGE_COUNT; edge++)
        for (const unsigned *number = numbers_of_edge(edge); *number; number++)
            is_added = add_point(measurement, edge, *number) && is_added;
    return is_added;
}

/* ---- memory */
static bool add_size(struct measurement *measurement, const char *name, struct micro_case what, uint64_t bytes)
{
    what.bytes = bytes;
    return measurement_add(measurement, &what, "%s %" PRIu64 "K", name, bytes >> 10) != NULL;
}

static bool add_footprints(struct measurement *measurement)
{
    struct micro_case const chase = {.kind = CASE_CHASE, .chains = 1};
    uint64_t const most = measurement->memory.large_bytes;
    bool is_added = true;

    for (uint64_t bytes = 4096; bytes <= most; bytes *= 2) {
        is_added = add_size(measurement, "chase", chase, bytes) && is_added;
        if (bytes + bytes / 2 <= most && bytes >= 16384)
            is_added = add_size(measurement, "chase", chase, bytes + bytes / 2) && is_added;
    }
    return is_added;
}

static bool add_streams(struct measurement *measurement)
{
    static const char *const names[] = {"read", "write", "copy"};
    uint64_t const most = measurement->memory.large_bytes;
    uint64_t const sizes[] = {8 << 10, 128 << 10, 3 << 20, most};
    bool is_added = true;

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (unsigned i = 0; i < 3 && (s + 1 == sizeof sizes / sizeof sizes[0] || sizes[s] < most); i++)
            is_added = add_size(measurement, names[i], (struct micro_case){.kind = CASE_READ + i},
                                i == 2 && sizes[s] == most ? most / 2 : sizes[s]) && is_added;
    return is_added;
}

static bool add_chains(struct measurement *measurement)
{
    static const unsigned chains[] = {1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32};
    uint64_t const most = measurement->memory.large_bytes;
    bool is_added = true;

    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        struct micro_case what = {.kind = CASE_CHASE, .chains = chains[i], .bytes = most};

        is_added = measurement_add(measurement, &what, "chains %u", chains[i]) && is_added;
    }
    return is_added;
}

static bool add_strides(struct measurement *measurement)
{
    static const unsigned strides[] = {64, 128, 256, 512, 1024, 2048, 4096, 0};
    struct micro_case const what = {.kind = CASE_STRIDE, .bytes = measurement->memory.large_bytes};

    return add_numbers(measurement, "stride", what, strides);
}

/* One, two, four cores and so on, and all of them. */
static bool add_cores(struct measurement *measurement)
{
    unsigned const all = measurement->host.core_count;
    bool is_added = measurement_add(measurement, &(struct micro_case){.kind = CASE_HAND}, "hand") != NULL;

    for (unsigned cores = 1; cores > 0 && cores <= all; cores = cores == all ? 0 : 2 * cores < all ? 2 * cores : all)
        is_added = add_number(measurement, "cores", (struct micro_case){.kind = CASE_CORES}, cores) && is_added;
    return is_added;
}

/* ---- branches and code */
static bool add_code(struct measurement *measurement)
{
    static const unsigned periods[] = {4, 16, 64, 256, 1024, 4096, 0};
    struct micro_case const branch = {.kind = CASE_BRANCH};
    bool is_added = add_number(measurement, "branch", branch, 0) && add_number(measurement, "branch", branch, 1)
        && add_numbers(measurement, "period", (struct micro_case){.kind = CASE_PERIOD}, periods);

    for (uint64_t bytes = 8 << 10; bytes <= 1 << 20; bytes *= 2) {
        is_added = add_size(measurement, "code", (struct micro_case){.kind = CASE_CODE}, bytes) && is_added;
        is_added = add_size(measurement, "fetch", (struct micro_case){.kind = CASE_FETCH}, bytes) && is_added;
    }
    return is_added;
}

/* Those that follow the same ring are neighbours, since laying one takes longer than a pass; streams overwrite it. */
struct fault measure_plan_add(struct measurement *measurement)
{
    bool const is_added = add_operations(measurement) && add_footprints(measurement) && add_chains(measurement)
        && add_edges(measurement) && add_strides(measurement) && add_streams(measurement) && add_cores(measurement)
        && add_code(measurement);

    return is_added ? fault_none() : plan_full();
}

/* ---- reading curves */
static int by_x(const void *a, const void *b)
{
    double const x = ((const struct curve_point *)a)->x, y = ((const struct curve_point *)b)->x;

    return x < y ? -1 : x > y;
}

/* The number behind the name; 0: it is no point of that curve. */
static double number_behind(const char *text, const char *name)
{
    size_t const length = strlen(name);
    char *end;
    double number;

    if (strncmp(text, name, length) != 0 || text[length] != ' ')
        return 0;
    number = strtod(text + length + 1, &end);
    return *end == 'K' ? number * 1024 : *end == '\0' ? number : 0;
}

static double lines_of(const struct measurement *measurement, double number)
{
    char name[MEASURED_NAME];

    snprintf(name, sizeof name, "lines %.0f", number);
    return measurement_value(measurement, name);
}

size_t measure_curve(const struct measurement *measurement, const char *name, struct curve_point *points, size_t most)
{
    size_t count = 0;

    for (size_t i = 0; i < measurement->count && count < most; i++) {
        const struct measured *const measured = &measurement->list[i];
        double const x = number_behind(measured->name, name);

        if (x <= 0)
            continue;
        points[count++] = (struct curve_point){
            x, passes_value(&measured->cycles)
                - (measured->what.kind == CASE_PAGES ? lines_of(measurement, x) : 0)};
    }
    qsort(points, count, sizeof *points, by_x);
    return count;
}

/* ---- edges */
/* Cycles of a hit in the second level of TLBs: the least of what lies in it and not in the first. */
static double hit_of_pages(const struct curve_point *points, size_t count)
{
    enum { BEHIND_FIRST = 384, IN_SECOND = 1024 };
    double least = (double)NAN;

    for (size_t i = 0; i < count; i++)
        if (points[i].x >= BEHIND_FIRST && points[i].x <= IN_SECOND)
            least = fmin(least, points[i].y);
    return least;
}

/* The height between both sides. */
static double height_of_edge(enum measure_edge edge, const struct curve_point *points, size_t count)
{
    double low = INFINITY;

    for (size_t i = 0; i < count; i++)
        low = fmin(low, isfinite(points[i].y) ? points[i].y : INFINITY);
    switch (edge) {
    case EDGE_PAGES: return 2.5;                 /* of the L2 TLB's five or more */
    case EDGE_MORE_PAGES: return hit_of_pages(points, count) + 4;        /* least of a walk */
    case EDGE_JUMPS: return 5;                   /* a target that decoding finds, at the earliest */
    case EDGE_WAYS: return 2 * low;
    default: return EDGE_OF_MISSES * low;        /* one miss takes the time of one, two in a row that of two */
    }
}

static bool is_of_misses(enum measure_edge edge)
{
    return edge < EDGE_PAGES;
}

/* Points beyond the height count only if no sibling thread was busy. */
static void leave_out_disturbed(const struct measurement *measurement, enum measure_edge edge, double height,
                                struct curve_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[MEASURED_NAME];
        const struct measured *measured;

        snprintf(name, sizeof name, "%s %.0f", edge_names[edge], points[i].x);
        measured = measurement_find(measurement, name);
        if (points[i].y >= height && measured && isnan(measured_quiet(measurement, measured, 0)))
            points[i].y = (double)NAN;
        if (is_of_misses(edge) && points[i].y >= height / EDGE_OF_MISSES * OVERLAPPED
            && points[i].y < height / EDGE_OF_MISSES * IN_ROW)
            points[i].y = (double)NAN;
    }
}

struct measured_edge measure_edge_find(const struct measurement *measurement, enum measure_edge edge)
{
    struct curve_point points[CURVE_MOST_POINTS];
    size_t const count = measure_curve(measurement, edge_names[edge], points, CURVE_MOST_POINTS);
    double const height = height_of_edge(edge, points, count);
    double const nothing = (double)NAN;
    struct measured_edge found = {nothing, nothing, nothing, nothing, nothing};
    size_t below, above;

    leave_out_disturbed(measurement, edge, height, points, count);
    found.at = curve_crossing(points, count, height, &below, &above);
    if (below < count) {
        found.below = points[below].x;
        found.fast = points[below].y;
    }
    if (above < count) {
        found.above = points[above].x;
        found.slow = points[above].y;
    }
    return found;
}

/* Points inside the step on which the edge lies. */
static bool refine_edge(struct measurement *measurement, enum measure_edge edge)
{
    struct measured_edge const found = measure_edge_find(measurement, edge);
    bool is_added = true;
    unsigned last;

    if (!isfinite(found.below) || !isfinite(found.above))
        return true;
    last = (unsigned)found.below;
    for (unsigned part = 1; part < 8; part++) {
        unsigned const number = (unsigned)(found.below + (found.above - found.below) * part / 8);

        if (number > last && number < (unsigned)found.above)
            is_added = add_point(measurement, edge, number) && is_added;
        last = number;
    }
    return is_added;
}

struct fault measure_plan_refine(struct measurement *measurement, size_t *first)
{
    *first = measurement->count;
    for (enum measure_edge edge = 0; edge < EDGE_COUNT; edge++)
        if (edge != EDGE_JUMPS && !refine_edge(measurement, edge))
            return plan_full();
    return fault_none();
}

size_t measure_levels(const struct measurement *measurement, struct curve_level levels[CURVE_MOST_LEVELS])
{
    struct curve_point points[CURVE_MOST_POINTS];
    size_t const count = measure_curve(measurement, "chase", points, CURVE_MOST_POINTS);

    return curve_levels(points, count, 3, 0.15, levels);
}
