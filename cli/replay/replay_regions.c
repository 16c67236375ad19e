#include "cli/replay/replay_regions.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "base/json.h"
#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/output.h"
#include "cli/common/progress.h"
#include "replay/config/config_values.h"
#include "sweep/run/region_point.h"
#include "sweep/run/region_runs.h"

#define CONFIDENCE 95.0

/* Metrics that the summary shows without --all. */
static const char *const usual[] = {
    "time_ms", "gpu.warp_insts", "gpu.l1_hit_rate", "gpu.l2_hit_rate", "gpu.gb_s", "gpu.occupancy", "cpi", "ipc",
    "branch.mpki", "l1i.mpki", "l1d.mpki", "l2.mpki", "l3.mpki", "mem.read_gb_s",
    "mem.write_gb_s", "mem.row_hit_rate", "mem.latency_ns", "mem.energy_mj", "energy.total_mj",
    "energy.nj_inst"
};

bool replay_is_of_regions(const struct replay_request *request)
{
    return request->folder_count == 1 && region_set_is_file(request->folders[0]);
}

/* An option that is for runs as a whole; NULL: none was given. */
static const char *option_of_whole_runs(const struct replay_request *request)
{
    const struct { bool is_given; const char *name; } options[] = {
        {request->log != NULL, "log"}, {request->where.by != WHERE_NOWHERE, "by"},
        {request->accesses.level != NULL, "accesses"}, {request->accesses.optimal != NULL, "optimal"},
        {request->runs_alone, "alone"},
        {request->limits.restarts, "restart"}, {request->limits.warmup_records > 0, "warmup"},
        {request->limits.max_records > 0, "records"}, {request->reading.insn.skipped > 0, "skip"},
        {request->limits.until_ps != session_no_limits().until_ps, "until"}, {request->interval_ps > 0, "interval"},
        {request->limits.instructions > 0, "instructions"},
        {sampling_is_wanted(&request->sampling), "record, --publish or --view"},
        {request->sampling.commands != NULL, "commands"}, {request->counts_pcs, "per-instruction"},
        {request->limits.kernels.count > 0, "kernels"},
        {listeners_option(&request->listeners) != NULL, listeners_option(&request->listeners)}
    };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            return options[i].name;
    return NULL;
}

/* The statistics of a file's ending have no place for intervals but JSON's. */
static const char *stats_of_other_form(const struct replay_request *request)
{
    for (size_t i = 0; i < request->stats_count; i++)
        if (!text_ends_in(request->stats[i], ".json"))
            return request->stats[i];
    return NULL;
}

static int check_regions(const struct replay_request *request, const struct system_config *config,
                         const struct region_set *set)
{
    const char *const option = option_of_whole_runs(request);
    enum region_warm_method method = REGION_WARM_USUAL;
    struct fault fault;

    if (option)
        return cli_fail_text("--%s is not for regions; leave it out", option);
    if (stats_of_other_form(request))
        return cli_fail_text("--stats %s: statistics of regions are JSON; give a name that ends in .json",
                             stats_of_other_form(request));
    if (request->warm && !region_warm_find(request->warm, &method))
        return cli_fail_text("--warm %s; expected kept, functional, detailed or none", request->warm);
    if (request->confidence != 0 && (request->confidence >= 100 || request->confidence < 50))
        return cli_fail_text("--confidence %g; expected a percentage from 50 to below 100, such as 95",
                             request->confidence);
    fault = region_runs_check(set, request->folders[0], config, method);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

/* ---- the run */
static enum region_warm_method warm_method(const struct replay_request *request)
{
    enum region_warm_method method = REGION_WARM_USUAL;

    if (request->warm)
        region_warm_find(request->warm, &method);
    return method;
}

struct watched { struct progress progress; size_t count; };

static bool show_regions(void *context, size_t done)
{
    struct watched *const watched = context;

    progress_show(&watched->progress, done, PROGRESS_NO_TIME, (double)done / (double)watched->count);
    return interrupt_came();
}

static struct fault run_regions(const struct replay_request *request, const struct system_config *config,
                                const struct region_set *set, struct estimate *estimate)
{
    const char *const path = request->folders[0];
    char *const trace = region_set_trace_path(set, path);
    long const processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct watched watched = {.count = set->count};
    struct region_runs_request const wanted = {
        .config = config, .set = set, .trace = trace, .reading = &request->reading, .engine = request->engine,
        .jobs = request->jobs > 0 ? (size_t)request->jobs : (size_t)(processors > 1 ? processors : 1),
        .warm = warm_method(request),
        .confidence = (request->confidence > 0 ? request->confidence : CONFIDENCE) / 100,
        .is_interrupted = show_regions, .context = &watched};
    struct fault fault = trace ? region_set_check_trace(set, path, trace) : fault_memory(path, NULL);

    *estimate = (struct estimate){.set = set};
    if (fault.kind == FAULT_NONE) {
        progress_start(&watched.progress);
        watched.progress.what = "regions";
        watched.progress.is_shown &= !request->is_quiet;
        interrupt_listen();
        fault = region_runs(&wanted, estimate);
        progress_end(&watched.progress);
    }
    free(trace);
    return fault;
}

/* ---- what is said of it */
static bool is_usual(const char *name)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(name, usual[i]) == 0)
            return true;
    return false;
}

/* As many digits as the interval leaves certain, and one more. */
static int digits_of(const struct estimated *metric)
{
    double const least = isnan(metric->half) || metric->half <= 0 ? fabs(metric->value) / 1000 : metric->half / 10;
    int digits = least > 0 ? (int)-floor(log10(least)) : 0;

    if (digits < 0)
        digits = 0;
    return digits < 6 ? digits : 6;
}

static void print_metric(const struct estimated *metric)
{
    int const digits = digits_of(metric);

    printf("%-18s %14.*f", metric->name, digits, metric->value);
    if (!isnan(metric->half))
        printf(" ± %.*f", digits, metric->half);
    printf("%s%s\n", *metric->metric->unit ? " " : "", metric->metric->unit);
}

static bool has_warmup(const struct region_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->regions[i].warmup > 0)
            return true;
    return false;
}

static const char *begun_as(const struct region_set *set, enum region_warm_method method)
{
    static const char *const begun[] = {
        [REGION_WARM_KEPT] = "warm, with what is kept for each region",
        [REGION_WARM_FUNCTIONAL] = "warm, after a walk over all before each region",
        [REGION_WARM_DETAILED] = "cold, with the detailed warm-up of each region",
        [REGION_WARM_NONE] = "cold"};

    if (!set->is_of_kernels)
        return begun[method];
    return method != REGION_WARM_NONE && has_warmup(set) ? "warm, behind the launches before each" : "cold";
}

static void print_estimate(const struct replay_request *request, const struct system_config *config,
                           const struct estimate *estimate, double confidence, double host_s)
{
    const struct region_set *const set = estimate->set;
    enum region_warm_method const method = region_warm_of(set, warm_method(request));

    printf("system        %s\n", config_name(config));
    if (set->is_of_kernels)
        printf("regions       %zu launches of kernels, %s, for %" PRIu64 " warp instructions\n", set->count,
               region_method_name(set->method), set->instructions);
    else
        printf("regions       %zu of %" PRIu64 " instructions, %s, for %" PRIu64 " instructions\n", set->count,
               set->interval, region_method_name(set->method), set->instructions);
    printf("begun         %s\n", begun_as(set, method));
    printf("replayed in   %.3f s, %.1f million of these a second\n", host_s,
           1e-6 * (double)set->instructions / host_s);
    if (estimate->has_intervals)
        printf("intervals     %g %% confidence\n\n", confidence);
    else
        printf("intervals     none: of a phase with one region it is not known how much its intervals differ;\n"
               "              `rubato regions --method stratified` gives them\n\n");
    for (size_t i = 0; i < estimate->metric_count; i++)
        if (request->shows_all || is_usual(estimate->metrics[i].name))
            print_metric(&estimate->metrics[i]);
}

static int write_estimate(const struct replay_request *request, const struct system_config *config,
                          const struct estimate *estimate, double confidence)
{
    const char *const path = request->summary;
    FILE *const file = cli_output_open(path);
    const struct region_set *const set = estimate->set;
    struct json json = {.file = file};

    if (!file)
        return CLI_BAD_INPUT;
    json_begin_object(&json, JSON_LINES(1, 0));
    json_put_string(&json, "system", config_name(config));
    json_put_object(&json, "regions", JSON_LINES(2, 1));
    json_put_string(&json, "method", region_method_name(set->method));
    json_put_number(&json, "regions", set->count);
    json_put_string(&json, "warm", region_warm_name(region_warm_of(set, warm_method(request))));
    json_put_number(&json, "interval", set->interval);
    json_put_number(&json, "instructions", set->instructions);
    json_key(&json, "confidence_percent");
    json_write_real(&json, estimate->has_intervals ? confidence : (double)NAN, 6);
    json_end(&json);
    json_put_object(&json, "metrics", JSON_LINES(2, 1));
    for (size_t i = 0; i < estimate->metric_count; i++) {
        json_key(&json, estimate->metrics[i].name);
        json_write_real(&json, estimate->metrics[i].value, 9);
    }
    json_end(&json);
    json_put_object(&json, "intervals", JSON_LINES(2, 1));
    for (size_t i = 0; estimate->has_intervals && i < estimate->metric_count; i++) {
        json_key(&json, estimate->metrics[i].name);
        json_write_real(&json, estimate->metrics[i].half, 4);
    }
    json_end(&json);
    json_end(&json);
    if (!json_close(&json)) {
        cli_output_discard(file);
        return cli_fail_text("%s: out of memory", path);
    }
    return cli_output_close(file, path) ? CLI_OK : CLI_BAD_INPUT;
}

/* As a point of a sweep has them, so that `rubato diff` compares two such files region by region. */
static int write_statistics(const char *path, const struct estimate *estimate, double confidence)
{
    FILE *const file = cli_output_open(path);
    struct fault fault;

    if (!file)
        return CLI_BAD_INPUT;
    fault = region_point_write(estimate, confidence, file);
    if (fault.kind == FAULT_NONE)
        return cli_output_close(file, path) ? CLI_OK : CLI_BAD_INPUT;
    cli_output_discard(file);
    return cli_fail(fault);
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int replay_regions(const struct replay_request *request, const struct system_config *config)
{
    double const confidence = request->confidence > 0 ? request->confidence : CONFIDENCE, start_s = now_s();
    struct estimate estimate = {0};
    struct region_set set = {0};
    struct fault fault = region_set_read(&set, request->folders[0]);
    int code = fault.kind == FAULT_NONE ? check_regions(request, config, &set) : CLI_OK;

    if (code != CLI_OK) {
        region_set_free(&set);
        return code;
    }
    if (fault.kind == FAULT_NONE)
        fault = run_regions(request, config, &set, &estimate);
    if (fault.kind == FAULT_NONE && !request->is_quiet)
        print_estimate(request, config, &estimate, confidence, now_s() - start_s);
    if (fault.kind == FAULT_NONE && request->summary)
        code = write_estimate(request, config, &estimate, confidence);
    for (size_t i = 0; i < request->stats_count && fault.kind == FAULT_NONE && code == CLI_OK; i++)
        code = write_statistics(request->stats[i], &estimate, confidence);
    estimate_free(&estimate);
    region_set_free(&set);
    if (interrupt_came())
        return interrupt_exit_code();
    return fault.kind == FAULT_NONE ? code : cli_fail(fault);
}
