/* The section about RowHammer, if points have a threshold: how far rows were hammered, and what defences cost. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/sweep/report.h"

enum { MOST_HAMMERED = 200, HAMMER_HEADINGS = 64 };

/* cli/sweep/page/points.js has the same. */
static const struct hammer_column {
    const char *metric, *heading;
} hammer_columns[] = {
    {"time_ms", "time, ms"},
    {"mem.rowhammer.most", "activations of a row"},
    {"mem.rowhammer.unserved", "without a refresh"},
    {"mem.rowhammer.flips", "possible flips"},
    {"mem.rowhammer.prevented", "prevented flips"},
    {"mem.defence.refreshes", "refreshes of defences"},
    {"mem.defence.activates", "activations of defences"},
    {"mem.defence.waits_ms", "accesses waited, ms"},
    {"mem.defence.energy_mj", "energy of defences, mJ"},
};

enum { HAMMER_COLUMNS = sizeof hammer_columns / sizeof *hammer_columns, HAMMER_MOST = 1 };

/* Column of each; the count of all: no point has it. */
static void find_columns(const struct report_columns *columns, size_t *found)
{
    for (size_t i = 0; i < HAMMER_COLUMNS; i++) {
        found[i] = 0;
        while (found[i] < columns->count && strcmp(columns->list[found[i]].name, hammer_columns[i].metric) != 0)
            found[i]++;
    }
}

static void begin_points(struct report *report, const size_t *found)
{
    const struct effects_space *const effects = &report->space->effects;
    const char *headings[HAMMER_HEADINGS];
    size_t count = 0;

    headings[count++] = "point";
    for (size_t axis = 0; axis < effects->axis_count && count < HAMMER_HEADINGS - HAMMER_COLUMNS; axis++)
        headings[count++] = effects->axes[axis].key;
    for (size_t i = 0; i < HAMMER_COLUMNS; i++)
        if (found[i] < report->columns->count)
            headings[count++] = hammer_columns[i].heading;
    page_table_begin(&report->page, "the numbers", headings, count);
}

static void tell_point(struct report *report, const size_t *found, size_t point)
{
    enum { SHOWN_AXES = HAMMER_HEADINGS - HAMMER_COLUMNS - 1, DIGITS = 7 };
    const struct effects_space *const effects = &report->space->effects;

    page_cell(&report->page, "%" PRIu64, report->space->points[point].number);
    for (size_t axis = 0; axis < effects->axis_count && axis < SHOWN_AXES; axis++)
        page_cell(&report->page, "%s", effects->axes[axis].names[effects_level(effects, point, axis)]);
    for (size_t i = 0; i < HAMMER_COLUMNS; i++)
        if (found[i] < report->columns->count)
            page_number(&report->page, report_columns_value(report->columns, point, found[i]), DIGITS);
    page_row_end(&report->page);
}

void report_hammer(struct report *report)
{
    size_t found[HAMMER_COLUMNS], told = 0;

    find_columns(report->columns, found);
    if (found[HAMMER_MOST] == report->columns->count)
        return;
    page_heading(&report->page, "RowHammer");
    page_paragraph(&report->page, "Activations of a row in a refresh window, at most, and since the victims of the row "
                   "were refreshed. Rows that reach memory.command.rowhammer_threshold before that may flip bits; of "
                   "the other rows that reached it, a defence prevented the flips. What it cost: commands, time in "
                   "which accesses waited for them, energy.");
    begin_points(report, found);
    for (size_t point = 0; point < report->columns->point_count; point++) {
        if (isnan(report_columns_value(report->columns, point, found[HAMMER_MOST])))
            continue;
        if (told++ < MOST_HAMMERED)
            tell_point(report, found, point);
    }
    page_table_end(&report->page);
    if (told > MOST_HAMMERED)
        page_paragraph(&report->page, "%zu more points are not shown.", told - MOST_HAMMERED);
}
