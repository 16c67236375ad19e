#include "viz/panels/strip_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viz/state/state_figures.h"

#define ROW_TEXTS(value, title, own_title, meaning, shared_meaning) {title, own_title, meaning, shared_meaning},
static const struct { const char *title, *own_title, *meaning, *shared_meaning; } row_texts[STRIP_ROW_COUNT] = {
    STRIP_ROWS(ROW_TEXTS)
};
#undef ROW_TEXTS

/* Parts of the cycles: name in samples, name in the chart, colour, explanation. */
static const struct { const char *element, *name; unsigned colour; const char *meaning; } parts[] = {
    {"working", "working", 2, "Cycles in which at least one record of the trace executed."},
    {"dependences", "dependences", 0, "Cycles in which every record waited for a result, from memory or from a "
                                      "computation."},
    {"blocked_cache", "L1D "
                      "blocked", 3, "Cycles in which the L1 data cache refused a request, for example because all its "
                                    "MSHRs were taken."},
    {"rob", "ROB full", 1, "Cycles in which a record was ready, but the reorder buffer was full."},
    {"load_buffer", "loads full", 4, "Cycles in which a load was ready, but the load buffer was full."},
    {"store_buffer", "stores full", 5, "Cycles in which a store was ready, but the store buffer was full."},
    {"none", "issuing", 2, "Cycles in which the scheduler issued an instruction."},
    {"loads", "load wait", 0, "Scoreboard stall: all warps waited for loads that missed the L1."},
    {"scoreboard", "result "
                   "wait", 4, "Scoreboard stall: warps waited for other results, such as arithmetic or loads that hit "
                              "the L1."},
    {"ldst", "LD/ST unit", 1, "Stall: warps waited for the load/store unit (LD/ST)."},
    {"unit", "other unit", 3, "Stall: warps waited for another execution unit."},
    {"barrier", "barrier", 5, "Stall: all warps waited at barriers."},
    {"idle", "idle", STRIP_CALM, "Idle: no warp had anything to issue."}
};

void strip_title(const struct strip_data *data, char *text, size_t room)
{
    if (data->of)
        snprintf(text, room, "%s of %s", row_texts[data->row].own_title, data->of);
    else
        snprintf(text, room, "%s", row_texts[data->row].title);
}

const char *strip_meaning(const struct strip_data *data, const char *chosen)
{
    return data->of ? "This is for the chosen component alone. Press Esc or click elsewhere to show all again."
           : chosen ? row_texts[data->row].shared_meaning : row_texts[data->row].meaning;
}

void strip_value_text(enum strip_unit unit, double value, char *text, size_t room)
{
    if (unit == STRIP_BYTES_RATE)
        figures_bytes_rate(text, room, value);
    else if (unit == STRIP_TIME)
        figures_time(text, room, value);
    else if (isnan(value))
        snprintf(text, room, "-");
    else
        snprintf(text, room, "%.1f %%", 100 * value);
}

/* ---- which rows */

static bool has_row(const struct digest *digest, enum strip_row row)
{
    const struct digest_group *const groups = digest->groups;
    bool const has_cores = groups[DIGEST_LATENCY].count > 0;
    bool const has_gpu_reads = groups[DIGEST_GPU_LATENCY].count + groups[DIGEST_GPU_READS].count > 0;
    bool const are_sms = digest->are_sms && groups[DIGEST_REQUESTORS].count > 0;

    switch (row) {
    case STRIP_BANDWIDTH: return groups[DIGEST_BYTES].count > 0;
    case STRIP_LATENCY: return has_cores;
    case STRIP_GPU_LATENCY: return has_gpu_reads;
    case STRIP_DRAM_LATENCY: return groups[DIGEST_DRAM_READS].count > 0 && !has_cores && !has_gpu_reads;
    case STRIP_BUFFERS:
        return groups[DIGEST_ROB].count + groups[DIGEST_LOADS].count + groups[DIGEST_STORES].count > 0;
    case STRIP_WARPS: return groups[DIGEST_WARPS].count > 0;
    case STRIP_CYCLES: return groups[DIGEST_CYCLES].count > 0;
    case STRIP_STALLS: return groups[DIGEST_STALLS].count > 0;
    case STRIP_REQUESTORS: return groups[DIGEST_REQUESTORS].count > 0 && !are_sms;
    case STRIP_SMS: return are_sms;
    case STRIP_ROW_COUNT: break;
    }
    return false;
}

uint32_t strip_rows_of(const struct view *view, enum strip_row *rows)
{
    uint32_t count = 0;

    for (unsigned row = 0; row < STRIP_ROW_COUNT; row++) {
        bool has_it = false;

        for (unsigned run = 0; run < view->run_count; run++)
            has_it |= has_row(&view->runs[run].history.digest, (enum strip_row)row);
        if (has_it)
            rows[count++] = (enum strip_row)row;
    }
    return count;
}

/* ---- their courses */

/* NULL when there is no more room. */
static float *add_course(struct strip_data *data, const char *name, unsigned colour, const char *meaning)
{
    struct strip_course *const course = &data->courses[data->count];

    if (data->count == STRIP_COURSES)
        return NULL;
    *course = (struct strip_course){.colour = colour, .meaning = meaning};
    snprintf(course->name, sizeof course->name, "%s", name);
    return data->values[data->count++];
}

static const struct digest_group *group_of(const struct strip_columns *columns, enum digest_group_kind kind)
{
    return &columns->digest->groups[kind];
}

static void fill_bandwidth(struct strip_data *data, const struct strip_columns *columns)
{
    const struct digest_group *const bytes = group_of(columns, DIGEST_BYTES);

    data->unit = STRIP_BYTES_RATE;
    data->is_stacked = true;
    data->limit = bytes->limit;
    strip_rates(columns, bytes->first, 1, 1e12, add_course(data, "read", 0, "Bytes per second read from memory."));
    strip_rates(columns, bytes->first + 1, 1, 1e12, add_course(data, "write", 1, "Bytes per second written to "
                                                                                 "memory."));
    data->has_most = true;
    strip_highest(columns, bytes->first, 2, 1e12, data->most);
}

static void fill_percentiles(struct strip_data *data, const struct strip_columns *columns,
                             const struct digest_group *group)
{
    static const struct { const char *name; unsigned colour; const char *meaning; } lines[] = {
        {"p50", 0, "50 % took at most this long (the median)."},
        {"p95", 4, "95 % took at most this long, so 1 in 20 took longer."},
        {"p99", 3, "99 % took at most this long, so 1 in 100 took longer."}
    };
    static const double percents[] = {50, 95, 99};
    enum { LINES = sizeof lines / sizeof *lines };
    float *values[LINES];

    for (size_t i = 0; i < LINES; i++)
        values[i] = add_course(data, lines[i].name, lines[i].colour, lines[i].meaning);
    strip_percentiles(columns, group, percents, LINES, values);
}

static void fill_latency(struct strip_data *data, const struct strip_columns *columns,
                         const struct strip_columns *loads)
{
    const struct digest_group *const dram = group_of(columns, DIGEST_DRAM_READS);
    const struct digest_group *const gpu = group_of(columns, DIGEST_GPU_LATENCY);

    data->unit = STRIP_TIME;
    data->is_log = true;
    if (data->row == STRIP_LATENCY)
        fill_percentiles(data, loads, group_of(loads, DIGEST_LATENCY));
    else if (data->row == STRIP_GPU_LATENCY && gpu->count > 0)
        fill_percentiles(data, columns, gpu);
    else if (data->row == STRIP_GPU_LATENCY)
        strip_means(columns, group_of(columns, DIGEST_GPU_READS),
                    add_course(data, "mean", 0, "Mean latency of the reads that completed."));
    if (dram->count > 0 && data->count < STRIP_COURSES)
        strip_means(columns, dram, add_course(data, "DRAM", 2, row_texts[STRIP_DRAM_LATENCY].meaning));
}

static void fill_buffers(struct strip_data *data, const struct strip_columns *columns)
{
    static const struct { enum digest_group_kind kind; const char *name; unsigned colour; const char *meaning; }
    buffers[] = {
        {DIGEST_ROB, "ROB", 0, "Entries of the reorder buffer in use, as a share of its size."},
        {DIGEST_LOADS, "loads", 2, "Entries of the load buffer in use, as a share of its size."},
        {DIGEST_STORES, "stores", 1, "Entries of the store buffer in use, as a share of its size."}
    };

    data->unit = STRIP_SHARE;
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        const struct digest_group *const group = group_of(columns, buffers[i].kind);
        float *mean, *highest;

        if (group->count == 0)
            continue;
        mean = add_course(data, buffers[i].name, buffers[i].colour, buffers[i].meaning);
        data->courses[data->count - 1].has_peer = true;
        highest = add_course(data, "highest", buffers[i].colour, buffers[i].meaning);
        strip_shares(columns, group, mean, highest);
        if (group->count == 1) {
            data->courses[data->count - 2].has_peer = false;
            data->count--;
        }
    }
}

/* Slots that are not free: ready, and all other states together. */
static void fill_warps(struct strip_data *data, const struct strip_columns *columns)
{
    const struct digest_group *const warps = group_of(columns, DIGEST_WARPS);
    float *const ready = add_course(data, "ready", 2, "Warp slots that hold a warp that can issue now.");
    float *const stalled = add_course(data, "stalled", 1, 
                                       "Warp slots that hold a warp that waits for loads, other results, a unit or a "
                                       "barrier.");

    data->unit = STRIP_SHARE;
    data->is_stacked = true;
    for (uint32_t i = 0; i < columns->count; i++)
        ready[i] = stalled[i] = 0;
    for (uint32_t i = 0; i < warps->count; i++) {
        const char *const name = warps->names ? warps->names[i] : "";
        float *const to = strcmp(name, "ready") == 0 ? ready : stalled;
        float state[STRIP_COLUMNS];

        if (strcmp(name, "free") == 0)
            continue;
        strip_rates(columns, warps->first + i, 1, warps->limit > 0 ? 1 / warps->limit : 1, state);
        for (uint32_t j = 0; j < columns->count; j++)
            to[j] += state[j];
    }
}

static void fill_parts(struct strip_data *data, const struct strip_columns *columns, const struct digest_group *group)
{
    float values[STRIP_COURSES][STRIP_COLUMNS];
    uint32_t const count = group->count < STRIP_COURSES ? group->count : STRIP_COURSES;

    data->unit = STRIP_SHARE;
    data->is_stacked = data->is_whole = true;
    strip_parts(columns, group, values, count);
    /* In the order of the table: working cycles are at the bottom. */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (uint32_t j = 0; j < count; j++)
            if (group->names && strcmp(group->names[j], parts[i].element) == 0)
                memcpy(add_course(data, parts[i].name, parts[i].colour, parts[i].meaning), values[j],
                       columns->count * sizeof values[j][0]);
}

/* ---- requestors: up to REQUESTORS of them by name; of more, neighbours of one kind together, "cpu0-7". A series and
 * its colour follow from the names of the system's requestors alone, so none changes when another one begins to move
 * bytes. */

enum { REQUESTORS = STRIP_COURSES - 1, MOST_TOGETHER = 1 << 16 };

/* "cpu13": "cpu", from 13 to 13; "cpu08-15": "cpu", from 8 to 15; "gpu": the whole name, from 1 to 0. */
struct requestors {
    char base[STRIP_NAME];
    unsigned long from, to;
    int digits;                          /* of each of the two */
};

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static struct requestors requestors_of(const char *name)
{
    struct requestors found = {.from = 1, .to = 0};
    size_t const length = strlen(name);
    size_t last = length, first;

    while (last > 0 && is_digit(name[last - 1]))
        last--;
    first = last;
    if (last > 1 && last < length && name[last - 1] == '-' && is_digit(name[last - 2]))
        for (first = last - 1; first > 0 && is_digit(name[first - 1]);)
            first--;
    if (last < length) {
        found.from = strtoul(name + first, NULL, 10);
        found.to = strtoul(name + last, NULL, 10);
        found.digits = (int)(length - last);
    }
    snprintf(found.base, sizeof found.base, "%.*s", (int)(last < length ? first : length), name);
    return found;
}

static bool strip_rows_is_among(const struct requestors *one, const struct requestors *all)
{
    return strcmp(one->base, all->base) == 0
           && (one->from > one->to ? all->from > all->to : one->from >= all->from && one->to <= all->to);
}

/* Widens a series by neighbours that lie in the same block of `together`. */
static bool takes_in(struct requestors *series, const struct requestors *one, unsigned long together)
{
    if (strip_rows_is_among(one, series))
        return true;
    if (strcmp(one->base, series->base) != 0 || one->from > one->to || series->from > series->to
        || one->from / together != series->from / together)
        return false;
    series->from = one->from < series->from ? one->from : series->from;
    series->to = one->to > series->to ? one->to : series->to;
    return true;
}

/* As many series as there would be, of which the first REQUESTORS are made. */
static uint32_t make_series(const struct digest_group *group, unsigned long together,
                            struct requestors series[REQUESTORS])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < group->count; i++) {
        struct requestors const one = requestors_of(group->names[i]);
        uint32_t place = 0;

        while (place < count && place < REQUESTORS && !takes_in(&series[place], &one, together))
            place++;
        if (place < count && place < REQUESTORS)
            continue;
        if (count < REQUESTORS)
            series[count] = one;
        count++;
    }
    return count;
}

static uint32_t find_series(const struct digest_group *group, const struct strip_data *like,
                            struct requestors series[REQUESTORS])
{
    unsigned long together = 1;
    uint32_t count = 0;

    if (like) {
        for (; count < like->count && count < REQUESTORS && like->courses[count].colour != STRIP_CALM; count++)
            series[count] = requestors_of(like->courses[count].name);
        return count;
    }
    while ((count = make_series(group, together, series)) > REQUESTORS && together < MOST_TOGETHER)
        together *= 2;
    return count < REQUESTORS ? count : REQUESTORS;
}

static uint32_t series_with(const struct requestors *series, uint32_t count, const char *name)
{
    struct requestors const one = requestors_of(name);
    uint32_t place = 0;

    while (place < count && !strip_rows_is_among(&one, &series[place]))
        place++;
    return place;
}

static void name_series(const struct requestors *series, char name[STRIP_NAME])
{
    if (series->from > series->to)
        memcpy(name, series->base, STRIP_NAME);
    else if (series->from == series->to)
        snprintf(name, STRIP_NAME, "%.12s%0*lu", series->base, series->digits, series->from);
    else
        snprintf(name, STRIP_NAME, "%.8s%0*lu-%0*lu", series->base, series->digits, series->from, series->digits,
                 series->to);
}

static void add_rates(const struct strip_columns *columns, uint32_t word, uint32_t words, float *sum)
{
    float rates[STRIP_COLUMNS];

    strip_rates(columns, word, words, 1e12, rates);
    for (uint32_t i = 0; i < columns->count; i++)
        sum[i] += rates[i];
}

/* `all` has the requestors of the whole system: the chosen one keeps the colour that it has among them. */
static void fill_requestors(struct strip_data *data, const struct strip_columns *all,
                            const struct strip_columns *columns, const struct strip_data *like)
{
    /* Blue and orange, those of reads and writes, come last. */
    static const unsigned colours[REQUESTORS] = {4, 2, 3, 5, 6, 7, 0, 1};
    const struct digest_group *const group = group_of(columns, DIGEST_REQUESTORS);
    struct requestors series[REQUESTORS];
    uint32_t count;

    data->unit = STRIP_BYTES_RATE;
    data->is_stacked = true;
    if (data->of) {                      /* the only one that is counted */
        count = find_series(group_of(all, DIGEST_REQUESTORS), NULL, series);
        count = series_with(series, count, group->names[0]) % REQUESTORS;
        strip_rates(columns, group->first, 1, 1e12,
                    add_course(data, group->names[0], colours[count], row_texts[data->row].meaning));
        return;
    }
    count = find_series(group, like, series);
    for (uint32_t i = 0; i < count; i++) {
        char name[STRIP_NAME];

        name_series(&series[i], name);
        memset(add_course(data, like ? like->courses[i].name : name, colours[i], row_texts[data->row].meaning), 0,
               columns->count * sizeof(float));
    }
    for (uint32_t i = 0, next; i < group->count; i = next) {
        uint32_t const place = series_with(series, count, group->names[i]);

        for (next = i + 1; next < group->count && series_with(series, count, group->names[next]) == place;)
            next++;
        if (place == count && data->count == count)
            memset(add_course(data, "others", STRIP_CALM, "The sum of all that are not listed here."), 0,
                   columns->count * sizeof(float));
        add_rates(columns, group->first + i, next - i, data->values[place]);
    }
}

/* The most that is not above `least` in the order of members that were listed: by rate, then by place. */
static uint32_t next_member(const struct strip_columns *columns, uint32_t column, const struct requestors *series,
                            double least_rate, uint32_t least)
{
    const struct digest_group *const group = group_of(columns, DIGEST_REQUESTORS);
    uint32_t found = group->count;
    double most = -1;

    for (uint32_t i = 0; i < group->count; i++) {
        struct requestors const one = requestors_of(group->names[i]);
        double const rate = strip_rate_at(columns, column, group->first + i);

        if (strip_rows_is_among(&one, series) && rate > most && (rate < least_rate || (rate == least_rate
                                                                                       && i > least))) {
            found = i;
            most = rate;
        }
    }
    return found;
}

void strip_members(const struct strip_columns *columns, uint32_t column, const char *course, char *text, size_t room)
{
    enum { MOST_LISTED = 6 };
    const struct digest_group *const group = group_of(columns, DIGEST_REQUESTORS);
    struct requestors const series = requestors_of(course);
    double rate = INFINITY;
    uint32_t place = 0;
    size_t used = 0;

    text[0] = '\0';
    for (unsigned listed = 0; series.from < series.to && listed < MOST_LISTED && used < room; listed++) {
        char number[32];

        place = next_member(columns, column, &series, rate, place);
        if (place == group->count)
            return;
        rate = strip_rate_at(columns, column, group->first + place);
        figures_bytes_rate(number, sizeof number, rate);
        used += (size_t)snprintf(text + used, room - used, "%s%s\t%s", listed ? "\n" : "", group->names[place], number);
    }
}

static void clear_row(struct strip_data *data, enum strip_row row, const char *of)
{
    data->row = row;
    data->of = of;
    data->unit = STRIP_SHARE;
    data->is_stacked = data->is_whole = data->is_log = data->has_most = false;
    data->limit = 0;
    data->count = 0;
}

/* `columns` are those of the whole system, `own` the same or those of one component. */
static void fill_row(struct strip_data *data, const struct strip_columns *columns, const struct strip_columns *own,
                     const struct strip_data *like)
{
    switch (data->row) {
    case STRIP_BANDWIDTH:
        fill_bandwidth(data, columns);
        break;
    case STRIP_LATENCY:
    case STRIP_GPU_LATENCY:
    case STRIP_DRAM_LATENCY:
        fill_latency(data, columns, own);
        break;
    case STRIP_BUFFERS:
        fill_buffers(data, own);
        break;
    case STRIP_WARPS:
        fill_warps(data, own);
        break;
    case STRIP_CYCLES:
        fill_parts(data, own, group_of(own, DIGEST_CYCLES));
        break;
    case STRIP_STALLS:
        fill_parts(data, own, group_of(own, DIGEST_STALLS));
        break;
    case STRIP_REQUESTORS:
    case STRIP_SMS:
        fill_requestors(data, columns, own, like);
        break;
    case STRIP_ROW_COUNT:
        break;
    }
}

void strip_row_fill(struct strip_data *data, enum strip_row row, const struct strip_columns *columns,
                    const struct strip_data *like)
{
    clear_row(data, row, NULL);
    if (has_row(columns->digest, row))
        fill_row(data, columns, columns, like);
}

bool strip_row_has_own(enum strip_row row, const struct strip_columns *own)
{
    return own->digest && has_row(own->digest, row);
}

void strip_row_fill_own(struct strip_data *data, enum strip_row row, const struct strip_columns *columns,
                        const struct strip_columns *own, const char *of)
{
    clear_row(data, row, of);
    if (own && strip_row_has_own(row, own))
        fill_row(data, columns, own, NULL);
}
