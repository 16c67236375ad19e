/* The output of `rubato sweep`: a bar on a terminal and a line now and then elsewhere, on stderr; points and summary
 * on stdout. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "cli/common/cli.h"
#include "cli/common/progress.h"
#include "cli/common/shown.h"
#include "cli/sweep/sweep.h"
#include "replay/config/config.h"
#include "sweep/run/region_point.h"

#define REFRESH_S 0.2                    /* of the bar */
#define LINE_S 10.0                      /* between plain lines */
enum { BAR_WIDTH = 30 };

/* Of a dry run without --all. */
enum { SHOWN_POINTS = 10, SHOWN_VALUES = 6 };

/* ---- progress */
void sweep_progress_start(struct sweep_progress *progress, uint64_t every_ps)
{
    *progress = (struct sweep_progress){.is_terminal = isatty(STDERR_FILENO) == 1, .shown_s = host_clock_s(),
                                        .every_s = every_ps ? 1e-12 * (double)every_ps : LINE_S};
    if (progress->is_terminal)
        progress->every_s = REFRESH_S;
}

static void duration(double seconds, char *text, size_t size)
{
    unsigned long const whole = seconds < 1e9 ? (unsigned long)seconds : 999999999;

    if (seconds < 9.95)
        snprintf(text, size, "%.1f s", seconds);
    else if (whole < 120)
        snprintf(text, size, "%lu s", whole);
    else if (whole < 7200)
        snprintf(text, size, "%lu min", whole / 60);
    else
        snprintf(text, size, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
}

static void show_bar(struct sweep_progress *progress, double part, const char *text)
{
    char line[240];
    int const filled = (int)(part * BAR_WIDTH);
    int const length = snprintf(line, sizeof line, "[%.*s%.*s] %s", filled, "##############################",
                                BAR_WIDTH - filled, "..............................", text);

    fprintf(stderr, "\r%-*s", (int)progress->width, line);
    fflush(stderr);
    if (length > (int)progress->width)
        progress->width = (unsigned)length;
}

void sweep_progress_show(struct sweep_progress *progress, const struct runner_tally *tally)
{
    double const now_s = host_clock_s();
    size_t const ended = tally->done + tally->failed;
    char text[200], left[40];

    if (now_s - progress->shown_s < progress->every_s)
        return;
    progress->shown_s = now_s;
    duration(tally->left_s, left, sizeof left);
    snprintf(text, sizeof text, "%zu of %zu points, %zu failed, %.1f/s, %s left", tally->known + ended, tally->points,
             tally->failed + tally->known_failed, tally->elapsed_s > 0 ? (double)ended / tally->elapsed_s : 0, left);
    if (progress->is_terminal)
        show_bar(progress, (double)(tally->known + ended) / (double)(tally->points ? tally->points : 1), text);
    else
        fprintf(stderr, "%s\n", text);
}

void sweep_progress_end(struct sweep_progress *progress)
{
    if (progress->is_terminal && progress->width)
        fprintf(stderr, "\r%-*s\r", (int)progress->width, "");
    progress->width = 0;
}

/* ---- points */
struct states {
    const struct plan *plan;
    char *letters;                       /* of each run: d, f, or 0 */
};

static void see_state(void *self, uint64_t hash, bool is_failed, double cpu_s)
{
    struct states *const states = self;
    size_t run;

    (void)cpu_s;
    if (plan_find(states->plan, hash, &run))
        states->letters[run] = is_failed ? 'f' : 'd';
}

static void print_state(const struct states *states, size_t number, struct system_config *config)
{
    struct plan_point const *const point = &states->plan->points[number];
    char const letter = states->letters[point->run];
    struct fault fault;

    if (states->plan->runs[point->run] != number) {
        printf("as point %zu\n", states->plan->runs[point->run] + 1);
    } else if (letter) {
        puts(letter == 'd' ? "done" : "failed");
    } else if (point->is_unsound) {
        fault = plan_configure(states->plan, point, config);
        printf("to do, will fail: %s\n", cli_shown(fault_text(fault)));
    } else {
        puts("to do");
    }
}

static int wider(int width, const char *text)
{
    int const own = (int)strlen(cli_shown(text));

    return own > width ? own : width;
}

static int axis_width(const struct spec_axis *axis)
{
    int width = wider(0, axis->key);

    for (size_t i = 0; i < axis->count; i++)
        width = wider(width, axis->values[i]);
    return width;
}

/* "l2.size  8: 256KiB, 512KiB, 1MiB, 2MiB, 4MiB, ..., 32MiB" */
static void print_values(const char *key, int width, size_t count, const char *const *values)
{
    printf("%-*s  %zu:", width, cli_shown(key), count);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 > SHOWN_VALUES && i + 1 < count)
            continue;
        printf("%s %s", i == 0 ? "" : i + 1 == count && count > SHOWN_VALUES + 1 ? ", ...," : ",",
               cli_shown(values[i]));
    }
    putchar('\n');
}

static void print_axes(const struct spec *spec)
{
    int width = wider(0, "system");

    for (size_t axis = 0; axis < spec->axis_count; axis++)
        width = wider(width, spec->axes[axis].key);
    print_values("system", width, spec->system_count, (const char *const *)spec->system_names);
    printf("%-*s  %zu:", width, "traces", spec->workload_count);
    for (size_t i = 0; i < spec->workload_count && i < SHOWN_VALUES; i++)
        printf("%s %s", i ? "," : "", cli_shown(spec->workloads[i].name));
    puts(spec->workload_count > SHOWN_VALUES ? ", ..." : "");
    for (size_t axis = 0; axis < spec->axis_count; axis++)
        print_values(spec->axes[axis].key, width, spec->axes[axis].count, (const char *const *)spec->axes[axis].values);
    putchar('\n');
}

static void print_table(const struct states *states, size_t shown, struct system_config *config)
{
    struct plan const *const plan = states->plan;
    struct spec const *const spec = plan->spec;
    int traces = wider(0, "traces"), system = wider(0, "system");

    for (size_t i = 0; i < spec->workload_count; i++)
        traces = wider(traces, spec->workloads[i].name);
    for (size_t i = 0; i < spec->system_count; i++)
        system = wider(system, spec->system_names[i]);
    for (size_t number = 0; number <= shown; number++) {
        struct plan_point const *const point = number ? &plan->points[number - 1] : NULL;

        if (point)
            printf("%6zu  %-*s  %-*s", number, system, cli_shown(spec->system_names[point->system]), traces,
                   cli_shown(spec->workloads[point->workload].name));
        else
            printf("%6s  %-*s  %-*s", "point", system, "system", traces, "traces");
        for (size_t axis = 0; axis < spec->axis_count; axis++) {
            printf("  %-*s", axis_width(&spec->axes[axis]),
                   cli_shown(point ? plan_value(plan, point, axis) : spec->axes[axis].key));
        }
        fputs("  ", stdout);
        if (point)
            print_state(states, number - 1, config);
        else
            puts("state");
    }
}

int sweep_print_points(const struct plan *plan, struct results *results, bool shows_all)
{
    size_t const shown = shows_all || plan->count <= SHOWN_POINTS ? plan->count : SHOWN_POINTS;
    struct states states = {.plan = plan, .letters = calloc(plan->run_count + 1, 1)};
    struct system_config *const config = config_new();
    struct fault fault = states.letters && config ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");

    if (fault.kind == FAULT_NONE && results)
        fault = results_known(results, see_state, &states);
    if (fault.kind == FAULT_NONE) {
        if (shown < plan->count)
            print_axes(plan->spec);
        print_table(&states, shown, config);
        if (shown < plan->count)
            printf("   ...  %zu more points; --all prints them\n", plan->count - shown);
    }
    free(states.letters);
    free(config);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

void sweep_print_regions(const struct plan *plan)
{
    for (size_t i = 0; i < plan->spec->workload_count; i++) {
        const struct workload *const workload = &plan->workloads[i];

        if (workload->regions)
            printf("%s: %zu regions, with their warm-ups %" PRIu64 " instructions a point for a program of %" PRIu64
                   "%s\n", cli_shown(workload->name), workload->regions->count, region_workload_instructions(workload),
                   workload->regions->instructions, plan->spec->until_error > 0 ? "; a quarter of them at first" : "");
    }
}

void sweep_print_summary(const struct plan *plan, const struct runner_tally *tally, const char *file)
{
    size_t const ended = tally->done + tally->failed;

    printf("points        %zu", plan->count);
    if (plan->run_count != plan->count)
        printf(", %zu of them different", plan->run_count);
    if (tally->points != plan->run_count)
        printf(", %zu in this shard", tally->points);
    if (plan->skipped)
        printf(", %zu skipped", plan->skipped);
    printf("\nrun           %zu done, %zu failed, %zu done before", tally->done, tally->failed + tally->known_failed,
           tally->known - tally->known_failed);
    if (tally->known_failed)
        printf(" (%zu failed before; --retry runs %s again)", tally->known_failed,
               tally->known_failed == 1 ? "it" : "them");
    putchar('\n');
    if (tally->dominated)
        printf("stopped early  %zu, as another point of the same traces is faster for sure (regions.dominated)\n",
               tally->dominated);
    if (ended)
        printf("swept in      %.2f s with %zu worker%s, %.1f points/s\n", tally->elapsed_s,
               tally->workers, tally->workers == 1 ? "" : "s", (double)ended / tally->elapsed_s);
    printf("results       %s\n", cli_shown(file));
}
