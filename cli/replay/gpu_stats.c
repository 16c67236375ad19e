/* Kernels, streams and instructions are a table each, whose first column says which it is. */
#include "cli/replay/stats_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/common/table.h"
#include "replay/config/config_values.h"
#include "replay/gpu/gpu_run.h"
#include "replay/session/gpu_alone_stats.h"
#include "replay/session/gpu_kernels.h"

#define COLUMN(column) {.name = column}
#define FIGURE_COLUMN(column, about) {.name = #column, .data_digits = -6, .help = about},
#define COUNTER_COLUMN(column, about) {.name = #column, .help = about},

static struct table_column const kernel_columns[] = {
    COLUMN("#kernel"), COLUMN("number"), COLUMN("id"), COLUMN("stream_id"), COLUMN("name"), COLUMN("file"),
    COLUMN("grid"), COLUMN("block"), COLUMN("launch_ps"), COLUMN("start_ps"), COLUMN("end_ps"), COLUMN("cycles"),
    COLUMN("blocks_per_sm"), COLUMN("limit"), COLUMN("l1_bytes"), COLUMN("unit_fallbacks"),
    {.name = "bound", .help = "what most of its schedulers' cycles wait for"},
    GPU_FIGURES(FIGURE_COLUMN) GPU_COUNTERS(COUNTER_COLUMN)
}, stream_columns[] = {
    COLUMN("#stream"), COLUMN("stream_id"), COLUMN("kernels"), COLUMN("cycles"), COLUMN("busy_ps"),
    GPU_FIGURES(FIGURE_COLUMN) GPU_COUNTERS(COUNTER_COLUMN)
}, pc_columns[] = {
    COLUMN("#pc"), COLUMN("kernel_number"), COLUMN("pc"), COLUMN("line"), COLUMN("opcode"), COLUMN("executions"),
    COLUMN("lanes"), COLUMN("sectors"), COLUMN("latency_cyc")
}, run_columns[] = {COLUMN("#run"), COLUMN("interrupted_ps")};

struct gpu_rows {
    const struct system_config *config;
    const struct gpu_params *params;
    struct gpu_peaks peaks;
    const struct gpu_run *run;
    struct gpu_stream_result *streams;
    size_t stream_count;                 /* SIZE_MAX: out of memory */
    const struct gpu_kernel_result *kernel;      /* the only one whose instructions are meant; NULL: of all */
    struct json_layout layout;           /* of instructions in JSON */
};

static struct gpu_rows rows_of(const struct system_config *config, const struct gpu_run *run)
{
    struct gpu_rows rows = {
        .config = config, .params = config_gpu(config), .peaks = gpu_peaks_of(config), .run = run
    };

    rows.streams = gpu_run_streams(run, &rows.stream_count);
    return rows;
}

/* ---- cells */
static void put_table_name(struct table_writer *writer, const char *name)
{
    if (writer->form == TABLE_JSON)
        table_skip(writer);
    else
        table_word(writer, name);
}

static void put_size(struct table_writer *writer, const uint32_t size[3])
{
    char text[64];

    snprintf(text, sizeof text, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, size[0], size[1], size[2]);
    table_word(writer, text);
}

static void put_figures(struct table_writer *writer, const struct gpu_figures *figures,
                        const struct gpu_counts *counts)
{
#define PUT_FIGURE(name, help) table_real(writer, figures->name);
#define PUT_COUNTER(name, help) table_count(writer, counts->name);
    GPU_FIGURES(PUT_FIGURE)
    GPU_COUNTERS(PUT_COUNTER)
}

static void put_text(struct table_writer *writer, const char *text)
{
    table_word(writer, text ? text : "");
}

/* ---- rows */
static void put_pcs(const void *context, struct table_writer *writer)
{
    const struct gpu_rows *const rows = context;

    for (size_t i = 0; i < rows->run->kernel_count; i++) {
        const struct gpu_kernel_result *const kernel = &rows->run->kernels[i];

        for (size_t k = 0; kernel->pcs && (!rows->kernel || rows->kernel == kernel) && k < kernel->pc_count; k++) {
            const struct gpu_pc_counts *const pc = &kernel->pcs[k];
            char place[32];

            snprintf(place, sizeof place, "0x%" PRIx64, pc->pc);
            put_table_name(writer, "pc");
            table_count(writer, kernel->number);
            table_word(writer, place);
            table_count(writer, pc->line);
            put_text(writer, pc->opcode);
            table_count(writer, pc->executions);
            table_count(writer, pc->lanes);
            table_count(writer, pc->sectors);
            table_count(writer, pc->latency_cyc);
            table_end_row(writer);
        }
    }
}

static void put_own_pcs(const struct gpu_rows *rows, struct table_writer *writer,
                        const struct gpu_kernel_result *kernel)
{
    struct gpu_rows own = *rows;
    struct table const table = TABLE_OF(pc_columns, put_pcs, &own);

    own.kernel = kernel;
    json_put_array(writer->json, "instructions", rows->layout);
    table_put_json(writer->json, &table);
    json_end(writer->json);
}

static const char *bound_of(const struct gpu_rows *rows, const struct gpu_kernel_result *kernel)
{
    struct verdict_bound bound;

    if (!kernel->is_done || gpu_kernel_bound(rows->config, &rows->peaks, kernel, &bound).kind != FAULT_NONE)
        return NULL;
    return bound.cause == CAUSE_COUNT ? NULL : verdict_key(bound.cause);
}

static void put_kernels(const void *context, struct table_writer *writer)
{
    const struct gpu_rows *const rows = context;

    for (size_t i = 0; i < rows->run->kernel_count; i++) {
        const struct gpu_kernel_result *const kernel = &rows->run->kernels[i];
        struct gpu_figures const figures = gpu_kernel_figures(rows->params, &rows->peaks, kernel);

        put_table_name(writer, "kernel");
        table_count(writer, kernel->number);
        table_count(writer, kernel->id);
        table_count(writer, kernel->stream);
        put_text(writer, kernel->name);
        put_text(writer, kernel->file);
        put_size(writer, kernel->grid);
        put_size(writer, kernel->block);
        table_count(writer, kernel->launch_ps);
        table_count(writer, kernel->start_ps);
        table_count(writer, kernel->end_ps);
        table_count(writer, kernel->cycles);
        table_count(writer, kernel->blocks_per_sm);
        put_text(writer, gpu_limit_name(kernel->limit));
        table_count(writer, kernel->l1_bytes);
        table_count(writer, kernel->unit_fallbacks);
        table_word(writer, bound_of(rows, kernel));
        put_figures(writer, &figures, &kernel->counts);
        if (writer->form == TABLE_JSON && kernel->pcs)
            put_own_pcs(rows, writer, kernel);
        table_end_row(writer);
    }
}

static void put_streams(const void *context, struct table_writer *writer)
{
    const struct gpu_rows *const rows = context;

    for (const struct gpu_stream_result *stream = rows->streams; stream < rows->streams + rows->stream_count;
         stream++) {
        struct gpu_figures const figures = gpu_stream_figures(rows->params, &rows->peaks, rows->run,
                                                             stream);

        put_table_name(writer, "stream");
        table_count(writer, stream->stream);
        table_count(writer, stream->kernels);
        table_count(writer, stream->cycles);
        table_count(writer, stream->busy_ps);
        put_figures(writer, &figures, &stream->counts);
        table_end_row(writer);
    }
}

static void put_run(const void *context, struct table_writer *writer)
{
    const struct gpu_rows *const rows = context;

    put_table_name(writer, "run");
    table_count(writer, sim_now_ps(rows->run->sim));
    table_end_row(writer);
}

/* ---- text and CSV */
enum { MOST_TABLES = 4 };

/* Those that have rows. */
static size_t list_tables(const struct gpu_rows *rows, struct table tables[MOST_TABLES])
{
    bool has_pcs = false;
    size_t count = 0;

    for (size_t i = 0; i < rows->run->kernel_count; i++)
        has_pcs |= rows->run->kernels[i].pcs && rows->run->kernels[i].pc_count > 0;
    if (rows->run->kernel_count > 0)
        tables[count++] = TABLE_OF(kernel_columns, put_kernels, rows);
    if (rows->stream_count > 0)
        tables[count++] = TABLE_OF(stream_columns, put_streams, rows);
    if (has_pcs)
        tables[count++] = TABLE_OF(pc_columns, put_pcs, rows);
    if (rows->run->sim->is_interrupted)
        tables[count++] = TABLE_OF(run_columns, put_run, rows);
    return count;
}

bool gpu_stats_text(FILE *to, const struct system_config *config, const struct gpu_run *run)
{
    struct gpu_rows const rows = rows_of(config, run);
    struct table tables[MOST_TABLES];
    bool good = rows.stream_count != SIZE_MAX;
    size_t const count = good ? list_tables(&rows, tables) : 0;

    for (size_t i = 0; i < count; i++)
        good = table_print(to, TABLE_TSV, &tables[i]) && good;
    free(rows.streams);
    return good;
}

bool gpu_stats_csv(FILE *to, const struct system_config *config, const struct gpu_run *run)
{
    struct gpu_rows const rows = rows_of(config, run);
    struct table tables[MOST_TABLES];
    bool const good = rows.stream_count != SIZE_MAX
                      && table_print_joined(to, "table", tables, list_tables(&rows, tables));

    free(rows.streams);
    return good;
}

/* ---- JSON */
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
    struct gpu_rows rows = rows_of(config, run);
    struct table const kernels = TABLE_OF(kernel_columns, put_kernels, &rows);
    struct table const streams = TABLE_OF(stream_columns, put_streams, &rows);
    struct fault fault = fault_none();

    if (rows.stream_count == SIZE_MAX)
        return false;
    rows.layout = has_lines ? JSON_LINES(2, -1) : JSON_SPACED;
    json_begin_object(json, JSON_SPACED);
    fault = gpu_alone_stats_visit(run, config, end_ps, put_sum, json);
    json_put_string(json, "system", config_name(config));
    json_put_number(json, "time_ps", run->done_ps);
    if (run->sim->is_interrupted)
        json_put_number(json, "interrupted_ps", sim_now_ps(run->sim));
    json_put_number(json, "core_clock_ps", config_gpu_clock_ps(config));
    json_put_number(json, "copies", run->copies);
    json_put_number(json, "copied_bytes", run->copied_bytes);
    json_put_array(json, "kernels", rows.layout);
    table_put_json(json, &kernels);
    json_end(json);
    json_put_array(json, "streams", rows.layout);
    table_put_json(json, &streams);
    json_end(json);
    json_end(json);
    free(rows.streams);
    return fault.kind == FAULT_NONE;
}
