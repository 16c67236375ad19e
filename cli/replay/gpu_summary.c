/* One line a kernel, one a stream if there are several. */
#include "cli/replay/gpu_summary.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli/shown.h"
#include "replay/gpu/figures.h"

enum { NAME_COLUMNS = 24 };

static void print_head(FILE *to)
{
    fprintf(to, "%-*s %10s %11s %7s %15s %15s %9s %9s %10s\n", NAME_COLUMNS + 5, "", "cycles", "warp insts", "IPC",
            "L1 hits r / w", "L2 hits r / w", "L2 GB/s", "DRAM GB/s", "latency ns");
}

/* "  53.6 /  92.8 %": of the sectors read, and of those written; "-" where there were none. */
static void print_hits(FILE *to, double read_rate, uint64_t reads, double write_rate, uint64_t writes)
{
    char read[16] = "-", write[16] = "-";

    if (reads)
        snprintf(read, sizeof read, "%.1f", 100 * read_rate);
    if (writes)
        snprintf(write, sizeof write, "%.1f", 100 * write_rate);
    fprintf(to, " %5s / %5s %%", read, write);
}

static void print_row(FILE *to, const char *name, uint64_t cycles, const struct gpu_counts *counts,
                      const struct gpu_figures *figures)
{
    fprintf(to, "%-*.*s %10" PRIu64 " %11" PRIu64 " %7.2f", NAME_COLUMNS + 5, NAME_COLUMNS + 5, name, cycles,
            counts->warp_insts, figures->ipc);
    print_hits(to, figures->l1_hit_rate, counts->l1_reads, figures->l1_write_hit_rate, counts->l1_writes);
    print_hits(to, figures->l2_hit_rate, counts->l2_reads, figures->l2_write_hit_rate, counts->l2_writes);
    fprintf(to, " %9.2f %9.2f %10.1f\n", figures->l2_gb_s, figures->dram_gb_s, figures->memory_latency_ns);
}

static void print_kernels(FILE *to, const struct gpu_params *params, const struct gpu_run *run)
{
    fprintf(to, "\nkernel\n");
    print_head(to);
    for (size_t i = 0; i < run->kernel_count; i++) {
        const struct gpu_kernel_result *const kernel = &run->kernels[i];
        char name[NAME_COLUMNS + 32];

        if (!kernel->is_done)
            continue;
        struct gpu_figures const figures = gpu_kernel_figures(params, kernel);
        snprintf(name, sizeof name, "%4" PRIu64 " %.*s", kernel->number, NAME_COLUMNS, cli_shown(kernel->name));
        print_row(to, name, kernel->cycles, &kernel->counts, &figures);
    }
}

static void print_streams(FILE *to, const struct gpu_params *params, const struct gpu_run *run)
{
    size_t count;
    struct gpu_stream_result *const streams = gpu_run_streams(run, &count);

    for (size_t i = 0; count != SIZE_MAX && count > 1 && i < count; i++) {
        struct gpu_figures const figures = gpu_stream_figures(params, run, &streams[i]);
        char name[64];

        if (i == 0)
            fprintf(to, "\nstream\n");
        snprintf(name, sizeof name, "%4" PRIu64 " %" PRIu64 " kernel%s", streams[i].stream, streams[i].kernels,
                 streams[i].kernels == 1 ? "" : "s");
        print_row(to, name, streams[i].cycles, &streams[i].counts, &figures);
    }
    free(streams);
}

void gpu_summary_print(FILE *to, const struct gpu_params *params, const struct gpu_run *run)
{
    print_kernels(to, params, run);
    print_streams(to, params, run);
}
