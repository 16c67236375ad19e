/* rubato compare: replay against detailed timing, from recorded runs or from replays made now. The statistics of the
 * latter take the way of a file, in memory, so that both are read alike. */
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/output_name.h"
#include "cli/options/shared_options.h"
#include "cli/replay/request.h"
#include "cli/sweep/compare_print.h"
#include "cli/sweep/sweep.h"
#include "replay/config/config.h"
#include "sweep/compare/comparison.h"

#define MAX_TRACE_FOLDERS 64
#define MAX_SYSTEMS 64
#define MAX_SETTINGS 32
#define PATH_BYTES 4096

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
    bool runs, is_detailed, has_no_cache, has_engine;
    enum table_form form;
};

static bool take_engine(void *field, struct cli_parser *parser)
{
    struct compare_request *const request = field;

    request->has_engine = true;
    return replay_take_engine(&request->engine, parser);
}

static bool take_latency(void *latencies, struct cli_parser *parser)
{
    char problem[300];

    if (insn_latencies_parse(latencies, parser->value, problem, sizeof problem))
        return true;
    cli_usage_error(parser->usage, "--latency %s", problem);
    return false;
}

static bool take_format(void *insn, struct cli_parser *parser)
{
    const char *format;

    if (!cli_take_insn_format(&format, parser))
        return false;
    insn_read_format(insn, format);
    return true;
}

static bool take_model(void *field, struct cli_parser *parser)
{
    struct compare_request *const request = field;

    if (!replay_take_model(&request->model, parser))
        return false;
    request->is_window = strcmp(parser->value, "window") == 0;
    request->is_other_model = request->is_window || strcmp(parser->value, "detailed") == 0;
    return true;
}

static bool take_operand(void *field, struct cli_parser *parser)
{
    struct compare_request *const request = field;

    return cli_parse_append(parser, request->operands, &request->operand_count, MAX_SYSTEMS);
}

static const struct cli_option options[] = {
    {"traces", "DIR", "where the programs' traces are, as DIR/PROGRAM; may be repeated",
     CLI_APPEND(compare_request, traces, trace_count)},
    {"systems", "DIR", "where the systems are, as DIR/SYSTEM.yaml (default: configs/detailed)",
     CLI_INTO(TEXT, compare_request, systems)},
    {"base", "SYSTEM", "base of relative errors (default: base, else the first system)",
     CLI_INTO(TEXT, compare_request, base)},
    {"run", NULL, "replay all pairs now, and judge these replays instead of the recorded ones",
     CLI_INTO(SWITCH, compare_request, runs)},
    {"detailed", NULL, "run both sides now: detailed cores, and replays of elastic traces from them",
     CLI_INTO(SWITCH, compare_request, is_detailed)},
    {"set", "KEY=VALUE", "with --detailed, change one key of all systems; may be repeated",
     CLI_APPEND(compare_request, settings, setting_count)},
    {"captures", "DIR", "with --detailed, keep the elastic traces as DIR/PROGRAM",
     CLI_INTO(TEXT, compare_request, captures)},
    TABLE_OPTIONS(compare_request, form),
    {"latency", "LATENCIES", "with --run, of instruction traces: CLASS=CYCLES[,...]",
     CLI_CALL(compare_request, reading.insn.latencies, take_latency)},
    {INSN_FORMAT_OPTION, CLI_CALL(compare_request, reading.insn, take_format)},
    {"engine", "ENGINE", "with --run, as in rubato replay", CLI_WHOLE(take_engine)},
    {"cache", "DIR", "with --run, as in rubato replay", CLI_INTO(TEXT, compare_request, cache)},
    {"no-cache", NULL, "with --run, as in rubato replay", CLI_INTO(SWITCH, compare_request, has_no_cache)},
    {"model", "elastic|window|detailed", "with --run, as in rubato replay; window also says\n"
     "expected error of each program, by the kind of its replay", CLI_WHOLE(take_model)},
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
             "--detailed uses no recorded run: each program runs on the detailed core of each SYSTEM; its elastic\n"
             "trace, captured once on that core above near-ideal memory, is replayed on each SYSTEM. TRACE is an\n"
             "instruction trace, or a folder of such.",
    .options = options, .take_operand = take_operand,
    .notes = "--tsv prints PROGRAM SYSTEM detailed_ticks reference_replay_ticks our_ticks difference abs_err_pct\n"
             "rel_err_pct ok|FAILED, then values (means of the errors' magnitudes over all pairs and over those that\n"
             "are not base; Spearman's rank correlation of the systems, mean of the programs; host time of the\n"
             "detailed runs over that of the replays), then the count. - stands for what is not known.\n"
             "--json has the same in one object, --csv the pairs alone.\n"
             FORMAT_LIST_NOTE "\n"
             "Exit code: 0, 1 if a pair failed, 2 for wrong input."};

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

static bool compare_parse(struct compare_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    *request = (struct compare_request){.engine = engine_fast(), .reading = workload_usual_options()};
    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
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

/* One folder of traces, or store, for all cores. */
static struct fault replay(const struct compare_request *request, const char *program, const char *system,
                           const char *traces, struct run_figures *figures)
{
    char room[STORE_CACHE_PATH_MAX];
    struct system_config *const config = config_new();
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
        fault = own_runs_measure(program, config, &workload, request->engine, figures);
    }
    workload_close(&workload);
    free(config);
    return fault;
}

static struct fault run_pair(const struct compare_request *request, struct comparison *comparison, size_t index)
{
    const struct comparison_row *const row = comparison->pairs[index].row;
    char traces[PATH_BYTES], system[PATH_BYTES];
    struct run_figures ours;

    if (!find_program(request, row->program, traces) || !find_system(request, row->system, system))
        return fault_make(FAULT_INPUT, "%s on %s: the path is too long", row->program, row->system);
    FORWARD(replay(request, row->program, system, traces, &ours));
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
    return compare_finish(comparison, request->form);
}

int cli_compare(int argc, char **argv)
{
    struct compare_request request;
    struct comparison_table table;
    struct comparison comparison;
    struct fault fault;
    int code = CLI_OK;

    if (!compare_parse(&request, argc, argv, &code))
        return code;
    if (request.is_detailed)
        return compare_detailed(&(struct compare_detailed_request){
            .systems = request.operands, .system_count = request.operand_count, .traces = request.traces,
            .trace_count = request.trace_count, .settings = request.settings, .setting_count = request.setting_count,
            .base = request.base, .captures = request.captures, .engine = request.engine,
            .reading = request.reading, .form = request.form});
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
