#include "cli/replay/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "replay/config/config_values.h"
#include "replay/config/core_params.h"
#include "replay/config/units.h"

enum { MOST_ODD = 8 };

/* Cores whose CPI is further from the mean of their group are odd. */
static double const ODD = 0.25;

struct group {
    const struct system *system;
    const struct figures *figures;
    unsigned cores[CONFIG_MAX_CORES];
    unsigned count;
};

static bool are_alike(const struct core_params *one, const struct core_params *other)
{
#define IS_EQUAL(field, ...) && one->field == other->field
    return true CORE_PARAMETERS(IS_EQUAL);
#undef IS_EQUAL
}

/* ---- values of single cores */
static double core_groups_value_of(const struct group *group, unsigned core, const char *metric)
{
    uint64_t const done_ps = group->system->cores[core].done_ps;
    char name[METRIC_NAME];

    if (strcmp(metric, "done ms") == 0)
        return done_ps == TICK_NEVER ? (double)NAN : 1e-9 * (double)system_counted_ps(group->system, done_ps);
    snprintf(name, sizeof name, "cpu%u.%s", core, metric);
    return metrics_value(group->figures, name);
}

struct spread {
    double least, mean, most;
    unsigned least_at, most_at, count;
};

static struct spread spread_of(const struct group *group, const char *metric)
{
    struct spread spread = {0};

    for (unsigned i = 0; i < group->count; i++) {
        double const value = core_groups_value_of(group, group->cores[i], metric);

        if (isnan(value))
            continue;
        if (spread.count == 0 || value < spread.least) {
            spread.least = value;
            spread.least_at = group->cores[i];
        }
        if (spread.count == 0 || value > spread.most) {
            spread.most = value;
            spread.most_at = group->cores[i];
        }
        spread.mean += value;
        spread.count++;
    }
    spread.mean /= spread.count ? spread.count : 1;
    return spread;
}

static void put_spreads(const void *context, struct table_writer *writer)
{
    static const char *const metrics[] = {
        "cpi", "done ms", "load.mean_ns", "mlp", "l1d.hit_rate", "l2.hit_rate", "branch.mpki"
    };
    const struct group *const group = context;

    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        struct spread const spread = spread_of(group, metrics[i]);
        char name[METRIC_NAME];

        if (spread.count == 0)
            continue;
        snprintf(name, sizeof name, "  %s", metrics[i]);
        table_word(writer, name);
        table_real(writer, spread.least);
        table_word(writer, group->system->cores[spread.least_at].name);
        table_real(writer, spread.mean);
        table_real(writer, spread.most);
        table_word(writer, group->system->cores[spread.most_at].name);
        table_end_row(writer);
    }
}

static void print_odd(FILE *to, const struct group *group)
{
    double const mean = spread_of(group, "cpi").mean;
    unsigned odd = 0;

    for (unsigned i = 0; i < group->count; i++) {
        double const cpi = core_groups_value_of(group, group->cores[i], "cpi");

        if (isnan(cpi) || fabs(cpi - mean) <= ODD * mean || ++odd > MOST_ODD)
            continue;
        fprintf(to, "%s %s (CPI %.3f)", odd == 1 ? "  far from the mean:" : ",",
                group->system->cores[group->cores[i]].name, cpi);
    }
    if (odd > MOST_ODD)
        fprintf(to, ", and %u more", odd - MOST_ODD);
    if (odd > 0)
        fprintf(to, "\n");
}

static void print_group(FILE *to, const struct group *group)
{
    char names[64];
    struct table_column const columns[] = {
        TEXT_COLUMN(names, -22), TEXT_COLUMN("least", 12, .text_digits = 4), TEXT_COLUMN("", -6),
        TEXT_COLUMN("mean", 12, .text_digits = 4), TEXT_COLUMN("most", 12, .text_digits = 4), TEXT_COLUMN("", 0)
    };
    struct table const table = TABLE_OF(columns, put_spreads, group);
    const struct system_core *const cores = group->system->cores;
    unsigned const first = group->cores[0], last = group->cores[group->count - 1];

    if (group->count == 1)
        snprintf(names, sizeof names, "%s", cores[first].name);
    else if (last - first + 1 == group->count)
        snprintf(names, sizeof names, "%s to %s", cores[first].name, cores[last].name);
    else
        snprintf(names, sizeof names, "%s, ..., %s: %u", cores[first].name, cores[last].name, group->count);
    fputc('\n', to);
    table_print(to, TABLE_TEXT, &table);
    print_odd(to, group);
}

/* ---- all cores */
struct part_rows {
    const struct figures *figures;
    const char *prefix;
    struct table_writer *writer;
};

static void put_part(void *context, const char *name, const struct metric *metric)
{
    const struct part_rows *const rows = context;
    double const share = strncmp(name, rows->prefix, strlen(rows->prefix)) == 0
                         ? metrics_value(rows->figures, name) : (double)NAN;

    (void)metric;
    if (!isnan(share))
        cycle_share_put(rows->writer, name + strlen(rows->prefix), share * metrics_value(rows->figures, "cycles"),
                        share);
}

static void put_parts(const void *context, struct table_writer *writer)
{
    struct part_rows rows = {context, "stall.", writer};

    metrics_names(put_part, &rows);
    rows.prefix = "slots.";
    metrics_names(put_part, &rows);
}

static void print_totals(FILE *to, const struct system *system, const struct figures *figures, unsigned active)
{
    char clock[UNITS_TEXT];

    units_format(UNIT_PERIOD, config_cpu_clock_ps(system->config), 0, clock, sizeof clock);
    fprintf(to, "\n%-13s %u: %.0f cycles of %s, %.0f %s, CPI %.3f (--all shows each)\n", "cores", active,
            metrics_value(figures, "cycles"), clock, metrics_value(figures, "instructions"),
            config_is_detailed(system->config) ? "instructions" : "micro-ops", metrics_value(figures, "cpi"));
    fprintf(to, "where their cycles went\n");
    cycle_shares_print(to, 20, put_parts, figures);
}

void core_groups_print(FILE *to, const struct system *system, const struct figures *figures)
{
    bool is_taken[CONFIG_MAX_CORES] = {false};
    unsigned active = 0;

    for (unsigned i = 0; i < system->core_count; i++) {
        is_taken[i] = system->cores[i].is_idle;
        active += !system->cores[i].is_idle;
    }
    if (active == 0)
        return;
    print_totals(to, system, figures, active);
    for (unsigned i = 0; i < system->core_count; i++) {
        struct group group = {.system = system, .figures = figures};

        for (unsigned k = i; k < system->core_count && !is_taken[i]; k++)
            if (!is_taken[k] && are_alike(config_core_params(system->config, i),
                                          config_core_params(system->config, k)))
                group.cores[group.count++] = k;
        for (unsigned k = 0; k < group.count; k++)
            is_taken[group.cores[k]] = true;
        if (group.count > 0)
            print_group(to, &group);
    }
}
