/* rubato report: a result file as one page. Arguments, and the order of the sections; these are in report_sweep.c,
 * report_memory.c, report_models.c, report_kernels.c and report_hammer.c. */
#include "cli/sweep/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text.h"
#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/common/shown.h"
#include "cli/options/options.h"
#include "cli/sweep/report_serve.h"

struct report_request {
    const char *results, *output, *metric, *compare;
    uint64_t baseline;                   /* a point's number; 0: the first one */
    char *named;                         /* the output, if none was given */
    char *rows, *columns;                /* of the pair */
    char *more;                          /* --columns, cut at its commas */
    size_t more_count;
    bool has_no_traffic, serves;
    uint64_t port;
    const char *stamp;                   /* of the page to make, while it serves; then the page goes here: */
    char *page;
    size_t page_length;
};

static bool take_pair(void *field, struct cli_parser *parser)
{
    struct report_request *const request = field;
    const char *const value = parser->value;
    char *const comma = strchr(value, ',');

    free(request->rows);
    request->rows = strdup(value);
    if (!comma || comma == value || !comma[1] || !request->rows) {
        cli_usage_error(parser->usage, "--pair %s: expected two keys such as l2.size,l1d.mshrs", value);
        return false;
    }
    request->rows[comma - value] = '\0';
    request->columns = request->rows + (comma - value) + 1;
    return true;
}

static bool take_columns(void *field, struct cli_parser *parser)
{
    struct report_request *const request = field;
    const char *const value = parser->value;

    free(request->more);
    request->more = strdup(value);
    request->more_count = 1;
    if (!request->more) {
        cli_fail_text("out of memory");
        return false;
    }
    for (char *at = request->more; *at; at++)
        if (*at == ',') {
            *at = '\0';
            request->more_count++;
        }
    for (const char *name = request->more, *const end = name + strlen(value); name <= end; name += strlen(name) + 1)
        if (!*name) {
            cli_usage_error(parser->usage, "--columns %s: expected names such as cpu3.cpi,l2.mpki", value);
            return false;
        }
    return true;
}

static bool take_port(void *field, struct cli_parser *parser)
{
    struct report_request *const request = field;

    request->serves = true;
    return cli_parse_count(parser, &request->port);
}

static bool take_output(void *output, struct cli_parser *parser)
{
    *(const char **)output = parser->value;
    return cli_output_fits(parser->value, "an HTML page", "html htm");
}

static bool take_results(void *field, struct cli_parser *parser)
{
    struct report_request *const request = field;

    if (!request->results)
        return request->results = parser->value, true;
    cli_usage_error(parser->usage, "%s: only one result file can be given", parser->value);
    return false;
}

static const struct cli_option options[] = {
    {"output", "FILE", "the page to write (also -o; default: RESULTS.html, here)",
     CLI_CALL(report_request, output, take_output)},
    {"metric", "NAME", "statistic or metric to look at, better when it is lower (default: time_ms)",
     CLI_INTO(TEXT, report_request, metric)},
    {"columns", "LIST", "further metrics or statistics, joined by commas, such as cpu3.cpi; the\n"
     "metrics of the whole run are there without (`rubato results --metrics` lists them)", CLI_WHOLE(take_columns)},
    {"baseline", "POINT", "number of the point that the best is compared with (default: the first with a\n"
     "result)", CLI_INTO(COUNT, report_request, baseline)},
    {"pair", "KEY,KEY", "the two axes of the heat map (default: those that interact most)", CLI_WHOLE(take_pair)},
    {"compare", "DIR", "also show how far replays are from detailed timing, as rubato compare DIR",
     CLI_INTO(TEXT, report_request, compare)},
    {"serve", "PORT", "serve the page at http://127.0.0.1:PORT/, to this host alone, until Ctrl-C; it\n"
     "follows a sweep that runs; 0: a free port, which is printed", CLI_WHOLE(take_port)},
    {"no-traffic", NULL, "leave out the loaded latency of the memories, which takes some seconds",
     CLI_INTO(SWITCH, report_request, has_no_traffic)},
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato report RESULTS.db [-o FILE.html] [options]\n"
                "rubato report RESULTS.db --serve PORT [options]",
    .about = "Makes one HTML page of a sweep's results, with all that it needs inside: what the sweep says, in\n"
             "sentences; charts to explore and a table of all points, linked; the Pareto front of any two figures,\n"
             "the effect of each axis, how two of them act together, where cycles went, the loaded latency of the\n"
             "memories, two points side by side. Without a script, tables of the numbers. Workloads count alike: each\n"
             "point by its ratio to the geometric mean of its workload.",
    .options = options, .take_operand = take_results,
    .notes = "Exit code: 0, 2 for wrong input."};

/* "runs/first.db" makes first.html in the working folder, as `rubato sweep` names its results. */
static bool name_page(struct report_request *request)
{
    static const char *const endings[] = {".db", ".sqlite", ".sqlite3"};
    const char *const name = path_name(request->results);
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t const ending = strlen(endings[i]);

        if (length > ending && strcmp(name + length - ending, endings[i]) == 0) {
            length -= ending;
            break;
        }
    }
    request->named = malloc(length + sizeof ".html");
    if (!request->named) {
        cli_fail_text("out of memory");
        return false;
    }
    memcpy(request->named, name, length);
    memcpy(request->named + length, ".html", sizeof ".html");
    request->output = request->named;
    return true;
}

static bool report_parse(struct report_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
    if (!request->results) {
        *code = cli_usage_error(&usage, "no RESULTS.db was given; rubato sweep writes one");
        return false;
    }
    if (request->output && request->serves) {
        *code = cli_usage_error(&usage, "--output: --serve writes no file; give one of them");
        return false;
    }
    if (!request->output && !name_page(request)) {
        *code = CLI_BAD_INPUT;
        return false;
    }
    return true;
}

/* ---- the page */

static int add_comparison(struct report *report, const char *path)
{
    struct comparison_table table;
    struct comparison comparison;
    struct fault fault = comparison_table_read(&table, path);
    int code;

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    fault = comparison_begin(&comparison, &table, NULL);
    if (fault.kind == FAULT_NONE) {
        for (size_t i = 0; i < comparison.pair_count; i++)
            comparison_read_files(&comparison, i, false);
        comparison_judge(&comparison);
        code = report_comparison(report, &comparison);
        comparison_end(&comparison);
    } else {
        code = cli_fail(fault);
    }
    comparison_table_free(&table);
    return code;
}

static int write_sections(struct report *report, struct results *results, const struct report_request *request)
{
    int code = report_rank(report);

    if (code == CLI_OK)
        code = report_conclude(report);
    if (code == CLI_OK)
        report_conclusions(report);
    page_static_begin(&report->page);
    report_summary(report, request->results);
    if (code == CLI_OK)
        code = report_best(report);
    if (code == CLI_OK)
        code = report_axes(report);
    if (code == CLI_OK)
        code = report_models(report);
    if (code == CLI_OK)
        code = report_pairs(report);
    if (code == CLI_OK)
        code = report_fronts(report);
    if (code == CLI_OK)
        code = report_kernels(report, results);
    if (code == CLI_OK)
        report_hammer(report);
    if (code == CLI_OK && !request->has_no_traffic)
        code = report_loaded_latency(report);
    if (code == CLI_OK && request->compare)
        code = add_comparison(report, request->compare);
    page_static_end(&report->page);
    report_failures(report);
    if (code == CLI_OK)
        code = report_provenance(report, results, request->results);
    if (code == CLI_OK)
        code = report_data_write(report, results, request->results);
    page_end(&report->page);
    return code;
}

static int write_page(const char *path, const char *text, size_t length)
{
    FILE *const file = cli_output_open(path);

    if (!file)
        return CLI_BAD_INPUT;
    fwrite(text, 1, length, file);
    return cli_output_close(file, path) ? CLI_OK : CLI_BAD_INPUT;
}

static int make_page(struct report *report, struct results *results, struct report_request *request)
{
    char *text = NULL;
    size_t length;
    FILE *const memory = open_memstream(&text, &length);
    const char *const slash = strrchr(request->results, '/');
    char title[240];
    int code;

    if (!memory)
        return cli_fail_text("out of memory");
    snprintf(title, sizeof title, "Sweep %.200s", slash ? slash + 1 : request->results);
    if (request->stamp)
        page_begin_served(&report->page, memory, title, request->stamp);
    else
        page_begin(&report->page, memory, title);
    code = write_sections(report, results, request);
    if (!text_stream_close(memory, &text))
        code = cli_fail_text("out of memory");
    if (code == CLI_OK && request->stamp) {
        request->page = text;
        request->page_length = length;
        return code;
    }
    if (code == CLI_OK)
        code = write_page(request->output, text, length);
    free(text);
    if (code == CLI_OK)
        printf("%s: charts of %zu points\n", cli_shown(request->output), report->space->effects.point_count);
    return code;
}

static struct fault read_columns(struct report_columns **columns, struct results *results,
                                 const struct report_request *request)
{
    const char **const names = calloc(1 + request->more_count, sizeof *names);
    const char *name = request->more;
    struct fault fault;

    if (!names)
        return fault_make(FAULT_MEMORY, "out of memory");
    names[0] = request->metric;
    for (size_t i = 0; i < request->more_count; i++, name += strlen(name) + 1)
        names[1 + i] = name;
    fault = report_columns_read(columns, results, names, 1 + request->more_count);
    free(names);
    return fault;
}

/* The place of the point that --baseline names. */
static struct fault find_baseline(struct report *report, uint64_t number)
{
    const struct effects_space *const effects = &report->space->effects;

    report->baseline = CONCLUDE_FIRST;
    for (size_t i = 0; i < effects->point_count && number; i++)
        if (report->space->points[i].number == number)
            report->baseline = i;
    if (number && (report->baseline == CONCLUDE_FIRST || !(effects->values[report->baseline] > 0)))
        return fault_make(FAULT_INPUT, "--baseline %llu: no point of that number has %s; `rubato results FILE` lists "
                          "them", (unsigned long long)number, report->metric);
    return fault_none();
}

/* While it serves, why there is no page is one: a sweep that has just begun has no results yet. */
static int tell_reason(struct report_request *request, struct fault fault)
{
    FILE *const memory = request->stamp ? open_memstream(&request->page, &request->page_length) : NULL;
    struct page page;

    if (!request->stamp)
        return text_begins(fault_text(fault), request->results) ? cli_fail(fault)
            : cli_fail_text("%s: %s", request->results, fault_text(fault));
    if (!memory)
        return cli_fail_text("out of memory");
    page_begin_served(&page, memory, "No results yet", request->stamp);
    page_paragraph(&page, "%s: %s", request->results, fault_text(fault));
    fputs("<script>setTimeout(() => location.reload(), 2000);</script>\n", memory);
    page_end_plain(&page);
    return text_stream_close(memory, &request->page) ? CLI_OK : cli_fail_text("out of memory");
}

static int make_report(struct report_request *request)
{
    struct report report = {.metric = request->metric, .pair = {request->rows, request->columns}};
    struct report_columns *columns = NULL;
    struct results *results;
    struct space *space = NULL;
    struct fault fault = results_open(&results, request->results, RESULTS_READ);
    int code;

    if (fault.kind != FAULT_NONE)
        return request->stamp ? tell_reason(request, fault) : cli_fail(fault);
    fault = read_columns(&columns, results, request);
    if (fault.kind == FAULT_NONE)
        fault = space_read(&space, results, columns);
    report.space = space;
    report.columns = columns;
    if (fault.kind == FAULT_NONE)
        fault = find_baseline(&report, request->baseline);
    if (fault.kind == FAULT_NONE)
        fault = report_samples_read(&report, results);
    if (fault.kind == FAULT_NONE) {
        code = make_page(&report, results, request);
        free(report.curves.text.at);
        free(report.errors.text.at);
        free(report.kernels.text.at);
        free(report.designs);
    } else {
        code = tell_reason(request, fault);
    }
    report_samples_free(&report);
    conclusions_free(&report.conclusions);
    free(report.design_of);
    report_columns_free(columns);
    space_free(space);
    fault = results_close(results);
    return fault.kind == FAULT_NONE || code != CLI_OK ? code : cli_fail(fault);
}

int report_write(const char *results, const char *output)
{
    struct report_request request = {.metric = "time_ms", .results = results, .output = output};

    return make_report(&request);
}

static char *serve_page(const void *self, const char *stamp, size_t *length)
{
    struct report_request request = *(const struct report_request *)self;

    request.stamp = stamp;
    request.page = NULL;
    if (make_report(&request) != CLI_OK) {
        free(request.page);
        return NULL;
    }
    *length = request.page_length;
    return request.page;
}

/* A wrong file is said at once, not on the page. */
static int serve(const struct report_request *request)
{
    struct report_server const server = {
        .results = request->results, .port = request->port, .page = serve_page, .self = request};
    struct results *results;
    struct fault fault = results_open(&results, request->results, RESULTS_READ);

    if (fault.kind == FAULT_NONE)
        fault = results_close(results);
    return fault.kind == FAULT_NONE ? report_serve(&server) : cli_fail(fault);
}

int cli_report(int argc, char **argv)
{
    struct report_request request = {.metric = "time_ms"};
    int code = CLI_OK;

    if (report_parse(&request, argc, argv, &code))
        code = request.serves ? serve(&request) : make_report(&request);
    free(request.named);
    free(request.rows);
    free(request.more);
    return code;
}
