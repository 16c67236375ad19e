/* rubato compare: replay against detailed timing, from recorded runs or from replays made now. The statistics of the
 * latter take the way of a file, in memory, so that both are read alike. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "base/host_clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/macsim_options.h"
#include "cli/options.h"
#include "cli/replay/request.h"
#include "cli/store_folder.h"
#include "cli/sweep/compare_detailed.h"
#include "cli/sweep/compare_print.h"
#include "cli/sweep/sweep.h"
#include "replay/config/config.h"
#include "sweep/compare/comparison.h"
#include "sweep/run/run_point.h"

#define MAX_TRACE_FOLDERS 64
#define MAX_SYSTEMS 64
#define MAX_SETTINGS 32
#define PATH_BYTES 4096

enum {
    OPT_TRACES, OPT_SYSTEMS, OPT_BASE, OPT_RUN, OPT_DETAILED, OPT_SET, OPT_CAPTURES, OPT_TSV, OPT_LATENCY, OPT_FORMAT,
    OPT_ENGINE, OPT_CACHE, OPT_NO_CACHE, OPT_MODEL
};

static const struct cli_option options[] = {
    [OPT_TRACES] = {"traces", "DIR", "where the programs' traces are, as DIR/PROGRAM; may be repeated", CLI_NUMBERED},
    [OPT_SYSTEMS] = {"systems", "DIR", "where the systems are, as DIR/SYSTEM.yaml (default: configs/detailed)",
     CLI_NUMBERED},
    [OPT_BASE] = {"base", "SYSTEM", "what relative errors start from (default: base, else the first system)",
     CLI_NUMBERED},
    [OPT_RUN] = {"run", NULL, "replay all pairs now, and judge these replays instead of the recorded ones",
     CLI_NUMBERED},
    [OPT_DETAILED] = {"detailed", NULL, "run both sides now: detailed cores, and replays of elastic traces from them",
     CLI_NUMBERED},
    [OPT_SET] = {"set", "KEY=VALUE", "with --detailed, change one key of all systems; may be repeated", CLI_NUMBERED},
    [OPT_CAPTURES] = {"captures", "DIR", "with --detailed, keep the elastic traces as DIR/PROGRAM", CLI_NUMBERED},
    [OPT_TSV] = {"tsv", NULL, "tab-separated: a line a pair, values and a count", CLI_NUMBERED},
    [OPT_LATENCY] = {"latency", "LATENCIES", "with --run, of instruction traces: CLASS=CYCLES[,...]", CLI_NUMBERED},
    [OPT_FORMAT] = {INSN_FORMAT_OPTION, CLI_NUMBERED},
    [OPT_ENGINE] = {"engine", "ENGINE", "with --run, as in rubato replay", CLI_NUMBERED},
    [OPT_CACHE] = {"cache", "DIR", "with --run, as in rubato replay", CLI_NUMBERED},
    [OPT_NO_CACHE] = {"no-cache", NULL, "with --run, as in rubato replay", CLI_NUMBERED},
    [OPT_MODEL] = {"model", "elastic|window|detailed", "with --run, as in rubato replay; window also says\n"
                   "how far off each program may be, by what its replay does", CLI_NUMBERED},
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato compare DIR --traces DIR [--traces DIR...] [--systems DIR] [--run] [--tsv]\n"
                "rubato compare DIR [--tsv]\n"
                "rubato compare --detailed SYSTEM... --traces TRACE [--traces TRACE...] [--tsv]",
    .about = "Shows how far replays are from detailed timing. DIR holds table.tsv, a line for each pair of program\n"
             "and system, and the statistics of both runs as PROGRAM.SYSTEM.detailed.txt.gz and\n"
             "PROGRAM.SYSTEM.replay.txt.gz: gem5's stats.txt, or what rubato replay --stats wrote (.txt, .json).\n"
             "Instead of DIR any table of that form will do; its columns detailed_file and replay_file may name the\n"
             "files, or points of a sweep as RESULTS.db:POINT; detailed_ticks and replay_ticks are the final ticks,\n"
             "detailed_host_s and replay_host_s the seconds that the simulations took.\n"
             "A pair fails if its files cannot be read or do not end at the table's ticks; with --run, if our replay\n"
             "does not end at the tick of the recorded one.\n"
             "With --detailed nothing is recorded: each program runs on the detailed core of each SYSTEM; its elastic\n"
             "trace, captured once on that core above near-ideal memory, is replayed on each SYSTEM. TRACE is an\n"
             "instruction trace, or a folder of such.",
    .options = options,
    .notes = "--tsv prints PROGRAM SYSTEM detailed_ticks reference_replay_ticks our_ticks difference abs_err_pct\n"
             "rel_err_pct ok|FAILED, then values (means of the errors' magnitudes over all pairs and over those that\n"
             "are not base; Spearman's rank correlation of the systems, mean of the programs; host time of the\n"
             "detailed runs over that of the replays), then the count. - stands for what is not known.\n"
             FORMAT_LIST_NOTE "\n"
             "Exit code: 0, 1 if a pair failed, 2 for wrong input."};

struct compare_request {
    const char *table, *systems, *base, *cache;
    const char *traces[MAX_TRACE_FOLDERS];
    size_t trace_count;
    const char *operands[MAX_SYSTEMS];   /* the table, or systems */
    const char *settings[MAX_SETTINGS];
    const char *captures;
    size_t operand_count, setting_count;
    struct engine_options engine;
    struct workload_options reading;     /* of instruction traces */
    const char *model;                   /* a setting; NULL: what the systems say */
    bool is_other_model;                 /* than that of recorded replays */
    bool is_window;                      /* --model window */
    bool runs, is_detailed, is_tsv, has_no_cache, has_engine;
};

static bool take_engine(struct compare_request *request, const char *value, int *code)
{
    struct fault const fault = engine_parse(value, &request->engine);

    request->has_engine = true;
    if (fault.kind != FAULT_NONE)
        *code = cli_usage_error(&usage, "--%s", fault_text(fault));
    return fault.kind == FAULT_NONE;
}

static bool take_latency(struct compare_request *request, const char *value, int *code)
{
    char problem[300];

    if (insn_latencies_parse(&request->reading.insn.latencies, value, problem, sizeof problem))
        return true;
    *code = cli_usage_error(&usage, "--latency %s", problem);
    return false;
}

static bool take_model(struct compare_request *request, const char *value, int *code)
{
    if (!replay_model_setting(value)) {
        *code = cli_usage_error(&usage, "--model %s: expected elastic, window, detailed or auto", value);
        return false;
    }
    request->model = replay_model_setting(value);
    request->is_window = strcmp(value, "window") == 0;
    request->is_other_model = strcmp(value, "window") == 0 || strcmp(value, "detailed") == 0;
    return true;
}

static bool put(const char **list, size_t *count, size_t room, const char *what, const char *value, int *code)
{
    if (*count == room) {
        *code = cli_usage_error(&usage, "%s is given more than %zu times", what, room);
        return false;
    }
    list[(*count)++] = value;
    return true;
}

/* False: return the exit code. */
static bool take_option(struct compare_request *request, struct cli_parser *parser, int what, int *code)
{
    const char *const value = parser->value;
    const char *format;

    switch (what) {
    case OPT_TRACES:
        return put(request->traces, &request->trace_count, MAX_TRACE_FOLDERS, "--traces", value, code);
    case OPT_SYSTEMS: request->systems = value; return true;
    case OPT_BASE: request->base = value; return true;
    case OPT_RUN: request->runs = true; return true;
    case OPT_TSV: request->is_tsv = true; return true;
    case OPT_ENGINE: return take_engine(request, value, code);
    case OPT_LATENCY: return take_latency(request, value, code);
    case OPT_FORMAT:
        if (!cli_take_insn_format(&format, parser)) {
            *code = parser->exit_code;
            return false;
        }
        insn_read_format(&request->reading.insn, format);
        return true;
    case OPT_CACHE: request->cache = value; return true;
    case OPT_NO_CACHE: request->has_no_cache = true; return true;
    case OPT_DETAILED: request->is_detailed = true; return true;
    case OPT_MODEL: return take_model(request, value, code);
    case OPT_CAPTURES: request->captures = value; return true;
    case OPT_SET: return put(request->settings, &request->setting_count, MAX_SETTINGS, "--set", value, code);
    case CLI_PARSE_OPERAND: return put(request->operands, &request->operand_count, MAX_SYSTEMS, "SYSTEM", value, code);
    default: *code = parser->exit_code; return false;
    }
}

static bool check_detailed(const struct compare_request *request, int *code)
{
    if (request->operand_count == 0)
        *code = cli_usage_error(&usage, "--detailed needs systems, such as detailed/base");
    else if (request->trace_count == 0)
        *code = cli_usage_error(&usage, "--detailed needs --traces TRACE, an instruction trace or a folder of "
                                "instruction traces");
    else if (request->runs || request->systems || request->cache || request->has_no_cache)
        *code = cli_usage_error(&usage, "--%s is for recorded runs, and --detailed makes its own; leave one out",
                                request->runs ? "run" : request->systems ? "systems"
                                : request->cache ? "cache" : "no-cache");
    else
        return true;
    return false;
}

static bool parse(struct compare_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    *request = (struct compare_request){.engine = engine_fast(), .reading = workload_usual_options()};
    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        if (!take_option(request, &parser, what, code))
            return false;
    if (request->is_detailed)
        return check_detailed(request, code);
    request->table = request->operands[0];
    if (!request->table)
        *code = cli_usage_error(&usage, "no DIR was given");
    else if (request->operand_count > 1)
        *code = cli_usage_error(&usage, "%s: only one DIR can be compared", request->operands[1]);
    else if (request->captures || request->setting_count)
        *code = cli_usage_error(&usage, "--%s is for --detailed", request->captures ? "captures" : "set");
    else if (request->runs && request->trace_count == 0)
        *code = cli_usage_error(&usage, "--run needs --traces DIR, the folder with the programs' traces");
    else if (!request->runs && (request->cache || request->has_no_cache || request->has_engine || request->model))
        *code = cli_usage_error(&usage, "--%s is for --run", request->model ? "model" : request->cache ? "cache"
                                                             : request->has_engine ? "engine" : "no-cache");
    else
        return true;
    return false;
}

/* ---- replays of ours */

/* Is there a folder with traces, or a store? */
static bool has_traces(const char *path)
{
    struct workload workload;
    bool const has_any = workload_find(&workload, path, &path, 1, NULL).kind == FAULT_NONE;

    workload_close(&workload);
    return has_any;
}

/* The program's traces in the first of the folders that has them; else where they would be in the last. */
static bool find_program(const struct compare_request *request, const char *program, char path[PATH_BYTES])
{
    for (size_t i = 0; i < request->trace_count; i++) {
        int const length = snprintf(path, PATH_BYTES, "%s/%s", request->traces[i], program);

        if (length < 0 || length >= PATH_BYTES)
            return false;
        if (has_traces(path))
            break;
    }
    return true;
}

static bool find_system(const struct compare_request *request, const char *system, char path[PATH_BYTES])
{
    int const length = request->systems ? snprintf(path, PATH_BYTES, "%s/%s.yaml", request->systems, system)
                                        : snprintf(path, PATH_BYTES, "detailed/%s", system);

    return length >= 0 && length < PATH_BYTES;
}

static struct fault run_to_table(const struct compare_request *request, const struct system_config *config,
                                 struct workload *workload, struct stats_table *stats, double *host_s)
{
    struct session_limits const limits = session_no_limits();
    double const start_s = host_clock_s();
    char *text = NULL;
    size_t length;
    FILE *const file = open_memstream(&text, &length);
    struct fault fault = file ? run_point(config, workload, &limits, request->engine, false, file,
                                              false) : fault_none();

    *host_s = host_clock_s() - start_s;
    if (!file || !text_stream_close(file, &text))
        fault = fault_make(FAULT_MEMORY, "out of memory");
    if (fault.kind == FAULT_NONE)
        return stats_table_parse(stats, workload->name, text, length);
    free(text);
    return fault;
}

/* One folder of traces, or store, for all cores. host_s: of the replay, without packing the traces. */
static struct fault replay(const struct compare_request *request, const char *system, const char *traces,
                           struct stats_table *stats, double *host_s)
{
    char room[STORE_CACHE_PATH_MAX];
    struct system_config *const config = malloc(sizeof *config);
    struct workload workload = {0};
    const char *settings[2];
    size_t setting_count = 0;
    struct fault fault = config ? workload_find(&workload, traces, &traces, 1, &request->reading)
                                : fault_make(FAULT_MEMORY, "out of memory");

    if (request->model)
        settings[setting_count++] = request->model;
    if (workload.is_one_space)
        settings[setting_count++] = THREAD_CORES_SETTING;
    if (fault.kind == FAULT_NONE)
        fault = config_read(config, system, settings, setting_count);
    if (fault.kind == FAULT_NONE) {
        sweep_find_stores(&workload, cli_store_folder(request->cache, request->has_no_cache, room), false);
        fault = run_to_table(request, config, &workload, stats, host_s);
    }
    workload_close(&workload);
    free(config);
    return fault;
}

static struct fault run_pair(const struct compare_request *request, struct comparison *comparison, size_t index)
{
    const struct comparison_row *const row = comparison->pairs[index].row;
    char traces[PATH_BYTES], system[PATH_BYTES];
    struct stats_table stats = {0};
    struct run_figures ours;
    double host_s = 0;

    if (!find_program(request, row->program, traces) || !find_system(request, row->system, system))
        return fault_make(FAULT_INPUT, "%s on %s: the path is too long", row->program, row->system);
    FORWARD(replay(request, system, traces, &stats, &host_s));

    struct fault const fault = run_figures_of(&stats, row->program, &ours);

    stats_table_free(&stats);
    FORWARD(fault);
    ours.host_s = host_s;
    comparison_set_ours(comparison, index, &ours);
    return fault_none();
}

static void run_pairs(const struct compare_request *request, struct comparison *comparison)
{
    interrupt_listen();
    for (size_t i = 0; i < comparison->pair_count; i++) {
        struct comparison_pair *const pair = &comparison->pairs[i];
        struct fault const fault = interrupt_came()
            ? fault_make(FAULT_INPUT, "%s on %s: not run, because %s stopped the "
                                      "command", pair->row->program, pair->row->system,
                         interrupt_name())
            : run_pair(request, comparison, i);

        if (fault.kind != FAULT_NONE)
            pair->fault = fault;
    }
}

static int compare(const struct compare_request *request, struct comparison *comparison)
{
    comparison->judges_ours = request->runs;
    comparison->is_other_model = request->is_other_model;
    comparison->is_window = request->is_window;
    for (size_t i = 0; i < comparison->pair_count; i++)
        comparison_read_files(comparison, i, !request->runs);
    if (request->runs)
        run_pairs(request, comparison);
    return compare_finish(comparison, request->is_tsv);
}

int cli_compare(int argc, char **argv)
{
    struct compare_request request;
    struct comparison_table table;
    struct comparison comparison;
    struct fault fault;
    int code = CLI_OK;

    if (!parse(&request, argc, argv, &code))
        return code;
    if (request.is_detailed)
        return compare_detailed(&(struct compare_detailed_request){
            .systems = request.operands, .system_count = request.operand_count, .traces = request.traces,
            .trace_count = request.trace_count, .settings = request.settings, .setting_count = request.setting_count,
            .base = request.base, .captures = request.captures, .engine = request.engine,
            .reading = request.reading, .is_tsv = request.is_tsv});
    fault = comparison_table_read(&table, request.table);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    fault = comparison_begin(&comparison, &table, request.base);
    code = fault.kind == FAULT_NONE ? compare(&request, &comparison) : cli_fail(fault);
    if (fault.kind == FAULT_NONE)
        comparison_end(&comparison);
    comparison_table_free(&table);
    return code;
}
