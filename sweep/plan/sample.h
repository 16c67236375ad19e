/* Latin hypercube: a sample of a large space in which every axis is covered evenly.
 *
 * Of n points, each axis has one in each of n equal parts of its range, in an order drawn by chance. An axis of k
 * levels gives every level floor(n/k) - 1 to ceil(n/k) + 1 times, and exactly n/k times if k divides n. The draw of an
 * axis depends on the seed and its own key only, so that another axis changes nothing about it.
 *
 * Use: latin_hypercube. Source: McKay, Beckman, Conover, "A comparison of three methods for selecting values of input
 * variables", Technometrics 1979. */
#ifndef SWEEP_PLAN_SAMPLE_H
#define SWEEP_PLAN_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Levels of one axis: `picked` receives `points` numbers below `levels`; fewer than 2^32 points, at least one level. */
void latin_hypercube(uint64_t seed, const char *key, size_t points, size_t levels, uint32_t *picked);

#endif
