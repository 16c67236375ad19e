/* Each point is one array of numbers. A configuration is written once, because points of several workloads share it,
 * as its differences from the first one with the same number of lines; cache trees are written once, too. */
#include "cli/sweep/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "base/json.h"
#include "base/list.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "replay/config/config.h"
#include "sweep/report/report_columns.h"
#include "sweep/results/results.h"
#include "viz/draw/palette.h"

enum { LEAST_DIGITS = 15, MOST_DIGITS = 17, MOST_BASES = 16, NO_TEXT = -1 };

/* Texts that are written once: the index of each is found by its hash. */
struct texts {
    uint64_t *hashes;
    size_t count;
};

struct base {
    char *text;
    size_t lines, index;
};

struct data {
    const struct space *space;
    const struct report_columns *columns;
    struct json points, configs, trees, texts, samples;
    struct texts known_configs, known_trees, known_texts;
    long *tree_of;                       /* of each configuration */
    struct base bases[MOST_BASES];
    size_t base_count;
    const char *unasked;                 /* the reason to doubt comparisons of the points; "": none */
    size_t index;                        /* of the point */
    bool has_memory;                     /* for all so far */
};

/* ---- texts */

/* Returns whether the text is new; *index: its index. */
static bool is_new(struct data *data, struct texts *texts, const char *text, long *index)
{
    uint64_t const hash = hash64(text, strlen(text));
    size_t i = 0;

    while (i < texts->count && texts->hashes[i] != hash)
        i++;
    *index = (long)i;
    if (i < texts->count)
        return false;
    if (!list_fit_next(&texts->hashes, i, sizeof *texts->hashes)) {
        data->has_memory = false;
        *index = NO_TEXT;
        return false;
    }
    texts->hashes[texts->count++] = hash;
    return true;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void write_shown(struct json *json, const char *text)
{
    json_write_string(json, cli_shown(text));
}

/* As an array of its lines. */
static void write_lines(struct json *json, const char *text)
{
    json_begin_array(json, JSON_TIGHT);
    while (*text) {
        size_t const length = strcspn(text, "\n");

        json_write_string(json, cli_shown_part(text, length));
        text += length + (text[length] != '\0');
    }
    json_end(json);
}

/* A line up to its end, cut where it is very long; where the next one begins. */
static const char *report_data_take_line(const char *text, char *line, size_t size)
{
    size_t const length = strcspn(text, "\n");

    snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), text);
    return text + length + (text[length] == '\n');
}

/* [base, [line's number, line], ...], or [-1, all lines]: the base of others. */
static void tell_config(struct data *data, const char *text)
{
    enum { LINE = 512 };
    size_t const lines = count_lines(text);
    const struct base *base = NULL;
    size_t number = 0;
    char here[LINE], there[LINE];

    for (size_t i = 0; i < data->base_count; i++)
        base = data->bases[i].lines == lines ? &data->bases[i] : base;
    json_begin_array(&data->configs, JSON_TIGHT);
    json_write_signed(&data->configs, base ? (int64_t)base->index : NO_TEXT);
    if (!base) {
        write_lines(&data->configs, text);
        if (data->base_count < MOST_BASES) {
            char *const copy = strdup(text);

            data->has_memory = data->has_memory && copy;
            if (copy)
                data->bases[data->base_count++] = (struct base){copy, lines, data->known_configs.count - 1};
        }
    }
    for (const char *other = base ? base->text : "", *own = text; *other && *own; number++) {
        other = report_data_take_line(other, there, sizeof there);
        own = report_data_take_line(own, here, sizeof here);
        if (strcmp(here, there) == 0)
            continue;
        json_begin_array(&data->configs, JSON_TIGHT);
        json_write_number(&data->configs, number);
        write_shown(&data->configs, here);
        json_end(&data->configs);
    }
    json_end(&data->configs);
}

static long tell_tree(struct data *data, const struct space_point *point)
{
    struct system_config *const config = config_new();
    char *tree = NULL;
    long index = NO_TEXT;

    if (!config)
        data->has_memory = false;
    else if (space_config(point, config).kind == FAULT_NONE && config_tree_text(config, &tree).kind == FAULT_NONE
             && is_new(data, &data->known_trees, tree, &index))
        write_lines(&data->trees, tree);
    free(tree);
    free(config);
    return index;
}

/* Index of the point's configuration; NO_TEXT: it has none. */
static long config_of(struct data *data, const struct space_point *point)
{
    long index = NO_TEXT;

    if (point->config && is_new(data, &data->known_configs, point->config, &index)) {
        tell_config(data, point->config);
        data->tree_of[index] = tell_tree(data, point);
    }
    return index;
}

/* ---- points */

/* Writes the index of a point's text among the texts of all points. */
static void write_text(struct data *data, const char *text)
{
    long index = NO_TEXT;

    if (text && text[0] && is_new(data, &data->known_texts, text, &index))
        write_shown(&data->texts, text);
    json_write_signed(&data->points, index);
}

/* [bound, of cores, of the GPU, error, doubt, ...]: texts */
static void tell_finding(struct data *data, const struct report_finding *finding, const char *error)
{
    json_begin_array(&data->points, JSON_TIGHT);
    write_text(data, finding->bound);
    write_text(data, finding->cores);
    write_text(data, finding->gpu);
    write_text(data, error);
    for (size_t i = 0; i < finding->doubt_count; i++)
        write_text(data, finding->doubts[i]);
    if (*data->unasked)
        write_text(data, data->unasked);
    json_end(&data->points);
}

/* With the fewest digits that read back the same number, so that the page's CSV has what `rubato results` has. */
static void write_value(struct json *json, double value)
{
    int digits = LEAST_DIGITS;

    for (; isfinite(value) && digits < MOST_DIGITS; digits++) {
        char text[40];

        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    json_write_real(json, value, digits);
}

static void write_or_null(struct json *json, double value)
{
    write_value(json, value > 0 ? value : NAN);
}

/* [number, state, configuration, [levels], [figures], [texts]] */
static bool tell_point(void *self, const struct results_row *row)
{
    struct data *const data = self;
    const struct effects_space *const effects = &data->space->effects;
    const struct space_point *const point = &data->space->points[data->index];
    struct json *const json = &data->points;

    json_begin_array(json, JSON_TIGHT);
    json_write_number(json, row->number);
    json_write_string(json, row->state);
    json_write_signed(json, config_of(data, point));
    json_begin_array(json, JSON_TIGHT);
    for (size_t axis = 0; axis < effects->axis_count; axis++)
        json_write_number(json, effects_level(effects, data->index, axis));
    json_end(json);

    json_begin_array(json, JSON_TIGHT);
    for (size_t i = 0; i < data->columns->count; i++)
        write_value(json, report_columns_value(data->columns, data->index, i));
    write_or_null(json, point->cost.cache_bytes / 1024);
    write_or_null(json, point->cost.channels);
    write_or_null(json, point->cost.peak_bytes_per_s * 1e-9);
    json_end(json);

    tell_finding(data, &data->columns->findings[data->index], point->error);
    json_end(json);
    data->index++;
    return data->has_memory && data->index < effects->point_count && data->index < data->columns->point_count;
}

/* ---- meaning of the numbers */

struct figure_about {
    const char *name, *unit, *help;
    enum metric_better better;
    bool is_size;
};

static void tell_figure(struct json *json, struct figure_about about)
{
    static const char *const better[] = {
        [METRIC_NEITHER] = "neither", [METRIC_LOWER] = "lower", [METRIC_HIGHER] = "higher"
    };

    json_begin_object(json, JSON_TIGHT);
    json_put_string(json, "name", cli_shown(about.name));
    json_put_string(json, "unit", about.unit);
    json_put_string(json, "better", better[about.better]);
    json_put_bool(json, "ratio", about.is_size);
    json_put_string(json, "help", about.help);
    json_end(json);
}

/* The first is the one that the report is about: of a statistic, that is better when it is lower. */
static void tell_column(struct json *json, const struct report_column *column, bool is_first)
{
    const struct metric *const metric = column->metric;

    if (metric)
        tell_figure(json, (struct figure_about){column->name, metric->unit, metric->definition, metric->better,
                                                report_column_is_size(column)});
    else
        tell_figure(json, (struct figure_about){column->name, "", "a statistic",
                                                is_first ? METRIC_LOWER : METRIC_NEITHER, is_first});
}

static void tell_figures(struct json *json, const struct report_columns *columns)
{
    static const struct figure_about costs[] = {
        {"cost.caches", "KiB", "capacity of all caches, a cost", METRIC_LOWER, false},
        {"cost.channels", "", "channels of all memories, a cost", METRIC_LOWER, false},
        {"cost.peak", "GB/s", "peak bandwidth of all memories, a cost", METRIC_LOWER, false}
    };

    json_put_array(json, "figures", JSON_LINES(0, 0));
    for (size_t i = 0; i < columns->count; i++)
        tell_column(json, &columns->list[i], i == 0);
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++)
        tell_figure(json, costs[i]);
    json_end(json);
}

static void tell_axes(struct json *json, const struct effects_space *effects)
{
    json_put_array(json, "axes", JSON_LINES(0, 0));
    for (size_t i = 0; i < effects->axis_count; i++) {
        json_begin_object(json, JSON_TIGHT);
        json_put_string(json, "key", cli_shown(effects->axes[i].key));
        json_put_bool(json, "numbers", space_has_numbers(&effects->axes[i]));
        json_put_bool(json, "workload", i == effects->workload_axis);
        json_put_array(json, "names", JSON_TIGHT);
        for (size_t level = 0; level < effects->axes[i].levels; level++)
            write_shown(json, effects->axes[i].names[level]);
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

/* ---- the element */

/* Only strings of JSON have these characters. */
static void put_escaped(FILE *to, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '<' || text[i] == '>' || text[i] == '&')
            fprintf(to, "\\u%04x", (unsigned)text[i]);
        else
            fputc(text[i], to);
}

static void put_array(FILE *to, const char *key, const struct json *json)
{
    fprintf(to, ",\n\"%s\":", key);
    if (json->text.length)
        put_escaped(to, json->text.at, json->text.length);
    else
        fputs("[]\n", to);
}

static void put_element(struct report *report, const struct data *data, const struct json *about)
{
    FILE *const to = report->page.file;

    fputs("<script type=\"application/json\" id=\"data\">{\"about\":", to);
    put_escaped(to, about->text.at, about->text.length);
    put_array(to, "points", &data->points);
    put_array(to, "configs", &data->configs);
    put_array(to, "trees", &data->trees);
    put_array(to, "texts", &data->texts);
    put_array(to, "memories", &report->curves);
    put_array(to, "errors", &report->errors);
    put_array(to, "kernels", &report->kernels);
    put_array(to, "samples", &data->samples);
    fputs("}</script>\n", to);
}

/* The series of the live view, in its two themes. */
static void tell_colours(struct json *json)
{
    json_put_object(json, "colours", JSON_TIGHT);
    for (int is_dark = 0; is_dark < 2; is_dark++) {
        const struct theme *const theme = palette_theme(is_dark);

        json_put_array(json, theme->name, JSON_TIGHT);
        for (size_t i = 0; i < PALETTE_SERIES; i++) {
            char text[8];

            snprintf(text, sizeof text, "#%02x%02x%02x", theme->series[i].red, theme->series[i].green,
                     theme->series[i].blue);
            json_write_string(json, text);
        }
        json_end(json);
    }
    json_end(json);
}

static void tell_about(struct json *json, const struct data *data, const struct report *report, const char *path)
{
    json_begin_object(json, JSON_LINES(0, 0));
    json_put_string(json, "file", cli_shown(path));
    tell_colours(json);
    tell_figures(json, data->columns);
    tell_axes(json, &data->space->effects);
    report_samples_tell_t(report, json);
    if (report->baseline != CONCLUDE_FIRST)
        json_put_number(json, "baseline", report->space->points[report->baseline].number);
    if (report->pair[0]) {
        json_put_string(json, "rows", cli_shown(report->pair[0]));
        json_put_string(json, "columns", cli_shown(report->pair[1]));
    }
    json_put_array(json, "tree_of", JSON_TIGHT);
    for (size_t i = 0; i < data->known_configs.count; i++)
        json_write_signed(json, data->tree_of[i]);
    json_end(json);
    json_end(json);
}

static void free_data(struct data *data)
{
    for (size_t i = 0; i < data->base_count; i++)
        free(data->bases[i].text);
    free(data->points.text.at);
    free(data->configs.text.at);
    free(data->trees.text.at);
    free(data->texts.text.at);
    free(data->samples.text.at);
    free(data->known_texts.hashes);
    free(data->known_configs.hashes);
    free(data->known_trees.hashes);
    free(data->tree_of);
}

int report_data_write(struct report *report, struct results *results, const char *path)
{
    size_t const points = report->space->effects.point_count;
    struct data data = {.space = report->space, .columns = report->columns, .unasked = report->unasked,
                        .has_memory = true};
    struct json about = {0};
    struct fault fault;
    int code = CLI_OK;

    data.tree_of = calloc(points + 1, sizeof *data.tree_of);
    if (!data.tree_of)
        return cli_fail_text("out of memory");
    json_begin_array(&data.points, JSON_LINES(0, 0));
    json_begin_array(&data.configs, JSON_LINES(0, 0));
    json_begin_array(&data.trees, JSON_LINES(0, 0));
    json_begin_array(&data.texts, JSON_LINES(0, 0));
    fault = results_read(results, tell_point, &data);
    json_end(&data.points);
    json_end(&data.configs);
    json_end(&data.trees);
    json_end(&data.texts);
    report_samples_tell(report, &data.samples);
    if (fault.kind != FAULT_NONE) {
        code = cli_fail(fault);
    } else {
        tell_about(&about, &data, report, path);
        if (data.has_memory && !data.points.text.failed && !data.configs.text.failed && !data.trees.text.failed
            && !data.texts.text.failed && !data.samples.text.failed && !about.text.failed)
            put_element(report, &data, &about);
        else
            code = cli_fail_text("out of memory");
    }
    free(about.text.at);
    free_data(&data);
    return code;
}

/* ---- provenance */

struct telling {
    struct report *report;
    bool has_date;
};

static void tell_about_row(void *self, const char *key, const char *value)
{
    static const struct { const char *key, *name; } names[] = {
        {"command", "Command"}, {"date", "Date"}, {"host", "Host"}, {"spec_path", "Sweep's file"},
        {"version", "Version that last wrote the results"}
    };
    struct telling *const telling = self;

    telling->has_date = telling->has_date || strcmp(key, "date") == 0;
    if (strcmp(key, "spec_text") == 0)
        page_text_fold(&telling->report->page, "the sweep's file, as it was run", value);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(key, names[i].key) == 0)
            page_paragraph(&telling->report->page, "%s: %s", names[i].name, value);
}

static void tell_traces_row(void *self, const struct provenance_traces *traces)
{
    struct report *const report = self;

    page_cell(&report->page, "%s", traces->system);
    page_cell(&report->page, "%s", traces->traces);
    page_cell(&report->page, "%s", traces->hash);
    page_cell(&report->page, "%s", traces->version);
    page_cell(&report->page, "%zu", traces->points);
    page_row_end(&report->page);
}

int report_provenance(struct report *report, const struct results *results, const char *path)
{
    static const char *const headings[] = {"system", "traces", "hash of their content", "version that ran them",
                                            "points"};
    struct telling telling = {.report = report};
    struct fault fault;

    page_heading(&report->page, "Where these results come from");
    page_paragraph(&report->page, "Results: %s", path);
    fault = provenance_about(results, tell_about_row, &telling);
    if (!telling.has_date)
        page_paragraph(&report->page, "These results were written by an earlier version, which did not record date, "
                                      "command and host.");
    page_table_begin(&report->page, NULL, headings, sizeof headings / sizeof headings[0]);
    if (fault.kind == FAULT_NONE)
        fault = provenance_traces(results, tell_traces_row, report);
    page_table_end(&report->page);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}
