/* Short runs first: which designs are not worth a whole run.
 *
 * A whole run has other figures than a short one: more time, by a factor that is nearly the same of all designs. Its
 * spread over the designs that had both says how much short runs mislead; it is 1 of an area, which both know. A design
 * is dominated beyond that if another short run is better in each objective by more than its spread. Few designs say
 * little about a spread, so none is stopped before FEWEST had both. */
#include "cli/sweep/search_command.h"

#include <math.h>
#include <stdlib.h>

#include "base/list.h"

enum { FEWEST = 8 };

struct shorts {
    size_t objectives;
    struct search_answer *answers;       /* of short runs */
    size_t count, room;
    double least[SEARCH_MAX_OBJECTIVES], most[SEARCH_MAX_OBJECTIVES];    /* factors, whole by short */
    double logs[SEARCH_MAX_OBJECTIVES];  /* their sum */
    size_t learnt;
};

struct shorts *shorts_make(size_t objectives)
{
    struct shorts *const shorts = calloc(1, sizeof *shorts);

    if (shorts)
        shorts->objectives = objectives;
    for (size_t m = 0; shorts && m < objectives; m++) {
        shorts->least[m] = INFINITY;
        shorts->most[m] = 0;
    }
    return shorts;
}

void shorts_free(struct shorts *shorts)
{
    if (!shorts)
        return;
    free(shorts->answers);
    free(shorts);
}

size_t shorts_count(const struct shorts *shorts)
{
    return shorts->count;
}

bool shorts_add(struct shorts *shorts, const struct search_answer *brief)
{
    if (!list_fit(&shorts->answers, shorts->count + 1, &shorts->room, sizeof *shorts->answers))
        return false;
    shorts->answers[shorts->count++] = *brief;
    return true;
}

/* Of both runs' figures; NAN: they have no factor. */
static double factor_of(double brief, double whole)
{
    double const factor = brief == whole ? 1 : whole / brief;

    return isfinite(factor) && factor > 0 ? factor : NAN;
}

void shorts_learn(struct shorts *shorts, size_t number, const struct search_answer *whole)
{
    double factors[SEARCH_MAX_OBJECTIVES];

    for (size_t m = 0; m < shorts->objectives; m++) {
        factors[m] = factor_of(shorts->answers[number].objectives[m], whole->objectives[m]);
        if (isnan(factors[m]))
            return;
    }
    for (size_t m = 0; m < shorts->objectives; m++) {
        shorts->least[m] = fmin(shorts->least[m], factors[m]);
        shorts->most[m] = fmax(shorts->most[m], factors[m]);
        shorts->logs[m] += log(factors[m]);
    }
    shorts->learnt++;
}

/* Worse by the spread: a negative number, which is one that is better when higher, by division. */
static double worsened(const struct shorts *shorts, size_t objective, double value)
{
    double const spread = shorts->most[objective] / shorts->least[objective];

    return value > 0 ? value * spread : value / spread;
}

static bool is_beyond(const struct shorts *shorts, const struct search_answer *other,
                      const struct search_answer *answer)
{
    bool is_better = false;

    for (size_t m = 0; m < shorts->objectives; m++) {
        double const value = worsened(shorts, m, other->objectives[m]);

        if (!(value <= answer->objectives[m]))
            return false;
        is_better |= value < answer->objectives[m];
    }
    return is_better;
}

bool shorts_dominated(const struct shorts *shorts, size_t number, struct search_answer *estimate)
{
    struct search_answer const *const answer = &shorts->answers[number];
    bool is_dominated = false;

    for (size_t i = 0; i < shorts->count && shorts->learnt >= FEWEST && !is_dominated; i++)
        is_dominated = shorts->answers[i].is_feasible && is_beyond(shorts, &shorts->answers[i], answer);
    if (!is_dominated)
        return false;
    *estimate = (struct search_answer){.is_feasible = answer->is_feasible, .is_estimate = true};
    for (size_t m = 0; m < shorts->objectives; m++)
        estimate->objectives[m] = answer->objectives[m] * exp(shorts->logs[m] / (double)shorts->learnt);
    return true;
}
