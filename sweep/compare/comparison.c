/* Plain arrays over the table's rows; programs and systems are few, so they are found by looking through. */
#include "sweep/compare/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/compare/rank_correlation.h"
#include "sweep/results/results.h"

/* ---- set-up */

/* Index of the name, which is added if it is new. */
static size_t system_index(struct comparison *comparison, const char *name)
{
    size_t i = 0;

    while (i < comparison->system_count && strcmp(comparison->systems[i], name) != 0)
        i++;
    if (i == comparison->system_count)
        comparison->systems[comparison->system_count++] = name;
    return i;
}

static size_t program_index(struct comparison *comparison, const char *name)
{
    size_t i = 0;

    while (i < comparison->program_count && strcmp(comparison->programs[i].name, name) != 0)
        i++;
    if (i == comparison->program_count)
        comparison->programs[comparison->program_count++].name = name;
    return i;
}

static struct fault find_base(struct comparison *comparison, const char *base)
{
    const char *const wanted = base ? base : "base";

    for (size_t i = 0; i < comparison->system_count; i++)
        if (strcmp(comparison->systems[i], wanted) == 0) {
            comparison->base = i;
            return fault_none();
        }
    comparison->base = 0;
    return base ? fault_make(FAULT_INPUT, "%s: no system %s for the base; the first is %s",
                             comparison->table->path, base, comparison->systems[0])
                : fault_none();
}

struct fault comparison_begin(struct comparison *comparison, const struct comparison_table *table, const char *base)
{
    struct fault fault;

    *comparison = (struct comparison){.table = table, .pair_count = table->count};
    comparison->pairs = calloc(table->count, sizeof *comparison->pairs);
    comparison->programs = calloc(table->count, sizeof *comparison->programs);
    comparison->systems = calloc(table->count, sizeof *comparison->systems);
    comparison->ticks = calloc(table->count, 2 * sizeof *comparison->ticks);
    if (!comparison->pairs || !comparison->programs || !comparison->systems || !comparison->ticks) {
        comparison_end(comparison);
        return fault_make(FAULT_MEMORY, "%s: out of memory", table->path);
    }
    for (size_t i = 0; i < table->count; i++) {
        const struct comparison_row *const row = &table->rows[i];
        struct comparison_pair *const pair = &comparison->pairs[i];

        *pair = (struct comparison_pair){
            .row = row, .program = program_index(comparison, row->program),
            .system = system_index(comparison, row->system), .detailed_ticks = row->runs[SIDE_DETAILED].ticks,
            .reference_ticks = row->runs[SIDE_REPLAY].ticks, .abs_error = NAN, .rel_error = NAN
        };
        comparison->programs[pair->program].pairs++;
    }
    fault = find_base(comparison, base);
    for (size_t i = 0; i < table->count; i++)
        comparison->pairs[i].is_base = comparison->pairs[i].system == comparison->base;
    if (fault.kind != FAULT_NONE)
        comparison_end(comparison);
    return fault;
}

void comparison_end(struct comparison *comparison)
{
    free(comparison->pairs);
    free(comparison->programs);
    free(comparison->systems);
    free(comparison->ticks);
    *comparison = (struct comparison){0};
}

/* ---- figures of the pairs */

/* A point of a result file. */
struct wanted_point {
    uint64_t number;
    char *statistics;                    /* NULL: not found, or it has none */
    bool is_there;
};

static bool take_point(void *self, const struct results_row *row)
{
    struct wanted_point *const wanted = self;

    if (row->number != wanted->number)
        return true;
    wanted->is_there = true;
    wanted->statistics = row->statistics ? strdup(row->statistics) : NULL;
    return false;
}

static struct fault read_point(const char *file, uint64_t number, const char *path, struct stats_table *stats)
{
    struct wanted_point wanted = {.number = number};
    struct results *results;
    struct fault fault;

    FORWARD(results_open(&results, file, RESULTS_READ));
    fault = results_read(results, take_point, &wanted);
    results_close(results);
    FORWARD(fault);
    if (wanted.statistics)
        return stats_table_parse(stats, path, wanted.statistics, strlen(wanted.statistics));
    return fault_make(FAULT_INPUT, "%s: %s; `rubato results` lists them", path,
                      wanted.is_there ? "this point has no statistics" : "there is no such point");
}

/* The point of "RESULTS.db:POINT"; 0: the path is none. */
static uint64_t point_of(const char *path)
{
    const char *const colon = strrchr(path, ':');

    if (!colon || colon - path < 3 || strncmp(colon - 3, ".db", 3) != 0 || strspn(colon + 1, "0123456789") > 18
        || colon[1 + strspn(colon + 1, "0123456789")] != '\0')
        return 0;
    return strtoull(colon + 1, NULL, 10);
}

static struct fault read_stats(const char *path, struct stats_table *stats)
{
    uint64_t const point = point_of(path);
    struct fault fault;
    char *file;

    if (!point)
        return stats_table_read(stats, path);
    file = strndup(path, (size_t)(strrchr(path, ':') - path));
    fault = file ? read_point(file, point, path, stats) : fault_make(FAULT_MEMORY, "%s: out of memory", path);
    free(file);
    return fault;
}

static struct fault read_figures(const char *path, struct run_figures *figures)
{
    struct stats_table stats;

    FORWARD(read_stats(path, &stats));

    struct fault const fault = run_figures_of(&stats, path, figures);

    stats_table_free(&stats);
    return fault;
}

static struct fault read_side(const struct comparison *comparison, struct comparison_pair *pair,
                              enum comparison_side side, bool needed)
{
    struct comparison_run const *const run = &pair->row->runs[side];
    struct run_figures *const figures = &pair->figures[side];
    struct fault fault = fault_none();
    char *const path = comparison_file(comparison->table, pair->row, side, &fault);

    if (!path)
        return needed || fault.kind == FAULT_MEMORY ? fault : fault_none();
    fault = read_figures(path, figures);
    if (fault.kind == FAULT_NONE && run->ticks && run->ticks != figures->ticks)
        fault = fault_make(FAULT_INPUT, "%s: finalTick is %" PRIu64 ", but line %u of %s says %s_ticks %" PRIu64, path,
                           figures->ticks, pair->row->line, comparison->table->path, comparison_side_names[side],
                           run->ticks);
    free(path);
    return fault;
}

void comparison_read_files(struct comparison *comparison, size_t index, bool needed)
{
    struct comparison_pair *const pair = &comparison->pairs[index];

    for (size_t side = 0; side < COMPARISON_SIDES; side++) {
        struct fault const fault = read_side(comparison, pair, (enum comparison_side)side, needed);

        if (pair->fault.kind == FAULT_NONE)
            pair->fault = fault;
    }
    if (!pair->detailed_ticks)
        pair->detailed_ticks = pair->figures[SIDE_DETAILED].ticks;
    if (!pair->reference_ticks)
        pair->reference_ticks = pair->figures[SIDE_REPLAY].ticks;
}

void comparison_set_ours(struct comparison *comparison, size_t index, const struct run_figures *ours)
{
    struct comparison_pair *const pair = &comparison->pairs[index];

    pair->ours = *ours;
    if (pair->fault.kind == FAULT_NONE && !comparison->is_other_model && pair->reference_ticks
        && pair->reference_ticks != ours->ticks)
        pair->fault = fault_make(FAULT_INPUT, "%s on %s: our replay ends at tick %" PRIu64 ", the reference's at %"
                                 PRIu64, pair->row->program, pair->row->system, ours->ticks, pair->reference_ticks);
}

void comparison_set_detailed(struct comparison *comparison, size_t index, const struct run_figures *detailed)
{
    struct comparison_pair *const pair = &comparison->pairs[index];

    pair->figures[SIDE_DETAILED] = *detailed;
    pair->detailed_ticks = detailed->ticks;
}

const struct run_figures *comparison_replay(const struct comparison_pair *pair)
{
    return pair->ours.ticks ? &pair->ours : &pair->figures[SIDE_REPLAY];
}

/* ---- errors */

static void find_errors(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->pair_count; i++) {
        struct comparison_pair *const pair = &comparison->pairs[i];

        pair->replay_ticks = comparison->judges_ours ? pair->ours.ticks : pair->reference_ticks;
        pair->abs_error = pair->replay_ticks && pair->detailed_ticks
                              ? (double)pair->replay_ticks / (double)pair->detailed_ticks - 1 : NAN;
        pair->rel_error = NAN;
    }
}

/* 1 + absolute error is t_r / t_d, so the quotient of two of them is the relative one. */
static void find_relative_errors(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct comparison_pair *const base = &comparison->pairs[i];

        for (size_t j = 0; base->is_base && j < comparison->pair_count; j++) {
            struct comparison_pair *const pair = &comparison->pairs[j];

            if (pair->program == base->program && !pair->is_base)
                pair->rel_error = (1 + pair->abs_error) / (1 + base->abs_error) - 1;
        }
    }
}

struct mean {
    double sum;
    size_t count;
};

static void mean_add(struct mean *mean, double value)
{
    if (!isnan(value)) {
        mean->sum += value;
        mean->count++;
    }
}

static double mean_of(const struct mean *mean)
{
    return mean->count ? mean->sum / (double)mean->count : NAN;
}

static double rank_correlation(const struct comparison *comparison, size_t program)
{
    double *const detailed = comparison->ticks, *const replay = detailed + comparison->pair_count;
    size_t count = 0;

    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct comparison_pair *const pair = &comparison->pairs[i];

        if (pair->program != program || isnan(pair->abs_error))
            continue;
        detailed[count] = (double)pair->detailed_ticks;
        replay[count++] = (double)pair->replay_ticks;
    }
    return rank_spearman(detailed, replay, count);
}

enum comparison_cause comparison_cause_of(const struct comparison_pair *pair)
{
    enum { FACTORS = 3 };
    static enum comparison_cause const causes[FACTORS] = {CAUSE_MISSES, CAUSE_LATENCY, CAUSE_OVERLAP};
    const struct run_figures *const detailed = &pair->figures[SIDE_DETAILED], *const replay = comparison_replay(pair);
    double const in_flight[] = {run_misses_in_flight(detailed, RUN_L1D), run_misses_in_flight(replay, RUN_L1D)};
    double factors[FACTORS];
    size_t largest = 0;

    if (!(in_flight[0] >= 0.5 && in_flight[1] >= 0.5))
        return CAUSE_CORE;
    factors[0] = log(replay->caches[RUN_L1D].misses / detailed->caches[RUN_L1D].misses);
    factors[1] = log(run_miss_latency_ns(replay, RUN_L1D) / run_miss_latency_ns(detailed, RUN_L1D));
    factors[2] = -log(in_flight[1] / in_flight[0]);
    /* the one that points the way of the whole error, most of all */
    for (size_t i = 1; i < FACTORS; i++)
        if ((factors[i] - factors[largest]) * pair->abs_error > 0)
            largest = i;
    return causes[largest];
}

static void judge_program(struct comparison *comparison, size_t index)
{
    struct comparison_program *const program = &comparison->programs[index];
    struct mean abs = {0}, rel = {0};
    double worst = -1;

    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct comparison_pair *const pair = &comparison->pairs[i];

        if (pair->program != index)
            continue;
        mean_add(&abs, fabs(pair->abs_error));
        mean_add(&rel, fabs(pair->rel_error));
        if (fabs(pair->abs_error) > worst) {
            worst = fabs(pair->abs_error);
            program->worst = i;
        }
    }
    program->abs_error = mean_of(&abs);
    program->rel_error = mean_of(&rel);
    program->rank_correlation = rank_correlation(comparison, index);
    program->cause = worst >= 0 ? comparison_cause_of(&comparison->pairs[program->worst]) : CAUSE_CORE;
    program->trusts_times = program->abs_error <= TRUST_ABS_ERROR;
    program->trusts_trends = program->rel_error <= TRUST_REL_ERROR;
}

/* Seconds of one side: the table's, else the file's; of ours if that is judged. 0: not known. */
static double host_s(const struct comparison *comparison, const struct comparison_pair *pair, enum comparison_side side)
{
    double const of_table = pair->row->runs[side].host_s;

    if (side == SIDE_REPLAY && comparison->judges_ours)
        return pair->ours.host_s;
    return of_table > 0 ? of_table : pair->figures[side].host_s;
}

void comparison_judge(struct comparison *comparison)
{
    struct mean abs = {0}, rel = {0}, ranks = {0};
    double detailed_s = 0, replay_s = 0;

    find_errors(comparison);
    find_relative_errors(comparison);
    for (size_t i = 0; i < comparison->program_count; i++) {
        judge_program(comparison, i);
        mean_add(&ranks, comparison->programs[i].rank_correlation);
    }
    comparison->passed = comparison->failed = 0;
    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct comparison_pair *const pair = &comparison->pairs[i];
        double const seconds[] = {
            host_s(comparison, pair, SIDE_DETAILED), host_s(comparison, pair, SIDE_REPLAY)
        };

        mean_add(&abs, fabs(pair->abs_error));
        mean_add(&rel, fabs(pair->rel_error));
        if (seconds[0] > 0 && seconds[1] > 0) {
            detailed_s += seconds[0];
            replay_s += seconds[1];
        }
        comparison->failed += pair->fault.kind != FAULT_NONE;
    }
    comparison->passed = comparison->pair_count - comparison->failed;
    comparison->abs_error_mean = mean_of(&abs);
    comparison->rel_error_mean = mean_of(&rel);
    comparison->abs_count = abs.count;
    comparison->rel_count = rel.count;
    comparison->rank_correlation = mean_of(&ranks);
    comparison->speedup = replay_s > 0 ? detailed_s / replay_s : NAN;
}

/* Limits lie between the programs that were judged, far from any: per 1000 micro-ops, reschedulings are below 0.01 or
 * 74 (forward); mispredictions up to 7 (memops), 12 to 31, or 44 and more; lines from memory per misprediction 0.2
 * (hashjoin on base) or 0.5 (on small); serialising ones 0 or 114 (nbody). */

#define OVERLAPS_PER_1000 5
#define MISPREDICTIONS_PER_1000 10
#define MANY_MISPREDICTIONS_PER_1000 38
#define LINES_A_MISPREDICTION 0.35
#define SERIALISING_PER_1000 2
#define NON_SPECULATIVE_PER_1000 5
#define LINES_PER_1000 5

const struct window_kind_about window_kinds[KIND_COUNT] = {
#define WINDOW_KIND_ABOUT(suffix, name, least, most, why) [KIND_##suffix] = {name, least, most, why},
    WINDOW_KINDS(WINDOW_KIND_ABOUT)
};

double run_memory_lines(const struct run_figures *figures)
{
    const struct run_cache *const last = figures->caches[RUN_L3].accesses > 0 ? &figures->caches[RUN_L3]
                                       : figures->caches[RUN_L2].accesses > 0 ? &figures->caches[RUN_L2]
                                                                              : &figures->caches[RUN_L1D];

    return last->misses;
}

enum window_kind window_kind_of(const struct run_figures *replay)
{
    double const thousands = replay->instructions / 1000, lines = run_memory_lines(replay);

    if (replay->rescheduled_loads > OVERLAPS_PER_1000 * thousands)
        return KIND_OVERLAPS;
    if (replay->non_speculative > NON_SPECULATIVE_PER_1000 * thousands)
        return KIND_ATOMICS;
    if (replay->mispredictions > MANY_MISPREDICTIONS_PER_1000 * thousands)
        return KIND_MISPREDICTS;
    if (replay->mispredictions > MISPREDICTIONS_PER_1000 * thousands)
        return lines > LINES_A_MISPREDICTION * replay->mispredictions ? KIND_NEXT_LINES : KIND_BRANCHES;
    if (replay->serialising > SERIALISING_PER_1000 * thousands)
        return KIND_SERIAL;
    return lines > LINES_PER_1000 * thousands ? KIND_STREAMS : KIND_COMPUTES;
}
