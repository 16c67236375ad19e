/* Internals of `rubato search`, shared by its parts: cli/sweep/search_command.c (arguments, the loop of batches),
 * search_judge.c (what points are worth), search_short.c (short runs first), search_print.c (progress, the front). */
#ifndef CLI_SWEEP_SEARCH_COMMAND_H
#define CLI_SWEEP_SEARCH_COMMAND_H

#include "base/arena.h"
#include "cli/sweep/sweep.h"
#include "sweep/results/results.h"
#include "sweep/search/search.h"

enum { SEARCH_MAX_CONDITIONS = 16 };

struct search_request {
    struct sweep_request sweep;
    const char *objectives[SEARCH_MAX_OBJECTIVES];
    size_t objective_count;
    const char *conditions[SEARCH_MAX_CONDITIONS];
    size_t condition_count;
    const char *across;                  /* NULL: mean */
    uint64_t budget, batch, seed;        /* designs; batch 0: by the budget */
    uint64_t short_records;              /* 0: all runs are whole */
};

/* ---- what designs are worth: search_judge.c */

struct judged_objective {
    const char *name;                    /* a column of results */
    bool is_higher;                      /* better; the search sees it with the other sign */
    bool was_seen;                       /* some point has it */
};

struct judge {
    const struct search_request *request;
    const struct spec *spec;
    struct judged_objective objectives[SEARCH_MAX_OBJECTIVES];
    const struct condition *conditions[SEARCH_MAX_CONDITIONS];
    bool is_worst;                       /* of several workloads: the worst ratio to the first design */
    double *references;                  /* of each workload and objective, of the first design that has all */
    bool has_references;
    char failure[FAULT_TEXT];            /* of the first point that failed; "": none did */
    struct arena arena;
};

/* FAULT_INPUT: a name that no point can have, a condition that cannot be read. */
struct fault judge_open(struct judge *judge, const struct search_request *request, const struct spec *spec);
void judge_close(struct judge *judge);
/* The designs of the plan from `first` on, which has one point for each workload of each. */
struct fault judge_answers(struct judge *judge, struct results *results, const struct plan *plan, size_t first,
                           struct search_answer *answers);
/* As people read it: of several workloads, the mean or the worst ratio. */
double judge_shown(const struct judge *judge, size_t objective, double value);

/* ---- short runs: search_short.c */

struct shorts;

/* NULL: out of memory. */
struct shorts *shorts_make(size_t objectives);
void shorts_free(struct shorts *shorts);
/* The answer of a short run, and that of the same design's whole one. */
bool shorts_add(struct shorts *shorts, const struct search_answer *brief);
void shorts_learn(struct shorts *shorts, size_t number, const struct search_answer *whole);
/* Is the design of that short run not worth a whole one? Then `estimate` is what the whole run probably has. */
bool shorts_dominated(const struct shorts *shorts, size_t number, struct search_answer *estimate);
size_t shorts_count(const struct shorts *shorts);

/* ---- printing: search_print.c */

struct search_tally {
    size_t designs, stopped, failed, feasible, front;
    double combinations;
    size_t runs;                         /* points that were simulated now */
    double elapsed_s;
};

/* The front as a table, the best of the first objective first; point_of: of each told design its first point in the
 * plan. False: out of memory. */
bool search_print_front(const struct judge *judge, const struct search *search, const struct plan *plan,
                        const size_t *point_of);
void search_print_summary(const struct search_tally *tally, const struct search_request *request, const char *file);

#endif
