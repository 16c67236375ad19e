/* One program has its figures side by side, several have a line each. Errors are those of cycles: the clock of a system
 * need not be the host's. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/replay/summary.h"
#include "cli/sweep/compare_native.h"

#define SMALL_ERROR 0.03         /* that is not explained */

/* ---- rows: the columns of all forms */

static struct table_column const row_columns[] = {
    {.name = "name", .heading = "program", .width = TABLE_FIT_LEFT},
    {.name = "native_cycles", .heading = "native cycles", .width = 14, .text_digits = 0, .data_digits = 1},
    {.name = "cycles", .heading = "replayed", .width = 14, .text_digits = 0, .data_digits = 1},
    {.name = "err_pct", .heading = "error %", .width = 8, .text_digits = 1, .data_digits = 3},
    {.name = "native_cpi", .heading = "native CPI", .width = 11, .text_digits = 3, .data_digits = 4},
    {.name = "cpi", .heading = "CPI", .width = 7, .text_digits = 3, .data_digits = 4},
    {.name = "native_change", .heading = "change", .width = 8, .text_digits = 3, .data_digits = 4},
    {.name = "change", .heading = "replayed", .width = 9, .text_digits = 3, .data_digits = 4},
    {.name = "change_err_pct", .heading = "error %", .width = 8, .text_digits = 1, .data_digits = 3},
    {.name = "native_s", .data_digits = -6}, {.name = "seconds", .data_digits = -6},
    {.name = "spread_pct", .heading = "spread %", .width = 9, .text_digits = 1, .data_digits = 3},
    {.name = "native_kernel_s", .data_digits = 3}, {.name = "native_clock_hz", .data_digits = 0},
    {.name = "native_additions", .data_digits = 3}, {.name = "native_runs"}, {.name = "native_kept"},
    {.name = "instructions"}, {.name = "warmup"},
#define TOTAL_COLUMN(id, counter, type, event, metric, text) {.name = "native_" counter},
#define RATE_COLUMNS(id, counter, type, event, metric, text)                                                          \
    {.name = "native_" counter, .data_digits = 4}, {.name = counter, .data_digits = 4},
    NATIVE_TOTALS(TOTAL_COLUMN)
    NATIVE_RATES(RATE_COLUMNS)
#undef TOTAL_COLUMN
#undef RATE_COLUMNS
    {.name = "bound", .heading = "bound by", .width = 0, .gap = "  "},
    {.name = "state"}
};

/* The replay's figure beside a counter, per 1000 instructions. NAN: it has none. */
static double replayed_counter(const struct native_row *row, enum native_counter counter)
{
    return row->has_replay ? metrics_value(&row->replayed.figures, native_counters_about[counter].metric) : NAN;
}

static void put_row(const struct native_comparison *comparison, size_t i, struct table_writer *writer)
{
    const struct native_row *const row = &comparison->rows[i];
    const struct native_pair *const pair = &comparison->pairs[i];
    bool const is_good = row->fault.kind == FAULT_NONE, has_native = row->has_native;
    double const native_cycles = pair->native_cycles > 0 ? pair->native_cycles : NAN;

    table_word(writer, row->one->name);
    table_real(writer, native_cycles);
    table_real(writer, is_good ? pair->cycles : NAN);
    table_real(writer, 100 * pair->error);
    table_real(writer, is_good ? native_cycles / pair->instructions : NAN);
    table_real(writer, is_good ? row->replayed.cycles / row->replayed.instructions : NAN);
    table_real(writer, pair->native_change);
    table_real(writer, pair->change);
    table_real(writer, 100 * pair->change_error);
    table_real(writer, has_native ? row->native.seconds : NAN);
    table_real(writer, is_good ? row->replayed.seconds : NAN);
    table_real(writer, has_native ? 100 * row->native.spread : NAN);
    table_real(writer, has_native ? row->native.kernel_s : NAN);
    table_real(writer, has_native ? row->native.clock_hz : NAN);
    table_real(writer, has_native ? row->native.additions : NAN);
    table_count(writer, has_native ? row->native.runs : 0);
    table_count(writer, has_native ? row->native.kept : 0);
    table_count(writer, row->instructions);
    table_count(writer, row->warmup);
    for (size_t counter = 0; counter < NATIVE_COUNTER_COUNT; counter++) {
        table_real(writer, native_row_counter(row, (enum native_counter)counter));
        if (*native_counters_about[counter].metric)
            table_real(writer, replayed_counter(row, (enum native_counter)counter));
    }
    table_word(writer, is_good ? row->replayed.verdict.cores.text : fault_text(row->fault));
    table_word(writer, is_good ? "ok" : "FAILED");
    table_end_row(writer);
}

static void put_rows(const void *context, struct table_writer *writer)
{
    const struct native_comparison *const comparison = context;

    for (size_t i = 0; i < comparison->list.count; i++)
        put_row(comparison, i, writer);
}

/* ---- for programs */

struct value { const char *key; double value; };

enum { VALUES = 9 };

static void fill_values(struct value values[VALUES], const struct native_errors *errors)
{
    struct value const all[VALUES] = {
        {"err_mean_pct", 100 * errors->mean}, {"err_median_pct", 100 * errors->median},
        {"err_worst_pct", 100 * errors->worst}, {"rank_cycles", errors->rank_cycles},
        {"rank_cpi", errors->rank_cpi}, {"change_err_mean_pct", 100 * errors->change_mean},
        {"changes", (double)errors->changes}, {"clear_changes", (double)errors->clear},
        {"right_changes", (double)errors->right}
    };

    memcpy(values, all, sizeof all);
}

static bool print_for_programs(const struct native_comparison *comparison, const struct table *table)
{
    enum table_form const form = comparison->request->form;
    struct json json = {.file = stdout};
    size_t const passed = comparison->list.count - comparison->failed;
    struct value values[VALUES];
    bool good = form == TABLE_JSON || table_print(stdout, form, table);

    fill_values(values, &comparison->errors);
    if (form == TABLE_JSON) {
        json_begin_object(&json, JSON_LINES(1, 0));
        json_put_array(&json, "programs", JSON_LINES(2, 1));
        table_put_json(&json, table);
        json_end(&json);
    }
    for (size_t i = 0; i < VALUES; i++)
        if (form == TABLE_JSON)
            json_put_real(&json, values[i].key, values[i].value, 9);
        else if (form == TABLE_TSV)
            printf(isnan(values[i].value) ? "value\t%s\t-\n" : "value\t%s\t%.3f\n", values[i].key, values[i].value);
    if (form == TABLE_JSON) {
        json_put_number(&json, "passed", passed);
        json_put_number(&json, "failed", comparison->failed);
        json_end(&json);
        good = json_close(&json);
    } else if (form == TABLE_TSV) {
        printf("%zu passed, %zu failed\n", passed, comparison->failed);
    }
    return good;
}

/* ---- several, for people */

static void print_errors(const struct native_comparison *comparison)
{
    const struct native_errors *const errors = &comparison->errors;

    if (errors->count == 0)
        return;
    printf("\nerror of cycles     mean %.1f %%, median %.1f %%, worst %+.1f %% (%s), of %zu programs\n",
           100 * errors->mean, 100 * errors->median, 100 * errors->worst,
           cli_shown(comparison->rows[errors->worst_pair].one->name), errors->count);
    if (!isnan(errors->rank_cpi))
        printf("rank correlation    %.3f of cycles, %.3f of cycles per instruction\n", errors->rank_cycles,
               errors->rank_cpi);
    if (errors->changes > 0)
        printf("changes             mean error %.1f %% of %zu; of those that are 5 %% or more, %zu of %zu go the right "
               "way\n", 100 * errors->change_mean, errors->changes, errors->right, errors->clear);
}

static bool print_several(const struct native_comparison *comparison, struct table *table)
{
    printf("%zu programs on this host, and replayed on %s (%s)\n\n", comparison->list.count,
           cli_shown(comparison->request->system), comparison->request->model);
    if (!table_print(stdout, TABLE_TEXT, table))
        return false;
    print_errors(comparison);
    printf("\n%zu passed, %zu failed\n", comparison->list.count - comparison->failed, comparison->failed);
    return true;
}

/* ---- one, for people */

static void print_side(const char *what, const char *format, double native, double replayed, bool has_error)
{
    char texts[2][64];
    double const values[2] = {native, replayed};

    for (int i = 0; i < 2; i++)
        if (isnan(values[i]))
            strcpy(texts[i], "-");
        else
            snprintf(texts[i], sizeof texts[i], format, values[i]);
    printf("%-44s %14s %14s", what, texts[0], texts[1]);
    if (has_error && native > 0 && replayed > 0)
        printf("  %+.1f %%", 100 * (replayed / native - 1));
    printf("\n");
}

static void print_native(const struct native_row *row)
{
    const struct native_result *const native = &row->native;
    char core[32] = "";

    if (!row->has_native) {
        printf("native        cycles are those of the list\n");
        return;
    }
    if (native->core >= 0)
        snprintf(core, sizeof core, " on core %d", native->core);
    printf("native        least of %u runs%s, by %s; the median is %.1f %% above it\n", native->kept ? native->kept
           : native->runs, core, native->has_counted_cycles ? "the host's counter of cycles in user mode"
           : native->has_patches ? "ticks read in the program, times the clock" : "processor time, times the clock",
           100 * native->spread);
    if (native->is_steady)
        printf("clock         %.3f GHz and %.1f additions a cycle, measured before and after each run; %u runs of %u "
               "were below and do not count\n", 1e-9 * native->clock_hz, native->additions,
               native->runs - native->kept, native->runs);
    else
        printf("clock         steady in none of %u runs, so cycles are doubtful: another thread has the core\n",
               native->runs);
    printf("kernel        %.0f page faults and %.0f switches to other processes: %s, and not in the replay\n",
           native->counters.values[NATIVE_FAULTS], native->counters.values[NATIVE_SWITCHES],
           native->has_counted_cycles ? "not in the cycles" : "part of the native time");
    if (native->kernel_s > 0)
        printf("              %.3f ms were the kernel's, as the host's ticks tell\n", 1e3 * native->kernel_s);
}

static void print_counters(const struct native_row *row)
{
    bool const are_there = row->has_native && native_counters_are_there(&row->native.counters);

    printf("\n%-44s %14s %14s\n", "per 1000 instructions", "native", "replayed");
    for (size_t i = 0; i < NATIVE_COUNTER_COUNT; i++) {
        enum native_counter const counter = (enum native_counter)i;

        if (*native_counters_about[i].metric)
            print_side(native_counters_about[i].text, "%.3f", native_row_counter(row, counter),
                       replayed_counter(row, counter), true);
    }
    for (size_t i = NATIVE_STALLS_FRONT; i <= NATIVE_STALLS_BACK; i++)
        if (row->has_native && !isnan(row->native.counters.values[i]))
            print_side(native_counters_about[i].text, "%.0f", row->native.counters.values[i], NAN, false);
    if (row->has_native && !are_there)
        printf("This host has no performance counters for user programs (perf_event_open: %s), so where the two differ "
               "can only be seen from the replay's side.\n", row->native.counters.error
               ? strerror(row->native.counters.error) : "not asked");
}

static void put_slot(void *context, const char *name, const struct metric *metric, double value)
{
    (void)metric;
    if (strncmp(name, "slots.", 6) == 0 && value >= 0.0005)
        cycle_share_put(context, name + 6, NAN, value);
}

static void put_slots(const void *context, struct table_writer *writer)
{
    const struct native_row *const row = context;

    metrics_visit(&row->replayed.figures, false, put_slot, writer);
}

/* Where the difference can be: a part of the replay's cycles that is smaller than it cannot be the whole cause. */
struct causes {
    double excess;                       /* share of the replay's cycles that is too much */
    size_t found;
};

static void print_cause(void *context, const char *name, const struct metric *metric, double value)
{
    struct causes *const causes = context;

    (void)metric;
    /* Retiring slots are the work itself. */
    if (strncmp(name, "slots.", 6) == 0 && strcmp(name + 6, "retiring") != 0 && value >= causes->excess / 2)
        printf("%s%s (%.0f %%)", causes->found++ > 0 ? ", " : " ", name + 6, 100 * value);
}

static void print_difference(const struct native_row *row, const struct native_pair *pair)
{
    struct causes causes = {1 - pair->native_cycles / pair->cycles, 0};

    if (fabs(pair->error) < SMALL_ERROR)
        return;
    if (pair->error < 0) {
        printf("Natively it takes %.0f cycles more: a cost that the replay lacks, or has too low.\n",
               pair->native_cycles - pair->cycles);
        return;
    }
    printf("%.0f %% of the replay's cycles are too many; parts that can hold half of them or more:",
           100 * causes.excess);
    metrics_visit(&row->replayed.figures, false, print_cause, &causes);
    printf("%s\n", causes.found > 0 ? "" : " none by itself");
}

static bool print_one(const struct native_comparison *comparison)
{
    const struct native_row *const row = comparison->rows;
    const struct native_pair *const pair = comparison->pairs;
    bool const has_native = row->has_native;

    printf("%-44s %14s %14s  error\n", cli_shown(row->one->name), "native", "replayed");
    print_side("time, ms", "%.6f", has_native ? 1e3 * row->native.seconds : NAN, 1e3 * row->replayed.seconds, true);
    print_side("cycles", "%.0f", pair->native_cycles, pair->cycles, true);
    print_side("instructions", "%.0f", has_native ? row->native.counters.values[NATIVE_INSTRUCTIONS] : NAN,
               row->replayed.instructions / row->one->per, true);
    print_side("cycles per instruction", "%.3f", pair->native_cycles / pair->instructions,
               row->replayed.cycles / row->replayed.instructions, true);
    printf("\nregion        from %s to %s\n", row->from ? cli_shown(row->from) : "the first instruction",
           row->to ? cli_shown(row->to) : "the last one");
    print_native(row);
    printf("replay        %s on %s, %" PRIu64 " instructions after %" PRIu64 " of warm-up, in %.1f s\n",
           comparison->request->model, cli_shown(comparison->request->system), row->instructions, row->warmup,
           row->replayed.host_s);
    print_counters(row);
    printf("\nThe replay is bound by %s\n", row->replayed.verdict.cores.text);
    cycle_shares_print(stdout, 20, put_slots, row);
    print_difference(row, pair);
    return true;
}

bool compare_native_print(const struct native_comparison *comparison)
{
    struct table table = TABLE_OF(row_columns, put_rows, comparison);

    if (comparison->request->form != TABLE_TEXT)
        return print_for_programs(comparison, &table);
    return comparison->request->list ? print_several(comparison, &table) : print_one(comparison);
}
