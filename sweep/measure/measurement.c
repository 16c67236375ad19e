#include "sweep/measure/measurement.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/host_facts.h"
#include "base/list.h"
#include "sweep/measure/micro_threads.h"

#define PASS_S 150e-6                    /* of cases that may be of any length */
#define CLOCK_DIFFERS 0.005
#define SLOW_COUNTER_HZ 2e8

#define QUIET 1.1                        /* times the least of the loop beside passes */

enum { ADDS = 100, ADD_LOOPS = 200, MANY = 120, MOST_TRIES = 4, WINDOW_PASSES = 3 };

/* ---- the clock */
static struct fault make_clock(struct measurement *measurement)
{
    bool const is_slow = measurement->host.ticks_per_s < SLOW_COUNTER_HZ;

    measurement->add_count = (uint64_t)ADD_LOOPS * (is_slow ? 10 : 1);
    FORWARD(micro_begin(&measurement->adds, 4096));
    for (int i = 0; i < ADDS; i++)
        micro_put(&measurement->adds, MICRO_SUM, 5, 6, 0);
    FORWARD(micro_end(&measurement->adds));
    FORWARD(micro_begin(&measurement->many, 4096));
    for (unsigned i = 0; i < MANY; i++)
        micro_put(&measurement->many, MICRO_ZERO, i % 10, 0, 0);
    FORWARD(micro_end(&measurement->many));
    FORWARD(micro_begin(&measurement->nothing, 4096));
    return micro_end(&measurement->nothing);
}

static double timed(const struct measurement *measurement, const struct micro_code *code, struct micro_state *state)
{
    uint64_t const start = host_ticks(measurement->host.counter);

    micro_run(code, state);
    return (double)(host_ticks(measurement->host.counter) - start);
}

/* Ticks of a cycle, the less disturbed of two. */
static double clock_now(const struct measurement *measurement)
{
    double least = INFINITY;

    for (int i = 0; i < 2; i++) {
        struct micro_state state = {.count = measurement->add_count};
        double const ticks = timed(measurement, &measurement->adds, &state);

        least = fmin(least, ticks);
    }
    return (least - measurement->overhead_ticks) / (double)(ADDS * measurement->add_count);
}

/* Cycles of an independent operation: the less of two, since the pass may have thrown the loop out of caches. */
static double load_now(const struct measurement *measurement, double period)
{
    uint64_t const count = measurement->add_count / 4;
    double least = INFINITY;

    for (int i = 0; i < 2; i++) {
        struct micro_state state = {.count = count};

        least = fmin(least, timed(measurement, &measurement->many, &state));
    }
    return (least - measurement->overhead_ticks) / period / (double)(MANY * count);
}

static void find_overhead(struct measurement *measurement)
{
    double least = INFINITY;

    for (int i = 0; i < 1000; i++) {
        struct micro_state state = {.count = 1};

        least = fmin(least, timed(measurement, &measurement->nothing, &state));
    }
    measurement->overhead_ticks = least;
}

/* ---- begin and end */
struct measurement_options measurement_usual(double seconds)
{
    enum { SHORT_S = 15 };

    return (struct measurement_options){.passes = 8, .rounds = seconds < SHORT_S ? 1 : 2, .most_s = 0.45 * seconds};
}

static uint64_t wanted_bytes(const struct measurement *measurement)
{
    enum { LEAST = 1 << 20, USUAL = 256 << 20 };
    uint64_t const most = (uint64_t)1 << 30, caches = 4 * measurement->host.cache_bytes[2];
    uint64_t wanted = measurement->options.memory_bytes;

    if (wanted == 0)
        wanted = min_u64(max_u64(caches, USUAL), most);
    wanted = min_u64(wanted, measurement->host.free_bytes / 3);
    return max_u64((uint64_t)1 << log2_down(max_u64(wanted, 1)), LEAST);
}

struct fault measurement_begin(struct measurement *measurement, const struct measurement_options *options)
{
    enum { SMALL_BYTES = 64 << 20 };
    struct fault fault;
    uint64_t bytes;

    *measurement = (struct measurement){.options = *options, .start_s = host_clock_s()};
    measured_host_read(&measurement->host, options->root ? options->root : "");
    if (options->without_counter)
        measured_host_forget_counter(&measurement->host);
    if (measurement->host.core_count > 0) {
        measurement->core = measurement->host.cores[measurement->host.core_count - 1];
        measurement->is_pinned = host_pin(measurement->core);
    }
    bytes = wanted_bytes(measurement);
    if (FAILS(fault, make_clock(measurement))
        || FAILS(fault, micro_memory_make(&measurement->memory, bytes, min_u64(SMALL_BYTES, bytes),
                                          measurement->host.has_large_pages))) {
        measurement_end(measurement);
        return fault;
    }
    find_overhead(measurement);
    return fault_none();
}

void measurement_end(struct measurement *measurement)
{
    micro_free(&measurement->adds);
    micro_free(&measurement->many);
    micro_free(&measurement->nothing);
    micro_memory_free(&measurement->memory);
    free(measurement->list);
    measurement->list = NULL;
    measurement->count = 0;
}

struct measured *measurement_add(struct measurement *measurement, const struct micro_case *what,
                                 const char *format, ...)
{
    struct measured *made;
    va_list arguments;

    if (!list_fit(&measurement->list, measurement->count + 1, &measurement->room, sizeof *measurement->list))
        return NULL;
    made = &measurement->list[measurement->count++];
    *made = (struct measured){.what = *what, .simulated = (double)NAN};
    va_start(arguments, format);
    vsnprintf(made->name, sizeof made->name, format, arguments);
    va_end(arguments);
    return made;
}

/* ---- passes */
static double pass_ticks(struct measurement *measurement, struct micro_bench *bench, uint64_t iterations)
{
    struct micro_state state;
    double ticks;

    micro_bench_before(bench);
    state = bench->state;
    state.count = iterations;
    ticks = timed(measurement, &bench->code, &state);
    micro_bench_after(bench, &state);
    return ticks - measurement->overhead_ticks;
}

static uint64_t find_iterations(struct measurement *measurement, struct micro_bench *bench)
{
    enum { MOST = 1 << 22 };
    double const wanted = PASS_S * measurement->host.ticks_per_s;
    uint64_t iterations = 2;
    double ticks;

    if (bench->iterations > 0) {
        pass_ticks(measurement, bench, bench->iterations);
        return bench->iterations;
    }
    do {
        iterations *= 2;
        ticks = pass_ticks(measurement, bench, iterations);
    } while (ticks < wanted / 8 && iterations < MOST);
    return max_u64((uint64_t)((double)iterations * wanted / fmax(ticks, 1)), 1);
}

/* The least pass of a round, in cycles of an operation; not finite: all were disturbed. */
static double least_of_passes(struct measurement *measurement, struct micro_bench *bench, unsigned passes,
                              struct measured *measured)
{
    uint64_t const iterations = find_iterations(measurement, bench);
    double const operations = bench->operations * (double)iterations;
    double least = INFINITY;
    unsigned kept = 0;

    for (unsigned tries = 0; kept < passes && tries < MOST_TRIES * passes; tries++) {
        double const before = clock_now(measurement), load = load_now(measurement, before);
        double const ticks = pass_ticks(measurement, bench, iterations);
        double const load_after = load_now(measurement, before);
        double const after = clock_now(measurement), period = (before + after) / 2;
        struct pass const pass = {.cycles = ticks / period / operations, .beside = fmax(load, load_after),
                                  .round = measurement->rounds_done};

        measured->passes++;
        /* A counter that is coarse, or that of an emulator, may stand still. */
        if (!(ticks > 0 && before > 0 && after > 0) || fabs(before / after - 1) > CLOCK_DIFFERS) {
            measured->dropped++;
            continue;
        }
        measurement->round_period = fmin(measurement->round_period, fmin(before, after));
        kept++;
        measurement->round_quiet = fmin(measurement->round_quiet, fmin(load, load_after));
        passes_add(&measured->cycles, &pass);
        least = fmin(least, pass.cycles);
    }
    return least;
}

/* ---- several cores */
struct window_sink {
    struct measurement *measurement;
    struct measured *measured;
    double period, least;
};

static void take_window(void *context, double ticks)
{
    struct window_sink *const sink = context;
    struct pass const pass = {.cycles = ticks / sink->period, .round = sink->measurement->rounds_done};

    sink->measured->passes++;
    sink->least = fmin(sink->least, pass.cycles);
    passes_add(&sink->measured->cycles, &pass);
}

static struct fault run_threads(struct measurement *measurement, struct measured *measured)
{
    enum { WINDOWS = 200 };
    struct window_sink sink = {measurement, measured, clock_now(measurement), INFINITY};
    bool const is_hand = measured->what.kind == CASE_HAND;

    if (measurement->host.core_count < (is_hand ? 2 : measured->what.number) || !measurement->is_pinned) {
        measured->missing = "it needs more cores than may be used";
        return fault_none();
    }
    if (is_hand)
        FORWARD(micro_threads_hand(&measurement->host, WINDOWS, take_window, &sink));
    else
        FORWARD(micro_threads_read(&measurement->memory, &measurement->host, measured->what.number, WINDOWS,
                                   take_window, &sink));
    passes_end_round(&measured->cycles, sink.least);
    return fault_none();
}

/* ---- rounds */
static struct fault run_one(struct measurement *measurement, struct measured *measured)
{
    struct micro_bench bench;

    if (measured->what.kind == CASE_CORES || measured->what.kind == CASE_HAND)
        return run_threads(measurement, measured);
    if (!micro_case_fits(&measured->what, &measurement->memory)) {
        measured->missing = measurement->host.free_limit;
        return fault_none();
    }
    FORWARD(micro_bench_make(&bench, &measured->what, &measurement->memory));
    if (measured->what.operation == MICRO_FMA && !bench.code.has_fma)
        measured->missing = "the processor has no fused multiplication and addition";
    else
        passes_end_round(&measured->cycles,
                         least_of_passes(measurement, &bench, measurement->options.passes
                                         * (measured->what.kind == CASE_WINDOW ? WINDOW_PASSES : 1), measured));
    micro_bench_free(&bench);
    return fault_none();
}

static bool is_interrupted(struct measurement *measurement, const char *what, double part)
{
    const struct measurement_options *const options = &measurement->options;

    measurement->is_interrupted = measurement->is_interrupted
        || (options->progress && options->progress(options->context, what, part));
    return measurement->is_interrupted;
}

static struct fault run_round(struct measurement *measurement, size_t first, double part)
{
    measurement->round_period = measurement->round_quiet = INFINITY;
    micro_memory_move(&measurement->memory);
    for (size_t i = first; i < measurement->count; i++) {
        struct measured *const measured = &measurement->list[i];

        if (measured->missing)
            continue;
        if (is_interrupted(measurement, measured->name, part))
            break;
        FORWARD(run_one(measurement, measured));
    }
    passes_add(&measurement->period, &(struct pass){measurement->round_period, 0, measurement->rounds_done});
    passes_add(&measurement->quiet, &(struct pass){measurement->round_quiet, 0, measurement->rounds_done});
    passes_end_round(&measurement->period, measurement->round_period);
    measurement->rounds_done++;
    return fault_none();
}

struct fault measurement_run(struct measurement *measurement, size_t first, unsigned rounds, double most_s)
{
    double const start_s = host_clock_s();
    double spent_s = 0;

    for (unsigned round = 0; !measurement->is_interrupted; round++) {
        if (round >= rounds && spent_s + spent_s / round > most_s)
            break;
        FORWARD(run_round(measurement, first, most_s > 0 ? fmin(spent_s / most_s, 1) : 1));
        spent_s = host_clock_s() - start_s;
    }
    for (size_t i = first; i < measurement->count; i++)
        if (!measurement->list[i].missing && measurement->list[i].cycles.count == 0)
            measurement->list[i].missing = "other programs disturbed all passes";
    return fault_none();
}

/* ---- values */
struct measured *measurement_find(const struct measurement *measurement, const char *name)
{
    for (size_t i = 0; i < measurement->count; i++)
        if (strcmp(measurement->list[i].name, name) == 0)
            return &measurement->list[i];
    return NULL;
}

double measurement_value(const struct measurement *measurement, const char *name)
{
    const struct measured *const measured = measurement_find(measurement, name);

    return measured ? passes_value(&measured->cycles) : (double)NAN;
}

double measured_quiet(const struct measurement *measurement, const struct measured *measured, double height)
{
    double const value = passes_value(&measured->cycles);

    if (value < height)
        return value;
    /* A loop whose least differs from round to round has never run by itself. */
    return passes_are_confirmed(&measurement->quiet)
        ? passes_quiet_value(&measured->cycles, QUIET * passes_value(&measurement->quiet)) : (double)NAN;
}

double measurement_clock_hz(const struct measurement *measurement)
{
    return measurement->host.ticks_per_s / passes_value(&measurement->period);
}
