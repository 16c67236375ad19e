#include "cli/traffic/traffic_detail_print.h"

#include <inttypes.h>
#include <math.h>

#include "cli/common/plot.h"
#include "cli/common/rowhammer.h"

enum { DETAIL_DIGITS = -10 };            /* of figures that programs read */

static const char *const ways[] = {[TRAFFIC_READ] = "reads", [TRAFFIC_WRITE] = "writes"};

/* name, heading, width, digits, help */
#define DETAIL_COLUMN(name, heading, width, digits, help) {name, heading, width, digits, DETAIL_DIGITS, 1, NULL, help, \
        NULL}

/* ---- what became of the accesses */
static struct table_column const fate_columns[] = {
    DETAIL_COLUMN("access", "", -13, 0, "reads, writes"),
    DETAIL_COLUMN("requests", "requests", 9, 0, "taken by the memory"),
    DETAIL_COLUMN("accesses", "accesses", 9, 0, "of these requests"),
    DETAIL_COLUMN("dram", "in DRAM", 9, 0, "issued to the DRAM"),
    DETAIL_COLUMN("write_queue", "forwarded or merged", 20, 0,
                  "reads answered from a waiting write, writes merged with it"),
    DETAIL_COLUMN("waiting", "waiting", 8, 0, "still in a queue")
};

static void put_fates(const void *context, struct table_writer *writer)
{
    const struct traffic_measured *const measured = context;

    for (unsigned way = 0; way < TRAFFIC_WAYS; way++) {
        const struct traffic_fate *const fate = &measured->detail->fates[way];

        table_word(writer, ways[way]);
        table_count(writer, fate->requests);
        table_count(writer, fate->given);
        table_count(writer, fate->served);
        table_count(writer, fate->spared);
        table_count(writer, fate->waiting);
        table_end_row(writer);
    }
}

/* ---- latencies by kind */
static struct table_column const kind_columns[] = {
    DETAIL_COLUMN("access", "latency, ns", -13, 0, "reads, writes"),
    DETAIL_COLUMN("kind", "of", -13, 0,
                  "requests; accesses that met an open row (hit), a closed bank (miss), another row (conflict)"),
    DETAIL_COLUMN("count", "count", 9, 0, "how many"),
    DETAIL_COLUMN("mean_ns", "mean", 9, 1, "mean latency"),
    DETAIL_COLUMN("lowest_ns", "least", 8, 1, "the least one"),
    DETAIL_COLUMN("p50_ns", "p50", 8, 1, "median"),
    DETAIL_COLUMN("p90_ns", "p90", 8, 1, "90th percentile"),
    DETAIL_COLUMN("p99_ns", "p99", 8, 1, "99th percentile"),
    DETAIL_COLUMN("p999_ns", "p99.9", 8, 1, "99.9th percentile"),
    DETAIL_COLUMN("highest_ns", "most", 8, 1, "the longest one")
};

static void put_latencies(struct table_writer *writer, unsigned way, const char *kind,
                          const struct latency_histogram *latencies)
{
    double const ns = latencies->count > 0 ? 1e-3 : NAN;

    table_word(writer, ways[way]);
    table_word(writer, kind);
    table_count(writer, latencies->count);
    table_real(writer, ns * latency_histogram_mean(latencies));
    table_real(writer, ns * (double)latencies->lowest);
    table_real(writer, ns * (double)latency_histogram_percentile(latencies, 50));
    table_real(writer, ns * (double)latency_histogram_percentile(latencies, 90));
    table_real(writer, ns * (double)latency_histogram_percentile(latencies, 99));
    table_real(writer, ns * (double)latency_histogram_percentile(latencies, 99.9));
    table_real(writer, ns * (double)latencies->highest);
    table_end_row(writer);
}

static void put_kinds(const void *context, struct table_writer *writer)
{
    static const char *const rows[] = {
        [TRAFFIC_ROW_HIT] = "row hits", [TRAFFIC_ROW_MISS] = "row misses", [TRAFFIC_ROW_CONFLICT] = "row conflicts"};
    const struct traffic_measured *const measured = context;

    put_latencies(writer, TRAFFIC_READ, "requests", &measured->result->latency);
    put_latencies(writer, TRAFFIC_WRITE, "requests", &measured->result->write_latency);
    for (unsigned way = 0; measured->detail->bank_count > 0 && way < TRAFFIC_WAYS; way++)
        for (unsigned row = 0; row < TRAFFIC_ROWS; row++)
            put_latencies(writer, way, rows[row], &measured->detail->rows[way][row]);
}

/* ---- banks */
static struct table_column const bank_columns[] = {
    DETAIL_COLUMN("channel", "channel", TABLE_FIT_LEFT, 0, "its controller"),
    DETAIL_COLUMN("bank", "bank", TABLE_FIT_LEFT, 0, "its number at each level"),
    DETAIL_COLUMN("reads", "reads", 9, 0, "accesses"),
    DETAIL_COLUMN("writes", "writes", 9, 0, "accesses"),
    DETAIL_COLUMN("row_hits", "row hits", 9, 0, "accesses that met their row open"),
    DETAIL_COLUMN("row_misses", "misses", 9, 0, "... the bank closed"),
    DETAIL_COLUMN("row_conflicts", "conflicts", 9, 0, "... another row open"),
    DETAIL_COLUMN("read_mean_ns", "mean ns", 9, 1, "latency of its reads in the controller"),
    DETAIL_COLUMN("read_highest_ns", "most ns", 9, 1, "the longest of them"),
    DETAIL_COLUMN("write_mean_ns", NULL, 0, 1, "the same of writes, to their command"),
    DETAIL_COLUMN("write_highest_ns", NULL, 0, 1, "the longest of them")
};

static uint64_t sum_of(const uint64_t rows[TRAFFIC_ROWS])
{
    return rows[TRAFFIC_ROW_HIT] + rows[TRAFFIC_ROW_MISS] + rows[TRAFFIC_ROW_CONFLICT];
}

static void put_bank(struct table_writer *writer, const struct traffic_bank *bank)
{
    uint64_t counts[TRAFFIC_WAYS];

    table_word(writer, bank->channel);
    table_word(writer, bank->place);
    for (unsigned way = 0; way < TRAFFIC_WAYS; way++)
        table_count(writer, counts[way] = sum_of(bank->accesses[way]));
    for (unsigned row = 0; row < TRAFFIC_ROWS; row++)
        table_count(writer, bank->accesses[TRAFFIC_READ][row] + bank->accesses[TRAFFIC_WRITE][row]);
    for (unsigned way = 0; way < TRAFFIC_WAYS; way++) {
        double const ns = counts[way] > 0 ? 1e-3 : NAN;

        table_real(writer, counts[way] ? ns * (double)bank->latency_ps[way] / (double)counts[way] : NAN);
        table_real(writer, ns * (double)bank->highest_ps[way]);
    }
    table_end_row(writer);
}

static void put_banks(const void *context, struct table_writer *writer)
{
    const struct traffic_measured *const measured = context;

    for (size_t i = 0; i < measured->detail->bank_count; i++)
        put_bank(writer, &measured->detail->banks[i]);
}

/* ---- time */
static struct table_column const time_columns[] = {
    DETAIL_COLUMN("from_ns", "from ns", 14, 1, "beginning of the interval"),
    DETAIL_COLUMN("to_ns", NULL, 0, 0, "its end"),
    DETAIL_COLUMN("read_gb_per_s", "reads GB/s", 11, 3, "requests that were done in it"),
    DETAIL_COLUMN("write_gb_per_s", "writes GB/s", 11, 3, "likewise"),
    DETAIL_COLUMN("mean_ns", "mean ns", 9, 1, "latency of these reads"),
    DETAIL_COLUMN("highest_ns", "most ns", 9, 1, "the longest one")
};

static void put_times(const void *context, struct table_writer *writer)
{
    const struct traffic_measured *const measured = context;
    const struct traffic_detail *const detail = measured->detail;

    for (uint64_t i = detail->since_ps / detail->window_ps; i < detail->window_count; i++) {
        const struct traffic_window *const window = &detail->windows[i];
        uint64_t const reads = window->done[TRAFFIC_READ];
        uint64_t const from_ps = max_u64(i * detail->window_ps, detail->since_ps);
        uint64_t const whole_ps = (i + 1) * detail->window_ps;
        uint64_t const to_ps = detail->until_ps > from_ps ? min_u64(whole_ps, detail->until_ps) : whole_ps;
        double const gb_per_s = 1e3 * (double)measured->line_bytes / (double)(to_ps - from_ps);

        table_real(writer, 1e-3 * (double)from_ps);
        table_real(writer, 1e-3 * (double)to_ps);
        table_real(writer, gb_per_s * (double)reads);
        table_real(writer, gb_per_s * (double)window->done[TRAFFIC_WRITE]);
        table_real(writer, reads ? 1e-3 * (double)window->latency_ps / (double)reads : NAN);
        table_real(writer, reads ? 1e-3 * (double)window->highest_ps : NAN);
        table_end_row(writer);
    }
}

/* ---- all of them */
static struct table table_of(enum traffic_table which, const struct traffic_measured *measured)
{
    switch (which) {
    case TRAFFIC_BY_BANK: return TABLE_OF(bank_columns, put_banks, measured);
    case TRAFFIC_BY_TIME: return TABLE_OF(time_columns, put_times, measured);
    default: return TABLE_OF(kind_columns, put_kinds, measured);
    }
}

bool traffic_print_table(FILE *to, enum table_form form, enum traffic_table which,
                         const struct traffic_measured *measured)
{
    struct table const table = table_of(which, measured);

    if (form == TABLE_TEXT && which == TRAFFIC_BY_BANK)
        fprintf(to, "banks by %s\n", measured->detail->levels);
    return table_print(to, form, &table);
}

static void say_spared(FILE *to, const struct traffic_fate *fate, const char *what)
{
    if (fate->spared > 0)
        fprintf(to, "not in DRAM: %s (%" PRIu64 ")\n", what, fate->spared);
}

bool traffic_print_fates(FILE *to, const struct traffic_measured *measured)
{
    const struct traffic_detail *const detail = measured->detail;
    struct table const table = TABLE_OF(fate_columns, put_fates, measured);

    if (!table_print(to, TABLE_TEXT, &table))
        return false;
    say_spared(to, &detail->fates[TRAFFIC_READ], "reads answered from a write that waited");
    say_spared(to, &detail->fates[TRAFFIC_WRITE], "writes merged with one to the same place that waited");
    return true;
}

void traffic_put_details(struct json *json, const struct traffic_measured *measured)
{
    static const char *const names[] = {
        [TRAFFIC_BY_KIND] = "latencies", [TRAFFIC_BY_BANK] = "banks", [TRAFFIC_BY_TIME] = "times"};
    struct table const fates = TABLE_OF(fate_columns, put_fates, measured);

    json_put_number(json, "access_bytes", measured->detail->access_bytes);
    json_put_real(json, "drained_ns", 1e-3 * (double)measured->detail->drained_ps, 10);
    json_put_array(json, "accesses", JSON_LINES(2, 1));
    table_put_json(json, &fates);
    json_end(json);
    for (enum traffic_table which = TRAFFIC_BY_KIND; which < TRAFFIC_TABLE_COUNT; which++) {
        struct table const table = table_of(which, measured);

        json_put_array(json, names[which], JSON_LINES(2, 1));
        table_put_json(json, &table);
        json_end(json);
    }
    rowhammer_put(json, &measured->detail->rowhammer);
}
