/* What a sweep says, in sentences (sweep/report/conclude.h): in front of the page, and as text. */
#include "cli/sweep/report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"

/* Of all points: keys that differ though the sweep does not say so. */
static bool find_unasked(struct report *report)
{
    const struct effects_space *const effects = &report->space->effects;
    struct unasked unasked = {0};
    bool has_memory;

    for (size_t i = 0; i < effects->axis_count; i++)
        unasked_ask(&unasked, effects->axes[i].key);
    for (size_t i = 0; i < effects->point_count; i++)
        unasked_add(&unasked, report->space->points[i].config);
    unasked_text(&unasked, report->unasked);
    has_memory = !unasked.is_out_of_memory;
    unasked_free(&unasked);
    return has_memory;
}

int report_conclude(struct report *report)
{
    const struct sample **const samples = calloc(report->sample_count + 1, sizeof *samples);
    struct conclude_input input = {
        .space = report->space, .columns = report->columns, .samples = report->has_samples ? samples : NULL,
        .doubt = report->unasked, .baseline = report->baseline};
    bool is_done = samples && find_unasked(report);

    for (size_t i = 0; is_done && i < report->sample_count; i++)
        samples[i] = report->samples[i].sample;
    is_done = is_done && conclude(&report->conclusions, &input);
    free(samples);
    return is_done ? CLI_OK : cli_fail_text("out of memory");
}

/* ---- as text */
void report_conclusions_print(const struct report *report, FILE *to)
{
    const struct conclusions *const all = &report->conclusions;

    for (size_t i = 0; i < all->count; i++) {
        if (i == 0 || all->list[i].about != all->list[i - 1].about)
            fprintf(to, "%s\n", conclusion_heading(all->list[i].about));
        fprintf(to, "    %s\n", cli_shown(all->list[i].text));
    }
}

/* ---- on the page */
/* The link chooses the points, if there is a script. */
static void put_link(struct report *report, const struct conclusion *conclusion)
{
    const char *const chart = conclusion_chart(conclusion->about);
    FILE *const to = report->page.file;

    fprintf(to, " <a href=\"#%s\"", chart);
    for (size_t i = 0; i < conclusion->point_count; i++)
        fprintf(to, "%s%" PRIu64, i ? " " : " data-points=\"", report->space->points[conclusion->points[i]].number);
    fprintf(to, "%s>&rarr;&nbsp;%s</a>", conclusion->point_count ? "\"" : "", chart);
}

void report_conclusions(struct report *report)
{
    const struct conclusions *const all = &report->conclusions;
    FILE *const to = report->page.file;

    if (all->count == 0)
        return;
    fputs("<section id=\"conclusions\">\n", to);
    page_heading(&report->page, "What this sweep says");
    fputs("<dl>\n", to);
    for (size_t i = 0; i < all->count; i++) {
        if (i == 0 || all->list[i].about != all->list[i - 1].about) {
            fputs("<dt>", to);
            page_text(&report->page, "%s", conclusion_heading(all->list[i].about));
            fputs("</dt>\n", to);
        }
        fputs("<dd>", to);
        page_text(&report->page, "%s", all->list[i].text);
        put_link(report, &all->list[i]);
        fputs("</dd>\n", to);
    }
    fputs("</dl>\n</section>\n", to);
}
