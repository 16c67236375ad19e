/* Errors are per cent. For programs they have three decimals and no sign, as their means have; for people one and a
 * sign. */
#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/shown.h"
#include "cli/sweep/compare_print.h"
#include "sweep/compare/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 14, LEAST_WIDTH = 9, CHANGE_WIDTH = 16 };

/* ---- for programs */
static struct table_column const pair_columns[] = {
    {.name = "program"}, {.name = "system"}, {.name = "detailed_ticks"}, {.name = "reference_replay_ticks"},
    {.name = "our_ticks"}, {.name = "difference", .help = "of our ticks and the reference's"},
    {.name = "abs_err_pct", .data_digits = 3}, {.name = "rel_err_pct", .data_digits = 3}, {.name = "state"},
    {.name = "half_width", .data_digits = -6, .help = "of the 95 % interval of our ticks, of estimates from regions"}
};

static void put_ticks(struct table_writer *writer, uint64_t ticks)
{
    if (ticks)
        table_count(writer, ticks);
    else
        table_digits(writer, NULL);
}

static void put_pairs(const void *context, struct table_writer *writer)
{
    const struct comparison *const comparison = context;

    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct comparison_pair *const pair = &comparison->pairs[i];

        table_word(writer, pair->row->program);
        table_word(writer, pair->row->system);
        put_ticks(writer, pair->detailed_ticks);
        put_ticks(writer, pair->reference_ticks);
        put_ticks(writer, pair->ours.ticks);
        if (pair->ours.ticks && pair->reference_ticks)
            table_signed(writer, (int64_t)(pair->ours.ticks - pair->reference_ticks));
        else
            table_digits(writer, NULL);
        table_real(writer, fabs(100 * pair->abs_error));
        table_real(writer, fabs(100 * pair->rel_error));
        table_word(writer, pair->fault.kind == FAULT_NONE ? "ok" : "FAILED");
        table_real(writer, pair->ours.half != 0 ? pair->ours.half * (double)pair->ours.ticks : (double)NAN);
        table_end_row(writer);
    }
}

/* Values follow the pairs: as lines of TSV, as members of JSON's object; CSV has the pairs only. */
static bool print_for_programs(FILE *to, enum table_form form, const struct comparison *comparison)
{
    struct { const char *key; double value; } const values[] = {
        {"abs_err_mean_pct", 100 * comparison->abs_error_mean}, {"rel_err_mean_pct", 100 * comparison->rel_error_mean},
        {"rank_correlation", comparison->rank_correlation}, {"speedup", comparison->speedup}
    };
    struct table const table = {
        .columns = pair_columns, .count = sizeof pair_columns / sizeof pair_columns[0], .rows = put_pairs,
        .context = comparison, .has_no_head = true
    };
    struct json json = {.file = to};
    bool good = form == TABLE_JSON || table_print(to, form, &table);

    if (form == TABLE_JSON) {
        json_begin_object(&json, JSON_LINES(1, 0));
        json_put_array(&json, "pairs", JSON_LINES(2, 1));
        table_put_json(&json, &table);
        json_end(&json);
    }
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (form == TABLE_JSON)
            json_put_real(&json, values[i].key, values[i].value, 9);
        else if (form == TABLE_TSV)
            fprintf(to, isnan(values[i].value) ? "value\t%s\t-\n" : "value\t%s\t%.3f\n", values[i].key,
                    values[i].value);
    if (form == TABLE_JSON) {
        json_put_number(&json, "passed", comparison->passed);
        json_put_number(&json, "failed", comparison->failed);
        json_end(&json);
        good = json_close(&json);
    } else if (form == TABLE_TSV) {
        fprintf(to, "%zu passed, %zu failed\n", comparison->passed, comparison->failed);
    }
    return good;
}

/* ---- for people */

static int column_width(const char *name)
{
    int const wanted = (int)strlen(name) + 2;

    return wanted > LEAST_WIDTH ? wanted : LEAST_WIDTH;
}

static void print_signed(FILE *to, int width, double share)
{
    if (isnan(share))
        fprintf(to, "%*s", width, "-");
    else
        fprintf(to, "%+*.1f", width, 100 * share);
}

static void print_plain(FILE *to, int width, int decimals, double value)
{
    if (isnan(value))
        fprintf(to, "%*s", width, "-");
    else
        fprintf(to, "%*.*f", width, decimals, value);
}

static double error_of(const struct comparison *comparison, size_t program, size_t system, bool is_relative)
{
    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct comparison_pair *const pair = &comparison->pairs[i];

        if (pair->program == program && pair->system == system)
            return is_relative ? pair->rel_error : pair->abs_error;
    }
    return NAN;
}

/* One of the two errors, with a row for each program and a column for each system, and its mean. */
static void print_errors(FILE *to, const struct comparison *comparison, bool is_relative)
{
    fprintf(to, "%-*s", NAME_WIDTH, "program");
    for (size_t j = 0; j < comparison->system_count; j++)
        if (!is_relative || j != comparison->base)
            fprintf(to, "%*s", column_width(comparison->systems[j]), cli_shown(comparison->systems[j]));
    fprintf(to, "%*s\n", LEAST_WIDTH + 2, "mean");
    for (size_t i = 0; i < comparison->program_count; i++) {
        const struct comparison_program *const program = &comparison->programs[i];

        fprintf(to, "%-*s", NAME_WIDTH, cli_shown(program->name));
        for (size_t j = 0; j < comparison->system_count; j++)
            if (!is_relative || j != comparison->base)
                print_signed(to, column_width(comparison->systems[j]), error_of(comparison, i, j, is_relative));
        print_plain(to, LEAST_WIDTH + 2, 1, 100 * (is_relative ? program->rel_error : program->abs_error));
        fputc('\n', to);
    }
}

/* Errors within these are none that the regions tell. */
static void print_intervals(FILE *to, const struct comparison *comparison)
{
    bool has_head = false;

    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct comparison_pair *const pair = &comparison->pairs[i];

        if (pair->ours.ticks == 0 || pair->ours.half == 0)
            continue;
        if (!has_head)
            fputs("\nEstimated from regions: intervals of the time, 95 % confidence\n", to);
        has_head = true;
        fprintf(to, "%-*s%-12s", NAME_WIDTH, cli_shown(pair->row->program), cli_shown(pair->row->system));
        if (isnan(pair->ours.half))
            fputs("not known: one region of a phase says nothing of its error\n", to);
        else
            fprintf(to, "± %.2g %%%s\n", 100 * pair->ours.half,
                    fabs(pair->abs_error) <= pair->ours.half ? ", which the error is within" : "");
    }
}

/* detailed -> replay */
static void print_change(FILE *to, int decimals, double before, double after)
{
    char text[48];

    snprintf(text, sizeof text, "%.*f > %.*f", decimals, before, decimals, after);
    fprintf(to, "%*s", CHANGE_WIDTH, text);
}

static double per_thousand(double part, double whole)
{
    return whole > 0 ? 1000 * part / whole : 0;
}

static bool has_both(const struct comparison_pair *pair)
{
    return pair->figures[SIDE_DETAILED].ticks && comparison_replay(pair)->ticks;
}

static void print_origin(FILE *to, const struct comparison_pair *pair)
{
    const struct run_figures *const one = &pair->figures[SIDE_DETAILED], *const two = comparison_replay(pair);

    fprintf(to, "%-*s%-12s", NAME_WIDTH, cli_shown(pair->row->program), cli_shown(pair->row->system));
    print_signed(to, LEAST_WIDTH, pair->abs_error);
    print_change(to, 1, per_thousand(one->caches[RUN_L1D].misses, one->instructions),
                 per_thousand(two->caches[RUN_L1D].misses, two->instructions));
    print_change(to, 1, run_miss_latency_ns(one, RUN_L1D), run_miss_latency_ns(two, RUN_L1D));
    print_change(to, 2, run_misses_in_flight(one, RUN_L1D), run_misses_in_flight(two, RUN_L1D));
    print_change(to, 1, per_thousand(one->caches[RUN_L2].misses, one->instructions),
                 per_thousand(two->caches[RUN_L2].misses, two->instructions));
    print_change(to, 2, run_dram_gb_per_s(one), run_dram_gb_per_s(two));
    fputc('\n', to);
}

static void print_origins(FILE *to, const struct comparison *comparison)
{
    static const char *const headings[] = {"L1D misses/1000", "of ns", "in flight", "L2 misses/1000", "DRAM GB/s"};

    fputs("\nWhere it arises: each program's worst system, detailed > replay\n", to);
    fprintf(to, "%-*s%-12s%*s", NAME_WIDTH, "program", "system", LEAST_WIDTH, "error %");
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++)
        fprintf(to, "%*s", CHANGE_WIDTH, headings[i]);
    fputc('\n', to);
    for (size_t i = 0; i < comparison->program_count; i++) {
        const struct comparison_pair *const pair = &comparison->pairs[comparison->programs[i].worst];

        if (has_both(pair))
            print_origin(to, pair);
    }
}

static const char *trust_text(const struct comparison_program *program)
{
    if (program->trusts_times)
        return program->trusts_trends ? "times and trends" : "times";
    return program->trusts_trends ? "trends" : "neither";
}

/* Faster or slower, and the reason. */
static void print_reason(FILE *to, const struct comparison_program *program, const struct comparison_pair *pair,
                         bool is_rebuilt)
{
    const struct run_figures *const one = &pair->figures[SIDE_DETAILED], *const two = comparison_replay(pair);

    fprintf(to, "%.0f %% %s on %s: ", fabs(100 * pair->abs_error),
            pair->abs_error < 0 ? "faster" : "slower", cli_shown(pair->row->system));
    switch (program->cause) {
    case CAUSE_MISSES:
        fprintf(to, "%.2f times as many L1D misses", two->caches[RUN_L1D].misses / one->caches[RUN_L1D].misses);
        break;
    case CAUSE_LATENCY:
        fprintf(to, "L1D misses take %.2f times as long",
                run_miss_latency_ns(two, RUN_L1D) / run_miss_latency_ns(one, RUN_L1D));
        break;
    case CAUSE_OVERLAP:
        fprintf(to, "%.2f misses in flight instead of %.2f: %s", run_misses_in_flight(two, RUN_L1D),
                run_misses_in_flight(one, RUN_L1D),
                pair->abs_error < 0 ? "the cause that held the core back is not in the trace"
                : is_rebuilt        ? "its wrong paths loaded what it needed next, and the trace has them in part"
                                    : "the trace has dependences that the core did not have");
        break;
    case CAUSE_CORE:
        fprintf(to, "it hardly waits for memory (%.2f misses in flight), so it is %s",
                run_misses_in_flight(two, RUN_L1D),
                is_rebuilt ? "mispredictions, and what was guessed of them" : "the trace's own delays");
        break;
    }
    fputc('\n', to);
}

static void print_trust(FILE *to, const struct comparison *comparison)
{
    fprintf(to,
            "\nWhat to trust (times: mean absolute error of at most %.0f %%; "
            "trends: relative error of at most %.0f %%)\n",
            100 * TRUST_ABS_ERROR, 100 * TRUST_REL_ERROR);
    for (size_t i = 0; i < comparison->program_count; i++) {
        const struct comparison_program *const program = &comparison->programs[i];
        const struct comparison_pair *const pair = &comparison->pairs[program->worst];

        fprintf(to, "%-*s%-18s", NAME_WIDTH, cli_shown(program->name), trust_text(program));
        if ((program->trusts_times && program->trusts_trends) || !has_both(pair))
            fputc('\n', to);
        else
            print_reason(to, program, pair, comparison->is_other_model);
    }
}

/* The kind of a replayed pair, by the figures of its replay. */
static void print_kind(FILE *to, const struct comparison_pair *pair)
{
    const struct run_figures *const replay = comparison_replay(pair);
    const struct window_kind_about *const kind = &window_kinds[window_kind_of(replay)];
    char range[32];

    snprintf(range, sizeof range, "%+d to %+d", kind->least_pct, kind->most_pct);
    fprintf(to, "%-*s%-12s", NAME_WIDTH, cli_shown(pair->row->program), cli_shown(pair->row->system));
    print_plain(to, LEAST_WIDTH, 1, per_thousand(replay->mispredictions, replay->instructions));
    print_plain(to, LEAST_WIDTH, 1, per_thousand(run_memory_lines(replay), replay->instructions));
    print_plain(to, LEAST_WIDTH, 1, per_thousand(replay->rescheduled_loads, replay->instructions));
    print_plain(to, LEAST_WIDTH, 1, per_thousand(replay->serialising, replay->instructions));
    fprintf(to, "%14s", range);
    print_signed(to, LEAST_WIDTH, pair->abs_error);
    fprintf(to, "  %s\n", kind->name);
}

/* Where the kind is not that of the program's pair before, so mostly once a program; then why, of each kind that was
 * met. */
static void print_kinds(FILE *to, const struct comparison *comparison)
{
    bool is_met[KIND_COUNT] = {false};
    const struct comparison_pair *last = NULL;

    fprintf(to, "\nWhat to expect of --model window: a replay's counts per 1000 micro-ops, and how far off such "
            "replays are\n%-*s%-12s%*s%*s%*s%*s%14s%*s  kind\n",
            NAME_WIDTH, "program", "system", LEAST_WIDTH, "mispred",
            LEAST_WIDTH, "lines", LEAST_WIDTH, "overlaps", LEAST_WIDTH, "serial", "expect %", LEAST_WIDTH, "error %");
    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct comparison_pair *const pair = &comparison->pairs[i];
        enum window_kind kind;

        if (!comparison_replay(pair)->ticks)
            continue;
        kind = window_kind_of(comparison_replay(pair));
        if (!last || last->program != pair->program || window_kind_of(comparison_replay(last)) != kind)
            print_kind(to, pair);
        is_met[kind] = true;
        last = pair;
    }
    for (size_t kind = 0; kind < KIND_COUNT; kind++)
        if (is_met[kind])
            fprintf(to, "%s: %s\n", window_kinds[kind].name, window_kinds[kind].why);
}

static void print_mean(FILE *to, const char *name, const char *unit, double value, size_t count)
{
    fprintf(to, "%-20s", name);
    print_plain(to, 8, 3, value);
    fprintf(to, "%s  mean of %zu pairs\n", unit, count);
}

static void print_for_people(FILE *to, const struct comparison *comparison)
{
    fprintf(to, "%zu pairs of %zu programs and %zu systems, base %s\n\nAbsolute error %%: replay / detailed - 1\n",
            comparison->pair_count, comparison->program_count, comparison->system_count,
            cli_shown(comparison->systems[comparison->base]));
    print_errors(to, comparison, false);
    if (comparison->rel_count) {
        fprintf(to, "\nRelative error %%: of the change from %s\n", cli_shown(comparison->systems[comparison->base]));
        print_errors(to, comparison, true);
    }
    print_intervals(to, comparison);
    print_origins(to, comparison);
    print_trust(to, comparison);
    if (comparison->is_window)
        print_kinds(to, comparison);
    fputc('\n', to);
    print_mean(to, "absolute error", " %", 100 * comparison->abs_error_mean, comparison->abs_count);
    print_mean(to, "relative error", " %", 100 * comparison->rel_error_mean, comparison->rel_count);
    fputs("rank correlation    ", to);
    print_plain(to, 8, 3, comparison->rank_correlation);
    fputs("    of the systems by time, mean of the programs\nspeed-up            ", to);
    print_plain(to, 8, 3, comparison->speedup);
    fputs("    host time of the detailed runs over that of the replays\n", to);
    fprintf(to, "\n%zu passed, %zu failed\n", comparison->passed, comparison->failed);
}

int compare_finish(struct comparison *comparison, enum table_form form)
{
    comparison_judge(comparison);
    for (size_t i = 0; i < comparison->pair_count; i++)
        if (comparison->pairs[i].fault.kind != FAULT_NONE)
            cli_fail(comparison->pairs[i].fault);
    if (form == TABLE_TEXT)
        print_for_people(stdout, comparison);
    else if (!print_for_programs(stdout, form, comparison))
        return cli_fail_text("out of memory");
    if (interrupt_came())
        return interrupt_exit_code();
    return comparison->failed ? CLI_DIFFERS : CLI_OK;
}
