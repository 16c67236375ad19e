/* The file of a sweep: a base system, traces, and axes over any key of the configuration.
 *
 *     system: wide                          # or a list
 *     traces: [tests/traces/gups, {name: mix, traces: [a, b, c, d]}]
 *     set: {cpu.rob: 128}                   # the same for all points
 *     axes:
 *       l2.size: [256KiB, 512KiB, 1MiB]
 *       l1d.mshrs: {from: 1, to: 32, times: 2}      # 1 2 4 8 16 32
 *       cpu_clock: {from: 1GHz, to: 4GHz, step: 500MHz}
 *       l2.prefetcher: [base, stride]       # base leaves the key as the system has it
 *     zip:                                  # these vary together; or a list of such groups
 *       l1d.size: [32KiB, 64KiB]
 *       l1d.assoc: [4, 8]
 *     skip: l2.size < 4 * l1d.size          # or a list; sweep/plan/spec.h; refused: what no run accepts
 *     sample: {points: 100, seed: 1}        # a Latin hypercube instead of all combinations
 *     cost: {sram_mm2: 0.9, channel: 12, l2.size: 0.02 per KiB}    # or a formula over keys and metrics (price.h)
 *     kernels: 3-7,9                        # of a GPU's list, counted from 1; or a list
 *     engine: plain                         # as `rubato replay --engine`; fast unless said otherwise
 *     latency: IntMult=3,IntDiv=20          # of instruction traces, as `rubato replay --latency`
 *     sync: free                            # likewise
 *     alone: yes                            # also each program alone: weighted_speedup, fairness and so on
 *     restart: yes                          # programs start again until the last has ended
 *     confidence: 95                        # of the intervals of traces that are regions, in percent
 *     warm: functional                      # how they begin, as `rubato replay --warm`
 *     until_error: 0.5%                     # regions are added until the time is as certain (docs/sweeps.md)
 *     warmup: 10000, records: 100000, until: 5ms, tick_scale: 1    # as `rubato replay` has them
 *
 * An engine changes no result, so it is not part of a point's identity: a sweep that is continued with another
 * engine runs no point again.
 *
 *     traces: {name: gups, traces: gups, instructions: gups.rbt}      # for --model (sweep/plan/spec.h)
 *
 * Traces: a folder or a store for all cores, a list with one for each core, GPU kernels beside them; relative paths
 * are taken from the file's folder, else from the working folder. Systems are found as config_load finds them.
 *
 * Use: spec_read, then plan_make (sweep/plan/plan.h). Ownership: all that a spec points at is its own, freed by
 * spec_free. Faults name file and line; a key that no configuration has is refused with the nearest one, and so is a
 * value that its key cannot take. */
#ifndef SWEEP_PLAN_SPEC_H
#define SWEEP_PLAN_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/fault.h"
#include "replay/session/session.h"
#include "replay/source/workload.h"
#include "sweep/plan/quantity.h"

/* Conditions: "l2.size < 2 * l1d.size and l2.prefetcher == stride", for points to skip and for results to list.
 *
 *     condition   = all { "or" all }              all = one { "and" one }
 *     one         = "not" one | "(" condition ")" | sum comparison sum
 *     comparison  = "<" "<=" ">" ">=" "==" "!="
 *     sum         = product { "+" product | "-" product }
 *     product     = value { "*" value | "/" value }
 *     value       = NAME | NUMBER with its unit | WORD | "text" | "(" sum ")"
 *
 * Names are resolved by the caller: keys of a configuration, columns of results. On the right of a comparison, a word
 * that is no name is a text, unless both sides have a point, as keys have. "-" and "/" need a space before them, as
 * names and units hold them. Values that cannot be compared (an absent cache with a size) are unequal, and neither
 * less nor greater.
 *
 * Use: condition_parse, condition_holds for each point. Ownership: a condition lives in the caller's arena. */

struct condition;

/* `where` begins the faults, and is copied. */
struct fault condition_parse(struct condition **made, struct arena *arena, const char *text, const char *where);

/* The words that a column is compared with by == or !=, as they are written: NAME == WORD, NAME == "text". `visit`
 * answers whether it wants the next. A word may be a name, which the caller knows. */
void condition_visit_words(const struct condition *condition,
                           bool (*visit)(void *context, const char *name, const char *word), void *context);

struct condition_names {
    /* FAULT_INPUT: an unknown name where a name is required. */
    struct fault (*find)(void *self, const char *name, const char *where, struct quantity *value);
    void *self;
};

struct fault condition_holds(const struct condition *condition, const struct condition_names *names, bool *holds);

/* The same for a sum, such as the cost of a point: quantities are in bytes, ps, Hz, bytes a second. FAULT_INPUT, too:
 * it divides by zero. NAN: a name has no value. */
struct fault amount_parse(struct condition **made, struct arena *arena, const char *text, const char *where);
struct fault amount_of(const struct condition *amount, const struct condition_names *names, double *number);

struct system_config;

#define SPEC_BASE "base"                 /* value of an axis that leaves the key alone */

struct spec_axis {
    const char *key;
    const char **values;
    size_t count;
    size_t line;
};

/* Axes that vary together: one, or several of `zip`. All have as many values. */
struct spec_group {
    size_t first_axis, axis_count;
    size_t levels;
};

struct spec_setting {
    const char *key, *value;
    size_t line;
};

struct spec_workload {
    const char *name;
    const char **paths;                  /* as they can be opened */
    size_t path_count;
    size_t line;
    const char *instructions;            /* an instruction trace of the same run; NULL: none */
    bool is_twin;                        /* of that, one more workload of the same name; only for sweep/plan/spec.h */
};

struct spec {
    const char *path;
    const char *text;                    /* the whole file */
    size_t text_bytes;
    const char **systems;                /* as they can be loaded */
    const char **system_names;           /* as written */
    struct system_config *bases;         /* of each, not finished; without `set` */
    size_t system_count;
    struct spec_workload *workloads;
    size_t workload_count;
    struct spec_setting *settings;
    size_t setting_count;
    struct spec_axis *axes;              /* those of `axes`, then those of `zip` */
    size_t axis_count;
    struct spec_group *groups;
    size_t group_count;
    bool has_models;                     /* the last axis is that of sweep/plan/spec.h */
    const struct condition **skips;
    size_t skip_count;
    const struct condition **costs;      /* their sum is the cost of a point */
    size_t cost_count;
    const char *cost;                    /* the sum as text; NULL: none */
    bool skips_refused;                  /* "refused" is among skip: combinations that no run accepts are left out */
    uint64_t sample_points, sample_seed; /* 0 points: all combinations */
    struct session_limits limits;
    bool runs_alone;
    const char *optimal;                 /* kind of caches whose bound every point has; NULL: none */
    struct engine_options engine;
    struct workload_options reading;     /* of instruction traces */
    double confidence;                   /* of intervals of points that run regions, in percent */
    const char *warm;                    /* how regions begin (sweep/run/region_warm.h); NULL: as usual */
    double until_error;                  /* share of the time that its interval may be; 0: all regions are run */
    struct arena arena;
};

struct fault spec_read(struct spec **made, const char *path);
/* "99" or "99%", from 50 to below 100; "0.5%", above 0, below 100 %. False: it is none. */
bool spec_confidence(const char *text, double *percent);
bool spec_until_error(const char *text, double *share);
#define SPEC_CONFIDENCE_EXPECTED "a percentage from 50 to below 100, such as 95"
#define SPEC_UNTIL_ERROR_EXPECTED "a percentage above 0 with its sign, such as 0.5%"
#define SPEC_CONFIDENCE 95.0             /* unless the file says otherwise */
/* The same from memory; `path` names it and tells its folder. */
struct fault spec_read_text(struct spec **made, const char *path, const char *text, size_t length);
void spec_free(struct spec *spec);

/* The configuration of a choice of levels, one for each group, not finished. Settings are applied in an order in
 * which none undoes another: `first` (NULL: none) of the caller, numbers of cores and devices, all others as written,
 * caches that are taken out. */
struct fault spec_configure(const struct spec *spec, size_t system, const uint32_t *levels, const char *first,
                            struct system_config *config);

/* "file:line"; of a long path the end */
struct spec_where {
    char text[160];
};
struct spec_where spec_place(const struct spec *spec, size_t line);

/* Inner: spec_read's first part (spec_read.c), which fills in all but the bases. */
struct fault spec_parse(struct spec *spec);

/* Values of an axis that are given as a range: {from: 4, to: 16, step: 4}, {from: 32KiB, to: 1MiB, times: 2}.
 *
 * Use: axis_range; the values come as texts that the configuration takes. Ownership: they live in the arena. */

enum { AXIS_MAX_VALUES = 10000 };

struct axis_range {
    const char *from, *to;               /* both included, if the steps meet `to` */
    const char *step, *times;            /* one of them, or none: steps of 1, which plain numbers only have */
};

/* `where`: "file:line: axes: l2.size" */
struct fault axis_values(const struct axis_range *range, struct arena *arena, const char *where, const char ***values,
                         size_t *count);

/* Latin hypercube: a sample of a large space in which every axis is covered evenly.
 *
 * Of n points, each axis has one in each of n equal parts of its range, in an order drawn by chance. An axis of k
 * levels gives every level floor(n/k) - 1 to ceil(n/k) + 1 times, and exactly n/k times if k divides n. The draw of an
 * axis depends on the seed and its own key only, so that another axis changes nothing about it.
 *
 * Use: latin_hypercube. Source: McKay, Beckman, Conover, "A comparison of three methods for selecting values of input
 * variables", Technometrics 1979. */

/* Levels of one axis: `picked` receives `points` numbers below `levels`; fewer than 2^32 points, at least one level. */
void latin_hypercube(uint64_t seed, const char *key, size_t points, size_t levels, uint32_t *picked);

/* Models of the cores as an axis of a sweep: `rubato sweep --model elastic,window,detailed`.
 *
 * Use: models_add after spec_read makes the axis cpu.model; models_check once the traces are open; models_fit for each
 * choice. A model that a trace is not made for is left out for that trace: window needs elastic traces, detailed
 * instruction traces. An elastic trace whose `instructions` are named has both: the same run as an instruction trace,
 * a twin, is a workload of the same name, which runs with the model detailed alone. */

#define MODELS_KEY "cpu.model"

/* list: names joined by commas. FAULT_INPUT: one is none of the three, is given twice, or the file has the key. */
struct fault models_add(struct spec *spec, const char *list);
/* FAULT_INPUT: a model of the axis fits none of the sweep's traces, or a twin is none. */
struct fault models_check(const struct spec *spec, const struct workload *workloads);
/* Without such an axis all fit but twins. */
bool models_fit(const struct spec *spec, const uint32_t *levels, const struct workload *workloads, size_t workload);

#endif
