/* rubato sweep: reads the arguments and the sweep's file, opens traces and results, runs the points. */
#include "cli/sweep/sweep.h"
#include "cli/sweep/report.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/host_facts.h"
#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/common/shown.h"
#include "cli/model_digest.h"
#include "cli/options/options.h"
#include "cli/sweep/designs.h"
#include "cli/plugin/module_signals.h"
#include "sweep/plan/spec.h"

static bool take_jobs(void *jobs, struct cli_parser *parser);
static bool take_report(void *report, struct cli_parser *parser);
static bool take_points(void *points, struct cli_parser *parser);
static bool take_shard(void *request, struct cli_parser *parser);
static bool sweep_take_operand(void *request, struct cli_parser *parser);

static const struct cli_option options[] = {
    {"output", "FILE", "the result file, also -o (default: the sweep's name and .db)",
     CLI_INTO(TEXT, sweep_request, output)},
    {"jobs", "N", "workers, also -j (default: all cores that may be used)", CLI_CALL(sweep_request, jobs, take_jobs)},
    {"dry-run", NULL, "print axes, ten points and an estimate, try each system and trace, and run\n"
     "nothing; with --on, print the job", CLI_INTO(SWITCH, sweep_request, is_dry)},
    {"all", NULL, "--dry-run: print all points", CLI_INTO(SWITCH, sweep_request, shows_all)},
    {"axes", NULL, "print the axes with all their values as JSON, and run nothing",
     CLI_INTO(SWITCH, sweep_request, shows_axes)},
    {"designs", "FILE", "run these combinations alone: a table whose first line names axes, each further line\n"
     "a value of each, between tabs or commas", CLI_INTO(TEXT, sweep_request, designs)},
    {"progress", "TIME", "between lines that say how far it is, where stderr is no terminal (default 10s)",
     CLI_INTO(TIME, sweep_request, progress_ps)},
    {"report", "FILE", "in the end write the page of `rubato report` there; while it runs, `rubato report\n"
     "RESULTS.db --serve 0` shows it", CLI_CALL(sweep_request, report, take_report)},
    {"retry", NULL, "run points again that failed, or that are damaged in the result file",
     CLI_INTO(SWITCH, sweep_request, retries)},
    {"shard", "I/N", "run every Nth point, from the Ith on, into a file beside the result file",
     CLI_WHOLE(take_shard)},
    {"on", "slurm", "submit the shards as an array job", CLI_INTO(TEXT, sweep_request, scheduler)},
    {"shards", "N", "--on: how many tasks (default: 16, or as many as points)",
     CLI_CALL(sweep_request, shards, take_points)},
    {"throttle", "N", "--on: at most N tasks at a time", CLI_CALL(sweep_request, throttle, take_points)},
    {"partition", "NAME", "--on: the partition they run in", CLI_INTO(TEXT, sweep_request, partition)},
    {"time", "LIMIT", "--on: time limit of a task, as sbatch takes it", CLI_INTO(TEXT, sweep_request, time)},
    {"sbatch", "OPTION", "--on: one more option of sbatch, such as --account=x; may be repeated",
     CLI_APPEND(sweep_request, sbatch, sbatch_count)},
    {"collect", NULL, "merge the shards' files into the result file", CLI_INTO(SWITCH, sweep_request, collects)},
    {"model", "LIST", "run each point with these models of its cores, joined by commas: elastic,\n"
     "window, detailed; the axis cpu.model, where each trace gets the models that it is made for",
     CLI_INTO(TEXT, sweep_request, models)},
    {"confidence", "PERCENT", "of the intervals of traces that are regions (default 95)",
     CLI_INTO(TEXT, sweep_request, confidence)},
    {"warm", "METHOD", "how regions begin, as in rubato replay: kept, functional, detailed, none; of whole\n"
     "traces with warmup: functional, detailed",
     CLI_INTO(TEXT, sweep_request, warm)},
    {"until-error", "SHARE%", "of such traces, run a quarter of the regions, and add further ones until the\n"
     "interval of a point's time is that narrow, such as 0.5%; or another point is faster for sure",
     CLI_INTO(TEXT, sweep_request, until_error)},
    {"cache", "DIR", "keep stores of traces there (default: ~/.cache/rubato or $XDG_CACHE_HOME/rubato)",
     CLI_INTO(TEXT, sweep_request, cache)},
    {"no-cache", NULL, "read the trace files themselves, and keep no store",
     CLI_INTO(SWITCH, sweep_request, has_no_cache)},
    {"verify", NULL, "use a store only if the trace files, read whole, are those that it was made of",
     CLI_INTO(SWITCH, sweep_request, verifies)},
    {MODULE_LIMIT_CLI_OPTION, CLI_INTO(TIME, sweep_request, module_limit_ps)},
    {"crash-point", "N", "for tests: the worker that is given point N aborts",
     CLI_CALL(sweep_request, crash_point, take_points)},
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato sweep SPEC.yaml [-j N] [-o RESULTS.db] [--dry-run] [--shard I/N]\n"
                "rubato sweep SPEC.yaml --on slurm [--shards N] [--throttle N] [--partition NAME] [--time LIMIT]\n"
                "rubato sweep SPEC.yaml --collect [-o RESULTS.db]",
    .about = "Replays traces on many systems. SPEC.yaml names a base system, traces, and axes over any keys of the\n"
             "configuration (sweep/plan/spec.h; configs/sweep/first.yaml is an example). Results go into one SQLite\n"
             "file; a point that is in it is not run again, so an interrupted or killed sweep continues where it was.",
    .options = options, .take_operand = sweep_take_operand,
    .notes = "engine: plain or fast in SPEC.yaml says how points run, as --engine of `rubato replay` does. It\n"
             "changes no result, so finished points are not run again with another engine.\n"
             "`rubato results RESULTS.db` lists and exports. Shards: any scheduler, or GNU parallel over ssh, may\n"
             "call --shard I/N; --collect merges on one host. Ctrl-C stops, and keeps what was finished.\n"
             "Exit code: 0, 2 for wrong input or results that cannot be written, 3 if points failed or are missing."};

#define VERSION RUBATO_VERSION "+" RUBATO_MODEL_DIGEST

/* Answered between points. */
static volatile sig_atomic_t signal_caught;

static void catch_signal(int number)
{
    signal_caught = number;
}

/* ---- arguments */

static bool take_size(struct cli_parser *parser, size_t most, size_t *size)
{
    uint64_t count;

    if (!cli_parse_count(parser, &count))
        return false;
    *size = (size_t)count;
    if (count >= 1 && count <= most)
        return true;
    cli_usage_error(&usage, "--%s %s: give 1 to %zu", parser->option, parser->value, most);
    return false;
}

static bool take_jobs(void *jobs, struct cli_parser *parser)
{
    return take_size(parser, RUNNER_MAX_WORKERS, jobs);
}

static bool take_points(void *points, struct cli_parser *parser)
{
    return take_size(parser, PLAN_MAX_POINTS, points);
}

static bool take_shard(void *field, struct cli_parser *parser)
{
    struct sweep_request *const request = field;
    const char *const value = parser->value, *const slash = strchr(value, '/');
    uint64_t shard = 0, count = 0;
    char first[40] = "";

    if (slash && (size_t)(slash - value) < sizeof first)
        memcpy(first, value, (size_t)(slash - value));
    if (!slash || count_parse(first, &shard) || count_parse(slash + 1, &count) || shard == 0 || shard > count
        || count > PLAN_MAX_POINTS) {
        cli_usage_error(&usage, "--shard %s: expected I/N with I from 1 to N, such as 3/8", value);
        return false;
    }
    request->shard = shard;
    request->shard_count = count;
    return true;
}

static bool sweep_take_operand(void *field, struct cli_parser *parser)
{
    struct sweep_request *const request = field;

    if (request->spec)
        cli_usage_error(&usage, "%s: only one sweep file can be given", parser->value);
    else
        request->spec = parser->value;
    return request->spec == parser->value;
}

/* Options that make no sense together, and those of --on without it. NULL: none. */
static bool take_report(void *report, struct cli_parser *parser)
{
    *(const char **)report = parser->value;
    return cli_output_fits(parser->value, "an HTML page", "html htm");
}

static const char *conflict(const struct sweep_request *request)
{
    bool const has_job_options = request->shards || request->throttle || request->partition || request->time
                              || request->sbatch_count;

    if (request->scheduler && strcmp(request->scheduler, "slurm") != 0)
        return "--on knows slurm; other schedulers can call `rubato sweep SPEC.yaml --shard I/N`";
    if (has_job_options && !request->scheduler)
        return "--shards, --throttle, --partition, --time and --sbatch are options of --on slurm; add it";
    if ((request->scheduler != NULL) + (request->shard_count > 0) + request->collects > 1)
        return "--on, --shard and --collect are three different jobs; give one of them";
    if (request->report && (request->scheduler || request->shard_count || request->is_dry))
        return "--report is for a sweep that runs here as a whole; with shards give it to --collect";
    if (request->designs && request->scheduler)
        return "--designs is for a sweep that runs here; leave out --on";
    if (request->shows_all && (!request->is_dry || request->scheduler))
        return "--all is for --dry-run, which otherwise prints ten points; add --dry-run without --on";
    return NULL;
}

static bool sweep_parse(struct sweep_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    *request = (struct sweep_request){.spec = NULL};
    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
    request->workers = request->jobs ? request->jobs : host_cores();
    if (!request->spec)
        *code = cli_usage_error(&usage, "no sweep file was given; try configs/sweep/first.yaml");
    else if (conflict(request))
        *code = cli_usage_error(&usage, "%s", conflict(request));
    else
        return true;
    return false;
}

/* ---- files */

/* RESULTS.db, and beside it the folder RESULTS.shards with a file for each shard. */
static int name_files(struct sweep_session *session)
{
    struct sweep_request const *const request = session->request;
    const char *const slash = strrchr(request->spec, '/');
    const char *const name = request->output ? request->output : slash ? slash + 1 : request->spec;
    const char *const ending = request->output ? ".db" : ".yaml";
    size_t length = strlen(name);
    int written;

    if (request->output && !cli_output_fits(request->output, "an SQLite file", "db sqlite sqlite3"))
        return CLI_BAD_INPUT;
    if (length > strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0)
        length -= strlen(ending);
    if (length + 64 > sizeof session->output)
        return cli_fail_text("%.80s...: the path is too long", name);
    snprintf(session->output, sizeof session->output, "%s", request->output ? request->output : "");
    if (!request->output)
        snprintf(session->output, sizeof session->output, "%.*s.db", (int)length, name);
    snprintf(session->shards, sizeof session->shards, "%.*s.shards", (int)length, name);
    written = snprintf(session->shard_file, sizeof session->shard_file, "%s/%zu-of-%zu.db", session->shards,
                       request->shard, request->shard_count);
    if (written >= (int)sizeof session->shard_file)
        return cli_fail_text("%.80s...: the path is too long", name);
    if (request->shard_count && !request->is_dry && mkdir(session->shards, 0777) != 0 && errno != EEXIST)
        return cli_fail_text("%s: cannot be created: %s", session->shards, strerror(errno));
    return CLI_OK;
}

static const char *result_file(const struct sweep_session *session)
{
    return session->request->shard_count ? session->shard_file : session->output;
}

/* ---- the run */
static struct fault take_sampling(struct spec *spec, const struct sweep_request *request)
{
    if (request->confidence && !spec_confidence(request->confidence, &spec->confidence))
        return fault_make(FAULT_INPUT, "--confidence %s; expected %s", request->confidence, SPEC_CONFIDENCE_EXPECTED);
    spec->warm = request->warm ? request->warm : spec->warm;
    spec->limits.warms_at_once = spec->warm && spec->limits.warmup_records && strcmp(spec->warm, "functional") == 0;
    if (request->until_error && !spec_until_error(request->until_error, &spec->until_error))
        return fault_make(FAULT_INPUT, "--until-error %s; expected %s", request->until_error,
                          SPEC_UNTIL_ERROR_EXPECTED);
    if (spec->until_error > 0 && (request->shard_count || request->scheduler || request->collects))
        return fault_make(FAULT_INPUT, "an error to reach (until_error) compares all points, which shards cannot; "
                          "leave it out, or run the sweep on one host");
    return fault_none();
}

/* Regions are what there are more of. */
static struct fault check_sampling(const struct spec *spec, const struct workload *workloads)
{
    bool has_regions = spec->until_error == 0;

    for (size_t i = 0; i < spec->workload_count; i++)
        has_regions |= workloads[i].regions != NULL;
    if (has_regions)
        return fault_none();
    return fault_make(FAULT_INPUT, "--until-error is for traces that are regions, and %s has none; `rubato regions` "
                      "makes them", spec->path);
}

int sweep_open(struct sweep_session *session)
{
    struct fault fault = spec_read(&session->spec, session->request->spec);
    int code;

    module_signals_limit(session->request->module_limit_ps);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    if (session->request->models)
        fault = models_add(session->spec, session->request->models);
    if (fault.kind == FAULT_NONE)
        fault = take_sampling(session->spec, session->request);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    code = name_files(session);
    if (code == CLI_OK)
        code = sweep_open_traces(session);
    if (code != CLI_OK)
        return code;
    fault = check_sampling(session->spec, session->workloads);
    if (fault.kind == FAULT_NONE)
        fault = models_check(session->spec, session->workloads);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

static int sweep_prepare(struct sweep_session *session)
{
    int const code = sweep_open(session);
    struct fault fault;

    if (code != CLI_OK)
        return code;
    fault = session->request->designs
        ? designs_plan(&session->plan, session->spec, session->workloads, VERSION, session->request->designs)
        : plan_make(&session->plan, session->spec, session->workloads, VERSION);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

static struct runner_request runner_request(const struct sweep_session *session, struct results *results)
{
    struct sweep_request const *const request = session->request;
    const char *const temporary = getenv("TMPDIR");

    return (struct runner_request){
        .plan = session->plan, .results = results, .workers = request->workers, .retries = request->retries,
        .shard = request->shard_count ? request->shard - 1 : 0,
        .shard_count = request->shard_count ? request->shard_count : 1,
        .crash_point = request->crash_point, .temporary = temporary && *temporary ? temporary : "/tmp"
    };
}

static bool sweep_is_there(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0;
}

static int sweep_look(const struct sweep_session *session)
{
    struct results *results = NULL;
    struct runner_tally tally;
    struct fault fault = fault_none();
    bool has_learnt = false;
    int code = CLI_OK;

    if (sweep_is_there(result_file(session)))
        fault = results_open(&results, result_file(session), RESULTS_READ);
    if (fault.kind == FAULT_NONE)
        code = sweep_print_points(session->plan, results, session->request->shows_all);
    if (fault.kind == FAULT_NONE && code == CLI_OK)
        sweep_print_regions(session->plan);
    if (fault.kind == FAULT_NONE && code == CLI_OK) {
        struct runner_request const request = runner_request(session, results);

        fault = runner_look(&request, &tally, &has_learnt);
    }
    if (fault.kind == FAULT_NONE && code == CLI_OK) {
        printf("%zu points, %zu different, %zu skipped, %zu there already", session->plan->count,
               session->plan->run_count, session->plan->skipped, tally.known);
        if (tally.known_failed)
            printf(" (%zu failed)", tally.known_failed);
        printf("; about %.1f s with %zu worker%s%s\n", tally.left_s, tally.workers, tally.workers == 1 ? "" : "s",
               has_learnt ? "" : " (a rule of thumb: none was run yet)");
    }
    results_close(results);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    return code == CLI_OK ? sweep_try_points(session) : code;
}

static bool on_progress(void *self, const struct runner_tally *tally)
{
    sweep_progress_show(self, tally);
    return signal_caught != 0;
}

void sweep_listen_to_signals(void)
{
    struct sigaction action = {.sa_handler = catch_signal, .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);            /* a file that may not grow is a fault, not a signal */
}

bool sweep_was_interrupted(void)
{
    return signal_caught != 0;
}

void sweep_end_by_signal(void)
{
    if (signal_caught)
        raise(signal_caught);
}

static int run_points(const struct sweep_session *session, struct results *results, struct runner_tally *tally)
{
    struct sweep_progress progress;
    struct runner_request request = runner_request(session, results);
    struct fault fault = results_begin(results, session->plan, session->request->retries);
    bool was_stopped = false;

    if (fault.kind == FAULT_NONE)
        fault = provenance_note(results, &session->origin.run);
    request.progress = on_progress;
    request.self = &progress;
    sweep_progress_start(&progress, session->request->progress_ps);
    if (fault.kind == FAULT_NONE)
        fault = runner_run(&request, tally, &was_stopped);
    sweep_progress_end(&progress);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    if (was_stopped)
        fprintf(stderr, "rubato: stopped; %zu of %zu points are kept, and the same command continues\n",
                tally->known + tally->done + tally->failed, tally->points);
    return CLI_OK;
}

static int sweep_run(const struct sweep_session *session)
{
    struct results *results = NULL;
    struct runner_tally tally = {.points = 0};
    struct fault fault;
    char room[CLI_QUOTED_MAX];
    size_t failed;
    int code;

    sweep_listen_to_signals();
    fault = results_open(&results, result_file(session),
                         session->request->shard_count ? RESULTS_WRITE_ALONE : RESULTS_WRITE);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    code = run_points(session, results, &tally);
    fault = results_close(results);
    if (code == CLI_OK && fault.kind != FAULT_NONE)
        code = cli_fail(fault);
    if (code != CLI_OK || signal_caught)
        return code;
    sweep_print_summary(session->plan, &tally, result_file(session));
    failed = tally.failed + tally.known_failed;
    if (failed == 0)
        return CLI_OK;
    fprintf(stderr, "rubato: %zu point%s failed; `rubato results %s --where 'state == failed'` says why\n",
            failed, failed == 1 ? "" : "s", cli_quote(result_file(session), room));
    return CLI_STALLED;
}

/* The exit code is the sweep's, unless all went well but the page. */
static int write_report(const struct sweep_session *session, int code)
{
    int const written = report_write(session->output, session->request->report);

    return code == CLI_OK ? written : code;
}

static int sweep_show_axes(const struct sweep_request *request)
{
    struct spec *spec = NULL;
    struct fault const fault = spec_read(&spec, request->spec);

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    designs_print_axes(spec);
    spec_free(spec);
    return CLI_OK;
}

int cli_sweep(int argc, char **argv)
{
    struct sweep_request request;
    struct sweep_session session = {.request = &request};
    int code;

    if (!sweep_parse(&request, argc, argv, &code))
        return code;
    if (request.shows_axes)
        return sweep_show_axes(&request);
    origin_make(&session.origin, argc, argv);
    code = sweep_prepare(&session);
    if (code == CLI_OK && request.scheduler)
        code = sweep_submit(&session);
    else if (code == CLI_OK && request.collects)
        code = sweep_collect(&session);
    else if (code == CLI_OK)
        code = request.is_dry ? sweep_look(&session) : sweep_run(&session);
    if (request.report && !signal_caught && (code == CLI_OK || code == CLI_STALLED))
        code = write_report(&session, code);
    plan_free(session.plan);
    sweep_close_traces(&session);
    spec_free(session.spec);
    origin_free(&session.origin);
    sweep_end_by_signal();
    return code;
}
