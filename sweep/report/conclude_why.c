/* Doubts about the points, what bounds the best design, and what to try next: values beyond the end of an axis that
 * still gains there, and keys that act on the bound and are no axes yet (remedies.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/conclude_internal.h"
#include "sweep/report/remedies.h"

enum { MOST_KINDS = 16, MOST_KEY = 64 };

/* ---- doubts */
struct doubt_kind {
    const char *text;                    /* of its first point, of the best design's if they have it */
    size_t first, count;
};

/* Numbers apart, are two doubts the same? A digit behind a letter, as in "l2", is no number. */
static bool is_same_doubt(const char *one, const char *two)
{
    const char *const begin = one;

    while (*one && *two) {
        bool const is_name = one != begin && ((one[-1] >= 'a' && one[-1] <= 'z') || (one[-1] >= 'A' && one[-1] <= 'Z'));
        size_t const a = is_name ? 0 : strspn(one, "0123456789"), b = is_name ? 0 : strspn(two, "0123456789");

        if ((a > 0) != (b > 0) || (a == 0 && *one != *two))
            return false;
        one += a ? a : 1;
        two += b ? b : 1;
    }
    return *one == *two;
}

static size_t find_kinds(const struct concluding *so, struct doubt_kind kinds[MOST_KINDS])
{
    size_t count = 0;

    for (size_t i = 0; i < so->effects->point_count && i < so->input->columns->point_count; i++) {
        const struct report_finding *const finding = &so->input->columns->findings[i];

        for (size_t d = 0; d < finding->doubt_count; d++) {
            size_t at = 0;

            while (at < count && !is_same_doubt(kinds[at].text, finding->doubts[d]))
                at++;
            if (at == MOST_KINDS)
                continue;
            if (at == count)
                kinds[count++] = (struct doubt_kind){.text = finding->doubts[d], .first = i};
            if (so->of[i] == so->best && so->of[kinds[at].first] != so->best)
                kinds[at] = (struct doubt_kind){finding->doubts[d], i, kinds[at].count};
            kinds[at].count++;
        }
    }
    return count;
}

static int by_points(const void *a, const void *b)
{
    const struct doubt_kind *const one = a, *const two = b;

    if (one->count != two->count)
        return one->count > two->count ? -1 : 1;
    return (one->first > two->first) - (one->first < two->first);
}

static bool tell_kinds(struct concluding *so)
{
    struct doubt_kind kinds[MOST_KINDS];
    size_t const count = find_kinds(so, kinds);

    qsort(kinds, count, sizeof kinds[0], by_points);
    for (size_t i = 0; i < count; i++) {
        FILE *const to = begin_conclusion(so);

        if (!to)
            return false;
        fprintf(to, "%zu of %zu points, such as %" PRIu64 ": %s.", kinds[i].count, so->effects->point_count,
                so->input->space->points[kinds[i].first].number, kinds[i].text);
        if (!end_conclusion(so, to, CONCLUDE_DOUBTS, kinds[i].first, SIZE_MAX))
            return false;
    }
    return true;
}

/* Points without results, and designs that lack a workload. */
static bool tell_missing(struct concluding *so)
{
    const struct space *const space = so->input->space;
    size_t incomplete = 0;
    FILE *to;

    for (size_t i = 0; i < so->design_count; i++)
        incomplete += !so->designs[i].is_complete;
    if (space->failed + space->to_do + incomplete == 0)
        return true;
    if (!(to = begin_conclusion(so)))
        return false;
    fprintf(to, "%zu points failed and %zu are to do", space->failed, space->to_do);
    if (incomplete)
        fprintf(to, "; %zu of %zu designs lack a workload, and are not ranked", incomplete, so->design_count);
    fputs(".", to);
    return end_conclusion(so, to, CONCLUDE_DOUBTS, SIZE_MAX, SIZE_MAX);
}

static bool tell_intervals(struct concluding *so)
{
    size_t hidden = 0;
    FILE *to;

    for (size_t i = 0; i < so->design_count; i++)
        hidden += so->designs[i].is_complete && i != so->best && is_hidden(so, so->best, i);
    if (hidden == 0)
        return true;
    if (!(to = begin_conclusion(so)))
        return false;
    fprintf(to, "%zu designs are not different from the best: the difference is within its interval. More regions "
                "would tell.", hidden);
    return end_conclusion(so, to, CONCLUDE_DOUBTS, so->designs[so->best].first, SIZE_MAX);
}

bool conclude_doubts(struct concluding *so)
{
    const char *const common = so->input->doubt ? so->input->doubt : "";
    size_t const before = so->made->count;
    FILE *to;

    if (!tell_missing(so) || !tell_intervals(so) || !tell_kinds(so))
        return false;
    if (!*common && so->made->count > before)
        return true;
    if (!(to = begin_conclusion(so)))
        return false;
    fprintf(to, "%s.", *common ? common : "nothing that was looked for: cold caches, short runs, unequal policies, "
                                          "missing points, differences within their interval");
    return end_conclusion(so, to, CONCLUDE_DOUBTS, SIZE_MAX, SIZE_MAX);
}

/* ---- bounds */
static const struct report_finding *finding_of(const struct concluding *so, size_t workload)
{
    size_t const point = so->points[so->best * so->workloads + workload];

    return point < so->input->columns->point_count ? &so->input->columns->findings[point] : NULL;
}

static const char *text_of(const struct report_finding *finding)
{
    return *finding->cores ? finding->cores : finding->gpu;
}

/* Is this workload the first one with its bound? */
static bool is_first(const struct concluding *so, size_t workload)
{
    const struct report_finding *const here = finding_of(so, workload);

    for (size_t w = 0; w < workload; w++)
        if (finding_of(so, w) && strcmp(finding_of(so, w)->bound, here->bound) == 0)
            return false;
    return true;
}

/* "chase, gups (DRAM bandwidth: 93 % of peak ...)": workloads with one bound, with the text of the first. */
static bool tell_bound(struct concluding *so, size_t first)
{
    const struct report_finding *const finding = finding_of(so, first);
    size_t count = 0;
    FILE *const to = begin_conclusion(so);

    if (!to)
        return false;
    for (size_t w = first; w < so->workloads && so->workloads > 1; w++)
        if (finding_of(so, w) && strcmp(finding_of(so, w)->bound, finding->bound) == 0) {
            if (count < CONCLUDE_SHOWN)
                fprintf(to, "%s%s", count ? ", " : "", workload_named(so, w));
            count++;
        }
    if (count > CONCLUDE_SHOWN)
        fprintf(to, " and %zu more", count - CONCLUDE_SHOWN);
    fprintf(to, "%s%s%s.", count ? ": " : "", text_of(finding), count > 1 ? " (of the first)" : "");
    return end_conclusion(so, to, CONCLUDE_BOUND, so->points[so->best * so->workloads + first], SIZE_MAX);
}

/* ---- what to try */
static bool is_axis(const struct concluding *so, const char *key)
{
    for (size_t i = 0; i < so->effects->axis_count; i++)
        if (strcmp(so->effects->axes[i].key, key) == 0)
            return true;
    return false;
}

/* A line of the section of a compact YAML text: where the value of NAME.KEY stands, and its length; NULL: it has none.
 * The key is the last part of a longer name. */
static const char *value_of(const char *yaml, const char *name, size_t *length)
{
    char section[MOST_KEY], key[MOST_KEY];
    const char *line = yaml;

    snprintf(section, sizeof section, "%.*s:\n", (int)strcspn(name, "."), name);
    snprintf(key, sizeof key, "%s: ", strrchr(name, '.') + 1);
    while (strncmp(line, section, strlen(section)) != 0) {
        line += strcspn(line, "\n");
        if (*line == '\0')
            return NULL;
        line++;
    }
    for (line += strlen(section); *line == ' '; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *const own = line + strspn(line, " ");

        if (strncmp(own, key, strlen(key)) == 0) {
            *length = strcspn(own + strlen(key), "\n");
            return own + strlen(key);
        }
    }
    return NULL;
}

/* The key with the value that the best system has; nothing, if that is known to have no such key. */
static bool put_remedy(const struct concluding *so, FILE *to, const char *key, const char *lead)
{
    const char *const config = so->input->space->points[so->designs[so->best].first].config;
    size_t length = 0;
    const char *const value = config ? value_of(config, key, &length) : NULL;

    if (is_axis(so, key) || (config && !value))
        return false;
    fprintf(to, "%s%s", lead, key);
    if (value)
        fprintf(to, " (now %.*s)", (int)length, value);
    return true;
}

static bool tell_remedies(struct concluding *so, const struct report_finding *finding)
{
    const char *keys = remedies_of(finding->bound);
    size_t count = 0;
    FILE *const to = begin_conclusion(so);

    if (!to)
        return false;
    fprintf(to, "not varied yet, and acts on the bound %.*s: ", (int)strcspn(text_of(finding), ":"), text_of(finding));
    while (*keys) {
        char key[MOST_KEY];
        size_t const length = strcspn(keys, ",");

        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        count += put_remedy(so, to, key, count ? ", " : "");
        keys += length + (keys[length] == ',');
    }
    fputs(".", to);
    if (count > 0)
        return end_conclusion(so, to, CONCLUDE_NEXT, SIZE_MAX, SIZE_MAX);
    fclose(to);
    free(so->text);
    return true;
}

/* An axis whose best value is its last or first one, and better than the one beside it. */
static bool tell_edge(struct concluding *so, const struct settings_effect *effect)
{
    const struct effects_axis *const axis = &so->effects->axes[effect->axis];
    bool const is_last = effect->best + 1 == axis->levels, is_end = is_last || effect->best == 0;
    size_t const beside = is_last ? effect->best - 1 : effect->best + 1;
    char share[CONCLUDE_SHARE_TEXT];
    FILE *to;

    if (!is_end || axis->levels < 2 || effect->settings == 0 || !space_has_numbers(axis)
        || !(effect->means[beside] >= 1 + CONCLUDE_EQUAL))
        return true;
    if (!(to = begin_conclusion(so)))
        return false;
    fprintf(to, "%s beyond %s: it is best at the %s of its values, by %s %% against %s.", axis->key,
            axis->names[effect->best], is_last ? "highest" : "lowest", share_text(1 - 1 / effect->means[beside], share),
            axis->names[beside]);
    return end_conclusion(so, to, CONCLUDE_NEXT, SIZE_MAX, SIZE_MAX);
}

bool conclude_bounds(struct concluding *so)
{
    for (size_t w = 0; w < so->workloads; w++)
        if (finding_of(so, w) && *finding_of(so, w)->bound && is_first(so, w) && !tell_bound(so, w))
            return false;
    for (size_t i = 0; i < so->effects->axis_count; i++)
        if (so->axes[i].means && !tell_edge(so, &so->axes[i]))
            return false;
    for (size_t w = 0; w < so->workloads; w++)
        if (finding_of(so, w) && *finding_of(so, w)->bound && is_first(so, w)
            && !tell_remedies(so, finding_of(so, w)))
            return false;
    return true;
}
