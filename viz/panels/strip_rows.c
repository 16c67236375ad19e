#include "viz/panels/strip_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viz/state/figures.h"

#define ROW_TEXTS(value, title, own_title, meaning, shared_meaning) {title, own_title, meaning, shared_meaning},
static const struct { const char *title, *own_title, *meaning, *shared_meaning; } row_texts[STRIP_ROW_COUNT] = {
    STRIP_ROWS(ROW_TEXTS)
};
#undef ROW_TEXTS

/* What samples call a part of the cycles, what people do, its colour, what it means. */
static const struct { const char *element, *name; unsigned colour; const char *meaning; } parts[] = {
    {"working", "working", 2, "a record executed in the cycle"},
    {"dependences", "dependences", 0, "every record waited for results, of memory or of a computation"},
    {"blocked_cache", "L1D blocked", 3, "the L1 data cache refused a request"},
    {"rob", "ROB full", 1, "a record could execute, but the reorder buffer had no room"},
    {"load_buffer", "loads full", 4, "a load could execute, but the load buffer had no room"},
    {"store_buffer", "stores full", 5, "a store could execute, but the store buffer had no room"},
    {"none", "issuing", 2, "the scheduler issued an instruction"},
    {"loads", "loads", 0, "scoreboard: all warps waited for loads from below the L1"},
    {"scoreboard", "results", 4, "scoreboard: warps waited for other results, of computations or of hits in the L1"},
    {"memory", "LD/ST unit", 1, "warps waited for the load/store unit"},
    {"unit", "other unit", 3, "warps waited for another unit"},
    {"barrier", "barrier", 5, "all warps waited at barriers"},
    {"idle", "idle", STRIP_CALM, "no warp had anything to issue"}
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
    return data->of ? "of this one alone, as it is chosen; Esc, or a click beside it, brings back all"
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
    bool const are_sms = groups[DIGEST_REQUESTORS].count > 0
                         && strncmp(groups[DIGEST_REQUESTORS].names[0], "SM ", 3) == 0;

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
    strip_rates(columns, bytes->first, 1, 1e12, add_course(data, "read", 0, "bytes that memory is read"));
    strip_rates(columns, bytes->first + 1, 1, 1e12, add_course(data, "write", 1, "bytes that are written to memory"));
    data->has_most = true;
    strip_highest(columns, bytes->first, 2, 1e12, data->most);
}

static void fill_percentiles(struct strip_data *data, const struct strip_columns *columns,
                             const struct digest_group *group)
{
    static const struct { const char *name; unsigned colour; const char *meaning; } lines[] = {
        {"p50", 0, "half of them took at most this long"},
        {"p95", 4, "of 20, one took longer"},
        {"p99", 3, "of 100, one took longer"}
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
                    add_course(data, "mean", 0, "mean of the reads that were answered"));
    if (dram->count > 0 && data->count < STRIP_COURSES)
        strip_means(columns, dram, add_course(data, "DRAM", 2, row_texts[STRIP_DRAM_LATENCY].meaning));
}

static void fill_buffers(struct strip_data *data, const struct strip_columns *columns)
{
    static const struct { enum digest_group_kind kind; const char *name; unsigned colour; const char *meaning; }
    buffers[] = {
        {DIGEST_ROB, "ROB", 0, "records in flight, of what the reorder buffer holds"},
        {DIGEST_LOADS, "loads", 2, "entries of the load buffer in use"},
        {DIGEST_STORES, "stores", 1, "entries of the store buffer in use"}
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
    float *const ready = add_course(data, "ready", 2, "a warp that can issue now");
    float *const stalled = add_course(data, "stalled", 1, 
                                       "a warp that waits: for loads, other results, a unit, a barrier");

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
    /* In the order of the table: what works is at the bottom. */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (uint32_t j = 0; j < count; j++)
            if (group->names && strcmp(group->names[j], parts[i].element) == 0)
                memcpy(add_course(data, parts[i].name, parts[i].colour, parts[i].meaning), values[j],
                       columns->count * sizeof values[j][0]);
}

/* ---- requestors: the first few by all they moved so far, the rest together */

enum { NAMED_REQUESTORS = 5 };

static uint32_t find_name(const struct digest_group *group, const char *name)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (strcmp(group->names[i], name) == 0)
            return i;
    return TELEMETRY_NONE;
}

/* Places of the most important ones, in the order of the group. */
static uint32_t choose(const struct history *history, const struct digest_group *group, uint32_t *chosen)
{
    const uint64_t *const sums = history_sums(history, history->count - 1) + group->first;
    uint32_t const wanted = group->count <= NAMED_REQUESTORS + 1 ? group->count : NAMED_REQUESTORS;
    uint32_t count = 0;

    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t above = 0;

        for (uint32_t j = 0; j < group->count && above < wanted; j++)
            above += sums[j] > sums[i] || (sums[j] == sums[i] && j < i);
        if (above < wanted && sums[i] > 0)
            chosen[count++] = i;
    }
    return count;
}

/* Whether any that was not chosen moved something. */
static bool has_rest(const struct history *history, const struct digest_group *group, const uint32_t *chosen,
                     uint32_t count)
{
    const uint64_t *const sums = history->count ? history_sums(history, history->count - 1) + group->first : NULL;
    uint32_t next = 0;

    for (uint32_t i = 0; sums && i < group->count; i++) {
        if (next < count && chosen[next] == i)
            next++;
        else if (sums[i] > 0)
            return true;
    }
    return false;
}

static void fill_requestors(struct strip_data *data, const struct strip_columns *columns,
                            const struct strip_data *like)
{
    /* Blue and orange are those of reads and writes. */
    static const unsigned colours[NAMED_REQUESTORS + 1] = {4, 2, 3, 5, 6, 7};
    const struct digest_group *const group = group_of(columns, DIGEST_REQUESTORS);
    uint32_t chosen[NAMED_REQUESTORS + 1] = {0}, count = 0;
    float all[STRIP_COLUMNS], *rest;
    char name[STRIP_NAME];

    data->unit = STRIP_BYTES_RATE;
    data->is_stacked = true;
    if (data->of) {                      /* the only one that is counted */
        strip_rates(columns, group->first, 1, 1e12,
                    add_course(data, group->names[0], colours[0], row_texts[data->row].meaning));
        return;
    }
    if (like)
        while (count < like->count && count < NAMED_REQUESTORS + 1 && like->courses[count].colour != STRIP_CALM) {
            chosen[count] = find_name(group, like->courses[count].name);
            count++;
        }
    else if (columns->history->count > 0)
        count = choose(columns->history, group, chosen);
    strip_rates(columns, group->first, group->count, 1e12, all);
    for (uint32_t i = 0; i < count; i++) {
        const char *const shown = like ? like->courses[i].name : group->names[chosen[i]];
        float *const values = add_course(data, shown, colours[i], row_texts[data->row].meaning);

        if (chosen[i] == TELEMETRY_NONE)
            memset(values, 0, columns->count * sizeof *values);
        else
            strip_rates(columns, group->first + chosen[i], 1, 1e12, values);
        for (uint32_t j = 0; j < columns->count; j++)
            all[j] -= values[j];
    }
    if (count >= group->count || !(like ? like->count > count : has_rest(columns->history, group, chosen, count)))
        return;
    snprintf(name, sizeof name, "%u other%s", group->count - count, group->count - count > 1 ? "s" : "");
    rest = add_course(data, name, STRIP_CALM, "all that are not named here, together");
    for (uint32_t j = 0; j < columns->count; j++)
        rest[j] = all[j] < 0 ? 0 : all[j];
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
        fill_requestors(data, own, like);
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
