/* rubato results: lists the points of a result file as a table, CSV, JSON or Parquet. Where it matters which
 * statistics there are at all, the file is read once more for that. */
#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/options/options.h"
#include "cli/sweep/results_pivot.h"
#include "cli/sweep/results_print.h"
#include "cli/sweep/unasked.h"
#include "sweep/plan/spec.h"
#include "sweep/results/results.h"
#include "sweep/results/sample.h"
#include "sweep/results/schema.h"

enum { MAX_CONDITIONS = 64, MAX_LISTS = 64 };

struct listing {
    const char *path;
    struct unasked unasked;              /* of the points that are listed */
    const char *conditions[MAX_CONDITIONS], *lists[MAX_LISTS];
    size_t condition_count, list_count;
    const char *sort;                    /* NULL: by point */
    uint64_t limit;                      /* 0: all */
    enum results_form form;
    bool has_form, checks, prints_schema, prints_metrics, concludes, names_baseline, lists_kernels;
    const char *output;                  /* NULL: standard output */
    const char *baseline;                /* NULL: no point is named */
    const char *pivot, *value, *mean_name;   /* NULL: not given */
    enum pivot_mean mean;

    struct arena arena;
    struct condition *parsed[MAX_CONDITIONS];
    struct results *results;
    const char *const *axes;
    size_t axis_count;
    struct condition *baseline_condition;
    json_t *baselines;                   /* simTicks by workload */
    size_t baseline_place, rows_seen;    /* of the first of them, by its place */
    json_t *known_metrics;               /* that some point has; together with `known` */
    int noted_cores, noted_channels;     /* the most of which the metrics of single ones are among them */
    json_t *known;                       /* names of all statistics, in the order of their first use; NULL: not read */
    const char **columns;
    size_t column_count;
    json_t *chosen;                      /* names of the columns */
    struct results_line *lines;          /* of those that are listed */
    size_t line_count, line_room;
    struct fault fault;
};

static bool take_form(void *listing, struct cli_parser *parser);
static bool sweep_results_take_operand(void *listing, struct cli_parser *parser);

static const struct cli_option options[] = {
    {"where", "CONDITION", "list points for which it holds, such as 'l2.size >= 1MiB'; may be repeated",
     CLI_APPEND(listing, conditions, condition_count)},
    {"columns", "LIST", "these, joined by commas; * stands for any letters, all for every statistic,\n"
     "metrics for every metric that some point has", CLI_APPEND(listing, lists, list_count)},
    {"sort", "COLUMN", "lowest first, instead of by point; -COLUMN: highest first", CLI_INTO(TEXT, listing, sort)},
    {"limit", "N", "the first N only", CLI_INTO(COUNT, listing, limit)},
    {"tsv", NULL, "tab-separated columns", CLI_WHOLE(take_form)},
    {"csv", NULL, "comma-separated values, with all statistics unless --columns says otherwise",
     CLI_WHOLE(take_form)},
    {"json", NULL, "the same as JSON, one object a point", CLI_WHOLE(take_form)},
    {"format", "table|tsv|csv|json|parquet", "parquet: the same with types and units, for --output",
     CLI_WHOLE(take_form)},
    {"output", "FILE", "write to this file, also -o; its ending says the format, unless --format does",
     CLI_INTO(TEXT, listing, output)},
    {"check", NULL, "check the file, report damage, and list no points",
     CLI_INTO(SWITCH, listing, checks)},
    {"schema", NULL, "the tables of a result file, for queries in SQL",
     CLI_INTO(SWITCH, listing, prints_schema)},
    {"baseline", "POINT", "that speedup is against: its number, or a condition; of each workload the\n"
     "first one for which it holds", CLI_INTO(TEXT, listing, baseline)},
    {"pivot", "ROWS,COLUMNS,...", "a row for each value of the first name, a column for each combination of values of\n"
     "the others, such as traces,l2.prefetcher; --value in the cells, and its mean below",
     CLI_INTO(TEXT, listing, pivot)},
    {"conclude", NULL, "what the points say, in sentences: the best design, what matters, what is doubtful,\n"
     "what to try next; the same as on the page of `rubato report`", CLI_INTO(SWITCH, listing, concludes)},
    {"value", "COLUMN", "--pivot: what the cells show, such as cpi; --conclude: what it is about (default:\n"
     "time_ms)", CLI_INTO(TEXT, listing, value)},
    {"mean", "arithmetic|geometric|harmonic", "--pivot: the mean of a column, and of several points in a cell\n"
     "(default: arithmetic)", CLI_INTO(TEXT, listing, mean_name)},
    {"kernels", NULL, "a row for each GPU kernel of a point; its figures are called kernel.NAME in --columns,\n"
     "--where, --sort, --pivot and --value", CLI_INTO(SWITCH, listing, lists_kernels)},
    {"metrics", NULL, "the metrics: name, unit, which way is better, definition; no points",
     CLI_INTO(SWITCH, listing, prints_metrics)},
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato results RESULTS.db [--where CONDITION] [--columns LIST] [--sort COLUMN] [--csv | --json]\n"
                "rubato results RESULTS.db -o FILE.parquet [...]\n"
                "rubato results RESULTS.db --pivot ROWS,COLUMNS [--value COLUMN] [--mean geometric]\n"
                "rubato results RESULTS.db --conclude [--value METRIC] [--baseline POINT]\n"
                "rubato results RESULTS.db --check",
    .about = "Lists the results of `rubato sweep`, by point.",
    .options = options, .take_operand = sweep_results_take_operand,
    .notes = "Columns and names in conditions: point, hash, system, traces, state (done, failed, to do), error,\n"
             "time_ms, wall_s, cpu_s; the axes; statistics such as system.cpu.cpi; metrics (--metrics lists them), of\n"
             "all cores as cpi, of one as cpu3.cpi, as mean of the cores as mean.cpi; bound and speedup; any key of\n"
             "the effective system, such as l1d.size. Conditions have < <= > >= == != + - * / and or not and\n"
             "brackets. CSV and JSON have quantities of the system as numbers, in bytes, ps (a clock is its period),\n"
             "bytes a second; and times of the host only if --columns names wall_s or cpu_s, so that the same sweep\n"
             "gives the same bytes."};

/* ---- arguments */
/* --csv is --format csv, and so on. */
static bool take_form(void *field, struct cli_parser *parser)
{
    struct listing *const listing = field;

    listing->has_form = results_form_of(parser->value ? parser->value : parser->option, &listing->form);
    if (!listing->has_form)
        cli_usage_error(&usage, "--format %s: must be table, tsv, csv, json or parquet", parser->value);
    return listing->has_form;
}

static bool sweep_results_take_operand(void *field, struct cli_parser *parser)
{
    struct listing *const listing = field;

    if (listing->path)
        cli_usage_error(&usage, "%s: only one result file can be given", parser->value);
    else
        listing->path = parser->value;
    return listing->path == parser->value;
}

static bool sweep_results_parse(struct listing *listing, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    if (!cli_parse(&parser, &usage, listing, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
    *code = CLI_BAD_INPUT;
    if (listing->output && !listing->has_form && !results_form_of_file(listing->output, &listing->form))
        cli_usage_error(&usage, "--output %s: ends in none of .txt, .tsv, .csv, .json, .parquet; give --format",
                        listing->output);
    else if (listing->form == RESULTS_PARQUET && !listing->output)
        cli_usage_error(&usage, "--format parquet goes to a file; give --output FILE");
    else if (listing->pivot && listing->list_count)
        cli_usage_error(&usage, "--columns is for lists of points, and --pivot names its own; give one of them");
    else if (!listing->pivot && (listing->mean_name || (listing->value && !listing->concludes)))
        cli_usage_error(&usage, "--value and --mean are for --pivot; add it");
    else if (listing->concludes && (listing->pivot || listing->condition_count || listing->list_count || listing->sort
                                    || listing->limit || listing->has_form || listing->output))
        cli_usage_error(&usage, "--conclude is of all points, as text; give with it --value and --baseline only");
    else if (listing->pivot && !strchr(listing->pivot, ','))
        cli_usage_error(&usage, "--pivot %s: expected the name of rows and that of columns, such as traces,l2.size",
                        listing->pivot);
    else if (listing->mean_name && !pivot_mean_of(listing->mean_name, &listing->mean))
        cli_usage_error(&usage, "--mean %s: must be arithmetic, geometric or harmonic", listing->mean_name);
    else if (!listing->path && !listing->prints_schema && !listing->prints_metrics)
        cli_usage_error(&usage, "no result file was given; `rubato sweep` makes one");
    else
        return !listing->output || results_form_fits(listing->form, listing->output);
    return false;
}

/* ---- the schema */
static int print_schema(void)
{
#define PRINT_COLUMN(column, type, help) printf("  %-12s %-48s %s\n", #column, type, help);
#define PRINT_TABLE(table, columns, ending, help)                                                                     \
    printf("%s: %s\n", #table, help);                                                                                 \
    columns(PRINT_COLUMN)
    RESULTS_TABLES(PRINT_TABLE)
#undef PRINT_TABLE
#undef PRINT_COLUMN
    printf("statistics: %s\n", RESULTS_VIEW_HELP);
    return CLI_OK;
}

/* ---- the metrics */
static void put_metric(void *writer, const char *name, const struct metric *metric)
{
    static const char *const better[] = {[METRIC_LOWER] = "lower", [METRIC_HIGHER] = "higher"};

    table_word(writer, name);
    table_word(writer, *metric->unit ? metric->unit : NULL);
    table_word(writer, metric->better == METRIC_NEITHER ? NULL : better[metric->better]);
    table_word(writer, metric->definition);
    table_end_row(writer);
}

static void put_metrics(const void *context, struct table_writer *writer)
{
    static struct metric const bound = {
        .unit = "", .better = METRIC_NEITHER,
        .definition = "what bounds the cores, or the GPU: rob, dram_bandwidth, ..."
    };

    (void)context;
    metrics_names(put_metric, writer);
    put_metric(writer, "bound", &bound);
}

static int print_metrics(enum table_form form)
{
    static struct table_column const columns[] = {
        {.name = "metric", .heading = "metric", .width = -22}, {.name = "unit", .heading = "unit", .width = -11},
        {.name = "better", .heading = "better", .width = -7}, {.name = "definition", .heading = "definition"}
    };
    struct table const table = {
        .columns = columns, .count = sizeof columns / sizeof columns[0], .rows = put_metrics
    };

    return table_print(stdout, form, &table) ? CLI_OK : cli_fail_text("out of memory");
}

/* ---- which columns */
static struct fault sweep_results_out_of_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory");
}

static void open_columns(struct columns *columns, const struct listing *listing, const struct results_row *row)
{
    columns_open(columns, row, listing->axes, listing->axis_count);
    columns->baseline_ps = listing->baseline ? json_number_value(json_object_get(listing->baselines, row->traces))
                                             : (double)NAN;
}

struct noted {
    struct listing *listing;
    const struct figures *figures;
    bool lacks_memory;
};

static void note_metric(void *context, const char *name, const struct metric *metric)
{
    struct noted *const noted = context;
    json_t *const known = noted->listing->known_metrics;

    (void)metric;
    if (!json_object_get(known, name) || json_is_false(json_object_get(known, name)))
        noted->lacks_memory |=
            json_object_set_new(known, name, json_boolean(isfinite(metrics_value(noted->figures, name)))) != 0;
}

static void note_each(void *context, const char *name, const struct metric *metric, double value)
{
    struct noted *const noted = context;

    (void)metric;
    (void)value;
    noted->lacks_memory |= json_object_set_new(noted->listing->known_metrics, name, json_true()) != 0;
}

/* Metrics of means and of single cores and channels: only for points with more of them than before, because points
 * with as many have the same names. */
static void note_instances(struct noted *noted)
{
    struct listing *const listing = noted->listing;
    int const cores = figures_instances(noted->figures, "cpu"), channels = figures_instances(noted->figures, "mem");

    if (cores <= listing->noted_cores && channels <= listing->noted_channels)
        return;
    listing->noted_cores = cores > listing->noted_cores ? cores : listing->noted_cores;
    listing->noted_channels = channels > listing->noted_channels ? channels : listing->noted_channels;
    metrics_visit(noted->figures, true, note_each, noted);
}

static bool note_names(void *self, const struct results_row *row)
{
    struct listing *const listing = self;
    struct noted noted = {.listing = listing};
    struct columns columns;
    const char *name;
    json_t *figure;

    open_columns(&columns, listing, row);
    json_object_foreach(columns.statistics, name, figure)
        if (!json_is_object(figure) && !json_is_array(figure) && !json_object_get(listing->known, name))
            noted.lacks_memory |= json_object_set_new(listing->known, name, json_true()) != 0;
    listing->fault = columns_figures(&columns, &noted.figures);
    if (listing->fault.kind == FAULT_NONE && row->statistics) {
        metrics_names(note_metric, &noted);
        note_instances(&noted);
    }
    if (noted.lacks_memory)
        listing->fault = sweep_results_out_of_memory();
    columns_close(&columns);
    return listing->fault.kind == FAULT_NONE;
}

static struct fault read_names(struct listing *listing)
{
    if (listing->known)
        return fault_none();
    listing->known = json_object();
    listing->known_metrics = json_object();
    if (!listing->known || !listing->known_metrics)
        return sweep_results_out_of_memory();
    FORWARD(results_read(listing->results, note_names, listing));
    return listing->fault;
}

/* Which columns the points have figures for. */
struct has { bool cpi, intervals, dominated; };

static bool note_cpi(void *self, const struct results_row *row)
{
    struct has *const has = self;
    const struct figures *figures;
    struct columns columns;

    columns_open(&columns, row, NULL, 0);
    has->cpi |= row->statistics && !has->cpi && columns_figures(&columns, &figures).kind == FAULT_NONE
                && isfinite(metrics_value(figures, "cpi"));
    has->intervals |= json_object_get(columns.statistics, "time_ms" SAMPLE_INTERVAL) != NULL;
    has->dominated |= json_number_value(json_object_get(columns.statistics, "regions.dominated")) > 0;
    columns_close(&columns);
    return true;
}

static struct fault add_column(struct listing *listing, const char *name)
{
    if (!listing->chosen)
        listing->chosen = json_object();
    if (json_object_get(listing->chosen, name))
        return fault_none();
    if (!listing->chosen || json_object_set_new_nocheck(listing->chosen, name, json_true()) < 0)
        return sweep_results_out_of_memory();
    listing->columns[listing->column_count] = arena_copy(&listing->arena, name, strlen(name));
    return listing->columns[listing->column_count++] ? fault_none() : sweep_results_out_of_memory();
}

static struct fault fit_columns(struct listing *listing, size_t more)
{
    const char **const columns = arena_take(&listing->arena, (listing->column_count + more) * sizeof *columns);

    if (!columns)
        return sweep_results_out_of_memory();
    if (listing->column_count)
        memcpy(columns, listing->columns, listing->column_count * sizeof *columns);
    listing->columns = columns;
    return fault_none();
}

static struct fault add_statistics(struct listing *listing, const char *pattern)
{
    const char *name;
    json_t *unused;

    FORWARD(read_names(listing));
    FORWARD(fit_columns(listing, json_object_size(listing->known)));
    json_object_foreach(listing->known, name, unused)
        if (fnmatch(pattern, name, 0) == 0)
            FORWARD(add_column(listing, name));
    return fault_none();
}

/* Those that some point has. */
static struct fault add_metrics(struct listing *listing, const char *pattern)
{
    const char *name;
    json_t *is_there;

    FORWARD(read_names(listing));
    FORWARD(fit_columns(listing, json_object_size(listing->known_metrics)));
    json_object_foreach(listing->known_metrics, name, is_there)
        if (json_is_true(is_there) && fnmatch(pattern, name, 0) == 0)
            FORWARD(add_column(listing, name));
    return fault_none();
}

/* Metrics and statistics. */
static struct fault add_matching(struct listing *listing, const char *pattern)
{
    size_t const before = listing->column_count;

    FORWARD(add_metrics(listing, pattern));
    FORWARD(add_statistics(listing, pattern));
    if (listing->column_count == before)
        return fault_make(FAULT_INPUT, "--columns %.200s: no metric or statistic has such a name; `rubato results "
                          "--metrics` and `rubato results FILE --json --limit 1` show them", pattern);
    return fault_none();
}

static struct fault add_kernel_columns(struct listing *listing)
{
    static const char *const all[] = {RESULTS_KERNEL_COLUMNS}, *const few[] = {RESULTS_KERNEL_FEW};
    bool const is_table = listing->form == RESULTS_TABLE;
    size_t const count = is_table ? sizeof few / sizeof *few : sizeof all / sizeof *all;

    FORWARD(fit_columns(listing, count));
    for (size_t i = 0; i < count; i++)
        FORWARD(add_column(listing, (is_table ? few : all)[i]));
    return fault_none();
}

/* Columns of the point, its values on the axes, its results. */
static struct fault add_usual(struct listing *listing)
{
    bool const is_table = listing->form == RESULTS_TABLE;
    struct has has = {false, false, false};

    FORWARD(fit_columns(listing, listing->axis_count + 16));
    FORWARD(add_column(listing, "point"));
    if (!is_table)
        FORWARD(add_column(listing, "hash"));
    FORWARD(add_column(listing, "system"));
    FORWARD(add_column(listing, "traces"));
    for (size_t i = 0; i < listing->axis_count; i++)
        FORWARD(add_column(listing, listing->axes[i]));
    if (listing->lists_kernels)
        return add_kernel_columns(listing);
    FORWARD(add_column(listing, "state"));
    if (!is_table)
        FORWARD(add_column(listing, "error"));
    FORWARD(add_column(listing, "time_ms"));
    if (!is_table) {
        FORWARD(add_metrics(listing, "*"));
        return add_statistics(listing, "*");
    }
    FORWARD(results_read(listing->results, note_cpi, &has));
    if (has.intervals)
        FORWARD(add_column(listing, "time_ms" SAMPLE_INTERVAL));
    if (has.cpi)
        FORWARD(add_column(listing, "cpi"));
    if (has.cpi && has.intervals)
        FORWARD(add_column(listing, "cpi" SAMPLE_INTERVAL));
    return has.dominated ? add_column(listing, "regions.dominated") : fault_none();
}

static struct fault add_list(struct listing *listing, const char *list)
{
    while (*list) {
        size_t const length = strcspn(list, ",");
        char *const name = arena_copy(&listing->arena, list, length);

        if (!name)
            return sweep_results_out_of_memory();
        if (strcmp(name, "all") == 0) {
            FORWARD(add_statistics(listing, "*"));
        } else if (strcmp(name, "metrics") == 0) {
            FORWARD(add_metrics(listing, "*"));
        } else if (strpbrk(name, "*?[")) {
            FORWARD(add_matching(listing, name));
        } else if (*name) {
            FORWARD(fit_columns(listing, 1));
            FORWARD(add_column(listing, name));
        }
        list += length + (list[length] == ',');
    }
    return fault_none();
}

/* Those of a pivot as they are named, the value last. */
static struct fault add_pivot(struct listing *listing)
{
    size_t const before = listing->column_count;

    FORWARD(add_list(listing, listing->pivot));
    if (listing->column_count < before + 2)
        return fault_make(FAULT_INPUT, "--pivot %.200s: expected two different names at least, of rows and of columns",
                          listing->pivot);
    FORWARD(fit_columns(listing, 1));
    listing->columns[listing->column_count] = listing->value ? listing->value : "time_ms";
    listing->column_count++;
    return fault_none();
}

static struct fault choose_columns(struct listing *listing)
{
    if (listing->pivot)
        return add_pivot(listing);
    if (listing->list_count == 0)
        return add_usual(listing);
    for (size_t i = 0; i < listing->list_count; i++)
        FORWARD(add_list(listing, listing->lists[i]));
    return fault_none();
}

/* ---- rows */
struct asked {
    struct listing *listing;
    struct columns columns;
};

/* A statistic that other points have is missing here; everything else that is not found is a fault. */
static struct fault find_cell(struct asked *asked, const char *name, const char *where, enum cell_kind *kind,
                              char text[CELL_TEXT], double *number)
{
    struct listing *const listing = asked->listing;
    char alias[ALIAS_BYTES];
    struct fault fault;

    if (!json_object_get(listing->known, name) || json_object_get(asked->columns.statistics, name)) {
        fault = columns_find(&asked->columns, name, where, kind, text, number);
        if (fault.kind != FAULT_INPUT)
            return fault;
        FORWARD(read_names(listing));
        if (!columns_statistic(listing->known, name, alias))
            return fault;
    }
    *kind = CELL_MISSING;
    text[0] = '\0';
    return fault_none();
}

static struct fault sweep_results_find_name(void *self, const char *name, const char *where, struct quantity *value)
{
    char text[CELL_TEXT];
    enum cell_kind kind;
    double number;

    FORWARD(find_cell(self, name, where, &kind, text, &number));
    *value = cell_is_number(kind) ? quantity_number(number) : quantity_of(text);
    return fault_none();
}

static struct fault is_listed(struct asked *asked, bool *is_in)
{
    struct condition_names const names = {.find = sweep_results_find_name, .self = asked};

    *is_in = true;
    for (size_t i = 0; i < asked->listing->condition_count && *is_in; i++)
        FORWARD(condition_holds(asked->listing->parsed[i], &names, is_in));
    return fault_none();
}

static struct fault keep_line(struct asked *asked)
{
    struct listing *const listing = asked->listing;
    char text[CELL_TEXT];
    enum cell_kind kind;
    double number = NAN;

    if (!list_fit(&listing->lines, listing->line_count + 1, &listing->line_room, sizeof *listing->lines))
        return sweep_results_out_of_memory();

    struct results_line *const line = &listing->lines[listing->line_count];

    *line = (struct results_line){
        .cells = arena_take(&listing->arena, (listing->column_count + 1) * sizeof *line->cells),
        .kinds = arena_take(&listing->arena, (listing->column_count + 1) * sizeof *line->kinds),
        .order = NAN, .order_word = "", .place = listing->line_count};
    if (!line->cells || !line->kinds)
        return sweep_results_out_of_memory();
    listing->line_count++;
    asked->columns.is_typed = listing->form != RESULTS_TABLE && !listing->pivot;
    for (size_t i = 0; i < listing->column_count; i++) {
        FORWARD(find_cell(asked, listing->columns[i], "--columns", &line->kinds[i], text, &number));
        line->cells[i] = arena_copy(&listing->arena, text, strlen(text));
        if (!line->cells[i])
            return sweep_results_out_of_memory();
    }
    if (listing->sort) {
        const char *const name = listing->sort + (listing->sort[0] == '-');
        struct quantity value;

        FORWARD(find_cell(asked, name, "--sort", &kind, text, &number));
        value = quantity_of(text);
        line->order = cell_is_number(kind) ? number : value.kind == QUANTITY_WORD ? NAN : value.number;
        line->order_word = arena_copy(&listing->arena, text, strlen(text));
    }
    return fault_none();
}

/* Of a point, or of one of its kernels. */
static void see_line(struct asked *asked)
{
    struct listing *const listing = asked->listing;
    bool is_in = false;

    listing->fault = is_listed(asked, &is_in);
    if (listing->fault.kind == FAULT_NONE && is_in) {
        listing->fault = keep_line(asked);
        unasked_add(&listing->unasked, asked->columns.row->config);
    }
}

static bool see_row(void *self, const struct results_row *row)
{
    struct listing *const listing = self;
    struct asked asked = {.listing = listing};
    json_t const *kernels;

    open_columns(&asked.columns, listing, row);
    kernels = json_object_get(asked.columns.statistics, "kernels");
    if (!listing->lists_kernels)
        see_line(&asked);
    for (size_t i = 0; listing->lists_kernels && i < json_array_size(kernels) && listing->fault.kind == FAULT_NONE;
         i++) {
        asked.columns.kernel = json_array_get(kernels, i);
        see_line(&asked);
    }
    columns_close(&asked.columns);
    return listing->fault.kind == FAULT_NONE && (listing->sort || !listing->limit
                                                 || listing->line_count < listing->limit);
}

/* ---- the points that speedup is against */
static bool note_baseline(void *self, const struct results_row *row)
{
    struct listing *const listing = self;
    struct asked asked = {.listing = listing};
    struct condition_names const names = {.find = sweep_results_find_name, .self = &asked};
    size_t const place = listing->rows_seen++;
    json_t *ticks;
    bool is_it = false;

    if (json_object_get(listing->baselines, row->traces))
        return true;
    columns_open(&asked.columns, row, listing->axes, listing->axis_count);
    listing->fault = condition_holds(listing->baseline_condition, &names, &is_it);
    ticks = json_object_get(asked.columns.statistics, "simTicks");
    if (listing->fault.kind == FAULT_NONE && is_it && ticks) {
        listing->baseline_place = json_object_size(listing->baselines) ? listing->baseline_place : place;
        json_object_set_nocheck(listing->baselines, row->traces, ticks);
    }
    columns_close(&asked.columns);
    return listing->fault.kind == FAULT_NONE;
}

static struct fault find_baselines(struct listing *listing)
{
    bool const is_number = listing->baseline[strspn(listing->baseline, "0123456789")] == '\0';
    char condition[64];

    snprintf(condition, sizeof condition, "point == %.40s", listing->baseline);
    listing->baselines = json_object();
    if (!listing->baselines)
        return sweep_results_out_of_memory();
    FORWARD(condition_parse(&listing->baseline_condition, &listing->arena,
                              is_number ? condition : listing->baseline, "--baseline"));
    FORWARD(results_read(listing->results, note_baseline, listing));
    FORWARD(listing->fault);
    if (json_object_size(listing->baselines) == 0)
        return fault_make(FAULT_INPUT, "--baseline %.200s: no finished point matches; `rubato results FILE` lists "
                          "them", listing->baseline);
    return fault_none();
}

/* Order: numbers, then words, then missing values; equal ones by point. */
static int compare_lines(const struct results_line *a, const struct results_line *b)
{
    if (isnan(a->order) != isnan(b->order))
        return isnan(a->order) ? 1 : -1;
    if (!isnan(a->order))
        return a->order < b->order ? -1 : a->order > b->order;
    return !*a->order_word != !*b->order_word ? (*a->order_word ? -1 : 1) : strcmp(a->order_word, b->order_word);
}

static int rising(const void *one, const void *other)
{
    struct results_line const *const a = one, *const b = other;
    int const order = compare_lines(a, b);

    return order ? order : a->place < b->place ? -1 : 1;
}

static int falling(const void *one, const void *other)
{
    struct results_line const *const a = one, *const b = other;
    bool const are_missing = isnan(a->order) || isnan(b->order);
    int const order = compare_lines(a, b);

    return order ? (are_missing ? order : -order) : a->place < b->place ? -1 : 1;
}

/* ---- output */
/* Not written: it has said why. */
static struct fault print_all(struct listing *listing, bool *is_written)
{
    struct results_listing shown = {.columns = listing->columns, .column_count = listing->column_count,
                                    .axes = listing->axes, .axis_count = listing->axis_count,
                                    .lines = listing->lines};
    struct results_listing points;
    char doubt[UNASKED_TEXT];
    FILE *to;

    *is_written = false;
    if (listing->sort && listing->line_count)
        qsort(listing->lines, listing->line_count, sizeof *listing->lines, listing->sort[0] == '-' ? falling : rising);
    if (listing->limit && listing->line_count > listing->limit)
        listing->line_count = (size_t)listing->limit;
    shown.line_count = listing->line_count;
    points = shown;
    if (listing->pivot)
        FORWARD(results_pivot(&shown, &listing->arena, &points, listing->mean));
    to = listing->output ? cli_output_open(listing->output) : stdout;
    if (!to)
        return fault_none();
    if (!results_print(to, listing->form, &shown)) {
        cli_output_discard(to);
        return fault_make(FAULT_MEMORY, "%s: out of memory", listing->path);
    }
    if (listing->form == RESULTS_TABLE && listing->names_baseline)
        fprintf(to, "speedup is against the first finished point of each workload; --baseline names another\n");
    unasked_text(&listing->unasked, doubt);
    if (listing->form == RESULTS_TABLE && *doubt)
        fprintf(to, "doubtful: %s\n", doubt);
    *is_written = !listing->output || cli_output_close(to, listing->output);
    return fault_none();
}

/* ---- */
static void say_damage(void *self, const char *what)
{
    struct listing *const listing = self;

    printf("%s: %s\n", cli_shown(listing->path), cli_shown(what));
    listing->line_count++;
}

static struct fault sweep_results_check(struct listing *listing)
{
    FORWARD(results_open(&listing->results, listing->path, RESULTS_READ));
    FORWARD(results_check(listing->results, say_damage, listing));
    if (listing->line_count)
        return fault_make(FAULT_INPUT, "%.300s: is damaged in %zu place%s; `rubato sweep SPEC --retry` runs lost "
                          "points again", listing->path, listing->line_count, listing->line_count == 1 ? "" : "s");
    printf("%s: is undamaged\n", cli_shown(listing->path));
    return fault_none();
}

static int say_conclusions(struct listing *listing)
{
    struct fault fault = results_open(&listing->results, listing->path, RESULTS_READ);

    if (fault.kind == FAULT_NONE)
        listing->axes = results_axes(listing->results, &listing->axis_count);
    if (fault.kind == FAULT_NONE && listing->baseline)
        fault = find_baselines(listing);
    return fault.kind != FAULT_NONE ? cli_fail(fault)
        : results_conclude(stdout, listing->results, listing->path, listing->value ? listing->value : "time_ms",
                           listing->baseline ? listing->baseline_place : SIZE_MAX);
}

/* In a pivot the first finished point of each workload is as good as any that is named. */
static bool is_against_first(const struct listing *listing)
{
    return listing->pivot && listing->value && strcmp(listing->value, "speedup") == 0 && !listing->baseline;
}

static struct fault list(struct listing *listing, bool *is_written)
{
    bool const is_first = is_against_first(listing);

    listing->baseline = is_first ? "state == done" : listing->baseline;
    listing->names_baseline = is_first;
    for (size_t i = 0; i < listing->condition_count; i++)
        FORWARD(condition_parse(&listing->parsed[i], &listing->arena, listing->conditions[i], "--where"));
    FORWARD(results_open(&listing->results, listing->path, RESULTS_READ));
    listing->axes = results_axes(listing->results, &listing->axis_count);
    for (size_t i = 0; i < listing->axis_count; i++)
        unasked_ask(&listing->unasked, listing->axes[i]);
    for (size_t i = 0; i < listing->condition_count; i++)
        FORWARD(results_check_words(listing->results, listing->parsed[i], "--where"));
    if (listing->baseline)
        FORWARD(find_baselines(listing));
    FORWARD(choose_columns(listing));
    FORWARD(results_read(listing->results, see_row, listing));
    FORWARD(listing->fault);
    if (listing->lists_kernels && !listing->line_count && !listing->condition_count)
        return fault_make(FAULT_INPUT, "%.300s: --kernels: no point has kernels of a GPU", listing->path);
    return print_all(listing, is_written);
}

int cli_results(int argc, char **argv)
{
    struct listing listing = {.path = NULL};
    bool is_written = true;
    struct fault fault = fault_none();
    int code, concluded = CLI_OK;

    if (!sweep_results_parse(&listing, argc, argv, &code))
        return code;
    if (listing.prints_schema)
        return print_schema();
    if (listing.prints_metrics)
        return print_metrics(results_table_form(listing.form));
    if (listing.concludes)
        concluded = say_conclusions(&listing);
    else
        fault = listing.checks ? sweep_results_check(&listing) : list(&listing, &is_written);
    results_close(listing.results);
    json_decref(listing.known);
    json_decref(listing.known_metrics);
    json_decref(listing.chosen);
    json_decref(listing.baselines);
    free(listing.lines);
    unasked_free(&listing.unasked);
    arena_free(&listing.arena);
    return fault.kind != FAULT_NONE ? cli_fail(fault) : is_written ? concluded : CLI_BAD_INPUT;
}
