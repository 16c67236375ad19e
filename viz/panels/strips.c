/* Rows one below the other, on one time axis at the bottom. Left of the plots the scale, right of them the legend with
 * the values at the selected moment. Two runs are side by side, with one scale and one legend. */
#include "viz/panels/panels.h"

#include <stdio.h>

#include "memsys/telemetry/names.h"
#include "viz/panels/strip_draw.h"

enum { MARGIN = 10, SCALE_WIDTH = 72, SCALE_GAP = 6, LEGEND_GAP = 14, AXIS_HEIGHT = 20, ROW_GAP = 8, GOOD_ROW = 60,
       LEAST_ROW = 4, NARROW = 520, RUN_GAP = 18, TEXT_ROOM = 64 };

static int legend_width(struct area area, unsigned run_count)
{
    int const least = 170, most = run_count > 1 ? 300 : 264, wanted = area.width / 5;

    if (area.width < NARROW)
        return 0;
    return wanted < least ? least : wanted > most ? most : wanted;
}

struct area panel_time_area(struct area area, unsigned run, unsigned run_count)
{
    int const legend = legend_width(area, run_count);
    int width;

    area = area_inset(area, MARGIN);
    area_take_left(&area, SCALE_WIDTH + SCALE_GAP);
    if (legend)
        area_take_right(&area, legend + LEGEND_GAP);
    if (run_count < 2)
        return area;
    width = (area.width - RUN_GAP * (int)(run_count - 1)) / (int)run_count;
    return (struct area){area.x + (int)run * (width + RUN_GAP), area.y, width, area.height};
}

int panel_strips_height(const struct view *view)
{
    enum strip_row rows[STRIP_ROW_COUNT];

    return 2 * MARGIN + AXIS_HEIGHT + (int)strip_rows_of(view, rows) * (GOOD_ROW + ROW_GAP);
}

/* Labels of time below the plots, and the moment that is looked at in a frame of its own. */
static void draw_axis(const struct panel *panel, struct area time, int y, unsigned run,
                      const struct time_axis *axis)
{
    struct view *const view = panel->view;
    bool const has_at = time_axis_has_moment(view);
    struct area const labels = {time.x - SCALE_WIDTH / 2, y, time.width + SCALE_WIDTH / 2 + RUN_GAP / 2, AXIS_HEIGHT};
    char text[TEXT_ROOM];
    struct area mark = {0};

    hits_add_text(&view->hits, labels, run, "Time axis", "Simulated time. Turn the wheel to zoom, drag to move, "
                  "and click to keep a moment: diagram and banks then show that moment.");
    if (has_at) {
        time_axis_text(axis, (double)view->at_ps, 2, text, sizeof text);
        mark.width = canvas_text_width(panel->canvas, TEXT_SMALL, text) + 10;
        mark = (struct area){(int)time_axis_x(axis, time, (double)view->at_ps) - mark.width / 2, y + 2, mark.width,
                             AXIS_HEIGHT - 4};
        if (mark.x < time.x)
            mark.x = time.x;
        if (mark.x + mark.width > time.x + time.width)
            mark.x = time.x + time.width - mark.width;
        canvas_fill_round(panel->canvas, mark, 3, panel->theme->highlight);
        canvas_text(panel->canvas, mark, TEXT_CENTRE, TEXT_SMALL,
                    palette_text_on(panel->theme->highlight), text);
    }
    for (double tick = time_axis_first(axis); tick <= (double)axis->window.to_ps && axis->span_ps > 0;
         tick += axis->step_ps) {
        struct area label = {(int)time_axis_x(axis, time, tick), y, 0, AXIS_HEIGHT};

        time_axis_text(axis, tick, 0, text, sizeof text);
        label.width = canvas_text_width(panel->canvas, TEXT_SMALL, text) + 2;
        label.x -= label.width / 2;
        if (label.x < time.x - SCALE_WIDTH || label.x + label.width > time.x + time.width + RUN_GAP / 2)
            continue;
        if (mark.width && label.x < mark.x + mark.width + 4 && mark.x < label.x + label.width + 4)
            continue;
        canvas_text(panel->canvas, label, TEXT_CENTRE, TEXT_SMALL, panel->theme->faint, text);
    }
}

/* The time that the numbers of the legends refer to, below them. */
static void draw_moment(const struct panel *panel, struct area area, const struct time_axis *axis)
{
    struct view *const view = panel->view;
    char text[TEXT_ROOM], from[TEXT_ROOM / 2], to[TEXT_ROOM / 2];
    uint64_t begin_ps;
    bool const is_whole = view_shows_whole(view, 0, &begin_ps);

    time_axis_text(axis, (double)view->at_ps, 2, to, sizeof to);
    time_axis_text(axis, is_whole ? (double)begin_ps : 0, 1, from, sizeof from);
    if (!is_whole)
        snprintf(text, sizeof text, view->has_at ? "at %s" : "now, at %s", to);
    else if (begin_ps > 0)
        snprintf(text, sizeof text, "means from %s on", from);
    else
        snprintf(text, sizeof text, "means of the whole run");
    canvas_text(panel->canvas, area, TEXT_LEFT, TEXT_SMALL, is_whole || view->has_at ? panel->theme->highlight
                                                                                    : panel->theme->faint, text);
    hits_add_text(&view->hits, area, 0, text, "The time that the numbers beside the charts, in the diagram and in "
                  "the banks are for: the newest sample during the run, the whole run (after warm-up) when it is over, "
                  "or the moment that you point at or click in a chart.");
}

static void draw_title_inside(const struct panel *panel, struct area area, const struct strip_data *data)
{
    struct colour behind = panel->theme->panel;
    struct area label = {area.x + 3, area.y + 1, 0, 14};
    char title[HIT_TITLE];

    strip_title(data, title, sizeof title);
    label.width = canvas_text_width(panel->canvas, TEXT_SMALL, title) + 8;
    behind.alpha = 235;
    canvas_fill_round(panel->canvas, label, 3, behind);
    canvas_text(panel->canvas, label, TEXT_CENTRE, TEXT_SMALL, panel->theme->text, title);
}

static void strips_add_hit(const struct panel *panel, struct area area, unsigned run, const struct strip_plot *plot,
                           const struct time_axis *axis, uint32_t at)
{
    struct hit *const hit = hits_add(&panel->view->hits, HIT_CHART, area);
    char from[TEXT_ROOM], title[HIT_TITLE];

    if (!hit)
        return;
    hit->run = run;
    hit->element = plot->data->row;
    time_axis_text(axis, (double)panel->view->at_ps, 2, from, sizeof from);
    strip_title(plot->data, title, sizeof title);
    snprintf(hit->title, sizeof hit->title, "%.60s at %.30s", title, from);
    strip_numbers(plot, at, hit->numbers, sizeof hit->numbers);
    hit->meaning = strip_meaning(plot->data, view_chosen(panel->view));
}

/* All that is needed to draw a frame of one run. */
struct run_columns {
    struct strip_columns now, old;
    struct strip_columns own, own_old;   /* of the chosen core or SM */
    struct strip_columns whole, own_whole;       /* all of a run that is over */
    bool has_old, has_own, has_own_old;  /* the run, or the one before it, has it */
    bool has_whole, has_own_whole;
    uint32_t at;                         /* column of the moment that is looked at */
};

struct row_data {
    struct strip_data now, old, whole;
};

/* Of all runs, and of one row at a time. */
struct strips_memory {
    struct run_columns columns[VIEW_RUNS];
    struct row_data data[VIEW_RUNS];
};

static void make_columns(const struct view *view, unsigned run, int width, struct run_columns *columns)
{
    const struct view_run *const of = &view->runs[run];
    uint64_t begin_ps;

    strip_columns_make(&columns->now, &of->history, &view->window, (uint32_t)(width > 0 ? width : 0));
    columns->has_old = of->has_old;
    if (of->has_old)
        strip_columns_make(&columns->old, &of->old, &view->window, (uint32_t)(width > 0 ? width : 0));
    columns->has_whole = view_shows_whole(view, run, &begin_ps);
    if (columns->has_whole)
        strip_columns_since(&columns->whole, &of->history, begin_ps);
    columns->at = strip_column_at(&columns->now, view->at_ps);
}

/* Without memory the own columns stay empty. Returns false if the layout has no component of that name. */
static bool make_own(const struct strip_columns *all, const char *chosen, struct strip_columns *own)
{
    const struct telemetry *const layout = all->history->layout;
    uint32_t const component = telemetry_named(layout, chosen);

    if (component == TELEMETRY_NONE)
        return false;
    (void)strip_columns_own(own, all, component);
    return true;
}

static void strips_choose(const char *chosen, struct run_columns *columns)
{
    columns->has_own = chosen && make_own(&columns->now, chosen, &columns->own);
    columns->has_own_old = chosen && columns->has_old && make_own(&columns->old, chosen, &columns->own_old);
    columns->has_own_whole = chosen && columns->has_whole && make_own(&columns->whole, chosen, &columns->own_whole);
}

static void free_own(struct run_columns *columns)
{
    if (columns->has_own)
        strip_columns_own_free(&columns->own);
    if (columns->has_own_old)
        strip_columns_own_free(&columns->own_old);
    if (columns->has_own_whole)
        strip_columns_own_free(&columns->own_whole);
}

/* Whether any run has this row for the chosen core or SM alone. */
static bool is_of_chosen(const struct run_columns *columns, unsigned run_count, enum strip_row kind)
{
    for (unsigned i = 0; i < run_count; i++)
        if (columns[i].has_own && strip_row_has_own(kind, &columns[i].own))
            return true;
    return false;
}

static void fill_all(struct row_data *data, enum strip_row kind, const struct run_columns *columns,
                     const struct strip_data *like)
{
    strip_row_fill(&data->now, kind, &columns->now, like);
    if (columns->has_old)
        strip_row_fill(&data->old, kind, &columns->old, &data->now);
    if (columns->has_whole)
        strip_row_fill(&data->whole, kind, &columns->whole, &data->now);
}

static void fill_chosen(struct row_data *data, enum strip_row kind, const struct run_columns *columns, const char *of)
{
    strip_row_fill_own(&data->now, kind, &columns->now, columns->has_own ? &columns->own : NULL, of);
    if (columns->has_old)
        strip_row_fill_own(&data->old, kind, &columns->old, columns->has_own_old ? &columns->own_old : NULL, of);
    if (columns->has_whole)
        strip_row_fill_own(&data->whole, kind, &columns->whole, columns->has_own_whole ? &columns->own_whole : NULL,
                           of);
}

static void draw_row(const struct panel *panel, struct area row, enum strip_row kind, struct strips_memory *memory,
                     const struct time_axis *axes)
{
    const struct run_columns *const columns = memory->columns;
    struct row_data *const data = memory->data;
    unsigned const run_count = panel->view->run_count;
    int const legend = legend_width(panel->area, run_count);
    struct strip_plot plots[VIEW_RUNS];
    struct strip_scale scale;
    uint32_t at[VIEW_RUNS];
    struct area rest = row, text;
    bool const is_chosen = is_of_chosen(columns, run_count, kind);

    for (unsigned i = 0; i < run_count; i++) {
        const struct strip_data *const like = i > 0 && data[0].now.count > 0 ? &data[0].now : NULL;

        if (is_chosen)
            fill_chosen(&data[i], kind, &columns[i], view_chosen(panel->view));
        else
            fill_all(&data[i], kind, &columns[i], like);
        plots[i] = (struct strip_plot){.data = &data[i].now, .columns = &columns[i].now,
                                       .whole = columns[i].has_whole ? &data[i].whole : NULL,
                                       .whole_columns = &columns[i].whole};
        if (columns[i].has_old) {
            plots[i].old = &data[i].old;
            plots[i].old_columns = &columns[i].old;
        }
        at[i] = columns[i].at;
    }
    scale = strip_scale_of(plots, run_count, row.height);
    strip_draw_scale(panel, area_take_left(&rest, SCALE_WIDTH), plots[0].data, &scale);
    text = area_take_right(&rest, legend);
    text.height += STRIP_LEGEND_MORE;
    if (legend)
        strip_draw_legend(panel, text, plots, run_count, at);
    for (unsigned i = 0; i < run_count; i++) {
        struct area plot = panel_time_area(panel->area, i, run_count);

        plot.y = row.y;
        plot.height = row.height;
        strip_draw_plot(panel, plot, &plots[i], &scale, &axes[i]);
        strips_add_hit(panel, plot, i, &plots[i], &axes[i], at[i]);
        if (i == 0 && (strip_is_low(row.height, run_count) || !legend))
            draw_title_inside(panel, plot, plots[0].data);
    }
}

void panel_strips(const struct panel *panel)
{
    struct view const *const view = panel->view;
    struct area rest = area_inset(panel->area, MARGIN);
    struct strips_memory *memory;
    struct time_axis axes[VIEW_RUNS];
    enum strip_row rows[STRIP_ROW_COUNT];
    uint32_t const row_count = strip_rows_of(view, rows);
    int const axis_y = rest.y + rest.height - AXIS_HEIGHT;
    int height;

    if (row_count == 0 || rest.height < AXIS_HEIGHT + (int)row_count * (ROW_GAP + LEAST_ROW)
        || panel_time_area(panel->area, 0, view->run_count).width <= 0)
        return;
    memory = view_memory(panel->view, PANEL_STRIPS, sizeof *memory, NULL);
    if (!memory)
        return;
    area_take_bottom(&rest, AXIS_HEIGHT);
    height = rest.height;
    for (unsigned i = 0; i < view->run_count; i++) {
        struct area const time = panel_time_area(panel->area, i, view->run_count);

        axes[i] = time_axis_make(&view->window, time.width);
        make_columns(view, i, time.width, &memory->columns[i]);
        strips_choose(view_chosen(view), &memory->columns[i]);
    }
    for (uint32_t i = 0; i < row_count; i++) {
        int const top = rest.y + height * (int)i / (int)row_count;
        int const end = rest.y + height * (int)(i + 1) / (int)row_count;
        struct area const row = {rest.x, top, rest.width, end - top - ROW_GAP};

        draw_row(panel, row, rows[i], memory, axes);
    }
    if (legend_width(panel->area, view->run_count)) {
        int const width = legend_width(panel->area, view->run_count);

        draw_moment(panel, (struct area){rest.x + rest.width - width, axis_y, width, AXIS_HEIGHT}, &axes[0]);
    }
    for (unsigned i = 0; i < view->run_count; i++) {
        struct area time = panel_time_area(panel->area, i, view->run_count);

        draw_axis(panel, time, axis_y, i, &axes[i]);
        time.y = rest.y;
        time.height = rest.height;
        time_axis_draw_moment(panel, time, &axes[i]);
        free_own(&memory->columns[i]);
    }
}
