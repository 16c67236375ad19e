#include "viz/view/view_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viz/draw/draw_window.h"
#include "viz/draw/text_box.h"
#include "viz/state/state_figures.h"

enum { LINE = 20, SHEET_LINE = 18, MARGIN = 14, HEAD = 104, MOST_LINES = 3, LEAST_HEIGHT = 420, TEXT_ROOM = 640,
       COLUMN = 420, COLUMN_GAP = 28, VALUE = 116, CHANGE = 66, SHADE = 4 };

static bool is_over(const struct view_run *run)
{
    return run->state == VIEW_ENDED || run->state == VIEW_FAILED;
}

/* ---- two runs */

#define NOTABLE 0.001                    /* a change that is shown as one */

static double time_of(const struct view_run *run)
{
    const struct finding_metric *const time = findings_metric(&run->findings, "time_ms");

    return time ? time->number : 1e-9 * (double)history_end_ps(&run->history);
}

double view_speedup(const struct view *view)
{
    if (view->run_count < VIEW_RUNS || view->runs[0].state != VIEW_ENDED || view->runs[1].state != VIEW_ENDED
        || !(time_of(&view->runs[1]) > 0))
        return (double)NAN;
    return time_of(&view->runs[0]) / time_of(&view->runs[1]);
}

/* "left 31.2 us, right 27.4 us: speed-up 1.139, the right one is faster" */
static void write_times(const struct view *view, char *text, size_t room)
{
    double const speedup = view_speedup(view);
    char times[VIEW_RUNS][32];
    int used = 0;

    for (unsigned i = 0; i < VIEW_RUNS; i++) {
        figures_time(times[i], sizeof times[i], 1e9 * time_of(&view->runs[i]));
        if (is_over(&view->runs[i]))
            used += snprintf(text + used, room - (size_t)used, "%s%s %s", used ? ", " : "", i ? "right" : "left",
                             times[i]);
    }
    if (isnan(speedup))
        return;
    if (speedup == 1)
        snprintf(text + used, room - (size_t)used, ": equally fast");
    else
        snprintf(text + used, room - (size_t)used, ": speed-up %.4g, the right one is %s", speedup,
                 speedup > 1 ? "faster" : "slower");
}

/* ---- lines below the bar */

/* Verdicts, then the first doubt with how many more there are. */
static unsigned lines_of(const struct view *view, const struct findings *findings)
{
    unsigned verdicts = 0, doubts = 0;

    for (size_t i = 0; i < findings->line_count; i++)
        if (findings->lines[i].is_doubt)
            doubts = 1;
        else
            verdicts++;
    return verdicts + doubts < MOST_LINES ? verdicts + (view->run_count == 1 ? doubts : 0) : MOST_LINES;
}

static bool has_difference(const struct view *view)
{
    return view->run_count == VIEW_RUNS && (view->difference[0] || is_over(&view->runs[0]) || is_over(&view->runs[1]));
}

static unsigned all_lines(const struct view *view)
{
    unsigned most = 0;

    for (unsigned i = 0; i < view->run_count; i++) {
        unsigned const lines = lines_of(view, &view->runs[i].findings);

        most = lines > most ? lines : most;
    }
    return most + has_difference(view);
}

int view_results_height(const struct view *view)
{
    return view->height < LEAST_HEIGHT || all_lines(view) == 0 ? 0 : (int)all_lines(view) * LINE + VIEW_GAP / 2;
}

/* The box of explanation is narrow: the text after a semicolon or a bracket begins a new line. */
static void break_lines(const char *text, char *lines, size_t room)
{
    size_t used = 0;
    char *end;

    for (; *text && used + 5 < room; text++) {
        bool const begins = *text == ';' || (text[0] == ' ' && text[1] == '(');

        lines[used++] = begins ? '\n' : *text;
        if (*text == ';')
            text += strspn(text + 1, " ");
    }
    lines[used] = '\0';
    end = strrchr(lines, '\n');
    if (*text && end)                    /* whole lines only */
        snprintf(end, 5, "\n...");
}

static void view_results_put_line(const struct panel *panel, struct area line, unsigned run, const char *head,
                                  const char *text, bool is_doubt, const char *meaning)
{
    struct area const whole = line;
    struct hit *hit;
    int const width = canvas_text_width(panel->canvas, TEXT_NORMAL, head);

    canvas_text(panel->canvas, area_take_left(&line, width > HEAD - 8 ? width + 8 : HEAD), TEXT_LEFT, TEXT_NORMAL,
                panel->theme->faint, head);
    canvas_text(panel->canvas, line, TEXT_LEFT, is_doubt ? TEXT_NORMAL : TEXT_STRONG,
                is_doubt ? panel->theme->bad : panel->theme->text, text);
    hit = hits_add_text(&panel->view->hits, whole, run, head, meaning);
    if (hit)
        break_lines(text, hit->numbers, sizeof hit->numbers);
}

static void draw_findings(const struct panel *panel, struct area area, unsigned run)
{
    const struct findings *const findings = &panel->view->runs[run].findings;
    unsigned const room = lines_of(panel->view, findings);
    unsigned drawn = 0, doubts = 0;
    char text[TEXT_ROOM];

    for (size_t i = 0; i < findings->line_count; i++)
        doubts += findings->lines[i].is_doubt;
    for (size_t i = 0; i < findings->line_count && drawn < room; i++) {
        const struct finding *const line = &findings->lines[i];

        snprintf(text, sizeof text, "%s", line->text);
        if (line->is_doubt && doubts > 1)
            snprintf(text, sizeof text, "%s  (and %u more: m)", line->text, doubts - 1);
        view_results_put_line(panel, area_take_top(&area, LINE), run, line->head, text, line->is_doubt,
                              line->is_doubt
                                  ? "Why the result of this run may be misleading. Press m for all such remarks and "
                                    "the metrics."
                                  : "What limits the run most, from its stalls and utilisation, and what limits it "
                                    "next. Press m for all metrics.");
        drawn += 1;
        if (line->is_doubt)
            break;
    }
}

static void draw_difference(const struct panel *panel, struct area line)
{
    struct view const *const view = panel->view;
    char text[TEXT_ROOM] = "", times[TEXT_ROOM / 5] = "";

    write_times(view, times, sizeof times);
    snprintf(text, sizeof text, "%s%s%s", times, times[0] && view->difference[0] ? ";  " : "", view->difference);
    view_results_put_line(panel, line, 0, "compared", text, false,
                          "The times of both runs, the speed-up of the right one over the left one, and how their "
                          "systems differ. Press m to compare all metrics.");
}

void view_draw_results(const struct panel *panel, struct area area, const struct view_layout *layout)
{
    struct view const *const view = panel->view;

    if (area.height <= 0)
        return;
    if (has_difference(view)) {
        struct area line = area_take_top(&area, LINE);

        area_take_left(&line, 4);
        draw_difference(panel, line);
    }
    for (unsigned i = 0; i < view->run_count; i++) {
        struct area column = area;

        if (view->run_count > 1) {
            column.x = layout->diagram[i].x;
            column.width = layout->diagram[i].width;
        }
        area_take_left(&column, 4);
        draw_findings(panel, column, i);
    }
}

/* ---- the sheet of metrics */

/* Of the first run that has some; the other one's are found by name. */
static const struct findings *listed(const struct view *view)
{
    for (unsigned i = 0; i < view->run_count; i++)
        if (view->runs[i].findings.metric_count > 0)
            return &view->runs[i].findings;
    return &view->runs[0].findings;
}

static void write_change(const struct finding_metric *one, const struct finding_metric *other, char *text, size_t room)
{
    if (!one || !other || one->number == 0 || isnan(one->number) || isnan(other->number))
        snprintf(text, room, "%s", one && other && one->number == other->number ? "=" : "");
    else if (fabs(other->number / one->number - 1) < 5e-5)
        snprintf(text, room, "=");
    else if (fabs(other->number / one->number - 1) < NOTABLE)
        snprintf(text, room, "< 0.1 %%");
    else if (other->number / one->number >= 1000)
        snprintf(text, room, "> 1000 x");
    else if (other->number / one->number >= 10)
        snprintf(text, room, "%.0f x", other->number / one->number);
    else
        snprintf(text, room, "%+.1f %%", 100 * (other->number / one->number - 1));
}

static struct colour change_colour(const struct panel *panel, const struct finding_metric *one,
                                   const struct finding_metric *other)
{
    double const change = one && other ? other->number - one->number : 0;

    if (!one || change == 0 || !(fabs(change) >= NOTABLE * fabs(one->number)) || one->better == 0)
        return panel->theme->faint;
    return change * one->better > 0 ? panel->theme->good : panel->theme->bad;
}

static void draw_metric(const struct panel *panel, struct area line, const struct finding_metric *metric)
{
    struct view const *const view = panel->view;
    const struct finding_metric *of[VIEW_RUNS] = {NULL};
    struct area const whole = line;
    struct hit *hit;
    char change[32];

    for (unsigned i = 0; i < view->run_count; i++)
        of[i] = findings_metric(&view->runs[i].findings, metric->name);
    if (view->run_count > 1) {
        write_change(of[0], of[1], change, sizeof change);
        canvas_text(panel->canvas, area_take_right(&line, CHANGE), TEXT_RIGHT, TEXT_NORMAL,
                    change_colour(panel, of[0], of[1]), change);
    }
    for (unsigned i = view->run_count; i-- > 0;)
        canvas_text(panel->canvas, area_take_right(&line, VALUE), TEXT_RIGHT, TEXT_STRONG, panel->theme->text,
                    of[i] ? of[i]->value : "-");
    canvas_text(panel->canvas, line, TEXT_LEFT, TEXT_NORMAL, panel->theme->faint, metric->name);
    hit = hits_add_text(&panel->view->hits, whole, 0, metric->name, metric->meaning);
    if (hit)
        snprintf(hit->numbers, sizeof hit->numbers, "%s%s", metric->value,
                 metric->better > 0 ? ", higher is better" : metric->better < 0 ? ", lower is better" : "");
}

/* All verdicts and doubts; they are cut where they are too long, and whole where they are pointed at. */
static void draw_all_findings(const struct panel *panel, struct area *rest)
{
    struct view const *const view = panel->view;

    for (unsigned i = 0; i < view->run_count; i++)
        for (size_t j = 0; j < view->runs[i].findings.line_count; j++) {
            const struct finding *const line = &view->runs[i].findings.lines[j];
            char head[FINDINGS_HEAD + 8];

            snprintf(head, sizeof head, "%s%s", line->head, view->run_count == 1 ? "" : i ? ", right" : ", left");
            view_results_put_line(panel, area_take_top(rest, SHEET_LINE), i, head, line->text, line->is_doubt,
                                  line->is_doubt ? "Why the result may be misleading." : "What limits the run most.");
        }
}

static int difference_height(const struct panel *panel, int width)
{
    return panel->view->difference[0] == '\0' || panel->view->run_count < 2 ? 0
           : text_box_paragraph(panel->canvas, (struct area){0, 0, width, 200}, TEXT_NORMAL, panel->theme->text,
                                panel->view->difference, false);
}

static void draw_all_differences(const struct panel *panel, struct area *rest)
{
    int const height = difference_height(panel, rest->width - HEAD);
    struct area lines = area_take_top(rest, height), head;

    if (height == 0)
        return;
    hits_add_text(&panel->view->hits, lines, 0, "Difference", "How the two systems differ: the left one's value, "
                  "then the right one's.");
    head = area_take_left(&lines, HEAD);
    head.height = SHEET_LINE;
    canvas_text(panel->canvas, head, TEXT_LEFT, TEXT_NORMAL, panel->theme->faint, "difference");
    text_box_paragraph(panel->canvas, lines, TEXT_NORMAL, panel->theme->text, panel->view->difference, true);
}

void view_draw_metrics(const struct panel *panel, struct area within)
{
    struct view *const view = panel->view;
    const struct findings *const findings = listed(view);
    int const column = COLUMN + (view->run_count > 1 ? VALUE + CHANGE : 0);
    int const columns = within.width >= 2 * column + COLUMN_GAP + 2 * MARGIN ? 2 : 1;
    int const lines = ((int)findings->metric_count + columns - 1) / columns;
    int found = 0, shown, first;
    struct area area, rest;

    for (unsigned i = 0; i < view->run_count; i++)
        found += (int)view->runs[i].findings.line_count;
    area.width = columns * column + (columns - 1) * COLUMN_GAP + 2 * MARGIN;
    area.width = area.width < within.width ? area.width : within.width;
    area.height = 2 * MARGIN + 34 + (found + lines) * SHEET_LINE + 8
                  + difference_height(panel, area.width - 2 * MARGIN - HEAD);
    area.height = area.height < within.height ? area.height : within.height;
    area.x = within.x + (within.width - area.width) / 2;
    area.y = within.y + (within.height - area.height) / 2;
    hits_add_text(&view->hits, (struct area){area.x, area.y, area.width + SHADE, area.height + SHADE}, 0, "Metrics",
                  "Metrics of finished runs, with the same names as in the summary, in results and in reports. Scroll "
                  "with up and down or the wheel; m or Esc closes the list.");
    rest = text_box_sheet(panel->canvas, panel->theme, area);
    canvas_text(panel->canvas, area_take_top(&rest, 28), TEXT_LEFT, TEXT_TITLE, panel->theme->text,
                view->run_count > 1 ? "Metrics: left, right, change" : "Metrics of the whole run");
    area_take_top(&rest, 4);
    draw_all_findings(panel, &rest);
    draw_all_differences(panel, &rest);
    area_take_top(&rest, 8);
    shown = rest.height / SHEET_LINE > 0 ? rest.height / SHEET_LINE : 1;
    first = view_scroll_set(view, VIEW_SCROLL_METRICS, area, lines, shown);
    for (int i = 0; i < columns; i++)
        for (int j = first; j < lines && j < first + shown; j++) {
            int const place = i * lines + j, width = (rest.width - (columns - 1) * COLUMN_GAP) / columns;

            if (place < (int)findings->metric_count)
                draw_metric(panel, (struct area){rest.x + i * (width + COLUMN_GAP), rest.y + (j - first) * SHEET_LINE,
                                                 width, SHEET_LINE}, &findings->metrics[place]);
        }
}

bool view_metrics_key(struct view *view, uint32_t key)
{
    struct view_scroll *const scroll = &view->scrolls[VIEW_SCROLL_METRICS];
    int first = scroll->first;

    switch (key) {
    case VIEW_KEY_ESCAPE: case 'm': view->mode = MODE_WATCH; return true;
    case VIEW_KEY_UP: first--; break;
    case VIEW_KEY_DOWN: first++; break;
    case VIEW_KEY_HOME: first = 0; break;
    case VIEW_KEY_END: first = scroll->most; break;
    default: return false;
    }
    scroll->first = first < 0 ? 0 : first > scroll->most ? scroll->most : first;
    return true;
}
