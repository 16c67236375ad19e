/* Statistics are a table, regions by names, in the order in which the first region has them. An estimate from a part of
 * the regions is one of weighted sums, with the weights of a stratum shared among the regions of it that are left. */
#include "replay/regions/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/path.h"

enum { STEPS = 200, PARTS = 4000 };

static struct fault no_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory for the statistics of regions");
}

/* ---- statistics */
enum kind { COUNTS, AVERAGES, LEFT_OUT };

/* Statistics that no sum makes sense of, by a part of their names. */
static const struct { const char *part; enum kind kind; } kinds[] = {
    {"::p50", LEFT_OUT}, {"::p90", LEFT_OUT}, {"::p95", LEFT_OUT}, {"::p99", LEFT_OUT}, {"Latency::mean", LEFT_OUT},
    {"Latency::max", LEFT_OUT}, {".avg", AVERAGES}, {"blockedShare", AVERAGES}, {"blockedBy", AVERAGES},
    {"sramArea", AVERAGES},
    {"peakBW", AVERAGES}, {"simFreq", AVERAGES}, {"PeakBW", AVERAGES}, {"sectorBytes", AVERAGES},
    {"gpu.occupancy", AVERAGES}, {"gridLimited", AVERAGES}
};

static enum kind kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(name, kinds[i].part))
            return kinds[i].kind;
    return COUNTS;
}

bool estimate_is_average(const char *name)
{
    return kind_of(name) == AVERAGES;
}

struct fault estimate_begin(struct estimate *estimate, const struct region_set *set)
{
    *estimate = (struct estimate){.set = set, .values = calloc(set->count, sizeof *estimate->values),
                                  .value_rooms = calloc(set->count, sizeof *estimate->value_rooms)};
    return estimate->values && estimate->value_rooms ? fault_none() : no_memory();
}

/* Runs on one system have the same statistics, mostly in the same order. False: out of memory. */
static bool find_name(struct estimate *estimate, const char *name, size_t *at)
{
    for (size_t i = 0; i < estimate->count; i++) {
        *at = (estimate->next + i) % estimate->count;
        if (strcmp(estimate->names[*at], name) == 0)
            return true;
    }
    if (!list_fit(&estimate->names, estimate->count + 1, &estimate->room, sizeof *estimate->names))
        return false;
    *at = estimate->count;
    estimate->names[*at] = strdup(name);
    estimate->count += estimate->names[*at] != NULL;
    return estimate->count > *at;
}

struct fault estimate_add(struct estimate *estimate, size_t region, const char *name, double value)
{
    size_t at, had = estimate->value_rooms[region];

    if (kind_of(name) == LEFT_OUT)
        return fault_none();
    if (!find_name(estimate, name, &at)
        || !list_fit(&estimate->values[region], at + 1, &estimate->value_rooms[region], sizeof **estimate->values))
        return no_memory();
    for (; had < estimate->value_rooms[region]; had++)
        estimate->values[region][had] = NAN;
    estimate->values[region][at] = value;
    estimate->next = at + 1;
    return fault_none();
}

bool estimate_has(const struct estimate *estimate, size_t region)
{
    return estimate->value_rooms[region] > 0;
}

static double value_of(const struct estimate *estimate, size_t region, size_t at)
{
    return at < estimate->value_rooms[region] ? estimate->values[region][at] : (double)NAN;
}

/* The sum of the statistics whose names end so. */
static double sum_of(const struct estimate *estimate, size_t region, const char *ending)
{
    double sum = 0;

    for (size_t i = 0; i < estimate->count; i++)
        if (text_ends_in(estimate->names[i], ending) && !isnan(value_of(estimate, region, i)))
            sum += value_of(estimate, region, i);
    return sum;
}

/* Instructions of cores, or of a GPU's warps. */
static double work_of(const struct estimate *estimate, size_t region)
{
    return sum_of(estimate, region, estimate->set->is_of_kernels ? "gpu.warp_insts" : ".commitStats0.numInsts");
}

double estimate_region_time(const struct estimate *estimate, size_t region)
{
    return sum_of(estimate, region, "simTicks") / work_of(estimate, region);
}

/* ---- estimates */
struct run {
    double instructions, ticks;          /* of a region's run */
};

/* Weights of a stratum: of all its regions, and of those that were run, without one of them. */
struct shared { double all, left; };

static struct shared shared_of(const struct estimate *estimate, uint32_t stratum, size_t without)
{
    struct shared shared = {0};

    for (size_t i = 0; i < estimate->set->count; i++)
        if (estimate->set->regions[i].stratum == stratum) {
            shared.all += estimate->set->regions[i].weight;
            shared.left += i != without && estimate_has(estimate, i) ? estimate->set->regions[i].weight : 0;
        }
    return shared;
}

/* Of each region: how much of the program a run of it stands for. */
static void weights_without(const struct estimate *estimate, const struct run *runs, size_t without, double *weights)
{
    const struct region_set *const set = estimate->set;

    for (uint32_t stratum = 0; stratum < set->stratum_count; stratum++) {
        struct shared const shared = shared_of(estimate, stratum, without);

        for (size_t i = 0; i < set->count; i++)
            if (set->regions[i].stratum == stratum)
                weights[i] = i == without || !estimate_has(estimate, i) ? 0
                    : set->regions[i].weight * (shared.all / shared.left) * (double)set->instructions
                          / runs[i].instructions;
    }
}

/* A statistic of the whole program, by these weights; NAN: no region has it. */
static double whole_of(const struct estimate *estimate, const struct run *runs, const double *weights, size_t at)
{
    bool const is_average = kind_of(estimate->names[at]) == AVERAGES;
    double sum = 0, time = 0;
    bool has = false;

    for (size_t i = 0; i < estimate->set->count; i++) {
        double const value = value_of(estimate, i, at), weight = weights[i] * (is_average ? runs[i].ticks : 1);

        if (isnan(value) || weight <= 0)
            continue;
        has = true;
        sum += weight * value;
        time += weight;
    }
    return !has ? (double)NAN : is_average ? sum / time : sum;
}

static struct fault make_figures(const struct estimate *estimate, const struct run *runs, const double *weights,
                                 struct figures *figures)
{
    *figures = (struct figures){0};
    for (size_t at = 0; at < estimate->count; at++) {
        double const value = whole_of(estimate, runs, weights, at);

        if (!isnan(value))
            figures_add(figures, estimate->names[at], value);
    }
    return figures_finish(figures);
}

struct taking {
    struct estimate *estimate;
    bool has_failed;
};

static void take_metric(void *context, const char *name, const struct metric *metric, double value)
{
    struct taking *const taking = context;
    struct estimate *const estimate = taking->estimate;

    if (isnan(value) || taking->has_failed)
        return;
    taking->has_failed = !list_fit(&estimate->metrics, estimate->metric_count + 1, &estimate->metric_room,
                                   sizeof *estimate->metrics);
    if (taking->has_failed)
        return;
    estimate->metrics[estimate->metric_count] =
        (struct estimated){.name = strdup(name), .metric = metric, .value = value, .half = (double)NAN};
    taking->has_failed = !estimate->metrics[estimate->metric_count].name;
    estimate->metric_count += !taking->has_failed;
}

static struct fault make_values(struct estimate *estimate, const struct run *runs, double *weights)
{
    struct taking taking = {estimate, false};
    struct figures figures;
    struct fault fault;

    weights_without(estimate, runs, estimate->set->count, weights);
    fault = make_figures(estimate, runs, weights, &figures);
    if (fault.kind == FAULT_NONE)
        metrics_visit(&figures, true, take_metric, &taking);
    figures_free(&figures);
    return fault.kind == FAULT_NONE && taking.has_failed ? no_memory() : fault;
}

/* ---- intervals of confidence */
/* Regions that were taken of a stratum. */
static size_t regions_of(const struct estimate *estimate, uint32_t stratum)
{
    size_t count = 0;

    for (size_t i = 0; i < estimate->set->count; i++)
        count += estimate->set->regions[i].stratum == stratum && estimate_has(estimate, i);
    return count;
}

/* Degrees of freedom; below 0: a stratum does not say how much its intervals differ. A stratum that was taken as a
 * whole adds no error; if all were, the estimate is exact. */
static double freedom_of(const struct estimate *estimate)
{
    const struct region_set *const set = estimate->set;
    size_t freedom = 0;

    if (set->method == REGIONS_GIVEN)
        return -1;
    for (uint32_t i = 0; i < set->stratum_count; i++) {
        size_t const count = regions_of(estimate, i);

        if (count < 2 && count < set->strata[i].intervals)
            return -1;
        freedom += count - 1;
    }
    return (double)freedom;
}

struct spread { double sum, squares; };

/* The spread of all metrics when each region of a stratum is left out in turn, added to `variances`. */
static struct fault add_stratum(struct estimate *estimate, const struct run *runs, uint32_t stratum,
                                double *weights, struct spread *spreads, double *variances)
{
    const struct region_set *const set = estimate->set;
    double const count = (double)regions_of(estimate, stratum), of = (double)set->strata[stratum].intervals;

    memset(spreads, 0, estimate->metric_count * sizeof *spreads);
    for (size_t i = 0; i < set->count && count > 1; i++) {
        struct figures figures;
        struct fault fault;

        if (set->regions[i].stratum != stratum || !estimate_has(estimate, i))
            continue;
        weights_without(estimate, runs, i, weights);
        fault = make_figures(estimate, runs, weights, &figures);
        for (size_t k = 0; k < estimate->metric_count && fault.kind == FAULT_NONE; k++) {
            double const off = metrics_value(&figures, estimate->metrics[k].name) - estimate->metrics[k].value;

            estimate->moves[k * set->count + i] = off;
            spreads[k].sum += off;
            spreads[k].squares += off * off;
        }
        figures_free(&figures);
        FORWARD(fault);
    }
    for (size_t k = 0; k < estimate->metric_count && count > 1; k++)
        variances[k] += (of > count ? 1 - count / of : 0) * (count - 1) / count
                        * (spreads[k].squares - spreads[k].sum * spreads[k].sum / count);
    return fault_none();
}

static struct fault make_intervals(struct estimate *estimate, const struct run *runs, double *weights,
                                   double confidence)
{
    double const freedom = freedom_of(estimate);
    double *const variances = calloc(estimate->metric_count + 1, sizeof *variances);
    struct spread *const spreads = calloc(estimate->metric_count + 1, sizeof *spreads);
    double const t = freedom > 0 ? estimate_t(confidence, freedom) : 0;
    struct fault fault = variances && spreads ? fault_none() : no_memory();

    free(estimate->moves);
    estimate->moves = calloc(estimate->metric_count * estimate->set->count + 1, sizeof *estimate->moves);
    if (!estimate->moves)
        fault = no_memory();
    estimate->has_intervals = freedom >= 0;
    for (uint32_t i = 0; i < estimate->set->stratum_count && estimate->has_intervals && fault.kind == FAULT_NONE; i++)
        fault = add_stratum(estimate, runs, i, weights, spreads, variances);
    for (size_t k = 0; k < estimate->metric_count && estimate->has_intervals && fault.kind == FAULT_NONE; k++) {
        estimate->metrics[k].half = variances[k] > 0 ? t * sqrt(variances[k]) : 0;
        estimate->metrics[k].moves = estimate->moves + k * estimate->set->count;
    }
    free(variances);
    free(spreads);
    return fault;
}

static struct fault make_runs(const struct estimate *estimate, struct run *runs)
{
    size_t const count = estimate->set->count;

    for (size_t i = 0; i < count; i++) {
        if (!estimate_has(estimate, i))
            continue;
        runs[i] = (struct run){work_of(estimate, i), sum_of(estimate, i, "simTicks")};
        if (!(runs[i].instructions > 0) || !(runs[i].ticks > 0))
            return fault_make(FAULT_STALL, "region %zu of %zu executed no instruction", i + 1, count);
    }
    return fault_none();
}

static void forget_metrics(struct estimate *estimate)
{
    for (size_t i = 0; i < estimate->metric_count; i++)
        free(estimate->metrics[i].name);
    estimate->metric_count = 0;
}

struct fault estimate_make(struct estimate *estimate, double confidence)
{
    size_t const count = estimate->set->count;
    struct run *const runs = calloc(count, sizeof *runs);
    double *const weights = calloc(count, sizeof *weights);
    struct fault fault = runs && weights ? make_runs(estimate, runs) : no_memory();

    forget_metrics(estimate);
    if (fault.kind == FAULT_NONE && WORKS(fault, make_values(estimate, runs, weights)))
        fault = make_intervals(estimate, runs, weights, confidence);
    free(runs);
    free(weights);
    return fault;
}

struct fault estimate_visit(const struct estimate *estimate,
                            void (*visit)(void *context, const char *name, double value), void *context)
{
    size_t const count = estimate->set->count;
    struct run *const runs = calloc(count, sizeof *runs);
    double *const weights = calloc(count, sizeof *weights);
    struct fault fault = runs && weights ? make_runs(estimate, runs) : no_memory();

    if (fault.kind == FAULT_NONE)
        weights_without(estimate, runs, count, weights);
    for (size_t at = 0; at < estimate->count && fault.kind == FAULT_NONE; at++) {
        double const value = whole_of(estimate, runs, weights, at);

        if (!isnan(value))
            visit(context, estimate->names[at], value);
    }
    free(runs);
    free(weights);
    return fault;
}

/* ---- kept statistics: region, value, name */
bool estimate_save(const struct estimate *estimate, FILE *file)
{
    for (size_t i = 0; i < estimate->set->count; i++)
        for (size_t at = 0; at < estimate->count; at++)
            if (!isnan(value_of(estimate, i, at)))
                fprintf(file, "%zu\t%a\t%s\n", i, value_of(estimate, i, at), estimate->names[at]);
    return fflush(file) == 0 && !ferror(file);
}

struct fault estimate_load(struct estimate *estimate, FILE *file)
{
    struct fault fault = fault_none();
    char *line = NULL;
    size_t room = 0;

    while (fault.kind == FAULT_NONE && getline(&line, &room, file) >= 0) {
        char *rest;
        size_t const region = strtoull(line, &rest, 10);
        double const value = strtod(rest, &rest);

        rest[strcspn(rest, "\n")] = '\0';
        fault = region < estimate->set->count && *rest == '\t' && rest[1]
            ? estimate_add(estimate, region, rest + 1, value)
            : fault_make(FAULT_STALL, "the kept statistics of regions are damaged; run the sweep again");
    }
    free(line);
    return fault;
}

const struct estimated *estimate_metric(const struct estimate *estimate, const char *name)
{
    for (size_t i = 0; i < estimate->metric_count; i++)
        if (strcmp(estimate->metrics[i].name, name) == 0)
            return &estimate->metrics[i];
    return NULL;
}

void estimate_free(struct estimate *estimate)
{
    for (size_t i = 0; i < estimate->count; i++)
        free(estimate->names[i]);
    for (size_t i = 0; estimate->values && i < estimate->set->count; i++)
        free(estimate->values[i]);
    forget_metrics(estimate);
    free(estimate->moves);
    free(estimate->names);
    free(estimate->values);
    free(estimate->value_rooms);
    free(estimate->metrics);
    *estimate = (struct estimate){0};
}

/* ---- Student's t */
/* The density integrated from 0 to `t`, by Simpson's rule over an angle: t = sqrt(freedom) tan(angle). */
static double part_below(double t, double freedom)
{
    double const end = atan(t / sqrt(freedom)), step = end / PARTS;
    double const scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(3.14159265358979324);
    double sum = 0;

    for (unsigned i = 0; i <= PARTS; i++)
        sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * pow(cos(step * i), freedom - 1);
    return scale * sum * step / 3;
}

double estimate_t(double confidence, double freedom)
{
    double low = 0, high = 1;

    while (part_below(high, freedom) < confidence / 2)
        high *= 2;
    for (unsigned i = 0; i < STEPS && high - low > 1e-9 * high; i++) {
        double const middle = (low + high) / 2;

        if (part_below(middle, freedom) < confidence / 2)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
