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
 *     skip: l2.size < 4 * l1d.size          # or a list; sweep/plan/condition.h
 *     sample: {points: 100, seed: 1}        # a Latin hypercube instead of all combinations
 *     kernels: 3-7,9                        # of a GPU's list, counted from 1; or a list
 *     engine: plain                         # as `rubato replay --engine`; fast unless said otherwise
 *     latency: IntMult=3,IntDiv=20          # of instruction traces, as `rubato replay --latency`
 *     sync: free                            # likewise
 *     alone: yes                            # also each program alone: weighted_speedup, fairness and so on
 *     restart: yes                          # programs start again until the last has ended
 *     warmup: 10000, records: 100000, until: 5ms, tick_scale: 1    # as `rubato replay` has them
 *
 * An engine changes no result, so it is no part of what a point is known by: a sweep that is continued with another
 * engine runs no point again.
 *
 *     traces: {name: gups, traces: gups, instructions: gups.rbt}      # for --model (sweep/plan/models.h)
 *
 * Traces: a folder or a store for all cores, a list with one for each core, GPU kernels beside them; relative paths
 * are taken from the file's folder, else from the working folder. Systems are found as config_load finds them.
 *
 * Use: spec_read, then plan_make (sweep/plan/plan.h). Ownership: all that a spec points at is its own, freed by
 * spec_free. Faults name file and line; a key that no configuration has is refused with the nearest one, and so is a
 * value that its key cannot take. */
#ifndef SWEEP_PLAN_SPEC_H
#define SWEEP_PLAN_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/fault.h"
#include "replay/config/config.h"
#include "replay/session/session.h"
#include "sweep/plan/condition.h"

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
    bool is_twin;                        /* of that, one more workload of the same name; only for sweep/plan/models.h */
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
    bool has_models;                     /* the last axis is that of sweep/plan/models.h */
    const struct condition **skips;
    size_t skip_count;
    uint64_t sample_points, sample_seed; /* 0 points: all combinations */
    struct session_limits limits;
    bool runs_alone;
    struct engine_options engine;
    struct workload_options reading;     /* of instruction traces */
    struct arena arena;
};

struct fault spec_read(struct spec **made, const char *path);
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

#endif
