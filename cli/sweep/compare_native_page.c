/* The page has no script: tables, and one picture: cycles per instruction, replayed over native. */
#include <math.h>

#include "cli/common/cli.h"
#include "cli/sweep/compare_native.h"
#include "cli/sweep/report.h"

#define NATIVE_FAR 0.15          /* errors above it stand out */

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

/* ---- the picture */

enum { SIDE = 420, LEFT = 60, TOP = 20 };     /* pixels */

struct scatter {
    FILE *to;
    double least, most;                  /* of both axes, which are logarithmic */
};

static double scatter_share(const struct scatter *scatter, double value)
{
    return log(value / scatter->least) / log(scatter->most / scatter->least);
}

static double scatter_x(const struct scatter *scatter, double value)
{
    return LEFT + SIDE * scatter_share(scatter, value);
}

static double scatter_y(const struct scatter *scatter, double value)
{
    return TOP + SIDE * (1 - scatter_share(scatter, value));
}

/* Replayed is `factor` times native. */
static void put_diagonal(const struct scatter *scatter, double factor, const char *colour)
{
    double const from = factor < 1 ? scatter->least / factor : scatter->least;
    double const to = factor > 1 ? scatter->most / factor : scatter->most;

    fprintf(scatter->to, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
            scatter_x(scatter, from), scatter_y(scatter, from * factor), scatter_x(scatter, to),
            scatter_y(scatter, to * factor), colour);
}

static void put_ticks(const struct scatter *scatter)
{
    static double const steps[] = {1, 2, 5};

    for (double power = pow(10, floor(log10(scatter->least))); power <= scatter->most; power *= 10)
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            double const at = power * steps[i];

            if (at < scatter->least || at > scatter->most)
                continue;
            fprintf(scatter->to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n"
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", scatter_x(scatter, at),
                    TOP + SIDE + 18, at, LEFT - 8, scatter_y(scatter, at) + 4, at);
        }
}

static double cpi_of(const struct native_pair *pair, bool is_native)
{
    return isnan(pair->error) ? NAN : (is_native ? pair->native_cycles : pair->cycles) / pair->instructions;
}

static void put_points(struct page *page, const struct scatter *scatter, const struct native_comparison *comparison)
{
    for (size_t i = 0; i < comparison->list.count; i++) {
        const struct native_pair *const pair = &comparison->pairs[i];

        if (isnan(pair->error))
            continue;
        fprintf(scatter->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" fill-opacity=\"0.7\"><title>",
                scatter_x(scatter, cpi_of(pair, true)), scatter_y(scatter, cpi_of(pair, false)),
                fabs(pair->error) > NATIVE_FAR ? "#c44" : "#37b");
        page_text(page, "%s: %+.1f %%", comparison->rows[i].one->name, 100 * pair->error);
        fputs("</title></circle>\n", scatter->to);
    }
}

static void put_picture(struct page *page, const struct native_comparison *comparison)
{
    struct scatter scatter = {page->file, INFINITY, 0};

    for (size_t i = 0; i < comparison->list.count; i++)
        for (int side = 0; side < 2; side++) {
            scatter.least = fmin(scatter.least, cpi_of(&comparison->pairs[i], side));
            scatter.most = fmax(scatter.most, cpi_of(&comparison->pairs[i], side));
        }
    if (!(scatter.most > 0))
        return;
    scatter.least /= 1.3;
    scatter.most *= 1.3;
    page_heading(page, "Cycles per instruction");
    page_paragraph(page, "On the line both are equal; the fainter ones are %.0f %% above and below. A point names its "
                   "program.", 100 * NATIVE_FAR);
    fprintf(page->file, "<svg width=\"%d\" height=\"%d\" font-size=\"12\" fill=\"currentColor\">\n"
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n",
            LEFT + SIDE + 40, TOP + SIDE + 40, LEFT, TOP, SIDE, SIDE);
    fprintf(page->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">native</text>\n<text x=\"%d\" y=\"%d\">replayed"
            "</text>\n", LEFT + SIDE - 6, TOP + SIDE - 8, LEFT + 6, TOP + 16);
    put_diagonal(&scatter, 1, "#777");
    put_diagonal(&scatter, 1 + NATIVE_FAR, "#bbb");
    put_diagonal(&scatter, 1 - NATIVE_FAR, "#bbb");
    put_ticks(&scatter);
    put_points(page, &scatter, comparison);
    fputs("</svg>\n", page->file);
}

/* ---- all */

static void put_page(struct page *page, const struct native_comparison *comparison)
{
    page_paragraph(page, "Native runs of programs, and replays of their captures on %s (%s). The error is that of "
                   "cycles: replayed over native, less 1.", comparison->request->system, comparison->request->model);
    put_errors(page, &comparison->errors);
    put_picture(page, comparison);
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
