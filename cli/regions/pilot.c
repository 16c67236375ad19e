#include "cli/regions/pilot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/interrupt.h"
#include "cli/common/progress.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/regions/needed.h"
#include "replay/warm/warm_file.h"
#include "sweep/plan/spec.h"
#include "sweep/run/region_runs.h"

#define ENDING ".pilot"
#define OBJECTIVE "cpi"
#define WISH UINT64_C(0x70696c6f74)      /* tells the pilot's states from the regions' */

bool pilot_take_error(void *error, struct cli_parser *parser)
{
    if (spec_until_error(parser->value, error))
        return true;
    cli_usage_error(parser->usage, "--error %s; expected %s", parser->value, SPEC_UNTIL_ERROR_EXPECTED);
    return false;
}

static const char *system_of(const struct pilot_request *request)
{
    return request->system ? request->system : PILOT_SYSTEM;
}

static struct fault read_system(const struct pilot_request *request, struct system_config **config)
{
    const char *const settings[] = {THREAD_CORES_SETTING, "cpu.model=detailed"};
    struct fault fault;

    *config = config_new();
    if (!*config)
        return fault_memory(system_of(request), NULL);
    fault = config_read(*config, system_of(request), settings, sizeof settings / sizeof *settings);
    if (fault.kind == FAULT_NONE && !config_is_detailed(*config))
        fault = fault_at(system_of(request), FAULT_NO_OFFSET, "has no detailed cores, which count instructions; give "
                         "a --system of cores, such as " PILOT_SYSTEM);
    return fault;
}

struct fault pilot_check(const struct pilot_request *request)
{
    struct system_config *config;
    struct fault const fault = read_system(request, &config);

    free(config);
    return fault;
}

struct watched { struct progress progress; size_t count; };

static bool show_regions(void *context, size_t done)
{
    struct watched *const watched = context;

    progress_show(&watched->progress, done, PROGRESS_NO_TIME, (double)done / (double)watched->count);
    return interrupt_came();
}

static struct fault run(const struct pilot_request *request, const struct system_config *config,
                        const struct region_set *set, const struct keep_request *keep, struct estimate *estimate)
{
    long const processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct workload_options reading = workload_usual_options();
    struct watched watched = {.count = set->count};
    struct region_runs_request const wanted = {
        .config = config, .set = set, .trace = keep->trace, .reading = &reading, .engine = engine_fast(),
        .jobs = processors > 1 ? (size_t)processors : 1, .confidence = request->confidence / 100,
        .warm = keep->lines > 0 ? REGION_WARM_KEPT : REGION_WARM_DETAILED,
        .is_interrupted = show_regions, .context = &watched};
    struct fault fault;

    insn_read_format(&reading.insn, keep->format);
    progress_start(&watched.progress);
    watched.progress.what = "regions of the pilot";
    watched.progress.is_shown &= !keep->is_quiet;
    interrupt_listen();
    fault = region_runs(&wanted, estimate);
    progress_end(&watched.progress);
    return fault;
}

static void print_pilot(const struct pilot_request *request, const struct estimate *estimate, const uint64_t *regions)
{
    const struct region_set *const set = estimate->set;
    const struct estimated *const cpi = estimate_metric(estimate, OBJECTIVE);
    unsigned long long sum = 0, intervals = 0;

    for (size_t i = 0; i < set->stratum_count; i++) {
        sum += regions[i];
        intervals += set->strata[i].intervals;
    }
    printf("pilot         %zu regions on %s: " OBJECTIVE " %.4g ± %.2g %%, %g %% confidence\n", set->count,
           system_of(request), cpi->value, 100 * cpi->half / cpi->value, request->confidence);
    printf("needed        %llu regions for ± %g %%%s\n", sum, 100 * request->error,
           sum < intervals ? "" : ", all intervals; shorter ones (--interval) need fewer instructions");
}

/* With states kept for a set that has a path of its own. */
static struct fault run_kept(const struct pilot_request *request, const struct system_config *config,
                             struct region_set *set, const struct keep_request *keep, struct estimate *estimate)
{
    struct keep_request own = *keep;
    char *const path = malloc(strlen(keep->regions) + sizeof ENDING);
    struct kept kept;
    struct fault fault = path ? fault_none() : fault_memory(keep->regions, NULL);

    if (path) {
        strcpy(stpcpy(path, keep->regions), ENDING);
        own.regions = path;
        own.wish ^= WISH;
        set->states = region_set_states_path(path);
        if (!set->states)
            fault = fault_memory(path, NULL);
    }
    if (fault.kind == FAULT_NONE && keep->lines > 0)
        fault = keep_states(&own, set, &kept);
    if (fault.kind == FAULT_NONE)
        fault = run(request, config, set, keep, estimate);
    if (set->states && !interrupt_came())
        warm_file_remove(set->states);
    free(path);
    return fault;
}

struct fault pilot_run(const struct pilot_request *request, const struct block_vectors *vectors,
                       const struct choice *choice, const struct keep_request *keep, uint64_t **of_stratum)
{
    struct system_config *config = NULL;
    struct region_set set = {0};
    struct estimate estimate = {.set = &set};
    struct fault fault = read_system(request, &config);

    *of_stratum = NULL;
    if (fault.kind == FAULT_NONE && WORKS(fault, region_set_begin(&set, keep->trace))
        && WORKS(fault, choose_regions(&set, vectors, choice)))
        fault = run_kept(request, config, &set, keep, &estimate);
    if (fault.kind == FAULT_NONE) {
        *of_stratum = calloc(set.stratum_count + 1, sizeof **of_stratum);
        fault = *of_stratum ? regions_needed(&estimate, request->error, request->confidence / 100, *of_stratum)
                            : fault_memory(keep->trace, NULL);
    }
    if (fault.kind == FAULT_NONE && !keep->is_quiet && strcmp(keep->regions, "-") != 0)
        print_pilot(request, &estimate, *of_stratum);
    estimate_free(&estimate);
    region_set_free(&set);
    free(config);
    return fault;
}
