/* rubato view: a run that one can watch, in a window, as pictures, or as text. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/options/options.h"
#include "cli/replay/replay_regions.h"
#include "cli/replay/summary.h"
#include "cli/replay/text_view.h"
#include "cli/view/view_frames.h"
#include "cli/view/view_window.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/config/units.h"
#include "replay/regions/region_set.h"
#include "replay/warm/warm_file.h"
#include "sweep/run/region_runs.h"
#include "viz/view/keys.h"

#define USUAL_SPEED_PS UINT64_C(1000000)
#define LOOK_NS 50000000                 /* between two looks for samples of a run elsewhere */

struct view_request {
    struct replay_request replay;
    const char *compare, *attach;
    const char *compare_settings[WATCHED_MAX_CHANGES];
    size_t compare_setting_count;
    struct view_window_options window;
    struct view_frames_options frames;
    bool has_speed, is_text;
    struct warm_plan plan;
    uint64_t region;                     /* of a file of regions, from 1; 0: the one with the greatest weight */
};

static bool take_compare_setting(void *request, struct cli_parser *parser);
static bool take_scale(void *request, struct cli_parser *parser);
static bool take_size(void *request, struct cli_parser *parser);
static bool take_speed(void *request, struct cli_parser *parser);
static bool view_command_take_text(void *is_text, struct cli_parser *parser);
static bool take_times(void *frames, struct cli_parser *parser);

static const struct cli_option options[] = {
    {"set", "KEY=VALUE", "change one key, such as l2.size=512KiB, of both runs if there are two; may be repeated",
     CLI_APPEND(view_request, replay.settings, replay.setting_count), CLI_FOR_GPUS},
    {"compare", "OTHER", "a second system with the same traces, or a second recording, side by side",
     CLI_INTO(TEXT, view_request, compare), CLI_FOR_GPUS},
    {"compare-set", "KEY=VALUE", "change one key of the second run alone: of OTHER, or of the same system again",
     CLI_WHOLE(take_compare_setting), CLI_FOR_GPUS},
    {"attach", "NAME", "watch a run of another process: replay --publish NAME", CLI_INTO(TEXT, view_request, attach),
     CLI_FOR_GPUS},
    {"every", "TIME", "time between samples (default: 1us, twice that after 128 samples, and so on)",
     CLI_INTO(TIME, view_request, replay.sampling.samples.interval_ps), CLI_FOR_GPUS},
    {"speed", "TIME", "simulated time per frame, at 60 frames a second (default 1us), or max",
     CLI_WHOLE(take_speed), CLI_FOR_GPUS},
    {"kernels", "LIST", "GPU: run these kernels of the list, such as 3-7,9; the first is 1",
     CLI_CALL(view_request, replay.limits.kernels, replay_take_kernels), CLI_FOR_GPUS},
    {"view", "text", "show bars on a terminal instead of a window; into a pipe or file, a line for each sample",
     CLI_CALL(view_request, is_text, view_command_take_text), CLI_FOR_GPUS},
    {"light", NULL, "start with the light theme", CLI_INTO(SWITCH, view_request, window.is_light), CLI_FOR_GPUS},
    {"size", "WxH", "size of the window or of the pictures, in points (default 1280x800)",
     CLI_WHOLE(take_size), CLI_FOR_GPUS},
    {"frames", "DIR", "write pictures (frame-0001.png, ...) to DIR instead of opening a window; no display is needed",
     CLI_INTO(TEXT, view_request, frames.folder), CLI_FOR_GPUS},
    {"at", "TIMES", "for --frames: the simulated times of the pictures, such as 2us,10us (default: the end)",
     CLI_CALL(view_request, frames, take_times), CLI_FOR_GPUS},
    {"scale", "S", "pixels per point (default: that of the display; 1 for --frames)",
     CLI_WHOLE(take_scale), CLI_FOR_GPUS},
    {"requests", NULL, "trace requests of the cores: click on a latency to list them; pictures list them, too",
     CLI_INTO(SWITCH, view_request, replay.sampling.samples.has_requests)},
    {"script", "FILE", "take keys and clicks from a file (see viz/view/script.h)",
     CLI_INTO(TEXT, view_request, window.script), CLI_FOR_GPUS},
    {"frame-times", NULL, "at the end, print how long the frames took to draw",
     CLI_INTO(SWITCH, view_request, window.shows_frame_times), CLI_FOR_GPUS},
    {"region", "N", "of a file of regions: the Nth (default: that with the greatest weight)",
     CLI_INTO(COUNT, view_request, region)},
    {"warm", "METHOD", "of a region: as in rubato replay", CLI_INTO(TEXT, view_request, replay.warm)},
    {ENGINE_CLI_OPTION, CLI_CALL(view_request, replay.engine, replay_take_engine), CLI_FOR_GPUS},
    {MODEL_CLI_OPTION, CLI_CALL(view_request, replay.model_setting, replay_take_model), CLI_FOR_GPUS},
    {"cache", "DIR", "keep stores of traces there, as replay does", CLI_INTO(TEXT, view_request, replay.cache),
     CLI_FOR_GPUS},
    {"no-cache", NULL, "read the trace files themselves, and keep no store",
     CLI_INTO(SWITCH, view_request, replay.has_no_cache), CLI_FOR_GPUS},
    {0}};

static bool view_command_take_operand(void *request, struct cli_parser *parser)
{
    return replay_take_operand(&((struct view_request *)request)->replay, parser);
}

/* The keys, from their table; filled in when the command starts. */
static char notes[4096];

static struct cli_usage usage = {
    .synopsis = "rubato view SYSTEM TRACES... [options]\n"
                "rubato view RECORDING [options]\n"
                "rubato view --attach NAME [options]",
    .about = "Shows a replay while it runs: the memory system and what each part does, the banks of its DRAM, and\n"
             "bandwidth, latency, occupancy, stalls and addresses over time. SYSTEM and TRACES are those of\n"
             "`rubato replay`; of a file of regions one region is shown, begun warm. RECORDING is a file that\n"
             "`rubato replay --record` or the keys r and R wrote. The view does not change the run: ticks and\n"
             "statistics are the same as without it.",
    .options = options, .take_operand = view_command_take_operand,
    .notes = notes};

static void list_keys(void)
{
    size_t used = (size_t)snprintf(notes, sizeof notes, "Keys and pointer:\n");

    for (unsigned i = 0; i < VIEW_KEY_ACTIONS && used < sizeof notes; i++)
        used += (size_t)snprintf(notes + used, sizeof notes - used, "  %-11s%s\n", view_key_lines[i].shown,
                                 view_key_lines[i].help);
    if (used < sizeof notes)
        snprintf(notes + used, sizeof notes - used,
                 "Exit codes: 0 done, 1 an expectation of a script failed, 2 wrong input or no display,\n"
                 "3 the replay cannot continue.");
}

/* ---- arguments */
static bool view_command_take_time(struct cli_parser *parser, const char *text, uint64_t *time_ps)
{
    double unused;
    const char *const is_wrong = units_parse(UNIT_TIME, text, time_ps, &unused);

    if (!is_wrong)
        return true;
    cli_usage_error(&usage, "--%s %s %s; give a time such as 10us", parser->option, text, is_wrong);
    return false;
}

static bool take_times(void *field, struct cli_parser *parser)
{
    struct view_frames_options *const frames = field;
    const char *at = parser->value;

    while (*at != '\0') {
        char text[64];
        size_t const length = strcspn(at, ",");

        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), at);
        if (frames->time_count == VIEW_MAX_TIMES) {
            cli_usage_error(&usage, "--at has more than %d times", VIEW_MAX_TIMES);
            return false;
        }
        if (!view_command_take_time(parser, text, &frames->times_ps[frames->time_count]))
            return false;
        if (frames->time_count > 0 && frames->times_ps[frames->time_count] < frames->times_ps[frames->time_count - 1]) {
            cli_usage_error(&usage, "--at %s: %s must be later than the time before "
                                                        "it", parser->value,
                                                text);
            return false;
        }
        frames->time_count++;
        at += length + (at[length] == ',');
    }
    return true;
}

static bool take_speed(void *field, struct cli_parser *parser)
{
    struct view_request *const request = field;
    request->has_speed = true;
    request->window.speed_ps = 0;
    return strcmp(parser->value, "max") == 0 || view_command_take_time(parser, parser->value,
                                                                       &request->window.speed_ps);
}

static bool take_size(void *field, struct cli_parser *parser)
{
    struct view_request *const request = field;
    int width, height, used = 0;

    if (sscanf(parser->value, "%5dx%5d%n", &width, &height, &used) != 2 || parser->value[used] != '\0' || width < 320
        || height < 240 || width > 8192 || height > 8192) {
        cli_usage_error(&usage, "--size %s: expected WIDTHxHEIGHT from 320x240 to 8192x8192",
                                            parser->value);
        return false;
    }
    request->window.width = request->frames.width = width;
    request->window.height = request->frames.height = height;
    return true;
}

static bool take_scale(void *field, struct cli_parser *parser)
{
    struct view_request *const request = field;
    if (!cli_parse_ratio(parser, &request->frames.scale))
        return false;
    request->window.scale = request->frames.scale;
    if (request->frames.scale >= 0.5 && request->frames.scale <= 4)
        return true;
    cli_usage_error(&usage, "--scale %s: expected 0.5 to 4", parser->value);
    return false;
}

static bool view_command_take_text(void *field, struct cli_parser *parser)
{
    bool *const is_text = field;

    *is_text = strcmp(parser->value, "text") == 0;
    if (!*is_text)
        cli_usage_error(&usage, "--view %s: expected text, or leave it out for a window", parser->value);
    return *is_text;
}

static bool take_compare_setting(void *field, struct cli_parser *parser)
{
    struct view_request *const request = field;
    const char *const sign = strchr(parser->value, '=');

    if (!sign || sign == parser->value || strlen(parser->value) >= WATCHED_SETTING)
        cli_usage_error(&usage, "--compare-set %.100s: expected KEY=VALUE, such as l2.size=512KiB",
                                            parser->value);
    else if (request->compare_setting_count == WATCHED_MAX_CHANGES)
        cli_usage_error(&usage, "there are too many --compare-set options");
    else
        return request->compare_settings[request->compare_setting_count++] = parser->value, true;
    return false;
}

/* Checks the request as a whole; returns an exit code. */
static int check_attached(const struct view_request *request)
{
    if (request->replay.system)
        return cli_usage_error(&usage, "%s: --attach takes no SYSTEM or TRACES; the other process has chosen "
                                       "them", request->replay.system);
    if (request->frames.folder)
        return cli_usage_error(&usage, "--frames works for runs started here and for recordings; leave out --attach");
    return CLI_OK;
}

static int check_recording(const struct view_request *request)
{
    const char *const path = request->replay.system;

    if (!path)
        return cli_usage_error(&usage, "no SYSTEM or RECORDING was given; try wide and a folder of traces");
    if (access(path, F_OK) != 0)
        return cli_usage_error(&usage, "%s: there is no such file; give a recording, or a system and folders of traces",
                               path);
    if (!view_source_is_recording(path))
        return cli_usage_error(&usage, "%s is not a recording; if it is a system, give traces after it", path);
    return CLI_OK;
}

static int view_command_check(const struct view_request *request)
{
    bool const is_run = request->replay.folder_count > 0;
    int const code = request->attach ? check_attached(request) : is_run ? CLI_OK : check_recording(request);

    if (code != CLI_OK)
        return code;
    if (!is_run && (request->replay.setting_count || request->compare_setting_count
                    || request->replay.limits.kernels.count))
        return cli_usage_error(&usage, "--%s works only for a run started here; leave it out",
                               request->replay.setting_count ? "set"
                               : request->compare_setting_count ? "compare-set" : "kernels");
    if (request->replay.sampling.samples.has_requests && (!is_run || request->is_text))
        return cli_usage_error(&usage, "--requests works only for a run started here, in a window; leave it out");
    if (request->frames.time_count && !request->frames.folder)
        return cli_usage_error(&usage, "--at needs --frames DIR");
    if (request->frames.folder && (request->window.script || request->is_text))
        return cli_usage_error(&usage, "--frames cannot be used with --script or --view text");
    if (request->is_text && (request->window.script || request->compare || request->compare_setting_count))
        return cli_usage_error(&usage, "--view text shows one run and takes no keys; leave out --%s",
                               request->compare ? "compare"
                               : request->compare_setting_count ? "compare-set" : "script");
    return CLI_OK;
}

static bool view_command_parse(struct view_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    memset(request, 0, sizeof *request);
    replay_request_init(&request->replay);
    request->replay.is_quiet = true;
    request->frames.scale = 1;
    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
    request->replay.cpu_option = parser.cpu_option;
    request->frames.is_light = request->window.is_light;
    *code = view_command_check(request);
    return *code == CLI_OK;
}

/* ---- as text */
/* Of a recording, or of a run elsewhere: as fast as samples are there. */
static struct fault print_samples(struct view_source *source, struct text_panel *panel, int *code)
{
    bool const is_terminal = isatty(STDOUT_FILENO) == 1;

    for (;;) {
        bool const is_over = view_source_is_over(source, code);
        const uint64_t *words;

        while ((words = view_source_next(source))) {
            memcpy(panel->words, words, panel->layout->word_count * sizeof *words);
            if (is_terminal)
                text_panel_draw(panel, stdout);
            else
                text_panel_line(panel, stdout);
            if (is_terminal)
                nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
        }
        if (is_over)
            return *code == CLI_OK ? (text_panel_whole(panel, stdout, is_terminal), fault_none())
                   : source->kind == VIEW_SOURCE_RECORDING ? source->recording.fault
                   : fault_make(FAULT_INPUT, "%s: the run was stopped before its end", source->path);
        if (source->kind == VIEW_SOURCE_ATTACHED) {
            fflush(stdout);
            nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
        }
    }
}

static int show_source_text(const struct view_request *request)
{
    struct view_source source;
    struct text_panel panel;
    struct fault fault;
    int code = request->attach ? view_source_attach(&source, request->attach, SAMPLE_GATE_NO_LIMIT)
                               : view_source_open_recording(&source, request->replay.system, SAMPLE_GATE_NO_LIMIT);

    if (code != CLI_OK)
        return code;
    fault = text_panel_init(&panel, view_source_layout(&source));
    if (fault.kind == FAULT_NONE)
        fault = print_samples(&source, &panel, &code);
    text_panel_free(&panel);
    code = fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
    view_source_close(&source);
    return code;
}

static void print_verdict(void *context, const struct figures *figures, const struct verdict *verdict)
{
    (void)context;
    (void)figures;
    summary_print_verdict(stdout, verdict);
}

static int show_text(struct view_request *request)
{
    if (request->replay.folder_count == 0)
        return show_source_text(request);
    request->replay.sampling.has_view = true;
    request->replay.judged = print_verdict;
    return replay_run(&request->replay);
}

static int show(struct view_request *request)
{
    struct view_session *const session = calloc(1, sizeof *session);
    int code;

    if (!session)
        return cli_fail_text("out of memory");
    session->attach = request->attach;
    if (request->replay.folder_count == 0)
        session->recording = request->replay.system;
    else
        session->request = &request->replay;
    session->compare = request->compare;
    session->compare_settings = request->compare_settings;
    session->compare_setting_count = request->compare_setting_count;
    if (!request->has_speed)
        request->window.speed_ps = request->attach ? 0 : USUAL_SPEED_PS;
    view_session_begin(session);
    code = request->frames.folder ? view_frames_write(session, &request->frames)
                                  : view_window_show(session, &request->window);
    view_session_end(session);
    free(session);
    return code;
}

/* ---- one region of a file of regions */
static size_t heaviest(const struct region_set *set)
{
    size_t most = 0;

    for (size_t i = 1; i < set->count; i++)
        most = set->regions[i].weight > set->regions[most].weight ? i : most;
    return most;
}

static struct fault begin_region(struct view_request *request, const struct region_set *set,
                                 const struct region *region, enum region_warm_method method)
{
    struct session_request wanted = {.limits = request->replay.limits};

    if (region_warm_of(set, method) == REGION_WARM_KEPT && (!set->states || !warm_file_is_there(set->states)))
        return fault_at(request->replay.folders[0], FAULT_NO_OFFSET, "nothing is kept for the regions; choose them "
                        "anew with `rubato regions`, or leave out --warm kept");
    region_warm_begin(&request->plan, method, set, region, request->replay.folders[0], &request->replay.reading,
                      &wanted);
    request->replay.limits = wanted.limits;
    request->replay.warm_plan = wanted.warm;
    return fault_none();
}

/* A launch of a kernel, with those of its warm-up. */
static struct fault take_launch(struct view_request *request, const struct region *region,
                                enum region_warm_method method)
{
    uint64_t const launch = region->first + region->warmup + 1;

    request->replay.limits.kernels = (struct gpu_pick){
        .ranges = {{method == REGION_WARM_NONE ? launch : region->first + 1, launch}}, .count = 1};
    return fault_none();
}

/* In its place, the trace from the region's warm-up to its end; *trace is the caller's to free. */
static struct fault take_region(struct view_request *request, const struct region_set *set,
                                enum region_warm_method method, char **trace)
{
    const char *const path = request->replay.folders[0];
    const struct region *const region = &set->regions[request->region ? request->region - 1 : heaviest(set)];

    if (request->region > set->count)
        return fault_make(FAULT_INPUT, "--region %llu: %s has %zu regions", (unsigned long long)request->region, path,
                          set->count);
    *trace = region->trace ? strdup(region->trace) : region_set_trace_path(set, path);
    if (!*trace)
        return fault_make(FAULT_MEMORY, "out of memory");
    if (!region->trace)
        FORWARD(region_set_check_trace(set, path, *trace));
    request->replay.folders[0] = *trace;
    return set->is_of_kernels ? take_launch(request, region, method) : begin_region(request, set, region, method);
}

static struct fault check_region(const struct view_request *request, const struct region_set *set, const char *path,
                                 enum region_warm_method method)
{
    struct system_config *const config = config_new();
    struct fault fault = config ? replay_request_config(&request->replay, config)
                                : fault_make(FAULT_MEMORY, "out of memory");

    if (fault.kind == FAULT_NONE)
        fault = region_runs_check(set, path, config, method);
    free(config);
    return fault;
}

static int show_region(struct view_request *request)
{
    struct region_set set = {0};
    char *trace = NULL;
    enum region_warm_method method = REGION_WARM_USUAL;
    struct fault fault;
    int code = CLI_OK;

    if (request->replay.warm && !region_warm_find(request->replay.warm, &method))
        return cli_fail_text("--warm %s; expected kept, functional, detailed or none", request->replay.warm);
    if (WORKS(fault, region_set_read(&set, request->replay.folders[0]))
        && WORKS(fault, check_region(request, &set, request->replay.folders[0], method)))
        fault = take_region(request, &set, method, &trace);
    if (fault.kind == FAULT_NONE)
        code = request->is_text ? show_text(request) : show(request);
    region_set_free(&set);
    free(trace);
    return fault.kind == FAULT_NONE ? code : cli_fail(fault);
}

static int show_any(struct view_request *request)
{
    if (replay_is_of_regions(&request->replay))
        return show_region(request);
    if (request->region > 0)
        return cli_usage_error(&usage, "--region is for a file of regions, which `rubato regions` writes");
    return request->is_text ? show_text(request) : show(request);
}

int cli_view(int argc, char **argv)
{
    struct view_request *const request = malloc(sizeof *request);
    int code = CLI_OK;

    if (!request)
        return cli_fail_text("out of memory");
    list_keys();
    if (view_command_parse(request, argc, argv, &code))
        code = show_any(request);
    free(request);
    return code;
}
