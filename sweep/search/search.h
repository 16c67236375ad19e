/* Search: which designs to run next, so that few runs find the front of several objectives. Ask and tell; it knows
 * nothing of simulations.
 *
 * A design is a row of levels, one of each axis; objectives are numbers, each better when it is lower. First come the
 * two ends of all axes and a Latin hypercube. Then each batch is chosen by surrogates of what is known
 * (search_forest.h): NSGA-II breeds proposals on their estimates (search_genes.h), and those are asked for that promise
 * the largest gain: for two objectives, and three with a small front, the expected hypervolume improvement, else the
 * expected improvement of a weighted sum of objectives and of the worst of them, with weights by chance (ParEGO). A
 * design of the batch counts as known by its estimate for the next. Where designs were not feasible, a gain counts by
 * the estimated chance that the design is.
 *
 * The same problem and the same answers make the same questions, so a search resumes by being asked again.
 *
 * Use: search_make; search_ask, run the designs, search_tell of each in the order of the rows; again; search_free.
 * Ownership: axes are borrowed. Errors: false and NULL: out of memory.
 * Sources: Emmerich, Giannakoglou, Naujoks, "Single- and multiobjective evolutionary optimization assisted by Gaussian
 * random field metamodels", IEEE TEC 2006; Knowles, "ParEGO", IEEE TEC 2006. */
#ifndef SWEEP_SEARCH_SEARCH_H
#define SWEEP_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/search/search_forest.h"

enum { SEARCH_MAX_OBJECTIVES = 4, SEARCH_MAX_AXES = 256 };

struct search_problem {
    const struct search_axis *axes;
    size_t axis_count, objectives;
    uint64_t seed;
    /* False: there is no such design. NULL: there are all. */
    bool (*is_there)(void *context, const uint32_t *row);
    void *context;
};

struct search;

struct search *search_make(const struct search_problem *problem);
void search_free(struct search *search);

/* How many designs come first, by the rule above. */
size_t search_initial(const struct search_problem *problem);

/* Rows that were not asked for before: `wanted` of them, fewer if there are no more, or if the first designs end. */
bool search_ask(struct search *search, size_t wanted, uint32_t *rows, size_t *count);

struct search_answer {
    double objectives[SEARCH_MAX_OBJECTIVES];    /* NAN: the run has no such figure, or failed */
    bool is_feasible;
    bool is_estimate;                    /* to learn from, but for no front: of a run that was cut short */
};

bool search_tell(struct search *search, const uint32_t *row, const struct search_answer *answer);

/* The told designs in their order, and which of them are the front. */
size_t search_told(const struct search *search);
const uint32_t *search_row(const struct search *search, size_t told);
const struct search_answer *search_answer_of(const struct search *search, size_t told);
bool search_front(const struct search *search, bool *is_front, size_t *count);

#endif
