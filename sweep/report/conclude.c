/* The designs: best, by workload, cheapest. conclude_axes.c has the axes, conclude_why.c doubts and bounds. */
#include "sweep/report/conclude.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "sweep/report/conclude_internal.h"

#define SAME 0.0005                     /* a change below this share is not printed as one */

const char *conclusion_heading(enum conclusion_about about)
{
#define CONCLUSION_HEADING(id, heading, chart) heading,
    static const char *const headings[] = {CONCLUSIONS(CONCLUSION_HEADING)};
#undef CONCLUSION_HEADING
    return headings[about];
}

const char *conclusion_chart(enum conclusion_about about)
{
#define CONCLUSION_CHART(id, heading, chart) chart,
    static const char *const charts[] = {CONCLUSIONS(CONCLUSION_CHART)};
#undef CONCLUSION_CHART
    return charts[about];
}

/* ---- sentences */
FILE *begin_conclusion(struct concluding *so)
{
    so->text = NULL;
    so->length = 0;
    return open_memstream(&so->text, &so->length);
}

bool end_conclusion(struct concluding *so, FILE *to, enum conclusion_about about, size_t one, size_t other)
{
    struct conclusions *const made = so->made;
    struct conclusion here = {.about = about};
    bool is_kept = text_stream_close(to, &so->text);

    if (one != SIZE_MAX)
        here.points[here.point_count++] = one;
    if (other != SIZE_MAX && other != one)
        here.points[here.point_count++] = other;
    here.text = is_kept ? arena_copy(&made->arena, so->text, strlen(so->text)) : NULL;
    is_kept = here.text && list_fit(&made->list, made->count + 1, &made->room, sizeof *made->list);
    if (is_kept)
        made->list[made->count++] = here;
    free(so->text);
    return is_kept;
}

const char *share_text(double share, char text[CONCLUDE_SHARE_TEXT])
{
    double const percent = 100 * fabs(share);

    snprintf(text, CONCLUDE_SHARE_TEXT, percent >= 9.95 ? "%.0f" : percent >= 0.995 ? "%.1f" : "%.2f", percent);
    return text;
}

void put_change(FILE *to, double ratio)
{
    char share[CONCLUDE_SHARE_TEXT];

    if (fabs(ratio - 1) < SAME)
        fputs("the same", to);
    else if (ratio >= 2.995)
        fprintf(to, "%.3g times as high", ratio);
    else
        fprintf(to, "%s %% %s", share_text(ratio - 1, share), ratio < 1 ? "lower" : "higher");
}

void put_change_from(FILE *to, double ratio)
{
    put_change(to, ratio);
    fputs(fabs(ratio - 1) < SAME || ratio >= 2.995 ? " as " : " than ", to);
}

bool is_choice(const struct effects_space *effects, size_t axis)
{
    return axis != effects->workload_axis && effects->axes[axis].levels > 1;
}

void put_design(const struct concluding *so, FILE *to, size_t point, size_t other)
{
    const struct effects_space *const effects = so->effects;
    size_t count = 0;

    for (size_t axis = 0; axis < effects->axis_count; axis++) {
        uint32_t const level = effects_level(effects, point, axis);

        if (is_choice(effects, axis) && (other == SIZE_MAX || level != effects_level(effects, other, axis)))
            fprintf(to, "%s%s %s", count++ ? ", " : "", effects->axes[axis].key, effects->axes[axis].names[level]);
    }
    if (count == 0)
        fputs("no axis", to);
}

const char *workload_named(const struct concluding *so, size_t workload)
{
    return so->effects->workload_axis == EFFECTS_NO_AXIS ? "the workload"
        : so->effects->axes[so->effects->workload_axis].names[workload];
}

size_t column_named(const struct concluding *so, const char *name)
{
    for (size_t i = 0; i < so->input->columns->count; i++)
        if (strcmp(so->input->columns->list[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* ---- designs */
static size_t point_of(const struct concluding *so, size_t design, size_t workload)
{
    return so->points[design * so->workloads + workload];
}

static uint64_t number_of(const struct concluding *so, size_t design)
{
    return so->input->space->points[so->designs[design].first].number;
}

double ratio_of(const struct concluding *so, size_t design, size_t other, size_t workload)
{
    double sum = 0;
    size_t count = 0;

    for (size_t w = 0; w < so->workloads; w++) {
        size_t const one = point_of(so, design, w), two = point_of(so, other, w);

        if ((workload != EFFECTS_ALL && w != workload) || one == SIZE_MAX || two == SIZE_MAX)
            continue;
        sum += log(so->effects->values[one] / so->effects->values[two]);
        count++;
    }
    return count ? exp(sum / (double)count) : (double)NAN;
}

double conclude_half(const void *self, size_t one, size_t other)
{
    const struct concluding *const so = self;
    const struct sample *const *const samples = so->input->samples;
    const double *const values = so->effects->values;

    if (!samples || (!samples[one] && !samples[other]))
        return 0;
    return sample_difference(samples[one], samples[other], so->input->columns->list[0].name, values[one],
                             values[other]).half / values[one];
}

bool is_hidden(const struct concluding *so, size_t design, size_t other)
{
    double sum = 0, squares = 0;

    for (size_t w = 0; w < so->workloads; w++) {
        size_t const one = point_of(so, design, w), two = point_of(so, other, w);
        double const half = one == SIZE_MAX || two == SIZE_MAX ? 0 : conclude_half(so, one, two);

        if (one == SIZE_MAX || two == SIZE_MAX)
            continue;
        sum += log(so->effects->values[two] / so->effects->values[one]);
        squares += half * half;
    }
    return squares > 0 && fabs(sum) <= sqrt(squares);
}

static void find_points(struct concluding *so)
{
    const struct effects_space *const effects = so->effects;

    for (size_t i = 0; i < so->design_count * so->workloads; i++)
        so->points[i] = SIZE_MAX;
    for (size_t i = 0; i < effects->point_count; i++) {
        size_t const w = effects->workload_axis == EFFECTS_NO_AXIS ? 0 : effects_level(effects, i,
                                                                                       effects->workload_axis);

        if (isfinite(effects->values[i]) && effects->values[i] > 0)
            so->points[so->of[i] * so->workloads + w] = i;
    }
}

/* By the mean of its workloads' ratios; without all of them a design is not ranked. */
static void find_best(struct concluding *so)
{
    size_t first = so->input->baseline;

    so->best = SIZE_MAX;
    for (size_t i = 0; i < so->design_count; i++)
        if (so->designs[i].is_complete && (so->best == SIZE_MAX
                                           || so->designs[i].relative < so->designs[so->best].relative))
            so->best = i;
    for (size_t i = 0; first == CONCLUDE_FIRST && i < so->effects->point_count; i++)
        if (isfinite(so->effects->values[i]) && so->effects->values[i] > 0)
            first = i;
    so->baseline = so->of[first];
}

static size_t count_near(const struct concluding *so)
{
    size_t near = 0;

    for (size_t i = 0; i < so->design_count; i++)
        near += i != so->best && so->designs[i].is_complete
                && so->designs[i].relative <= (1 + CONCLUDE_EQUAL) * so->designs[so->best].relative;
    return near;
}

/* ---- what a design costs */
struct price {
    const char *name, *unit;
    size_t column;                       /* SIZE_MAX: of the hardware, `which` of them */
    unsigned which;
};

enum { PRICES = 6, HARDWARE = 3 };

static double hardware_of(const struct concluding *so, size_t design, unsigned which)
{
    const struct space_cost *const cost = &so->input->space->points[so->designs[design].first].cost;

    return which == 0 ? cost->cache_bytes / 1024 : which == 1 ? cost->channels : cost->peak_bytes_per_s * 1e-9;
}

/* Metrics: mean over workloads, since energy depends on them. */
static double price_of(const struct concluding *so, const struct price *price, size_t design)
{
    double sum = 0;
    size_t count = 0;

    if (price->column == SIZE_MAX)
        return hardware_of(so, design, price->which);
    for (size_t w = 0; w < so->workloads; w++)
        if (point_of(so, design, w) != SIZE_MAX) {
            sum += report_columns_value(so->input->columns, point_of(so, design, w), price->column);
            count++;
        }
    return sum / (double)count;
}

static bool does_differ(const struct concluding *so, const struct price *price)
{
    double const first = price_of(so, price, so->best);

    for (size_t i = 0; i < so->design_count; i++)
        if (so->designs[i].is_complete && fabs(price_of(so, price, i) - first) > 1e-9 * fabs(first))
            return true;
    return false;
}

/* Those that differ from design to design, the one that decides first. */
static size_t list_prices(const struct concluding *so, struct price prices[PRICES])
{
    static const struct price all[PRICES] = {
        {"cost", "", 0, 0}, {"area_mm2", "mm2", 0, 0}, {"energy.total_mj", "mJ", 0, 0},
        {"caches", "KiB", SIZE_MAX, 0}, {"channels", "", SIZE_MAX, 1}, {"peak bandwidth", "GB/s", SIZE_MAX, 2}
    };
    size_t count = 0;

    for (size_t i = 0; i < PRICES; i++) {
        struct price here = all[i];

        if (i < PRICES - HARDWARE && (here.column = column_named(so, here.name)) == SIZE_MAX)
            continue;
        if (does_differ(so, &here))
            prices[count++] = here;
    }
    return count;
}

/* "caches 2176 KiB instead of 448 KiB, channels 2 instead of 1"; prices that differ only. */
static bool put_prices(const struct concluding *so, FILE *to, size_t design, size_t other, const char *lead)
{
    struct price prices[PRICES];
    size_t const count = list_prices(so, prices);
    size_t shown = 0;

    for (size_t i = 0; i < count; i++) {
        double const here = price_of(so, &prices[i], design), there = price_of(so, &prices[i], other);

        if (!isfinite(here) || !isfinite(there) || fabs(here - there) <= 1e-9 * fabs(there))
            continue;
        fprintf(to, "%s%s %.4g%s%s instead of %.4g", shown++ ? ", " : lead, prices[i].name, here,
                *prices[i].unit ? " " : "", prices[i].unit, there);
    }
    return shown > 0;
}

/* ---- the best */
static void put_by_workload(const struct concluding *so, FILE *to)
{
    size_t shown = 0;

    if (so->workloads < 2)
        return;
    fputs(" in the mean of workloads (", to);
    for (size_t w = 0; w < so->workloads && shown < CONCLUDE_SHOWN; w++) {
        double const ratio = ratio_of(so, so->best, so->baseline, w);

        if (!isfinite(ratio))
            continue;
        fprintf(to, "%s%s ", shown++ ? ", " : "", workload_named(so, w));
        put_change(to, ratio);
    }
    fputs(so->workloads > CONCLUDE_SHOWN ? ", ...)" : ")", to);
}

static bool tell_best(struct concluding *so)
{
    const char *const figure = so->input->columns->list[0].name;
    size_t const best = so->designs[so->best].first, base = so->designs[so->baseline].first;
    size_t const near = count_near(so);
    FILE *const to = begin_conclusion(so);

    if (!to)
        return false;
    fprintf(to, "point %" PRIu64 " (", number_of(so, so->best));
    put_design(so, to, best, SIZE_MAX);
    fprintf(to, "): the lowest %s of %zu designs", figure, so->design_count);
    if (so->best == so->baseline) {
        fputs(". It is the baseline itself", to);
    } else {
        fputs(", ", to);
        put_change_from(to, ratio_of(so, so->best, so->baseline, EFFECTS_ALL));
        fprintf(to, "point %" PRIu64 ", the baseline (", number_of(so, so->baseline));
        put_design(so, to, base, best);
        fputs(")", to);
        put_by_workload(so, to);
        if (is_hidden(so, so->best, so->baseline))
            fputs(", which is within the interval", to);
        if (!put_prices(so, to, so->best, so->baseline, "; it costs "))
            fputs("; at the same cost, as far as it is known", to);
    }
    if (near)
        fprintf(to, ". %zu other design%s %s within 1 %% of it", near, near == 1 ? "" : "s", near == 1 ? "is" : "are");
    fputs(".", to);
    return end_conclusion(so, to, CONCLUDE_BEST, base, best);
}

/* ---- the best of each workload */
static size_t best_of_workload(const struct concluding *so, size_t workload)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < so->design_count; i++) {
        size_t const here = point_of(so, i, workload), there = best == SIZE_MAX ? SIZE_MAX : point_of(so, best,
                                                                                                     workload);

        if (here != SIZE_MAX && (there == SIZE_MAX || so->effects->values[here] < so->effects->values[there]))
            best = i;
    }
    return best;
}

/* Is the best design as good as any for this workload? */
static bool is_served(const struct concluding *so, size_t workload)
{
    size_t const own = best_of_workload(so, workload);

    return own == SIZE_MAX || !(ratio_of(so, own, so->best, workload) < 1 / (1 + CONCLUDE_EQUAL));
}

/* Gathers those. */
static bool tell_served(struct concluding *so)
{
    size_t served = 0;
    FILE *const to = begin_conclusion(so);

    if (!to)
        return false;
    fprintf(to, "point %" PRIu64 " is the best, or within 1 %% of it, for ", number_of(so, so->best));
    for (size_t w = 0; w < so->workloads; w++)
        if (is_served(so, w)) {
            if (served < CONCLUDE_SHOWN)
                fprintf(to, "%s%s", served ? ", " : "", workload_named(so, w));
            served++;
        }
    if (served > CONCLUDE_SHOWN)
        fprintf(to, " and %zu more", served - CONCLUDE_SHOWN);
    fprintf(to, "%s: %zu of %zu workloads.", served ? "" : "none", served, so->workloads);
    return end_conclusion(so, to, CONCLUDE_WORKLOADS, so->designs[so->best].first, SIZE_MAX);
}

static bool tell_workloads(struct concluding *so)
{
    size_t told = 0;

    if (so->workloads < 2 || so->design_count < 2)
        return true;
    if (!tell_served(so))
        return false;
    for (size_t w = 0; w < so->workloads && told < CONCLUDE_SHOWN; w++) {
        size_t const own = best_of_workload(so, w);
        FILE *to;

        if (is_served(so, w))
            continue;
        if (!(to = begin_conclusion(so)))
            return false;
        fprintf(to, "%s: point %" PRIu64 " is ", workload_named(so, w),
                so->input->space->points[point_of(so, own, w)].number);
        put_change_from(to, ratio_of(so, own, so->best, w));
        fputs("it, with ", to);
        put_design(so, to, so->designs[own].first, so->designs[so->best].first);
        fputs(".", to);
        told++;
        if (!end_conclusion(so, to, CONCLUDE_WORKLOADS, point_of(so, so->best, w), point_of(so, own, w)))
            return false;
    }
    return true;
}

/* ---- the cheapest that is nearly as good */
/* By the price that decides; of the hardware, by caches, then channels, then the peak; then by the figure. */
static bool is_cheaper(const struct concluding *so, const struct price *prices, size_t count, size_t one, size_t other)
{
    for (size_t i = 0; i < count; i++) {
        double const a = price_of(so, &prices[i], one), b = price_of(so, &prices[i], other);

        if (isfinite(a) && isfinite(b) && fabs(a - b) > 1e-9 * fabs(b))
            return a < b;
        if (prices[i].column != SIZE_MAX)
            break;
    }
    return so->designs[one].relative < so->designs[other].relative;
}

static bool tell_knee(struct concluding *so)
{
    struct price prices[PRICES];
    size_t const count = list_prices(so, prices);
    size_t knee = so->best;
    FILE *to;

    if (count == 0)
        return true;
    for (size_t i = 0; i < so->design_count; i++)
        if (so->designs[i].is_complete
            && so->designs[i].relative <= (1 + CONCLUDE_NEAR) * so->designs[so->best].relative
            && is_cheaper(so, prices, count, i, knee))
            knee = i;
    if (!(to = begin_conclusion(so)))
        return false;
    if (knee == so->best) {
        fprintf(to, "the best itself: no design within 2 %% of it costs less, by its %s%s.", prices[0].name,
                prices[0].column == SIZE_MAX ? " (cost: in the sweep's file gives each design a price)" : "");
    } else {
        fprintf(to, "point %" PRIu64 " (", number_of(so, knee));
        put_design(so, to, so->designs[knee].first, so->designs[so->best].first);
        fputs("): ", to);
        put_change_from(to, ratio_of(so, knee, so->best, EFFECTS_ALL));
        fputs(is_hidden(so, knee, so->best) ? "the best, within the interval" : "the best", to);
        put_prices(so, to, knee, so->best, "; ");
        fputs(".", to);
    }
    return end_conclusion(so, to, CONCLUDE_KNEE, so->designs[so->best].first, so->designs[knee].first);
}

/* ---- all of it */
static bool tell_all(struct concluding *so)
{
    find_points(so);
    find_best(so);
    if (so->best == SIZE_MAX)
        return true;
    return tell_best(so) && tell_workloads(so) && tell_knee(so) && conclude_axes(so) && conclude_doubts(so)
           && conclude_bounds(so);
}

bool conclude(struct conclusions *made, const struct conclude_input *input)
{
    const struct effects_space *const effects = &input->space->effects;
    struct concluding so = {
        .input = input, .effects = effects, .made = made,
        .workloads = effects->workload_axis == EFFECTS_NO_AXIS ? 1 : effects->axes[effects->workload_axis].levels,
        .designs = calloc(effects->point_count + 1, sizeof *so.designs),
        .of = calloc(effects->point_count + 1, sizeof *so.of),
        .axes = calloc(effects->axis_count + 1, sizeof *so.axes)};
    bool is_done = so.designs && so.of && so.axes;

    *made = (struct conclusions){0};
    so.design_count = is_done ? effects_designs(effects, so.designs, so.of) : 0;
    so.points = calloc(so.design_count * so.workloads + 1, sizeof *so.points);
    is_done = so.design_count > 0 && so.points && tell_all(&so);
    for (size_t i = 0; so.axes && i < effects->axis_count; i++)
        settings_effect_free(&so.axes[i]);
    free(so.designs);
    free(so.of);
    free(so.axes);
    free(so.points);
    if (!is_done)
        conclusions_free(made);
    return is_done;
}

void conclusions_free(struct conclusions *conclusions)
{
    free(conclusions->list);
    arena_free(&conclusions->arena);
    *conclusions = (struct conclusions){0};
}
