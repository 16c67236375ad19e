/* The kernels of GPUs, as `rubato results --kernels` lists them, and the roofs of each point's system: what its
 * schedulers can issue, what its L2 and its DRAM can move. */
#include <math.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/sweep/report.h"

enum { MOST_ROWS = 200, MOST_TOLD = 20000, DIGITS = 4, EXACT = 6 };

struct reading {
    struct report *report;
    size_t point, rows, left_out;        /* rows: in the table so far; left_out: of it */
    size_t told;                         /* for the script */
};

static double number_of(const json_t *kernel, const char *name)
{
    json_t const *const value = json_object_get(kernel, name);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *text_of(const json_t *kernel, const char *name)
{
    const char *const text = json_string_value(json_object_get(kernel, name));

    return text ? text : "-";
}

/* ---- the table */
static void begin_table(struct report *report)
{
    static const char *const headings[] = {
        "point", "kernel", "name", "cycles", "IPC", "L1 hits, %", "L2 hits, %", "sectors a request", "L2 MB",
        "of peak, %", "DRAM MB", "of peak, %", "occupancy, %", "bound"
    };

    page_heading(&report->page, "GPU kernels");
    page_paragraph(&report->page, "Hit rates are of the sectors read, bandwidths since a kernel was ready for its "
                   "first block; what bounds a kernel is what most of its schedulers' cycles wait for.");
    page_table_begin(&report->page, "the numbers", headings, sizeof headings / sizeof headings[0]);
}

static void tell_row(struct report *report, uint64_t point, const json_t *kernel)
{
    page_cell(&report->page, "%llu", (unsigned long long)point);
    page_number(&report->page, number_of(kernel, "number"), DIGITS);
    page_cell(&report->page, "%s", text_of(kernel, "name"));
    page_number(&report->page, number_of(kernel, "cycles"), 15);
    page_number(&report->page, number_of(kernel, "ipc"), DIGITS);
    page_number(&report->page, 100 * number_of(kernel, "l1_hit_rate"), DIGITS);
    page_number(&report->page, 100 * number_of(kernel, "l2_hit_rate"), DIGITS);
    page_number(&report->page, number_of(kernel, "sectors_per_request"), DIGITS);
    page_number(&report->page, 1e-6 * number_of(kernel, "l2_bytes"), DIGITS);
    page_number(&report->page, 100 * number_of(kernel, "l2_of_peak"), DIGITS);
    page_number(&report->page, 1e-6 * number_of(kernel, "dram_bytes"), DIGITS);
    page_number(&report->page, 100 * number_of(kernel, "dram_of_peak"), DIGITS);
    page_number(&report->page, 100 * number_of(kernel, "occupancy"), DIGITS);
    page_cell(&report->page, "%s", text_of(kernel, "bound"));
    page_row_end(&report->page);
}

/* ---- for the script */
/* [10^9 warp instructions a second, GB/s of the L2, GB/s of DRAM] */
static void keep_roofs(struct json *json, const struct gpu_peaks *peaks)
{
    json_put_array(json, "roofs", JSON_TIGHT);
    json_write_real(json, 1e-9 * peaks->warp_insts_per_s, EXACT);
    json_write_real(json, 1e-9 * peaks->l2_bytes_per_s, EXACT);
    json_write_real(json, 1e-9 * peaks->dram_bytes_per_s, EXACT);
    json_end(json);
}

/* [number, name, seconds, warp instructions, bytes of the L2, of DRAM, cycles, occupancy, bound] */
static void keep_kernel(struct json *json, const json_t *kernel)
{
    json_begin_array(json, JSON_TIGHT);
    json_write_real(json, number_of(kernel, "number"), 15);
    json_write_string(json, cli_shown(text_of(kernel, "name")));
    json_write_real(json, 1e-12 * (number_of(kernel, "end_ps") - number_of(kernel, "start_ps")), EXACT);
    json_write_real(json, number_of(kernel, "warp_insts"), 15);
    json_write_real(json, number_of(kernel, "l2_bytes"), 15);
    json_write_real(json, number_of(kernel, "dram_bytes"), 15);
    json_write_real(json, number_of(kernel, "cycles"), 15);
    json_write_real(json, number_of(kernel, "occupancy"), EXACT);
    json_write_string(json, cli_shown(text_of(kernel, "bound")));
    json_end(json);
}

static void keep_point(struct reading *reading, const json_t *kernels)
{
    struct json *const json = &reading->report->kernels;
    size_t index;
    json_t *kernel;

    json_begin_object(json, JSON_TIGHT);
    json_put_number(json, "point", reading->point);
    keep_roofs(json, &reading->report->space->points[reading->point].cost.gpu);
    json_put_array(json, "kernels", JSON_TIGHT);
    json_array_foreach(kernels, index, kernel)
        keep_kernel(json, kernel);
    json_end(json);
    json_end(json);
    reading->told += json_array_size(kernels);
}

static bool read_kernels(void *self, const struct results_row *row)
{
    struct reading *const reading = self;
    json_t *const statistics = row->statistics ? json_loads(row->statistics, 0, NULL) : NULL;
    json_t const *const kernels = json_object_get(statistics, "kernels");
    size_t index;
    json_t *kernel;

    if (json_array_size(kernels) > 0 && reading->rows + reading->left_out == 0)
        begin_table(reading->report);
    json_array_foreach(kernels, index, kernel) {
        if (reading->rows < MOST_ROWS)
            tell_row(reading->report, row->number, kernel);
        *(reading->rows < MOST_ROWS ? &reading->rows : &reading->left_out) += 1;
    }
    if (json_array_size(kernels) > 0 && reading->told + json_array_size(kernels) <= MOST_TOLD)
        keep_point(reading, kernels);
    json_decref(statistics);
    reading->point++;
    return true;
}

int report_kernels(struct report *report, struct results *results)
{
    struct reading reading = {.report = report};
    struct fault fault;

    json_begin_array(&report->kernels, JSON_LINES(0, 0));
    fault = results_read(results, read_kernels, &reading);
    json_end(&report->kernels);
    if (reading.rows > 0)
        page_table_end(&report->page);
    if (reading.left_out > 0)
        page_paragraph(&report->page, "%zu more kernels are not shown; `rubato results FILE --kernels` lists all.",
                       reading.left_out);
    return fault.kind != FAULT_NONE ? cli_fail(fault)
        : report->kernels.text.failed ? cli_fail_text("out of memory") : CLI_OK;
}
