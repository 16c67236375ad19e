/* The arguments of rubato replay. */
#include "cli/replay/request.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/macsim_options.h"
#include "cli/options.h"
#include "cli/output_name.h"
#include "cli/probe_options.h"
#include "cli/replay/stats_file.h"
#include "proto/kind.h"
#include "replay/detailed/probe/capture_system.h"

enum {
    OPT_DATA, OPT_FETCH, OPT_SET, OPT_STATS, OPT_INTERVAL, OPT_WARMUP, OPT_RECORDS, OPT_UNTIL, OPT_TICK_SCALE, OPT_LOG,
    OPT_ENGINE, OPT_ALONE, OPT_RESTART, OPT_CACHE, OPT_NO_CACHE, OPT_VERIFY, OPT_KERNELS, OPT_INSTRUCTIONS, OPT_COMPAT,
    OPT_LATENCY, OPT_FORMAT, OPT_SYNC, OPT_ADDRESSES, OPT_MODEL, OPT_PIPELINE, OPT_PIPELINE_INSTRUCTIONS,
    OPT_PROBE, OPT_PROBE_WINDOW, OPT_PROBE_VIRTUAL, OPT_PROBE_FROM,
    OPT_RECORD, OPT_SAMPLE, OPT_VIEW, OPT_SCRIPT, OPT_PUBLISH, OPT_COMMANDS, OPT_REQUESTS, OPT_THREAD_TIME,
    OPT_SUMMARY, OPT_ALL,
    OPT_QUIET
};

static const struct cli_option options[] = {
    [OPT_DATA] = {"data", "FILE", "data dependency trace, instead of a folder with both files"},
    [OPT_FETCH] = {"fetch", "FILE", "instruction fetch trace, likewise"},
    [OPT_SET] = {"set", "KEY=VALUE", "change one key of the system, such as l2.size=512KiB; may be repeated"},
    [OPT_STATS] = {"stats", "FILE", "write all statistics: FILE.txt in gem5's layout, FILE.json, FILE.jsonl (a\n"
                                    "line a block), FILE.csv; may be repeated"},
    [OPT_INTERVAL] = {"interval", "TIME", "a block of statistics each TIME (such as 10us), and at the end"},
    [OPT_WARMUP] = {"warmup", "N", "statistics start when N records (or instructions) of each core have completed"},
    [OPT_RECORDS] = {"records", "N", "stop when N of each core have completed, at the end of that tick"},
    [OPT_UNTIL] = {"until", "TIME", "stop after this time (such as 20us; a number without unit counts picoseconds)"},
    [OPT_TICK_SCALE] = {"tick-scale", "X", "multiply the traces' ticks by X to get picoseconds (default 1)"},
    [OPT_LOG] = {"log", "FILE", "write the event log: a line for each request, response, miss, eviction and burst"},
    [OPT_ENGINE] = ENGINE_CLI_OPTION,
    [OPT_ALONE] = {"alone", NULL, "also run each program, and the GPU, alone: slowdowns, weighted speed-up, fairness"},
    [OPT_RESTART] = {"restart", NULL, "programs start again until the last has ended; figures are of first passes"},
    [OPT_CACHE] = {"cache", "DIR", "keep stores of traces there (default: ~/.cache/rubato or $XDG_CACHE_HOME/rubato)"},
    [OPT_NO_CACHE] = {"no-cache", NULL, "read the trace files themselves, and keep no store"},
    [OPT_VERIFY] = {"verify", NULL, "use a store only if the trace files, read whole, are those that it was made of"},
    [OPT_KERNELS] = {"kernels", "LIST", "GPU: run these kernels of the list, such as 3-7,9; the first is 1"},
    [OPT_INSTRUCTIONS] = {"instructions", NULL, "GPU: count per static instruction, too (with --stats)"},
    MACSIM_CLI_OPTIONS(OPT_COMPAT, OPT_LATENCY, OPT_FORMAT),
    [OPT_SYNC] = {"sync", "waits|free", "instruction traces: threads start and wait as they did (default), or free"},
    [OPT_ADDRESSES] = ADDRESSES_CLI_OPTION,
    [OPT_MODEL] = MODEL_CLI_OPTION,
    [OPT_PIPELINE] = {"pipeline", "FILE", "detailed cores: when each micro-op was in which stage; a table if FILE.tsv"},
    [OPT_PIPELINE_INSTRUCTIONS] = {"pipeline-instructions", "N", "end it behind N committed instructions"},
    [OPT_PROBE] = {"probe", "DIR", "detailed cores: the elastic trace of the run (docs/detailed-core.md)"},
    PROBE_CLI_OPTIONS("probe-", OPT_PROBE_WINDOW, OPT_PROBE_VIRTUAL, OPT_PROBE_FROM),
    SAMPLING_CLI_OPTIONS(OPT_RECORD, OPT_SAMPLE, OPT_VIEW, OPT_SCRIPT),
    SAMPLING_SHARE_CLI_OPTIONS(OPT_PUBLISH, OPT_COMMANDS),
    [OPT_REQUESTS] = SAMPLING_REQUESTS_CLI_OPTION,
    [OPT_THREAD_TIME] = {"thread-time", NULL, "at the end, print the processor time of the replay's thread"},
    [OPT_SUMMARY] = {"summary", "FILE", "write metrics (rubato results --metrics) and what bounds the run as JSON"},
    [OPT_ALL] = {"all", NULL, "the summary shows each core, cache and channel, however many there are"},
    [OPT_QUIET] = {"quiet", NULL, "no summary and no progress line"},
    {0}};

#define ENGINE_LINE(name, help) "  " #name ": " help ".\n"
static const struct cli_usage usage = {
    .synopsis = "rubato replay SYSTEM TRACES... [options]\n"
                "rubato replay SYSTEM --data FILE --fetch FILE [options]\n"
                "rubato replay SYSTEM INSTRUCTION_TRACES... [options]\n"
                "rubato replay SYSTEM MACSIM_SET [options]\n"
                "rubato replay GPU_SYSTEM LIST [options]\n"
                "rubato replay SYSTEM_WITH_BOTH TRACES... LIST [options]",
    .about = "Replays elastic traces on a memory system. SYSTEM is a YAML file or the name of a shipped system (see\n"
             "`rubato config`); TRACES is a folder that holds deptrace.proto.gz and fetchtrace.proto.gz, or a store\n"
             "that `rubato trace pack` made of them. A system with several cores takes one of them for each core, or\n"
             "one for all; --data and --fetch may be repeated likewise.\n"
             "INSTRUCTION_TRACES are .rbt files, drmemtrace folders or files, ChampSim's, and text formats such as\n"
             "lackey's (docs/instructions.md). Each is a process, whose threads run on the system's cores. With\n"
             "--model detailed these are out-of-order cores, simulated cycle by cycle (docs/detailed-core.md).\n"
             "MACSIM_SET is a header, a trace_file_list, a raw stream or a folder of MacSim's; its x86 or a64 threads\n"
             "run on the system's cores. A thread starts when the first has fetched its start count, on the first\n"
             "core that is free.\n"
             "A system with a GPU replays warp traces of Accel-Sim and MGPUSim: LIST is a kernelslist.g or\n"
             "kernelslist, the folder that holds it, or a store; kernels are grouped or raw. It replays PTX and NVBit\n"
             "kernels of MacSim, too: LIST is a kernel_config.txt, a header or their folder. A system with cores and\n"
             "a GPU, such as hetero, takes traces of its cores, a LIST, or both; with --set cores=0 it is the GPU\n"
             "alone on the same memories.",
    .options = options,
    .notes = "ENGINE is plain, which executes what the specifications say, packet by packet and event by event; or\n"
             "fast (default), which is plain with the fast paths below. Ticks and statistics are the same, and so is\n"
             "what --log and --interval write. Add single fast paths to plain, or take them out of fast: plain+hits,\n"
             "fast-memo-domains.\n" ENGINE_FAST_PATHS(ENGINE_LINE)
             "In samples, answers to hits stand in an L1's queue of responses with plain only.\n"
             "A fast path that a run cannot use is off; a note says so if --log, samples or limits are the reason.\n"
             "A GPU with memory of its own takes --set, --stats, --until, --kernels, --instructions, --record,\n"
             "--sample, --view, --engine (without effect) and --quiet. Its --stats FILE.json, FILE.csv, or tables in\n"
             "tabs (FILE.tsv, FILE.txt) have all counters per kernel, stream and static instruction. Cycles of a\n"
             "kernel are core cycles, its launch latency included.\n"
             FORMAT_LIST_NOTE "\n"
             "Exit code: 0, 2 for wrong input, 3 if the replay cannot go on."};

static bool put(struct cli_parser *parser, const char **list, size_t *count, size_t capacity)
{
    if (*count == capacity) {
        parser->exit_code = cli_usage_error(parser->usage, "--%s is given too many times", parser->option);
        return false;
    }
    list[(*count)++] = parser->value;
    return true;
}

static bool is_among(const char *const *list, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

/* is_right: else it is said already. */
static bool named_right(struct cli_parser *parser, bool is_right)
{
    parser->exit_code = is_right ? CLI_OK : CLI_BAD_INPUT;
    return is_right;
}

static bool take_sync(struct replay_request *request, struct cli_parser *parser)
{
    request->has_sync = true;
    request->reading.insn.is_free = strcmp(parser->value, "free") == 0;
    if (request->reading.insn.is_free || strcmp(parser->value, "waits") == 0)
        return true;
    parser->exit_code = cli_usage_error(parser->usage, "--sync %s: expected waits or free", parser->value);
    return false;
}

static bool is_for_gpus(int what)
{
    return what == OPT_SET || what == OPT_STATS || what == OPT_UNTIL || what == OPT_KERNELS ||
           what == OPT_INSTRUCTIONS || what == OPT_COMPAT || what == OPT_FORMAT || what == OPT_RECORD ||
           what == OPT_SAMPLE || what == OPT_VIEW || what == OPT_SCRIPT || what == OPT_ENGINE ||
           what == OPT_PUBLISH || what == OPT_COMMANDS || what == OPT_THREAD_TIME || what == OPT_QUIET ||
           what == OPT_SUMMARY || what == OPT_ALL;
}

bool replay_request_take_setting(struct replay_request *request, struct cli_parser *parser)
{
    return put(parser, request->settings, &request->setting_count, REPLAY_MAX_SETTINGS);
}

const char *replay_model_setting(const char *model)
{
    static const char *const settings[] = {"cpu.model=auto", "cpu.model=elastic", "cpu.model=window",
                                           "cpu.model=detailed"};

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strcmp(strchr(settings[i], '=') + 1, model) == 0)
            return settings[i];
    return NULL;
}

const char *replay_addresses_setting(const char *addresses)
{
    static const char *const settings[] = {"pages.addresses=format", "pages.addresses=virtual",
                                           "pages.addresses=physical"};

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strcmp(strchr(settings[i], '=') + 1, addresses) == 0)
            return settings[i];
    return NULL;
}

static bool take_addresses(struct replay_request *request, struct cli_parser *parser)
{
    request->addresses_setting = replay_addresses_setting(parser->value);
    if (request->addresses_setting)
        return true;
    parser->exit_code = cli_usage_error(parser->usage, "--addresses %s: expected format, virtual or physical",
                                        parser->value);
    return false;
}

bool replay_request_take_model(struct replay_request *request, struct cli_parser *parser)
{
    request->model_setting = replay_model_setting(parser->value);
    if (request->model_setting)
        return true;
    parser->exit_code = cli_usage_error(parser->usage, "--model %s: expected elastic, window, detailed or auto",
                                        parser->value);
    return false;
}

bool replay_take_engine(struct engine_options *engine, struct cli_parser *parser)
{
    struct fault const fault = engine_parse(parser->value, engine);

    if (fault.kind != FAULT_NONE)
        parser->exit_code = cli_usage_error(parser->usage, "--%s", fault_text(fault));
    return fault.kind == FAULT_NONE;
}

bool replay_request_take_kernels(struct replay_request *request, struct cli_parser *parser)
{
    if (gpu_pick_add(&request->limits.kernels, parser->value))
        return true;
    parser->exit_code = cli_usage_error(parser->usage, "--kernels %s: expected numbers such as 3-7,9, counted from 1",
                                        parser->value);
    return false;
}

bool replay_request_take_operand(struct replay_request *request, struct cli_parser *parser)
{
    if (!request->system) {
        request->system = parser->value;
        return true;
    }
    if (request->folder_count == REPLAY_MAX_TRACES) {
        parser->exit_code = cli_usage_error(parser->usage, "more than %d folders of traces", REPLAY_MAX_TRACES);
        return false;
    }
    request->folders[request->folder_count] = cli_input_path(parser->value);
    if (!request->folders[request->folder_count])
        parser->exit_code = CLI_BAD_INPUT;
    return request->folders[request->folder_count++] != NULL;
}

/* Takes one option; false: parser->exit_code is set. */
static bool take_option(struct replay_request *request, struct cli_parser *parser, int what)
{
    const char *const value = parser->value;
    const char *name;

    if (what >= 0 && !is_for_gpus(what))
        request->cpu_option = parser->option;
    if (what == OPT_COMPAT)
        request->macsim_option = parser->option;
    switch (what) {
    case OPT_DATA: return put(parser, request->data, &request->data_count, REPLAY_MAX_TRACES);
    case OPT_FETCH: return put(parser, request->fetch, &request->fetch_count, REPLAY_MAX_TRACES);
    case OPT_SET: return replay_request_take_setting(request, parser);
    case OPT_STATS:
        if (strcmp(value, "-") == 0 && is_among(request->stats, request->stats_count, "-")) {
            parser->exit_code = cli_usage_error(&usage, "--stats - is given twice; standard output takes one of them");
            return false;
        }
        return named_right(parser, stats_file_fits(value))
               && put(parser, request->stats, &request->stats_count, REPLAY_MAX_STATS_FILES);
    case OPT_LOG: request->log = value; return named_right(parser, cli_output_fits(value, "the event log", "txt"));
    case OPT_ENGINE: return replay_take_engine(&request->engine, parser);
    case OPT_ALONE: request->runs_alone = true; return true;
    case OPT_RESTART: request->limits.restarts = true; return true;
    case OPT_CACHE: request->cache = value; return true;
    case OPT_VERIFY: request->verifies = true; return true;
    case OPT_NO_CACHE: request->has_no_cache = true; return true;
    case OPT_THREAD_TIME: request->shows_thread_time = true; return true;
    case OPT_SUMMARY: request->summary = value; return named_right(parser, cli_output_fits(value, "JSON", "json"));
    case OPT_ALL: request->shows_all = true; return true;
    case OPT_QUIET: request->is_quiet = true; return true;
    case OPT_KERNELS: return replay_request_take_kernels(request, parser);
    case OPT_INSTRUCTIONS: request->counts_pcs = true; return true;
    case OPT_COMPAT: request->reading.uops.compat = true; return true;
    case OPT_RECORD:
        request->sampling.record = value;
        return named_right(parser, cli_output_fits(value, "a recording", ""));
    case OPT_PUBLISH: return sampling_take_publish(&request->sampling, parser);
    case OPT_REQUESTS: request->sampling.samples.has_requests = true; return true;
    case OPT_COMMANDS: return sampling_take_commands(&request->sampling, parser);
    case OPT_SCRIPT: request->sampling.script = value; return true;
    case OPT_SAMPLE: return sampling_take_interval(&request->sampling, parser);
    case OPT_VIEW: return sampling_take_view(&request->sampling, parser);
    case OPT_LATENCY:
        if (!macsim_cli_take_latency(parser, &request->latencies))
            return false;
        request->reading.uops.table = request->latencies.table;
        request->reading.insn.latencies = request->latencies.insn;
        return true;
    case OPT_SYNC: return take_sync(request, parser);
    case OPT_ADDRESSES: return take_addresses(request, parser);
    case OPT_MODEL: return replay_request_take_model(request, parser);
    case OPT_PIPELINE:
        request->listeners.pipeline = value;
        return named_right(parser, cli_output_fits(value, "a listing of the pipeline", "txt tsv gz"));
    case OPT_PROBE: request->listeners.probe.folder = value; return true;
    case OPT_PROBE_WINDOW: return probe_take_window(&request->listeners.probe, parser);
    case OPT_PROBE_VIRTUAL: request->listeners.probe.has_virtual = true; return true;
    case OPT_PROBE_FROM: return probe_take_from(&request->listeners.probe, parser);
    case OPT_PIPELINE_INSTRUCTIONS: return listeners_take_insts(&request->listeners, parser);
    case OPT_FORMAT:
        if (!cli_take_format(parser, &request->reading.format, &name))
            return false;
        request->reading.has_format = name == NULL;
        request->macsim_option = name ? request->macsim_option : parser->option;
        insn_read_format(&request->reading.insn, name);
        return true;
    case OPT_INTERVAL: return cli_parse_time(parser, &request->interval_ps);
    case OPT_WARMUP: return cli_parse_count(parser, &request->limits.warmup_records);
    case OPT_RECORDS: return cli_parse_count(parser, &request->limits.max_records);
    case OPT_UNTIL: return cli_parse_ticks(parser, &request->limits.until_ps);
    case OPT_TICK_SCALE: return cli_parse_ratio(parser, &request->limits.tick_scale);
    case CLI_PARSE_OPERAND: return replay_request_take_operand(request, parser);
    default: return false;
    }
}

void replay_request_init(struct replay_request *request)
{
    *request = (struct replay_request){.limits = session_no_limits(), .engine = engine_fast(),
                                       .reading = workload_usual_options(),
                                       .latencies = {.insn = insn_latencies_usual()}};
}

static bool is_trace(const char *name)
{
    return trace_kind_of(name) != TRACE_IS_UNKNOWN;
}

static int check_probe(const struct core_probes_options *probe)
{
    if (probe->folder || (!probe->window && !probe->has_virtual && !probe->from))
        return CLI_OK;
    return cli_usage_error(&usage, "--probe-%s is for an elastic trace; give --probe DIR, too",
                           probe->window ? "window" : probe->has_virtual ? "virtual" : "from");
}

bool replay_request_parse(struct replay_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    replay_request_init(request);
    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        if (!take_option(request, &parser, what)) {
            *code = parser.exit_code;
            return false;
        }
    if (!request->system)
        *code = cli_usage_error(&usage, "no SYSTEM was given; try wide");
    else if (request->folder_count && (request->data_count || request->fetch_count))
        *code = cli_usage_error(&usage, "give either folders with traces or --data and --fetch");
    else if (request->data_count != request->fetch_count)
        *code = cli_usage_error(&usage, "give as many --data as --fetch");
    else if (request->interval_ps && !request->stats_count)
        *code = cli_usage_error(&usage, "--interval is for statistics; give --stats FILE, too (samples of "
                                "--record come each --sample TIME)");
    else if (request->listeners.pipeline_insts && !request->listeners.pipeline)
        *code = cli_usage_error(&usage, "--pipeline-instructions is for a listing; give --pipeline FILE, too");
    else if ((*code = check_probe(&request->listeners.probe)) != CLI_OK)
        return false;
    else if (request->sampling.script && !request->sampling.has_window)
        *code = cli_usage_error(&usage, "--script is for a window; give --view, too");
    else if (!request->folder_count && !request->data_count && is_trace(request->system))
        *code = cli_usage_error(&usage, "%s is a trace; a system comes first, such as wide", request->system);
    else if (!request->folder_count && !request->data_count)
        *code = cli_usage_error(&usage, "no traces were given; name a folder, or both --data and --fetch");
    else
        return true;
    return false;
}

/* A file that its name says is one, or a shipped system. */
static bool is_system(const char *name)
{
    bool const is_named_so = output_ends_in(name, "yaml") || output_ends_in(name, "yml");
    char path[4096];

    return config_find("", name, path, sizeof path) && (is_named_so || strcmp(path, name) != 0) && !is_trace(path);
}

/* Whoever gives a trace first, and the system behind it. */
static struct fault check_order(const struct replay_request *request)
{
    const char *system = NULL;

    for (size_t i = 0; i < request->folder_count && !system; i++)
        if (is_system(request->folders[i]) && !is_trace(request->folders[i]))
            system = request->folders[i];
    if (is_trace(request->system) && !is_system(request->system))
        return system ? fault_make(FAULT_INPUT, "%.150s is a trace, and %.150s a system; the system comes first: "
                                   "%.100s %.100s", request->system, system, system, request->system)
                      : fault_make(FAULT_INPUT, "%.300s is a trace; a system comes first, such as wide (`rubato config "
                                   "list` shows all)", request->system);
    return system && is_system(request->system)
        ? fault_make(FAULT_INPUT, "%.200s is a system, and there is one already, %.200s; expected traces behind it",
                     system, request->system)
        : fault_none();
}

/* Threads alone have one address space, whatever the system says of its cores'. */
struct fault replay_request_config(const struct replay_request *request, struct system_config *config)
{
    const char *settings[REPLAY_MAX_SETTINGS + 2];
    size_t count = 0;

    FORWARD(check_order(request));
    if (workload_is_threads(request->folders, request->folder_count,
                            insn_read_format_name(&request->reading.insn)))
        settings[count++] = THREAD_CORES_SETTING;
    for (size_t i = 0; i < request->setting_count; i++)
        settings[count++] = request->settings[i];
    if (request->model_setting)
        settings[count++] = request->model_setting;
    if (request->addresses_setting)
        settings[count++] = request->addresses_setting;
    return (request->is_capture ? capture_system_read : config_read)(config, request->system, settings, count);
}
