/* All forms come from the same walk: a member is a column and a value, in the order of the lists below. */
#include "cli/replay/gpu_stats.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/replay/stats_csv.h"
#include "replay/gpu/figures.h"
#include "replay/session/gpu_alone_stats.h"

enum form { COLUMNS, VALUES, JSON, CSV_COLUMNS, CSV_VALUES };

enum { CSV_MOST = 400, FIELD_TEXT = 32 };

/* One table for records of several kinds: the columns that any of them has, and a line of it. */
struct csv_line {
    const char *names[CSV_MOST];
    size_t count;
    char fields[CSV_MOST][FIELD_TEXT];   /* "": the record has none */
    const char *texts[CSV_MOST];         /* in their place, of any length */
};

struct writer {
    FILE *to;
    enum form form;
    struct json *json;                   /* of form JSON */
    struct csv_line *csv;                /* of the forms for it */
};

/* ---- members of a record */
static void begin_column(struct writer *writer, const char *name)
{
    fputc('\t', writer->to);
    if (writer->form == COLUMNS)
        fputs(name, writer->to);
}

/* The place of a column, which is a new one if there is none of that name. */
static size_t csv_column(struct csv_line *csv, const char *name)
{
    size_t i = 0;

    while (i < csv->count && strcmp(csv->names[i], name) != 0)
        i++;
    assert(i < CSV_MOST);
    if (i == csv->count)
        csv->names[csv->count++] = name;
    return i;
}

/* Room for the value of a column; NULL: it is not asked for. */
static char *csv_field(struct writer *writer, const char *name)
{
    size_t const column = csv_column(writer->csv, name);

    return writer->form == CSV_VALUES ? writer->csv->fields[column] : NULL;
}

static void put_number(struct writer *writer, const char *name, uint64_t value)
{
    if (writer->csv) {
        char *const field = csv_field(writer, name);

        if (field)
            snprintf(field, FIELD_TEXT, "%" PRIu64, value);
        return;
    }
    if (writer->form == JSON) {
        json_put_number(writer->json, name, value);
        return;
    }
    begin_column(writer, name);
    if (writer->form == VALUES)
        fprintf(writer->to, "%" PRIu64, value);
}

static void put_figure(struct writer *writer, const char *name, double value)
{
    if (writer->csv) {
        char *const field = csv_field(writer, name);

        if (field && isfinite(value))
            snprintf(field, FIELD_TEXT, "%.6g", value);
        return;
    }
    if (writer->form == JSON) {
        json_put_real(writer->json, name, value, 6);
        return;
    }
    begin_column(writer, name);
    if (writer->form == VALUES)
        fprintf(writer->to, "%.6g", value);
}

/* The value lives until the record is written. */
static void put_text(struct writer *writer, const char *name, const char *value)
{
    if (writer->csv) {
        if (csv_field(writer, name))
            writer->csv->texts[csv_column(writer->csv, name)] = value;
        return;
    }
    if (writer->form == JSON) {
        json_put_string(writer->json, name, value ? value : "");
        return;
    }
    begin_column(writer, name);
    for (const char *c = value && writer->form == VALUES ? value : ""; *c; c++)
        fputc((unsigned char)*c < ' ' ? ' ' : *c, writer->to);
}

/* A text that is gone afterwards. */
static void put_short_text(struct writer *writer, const char *name, const char *value)
{
    char *const field = writer->csv ? csv_field(writer, name) : NULL;

    if (field)
        snprintf(field, FIELD_TEXT, "%s", value);
    else if (!writer->csv)
        put_text(writer, name, value);
}

static void put_size(struct writer *writer, const char *name, const uint32_t size[3])
{
    char text[FIELD_TEXT];

    snprintf(text, sizeof text, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, size[0], size[1], size[2]);
    put_short_text(writer, name, text);
}

static void put_counts(struct writer *writer, const struct gpu_counts *counts)
{
#define PUT_COUNTER(name, help) put_number(writer, #name, counts->name);
    GPU_COUNTERS(PUT_COUNTER)
#undef PUT_COUNTER
}

static void put_figures(struct writer *writer, const struct gpu_figures *figures)
{
#define PUT_FIGURE(name, help) put_figure(writer, #name, figures->name);
    GPU_FIGURES(PUT_FIGURE)
#undef PUT_FIGURE
}

/* ---- records */
static void put_kernel(struct writer *writer, const struct gpu_params *params, const struct gpu_kernel_result *kernel)
{
    struct gpu_figures const figures = gpu_kernel_figures(params, kernel);

    put_number(writer, "number", kernel->number);
    put_number(writer, "id", kernel->id);
    put_number(writer, "stream_id", kernel->stream);
    put_text(writer, "name", kernel->name);
    put_text(writer, "file", kernel->file);
    put_size(writer, "grid", kernel->grid);
    put_size(writer, "block", kernel->block);
    put_number(writer, "launch_ps", kernel->launch_ps);
    put_number(writer, "start_ps", kernel->start_ps);
    put_number(writer, "end_ps", kernel->end_ps);
    put_number(writer, "cycles", kernel->cycles);
    put_number(writer, "blocks_per_sm", kernel->blocks_per_sm);
    put_text(writer, "limit", gpu_limit_name(kernel->limit));
    put_number(writer, "l1_bytes", kernel->l1_bytes);
    put_number(writer, "unit_fallbacks", kernel->unit_fallbacks);
    put_figures(writer, &figures);
    put_counts(writer, &kernel->counts);
}

static void put_stream(struct writer *writer, const struct gpu_params *params, const struct gpu_run *run,
                       const struct gpu_stream_result *stream)
{
    struct gpu_figures const figures = gpu_stream_figures(params, run, stream);

    put_number(writer, "stream_id", stream->stream);
    put_number(writer, "kernels", stream->kernels);
    put_number(writer, "cycles", stream->cycles);
    put_number(writer, "busy_ps", stream->busy_ps);
    put_figures(writer, &figures);
    put_counts(writer, &stream->counts);
}

static void put_pc(struct writer *writer, uint64_t kernel, const struct gpu_pc_counts *pc)
{
    char place[32];

    snprintf(place, sizeof place, "0x%" PRIx64, pc->pc);
    put_number(writer, "kernel_number", kernel);
    put_short_text(writer, "pc", place);
    put_number(writer, "line", pc->line);
    put_text(writer, "opcode", pc->opcode);
    put_number(writer, "executions", pc->executions);
    put_number(writer, "lanes", pc->lanes);
    put_number(writer, "sectors", pc->sectors);
    put_number(writer, "latency_cyc", pc->latency_cyc);
}

/* ---- text */
static struct writer begin_line(FILE *to, const char *table, bool is_columns)
{
    fprintf(to, "%s%s", is_columns ? "#" : "", table);
    return (struct writer){.to = to, .form = is_columns ? COLUMNS : VALUES};
}

static void text_kernels(FILE *to, const struct gpu_params *params, const struct gpu_run *run)
{
    for (size_t i = 0; i < run->kernel_count; i++) {
        for (int is_columns = i == 0; is_columns >= 0; is_columns--) {
            struct writer writer = begin_line(to, "kernel", is_columns);

            put_kernel(&writer, params, &run->kernels[i]);
            fputc('\n', to);
        }
    }
}

static void text_streams(FILE *to, const struct gpu_params *params, const struct gpu_run *run,
                         const struct gpu_stream_result *streams, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (int is_columns = i == 0; is_columns >= 0; is_columns--) {
            struct writer writer = begin_line(to, "stream", is_columns);

            put_stream(&writer, params, run, &streams[i]);
            fputc('\n', to);
        }
    }
}

static void text_pcs(FILE *to, const struct gpu_run *run)
{
    bool is_first = true;

    for (size_t i = 0; i < run->kernel_count; i++) {
        for (size_t k = 0; run->kernels[i].pcs && k < run->kernels[i].pc_count; k++) {
            for (int is_columns = is_first; is_columns >= 0; is_columns--) {
                struct writer writer = begin_line(to, "pc", is_columns);

                put_pc(&writer, run->kernels[i].number, &run->kernels[i].pcs[k]);
                fputc('\n', to);
            }
            is_first = false;
        }
    }
}

bool gpu_stats_text(FILE *to, const struct system_config *config, const struct gpu_run *run)
{
    size_t count;
    struct gpu_stream_result *const streams = gpu_run_streams(run, &count);

    if (count == SIZE_MAX)
        return false;
    text_kernels(to, &config->gpu, run);
    text_streams(to, &config->gpu, run, streams, count);
    text_pcs(to, run);
    if (run->sim->is_interrupted)
        fprintf(to, "#run\tinterrupted_ps\nrun\t%" PRIu64 "\n", sim_now_ps(run->sim));
    free(streams);
    return true;
}

/* ---- CSV */
static void write_fields(FILE *to, const struct csv_line *csv)
{
    for (size_t i = 0; i < csv->count; i++) {
        fputs(i ? "," : "", to);
        csv_put_cell(to, csv->texts[i] ? csv->texts[i] : csv->fields[i]);
    }
    fputc('\n', to);
}

static void begin_record(struct writer *writer, const char *table)
{
    memset(writer->csv->fields, 0, sizeof writer->csv->fields);
    memset(writer->csv->texts, 0, sizeof writer->csv->texts);
    put_text(writer, "table", table);
}

static void end_record(const struct writer *writer)
{
    if (writer->form == CSV_VALUES)
        write_fields(writer->to, writer->csv);
}

/* All records; of the form CSV_COLUMNS only their columns come out. */
static void csv_records(struct writer *writer, const struct gpu_params *params, const struct gpu_run *run,
                        const struct gpu_stream_result *streams, size_t count)
{
    for (size_t i = 0; i < run->kernel_count; i++) {
        begin_record(writer, "kernel");
        put_kernel(writer, params, &run->kernels[i]);
        end_record(writer);
    }
    for (size_t i = 0; i < count; i++) {
        begin_record(writer, "stream");
        put_stream(writer, params, run, &streams[i]);
        end_record(writer);
    }
    for (size_t i = 0; i < run->kernel_count; i++)
        for (size_t k = 0; run->kernels[i].pcs && k < run->kernels[i].pc_count; k++) {
            begin_record(writer, "pc");
            put_pc(writer, run->kernels[i].number, &run->kernels[i].pcs[k]);
            end_record(writer);
        }
    if (run->sim->is_interrupted) {
        begin_record(writer, "run");
        put_number(writer, "interrupted_ps", sim_now_ps(run->sim));
        end_record(writer);
    }
}

bool gpu_stats_csv(FILE *to, const struct system_config *config, const struct gpu_run *run)
{
    size_t count;
    struct gpu_stream_result *const streams = gpu_run_streams(run, &count);
    struct writer writer = {.to = to, .form = CSV_COLUMNS, .csv = calloc(1, sizeof *writer.csv)};
    bool const good = count != SIZE_MAX && writer.csv;

    if (good) {
        csv_records(&writer, &config->gpu, run, streams, count);
        for (size_t i = 0; i < writer.csv->count; i++)
            fprintf(to, "%s%s", i ? "," : "", writer.csv->names[i]);
        fputc('\n', to);
        writer.form = CSV_VALUES;
        csv_records(&writer, &config->gpu, run, streams, count);
    }
    free(writer.csv);
    free(streams);
    return good;
}

/* ---- JSON */
static void json_pcs(struct writer *writer, struct json_layout layout, const struct gpu_kernel_result *result)
{
    json_put_array(writer->json, "instructions", layout);
    for (size_t i = 0; i < result->pc_count; i++) {
        json_begin_object(writer->json, JSON_SPACED);
        put_pc(writer, result->number, &result->pcs[i]);
        json_end(writer->json);
    }
    json_end(writer->json);
}

static void put_sum(void *context, const char *name, double value)
{
    if (value == rint(value) && fabs(value) < 0x1p63)
        json_put_number(context, name, (uint64_t)value);
    else
        json_put_real(context, name, value, 17);
}

bool gpu_stats_json(struct json *json, bool has_lines, const struct system_config *config, const struct gpu_run *run,
                    uint64_t end_ps)
{
    struct json_layout const layout = has_lines ? JSON_LINES(2, -1) : JSON_SPACED;
    struct writer writer = {.form = JSON, .json = json};
    struct fault fault = fault_none();
    size_t count;
    struct gpu_stream_result *const streams = gpu_run_streams(run, &count);

    if (count == SIZE_MAX)
        return false;
    json_begin_object(json, JSON_SPACED);
    fault = gpu_alone_stats_visit(run, config, end_ps, put_sum, json);
    put_text(&writer, "system", config->name);
    put_number(&writer, "time_ps", run->done_ps);
    if (run->sim->is_interrupted)
        put_number(&writer, "interrupted_ps", sim_now_ps(run->sim));
    put_number(&writer, "core_clock_ps", config->gpu.core_clock_ps);
    put_number(&writer, "copies", run->copies);
    put_number(&writer, "copied_bytes", run->copied_bytes);
    json_put_array(json, "kernels", layout);
    for (size_t i = 0; i < run->kernel_count; i++) {
        json_begin_object(json, JSON_SPACED);
        put_kernel(&writer, &config->gpu, &run->kernels[i]);
        if (run->kernels[i].pcs)
            json_pcs(&writer, layout, &run->kernels[i]);
        json_end(json);
    }
    json_end(json);
    json_put_array(json, "streams", layout);
    for (size_t i = 0; i < count; i++) {
        json_begin_object(json, JSON_SPACED);
        put_stream(&writer, &config->gpu, run, &streams[i]);
        json_end(json);
    }
    json_end(json);
    json_end(json);
    free(streams);
    return fault.kind == FAULT_NONE;
}
