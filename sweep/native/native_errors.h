/* How far replays are from native runs, of a list of programs: means, the worst, ranks, and the error of the changes
 * between variants.
 *
 * Definitions (n = native, s = simulated, in cycles): error s / n - 1; a program "name:variant" is a variant of "name",
 * the first of that name in the list; its change is n / n_first and s / s_first, and the error of the change
 * (s / s_first) / (n / n_first) - 1. A change is clear if it is 5 % or more natively; it goes the right way if the
 * simulated one has its direction, by 1 % or more. Means are those of magnitudes. Ranks are Spearman's: of cycles, and
 * of cycles per instruction, whose order does not follow from sizes.
 *
 * Use: fill in `list`; native_errors_of; read the results. No state, no allocation but for ranks.
 * Errors: FAULT_MEMORY. */
#ifndef SWEEP_NATIVE_NATIVE_ERRORS_H
#define SWEEP_NATIVE_NATIVE_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

#define NATIVE_CLEAR_CHANGE 0.05
#define NATIVE_LEAST_CHANGE 0.01

struct native_pair {
    const char *name;                    /* "name" or "name:variant" */
    double native_cycles, cycles;        /* 0: not known, and the pair does not count */
    double instructions;                 /* that were replayed; 0: not known */
    /* Results. NAN: not known. */
    double error;
    size_t first;                        /* its base; its own index: it is the first of its name */
    double native_change, change, change_error;
    bool is_clear, is_right;
};

struct native_errors {
    size_t count, changes, clear, right;
    double mean, median, worst;          /* worst: signed */
    size_t worst_pair;
    double rank_cycles, rank_cpi;
    double change_mean;
};

struct fault native_errors_of(struct native_errors *errors, struct native_pair *list, size_t count);

#endif
