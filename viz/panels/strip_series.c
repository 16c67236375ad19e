/* Neighbouring columns between the same two samples have the same values, which are worked out once. */
#include "viz/panels/strip_series.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* First of the samples that begins its statistics, for columns before it. */
static uint64_t begin_ps(const struct history *history)
{
    return history_at(history, 0)[TELEMETRY_SINCE];
}

static uint32_t as_sample(const struct history *history, size_t found)
{
    return found == history->count ? STRIP_NO_SAMPLE : (uint32_t)found;
}

void strip_columns_make(struct strip_columns *columns, const struct history *history,
                        const struct time_window *window, uint32_t wanted)
{
    uint64_t const span_ps = window->to_ps > window->from_ps ? window->to_ps - window->from_ps : 0;
    uint64_t begin, end;
    uint32_t before;

    columns->history = history;
    columns->digest = &history->digest;
    columns->own_sums = NULL;
    columns->count = 0;
    if (wanted > STRIP_COLUMNS - 2)
        wanted = STRIP_COLUMNS - 2;
    columns->step_ps = wanted && span_ps / wanted ? span_ps / wanted : 1;
    columns->first_ps = window->from_ps / columns->step_ps * columns->step_ps;
    if (history->count == 0 || span_ps == 0 || wanted == 0)
        return;
    before = as_sample(history, history_find(history, columns->first_ps));
    for (begin = columns->first_ps; begin < window->to_ps && columns->count < STRIP_COLUMNS; begin = end) {
        uint32_t last = before;

        end = begin + columns->step_ps;
        if (end < begin)
            return;
        while (last + 1 < history->count && history_time_ps(history, last + 1) <= end)
            last++;
        columns->before[columns->count] = before;
        columns->last[columns->count] = last;
        if (last == before) {
            columns->last[columns->count] = last + 1 < history->count ? last + 1 : STRIP_NO_SAMPLE;
            if (before == STRIP_NO_SAMPLE && end <= begin_ps(history))
                columns->last[columns->count] = STRIP_NO_SAMPLE;
        }
        columns->count++;
        before = last;
    }
}

/* Sums continue across a restart of the statistics, and exclude the time between the last sample before it and the
 * restart. */
void strip_columns_since(struct strip_columns *columns, const struct history *history, uint64_t begin_ps)
{
    columns->history = history;
    columns->digest = &history->digest;
    columns->own_sums = NULL;
    columns->first_ps = begin_ps;
    columns->step_ps = history_end_ps(history) > begin_ps ? history_end_ps(history) - begin_ps : 1;
    columns->count = history->count > 0;
    columns->last[0] = history->count > 0 ? (uint32_t)(history->count - 1) : STRIP_NO_SAMPLE;
    columns->before[0] = as_sample(history, history_find(history, begin_ps));
    if (columns->before[0] == columns->last[0])          /* nothing came since */
        columns->last[0] = STRIP_NO_SAMPLE;
}

uint32_t strip_column_at(const struct strip_columns *columns, uint64_t time_ps)
{
    uint64_t const column = time_ps > columns->first_ps ? (time_ps - columns->first_ps - 1) / columns->step_ps : 0;

    return time_ps < columns->first_ps || column >= columns->count ? columns->count : (uint32_t)column;
}

double strip_column_ps(const struct strip_columns *columns, uint32_t column)
{
    return (double)columns->first_ps + ((double)column + 0.5) * (double)columns->step_ps;
}

/* The digests that a column lies between; false: it has nothing. */
static bool sums_of(const struct strip_columns *columns, uint32_t column, const uint64_t **before,
                    const uint64_t **last)
{
    if (columns->last[column] == STRIP_NO_SAMPLE)
        return false;
    if (columns->own_sums) {
        *before = NULL;
        *last = columns->own_sums + (size_t)column * columns->digest->word_count;
        return true;
    }
    *before = columns->before[column] == STRIP_NO_SAMPLE ? NULL
                                                         : history_sums(columns->history, columns->before[column]);
    *last = history_sums(columns->history, columns->last[column]);
    return true;
}

static bool is_as_before(const struct strip_columns *columns, uint32_t column)
{
    return column > 0 && strip_columns_alike(columns, column, column - 1);
}

/* ---- of one component */

/* One difference does where statistics do not restart in the column, unless levels are to be added up. */
static void sum_column(const struct strip_columns *own, uint32_t column, uint64_t *sums)
{
    const struct history *const history = own->history;
    uint32_t const last = own->last[column], first = own->before[column] + 1;    /* of none: 0 */
    const uint64_t *before = first > 0 ? history_at(history, first - 1) : NULL;
    uint64_t const since_ps = (before ? before : history_at(history, 0))[TELEMETRY_SINCE];
    bool const is_one = !own->digest->has_levels && history_at(history, last)[TELEMETRY_SINCE] == since_ps;

    for (uint32_t i = is_one ? last : first; i <= last; i++) {
        digest_add(own->digest, before, before && i > first && !is_one ? sums : NULL, history_at(history, i), sums);
        before = history_at(history, i);
    }
}

struct fault strip_columns_own(struct strip_columns *own, const struct strip_columns *all, uint32_t component)
{
    struct digest *const digest = calloc(1, sizeof *digest);
    struct fault fault = fault_make(FAULT_MEMORY, "out of memory for the sums of a component");
    size_t words;

    *own = *all;
    own->digest = digest;
    if (digest)
        fault = digest_init_of(digest, all->history->layout, component);
    words = digest && fault.kind == FAULT_NONE ? digest->word_count : 0;
    own->own_sums = malloc((own->count + 1) * (words + 1) * sizeof *own->own_sums);
    if (words == 0 || !own->own_sums) {
        own->count = 0;
        return words == 0 ? fault : fault_make(FAULT_MEMORY, "out of memory for the sums of a component");
    }
    for (uint32_t i = 0; i < own->count; i++) {
        uint64_t *const sums = own->own_sums + i * words;

        if (is_as_before(own, i))
            memcpy(sums, sums - words, words * sizeof *sums);
        else if (own->last[i] != STRIP_NO_SAMPLE)
            sum_column(own, i, sums);
    }
    return fault_none();
}

void strip_columns_own_free(struct strip_columns *own)
{
    struct digest *const digest = (struct digest *)(uintptr_t)own->digest;

    if (digest)
        digest_free(digest);
    free(digest);
    free(own->own_sums);
    own->digest = NULL;
    own->own_sums = NULL;
    own->count = 0;
}

static double rate_of(const uint64_t *before, const uint64_t *last, uint32_t word, uint32_t words)
{
    uint64_t const span_ps = digest_delta(before, last, 0);
    double sum = 0;

    for (uint32_t i = 0; i < words; i++)
        sum += (double)digest_delta(before, last, word + i);
    return span_ps ? sum / (double)span_ps : (double)NAN;
}

void strip_rates(const struct strip_columns *columns, uint32_t word, uint32_t words, double factor, float *values)
{
    const uint64_t *before, *last;

    for (uint32_t i = 0; i < columns->count; i++)
        if (is_as_before(columns, i))
            values[i] = values[i - 1];
        else if (sums_of(columns, i, &before, &last))
            values[i] = (float)(factor * rate_of(before, last, word, words));
        else
            values[i] = NAN;
}

double strip_rate_at(const struct strip_columns *columns, uint32_t column, uint32_t word)
{
    const uint64_t *before, *last;

    return column < columns->count && sums_of(columns, column, &before, &last) ? 1e12 * rate_of(before, last, word, 1)
                                                                                : (double)NAN;
}

void strip_highest(const struct strip_columns *columns, uint32_t word, uint32_t words, double factor, float *most)
{
    const struct history *const history = columns->history;

    for (uint32_t i = 0; i < columns->count; i++) {
        uint32_t const first = columns->before[i] + 1;    /* of none: 0 */

        most[i] = NAN;
        for (uint32_t j = first; columns->last[i] != STRIP_NO_SAMPLE && j <= columns->last[i]; j++) {
            const uint64_t *const before = j > 0 ? history_sums(history, j - 1) : NULL;
            float const value = (float)(factor * rate_of(before, history_sums(history, j), word, words));

            most[i] = fmaxf(most[i], value);
        }
    }
}

void strip_means(const struct strip_columns *columns, const struct digest_group *group, float *values)
{
    const uint64_t *before, *last;

    for (uint32_t i = 0; i < columns->count; i++) {
        double count = 0;

        if (is_as_before(columns, i)) {
            values[i] = values[i - 1];
            continue;
        }
        if (sums_of(columns, i, &before, &last))
            count = (double)digest_delta(before, last, group->first);
        values[i] = count > 0 ? (float)((double)digest_delta(before, last, group->first + 1) / count) : NAN;
    }
}

void strip_percentiles(const struct strip_columns *columns, const struct digest_group *group, const double *percents,
                       uint32_t count, float *const *values)
{
    double found[STRIP_PERCENTILES];
    const uint64_t *before, *last;

    assert(count <= STRIP_PERCENTILES);
    for (uint32_t i = 0; i < columns->count; i++) {
        bool const is_new = !is_as_before(columns, i);
        bool const has_any = is_new && sums_of(columns, i, &before, &last);

        if (has_any)
            digest_percentiles(group, before, last, percents, count, found);
        for (uint32_t j = 0; j < count; j++)
            values[j][i] = has_any ? (float)found[j] : is_new ? NAN : values[j][i - 1];
    }
}

void strip_shares(const struct strip_columns *columns, const struct digest_group *group, float *mean, float *highest)
{
    const double *const limits = columns->digest->limits;
    const uint64_t *before, *last;

    for (uint32_t i = 0; i < columns->count; i++) {
        float sum = 0, most = NAN;

        if (is_as_before(columns, i)) {
            mean[i] = mean[i - 1];
            highest[i] = highest[i - 1];
            continue;
        }
        mean[i] = highest[i] = NAN;
        if (!sums_of(columns, i, &before, &last))
            continue;
        for (uint32_t j = 0; j < group->count; j++) {
            float const share = (float)(digest_rate(before, last, group->first + j) / limits[group->first + j]);

            sum += share;
            most = fmaxf(most, share);
        }
        mean[i] = sum / (float)group->count;
        highest[i] = most;
    }
}

void strip_parts(const struct strip_columns *columns, const struct digest_group *group, float (*parts)[STRIP_COLUMNS],
                 uint32_t part_room)
{
    uint32_t const part_count = group->count < part_room ? group->count : part_room;
    const uint64_t *before, *last;

    for (uint32_t i = 0; i < columns->count; i++) {
        double whole = 0;

        if (is_as_before(columns, i)) {
            for (uint32_t j = 0; j < part_count; j++)
                parts[j][i] = parts[j][i - 1];
            continue;
        }
        if (sums_of(columns, i, &before, &last))
            for (uint32_t j = 0; j < group->count; j++)
                whole += (double)digest_delta(before, last, group->first + j);
        for (uint32_t j = 0; j < part_count; j++)
            parts[j][i] = whole > 0 ? (float)((double)digest_delta(before, last, group->first + j) / whole) : NAN;
    }
}
