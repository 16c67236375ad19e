#include "cli/sweep/diff_print.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "base/input_file.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/common/cli.h"
#include "replay/config/config.h"
#include "replay/session/session.h"
#include "sweep/compare/stats_table.h"
#include "sweep/results/results.h"
#include "sweep/run/region_point.h"

static struct fault diff_side_out_of_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory");
}

static void diff_side_add_figure(void *context, const char *name, double value)
{
    figures_add(context, name, value);
}

/* Statistics as an object, which is the side's from now on. */
static struct fault take_statistics(struct diff_side *side, json_t *statistics)
{
    const char *name;
    json_t *value;

    if (!statistics)
        return diff_side_out_of_memory();
    side->statistics = statistics;
    side->sample = sample_read(statistics);
    json_object_foreach(statistics, name, value)
        if (json_is_number(value))
            figures_add(&side->figures, name, json_number_value(value));
    return fault_none();
}

/* ---- a statistics file */
static bool is_result_file(const char *path)
{
    static const char beginning[] = "SQLite format 3";
    FILE *const file = input_file_fopen(path);
    char read[sizeof beginning] = "";
    bool const is_it = file && fread(read, sizeof read, 1, file) == 1 && memcmp(read, beginning, sizeof read) == 0;

    if (file)
        input_file_fclose(file);
    return is_it;
}

static struct fault diff_side_read_file(struct diff_side *side, const char *path)
{
    struct stats_table table;

    if (is_result_file(path))
        return fault_make(FAULT_INPUT, "%.300s is the result file of a sweep; name a point of it, such as %.300s:1",
                          path, path);
    FORWARD(stats_table_read(&table, path));
    if (stats_table_find(&table, "regions.count")) {
        stats_table_free(&table);
        return take_statistics(side, json_load_file(path, 0, NULL));
    }
    for (size_t i = 0; i < table.count; i++)
        figures_add(&side->figures, table.lines[i].name, strtod(table.lines[i].value, NULL));
    stats_table_free(&table);
    return fault_none();
}

/* ---- a point of a sweep */
struct wanted_point {
    struct diff_side *side;
    uint64_t number;
    struct fault fault;
    bool is_found;
};

static bool take_row(void *self, const struct results_row *row)
{
    struct wanted_point *const wanted = self;

    if (row->number != wanted->number)
        return true;
    wanted->is_found = true;
    if (!row->statistics) {
        wanted->fault = fault_make(FAULT_INPUT, "point %llu is %s%s%.300s; choose one that is done",
                                   (unsigned long long)row->number, row->state, row->error ? ": " : "",
                                   row->error ? row->error : "");
        return false;
    }
    wanted->fault = take_statistics(wanted->side, json_loads(row->statistics, 0, NULL));
    wanted->side->config = row->config ? strdup(row->config) : NULL;
    return false;
}

static void take_axes(struct diff_side *side, const struct results *results)
{
    size_t count;
    const char *const *const axes = results_axes(results, &count);

    for (size_t i = 0; i < count && side->asked_count < DIFF_MAX_ASKED; i++)
        if ((side->asked[side->asked_count] = strdup(axes[i])) != NULL)
            side->asked_count++;
}

static struct fault read_point(struct diff_side *side, const char *path, uint64_t number)
{
    struct wanted_point wanted = {.side = side, .number = number, .fault = fault_none()};
    struct results *results = NULL;
    struct fault fault = results_open(&results, path, RESULTS_READ);

    if (fault.kind == FAULT_NONE) {
        fault = results_read(results, take_row, &wanted);
        take_axes(side, results);
    }
    results_close(results);
    FORWARD(fault);
    FORWARD(wanted.fault);
    return wanted.is_found ? fault_none()
                           : fault_make(FAULT_INPUT, "%.300s has no point %llu; `rubato results` lists them", path,
                                        (unsigned long long)number);
}

/* "RESULTS.db:7": true, and the file's name and the number. */
static bool is_point(const char *text, char **path, uint64_t *number)
{
    const char *const colon = strrchr(text, ':');

    if (!colon || !isdigit((unsigned char)colon[1]) || colon[1 + strspn(colon + 1, "0123456789")] != '\0')
        return false;
    *number = strtoull(colon + 1, NULL, 10);
    *path = strndup(text, (size_t)(colon - text));
    return true;
}

/* ---- a system, run now */
static struct fault run_regions(struct diff_side *side, const struct system_config *config, struct workload *workload)
{
    struct region_point const point = {.config = config, .workload = workload, .engine = engine_fast(),
                                       .jobs = host_cores(), .confidence = SPEC_CONFIDENCE};
    char *text = NULL;
    size_t length;
    FILE *const figures = open_memstream(&text, &length);
    struct fault fault = figures ? region_point_run(&point, figures) : diff_side_out_of_memory();

    if (figures && !text_stream_close(figures, &text) && fault.kind == FAULT_NONE)
        fault = diff_side_out_of_memory();
    if (fault.kind == FAULT_NONE)
        fault = take_statistics(side, json_loads(text, 0, NULL));
    free(text);
    return fault;
}

static struct fault diff_side_run(struct diff_side *side, const struct system_config *config, struct workload *workload)
{
    struct session_request const request = {
        .config = config, .workload = workload, .limits = session_no_limits(), .warn = cli_warnings, .has_stats = true
    };
    struct session *session;
    struct fault fault;

    if (workload->regions)
        return run_regions(side, config, workload);
    fault = session_open(&session, &request);
    if (fault.kind == FAULT_NONE)
        fault = session_run(session, NULL);
    if (fault.kind == FAULT_NONE)
        fault = session_visit_stats(session, NULL, diff_side_add_figure, &side->figures);
    session_close(session);
    return fault;
}

static struct fault read_system(const struct diff_request *request, int number, struct system_config *config)
{
    const char *settings[DIFF_MAX_SETTINGS + 1];
    size_t count = 0;

    if (workload_is_threads(request->traces, request->trace_count, request->format))
        settings[count++] = THREAD_CORES_SETTING;
    for (size_t i = 0; i < request->setting_counts[number]; i++)
        settings[count++] = request->settings[number][i];
    return config_read(config, request->sides[number], settings, count);
}

static struct fault run_system(struct diff_side *side, const struct diff_request *request, int number)
{
    struct system_config *config;
    struct workload_options options = workload_usual_options();
    struct workload workload = {0};
    struct fault fault;

    insn_read_format(&options.insn, request->format);
    if (request->trace_count == 0)
        return fault_make(FAULT_INPUT, "%.200s is a system, which has to run something: give --traces",
                          request->sides[number]);
    config = config_new();
    fault = config ? read_system(request, number, config) : diff_side_out_of_memory();
    if (fault.kind == FAULT_NONE)
        fault = region_workload_find(&workload, request->traces[0], request->traces, request->trace_count, &options);
    if (fault.kind == FAULT_NONE)
        fault = config_to_compact_yaml(config, &side->config);
    if (fault.kind == FAULT_NONE)
        fault = diff_side_run(side, config, &workload);
    region_workload_close(&workload);
    free(config);
    return fault;
}

/* ---- */
static bool is_system(const char *name)
{
    char path[4096];

    if (text_ends_in(name, ".yaml") || text_ends_in(name, ".yml"))
        return true;
    return access(name, F_OK) != 0 && config_find("", name, path, sizeof path);
}

static struct fault read_side(struct diff_side *side, const struct diff_request *request, int number)
{
    const char *const text = request->sides[number];
    char *path;
    uint64_t point;

    if (is_point(text, &path, &point)) {
        struct fault const fault = path ? read_point(side, path, point) : diff_side_out_of_memory();

        free(path);
        return fault;
    }
    return is_system(text) ? run_system(side, request, number) : diff_side_read_file(side, text);
}

struct fault diff_side_open(struct diff_side *side, const struct diff_request *request, int number)
{
    *side = (struct diff_side){0};
    FORWARD(read_side(side, request, number));
    FORWARD(figures_finish(&side->figures));
    if (!(metrics_value(&side->figures, "time_ms") > 0))
        return fault_make(FAULT_INPUT, "%.300s: simTicks is missing or 0; expected the statistics of a run that ended",
                          request->sides[number]);
    side->verdict = verdict_of(&side->figures, NULL);
    return fault_none();
}

void diff_side_close(struct diff_side *side)
{
    figures_free(&side->figures);
    sample_free(side->sample);
    json_decref(side->statistics);
    free(side->config);
    for (size_t i = 0; i < side->asked_count; i++)
        free(side->asked[i]);
    *side = (struct diff_side){0};
}
