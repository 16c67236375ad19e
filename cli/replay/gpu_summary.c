/* One line a kernel, one a stream if there are several: how it ran, and what it moved. */
#include "cli/replay/summary.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli/common/shown.h"
#include "replay/config/config_values.h"
#include "replay/gpu/gpu_run.h"
#include "replay/session/gpu_kernels.h"

enum { NAME_COLUMNS = 24 };

struct gpu_rows {
    const struct system_config *config;
    const struct gpu_params *params;
    struct gpu_peaks peaks;
    const struct gpu_run *run;
    const struct gpu_stream_result *streams;
    size_t stream_count;
};

#define OF_PEAK .text_digits = 1, .scale = 100, .suffix = " %"

static struct table_column const gpu_columns[] = {
    TEXT_COLUMN("", -NAME_COLUMNS - 5), TEXT_COLUMN("cycles", 10), TEXT_COLUMN("warp insts", 11),
    TEXT_COLUMN("IPC", 7, .text_digits = 2), TEXT_COLUMN("L1 hits r / w", 15), TEXT_COLUMN("L2 hits r / w", 15),
    TEXT_COLUMN("L2 GB/s", 9, .text_digits = 2), TEXT_COLUMN("DRAM GB/s", 9, .text_digits = 2),
    TEXT_COLUMN("latency ns", 10, .text_digits = 1)
}, traffic_columns[] = {
    TEXT_COLUMN("", -NAME_COLUMNS - 5), TEXT_COLUMN("sectors/request", 15, .text_digits = 2),
    TEXT_COLUMN("L2 MB", 10, .text_digits = 3), TEXT_COLUMN("of peak", 8, OF_PEAK),
    TEXT_COLUMN("DRAM MB", 10, .text_digits = 3), TEXT_COLUMN("of peak", 8, OF_PEAK),
    TEXT_COLUMN("occupancy", 9, OF_PEAK), TEXT_COLUMN(" bound by", 0)
};

/* "  53.6 /  92.8 %": of the sectors read, and of those written; "-" where there were none. */
static void put_hits(struct table_writer *writer, double read_rate, uint64_t reads, double write_rate,
                     uint64_t writes)
{
    char read[16] = "-", write[16] = "-", both[48];

    if (reads)
        snprintf(read, sizeof read, "%.1f", 100 * read_rate);
    if (writes)
        snprintf(write, sizeof write, "%.1f", 100 * write_rate);
    snprintf(both, sizeof both, "%5s / %5s %%", read, write);
    table_word(writer, both);
}

static void put_figures(struct table_writer *writer, const char *name, uint64_t cycles,
                        const struct gpu_counts *counts, const struct gpu_figures *figures)
{
    char cut[NAME_COLUMNS + 6];

    snprintf(cut, sizeof cut, "%s", name);
    table_word(writer, cut);
    table_count(writer, cycles);
    table_count(writer, counts->warp_insts);
    table_real(writer, figures->ipc);
    put_hits(writer, figures->l1_hit_rate, counts->l1_reads, figures->l1_write_hit_rate, counts->l1_writes);
    put_hits(writer, figures->l2_hit_rate, counts->l2_reads, figures->l2_write_hit_rate, counts->l2_writes);
    table_real(writer, figures->l2_gb_s);
    table_real(writer, figures->dram_gb_s);
    table_real(writer, figures->memory_latency_ns);
    table_end_row(writer);
}

static void name_kernel(const struct gpu_kernel_result *kernel, char name[NAME_COLUMNS + 32])
{
    snprintf(name, NAME_COLUMNS + 32, "%4" PRIu64 " %.*s", kernel->number, NAME_COLUMNS, cli_shown(kernel->name));
}

static void put_kernels(const void *context, struct table_writer *writer)
{
    const struct gpu_rows *const rows = context;

    for (size_t i = 0; i < rows->run->kernel_count; i++) {
        const struct gpu_kernel_result *const kernel = &rows->run->kernels[i];
        char name[NAME_COLUMNS + 32];

        if (!kernel->is_done)
            continue;
        struct gpu_figures const figures = gpu_kernel_figures(rows->params, &rows->peaks, kernel);
        name_kernel(kernel, name);
        put_figures(writer, name, kernel->cycles, &kernel->counts, &figures);
    }
}

static void put_streams(const void *context, struct table_writer *writer)
{
    const struct gpu_rows *const rows = context;

    for (size_t i = 0; i < rows->stream_count; i++) {
        const struct gpu_stream_result *const stream = &rows->streams[i];
        struct gpu_figures const figures = gpu_stream_figures(rows->params, &rows->peaks, rows->run,
                                                             stream);
        char name[64];

        snprintf(name, sizeof name, "%4" PRIu64 " %" PRIu64 " kernel%s", stream->stream, stream->kernels,
                 stream->kernels == 1 ? "" : "s");
        put_figures(writer, name, stream->cycles, &stream->counts, &figures);
    }
}

/* ---- traffic */
static const char *bound_of(const struct gpu_rows *rows, const struct gpu_kernel_result *kernel)
{
    struct verdict_bound bound;

    return gpu_kernel_bound(rows->config, &rows->peaks, kernel, &bound).kind == FAULT_NONE
           && bound.cause != CAUSE_COUNT ? verdict_title(bound.cause) : "-";
}

static void put_traffic(const void *context, struct table_writer *writer)
{
    const struct gpu_rows *const rows = context;

    for (size_t i = 0; i < rows->run->kernel_count; i++) {
        const struct gpu_kernel_result *const kernel = &rows->run->kernels[i];
        char name[NAME_COLUMNS + 32], bound[64];

        if (!kernel->is_done)
            continue;
        struct gpu_figures const figures = gpu_kernel_figures(rows->params, &rows->peaks, kernel);
        name_kernel(kernel, name);
        snprintf(bound, sizeof bound, " %s", bound_of(rows, kernel));
        name[NAME_COLUMNS + 5] = '\0';
        table_word(writer, name);
        table_real(writer, figures.sectors_per_request);
        table_real(writer, 1e-6 * figures.l2_bytes);
        table_real(writer, figures.l2_of_peak);
        table_real(writer, 1e-6 * figures.dram_bytes);
        table_real(writer, figures.dram_of_peak);
        table_real(writer, figures.occupancy);
        table_word(writer, bound);
        table_end_row(writer);
    }
}

void gpu_summary_print(FILE *to, const struct system_config *config, const struct gpu_run *run)
{
    struct gpu_rows rows = {
        .config = config, .params = config_gpu(config), .peaks = gpu_peaks_of(config), .run = run
    };
    struct gpu_stream_result *const streams = gpu_run_streams(run, &rows.stream_count);
    struct table table = TABLE_OF(gpu_columns, put_kernels, &rows);
    struct table const traffic = TABLE_OF(traffic_columns, put_traffic, &rows);

    rows.streams = streams;
    fprintf(to, "\nkernel\n");
    table_print(to, TABLE_TEXT, &table);
    if (rows.stream_count != SIZE_MAX && rows.stream_count > 1) {
        table.rows = put_streams;
        table.has_no_head = true;
        fprintf(to, "\nstream\n");
        table_print(to, TABLE_TEXT, &table);
    }
    if (rows.stream_count > 0) {
        fprintf(to, "\ntraffic\n");
        table_print(to, TABLE_TEXT, &traffic);
    }
    free(streams);
}
