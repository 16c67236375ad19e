/* The arguments of rubato replay. */
#include "cli/replay/request.h"

#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/cli_input.h"
#include "cli/common/output_name.h"
#include "cli/options/options.h"
#include "cli/options/probe_options.h"
#include "cli/options/shared_options.h"
#include "cli/plugin/module_signals.h"
#include "cli/replay/replay_regions.h"
#include "cli/replay/stats_file.h"
#include "proto/trace_formats.h"
#include "replay/config/config.h"
#include "replay/detailed/probe/capture_system.h"
#include "replay/regions/region_set.h"

static bool take_stats(void *request, struct cli_parser *parser);
static bool take_format(void *request, struct cli_parser *parser);
static bool take_sync(void *request, struct cli_parser *parser);
static bool take_addresses(void *setting, struct cli_parser *parser);
static bool take_compat(void *request, struct cli_parser *parser);

static const struct cli_option options[] = {
    {"set", "KEY=VALUE", "change one key of the system, such as l2.size=512KiB; may be repeated",
     CLI_APPEND(replay_request, settings, setting_count), CLI_FOR_GPUS},
    {MODEL_CLI_OPTION, CLI_CALL(replay_request, model_setting, replay_take_model)},
    {"warmup", "N", "statistics start when N records (or instructions) of each core have completed",
     CLI_INTO(COUNT, replay_request, limits.warmup_records)},
    {"records", "N", "stop when N of each core have completed, those of the warm-up included, at the end of\n"
     "that tick",
     CLI_INTO(COUNT, replay_request, limits.max_records)},
    {"instructions", "N", "detailed cores: stop when each core has retired N behind the warm-up; of several\n"
     "cores each has the figures of its own N", CLI_INTO(COUNT, replay_request, limits.instructions)},
    {"until", "TIME", "stop after this time (such as 20us; a number without unit counts picoseconds)",
     CLI_INTO(TICKS, replay_request, limits.until_ps), CLI_FOR_GPUS},
    {"stats", "FILE", "write all statistics: FILE.txt in gem5's layout, FILE.json, FILE.jsonl (a\n"
                      "line a block), FILE.csv; champsim.json and champsim.txt in ChampSim's; may be\n"
                      "repeated", CLI_WHOLE(take_stats),
     CLI_FOR_GPUS},
    {"interval", "TIME", "a block of statistics each TIME (such as 10us), and at the end",
     CLI_INTO(TIME, replay_request, interval_ps)},
    {"summary", "FILE", "write metrics (rubato results --metrics) and the bottleneck of the run as JSON",
     CLI_INTO(TEXT, replay_request, summary), CLI_FOR_GPUS},
    {"all", NULL, "the summary shows every core, cache and channel, for any number of them",
     CLI_INTO(SWITCH, replay_request, shows_all), CLI_FOR_GPUS},
    {"quiet", NULL, "no summary and no progress line", CLI_INTO(SWITCH, replay_request, is_quiet), CLI_FOR_GPUS},
    SAMPLING_CLI_OPTIONS(replay_request, sampling),
    {"by", "function|line|pc", "where in the program: cycles, misses, traffic and prefetches by function,\n"
     "line of source or pc, in the summary (docs/where.md)", CLI_CALL(replay_request, where.by, where_take_by),
     CLI_HEADING("Where in the program")},
    {"by-file", "FILE", "all rows of --by: FILE.json, FILE.csv, FILE.tsv; FILE.folded: stacks of\n"
     "calls for flame graphs", CLI_INTO(TEXT, replay_request, where.file)},
    {"top", "N", "rows of --by in the summary (default 10)", CLI_INTO(COUNT, replay_request, where.top)},
    {"symbols", "FILE[@ADDRESS]", "of --by: a program or library with symbols, where its code images do not\n"
     "say, with its address; may be repeated (default: the program beside the trace, or by its command)",
     CLI_APPEND(replay_request, where.symbols, where.symbol_count)},
    {"accesses", "LEVEL", "write each access of these caches, such as l3: time, pc, address, hit; with -o",
     CLI_INTO(TEXT, replay_request, accesses.level)},
    {"output", "FILE", "of --accesses, also -o: FILE.parquet, FILE.csv, FILE.tsv",
     CLI_INTO(TEXT, replay_request, accesses.file)},
    {"optimal", "LEVEL", "lines that these caches would have fetched with the optimal policy (Belady)",
     CLI_INTO(TEXT, replay_request, accesses.optimal)},
    {"alone", NULL, "also run each program, and the GPU, alone: slowdowns, weighted speed-up, fairness",
     CLI_INTO(SWITCH, replay_request, runs_alone),
     CLI_HEADING("Several programs")},
    {"restart", NULL, "programs start again until the last has ended; figures are of first passes",
     CLI_INTO(SWITCH, replay_request, limits.restarts)},
    {"data", "FILE", "data dependency trace, instead of a folder with both files",
     CLI_APPEND(replay_request, data, data_count),
     CLI_HEADING("Traces")},
    {"fetch", "FILE", "instruction fetch trace, likewise", CLI_APPEND(replay_request, fetch, fetch_count)},
    {MACSIM_FORMAT_OPTION, CLI_WHOLE(take_format), CLI_FOR_GPUS},
    {"skip", "N", "of an instruction trace of one thread: begin behind its first N instructions, with empty caches",
     CLI_INTO(COUNT, replay_request, reading.insn.skipped)},
    {"tick-scale", "X", "multiply the traces' ticks by X to get picoseconds (default 1)",
     CLI_INTO(RATIO, replay_request, limits.tick_scale)},
    {LATENCY_CLI_OPTION, CLI_CALL(replay_request, latencies, macsim_cli_take_latency)},
    {"sync", "waits|free", "instruction traces: threads start and wait as recorded (default), or freely",
     CLI_WHOLE(take_sync)},
    {ADDRESSES_CLI_OPTION, CLI_CALL(replay_request, addresses_setting, take_addresses)},
    {TRACE_CLOCK_CLI_OPTION, CLI_CALL(replay_request, reading.insn.time_ps, cli_take_clock)},
    {MACSIM_COMPAT_OPTION, CLI_WHOLE(take_compat), CLI_FOR_GPUS},
    {"cache", "DIR", "keep stores of traces there (default: ~/.cache/rubato or $XDG_CACHE_HOME/rubato)",
     CLI_INTO(TEXT, replay_request, cache)},
    {"no-cache", NULL, "read the trace files themselves, and keep no store",
     CLI_INTO(SWITCH, replay_request, has_no_cache)},
    {"verify", NULL, "use a store only if the trace files, read whole, are those that it was made of",
     CLI_INTO(SWITCH, replay_request, verifies)},
    {"warm", "METHOD", "of whole traces: functional, --warmup is a walk without time (detailed cores);\n"
     "of regions: kept, what rubato regions kept of all before them (default if it did);\n"
     "functional: a walk over all before them; detailed: only their detailed warm-up; none: cold",
     CLI_INTO(TEXT, replay_request, warm),
     CLI_HEADING("Warm-up and regions")},
    {"confidence", "PERCENT", "of regions: of their intervals (default 95)",
     CLI_INTO(RATIO, replay_request, confidence)},
    {"jobs", "N", "of regions: as many at a time, also -j (default: all processors)",
     CLI_INTO(COUNT, replay_request, jobs)},
    {"kernels", "LIST", "GPU: run these kernels of the list, such as 3-7,9; the first is 1",
     CLI_CALL(replay_request, limits.kernels, replay_take_kernels), CLI_FOR_GPUS,
     CLI_HEADING("GPUs")},
    {"per-instruction", NULL, "GPU: count per static instruction, too (with --stats)",
     CLI_INTO(SWITCH, replay_request, counts_pcs), CLI_FOR_GPUS},
    {"log", "FILE", "write the event log: a line for each request, response, miss, eviction and burst",
     CLI_INTO(TEXT, replay_request, log),
     CLI_HEADING("Logs of single events")},
    {"module-log", "FILE", "write all calls of modules, and what they answer, for rubato plugin test",
     CLI_INTO(TEXT, replay_request, module_log)},
    {"pipeline", "FILE", "detailed cores: when each micro-op was in which stage; a table if FILE.tsv",
     CLI_INTO(TEXT, replay_request, listeners.pipeline)},
    {"pipeline-instructions", "N", "end it behind N committed instructions",
     CLI_CALL(replay_request, listeners.pipeline_insts, listeners_take_insts)},
    {"probe", "DIR", "detailed cores: the elastic trace of the run (docs/detailed-core.md)",
     CLI_INTO(TEXT, replay_request, listeners.probe.folder)},
    PROBE_CLI_OPTIONS("probe-", replay_request, listeners.probe),
    {ENGINE_CLI_OPTION, CLI_CALL(replay_request, engine, replay_take_engine), CLI_FOR_GPUS,
     CLI_HEADING("How it runs")},
    {MODULE_LIMIT_CLI_OPTION, CLI_INTO(TIME, replay_request, module_limit_ps)},
    {"thread-time", NULL, "at the end, print the processor time of the replay's thread",
     CLI_INTO(SWITCH, replay_request, shows_thread_time), CLI_FOR_GPUS},
    {0}};

#define ENGINE_LINE(name, help) "  " #name ": " help ".\n"
static const struct cli_usage usage = {
    .synopsis = "rubato replay SYSTEM TRACES... [options]\n"
                "rubato replay SYSTEM --data FILE --fetch FILE [options]\n"
                "rubato replay SYSTEM INSTRUCTION_TRACES... [options]\n"
                "rubato replay SYSTEM FILE.regions --model detailed [options]\n"
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
    .options = options, .take_operand = replay_take_operand,
    .notes = "ENGINE is plain, which executes what the specifications say, packet by packet and event by event; or\n"
             "fast (default), which is plain with the fast paths below. Ticks and statistics are the same, and so is\n"
             "what --log and --interval write. Add single fast paths to plain, or take them out of fast: plain+hits,\n"
             "fast-memo-domains.\n" ENGINE_FAST_PATHS(ENGINE_LINE)
             "In samples, answers to hits stand in an L1's queue of responses with plain only.\n"
             "A fast path that a run cannot use is off; a note says so if --log, samples or limits are the reason.\n"
             "A GPU with memory of its own takes --set, --stats, --until, --kernels, --per-instruction,\n"
             "--record, --every, --view, --engine (without effect) and --quiet. Its --stats FILE.json,\n"
             "FILE.csv, or tables in tabs (FILE.tsv, FILE.txt) have all counters per kernel, stream and static\n"
             "instruction. Cycles of a kernel are core cycles, its launch latency included.\n"
             FORMAT_LIST_NOTE "\n"
             "Exit code: 0, 2 for wrong input, 3 if the replay cannot continue."};

static bool request_is_among(const char *const *list, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

static bool take_stats(void *field, struct cli_parser *parser)
{
    struct replay_request *const request = field;

    if (strcmp(parser->value, "-") == 0 && request_is_among(request->stats, request->stats_count, "-"))
        cli_usage_error(&usage, "--stats - is given twice; standard output takes one of them");
    else if (request->stats_count == REPLAY_MAX_STATS_FILES)
        cli_usage_error(&usage, "--stats is given too many times");
    else if (stats_file_fits(parser->value))
        return request->stats[request->stats_count++] = parser->value, true;
    return false;
}

static bool take_format(void *field, struct cli_parser *parser)
{
    struct replay_request *const request = field;
    const char *name;

    if (!cli_take_format(parser, &request->reading.format, &name))
        return false;
    request->reading.has_format = name == NULL;
    request->macsim_option = name ? request->macsim_option : parser->option;
    insn_read_format(&request->reading.insn, name);
    return true;
}

static bool take_compat(void *field, struct cli_parser *parser)
{
    struct replay_request *const request = field;

    request->macsim_option = parser->option;
    return request->reading.uops.compat = true;
}

static bool take_sync(void *field, struct cli_parser *parser)
{
    struct replay_request *const request = field;

    request->has_sync = true;
    request->reading.insn.is_free = strcmp(parser->value, "free") == 0;
    if (request->reading.insn.is_free || strcmp(parser->value, "waits") == 0)
        return true;
    cli_usage_error(parser->usage, "--sync %s: expected waits or free", parser->value);
    return false;
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

static bool take_addresses(void *field, struct cli_parser *parser)
{
    const char **const setting = field;

    *setting = replay_addresses_setting(parser->value);
    if (!*setting)
        cli_usage_error(parser->usage, "--addresses %s: expected format, virtual or physical", parser->value);
    return *setting != NULL;
}

bool replay_take_model(void *field, struct cli_parser *parser)
{
    const char **const setting = field;

    *setting = replay_model_setting(parser->value);
    if (!*setting)
        cli_usage_error(parser->usage, "--model %s: expected elastic, window, detailed or auto", parser->value);
    return *setting != NULL;
}

bool replay_take_engine(void *engine, struct cli_parser *parser)
{
    struct fault const fault = engine_parse(parser->value, engine);

    if (fault.kind != FAULT_NONE)
        cli_usage_error(parser->usage, "--%s", fault_text(fault));
    return fault.kind == FAULT_NONE;
}

bool replay_take_kernels(void *kernels, struct cli_parser *parser)
{
    if (gpu_pick_add(kernels, parser->value))
        return true;
    cli_usage_error(parser->usage, "--kernels %s: expected numbers such as 3-7,9, counted from 1", parser->value);
    return false;
}

bool replay_take_operand(void *field, struct cli_parser *parser)
{
    struct replay_request *const request = field;

    if (!request->system) {
        request->system = parser->value;
        return true;
    }
    if (request->folder_count == REPLAY_MAX_TRACES) {
        cli_usage_error(parser->usage, "more than %d folders of traces", REPLAY_MAX_TRACES);
        return false;
    }
    request->folders[request->folder_count] = cli_input_path(parser->value);
    return request->folders[request->folder_count++] != NULL;
}

void replay_request_init(struct replay_request *request)
{
    *request = (struct replay_request){.limits = session_no_limits(), .engine = engine_fast(),
                                       .reading = workload_usual_options(),
                                       .latencies = {.insn = insn_latencies_usual()}};
}

static bool outputs_fit(const struct replay_request *request)
{
    return (!request->log || cli_output_fits(request->log, "the event log", "txt"))
        && (!request->summary || cli_output_fits(request->summary, "JSON", "json"))
        && (!request->sampling.record || cli_output_fits(request->sampling.record, "a recording", ""))
        && (!request->listeners.pipeline
            || cli_output_fits(request->listeners.pipeline, "a listing of the pipeline", "txt tsv gz"))
        && (!request->accesses.file
            || cli_output_fits_only(request->accesses.file, "accesses", "parquet csv tsv"))
        && (!request->where.file || cli_output_fits_only(request->where.file, "rows of --by", "json csv tsv folded"));
}

static bool is_trace(const char *name)
{
    return trace_is_known(name) || region_set_is_file(name);
}

static int check_probe(const struct core_probes_options *probe)
{
    if (probe->folder || (!probe->window && !probe->has_virtual && !probe->from))
        return CLI_OK;
    return cli_usage_error(&usage, "--probe-%s is for an elastic trace; give --probe DIR, too",
                           probe->window ? "window" : probe->has_virtual ? "virtual" : "from");
}

static int check_profile(const struct replay_request *request)
{
    const char *const alone = where_wrong(&request->where), *const wrong = accesses_wrong(&request->accesses);

    if (wrong)
        return cli_usage_error(&usage, "%s", wrong);
    return alone ? cli_usage_error(&usage, "--%s is for rows of the program; give --by function, line or pc, too",
                                   alone) : CLI_OK;
}

/* Of whole traces; regions have more methods. */
static bool take_warm(struct replay_request *request, int *code)
{
    request->limits.warms_at_once = strcmp(request->warm, "functional") == 0;
    if (request->limits.warms_at_once || strcmp(request->warm, "detailed") == 0)
        return true;
    *code = cli_fail_text("--warm %s; expected functional or detailed, or a file of regions", request->warm);
    return false;
}

bool replay_request_parse(struct replay_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    replay_request_init(request);
    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
    request->cpu_option = parser.cpu_option;
    request->reading.uops.table = request->latencies.table;
    request->reading.insn.latencies = request->latencies.insn;
    if (!outputs_fit(request))
        *code = CLI_BAD_INPUT;
    else if (!request->system)
        *code = cli_usage_error(&usage, "no SYSTEM was given; try wide");
    else if (request->folder_count && (request->data_count || request->fetch_count))
        *code = cli_usage_error(&usage, "give either folders with traces or --data and --fetch");
    else if (request->data_count != request->fetch_count)
        *code = cli_usage_error(&usage, "give as many --data as --fetch");
    else if (request->interval_ps && !request->stats_count)
        *code = cli_usage_error(&usage, "--interval is for statistics; give --stats FILE, too (samples of "
                                "--record come each --every TIME)");
    else if (request->warm && !replay_is_of_regions(request) && !take_warm(request, code))
        return false;
    else if (request->listeners.pipeline_insts && !request->listeners.pipeline)
        *code = cli_usage_error(&usage, "--pipeline-instructions is for a listing; give --pipeline FILE, too");
    else if ((*code = check_probe(&request->listeners.probe)) != CLI_OK)
        return false;
    else if ((*code = check_profile(request)) != CLI_OK)
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

/* Reports a trace given before the system, and a second system. */
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

/* A workload of threads alone has one address space, regardless of the system's settings for its cores. */
struct fault replay_request_config(const struct replay_request *request, struct system_config *config)
{
    const char *settings[REPLAY_MAX_SETTINGS + 2];
    size_t count = 0;

    FORWARD(check_order(request));
    if (replay_is_of_regions(request)
        || workload_is_threads(request->folders, request->folder_count,
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
