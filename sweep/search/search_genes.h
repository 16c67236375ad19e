/* Proposals: designs that are worth a look, bred by NSGA-II on estimates.
 *
 * A population evolves: parents win tournaments by front and crowding, children take each level from either parent
 * (uniform crossover) and some levels anew (mutation: a number's mostly by a step or two, a word's to any). The
 * objectives are estimates, which cost nothing: a batch of runs has many generations behind it.
 *
 * Use: genes_breed; genes_child for a step of its own. Ownership: rows are the caller's.
 * Source: Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE TEC
 * 2002. */
#ifndef SWEEP_SEARCH_SEARCH_GENES_H
#define SWEEP_SEARCH_SEARCH_GENES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/search/search_draw.h"
#include "sweep/search/search_forest.h"

struct genes {
    const struct search_axis *axes;
    size_t axis_count, objectives;
    /* Estimates of a design, lower is better. */
    void (*estimate)(void *context, const uint32_t *row, double *objectives);
    /* Every child is shown once it is made, good or not. */
    void (*see)(void *context, const uint32_t *row);
    void *context;
};

/* Evolves `count` designs, an even number, which are replaced. False: out of memory. */
bool genes_breed(const struct genes *genes, uint32_t *rows, size_t count, size_t generations,
                 struct search_draw *draw);

void genes_child(const struct genes *genes, const uint32_t *one, const uint32_t *other, uint32_t *child,
                 struct search_draw *draw);

/* The fronts of designs: 0 is the first, 1 what remains without it, and so on; and how far each is from its
 * neighbours in its front, infinite at its ends. False: out of memory. */
bool genes_rank(const double *rows, size_t count, size_t objectives, size_t *front, double *distance);

#endif
