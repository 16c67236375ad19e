/* rubato traffic: drives the memories of a system by themselves, one measurement or the whole curve. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_facts.h"
#include "cli/common/cli.h"
#include "cli/common/cli_input.h"
#include "cli/common/command_log.h"
#include "cli/common/interrupt.h"
#include "cli/common/output_name.h"
#include "cli/common/rowhammer.h"
#include "cli/common/shown.h"
#include "cli/options/shared_options.h"
#include "cli/traffic/traffic_print.h"
#include "cli/traffic/traffic_sweep.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"
#include "replay/config/unloaded.h"
#include "replay/traffic/traffic_trace.h"
#include "replay/traffic/traffic_vector.h"

#define MAX_SETTINGS 256
#define CURVE_REQUESTS 100000            /* of each point, but no less than CURVE_S at the peak bandwidth */
#define CURVE_S 50e-6
#define SINGLE_REQUESTS 1000000

struct traffic_request {
    const char *system, *trace, *plot, *commands;
    const char *settings[MAX_SETTINGS];
    size_t setting_count;
    struct traffic_load load;            /* 0: not given */
    bool has_pattern, has_warmup, is_curve;
    enum table_form form;
    const char *rate;
    uint64_t trace_clock_ps;             /* 0: not given */
    enum traffic_table by;
    bool is_sweep;
    const char *read_shares;
    uint64_t jobs;                       /* 0: not given */
};

static bool take_by(void *by, struct cli_parser *parser);
static bool take_bytes(void *bytes, struct cli_parser *parser);
static bool traffic_command_take_operand(void *request, struct cli_parser *parser);
static bool take_pattern(void *request, struct cli_parser *parser);
static bool take_positive(void *count, struct cli_parser *parser);
static bool take_share(void *share, struct cli_parser *parser);
static bool take_trace(void *path, struct cli_parser *parser);
static bool take_warmup(void *request, struct cli_parser *parser);

static const struct cli_option options[] = {
    {"pattern", "random|stream|stride", "where the requests go (default random)",
     CLI_WHOLE(take_pattern)},
    {"stride", "SIZE", "distance of two requests, such as 8KiB; chooses the pattern stride",
     CLI_CALL(traffic_request, load.pattern.stride_bytes, take_bytes)},
    {"read-share", "X", "part of the requests that are reads, 0 to 1 (default 1)",
     CLI_CALL(traffic_request, load.pattern.read_share, take_share)},
    {"range", "SIZE", "use the first SIZE bytes of the memories (default: all)",
     CLI_CALL(traffic_request, load.pattern.range_bytes, take_bytes)},
    {"seed", "N", "of the random numbers (default 1)", CLI_INTO(COUNT, traffic_request, load.pattern.seed)},
    {"trace", "FILE", "requests of a file instead: lines such as 0x1a40 R, or an instruction trace\n"
     "of any format, at its own times if it has them, else as fast as the memory takes it;\n"
     "the same as TRACE; - is standard input",
     CLI_CALL(traffic_request, trace, take_trace)},
    {"trace-clock", "CLOCK", "of times that are cycles, such as 1600MHz (default: the memory's); of a trace of\n"
     "instructions without times: each takes a cycle", CLI_CALL(traffic_request, trace_clock_ps, cli_take_clock)},
    {"rate", "RATE", "one measurement at a rate, such as 12.8GB/s or 200Mreq/s",
     CLI_INTO(TEXT, traffic_request, rate)},
    {"outstanding", "N", "requests under way at most; without --rate: one measurement with N",
     CLI_CALL(traffic_request, load.outstanding, take_positive)},
    {"curve", NULL, "the curve over rising rates; the default without rate, outstanding and trace",
     CLI_INTO(SWITCH, traffic_request, is_curve)},
    {"sweep", NULL, "a curve for each of several read shares; 0: one request in a hundred is a read, for the\n"
     "sake of its latency", CLI_INTO(SWITCH, traffic_request, is_sweep)},
    {"read-shares", "LIST", "those of --sweep, 0 to 1 (default 0,0.25,0.5,0.75,1)",
     CLI_INTO(TEXT, traffic_request, read_shares)},
    {"jobs", "N", "curves of --sweep at the same time, also -j (default: all cores that may be used)",
     CLI_CALL(traffic_request, jobs, take_positive)},
    {"requests", "N",
     "of each measurement (default 1 million; of a curve 100000, or 50us of the peak)",
     CLI_CALL(traffic_request, load.requests, take_positive)},
    {"warmup", "N", "leave the first N out of the figures (default: a tenth; of a trace at its own pace none)",
     CLI_WHOLE(take_warmup)},
    {"set", "KEY=VALUE", "change one key of the system, such as memory.channels=2; may be repeated",
     CLI_APPEND(traffic_request, settings, setting_count)},
    TABLE_OPTIONS(traffic_request, form),
    {"by", "kind|bank|time", "of one measurement: latencies by kind of access, banks, or bandwidth over\n"
     "time; JSON has all three", CLI_CALL(traffic_request, by, take_by)},
    {"plot", "FILE.svg", "draw the curve into a file, too", CLI_INTO(TEXT, traffic_request, plot)},
    {"commands", "FILE", "of one measurement: write all DRAM commands, as of replay",
     CLI_INTO(TEXT, traffic_request, commands)},
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato traffic SYSTEM [TRACE] [options]",
    .about = "Drives the memories of a system by themselves and prints bandwidth against latency. Requests of a\n"
             "line each go straight to the memory channels that own them; cores, caches and crossbars of the system\n"
             "take no part. Latencies go from the tick at which a read is due (without a rate: sent) to its answer;\n"
             "writes are done when they are accepted. TRACE brings its own requests, and its own times if it has\n"
             "them. SYSTEM is a YAML file or the name of a shipped system.",
    .options = options, .take_operand = traffic_command_take_operand,
    .notes = "Columns: held is the share of the requests that met back-pressure: not accepted in the tick in which\n"
             "they were due; held ns is the mean wait of all requests for that; saturated marks a rate that the\n"
             "memory cannot keep up with, whose latencies grow with the run. Exit code: 0, 2 for wrong input, 3 if a\n"
             "memory is stuck."};

/* ---- arguments */

static bool take_pattern(void *field, struct cli_parser *parser)
{
    static const char *const names[] = {
        [TRAFFIC_RANDOM] = "random", [TRAFFIC_STREAM] = "stream", [TRAFFIC_STRIDE] = "stride"};
    struct traffic_request *const request = field;

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(parser->value, names[i]) == 0) {
            request->load.pattern.kind = (enum traffic_kind)i;
            return request->has_pattern = true;
        }
    cli_usage_error(&usage, "--pattern %s: expected random, stream or stride", parser->value);
    return false;
}

static bool take_bytes(void *field, struct cli_parser *parser)
{
    uint64_t *const bytes = field;
    double unused;
    const char *const wrong = units_parse(UNIT_BYTES, parser->value, bytes, &unused);

    if (wrong || *bytes == 0)
        cli_usage_error(&usage, "--%s %s %s; give a size such as 8KiB", parser->option, parser->value,
                        wrong ? wrong : "is nothing");
    return !wrong && *bytes != 0;
}

static bool take_by(void *field, struct cli_parser *parser)
{
#define TRAFFIC_TABLE_NAME(kind, name, help) [TRAFFIC_BY_##kind] = name,
    static const char *const names[] = {TRAFFIC_TABLES(TRAFFIC_TABLE_NAME)};
    enum traffic_table *const by = field;

    for (*by = TRAFFIC_BY_KIND; *by < TRAFFIC_TABLE_COUNT; (*by)++)
        if (strcmp(parser->value, names[*by]) == 0)
            return true;
    cli_usage_error(&usage, "--by %s: expected kind, bank or time", parser->value);
    return false;
}

static bool take_share(void *field, struct cli_parser *parser)
{
    double *const share = field;
    char *end;

    *share = strtod(parser->value, &end);
    if (end != parser->value && *end == '\0' && *share >= 0 && *share <= 1)
        return true;
    cli_usage_error(&usage, "--read-share %s: expected a number from 0 to 1 such as 0.8", parser->value);
    return false;
}

static bool take_positive(void *field, struct cli_parser *parser)
{
    uint64_t *const count = field;

    if (!cli_parse_count(parser, count))
        return false;
    if (*count == 0)
        cli_usage_error(&usage, "--%s 0: expected at least 1", parser->option);
    return *count != 0;
}

static bool take_trace(void *path, struct cli_parser *parser)
{
    *(const char **)path = cli_input_path(parser->value);
    return *(const char **)path != NULL;
}

static bool take_warmup(void *field, struct cli_parser *parser)
{
    struct traffic_request *const request = field;

    request->has_warmup = true;
    return cli_parse_count(parser, &request->load.warmup);
}

static bool traffic_command_take_operand(void *field, struct cli_parser *parser)
{
    struct traffic_request *const request = field;

    if (!request->system) {
        request->system = parser->value;
        return true;
    }
    if (!request->trace)
        return take_trace(&request->trace, parser);
    cli_usage_error(&usage, "unexpected argument %s", parser->value);
    return false;
}

/* The same of those that --sweep excludes or needs. */
static int check_sweep(const struct traffic_request *request)
{
    if (!request->is_sweep && (request->read_shares || request->jobs))
        return cli_usage_error(&usage, "--%s is for --sweep; add it", request->jobs ? "jobs" : "read-shares");
    if (!request->is_sweep)
        return CLI_OK;
    if (request->rate || request->trace)
        return cli_usage_error(&usage, "--sweep has its own rates and requests; leave %s out",
                               request->rate ? "--rate" : "the trace");
    return request->load.pattern.read_share == 1 ? CLI_OK
        : cli_usage_error(&usage, "--sweep takes --read-shares in place of --read-share");
}

/* Refuses options that exclude each other. */
static int traffic_command_check(struct traffic_request *request)
{
    struct traffic_pattern *const pattern = &request->load.pattern;

    if (!request->system)
        return cli_usage_error(&usage, "no SYSTEM was given; try wide");
    if (check_sweep(request) != CLI_OK)
        return CLI_BAD_INPUT;
    if (request->is_curve && request->rate)
        return cli_usage_error(&usage, "--curve has its own rates; leave --rate out");
    if (request->trace && (request->has_pattern || pattern->stride_bytes || pattern->range_bytes))
        return cli_usage_error(&usage, "--trace brings its own addresses; leave pattern, stride and range out");
    if (request->trace_clock_ps != 0 && !request->trace)
        return cli_usage_error(&usage, "--trace-clock is for --trace; leave it out");
    if (pattern->stride_bytes && request->has_pattern && pattern->kind != TRAFFIC_STRIDE)
        return cli_usage_error(&usage, "--stride is for --pattern stride");
    if (pattern->kind == TRAFFIC_STRIDE && !pattern->stride_bytes)
        return cli_usage_error(&usage, "the pattern stride needs --stride, such as --stride 8KiB");
    if (pattern->stride_bytes)
        pattern->kind = TRAFFIC_STRIDE;
    if (request->trace)
        pattern->kind = TRAFFIC_TRACE;
    request->is_curve = request->is_curve || request->is_sweep
                        || (!request->rate && !request->load.outstanding && !request->trace);
    if (request->plot && !cli_output_fits(request->plot, "an SVG", "svg"))
        return CLI_BAD_INPUT;
    if (request->plot && !request->is_curve)
        return cli_usage_error(&usage, "--plot draws a curve; leave --rate out, or add --curve");
    if (request->commands && request->is_curve)
        return cli_usage_error(&usage, "--commands is of one measurement; add --rate or --outstanding");
    if (request->by && request->is_curve)
        return cli_usage_error(&usage, "--by is of one measurement; add --rate or --outstanding, or give a trace");
    return CLI_OK;
}

static bool traffic_command_parse(struct traffic_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    *request = (struct traffic_request){.load.pattern = {.read_share = 1, .seed = 1}};
    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
    *code = traffic_command_check(request);
    return *code == CLI_OK;
}

/* ---- the run */

struct traffic_session {
    struct traffic_request *request;
    struct system_config config;
    struct traffic_trace trace;
    struct traffic_curve curve;
    struct traffic_sweep sweep;
    struct traffic_detail detail;
    bool has_own_pace;                   /* a trace once, at its times or as fast as the memory takes it */
    FILE *plot;
    struct command_log command_log;
    double host_s;
    uint64_t driven;                     /* requests */
};

static int load_config(struct traffic_session *session)
{
    const struct traffic_request *const request = session->request;
    struct fault const fault = config_read(&session->config, request->system, request->settings,
                                           request->setting_count);

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    if (config_gpu_owns_memory(&session->config))
        return cli_fail_text("%s has a GPU alone, whose memory needs its L2; give a system with a memory_bus",
                             session->config.name);
    return CLI_OK;
}

/* "12.8GB/s"; "200Mreq/s" is read as "200MB/s", a request for a byte. */
static int take_rate(struct traffic_session *session)
{
    static const char suffix[] = "req/s";
    const char *const text = session->request->rate;
    size_t const length = strlen(text), tail = sizeof suffix - 1;
    bool const is_requests = length > tail && strcmp(text + length - tail, suffix) == 0;
    uint64_t rate;
    double unused;
    char bytes[64];
    const char *wrong = "is too long";

    if (length < sizeof bytes) {
        strcpy(bytes, text);
        if (is_requests)
            strcpy(bytes + length - tail, "B/s");
        wrong = units_parse(UNIT_BANDWIDTH, bytes, &rate, &unused);
    }
    if (wrong || rate == 0)
        return cli_usage_error(&usage, "--rate %s %s; give a rate such as 12.8GB/s or 200Mreq/s", text,
                               wrong ? wrong : "is none");
    session->request->load.rate_bytes_per_s =
        (double)rate * (is_requests ? (double)session->config.line_bytes : 1);
    return CLI_OK;
}

static bool is_in_memory(const void *context, uint64_t address, char *why, size_t size)
{
    const struct system_config *const config = ((const struct traffic_vectors *)context)->config;
    const struct memory_params *const first = &config->memories[0];

    for (unsigned i = 0; i < config->memory_count; i++)
        if (address - config->memories[i].base < config->memories[i].size_bytes)
            return true;
    snprintf(why, size, "lies in no memory of %s; %s goes from 0x%" PRIx64 " to 0x%" PRIx64, config->name,
             config->memory_count > 1 ? "the first" : "it", first->base, first->base + first->size_bytes - 1);
    return false;
}

/* Long enough that a refresh more or less does not matter. */
static uint64_t curve_requests(const struct system_config *config)
{
    double peak_bytes_per_s = 0;

    for (unsigned i = 0; i < config->memory_count; i++)
        peak_bytes_per_s += peak_memory_bandwidth(&config->memories[i]);
    return max_u64(CURVE_REQUESTS, (uint64_t)(CURVE_S * peak_bytes_per_s / (double)config->line_bytes));
}

/* At the times of the trace. */
static void keep_times(struct traffic_session *session)
{
    const struct traffic_trace *const trace = &session->trace;
    struct traffic_load *const load = &session->request->load;

    load->keeps_times = true;
    if (trace->is_after_answers)
        load->outstanding = 1;
    else if (trace->times_ps[trace->count - 1] > 0)
        load->rate_bytes_per_s = (double)trace->count * (double)session->config.line_bytes * 1e12
                                 / (double)trace->times_ps[trace->count - 1];
}

/* Fills in the values that the options left open. */
static int read_trace(struct traffic_session *session)
{
    const struct traffic_request *const request = session->request;
    struct traffic_vectors vectors = {.config = &session->config};
    struct traffic_address_check const check = {is_in_memory, traffic_vector_find, &vectors};
    struct fault fault;

    if (traffic_recorded_is(request->trace))
        fault = traffic_recorded_read(&session->trace, request->trace, &session->config, request->trace_clock_ps);
    else
        fault = traffic_trace_read(&session->trace, request->trace, session->config.line_bytes, &check);
    traffic_vectors_free(&vectors);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    if (session->trace.warning[0])
        cli_warn("%s", session->trace.warning);
    return CLI_OK;
}

static int complete_load(struct traffic_session *session)
{
    struct traffic_request *const request = session->request;
    struct traffic_load *const load = &request->load;
    uint64_t size_bytes = 0;

    for (unsigned i = 0; i < session->config.memory_count; i++)
        size_bytes += session->config.memories[i].size_bytes;
    load->pattern.line_bytes = session->config.line_bytes;
    if (load->pattern.range_bytes > size_bytes)
        return cli_fail_text("--range is %" PRIu64 " bytes; the memories have %" PRIu64 ", give at most that",
                             load->pattern.range_bytes, size_bytes);
    if (load->pattern.range_bytes == 0)
        load->pattern.range_bytes = size_bytes;
    if (request->rate && take_rate(session) != CLI_OK)
        return CLI_BAD_INPUT;
    if (request->trace && read_trace(session) != CLI_OK)
        return CLI_BAD_INPUT;
    if (session->trace.times_ps && !request->is_curve && !request->rate)
        keep_times(session);
    session->has_own_pace = load->keeps_times || (request->trace && !request->is_curve && !request->rate
                                                  && load->outstanding == 0);
    load->pattern.trace = &session->trace;
    if (load->requests == 0)
        load->requests = request->is_curve ? curve_requests(&session->config)
                         : request->trace  ? session->trace.count
                                           : SINGLE_REQUESTS;
    if (!request->has_warmup)
        load->warmup = session->has_own_pace ? 0 : load->requests / 10;
    if (load->warmup >= load->requests)
        return cli_fail_text("--warmup is %" PRIu64 ", but there are %" PRIu64 " requests; give less", load->warmup,
                             load->requests);
    return CLI_OK;
}

static struct fault drive_sweep(struct traffic_session *session)
{
    struct traffic_request *const request = session->request;
    unsigned points = 0;

    interrupt_listen();
    FORWARD(traffic_sweep_run(&session->sweep, &session->config, &request->load,
                              request->jobs ? (unsigned)min_u64(request->jobs, TRAFFIC_MOST_LINES) : host_cores()));
    for (unsigned i = 0; i < session->sweep.count; i++) {
        points += session->sweep.lines[i].count;
        for (unsigned k = 0; k < session->sweep.lines[i].count; k++)
            session->driven += session->sweep.lines[i].points[k].requests;
    }
    if (interrupt_came())
        fprintf(stderr, "rubato: stopped by %s after %u points; only these are printed\n", interrupt_name(), points);
    return fault_none();
}

static struct fault drive(struct traffic_session *session)
{
    struct traffic_request *const request = session->request;
    struct traffic_load *const load = &request->load;
    struct traffic_curve *const curve = &session->curve;
    bool more = request->is_curve;

    if (request->is_sweep)
        return drive_sweep(session);
    FORWARD(traffic_curve_begin(curve, &session->config, load));
    if (curve->load.outstanding == 0)
        curve->load.outstanding = load->outstanding =
            (session->has_own_pace && !load->keeps_times ? 1 : 8) * (uint64_t)curve->depth;
    if (!request->is_curve) {
        load->detail = session->has_own_pace || request->by ? &session->detail : NULL;
        FORWARD(traffic_run(&session->config, load, curve->result));
        curve->points[curve->count++] =
            traffic_point_of(load->rate_bytes_per_s > 0 ? POINT_RATE : POINT_FULL, load, curve->result);
    }
    if (more)
        interrupt_listen();
    while (more && (curve->count == 0 || !interrupt_came()))
        FORWARD(traffic_curve_step(curve, &more));
    if (more)
        fprintf(stderr, "rubato: stopped by %s after %u points; only these are printed\n", interrupt_name(),
                curve->count);
    for (unsigned i = 0; i < curve->count; i++)
        session->driven += curve->points[i].requests;
    return fault_none();
}

static void print_memories(const struct system_config *config)
{
    char *tree;

    printf("system        %s\n", cli_shown(config->name));
    if (config_tree_text(config, &tree).kind != FAULT_NONE)
        return;
    for (const char *line = tree; strncmp(line, "memor", 5) == 0 && strncmp(line, "memory_bus", 10) != 0;) {
        size_t const length = strcspn(line, "\n");

        printf("%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    free(tree);
}

static void print_requests(const struct traffic_session *session, const struct traffic_title *title)
{
    const struct traffic_load *const load = &session->request->load;
    const struct traffic_trace *const trace = &session->trace;

    printf("requests      %s, ", cli_shown(title->pattern));
    if (!title->is_trace && title->read_share >= 0)
        printf("%g %% reads, ", 100 * title->read_share);
    printf("%" PRIu64 " a measurement", load->requests);
    if (load->keeps_times)
        printf(", %s", trace->is_after_answers ? "each so long after the end of the one before" : "at their own times");
    else if (session->has_own_pace)
        printf(", as fast as the memory takes them");
    if (load->warmup > 0)
        printf(", the first %" PRIu64 " not counted", load->warmup);
    printf("\ndriven in     %.2f s, %.2f million requests/s\n\n", session->host_s,
           session->host_s > 0 ? 1e-6 * (double)session->driven / session->host_s : 0);
}

/* Behind the table of points. */
static bool print_details(const struct traffic_session *session, const struct traffic_measured *measured)
{
    const struct traffic_request *const request = session->request;

    putchar('\n');
    if (!traffic_print_fates(stdout, measured))
        return false;
    putchar('\n');
    if (!traffic_print_table(stdout, TABLE_TEXT, TRAFFIC_BY_KIND, measured))
        return false;
    if (request->by && request->by != TRAFFIC_BY_KIND) {
        putchar('\n');
        if (!traffic_print_table(stdout, TABLE_TEXT, request->by, measured))
            return false;
    }
    rowhammer_print(stdout, &measured->detail->rowhammer);
    return true;
}

/* Text or another form, and the pictures. */
static bool print_sweep(const struct traffic_session *session, const struct traffic_title *title)
{
    enum table_form const form = session->request->form;
    const struct traffic_line *const lines = session->sweep.lines;
    unsigned const count = session->sweep.count;

    if (session->plot)
        traffic_plot_lines(session->plot, true, title, lines, count);
    if (form == TABLE_TEXT) {
        print_memories(&session->config);
        print_requests(session, title);
    }
    if (!traffic_print_lines(stdout, form, title, lines, count))
        return false;
    if (form == TABLE_TEXT)
        traffic_plot_lines(stdout, false, title, lines, count);
    return true;
}

static struct fault print(const struct traffic_session *session)
{
    const struct traffic_request *const request = session->request;
    const struct traffic_load *const load = &request->load;
    struct traffic_measured const measured = {&session->detail, session->curve.result,
                                              session->trace.access_bytes ? session->trace.access_bytes
                                                                          : session->config.line_bytes};
    static const char *const names[] = {
        [TRAFFIC_RANDOM] = "random", [TRAFFIC_STREAM] = "stream", [TRAFFIC_STRIDE] = "stride"};
    struct traffic_title const title = {
        .system = session->config.name, .pattern = request->trace ? request->trace : names[load->pattern.kind],
        .read_share = request->is_sweep ? -1 : load->pattern.read_share, .is_trace = request->trace != NULL,
        .peak_bytes_per_s = request->is_sweep ? session->sweep.curves[0].peak_bytes_per_s
                                              : session->curve.peak_bytes_per_s,
        .requests = load->requests, .warmup = load->warmup,
        .measured = load->detail ? &measured : NULL};
    const struct traffic_point *const points = session->curve.points;
    unsigned const count = session->curve.count;

    if (request->is_sweep)
        return print_sweep(session, &title) ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");
    if (session->plot)
        traffic_plot(session->plot, true, &title, points, count);
    if (request->by && request->form != TABLE_TEXT && request->form != TABLE_JSON)
        return traffic_print_table(stdout, request->form, request->by, &measured)
            ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");
    if (request->form != TABLE_TEXT)
        return traffic_print(stdout, request->form, &title, points, count)
            ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");
    print_memories(&session->config);
    print_requests(session, &title);
    if (!traffic_print(stdout, TABLE_TEXT, &title, points, count)
        || (load->detail && !print_details(session, &measured)))
        return fault_make(FAULT_MEMORY, "out of memory");
    if (request->is_curve)
        traffic_plot(stdout, false, &title, points, count);
    return fault_none();
}

static int traffic_command_run(struct traffic_session *session)
{
    struct fault fault;
    double start_s;
    int code = load_config(session);

    if (code == CLI_OK)
        code = complete_load(session);
    if (code != CLI_OK)
        return code;
    if (session->request->plot) {
        session->plot = cli_output_open(session->request->plot);
        if (!session->plot)
            return CLI_BAD_INPUT;
    }
    if (session->request->commands) {
        if (!command_log_open(&session->command_log, session->request->commands, &session->config))
            return CLI_BAD_INPUT;
        session->request->load.commands = &session->command_log.sink;
        session->request->load.device_commands = &session->command_log.device_sink;
    }
    start_s = host_clock_s();
    fault = drive(session);
    session->host_s = host_clock_s() - start_s;
    if (fault.kind == FAULT_NONE)
        fault = print(session);
    if (fault.kind != FAULT_NONE) {
        cli_output_discard(session->plot);
        return cli_fail(fault);
    }
    if (session->command_log.is_open && !command_log_close(&session->command_log, session->curve.result->end_ps, NULL))
        code = CLI_BAD_INPUT;
    if (session->plot && !cli_output_close(session->plot, session->request->plot))
        code = CLI_BAD_INPUT;
    return code == CLI_OK && interrupt_came() ? interrupt_exit_code() : code;
}

int cli_traffic(int argc, char **argv)
{
    struct traffic_request request;
    struct traffic_session *session;
    int code;

    if (!traffic_command_parse(&request, argc, argv, &code))
        return code;
    session = calloc(1, sizeof *session);
    if (!session)
        return cli_fail_text("out of memory");
    session->request = &request;
    if (request.is_sweep && !traffic_sweep_parse(&session->sweep, request.read_shares ? request.read_shares
                                                                                       : "0,0.25,0.5,0.75,1"))
        code = cli_usage_error(&usage, "--read-shares %s: expected up to %d different numbers from 0 to 1, such as "
                               "0.5,1", request.read_shares, TRAFFIC_MOST_LINES);
    else
        code = traffic_command_run(session);
    command_log_free(&session->command_log);
    traffic_curve_end(&session->curve);
    traffic_sweep_end(&session->sweep);
    traffic_detail_free(&session->detail);
    traffic_trace_free(&session->trace);
    free(session);
    return code;
}
