/* rubato regions: profiles a trace, chooses regions, writes them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "base/input_file.h"
#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/output.h"
#include "cli/common/output_name.h"
#include "cli/common/progress.h"
#include "cli/options/options.h"
#include "cli/regions/cut_trace.h"
#include "cli/regions/keep_states.h"
#include "cli/regions/kernel_regions.h"
#include "cli/regions/pilot.h"
#include "proto/trace_formats.h"
#include "replay/regions/choose.h"
#include "replay/regions/pinpoints.h"
#include "replay/regions/simpoints.h"
#include "replay/warm/warm_file.h"
#include "sweep/plan/spec.h"

enum {
    INTERVAL = 1000000, WARMUP = 1000000, MOST_PHASES = 30, REGIONS = 60, KEPT_BYTES = 64 << 20,
    LEAST_KEPT_BYTES = 1024, WISH_BYTES = 700
};
#define CONFIDENCE 95.0
#define NOT_GIVEN UINT64_MAX

struct regions_request {
    const char *trace, *output, *method, *format, *pinpoints, *cut;
    struct simpoints_files simpoints;
    uint64_t interval, warmup, most_phases, regions, seed, kept_bytes;
    struct pilot_request pilot;          /* error: 0: no pilot */
    bool has_regions, is_of_kernels, is_quiet;
};

static bool take_regions(void *request, struct cli_parser *parser);
static bool take_confidence(void *percent, struct cli_parser *parser);

static const struct cli_option options[] = {
    {"output", "FILE", "the regions, also -o (default: the trace's name with .regions, in the working folder)",
     CLI_INTO(TEXT, regions_request, output)},
    {"method", "METHOD", "simpoint: one region a phase; systematic: at even distances; stratified: several at\n"
     "random in each phase (default)", CLI_INTO(TEXT, regions_request, method)},
    {"interval", "N", "instructions of a region (default 1M; of GPU kernels a region is a launch)",
     CLI_INTO(COUNT, regions_request, interval)},
    {"warmup", "N", "instructions before a region that fill caches and predictors, and are not counted\n"
     "(default 1M); of GPU kernels launches (default 1)",
     CLI_INTO(COUNT, regions_request, warmup)},
    {"phases", "N", "simpoint, stratified: phases at most (default 30)", CLI_INTO(COUNT, regions_request, most_phases)},
    {"regions", "N", "systematic, stratified: regions (default 60)", CLI_WHOLE(take_regions)},
    {"error", "SHARE%", "in place of --regions: as many as narrow the interval of CPI to that, such as 1%;\n"
     "a pilot of 60 regions says how many", CLI_CALL(regions_request, pilot.error, pilot_take_error)},
    {"confidence", "PERCENT", "of that interval (default 95)",
     CLI_CALL(regions_request, pilot.confidence, take_confidence)},
    {"system", "SYSTEM", "that the pilot runs on, with detailed cores (default " PILOT_SYSTEM ")",
     CLI_INTO(TEXT, regions_request, pilot.system)},
    {"seed", "N", "stratified: other regions at random (default 0)", CLI_INTO(COUNT, regions_request, seed)},
    {"simpoints", "FILE", "take the regions of SimPoint's file of intervals, of --interval instructions each ...",
     CLI_INTO(TEXT, regions_request, simpoints.points)},
    {"weights", "FILE", "... with the weights of its other file", CLI_INTO(TEXT, regions_request, simpoints.weights)},
    {"pinpoints", "FILE.csv", "take the regions of a CSV of PinPoints or LoopPoint, by instructions or by pcs",
     CLI_INTO(TEXT, regions_request, pinpoints)},
    {"keep", "SIZE", "with each region what fills a system's caches, TLBs and predictors before it, of caches up to\n"
     "that size (default 64MiB); 0: nothing", CLI_INTO(BYTES, regions_request, kept_bytes)},
    {"cut", "FILE.rbt", "write a trace of the regions with their warm-ups, which replays then read in place of\n"
     "the whole", CLI_INTO(TEXT, regions_request, cut)},
    {"format", "NAME", "of the trace (default: detected by content)", CLI_INTO(TEXT, regions_request, format)},
    {"quiet", NULL, "no table and no progress line", CLI_INTO(SWITCH, regions_request, is_quiet)},
    {0}
};

static bool take_trace(void *request, struct cli_parser *parser)
{
    struct regions_request *const regions = request;

    if (regions->trace) {
        cli_usage_error(parser->usage, "two traces were given; expected one");
        return false;
    }
    regions->trace = parser->value;
    return true;
}

static const struct cli_usage usage = {
    .synopsis = "rubato regions INSN_TRACE [-o FILE.regions] [options]\n"
        "rubato regions KERNELS [-o FILE.regions] [options]",
    .about = "Chooses parts of an instruction trace, or launches of a list of GPU kernels, that stand for all of it,\n"
        "each with a weight.\n"
        "`rubato replay SYSTEM FILE.regions` runs them and says what the whole program would do, and how far that may "
        "be\noff.",
    .options = options, .take_operand = take_trace,
    .notes = "Phases are intervals of the program that execute the same code, found by k-means in its basic-block "
        "vectors.\nSystematic and stratified regions give intervals of confidence; simpoint has one region a phase, "
        "which says\nnothing of its spread."
};

static bool take_regions(void *field, struct cli_parser *parser)
{
    struct regions_request *const request = field;

    request->has_regions = true;
    return cli_parse_count(parser, &request->regions);
}

static bool take_confidence(void *percent, struct cli_parser *parser)
{
    if (spec_confidence(parser->value, percent))
        return true;
    cli_usage_error(parser->usage, "--confidence %s; expected %s", parser->value, SPEC_CONFIDENCE_EXPECTED);
    return false;
}

struct watched { struct progress progress; uint64_t of; };

static bool show(void *context, uint64_t instructions)
{
    struct watched *const watched = context;

    progress_show(&watched->progress, instructions, PROGRESS_NO_TIME,
                  watched->of > 0 ? (double)instructions / (double)watched->of : 0);
    return interrupt_came();
}

/* The trace's name with another ending. NULL: out of memory. */
static char *default_output(const char *trace)
{
    const char *const name = path_name(trace);
    size_t const length = text_ends_in(name, ".rbt") ? strlen(name) - 4 : strlen(name);
    char *const output = malloc(length + sizeof ".regions");

    if (output) {
        memcpy(output, name, length);
        strcpy(output + length, ".regions");
    }
    return output;
}

/* The path as the file should have it: the name alone if both lie in one folder, else the whole path. */
static struct fault place_trace(struct region_set *set, const char *output)
{
    size_t const folder = (size_t)(path_name(output) - output), own = (size_t)(path_name(set->trace) - set->trace);
    bool const is_beside = folder == own && set->trace[own];
    char *const path = is_beside && strncmp(output, set->trace, own) == 0 ? strdup(path_name(set->trace))
                                                                            : realpath(set->trace, NULL);

    if (!path)
        return fault_memory(set->trace, NULL);
    free(set->trace);
    set->trace = path;
    if (!strpbrk(path, "\t\n"))
        return fault_none();
    return fault_at(path, FAULT_NO_OFFSET, "a tab or a new line in the name of a trace; give it another name");
}

/* Other kinds are known by name, as their readers would only say that they are no instruction traces. */
static struct fault check_kind(const struct regions_request *request)
{
    const struct trace_kind *const kind = request->format ? NULL : trace_kind_of(request->trace);

    return kind && (kind->work == TRACE_WORK_PAIRS || kind->work == TRACE_WORK_MACSIM)
        ? fault_at(request->trace, FAULT_NO_OFFSET, "is of another kind (%s); regions are of instruction traces of one "
                   "thread, or of GPU kernels", kind->name)
        : fault_none();
}

/* The profile, or with --pinpoints the set itself, of which no profile is needed. */
static struct fault read_trace(const struct regions_request *request, struct block_vectors *vectors,
                               struct region_set *set)
{
    struct fault fault;
    struct insn_trace *const trace = insn_trace_open_as(request->trace, request->format, INSN_OPEN_RAW, &fault);
    struct watched watched;

    if (!trace)
        return fault;
    watched.of = insn_trace_threads(trace) > 0 ? insn_trace_thread(trace, 0)->instructions : 0;
    progress_start(&watched.progress);
    watched.progress.what = "instructions";
    watched.progress.is_shown &= !request->is_quiet;
    interrupt_listen();
    fault = request->pinpoints ? pinpoints_read(set, trace, request->pinpoints, request->warmup, show, &watched)
                               : block_vectors_read(vectors, trace, request->interval, show, &watched);
    progress_end(&watched.progress);
    insn_trace_close(trace);
    return interrupt_came() ? fault_make(FAULT_STALL, "stopped by %s; nothing was written", interrupt_name()) : fault;
}

/* vectors: NULL: the regions were there already. */
static void print_regions(const struct region_set *set, const struct block_vectors *vectors, const char *output)
{
    uint64_t detailed = 0;

    for (size_t i = 0; i < set->count; i++)
        detailed += set->regions[i].warmup + set->regions[i].instructions;
    printf("program       %" PRIu64 " instructions", set->instructions);
    if (vectors && vectors->count > 0)
        printf(", %zu intervals of %" PRIu64 ", %" PRIu64 " basic blocks", vectors->count, set->interval,
               vectors->blocks);
    putchar('\n');
    printf("regions       %zu, %s, in %zu strat%s: %s\n", set->count, region_method_name(set->method),
           set->stratum_count, set->stratum_count == 1 ? "um" : "a", output);
    printf("to simulate   %" PRIu64 " instructions with the warm-ups, 1 of %.1f\n", detailed,
           (double)set->instructions / (double)detailed);
}

static int write_set(const struct regions_request *request, struct region_set *set, const struct block_vectors *vectors,
                     const char *output)
{
    FILE *const file = cli_output_open(output);

    if (!file)
        return CLI_BAD_INPUT;
    if (!region_set_write(set, file)) {
        cli_output_discard(file);
        return cli_fail_text("%s: cannot be written", output);
    }
    if (!cli_output_close(file, output))
        return CLI_BAD_INPUT;
    if (!request->is_quiet && strcmp(output, "-") != 0 && request->is_of_kernels)
        kernel_regions_print(set, output);
    else if (!request->is_quiet && strcmp(output, "-") != 0)
        print_regions(set, vectors, output);
    return CLI_OK;
}

static struct fault write_states(const struct regions_request *request, const struct region_set *set,
                                 const struct keep_request *keep)
{
    struct kept kept;
    char *const path = region_set_states_path(keep->regions);

    if (!path)
        return fault_memory(keep->regions, NULL);
    if (request->kept_bytes == 0 || request->cut)
        warm_file_remove(path);          /* a begun one has places of the whole trace */
    free(path);
    if (request->kept_bytes == 0)
        return fault_none();
    FORWARD(keep_states(keep, set, &kept));
    if (request->is_quiet)
        return fault_none();
    printf("kept          %zu states, %.3g MB each, in %s.warm\n", kept.states,
           1e-6 * (double)kept.bytes / (double)kept.states, keep->regions);
    if (kept.had > 0)
        printf("              %zu of these by the command that was stopped\n", kept.had);
    return fault_none();
}

/* The regions that an earlier command wrote before it was stopped. */
static bool find_begun(const struct keep_request *keep, struct region_set *set)
{
    bool is_begun;

    *set = (struct region_set){0};
    input_file_look_begin();             /* the file may be replaced */
    is_begun = region_set_is_file(keep->regions) && region_set_read(set, keep->regions).kind == FAULT_NONE
        && region_set_check_trace(set, keep->regions, keep->trace).kind == FAULT_NONE && keep_is_begun(keep, set);
    input_file_look_end();
    if (!is_begun)
        region_set_free(set);
    return is_begun;
}

/* By the error that is wanted if there is one, else by their number. */
static struct fault choose_some(const struct regions_request *request, const struct choice *choice,
                                const struct keep_request *keep, const struct block_vectors *vectors,
                                struct region_set *set)
{
    struct choice sized = *choice;
    uint64_t *of_stratum = NULL;
    struct fault fault = fault_none();

    if (request->pilot.error > 0)
        fault = pilot_run(&request->pilot, vectors, choice, keep, &of_stratum);
    sized.of_stratum = of_stratum;
    if (fault.kind == FAULT_NONE)
        fault = choose_regions(set, vectors, &sized);
    free(of_stratum);
    return fault;
}

static struct fault find_regions(const struct regions_request *request, const struct choice *choice,
                                 struct keep_request *keep, struct block_vectors *vectors, struct region_set *set)
{
    if (request->is_of_kernels) {
        FORWARD(kernel_regions_find(set, request->trace, choice, request->is_quiet));
        return place_trace(set, keep->regions);
    }
    FORWARD(check_kind(request));
    if (request->pilot.error > 0)
        FORWARD(pilot_check(&request->pilot));
    FORWARD(region_set_begin(set, request->trace));
    FORWARD(read_trace(request, vectors, set));
    if (!request->pinpoints)
        FORWARD(request->simpoints.points
                ? simpoints_read(set, vectors, &request->simpoints, choice->interval, choice->warmup)
                : choose_some(request, choice, keep, vectors, set));
    if (request->cut)
        FORWARD(cut_trace(set, request->trace, request->format, request->cut, &keep->firsts));
    return place_trace(set, keep->regions);
}

static int choose(const struct regions_request *request, const struct choice *choice, struct keep_request *keep)
{
    const char *const output = keep->regions;
    bool const has_states = strcmp(output, "-") != 0;
    struct block_vectors vectors = {0};
    struct region_set set = {0};
    struct fault fault = fault_none();
    int code = CLI_OK;

    if (has_states && request->kept_bytes > 0 && !request->cut && find_begun(keep, &set)) {
        if (!request->is_quiet)
            print_regions(&set, NULL, output);
    } else if (WORKS(fault, find_regions(request, choice, keep, &vectors, &set))) {
        code = write_set(request, &set, &vectors, output);
    }
    if (fault.kind == FAULT_NONE && code == CLI_OK && has_states)
        fault = write_states(request, &set, keep);
    block_vectors_free(&vectors);
    region_set_free(&set);
    free(keep->firsts);
    return fault.kind == FAULT_NONE ? code : cli_fail(fault);
}

/* Of what decides which regions are chosen, and what is kept of them; not 0. */
static uint64_t wish_of(const struct regions_request *request)
{
    char text[WISH_BYTES];
    int const length = snprintf(
        text, sizeof text, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
        " %.120s %.120s %.120s %g %g %.60s", request->method, request->interval, request->warmup, request->most_phases,
        request->regions, request->seed, request->kept_bytes,
        request->simpoints.points ? request->simpoints.points : "",
        request->simpoints.weights ? request->simpoints.weights : "", request->pinpoints ? request->pinpoints : "",
        request->pilot.error, request->pilot.confidence, request->pilot.system ? request->pilot.system : "");

    return hash64(text, (size_t)length) | 1;
}

/* Options that regions of kernels do not have, and defaults of those that they have. */
static int take_defaults(struct regions_request *request)
{
    const char *const given = request->simpoints.points ? "simpoints" : request->pinpoints ? "pinpoints"
                              : request->cut ? "cut" : request->pilot.error > 0 ? "error"
                              : request->interval != NOT_GIVEN ? "interval"
                              : strcmp(request->method, "systematic") == 0 ? "method systematic" : NULL;

    request->is_of_kernels = request->trace && !request->format && trace_has_kernels(request->trace)
                             && (trace_kind_of(request->trace)->work == TRACE_WORK_KERNELS
                                 || trace_kind_of(request->trace)->work == TRACE_WORK_MACSIM);
    if (request->is_of_kernels && given)
        return cli_usage_error(&usage, "--%s is for instruction traces, and %s has GPU kernels; leave it out", given,
                               request->trace);
    request->interval = request->interval != NOT_GIVEN ? request->interval : request->is_of_kernels ? 1 : INTERVAL;
    request->warmup = request->warmup != NOT_GIVEN ? request->warmup : request->is_of_kernels ? 1 : WARMUP;
    request->kept_bytes = request->is_of_kernels ? 0 : request->kept_bytes;
    return CLI_OK;
}

static int check_pilot(const struct regions_request *request, enum region_method method)
{
    const struct pilot_request *const pilot = &request->pilot;

    if (pilot->error <= 0)
        return pilot->system || pilot->confidence > 0
            ? cli_usage_error(&usage, "--%s is for an error that is wanted; give --error, too",
                              pilot->system ? "system" : "confidence") : CLI_OK;
    if (request->has_regions)
        return cli_usage_error(&usage, "--regions and --error; expected one of both, as the error says how many");
    if (request->pinpoints || request->simpoints.points)
        return cli_usage_error(&usage, "--error and --%s; another tool has chosen those regions, so leave out --error",
                               request->pinpoints ? "pinpoints" : "simpoints");
    if (method == REGIONS_SIMPOINT)
        return cli_usage_error(&usage, "--error with --method simpoint, which has one region a phase and so no error; "
                               "give --method stratified or systematic");
    return CLI_OK;
}

static int check_request(const struct regions_request *request, struct choice *choice)
{
    if (!request->trace)
        return cli_usage_error(&usage, "no trace was given; name one");
    if (!region_method_find(request->method, &choice->method) || choice->method == REGIONS_GIVEN)
        return cli_usage_error(&usage, "--method %s; expected simpoint, systematic or stratified", request->method);
    if (request->cut && !cli_output_fits(request->cut, "an instruction trace", "rbt"))
        return CLI_BAD_INPUT;
    if (!request->simpoints.points != !request->simpoints.weights)
        return cli_usage_error(&usage, "--%s without --%s; SimPoint writes both",
                               request->simpoints.points ? "simpoints" : "weights",
                               request->simpoints.points ? "weights" : "simpoints");
    if (request->pinpoints && request->simpoints.points)
        return cli_usage_error(&usage, "--pinpoints and --simpoints; expected one of both");
    if (request->interval == 0 || request->regions == 0)
        return cli_usage_error(&usage, "--%s 0; expected 1 at least", request->interval == 0 ? "interval" : "regions");
    if (request->interval > INTERVAL_MOST)
        return cli_usage_error(&usage, "--interval %" PRIu64 "; expected 2^40 at most", request->interval);
    if (request->most_phases == 0 || request->most_phases > PHASES_MOST)
        return cli_usage_error(&usage, "--phases %" PRIu64 "; expected 1 to %d", request->most_phases, PHASES_MOST);
    if (request->kept_bytes > 0 && request->kept_bytes < LEAST_KEPT_BYTES)
        return cli_usage_error(&usage, "--keep %" PRIu64 " bytes; expected 0, or 1KiB at least", request->kept_bytes);
    return check_pilot(request, choice->method);
}

int cli_regions(int argc, char **argv)
{
    struct regions_request request = {.method = "stratified", .interval = NOT_GIVEN, .warmup = NOT_GIVEN,
                                      .most_phases = MOST_PHASES, .regions = REGIONS, .kept_bytes = KEPT_BYTES};
    struct choice choice;
    struct keep_request keep;
    struct cli_parser parser;
    char *output;
    int code;

    if (!cli_parse(&parser, &usage, &request, argc, argv))
        return parser.exit_code;
    code = take_defaults(&request);
    if (code != CLI_OK)
        return code;
    choice = (struct choice){.interval = request.interval, .warmup = request.warmup, .regions = request.regions,
                             .seed = request.seed, .most_phases = (uint32_t)request.most_phases};
    code = check_request(&request, &choice);
    if (code != CLI_OK)
        return code;
    output = request.output ? strdup(request.output) : default_output(request.trace);
    if (!output)
        return cli_fail_text("out of memory");
    keep = (struct keep_request){.trace = request.trace, .format = request.format, .regions = output,
                                 .lines = request.kept_bytes / WARM_LINE_BYTES, .wish = wish_of(&request),
                                 .is_quiet = request.is_quiet};
    if (request.pilot.confidence <= 0)
        request.pilot.confidence = CONFIDENCE;
    code = choose(&request, &choice, &keep);
    free(output);
    return code;
}
