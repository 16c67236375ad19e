/* The page has no script: tables, and one picture of simulated over native cycles. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/sweep/compare_native.h"
#include "cli/sweep/report.h"

static void put_programs(struct page *page, const struct native_comparison *comparison)
{
    static const char *const headings[] = {
        "program", "native cycles", "replayed", "error %", "native CPI", "CPI", "spread %", "change", "replayed",
        "error %", "bound by"
    };

    page_heading(page, "Programs");
    page_table_begin(page, NULL, headings, sizeof headings / sizeof headings[0]);
    for (size_t i = 0; i < comparison->list.count; i++) {
        const struct native_row *const row = &comparison->rows[i];
        const struct native_pair *const pair = &comparison->pairs[i];
        bool const is_good = row->fault.kind == FAULT_NONE;
        double const native_cycles = is_good ? pair->native_cycles : NAN;

        page_cell(page, "%s", row->one->name);
        page_number(page, native_cycles, 8);
        page_number(page, is_good ? pair->cycles : NAN, 8);
        page_number(page, 100 * pair->error, 3);
        page_number(page, native_cycles / pair->instructions, 4);
        page_number(page, is_good ? pair->cycles / pair->instructions : NAN, 4);
        page_number(page, row->has_native ? 100 * row->native.spread : NAN, 2);
        page_number(page, pair->native_change, 4);
        page_number(page, pair->change, 4);
        page_number(page, 100 * pair->change_error, 3);
        page_cell(page, "%s", is_good ? row->replayed.verdict.cores.text : fault_text(row->fault));
        page_row_end(page);
    }
    page_table_end(page);
}

static void put_errors(struct page *page, const struct native_errors *errors)
{
    if (errors->count == 0)
        return;
    page_paragraph(page, "Error of cycles: mean %.1f %%, median %.1f %%, worst %+.1f %%, of %zu programs.",
                   100 * errors->mean, 100 * errors->median, 100 * errors->worst, errors->count);
    if (!isnan(errors->rank_cpi))
        page_paragraph(page, "Rank correlation: %.3f of cycles, %.3f of cycles per instruction.", errors->rank_cycles,
                       errors->rank_cpi);
    if (errors->changes > 0)
        page_paragraph(page, "Changes between variants: mean error %.1f %% of %zu; of those that are 5 %% or more "
                       "natively, %zu of %zu go the right way.", 100 * errors->change_mean, errors->changes,
                       errors->right, errors->clear);
}

static void put_page(struct page *page, const struct native_comparison *comparison)
{
    page_paragraph(page, "Each program ran on the host, was captured, and replayed on %s (%s). The error is that of "
                   "cycles: replayed over native, less 1.", comparison->request->system, comparison->request->model);
    put_errors(page, &comparison->errors);
    put_programs(page, comparison);
}

int compare_native_page(const struct native_comparison *comparison)
{
    const char *const path = comparison->request->page;
    FILE *const file = cli_output_open(path);
    struct page page;
    char title[240];

    if (!file)
        return CLI_BAD_INPUT;
    snprintf(title, sizeof title, "Native against %.200s", comparison->request->system);
    page_begin(&page, file, title);
    put_page(&page, comparison);
    page_end_plain(&page);
    return cli_output_close(file, path) ? CLI_OK : CLI_BAD_INPUT;
}
