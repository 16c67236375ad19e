#include "sweep/run/region_point.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "replay/config/config_values.h"
#include "replay/record/stats_json.h"
#include "sweep/results/sample.h"
#include "sweep/run/region_runs.h"

/* ---- the workload */
static struct fault no_memory_for(const char *path)
{
    return fault_memory(path, NULL);
}

/* The trace's path is the workload's own, behind its pointer. */
static struct fault find_trace(struct workload *workload, const char *name, const char *path,
                               const struct workload_options *options, struct region_set *set)
{
    char *const trace = region_set_trace_path(set, path);
    struct fault fault = trace ? region_set_check_trace(set, path, trace) : no_memory_for(path);

    if (fault.kind == FAULT_NONE) {
        free(set->trace);
        set->trace = trace;              /* where it is, which the set keeps as long as the workload is open */
        fault = workload_find(workload, name, (const char *const *)&set->trace, 1, options);
    } else {
        free(trace);
    }
    if (fault.kind == FAULT_NONE && !(set->is_of_kernels ? workload_kernels(workload) != NULL
                                                         : workload_detail(workload) == SOURCE_EXECUTED))
        fault = fault_at(path, FAULT_NO_OFFSET, "%.300s is no %s, which regions are of", set->trace,
                         set->is_of_kernels ? "list of kernels" : "instruction trace");
    return fault;
}

/* Of regions that have their own. False: out of memory. */
static bool list_traces(struct workload *workload)
{
    const struct region_set *const set = workload->regions;

    workload->regions_traces = calloc(set->count + 1, sizeof *workload->regions_traces);
    for (size_t i = 0; workload->regions_traces && i < set->count; i++)
        if (set->regions[i].trace)
            workload->regions_traces[workload->regions_trace_count++] = set->regions[i].trace;
    return workload->regions_traces != NULL;
}

struct fault region_workload_warm(struct workload *workload, const char *name)
{
    enum region_warm_method method = REGION_WARM_USUAL;

    if (name && !region_warm_find(name, &method))
        return fault_make(FAULT_INPUT, "warm: %.60s; expected kept, functional, detailed or none", name);
    method = region_warm_of(workload->regions, method);
    workload->regions_warm = region_warm_name(method);
    workload->regions_states = method == REGION_WARM_KEPT ? workload->regions->states : NULL;
    return fault_none();
}

static struct fault check_alone(const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count && count > 1; i++)
        if (region_set_is_file(paths[i]))
            return fault_at(paths[i], FAULT_NO_OFFSET, "regions run alone; leave out the traces beside them");
    return fault_none();
}

struct fault region_workload_find(struct workload *workload, const char *name, const char *const *paths, size_t count,
                                  const struct workload_options *options)
{
    struct region_set *set;
    struct fault fault;

    *workload = (struct workload){.name = name};
    FORWARD(check_alone(paths, count));
    if (count != 1 || !region_set_is_file(paths[0]))
        return workload_find(workload, name, paths, count, options);
    set = calloc(1, sizeof *set);
    if (!set)
        return no_memory_for(paths[0]);
    fault = region_set_read(set, paths[0]);
    if (fault.kind == FAULT_NONE)
        fault = find_trace(workload, name, paths[0], options, set);
    workload->regions = set;
    workload->regions_path = paths[0];
    if (fault.kind == FAULT_NONE && !list_traces(workload))
        fault = no_memory_for(paths[0]);
    return fault.kind == FAULT_NONE ? region_workload_warm(workload, NULL) : fault;
}

void region_workload_close(struct workload *workload)
{
    struct region_set *const set = workload->regions;

    free(workload->regions_traces);
    workload_close(workload);
    if (set)
        region_set_free(set);
    free(set);
}

struct fault region_workload_check(const struct workload *workload, const struct session_limits *limits,
                                   const char *extra)
{
    const char *const given = !workload->regions ? NULL : limits->warmup_records ? "warmup"
                              : limits->max_records ? "records" : limits->instructions ? "instructions"
                              : limits->restarts ? "restart"
                              : limits->kernels.count ? "kernels" : extra ? extra
                              : limits->until_ps != session_no_limits().until_ps ? "until" : NULL;

    return given ? fault_at(workload->regions_path, FAULT_NO_OFFSET, "regions have lengths and warm-ups of their own; "
                            "leave out %s", given)
                 : fault_none();
}

static size_t regions_of(const struct region_set *set, uint32_t stratum)
{
    size_t count = 0;

    for (size_t i = 0; i < set->count; i++)
        count += set->regions[i].stratum == stratum;
    return count;
}

struct fault region_workload_check_until(const struct workload *workload)
{
    const struct region_set *const set = workload->regions;
    bool has_intervals = set->method != REGIONS_GIVEN;

    for (uint32_t i = 0; i < set->stratum_count; i++)
        has_intervals &= regions_of(set, i) >= 2 || regions_of(set, i) >= set->strata[i].intervals;
    return has_intervals
        ? fault_none() : fault_at(workload->regions_path, FAULT_NO_OFFSET, "one region of a phase says nothing of its "
                                  "error, so none can be reached; choose regions anew with `rubato regions --method "
                                  "stratified`, more than are needed");
}

uint64_t region_workload_instructions(const struct workload *workload)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < workload->regions->count; i++)
        sum += workload->regions->regions[i].instructions
               + (workload->regions->is_of_kernels ? 0 : workload->regions->regions[i].warmup);
    return sum;
}

/* ---- which regions */
struct drawn { uint64_t order; size_t region; };

static int by_order(const void *a, const void *b)
{
    const struct drawn *const one = a, *const other = b;

    if (one->order != other->order)
        return one->order < other->order ? -1 : 1;
    return (one->region > other->region) - (one->region < other->region);
}

/* An order at random that is the same for each system, so that points have regions in common. */
static size_t choose_of_stratum(const struct region_set *set, uint32_t stratum, double share, struct drawn *list,
                                bool *wanted)
{
    size_t count = 0, taken;

    for (size_t i = 0; i < set->count; i++)
        if (set->regions[i].stratum == stratum) {
            const uint64_t key[] = {set->trace_hash, i};

            list[count++] = (struct drawn){hash64(key, sizeof key), i};
        }
    qsort(list, count, sizeof *list, by_order);
    taken = (size_t)ceil(share * (double)count);
    taken = taken < 2 ? 2 : taken;
    taken = taken > count ? count : taken;
    for (size_t i = 0; i < taken; i++)
        wanted[list[i].region] = true;
    return taken;
}

size_t region_point_choose(const struct region_set *set, size_t regions, bool *wanted)
{
    double const share = regions == 0 || regions >= set->count ? 1 : (double)regions / (double)set->count;
    struct drawn *const list = malloc(set->count * sizeof *list);
    size_t count = 0;

    memset(wanted, 0, set->count * sizeof *wanted);
    for (uint32_t i = 0; list && i < set->stratum_count; i++)
        count += choose_of_stratum(set, i, share, list, wanted);
    free(list);
    return count;
}

/* ---- the point */
#define SECONDS_A_TICK 1e-12

struct member { FILE *figures; bool is_first; double ticks; };

static void put_statistic(void *context, const char *name, double value)
{
    struct member *const member = context;
    bool const is_time = strcmp(name, "simTicks") == 0;        /* whole ones */

    stats_json_member(member->figures, member->is_first, name, is_time ? rint(value) : value);
    member->is_first = false;
    if (is_time)
        member->ticks = rint(value);
}

struct fault region_point_write(const struct estimate *estimate, double confidence_percent, FILE *figures)
{
    struct member member = {figures, true, 0};

    fputc('{', figures);
    FORWARD(estimate_visit(estimate, put_statistic, &member));
    put_statistic(&member, "simSeconds", SECONDS_A_TICK * member.ticks);
    sample_write(figures, estimate, confidence_percent);
    fputs("\n}\n", figures);
    return fflush(figures) == 0 && !ferror(figures) ? fault_none()
                                                    : fault_make(FAULT_MEMORY, "out of memory for the figures");
}

struct fault region_point_check(const struct workload *workload, const struct system_config *config)
{
    enum region_warm_method warm = REGION_WARM_USUAL;

    if (!workload->regions)
        return fault_none();
    region_warm_find(workload->regions_warm, &warm);
    return region_runs_check(workload->regions, workload->regions_path, config, warm);
}

static struct fault load_kept(const struct region_point *point, struct estimate *estimate)
{
    FILE *const file = point->kept ? fopen(point->kept, "r") : NULL;
    struct fault fault;

    if (!file)
        return fault_none();
    fault = estimate_load(estimate, file);
    fclose(file);
    return fault;
}

static struct fault save_kept(const struct region_point *point, const struct estimate *estimate)
{
    FILE *const file = point->kept ? fopen(point->kept, "w") : NULL;
    bool good = !point->kept || (file && estimate_save(estimate, file));

    if (file)
        good = fclose(file) == 0 && good;
    return good ? fault_none() : fault_make(FAULT_STALL, "%s: cannot be written: %s; name a folder with room in the "
                                            "environment's TMPDIR", point->kept, strerror(errno));
}

static struct fault run_wanted(const struct region_point *point, struct region_runs_request *wanted,
                               struct estimate *estimate)
{
    bool *const chosen = calloc(wanted->set->count, sizeof *chosen);
    struct fault fault = chosen && region_point_choose(wanted->set, point->regions, chosen) > 0
                             ? load_kept(point, estimate) : fault_make(FAULT_MEMORY, "out of memory for regions");

    wanted->wanted = chosen;
    if (fault.kind == FAULT_NONE)
        fault = region_runs_add(wanted, estimate);
    if (fault.kind == FAULT_NONE)
        fault = save_kept(point, estimate);
    free(chosen);
    return fault;
}

struct fault region_point_run(const struct region_point *point, FILE *figures)
{
    const struct workload *const workload = point->workload;
    struct estimate estimate = {.set = workload->regions};
    enum region_warm_method warm = REGION_WARM_USUAL;
    struct region_runs_request wanted = {
        .config = point->config, .set = workload->regions, .trace = workload->regions->trace,
        .reading = &workload->options, .engine = point->engine, .jobs = point->jobs,
        .confidence = point->confidence / 100};
    struct fault fault;

    FORWARD(region_point_check(workload, point->config));
    region_warm_find(workload->regions_warm, &warm);
    wanted.warm = warm;
    fault = estimate_begin(&estimate, workload->regions);
    if (fault.kind == FAULT_NONE)
        fault = run_wanted(point, &wanted, &estimate);

    if (fault.kind == FAULT_NONE)
        fault = region_point_write(&estimate, point->confidence, figures);
    estimate_free(&estimate);
    return fault;
}
