#include "sweep/results/sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/record/stats_json.h"

#define DOMINATED "regions.dominated"
enum { NAME_BYTES = 128 };

/* ---- writing */
static void write_numbers(FILE *object, const char *key, const struct estimate *estimate, bool are_strata)
{
    const char *between = "";

    fprintf(object, ",\n  \"%s\": [", key);
    for (size_t i = 0; i < estimate->set->count; i++)
        if (estimate_has(estimate, i)) {
            fprintf(object, "%s%zu", between, are_strata ? (size_t)estimate->set->regions[i].stratum : i);
            between = ",";
        }
    fputc(']', object);
}

static void write_moves(FILE *object, const struct estimate *estimate)
{
    const char *before = "";

    fputs(",\n  \"moves\": {", object);
    for (size_t k = 0; k < estimate->metric_count && estimate->has_intervals; k++) {
        const struct estimated *const metric = &estimate->metrics[k];
        const char *between = "";

        if (!(metric->half > 0))
            continue;
        fprintf(object, "%s\n   \"%s\": [", before, metric->name);
        for (size_t i = 0; i < estimate->set->count; i++)
            if (estimate_has(estimate, i)) {
                fprintf(object, "%s%.4g", between, isfinite(metric->moves[i]) ? metric->moves[i] : 0.0);
                between = ",";
            }
        fputc(']', object);
        before = ",";
    }
    fputc('}', object);
}

void sample_write(FILE *object, const struct estimate *estimate, double confidence_percent)
{
    const struct region_set *const set = estimate->set;
    char name[NAME_BYTES];
    size_t count = 0;

    for (size_t k = 0; k < estimate->metric_count && estimate->has_intervals; k++) {
        snprintf(name, sizeof name, "%s" SAMPLE_INTERVAL, estimate->metrics[k].name);
        stats_json_member(object, false, name, estimate->metrics[k].half);
    }
    for (size_t i = 0; i < set->count; i++)
        count += estimate_has(estimate, i);
    stats_json_member(object, false, "regions.count", (double)count);
    stats_json_member(object, false, "regions.of", (double)set->count);
    stats_json_member(object, false, "regions.confidence", confidence_percent);
    stats_json_member(object, false, DOMINATED, 0);
    fprintf(object, ",\n \"regions\": {\"set\": \"%016" PRIx64 "\",\n  \"intervals\": [", region_set_hash(set));
    for (size_t i = 0; i < set->stratum_count; i++)
        fprintf(object, "%s%" PRIu64, i ? "," : "", set->strata[i].intervals);
    fputc(']', object);
    write_numbers(object, "numbers", estimate, false);
    write_numbers(object, "strata", estimate, true);
    write_moves(object, estimate);
    fputc('}', object);
}

char *sample_mark_dominated(const char *statistics, const char *dominated)
{
    static const char end[] = "}\n}\n", not_so[] = "\"" DOMINATED "\": 0";
    size_t const length = strlen(statistics), kept = length - (sizeof end - 1);
    size_t const room = length + strlen(dominated) + 64;
    char *const text = malloc(room), *said;

    if (!text)
        return NULL;
    snprintf(text, room, "%.*s,\n  \"dominated\": \"%s\"%s", (int)kept, statistics, dominated, end);
    said = strstr(text, not_so);
    if (said)
        said[sizeof not_so - 2] = '1';
    return text;
}

/* ---- reading */
static size_t take_wholes(const json_t *array, uint32_t **narrow, uint64_t **wide)
{
    size_t const count = json_array_size(array);

    if (narrow)
        *narrow = calloc(count + 1, sizeof **narrow);
    else
        *wide = calloc(count + 1, sizeof **wide);
    if (narrow ? !*narrow : !*wide)
        return 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t const number = (uint64_t)json_integer_value(json_array_get(array, i));

        if (narrow)
            (*narrow)[i] = (uint32_t)number;
        else
            (*wide)[i] = number;
    }
    return count;
}

static bool is_sound(const struct sample *sample, size_t strata)
{
    bool sound = sample->set && sample->count > 0 && strata == sample->count && sample->stratum_count > 0
                 && json_is_object(sample->moves) && sample->confidence > 0 && sample->confidence < 100;

    for (size_t i = 0; sound && i < sample->count; i++)
        sound = sample->strata[i] < sample->stratum_count && (i == 0 || sample->numbers[i] > sample->numbers[i - 1]);
    return sound;
}

struct sample *sample_read(const json_t *statistics)
{
    const json_t *const regions = json_object_get(statistics, "regions");
    struct sample *const sample = json_is_object(regions) ? calloc(1, sizeof *sample) : NULL;
    size_t strata;

    if (!sample)
        return NULL;
    *sample = (struct sample){
        .statistics = statistics, .moves = json_object_get(regions, "moves"),
        .set = json_string_value(json_object_get(regions, "set")),
        .dominated = json_string_value(json_object_get(regions, "dominated")),
        .of = (size_t)json_number_value(json_object_get(statistics, "regions.of")),
        .confidence = json_number_value(json_object_get(statistics, "regions.confidence"))};
    sample->count = take_wholes(json_object_get(regions, "numbers"), &sample->numbers, NULL);
    strata = take_wholes(json_object_get(regions, "strata"), &sample->strata, NULL);
    sample->stratum_count = take_wholes(json_object_get(regions, "intervals"), NULL, &sample->intervals);
    if (is_sound(sample, strata))
        return sample;
    sample_free(sample);
    return NULL;
}

void sample_free(struct sample *sample)
{
    if (!sample)
        return;
    free(sample->numbers);
    free(sample->strata);
    free(sample->intervals);
    free(sample);
}

double sample_half(const struct sample *sample, const char *metric)
{
    char name[NAME_BYTES];
    const json_t *half;

    if (!sample)
        return 0;
    snprintf(name, sizeof name, "%s" SAMPLE_INTERVAL, metric);
    half = json_object_get(sample->statistics, name);
    return json_is_number(half) ? json_number_value(half) : (double)NAN;
}

/* False: out of memory. A metric without moves is the same without any region. */
static bool side_of(const struct sample *sample, const char *metric, double value, struct pairs_side *side,
                    double **moves)
{
    const json_t *const array = json_object_get(sample->moves, metric);

    *moves = calloc(sample->count, sizeof **moves);
    for (size_t i = 0; *moves && i < sample->count; i++)
        (*moves)[i] = json_number_value(json_array_get(array, i));
    *side = (struct pairs_side){{sample->count, sample->numbers, sample->strata}, *moves, value};
    return *moves != NULL;
}

static bool are_paired(const struct sample *a, const struct sample *b)
{
    return a && b && strcmp(a->set, b->set) == 0 && a->stratum_count == b->stratum_count;
}

struct pairs_difference sample_difference(const struct sample *a, const struct sample *b, const char *metric,
                                          double value_a, double value_b)
{
    double const half_a = sample_half(a, metric), half_b = sample_half(b, metric);
    struct pairs_difference difference = {value_b - value_a, sqrt(half_a * half_a + half_b * half_b)};
    struct pairs_side sides[2];
    double *moves[2] = {NULL, NULL};

    if (are_paired(a, b) && !isnan(difference.half) && side_of(a, metric, value_a, &sides[0], &moves[0])
        && side_of(b, metric, value_b, &sides[1], &moves[1]))
        difference = pairs_difference(&sides[0], &sides[1], a->intervals, a->stratum_count,
                                      fmax(a->confidence, b->confidence) / 100);
    free(moves[0]);
    free(moves[1]);
    return difference;
}
