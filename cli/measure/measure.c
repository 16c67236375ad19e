/* rubato measure: microbenchmarks of this host, and the system that they say it is. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/host_facts.h"
#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/shown.h"
#include "cli/common/table.h"
#include "cli/measure/measure_report.h"
#include "cli/options/shared_options.h"
#include "sweep/measure/agreement.h"

enum { HEAD_BYTES = 2048, FOLDER_BYTES = 4096 };

struct measure_request {
    const char *output, *report;
    uint64_t memory_bytes, seconds;      /* seconds: 0: by is_quick */
    bool is_quick;
    enum table_form form;
};

static bool take_nothing(void *field, struct cli_parser *parser)
{
    (void)field;
    cli_usage_error(parser->usage, "measure: unexpected argument %s", parser->value);
    return false;
}

static bool take_seconds(void *field, struct cli_parser *parser)
{
    enum { MOST_SECONDS = 24 * 60 * 60 };
    uint64_t *const seconds = field;

    if (!cli_parse_count(parser, seconds))
        return false;
    if (*seconds > 0 && *seconds <= MOST_SECONDS)
        return true;
    cli_usage_error(parser->usage, "--seconds %s: expected a number of seconds from 1 to %d", parser->value,
                    MOST_SECONDS);
    return false;
}

static const struct cli_option options[] = {
    {"output", "FILE", "write the system there", CLI_INTO(TEXT, measure_request, output)},
    {"quick", NULL, "25 seconds in place of 90: larger spreads, fewer keys by replays",
     CLI_INTO(SWITCH, measure_request, is_quick)},
    {"seconds", "N", "about as many seconds; a busy host needs more", CLI_CALL(measure_request, seconds, take_seconds)},
    {"memory", "SIZE", "the largest footprint, such as 512MiB (default: four times the last cache, and no\n"
     "more than a third of the memory that may be used)", CLI_INTO(BYTES, measure_request, memory_bytes)},
    {"report", "FILE.html", "write a page with the curves, measured and replayed",
     CLI_INTO(TEXT, measure_request, report)},
    TABLE_OPTIONS(measure_request, form),
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato measure -o FILE [--quick | --seconds N] [--memory SIZE] [--report FILE.html]\n"
                "               [--tsv | --csv | --json]",
    .about = "Measures this host with microbenchmarks of its core, caches and memory, and writes the system that they\n"
             "describe. Each key has as comment the benchmark that it is from, its cycles and their spread; what is\n"
             "not identifiable, or was disturbed, is a comment that begins `unknown`, and stays at its default. Keys\n"
             "that only the model connects with what is measured are found by replaying the same microbenchmarks.\n"
             "Prints all benchmarks with the cycles of an operation. Needs no privileges; x86-64 and aarch64.",
    .options = options, .take_operand = take_nothing,
    .notes = "Load of other programs makes passes longer; the least confirmed one counts, so a busy host needs the\n"
             "longer measurement. The file is there whole, or not at all."
};

/* ---- progress */
struct shown_progress {
    bool is_terminal;
    size_t width;
};

static bool show_progress(void *context, const char *what, double part)
{
    struct shown_progress *const shown = context;
    char line[128];
    int length;

    if (!shown->is_terminal)
        return interrupt_came();
    length = snprintf(line, sizeof line, "%3.0f %% %s", 100 * part, what);
    fprintf(stderr, "\r%-*s", (int)shown->width, line);
    shown->width = max_u64(shown->width, (uint64_t)length);
    return interrupt_came();
}

static void end_progress(struct shown_progress *shown)
{
    if (shown->width > 0)
        fprintf(stderr, "\r%*s\r", (int)shown->width, "");
    shown->width = 0;
}

/* ---- the table */
static struct table_column const columns[] = {
    {.name = "benchmark", .heading = "benchmark", .width = TABLE_FIT_LEFT},
    {.name = "cycles", .heading = "cycles", .width = 10, .text_digits = 3, .data_digits = 4},
    {.name = "spread", .heading = "spread", .width = 9, .text_digits = 1, .data_digits = 4, .scale = 100,
     .suffix = " %"},
    {.name = "replayed", .heading = "replayed", .width = 10, .text_digits = 3, .data_digits = 4},
    {.name = "remark", .heading = "remark", .gap = "  ", .width = TABLE_FIT_LEFT}
};

static void table_rows(const void *context, struct table_writer *writer)
{
    const struct measurement *const measurement = context;

    for (size_t i = 0; i < measurement->count; i++) {
        const struct measured *const measured = &measurement->list[i];

        table_word(writer, measured->name);
        table_real(writer, passes_value(&measured->cycles));
        table_real(writer, passes_spread(&measured->cycles));
        table_real(writer, measured->simulated);
        table_word(writer, measured->missing ? measured->missing
                           : passes_are_steady(&measured->cycles) ? NULL : "disturbed");
        table_end_row(writer);
    }
}

/* ---- the file */
static void make_head(const struct measurement *measurement, const struct measure_request *request,
                      char head[HEAD_BYTES])
{
    const struct measured_host *const host = &measurement->host;
    int length = snprintf(head, HEAD_BYTES, "%s as `rubato measure%s` (%s) found it.\n"
                          "\nA comment says where a value is from: benchmark, cycles of an operation, spread of the "
                          "rounds' leasts above it.\n`unknown` stays at its default. docs/measure.md has the "
                          "benchmarks.\n\nCounter of time: %s, %.1f MHz. Cores that could be used: %u%s. Memory: "
                          "footprints up to %zu MiB.\n",
                          host->model[0] ? host->model : "A host", request->is_quick ? " --quick" : "", RUBATO_VERSION,
                          host->counter_name, 1e-6 * host->ticks_per_s, host->core_count,
                          host->is_virtual ? ", of a virtual machine" : "", measurement->memory.large_bytes >> 20);

    if (host->counter_doubt)
        length += snprintf(head + length, HEAD_BYTES - (size_t)length, "Doubtful: %s; %s was read instead.\n",
                           host->counter_doubt, host->counter_name);
    if (!measurement->is_pinned)
        length += snprintf(head + length, HEAD_BYTES - (size_t)length,
                           "Doubtful: the system did not let it stay on one core.\n");
    if (host->cpu_share > 0)
        snprintf(head + length, HEAD_BYTES - (size_t)length, "A control group limits it to %.2f cores.\n",
                 host->cpu_share);
}

/* ---- runs */
static double seconds_of(const struct measurement *measurement)
{
    return host_clock_s() - measurement->start_s;
}

static struct fault run_benchmarks(struct measurement *measurement)
{
    unsigned const rounds = measurement->options.rounds;
    double const most_s = measurement->options.most_s, last_s = 0.13 * most_s;
    size_t first;

    FORWARD(measure_plan_add(measurement));
    FORWARD(measurement_run(measurement, 0, rounds, 0.2 * most_s));
    for (int step = 0; step < 2; step++) {
        FORWARD(measure_plan_refine(measurement, &first));
        FORWARD(measurement_run(measurement, first, rounds, 0.06 * most_s));
    }
    FORWARD(measurement_run(measurement, 0, 1, most_s - last_s - seconds_of(measurement)));
    /* Where the first points were disturbed on one side of an edge, its step is another one now. */
    FORWARD(measure_plan_refine(measurement, &first));
    return measurement_run(measurement, first, rounds, last_s);
}

/* By the clock, since a busy host stretches the work before this. */
static struct fault run_replays(struct found_system *system, struct measurement *measurement,
                                const struct measure_request *request, struct agreement_options *how, double seconds)
{
    how->most_s = 0.85 * seconds - seconds_of(measurement);
    FORWARD(agreement_run(system, measurement, how));
    how->most_s = fmax(1.2 * seconds - seconds_of(measurement), 0.1 * seconds);
    return request->report ? agreement_curves(system, measurement, how) : fault_none();
}

/* A folder for traces. False: the reason is printed. */
static bool make_folder(char folder[FOLDER_BYTES])
{
    const char *const named = getenv("TMPDIR");

    if (snprintf(folder, FOLDER_BYTES, "%s/rubato-measure-XXXXXX", named && *named ? named : "/tmp") >= FOLDER_BYTES) {
        cli_fail_text("the environment's TMPDIR is too long");
        return false;
    }
    if (mkdtemp(folder))
        return true;
    cli_fail_text("%s: cannot be created: %s; name another folder in the environment's TMPDIR", cli_shown(folder),
                  strerror(errno));
    return false;
}

/* Opened before the host is measured, so that a name that cannot be written to costs no time. */
struct measure_outputs {
    FILE *system, *report;               /* NULL: not asked for, or given back */
};

static void discard_outputs(struct measure_outputs *outputs)
{
    cli_output_discard(outputs->system);
    cli_output_discard(outputs->report);
    *outputs = (struct measure_outputs){NULL, NULL};
}

static bool open_outputs(struct measure_outputs *outputs, const struct measure_request *request)
{
    *outputs = (struct measure_outputs){.system = cli_output_open(request->output)};
    if (outputs->system && request->report)
        outputs->report = cli_output_open(request->report);
    if (outputs->system && (outputs->report || !request->report))
        return true;
    discard_outputs(outputs);
    return false;
}

static int write_outputs(struct measure_outputs *outputs, const struct found_system *system,
                         const struct measurement *measurement, const struct measure_request *request)
{
    struct measure_outputs const open = *outputs;
    char head[HEAD_BYTES];

    make_head(measurement, request, head);
    found_write(system, head, open.system);
    if (open.report)
        measure_report_write(open.report, system, measurement);
    outputs->system = NULL;
    if (!cli_output_close(open.system, request->output))
        return CLI_BAD_INPUT;
    outputs->report = NULL;
    return !open.report || cli_output_close(open.report, request->report) ? CLI_OK : CLI_BAD_INPUT;
}

static int finish(struct fault fault, struct measure_outputs *outputs, const struct found_system *system,
                  const struct measurement *measurement, const struct measure_request *request)
{
    const struct table table = TABLE_OF(columns, table_rows, measurement);
    int code;

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    if (interrupt_came()) {
        cli_note("measure: stopped; nothing was written");
        return interrupt_exit_code();
    }
    code = write_outputs(outputs, system, measurement, request);
    if (code == CLI_OK && strcmp(request->output, "-") != 0 && !table_print(stdout, request->form, &table))
        code = cli_fail_text("out of memory");
    return code;
}

static int measure(const struct measure_request *request, struct measure_outputs *outputs, const char *folder)
{
    struct shown_progress shown = {.is_terminal = isatty(STDERR_FILENO) == 1};
    double const seconds = request->seconds > 0 ? (double)request->seconds : request->is_quick ? 25 : 90;
    struct measurement_options how = measurement_usual(seconds);
    struct agreement_options replays = {.folder = folder, .progress = show_progress, .context = &shown};
    struct measurement measurement;
    struct found_system system = {0};
    struct fault fault;
    int code;

    how.memory_bytes = request->memory_bytes;
    how.progress = show_progress;
    how.context = &shown;
    fault = measurement_begin(&measurement, &how);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    fault = run_benchmarks(&measurement);
    if (fault.kind == FAULT_NONE && !interrupt_came())
        fault = found_read(&system, &measurement);
    if (fault.kind == FAULT_NONE && !interrupt_came())
        fault = run_replays(&system, &measurement, request, &replays, seconds);
    end_progress(&shown);
    code = finish(fault, outputs, &system, &measurement, request);
    found_free(&system);
    measurement_end(&measurement);
    return code;
}

int cli_measure(int argc, char **argv)
{
    struct measure_request request = {.form = TABLE_TEXT};
    struct measure_outputs outputs;
    struct cli_parser parser;
    char folder[FOLDER_BYTES];
    int code;

    if (!cli_parse(&parser, &usage, &request, argc, argv))
        return parser.exit_code;
    if (!request.output)
        return cli_usage_error(&usage, "measure: no file for the system; give -o machine.yaml");
    if (request.is_quick && request.seconds > 0)
        return cli_usage_error(&usage, "measure: --quick says how long it takes, and so does --seconds; leave one out");
    if (!cli_outputs_agree() || !open_outputs(&outputs, &request))
        return CLI_BAD_INPUT;
    if (!make_folder(folder)) {
        discard_outputs(&outputs);
        return CLI_BAD_INPUT;
    }
    interrupt_listen();
    code = measure(&request, &outputs, folder);
    discard_outputs(&outputs);
    rmdir(folder);
    return code;
}
