/* The points that are estimates from regions: read once, for the tables and for the script. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "cli/common/cli.h"
#include "cli/sweep/report.h"
#include "replay/regions/estimate.h"
#include "sweep/results/sample.h"

enum { T_MOST = 30, MOST_MOVES = 300000, DIGITS = 4 };

/* ---- reading */
static bool take_row(void *self, const struct results_row *row)
{
    struct report *const report = self;
    struct report_sample taken = {0};

    if (!list_fit(&report->samples, report->sample_count + 1, &report->sample_room, sizeof *report->samples))
        return false;
    taken.statistics = row->statistics ? json_loads(row->statistics, 0, NULL) : NULL;
    taken.sample = sample_read(taken.statistics);
    if (!taken.sample) {
        json_decref(taken.statistics);
        taken.statistics = NULL;
    }
    report->has_samples |= taken.sample != NULL;
    report->samples[report->sample_count++] = taken;
    return true;
}

struct fault report_samples_read(struct report *report, struct results *results)
{
    FORWARD(results_read(results, take_row, report));
    return report->sample_count == report->space->effects.point_count ? fault_none()
                                                                      : fault_make(FAULT_MEMORY, "out of memory");
}

void report_samples_free(struct report *report)
{
    for (size_t i = 0; i < report->sample_count; i++) {
        sample_free(report->samples[i].sample);
        json_decref(report->samples[i].statistics);
    }
    free(report->samples);
}

/* ---- two designs */
/* Of a workload, the point of a design that is known; SIZE_MAX: none. */
static size_t point_of(const struct report *report, size_t design, size_t workload)
{
    const struct effects_space *const effects = &report->space->effects;

    for (size_t i = 0; i < effects->point_count; i++)
        if (report->design_of[i] == design && isfinite(effects->relative[i])
            && (workload == EFFECTS_ALL || effects_level(effects, i, effects->workload_axis) == workload))
            return i;
    return SIZE_MAX;
}

/* Adds the logarithm of the ratio of two points, and the square of its interval's half width. */
static void add_ratio(const struct report *report, size_t a, size_t b, double *sum, double *squares)
{
    const double *const values = report->space->effects.values;
    struct pairs_difference const difference = sample_difference(report->samples[a].sample, report->samples[b].sample,
                                                                 report->metric, values[a], values[b]);
    double const half = difference.half / values[a];

    *sum += log(values[b] / values[a]);
    *squares += half * half;
}

bool report_is_hidden(const struct report *report, size_t one, size_t other)
{
    const struct effects_space *const effects = &report->space->effects;
    bool const is_one = effects->workload_axis == EFFECTS_NO_AXIS;
    size_t const workloads = is_one ? 1 : effects->axes[effects->workload_axis].levels;
    double sum = 0, squares = 0;

    for (size_t w = 0; w < workloads; w++) {
        size_t const a = point_of(report, one, is_one ? EFFECTS_ALL : w);
        size_t const b = point_of(report, other, is_one ? EFFECTS_ALL : w);

        if (a != SIZE_MAX && b != SIZE_MAX)
            add_ratio(report, a, b, &sum, &squares);
    }
    return report->has_samples && fabs(sum) <= sqrt(squares);
}

/* ---- for the script */
static void put_moves(struct json *json, const struct report *report, const struct sample *sample, bool has_all)
{
    static const char *const usual[] = {"time_ms", "cpi"};

    json_put_object(json, "moves", JSON_TIGHT);
    for (size_t i = 0; i < report->columns->count; i++) {
        const char *const name = report->columns->list[i].name;
        const json_t *const moves = json_object_get(sample->moves, name);
        char key[24];

        if (!moves || !(has_all || i == 0 || strcmp(name, usual[0]) == 0 || strcmp(name, usual[1]) == 0))
            continue;
        snprintf(key, sizeof key, "%zu", i);
        json_put_array(json, key, JSON_TIGHT);
        for (size_t k = 0; k < sample->count; k++)
            json_write_real(json, json_number_value(json_array_get(moves, k)), DIGITS);
        json_end(json);
    }
    json_end(json);
}

static void put_sample(struct json *json, const struct report *report, const struct sample *sample, bool has_all)
{
    json_begin_object(json, JSON_TIGHT);
    json_put_string(json, "set", sample->set);
    json_put_real(json, "confidence", sample->confidence, 6);
    json_put_number(json, "of", sample->of);
    if (sample->dominated)
        json_put_string(json, "dominated", sample->dominated);
    json_put_numbers(json, "intervals", sample->intervals, sample->stratum_count);
    json_put_array(json, "numbers", JSON_TIGHT);
    for (size_t i = 0; i < sample->count; i++)
        json_write_number(json, sample->numbers[i]);
    json_end(json);
    json_put_array(json, "strata", JSON_TIGHT);
    for (size_t i = 0; i < sample->count; i++)
        json_write_number(json, sample->strata[i]);
    json_end(json);
    json_put_array(json, "halves", JSON_TIGHT);
    for (size_t i = 0; i < report->columns->count; i++)
        json_write_real(json, sample_half(sample, report->columns->list[i].name), DIGITS);
    json_end(json);
    put_moves(json, report, sample, has_all);
    json_end(json);
}

void report_samples_tell(const struct report *report, struct json *json)
{
    size_t moves = 0;

    for (size_t i = 0; i < report->sample_count; i++)
        moves += report->samples[i].sample ? report->samples[i].sample->count * report->columns->count : 0;
    json_begin_array(json, JSON_LINES(0, 0));
    for (size_t i = 0; i < report->sample_count && report->has_samples; i++)
        if (report->samples[i].sample)
            put_sample(json, report, report->samples[i].sample, moves <= MOST_MOVES);
        else
            json_write_string(json, NULL);
    json_end(json);
}

void report_samples_tell_t(const struct report *report, struct json *json)
{
    double confidence = 0;

    for (size_t i = 0; i < report->sample_count; i++)
        if (report->samples[i].sample)
            confidence = fmax(confidence, report->samples[i].sample->confidence / 100);
    if (!report->has_samples)
        return;
    json_put_array(json, "t", JSON_TIGHT);
    json_write_real(json, estimate_t(confidence, 1e6), 7);
    for (int freedom = 1; freedom <= T_MOST; freedom++)
        json_write_real(json, estimate_t(confidence, freedom), 7);
    json_end(json);
}
