/* rubato compare: replay against detailed timing, from recorded runs or from replays made now. The statistics of the
 * latter take the way of a file, in memory, so that both are read alike. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/output_name.h"
#include "cli/options/shared_options.h"
#include "cli/replay/request.h"
#include "cli/sweep/compare_native.h"
#include "cli/sweep/compare_print.h"
#include "cli/sweep/sweep.h"
#include "replay/config/config.h"
#include "sweep/compare/comparison.h"
#include "sweep/run/region_point.h"

#define MAX_TRACE_FOLDERS 64
#define MAX_SYSTEMS 64
#define MAX_SETTINGS 32
#define PATH_BYTES 4096
#define USUAL_RUNS 10
#define USUAL_WARMUP 10000000
#define USUAL_INSTRUCTIONS 500000000
#define MOST_CORES 4096
#define MOST_INSTRUCTIONS 1000000000000
#define USUAL_TIMEOUT_PS 60000000000000

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
    const char *native;                  /* the system of --native; NULL: another comparison */
    struct compare_native_request natively;
    const char *native_option;           /* one that is for it alone; NULL: none was given */
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

static bool is_for_native(struct compare_request *request, const struct cli_parser *parser)
{
    request->native_option = parser->option;
    return true;
}

/* Two values. */
static bool take_region(void *field, struct cli_parser *parser)
{
    struct compare_request *const request = field;

    request->natively.from = parser->value;
    if (parser->index >= parser->argc || strcmp(parser->argv[parser->index], "--") == 0) {
        cli_usage_error(parser->usage, "--region %s: expected two places, where it begins and where it ends",
                        parser->value);
        return false;
    }
    request->natively.to = parser->argv[parser->index++];
    return is_for_native(request, parser);
}

#define TAKE_NATIVE(name, target)                                                                                    \
    static bool take_##name(void *field, struct cli_parser *parser)                                                   \
    {                                                                                                                 \
        struct compare_request *const request = field;                                                                \
                                                                                                                      \
        request->natively.target = parser->value;                                                                     \
        return is_for_native(request, parser);                                                                        \
    }

#define TAKE_COUNT(name)                                                                                              \
    static bool take_##name(void *field, struct cli_parser *parser)                                                   \
    {                                                                                                                 \
        struct compare_request *const request = field;                                                                \
                                                                                                                      \
        return cli_parse_count(parser, &request->natively.name) && is_for_native(request, parser);                    \
    }

TAKE_NATIVE(from, from)
TAKE_NATIVE(to, to)
TAKE_NATIVE(programs, list)
TAKE_NATIVE(input, input)
TAKE_COUNT(runs)
TAKE_COUNT(core)
TAKE_COUNT(warmup)
TAKE_COUNT(instructions)

static bool take_timeout(void *field, struct cli_parser *parser)
{
    struct compare_request *const request = field;

    return cli_parse_time(parser, &request->natively.timeout_ps) && is_for_native(request, parser);
}

static bool take_no_counters(void *field, struct cli_parser *parser)
{
    struct compare_request *const request = field;

    return request->natively.has_no_counters = is_for_native(request, parser);
}

static bool take_page(void *field, struct cli_parser *parser)
{
    struct compare_request *const request = field;

    request->natively.page = parser->value;
    return cli_output_fits(parser->value, "an HTML page", "html htm") && is_for_native(request, parser);
}

/* Behind -- stands the program of --native, with all that follows. */
static bool take_operand(void *field, struct cli_parser *parser)
{
    struct compare_request *const request = field;

    if (request->native && !request->natively.argv) {
        request->natively.argv = parser->argv + parser->index - 1;
        for (; parser->index < parser->argc; parser->index++)
            cli_output_spare(parser->argv[parser->index]);
        return true;
    }
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
    {"native", "SYSTEM", "run programs on this host, and replay their captures on SYSTEM; before PROGRAM",
     CLI_INTO(TEXT, compare_request, native)},
    {"region", "FROM TO", "with --native, between two places: symbols of the program", CLI_WHOLE(take_region)},
    {"from", "PLACE", "with --native, begin there: a symbol, or an address (0x...)", CLI_WHOLE(take_from)},
    {"to", "PLACE", "with --native, end before it, and end the program", CLI_WHOLE(take_to)},
    {"programs", "FILE", "with --native, the programs of a list: name, command, from, to, in tabs",
     CLI_WHOLE(take_programs)},
    {"runs", "N", "with --native, native runs, of which the least counts (default 10)", CLI_WHOLE(take_runs)},
    {"core", "N", "with --native, all native runs on that core (default: a few in turn)", CLI_WHOLE(take_core)},
    {"warmup", "N", "with --native, instructions before the region that the replay runs, too\n"
     "(default 10 million, or all that there are)", CLI_WHOLE(take_warmup)},
    {"instructions", "N", "with --native, refuse regions of more (default 500 million)", CLI_WHOLE(take_instructions)},
    {"timeout", "TIME", "with --native, of a native run (default 60s); a capture has ten times as much",
     CLI_WHOLE(take_timeout)},
    {"input", "FILE", "with --native, standard input of each run (default: empty)", CLI_WHOLE(take_input)},
    {"no-counters", NULL, "with --native, without the host's performance counters", CLI_WHOLE(take_no_counters)},
    {"output", "FILE.html", "with --native, also write a page (also -o)", CLI_WHOLE(take_page)},
    {"set", "KEY=VALUE", "with --detailed or --native, change one key of all systems; may be repeated",
     CLI_APPEND(compare_request, settings, setting_count)},
    {"captures", "DIR", "with --detailed, keep the elastic traces as DIR/PROGRAM; with --native\n"
     "the captures as DIR/NAME.rbt", CLI_INTO(TEXT, compare_request, captures)},
    TABLE_OPTIONS(compare_request, form),
    {"latency", "LATENCIES", "with --run, of instruction traces: CLASS=CYCLES[,...]",
     CLI_CALL(compare_request, reading.insn.latencies, take_latency)},
    {INSN_FORMAT_OPTION, CLI_CALL(compare_request, reading.insn, take_format)},
    {"engine", "ENGINE", "with --run, as in rubato replay", CLI_WHOLE(take_engine)},
    {"cache", "DIR", "with --run, as in rubato replay", CLI_INTO(TEXT, compare_request, cache)},
    {"no-cache", NULL, "with --run, as in rubato replay", CLI_INTO(SWITCH, compare_request, has_no_cache)},
    {"model", "elastic|window|detailed", "with --run or --native (default there: detailed), as in rubato\n"
     "replay; window also says expected error of each program, by the kind of its replay", CLI_WHOLE(take_model)},
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato compare DIR --traces DIR [--traces DIR...] [--systems DIR] [--run] [--tsv]\n"
                "rubato compare DIR [--tsv]\n"
                "rubato compare --detailed SYSTEM... --traces TRACE [--traces TRACE...] [--tsv]\n"
                "rubato compare --native SYSTEM [--region FROM TO] [options] -- PROGRAM [ARGUMENTS]\n"
                "rubato compare --native SYSTEM --programs FILE [options]",
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
             "instruction trace, or a folder of such.\n"
             "--native runs a program on this host, captures and replays it: how far the system is from the machine.\n"
             "The program must do the same each time, in one process and one thread; no shell reads its command.",
    .options = options, .take_operand = take_operand,
    .notes = "--tsv prints PROGRAM SYSTEM detailed_ticks reference_replay_ticks our_ticks difference abs_err_pct\n"
             "rel_err_pct ok|FAILED half_width (of the 95 % interval of our_ticks, where these are estimated from\n"
             "regions), then values (means of the errors' magnitudes over all pairs and over those that\n"
             "are not base; Spearman's rank correlation of the systems, mean of the programs; host time of the\n"
             "detailed runs over that of the replays), then the count. - stands for what is not known.\n"
             "--json has the same in one object, --csv the pairs alone.\n"
             FORMAT_LIST_NOTE "\n"
             "Of --native the columns are those of docs/native.md.\n"
             "Exit code: 0, 1 if a pair failed, 2 for wrong input; with --native 3 if a program fails, changes its\n"
             "output, forks, starts threads, or does not reach its region."};

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

/* What the other comparisons have. */
static const char *other_option(const struct compare_request *request)
{
    return request->is_detailed ? "detailed" : request->runs ? "run" : request->trace_count ? "traces"
        : request->systems ? "systems" : request->base ? "base" : request->cache ? "cache"
        : request->has_no_cache ? "no-cache" : NULL;
}

static bool check_native(struct compare_request *request, int *code)
{
    struct compare_native_request *const natively = &request->natively;

    if (other_option(request))
        *code = cli_usage_error(&usage, "--%s is not for --native; leave it out", other_option(request));
    else if (request->operand_count > 0)
        *code = cli_usage_error(&usage, "%s: give the program behind --native SYSTEM and its options",
                                *request->operands);
    else if (!natively->argv == !natively->list)
        *code = cli_usage_error(&usage, natively->argv ? "a program and --programs were given; give one of them"
                                : "no program was given; for example: rubato compare --native server -- ./program");
    else if (natively->runs < 1 || natively->runs > NATIVE_MOST_RUNS)
        *code = cli_usage_error(&usage, "--runs %llu: expected 1 to %d", (unsigned long long)natively->runs,
                                NATIVE_MOST_RUNS);
    else if (natively->core != UINT64_MAX && natively->core >= MOST_CORES)
        *code = cli_usage_error(&usage, "--core %llu: expected a core's number below %d",
                                (unsigned long long)natively->core, MOST_CORES);
    else if (natively->instructions < 1 || natively->instructions > MOST_INSTRUCTIONS
             || natively->warmup > MOST_INSTRUCTIONS)
        *code = cli_usage_error(&usage, "--%s: expected at most %g, and --instructions above 0",
                                natively->warmup > MOST_INSTRUCTIONS ? "warmup" : "instructions",
                                (double)MOST_INSTRUCTIONS);
    else if (access(natively->input, R_OK) != 0)
        *code = cli_fail_text("--input %s: %s; expected a file", natively->input, strerror(errno));
    else
        return true;
    return false;
}

static int run_native(struct compare_request *request)
{
    struct compare_native_request *const natively = &request->natively;

    if (request->setting_count == MAX_SETTINGS)
        return cli_fail_text("--set is given more than %d times", MAX_SETTINGS - 1);
    request->settings[request->setting_count++] = request->model ? request->model : "cpu.model=detailed";
    natively->system = request->native;
    natively->settings = request->settings;
    natively->setting_count = request->setting_count;
    natively->model = request->model ? strchr(request->model, '=') + 1 : "detailed";
    natively->captures = request->captures;
    natively->engine = request->engine;
    natively->form = request->form;
    return compare_native(natively);
}

static bool compare_parse(struct compare_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    *request = (struct compare_request){
        .engine = engine_fast(), .reading = workload_usual_options(),
        .natively = {.runs = USUAL_RUNS, .core = UINT64_MAX, .warmup = USUAL_WARMUP, .instructions = USUAL_INSTRUCTIONS,
                     .timeout_ps = USUAL_TIMEOUT_PS, .input = "/dev/null"}
    };
    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
    if (request->native)
        return check_native(request, code);
    if (request->native_option) {
        *code = cli_usage_error(&usage, "--%s is for --native SYSTEM", request->native_option);
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
    bool const has_any = region_workload_find(&workload, path, &path, 1, NULL).kind == FAULT_NONE;

    region_workload_close(&workload);
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
    struct fault fault = config ? region_workload_find(&workload, traces, &traces, 1, &request->reading)
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
    region_workload_close(&workload);
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
    if (request.native)
        return run_native(&request);
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
