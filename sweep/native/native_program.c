/* The thread that starts the program, and waits for it, is on the same core, so that the clock measured is the one that
 * the program has. */
#include "sweep/native/native_program.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sweep/native/native_clock.h"

#define PATCHES_UP_TO_S 2e-3
#define STEADY 0.01
#define SHARED 0.05
#define PATIENCE_S 3             /* for more runs, where few count */
#define LEAST_SECONDS 0.05       /* between two moments that say how long a tick is */

#define LONGEST_SECOND_TRY_S 5
#define LONGEST_REST_S 10        /* behind the region */

enum { MOST_CORES = 4, TRIES = 3, MOST_TRIES = 30, ERRORS_SHOWN = 200 };

struct timed {
    double cycles;                       /* that the host counted; NAN: it does not */
    double before, after;                /* cycles a tick */
    int core;
    double additions;                    /* a tick, before or after, whichever is less */
    double ticks;
    double cpu_s;                        /* NAN: by ticks */
};

struct runs {
    const struct native_request *request;
    struct native_result *result;
    struct timed *list;
    size_t count;
    double highest, most_additions;      /* of all */
    double stop_s;                       /* the least that a stop cost */
    int output, errors;
    size_t cores[MOST_CORES], core_count;        /* none: wherever the kernel puts the runs */
    bool has_no_patches;                   /* they did not go with this program */
    struct native_moment begin;
};

size_t native_outputs_differ(const char *one, size_t one_bytes, const char *two, size_t two_bytes)
{
    size_t const common = one_bytes < two_bytes ? one_bytes : two_bytes;
    size_t at = 0, line = 1;

    if (one_bytes == two_bytes && memcmp(one, two, one_bytes) == 0)
        return 0;
    for (; at < common && one[at] == two[at]; at++)
        line += one[at] == '\n';
    return line;
}

/* ---- outputs */

static struct fault out_of_memory(const struct native_request *request)
{
    return fault_memory(request->program.argv[0], "its output");
}

static struct fault read_output(const struct runs *runs, char **text, size_t *bytes)
{
    off_t const size = lseek(runs->output, 0, SEEK_END);

    *bytes = size > 0 ? (size_t)size : 0;
    *text = malloc(*bytes + 1);
    if (!*text || pread(runs->output, *text, *bytes, 0) != (ssize_t)*bytes)
        return out_of_memory(runs->request);
    return fault_none();
}

static struct fault check_output(struct runs *runs)
{
    struct native_result *const result = runs->result;
    char *text = NULL;
    size_t bytes = 0, line;
    struct fault fault = read_output(runs, &text, &bytes);

    if (fault.kind == FAULT_NONE && !result->output) {
        result->output = text;
        result->output_bytes = bytes;
        return fault_none();
    }
    line = fault.kind == FAULT_NONE ? native_outputs_differ(result->output, result->output_bytes, text, bytes) : 0;
    free(text);
    if (line > 0)
        return fault_make(FAULT_STALL, "%s: two native runs print different things, from line %zu on; expected a "
                          "program that does the same each time", runs->request->program.argv[0], line);
    return fault;
}

/* What the program itself says of its failure: its last line on standard error. */
static struct fault with_errors(const struct runs *runs, struct fault fault)
{
    char text[ERRORS_SHOWN + 1];
    off_t const size = lseek(runs->errors, 0, SEEK_END);
    off_t const from = size > ERRORS_SHOWN ? size - ERRORS_SHOWN : 0;
    ssize_t got = fault.kind == FAULT_STALL ? pread(runs->errors, text, ERRORS_SHOWN, from) : 0;
    const char *last;

    while (got > 0 && text[got - 1] == '\n')
        got--;
    if (got <= 0)
        return fault;
    text[got] = '\0';
    last = strrchr(text, '\n');
    return fault_make(FAULT_STALL, "%s; it says: %s", fault_text(fault), last ? last + 1 : text);
}

/* ---- runs */

static struct fault forget_texts(const struct runs *runs)
{
    for (int i = 0; i < 2; i++)
        if (ftruncate(i ? runs->output : runs->errors, 0) != 0
            || lseek(i ? runs->output : runs->errors, 0, SEEK_SET) != 0)
            return out_of_memory(runs->request);
    return fault_none();
}

static struct native_launch launch_of(const struct runs *runs)
{
    const struct native_request *const request = runs->request;

    return (struct native_launch){
        .program = &request->program, .from = request->from, .to = request->to, .input = request->input,
        .output = runs->output, .errors = runs->errors, .timeout_s = request->timeout_s,
        .is_interrupted = request->is_interrupted
    };
}

static struct fault run_once(struct runs *runs, bool by_patches, struct native_counters *counters,
                             struct native_sample *sample)
{
    struct native_launch launch = launch_of(runs);
    struct fault fault;

    launch.by_patches = by_patches && !runs->has_no_patches;
    launch.counters = counters;
    FORWARD(forget_texts(runs));
    fault = native_process_run(&launch, sample);
    return fault.kind == FAULT_NONE ? check_output(runs) : with_errors(runs, fault);
}

/* What the runs do not see, which end with the region. */
static struct fault run_whole(struct runs *runs)
{
    struct native_launch const launch = launch_of(runs);

    if (!launch.to.text)
        return fault_none();
    FORWARD(forget_texts(runs));
    return with_errors(runs, native_process_whole(&launch, LONGEST_REST_S));
}

/* A patch at the region's end lies over five bytes: a loop back into these, from a function that was entered before the
 * region began, would fail. Then traps do, which take one byte; a program that fails by itself fails with them, too. */
static struct fault run_first(struct runs *runs, struct native_sample *sample)
{
    struct native_result *const result = runs->result;
    struct native_moment const begin = native_now();
    struct fault fault;

    native_counters_init(&result->counters);
    if (runs->request->without_counters) {           /* the kernel's own, which all hosts have */
        result->counters.next = NATIVE_FAULTS;
        result->counters.end = NATIVE_SWITCHES + 1;
    }
    fault = run_once(runs, true, &result->counters, sample);
    if (fault.kind != FAULT_STALL || runs->has_no_patches
        || native_now().seconds - begin.seconds > LONGEST_SECOND_TRY_S)
        return fault;
    runs->has_no_patches = true;
    return run_first(runs, sample);
}

/* The n-th run's core; -1: any. */
static int pin(const struct runs *runs, size_t n)
{
    cpu_set_t one;

    if (runs->core_count == 0)
        return -1;
    CPU_ZERO(&one);
    CPU_SET(runs->cores[n % runs->core_count], &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? (int)runs->cores[n % runs->core_count] : -1;
}

static struct fault run_counted(struct runs *runs, double *cpu_s)
{
    struct native_result *const result = runs->result;
    struct native_sample sample;

    pin(runs, 0);
    FORWARD(run_first(runs, &sample));
    result->kernel_s = sample.kernel_s;
    *cpu_s = sample.cpu_s;
    while (native_counters_are_left(&result->counters))
        FORWARD(run_once(runs, true, &result->counters, &sample));
    result->has_counted_cycles = result->counters.values[NATIVE_CYCLES] > 0;
    return fault_none();
}

/* A chain that was disturbed is slower than the clock, never faster; so the highest that was measured is the clock.
 * With several chains at once the same is true of the core's width, which another thread of it takes a part of. */
static bool is_steady(const struct runs *runs, const struct timed *timed)
{
    return fmin(timed->before, timed->after) >= (1 - STEADY) * runs->highest
        && timed->additions >= (1 - SHARED) * runs->most_additions;
}

static void see_additions(struct runs *runs, struct timed *timed, double before, double after)
{
    timed->additions = fmin(before, after);
    runs->most_additions = fmax(runs->most_additions, fmax(before, after));
}

static unsigned count_steady(const struct runs *runs)
{
    unsigned count = 0;

    for (size_t i = 0; i < runs->count; i++)
        count += is_steady(runs, &runs->list[i]);
    return count;
}

static struct fault run_timed(struct runs *runs, bool by_patches)
{
    unsigned const wanted = runs->request->runs;
    double const begin_s = native_now().seconds;

    do {
        struct timed *const timed = &runs->list[runs->count];
        int const core = pin(runs, runs->count);
        double const before = native_cycles_per_tick(), additions = native_additions_per_tick();
        struct native_counters cycles;
        struct native_sample sample;

        native_counters_init(&cycles);
        cycles.end = NATIVE_CYCLES + 1;
        FORWARD(run_once(runs, by_patches, runs->result->has_counted_cycles ? &cycles : NULL, &sample));
        *timed = (struct timed){
            .cycles = cycles.values[NATIVE_CYCLES], .before = before, .after = native_cycles_per_tick(),
            .ticks = (double)sample.ticks, .cpu_s = sample.cpu_s, .core = core
        };
        see_additions(runs, timed, additions, native_additions_per_tick());
        runs->stop_s = runs->count == 0 ? sample.stop_s : fmin(runs->stop_s, sample.stop_s);
        runs->highest = fmax(runs->highest, fmax(timed->before, timed->after));
        runs->count++;
        runs->result->kept = count_steady(runs);
    } while (runs->result->kept < wanted && runs->count < wanted * MOST_TRIES
             && (runs->count < wanted * TRIES || native_now().seconds - begin_s < PATIENCE_S));
    runs->result->runs = (unsigned)runs->count;
    runs->result->is_steady = runs->result->kept > 0;
    return fault_none();
}

/* ---- the least */

static int by_cycles(const void *one, const void *two)
{
    double const difference = *(const double *)one - *(const double *)two;

    return difference < 0 ? -1 : difference > 0;
}

static void find_least(struct runs *runs, double *cycles)
{
    struct native_result *const result = runs->result;
    struct native_moment now = native_now();
    double ticks_per_s, seconds = 0;
    size_t count = 0;

    while (now.seconds - runs->begin.seconds < LEAST_SECONDS) {
        usleep(1000);
        now = native_now();
    }
    ticks_per_s = native_ticks_per_s(runs->begin, now);
    for (size_t i = 0; i < runs->count; i++) {
        const struct timed *const timed = &runs->list[i];
        double const ticks = timed->ticks > 0 || isnan(timed->cpu_s)
                                 ? timed->ticks : fmax(0, timed->cpu_s - runs->stop_s) * ticks_per_s;

        if (!is_steady(runs, timed) && result->is_steady)
            continue;
        cycles[count] = isfinite(timed->cycles) ? timed->cycles : ticks * (timed->before + timed->after) / 2;
        if (count == 0 || cycles[count] < result->cycles) {
            result->cycles = cycles[count];
            result->core = timed->core;
        }
        seconds = count == 0 ? ticks / ticks_per_s : fmin(seconds, ticks / ticks_per_s);
        count++;
        result->has_patches = timed->ticks > 0;
    }
    result->clock_hz = runs->highest * ticks_per_s;
    result->additions = runs->most_additions / runs->highest;
    result->seconds = seconds;
    qsort(cycles, count, sizeof *cycles, by_cycles);
    result->spread = result->cycles > 0 ? cycles[count / 2] / result->cycles - 1 : 0;
}

static struct fault run_all(struct runs *runs)
{
    unsigned const most = runs->request->runs * MOST_TRIES;
    double *const cycles = calloc(most, sizeof *cycles);
    double cpu_s = 0;
    struct fault fault;

    runs->list = calloc(most, sizeof *runs->list);
    runs->output = memfd_create("output", MFD_CLOEXEC);
    runs->errors = memfd_create("errors", MFD_CLOEXEC);
    runs->begin = native_now();
    fault = cycles && runs->list && runs->output >= 0 && runs->errors >= 0 ? run_counted(runs, &cpu_s)
                                                                          : out_of_memory(runs->request);
    if (fault.kind == FAULT_NONE)
        fault = run_whole(runs);
    if (fault.kind == FAULT_NONE)
        fault = run_timed(runs, cpu_s < PATCHES_UP_TO_S);
    if (fault.kind == FAULT_NONE)
        find_least(runs, cycles);
    if (fault.kind == FAULT_NONE && !(runs->result->cycles > 0))
        fault = fault_make(FAULT_STALL, "%s: the region takes less time than it takes to measure it; choose one that "
                           "repeats its work", runs->request->program.argv[0]);
    free(runs->list);
    free(cycles);
    if (runs->output >= 0)
        close(runs->output);
    if (runs->errors >= 0)
        close(runs->errors);
    return fault;
}

/* The last ones that this process may use: the first ones have most of the host's interrupts. */
static void find_cores(struct runs *runs, const cpu_set_t *allowed)
{
    const struct native_request *const request = runs->request;

    for (size_t core = CPU_SETSIZE; core-- > 0 && runs->core_count < MOST_CORES;)
        if (CPU_ISSET(core, allowed) && (request->core < 0 || core == (size_t)request->core))
            runs->cores[runs->core_count++] = core;
}

struct fault native_program_run(const struct native_request *request, struct native_result *result)
{
    struct runs runs = {.request = request, .result = result, .output = -1, .errors = -1};
    cpu_set_t before;
    struct fault fault;
    bool const can_pin = sched_getaffinity(0, sizeof before, &before) == 0;

    *result = (struct native_result){.kernel_s = NAN, .core = -1};
    if (can_pin)
        find_cores(&runs, &before);
    if (request->core >= 0 && runs.core_count == 0)
        return fault_make(FAULT_INPUT, "--core %d: this process may not use it; `taskset -p $$` shows which it may",
                          request->core);
    fault = run_all(&runs);
    if (can_pin)
        sched_setaffinity(0, sizeof before, &before);
    if (fault.kind != FAULT_NONE)
        native_program_free(result);
    return fault;
}

void native_program_free(struct native_result *result)
{
    free(result->output);
    result->output = NULL;
}
