/* Stacks are painted pixel by pixel, so that no seam shows between bands and each pixel is touched once; lines are
 * smooth courses. */
#include "viz/panels/strip_draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_LINE = 12, TITLE_LINE = 17, CHIP = 8, LEAST_ENTRY = 104, TICK_GAP = 22, SCROLL = 3, TEXT_ROOM = 96 };

/* ---- scale */

/* As fmax and fmin, which are calls: NaN is no number. */
static inline double max_of(double one, double other)
{
    return other > one || isnan(one) ? other : one;
}

static inline double min_of(double one, double other)
{
    return other < one || isnan(one) ? other : one;
}

static double top_of(const struct strip_data *data, uint32_t column)
{
    double top = data->is_stacked ? 0 : (double)NAN;

    for (uint32_t i = 0; i < data->count; i++)
        top = data->is_stacked ? top + (double)data->values[i][column]
                               : max_of(top, (double)data->values[i][column]);
    if (data->has_most)
        top = max_of(top, (double)data->most[column]);
    return top;
}

static double minimum_of(const struct strip_data *data, uint32_t column)
{
    double least = (double)NAN;

    for (uint32_t i = 0; i < data->count; i++)
        least = min_of(least, (double)data->values[i][column]);
    return least;
}

static void widen(double *least, double *most, const struct strip_data *data, const struct strip_columns *columns)
{
    for (uint32_t i = 0; data && i < columns->count; i++) {
        if (data->is_log)                /* others begin at 0 */
            *least = min_of(*least, minimum_of(data, i));
        *most = max_of(*most, top_of(data, i));
    }
}

static void scale_log(struct strip_scale *scale, double least, double most)
{
    if (!(least > 0) || !(most > 0)) {
        scale->low = 1e3;
        scale->high = 1e6;
    } else {
        scale->low = pow(10, floor(2 * log10(least) + 1e-9) / 2);
        scale->high = pow(10, ceil(2 * log10(most) - 1e-9) / 2);
        if (scale->high < 10 * scale->low)
            scale->high = 10 * scale->low;
    }
    scale->step = 10;
}

/* Up to 1 %, 2 %, 5 % ... 100 %. */
static void scale_share(struct strip_scale *scale, double most, int ticks)
{
    static const double highs[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
    size_t i = 0;

    while (i + 1 < sizeof highs / sizeof *highs && highs[i] < most)
        i++;
    scale->high = highs[i];
    scale->step = highs[i] / (ticks >= 4 ? 4 : ticks >= 2 ? 2 : 1);
}

struct strip_scale strip_scale_of(const struct strip_plot *plots, unsigned count, int height)
{
    struct strip_scale scale = {.unit = plots[0].data->unit};
    double least = (double)NAN, most = 0, limit = 0;
    bool is_whole = false;
    int ticks = height / TICK_GAP < 1 ? 1 : height / TICK_GAP > 4 ? 4 : height / TICK_GAP;

    for (unsigned i = 0; i < count; i++) {
        if (plots[i].data->count > 0) {
            scale.unit = plots[i].data->unit;
            scale.is_log = plots[i].data->is_log;
            is_whole |= plots[i].data->is_whole;
        }
        widen(&least, &most, plots[i].data, plots[i].columns);
        widen(&least, &most, plots[i].old, plots[i].old_columns);
        limit = fmax(limit, plots[i].data->limit);
    }
    if (scale.is_log) {
        scale_log(&scale, least, most);
        scale.decades = log10(scale.high / scale.low);
        return scale;
    }
    if (scale.unit == STRIP_SHARE) {
        scale_share(&scale, is_whole ? 1 : most, ticks);
        return scale;
    }
    /* Up to the peak, unless all would lie at the bottom then. */
    scale.high = limit > 0 && most > 0.2 * limit ? fmax(limit, most) * 1.04 : most > 0 ? most * 1.08 : fmax(limit, 1);
    do
        scale.step = axis_step(scale.high, ticks++);
    while (scale.step > scale.high);
    return scale;
}

static float strip_draw_place_of(const struct strip_scale *scale, struct area area, double value)
{
    double part;

    if (isnan(value))
        return NAN;
    if (scale->is_log)
        part = value > 0 ? log10(value / scale->low) / scale->decades : 0;
    else
        part = (value - scale->low) / (scale->high - scale->low);
    return (float)(area.y + area.height - part * (area.height - 1) - 0.5);
}

static double first_tick(const struct strip_scale *scale)
{
    return scale->is_log ? pow(10, ceil(log10(scale->low) - 1e-9)) : scale->low;
}

static double next_tick(const struct strip_scale *scale, double value)
{
    return scale->is_log ? value * scale->step : value + scale->step;
}

/* "0", "5 GB/s": no more digits than the step has. */
static void tick_text(const struct strip_scale *scale, double value, char *text, size_t room)
{
    static const char *const rates[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    static const char *const times[] = {"ps", "ns", "us", "ms", "s"};
    unsigned unit = 0;

    if (scale->unit == STRIP_SHARE) {
        snprintf(text, room, "%.4g %%", 100 * value);
        return;
    }
    if (value == 0) {
        snprintf(text, room, "0");
        return;
    }
    for (; unit < 4 && value >= 1000 * (1 - 1e-9); unit++)
        value /= 1000;
    snprintf(text, room, "%.4g %s", value, scale->unit == STRIP_TIME ? times[unit] : rates[unit]);
}

/* Decades that are too close for labels have none, but every second, third ... */
static unsigned label_every(const struct strip_scale *scale, int height)
{
    unsigned every = 1;

    while (scale->is_log && scale->decades / every * SMALL_LINE > height)
        every++;
    return every;
}

static const char *scale_meaning(const struct strip_scale *scale)
{
    return scale->is_log ? "Time. The scale is logarithmic."
           : scale->unit == STRIP_SHARE ? "Share in use, up to 100 %. The scale grows with the values."
           : scale->unit == STRIP_TIME ? "Time."
           : "Bytes per second. The scale goes up to the peak bandwidth when values come near it.";
}

void strip_draw_scale(const struct panel *panel, struct area area, const struct strip_data *data,
                      const struct strip_scale *scale)
{
    unsigned const every = label_every(scale, area.height);
    unsigned number = 0;
    int before = area.y + 2 * area.height;
    char title[HIT_TITLE];
    struct hit *const hit = hits_add_text(&panel->view->hits, area, panel->run, "Scale", scale_meaning(scale));

    if (hit) {
        strip_title(data, title, sizeof title);
        snprintf(hit->title, sizeof hit->title, "Scale of %.80s", title);
    }
    for (double tick = first_tick(scale); tick <= scale->high * (1 + 1e-9); tick = next_tick(scale, tick), number++) {
        int const lowest = area.y + SMALL_LINE / 2 - 2, highest = area.y + area.height - SMALL_LINE / 2 + 3;
        int middle = (int)strip_draw_place_of(scale, area, tick);
        char text[TEXT_ROOM];

        if (number % every != 0)
            continue;
        /* Beside neighbouring rows, not into them. */
        middle = middle < lowest ? lowest : middle > highest ? highest : middle;
        if (before - middle < SMALL_LINE - 1)
            continue;
        before = middle;
        tick_text(scale, tick, text, sizeof text);
        canvas_text(panel->canvas, (struct area){area.x, middle - SMALL_LINE / 2, area.width, SMALL_LINE}, TEXT_RIGHT,
                    TEXT_SMALL, panel->theme->faint, text);
    }
}

/* ---- plot */

struct course_points {
    struct point points[STRIP_COLUMNS];
};

/* Where columns are, the same for all courses of a row. */
static void strip_draw_place_columns(struct area area, const struct strip_columns *columns,
                                     const struct time_axis *axis, struct course_points *course)
{
    for (uint32_t i = 0; i < columns->count; i++)
        course->points[i].x = time_axis_x(axis, area, strip_column_ps(columns, i));
}

static void place_values(struct area area, const struct strip_columns *columns, const struct strip_scale *scale,
                         const float *values, struct course_points *course)
{
    for (uint32_t i = 0; i < columns->count; i++)
        course->points[i].y = i > 0 && values[i] == values[i - 1] ? course->points[i - 1].y
                                                                  : strip_draw_place_of(scale, area, (double)values[i]);
}

static struct colour faded(struct colour colour, unsigned alpha)
{
    colour.alpha = (uint8_t)alpha;
    return colour;
}

static struct colour strip_draw_colour_of(const struct panel *panel, const struct strip_course *course)
{
    return course->colour == STRIP_CALM ? palette_mix(panel->theme->panel, panel->theme->faint, 0.45)
                                        : panel->theme->series[course->colour];
}

/* Bands are calmer than lines: there is more of them. */
static struct colour band_colour(const struct panel *panel, const struct strip_course *course)
{
    return course->colour == STRIP_CALM ? strip_draw_colour_of(panel, course)
                                        : palette_mix(panel->theme->panel, strip_draw_colour_of(panel, course), 0.82);
}

/* ---- stacks: a picture of cells, some columns of pixels at a time */

enum { PIECE = 32, PIECE_PIXELS = 64, MOST_ROWS = 512, BANDS = STRIP_COURSES + 1 };

struct stack {
    uint32_t bands;
    struct colour colours[BANDS];
    float tops[BANDS];                   /* of a column: rows from above */
    int rows;
    double rows_a_point;
};

/* A pixel that the band covers in part. */
static struct colour edge_of(struct colour above, struct colour band, float part)
{
    struct colour edge = band;
    int const alpha = (int)((float)band.alpha * part);

    if (above.alpha == 255)
        return palette_mix(above, band, (double)part * band.alpha / 255);
    edge.alpha = (uint8_t)(alpha > above.alpha ? alpha : above.alpha);
    return edge;
}

/* From a column of pixels to before another one, which are all alike. */
static void paint_columns(const struct stack *stack, struct colour *cells, int from, int to, int width)
{
    for (uint32_t i = stack->bands; i-- > 0;) {
        float const top = fmaxf(stack->tops[i], 0), end = i > 0 ? stack->tops[i - 1] : (float)stack->rows;
        int const first = (int)top;
        int last = (int)ceilf(end) - 1;

        if (!(top < end))
            continue;
        last = last < stack->rows ? last : stack->rows - 1;
        for (int y = first; y <= last; y++) {
            struct colour *const row = &cells[y * width];
            struct colour const colour = y == first ? edge_of(row[from], stack->colours[i], (float)(first + 1) - top)
                                                    : stack->colours[i];

            for (int x = from; x < to; x++)
                row[x] = colour;
        }
    }
}

/* False: there is nothing. */
static bool place_bands(struct stack *stack, struct area area, const struct strip_data *data, uint32_t column,
                        const struct strip_scale *scale)
{
    double sum = 0;

    for (uint32_t i = 0; i < stack->bands; i++) {
        sum = i < data->count ? sum + (double)data->values[i][column]
                              : max_of(sum, (double)data->most[column]);
        if (isnan(sum))
            return false;
        stack->tops[i] = (float)(stack->rows_a_point * ((double)strip_draw_place_of(scale, area, sum) - area.y));
        if (sum <= 0)
            stack->tops[i] = (float)stack->rows;
    }
    return true;
}

/* Of a part of the axis. */
static uint32_t column_at(const struct strip_columns *columns, const struct time_axis *axis, double part)
{
    return strip_column_at(columns, (uint64_t)(axis->from_ps + part * axis->span_ps));
}

static void draw_stack(const struct panel *panel, struct area area, const struct strip_plot *plot,
                       const struct strip_scale *scale, const struct time_axis *axis)
{
    const struct strip_data *const data = plot->data;
    double const pixels = fmin(canvas_scale(panel->canvas), (double)PIECE_PIXELS / PIECE);
    struct stack stack = {.bands = data->count + data->has_most, .rows = (int)(area.height * pixels)};
    struct colour cells[PIECE_PIXELS * MOST_ROWS];

    stack.rows = stack.rows < MOST_ROWS ? stack.rows : MOST_ROWS;
    stack.rows_a_point = (double)stack.rows / area.height;
    for (uint32_t i = 0; i < stack.bands; i++)
        stack.colours[i] = i < data->count ? band_colour(panel, &data->courses[i]) : faded(panel->theme->faint, 60);
    for (int left = 0; left < area.width; left += PIECE) {
        int const points = area.width - left < PIECE ? area.width - left : PIECE;
        int const width = (int)ceil(points * pixels);

        memset(cells, 0, (size_t)(width * stack.rows) * sizeof *cells);
        for (int x = 0, begin = 0; x < width; begin = x) {
            uint32_t const column = column_at(plot->columns, axis, (left + (x + 0.5) * points / width) / area.width);

            do
                x++;
            while (x < width
                   && strip_columns_alike(plot->columns, column, column_at(plot->columns, axis,
                                          (left + (x + 0.5) * points / width) / area.width)));
            if (column < plot->columns->count && place_bands(&stack, area, data, column, scale))
                paint_columns(&stack, cells, begin, x, width);
        }
        canvas_cells(panel->canvas, (struct area){area.x + left, area.y, points, area.height}, cells, width,
                     stack.rows);
    }
}

/* ---- lines */

static void draw_lines(const struct panel *panel, struct area area, const struct strip_plot *plot,
                       const struct strip_scale *scale, const struct time_axis *axis)
{
    struct course_points course;

    strip_draw_place_columns(area, plot->columns, axis, &course);
    for (uint32_t i = plot->data->count; i-- > 0;) {
        bool const is_peer = i > 0 && plot->data->courses[i - 1].has_peer;
        struct colour const colour = strip_draw_colour_of(panel, &plot->data->courses[i]);

        place_values(area, plot->columns, scale, plot->data->values[i], &course);
        canvas_course(panel->canvas, course.points, plot->columns->count, is_peer ? 1.0f : 1.6f,
                      is_peer ? faded(colour, 150) : colour);
    }
}

/* Draws lines one by one; for a stack its height, for a stack of shares the working part. */
static void draw_old(const struct panel *panel, struct area area, const struct strip_plot *plot,
                     const struct strip_scale *scale, const struct time_axis *axis)
{
    const struct strip_data *const old = plot->old;
    uint32_t const lines = old->is_stacked ? 1 : old->count;
    uint32_t const stacked = old->is_whole ? 1 : old->count;
    float values[STRIP_COLUMNS];
    struct course_points course;

    strip_draw_place_columns(area, plot->old_columns, axis, &course);
    for (uint32_t i = 0; i < lines; i++) {
        if (i > 0 && old->courses[i - 1].has_peer)
            continue;
        for (uint32_t j = 0; j < plot->old_columns->count; j++) {
            values[j] = old->values[i][j];
            for (uint32_t k = 1; old->is_stacked && k < stacked; k++)
                values[j] += old->values[k][j];
        }
        place_values(area, plot->old_columns, scale, values, &course);
        if (old->is_stacked)             /* it lies on bands: an edge keeps it visible */
            canvas_course(panel->canvas, course.points, plot->old_columns->count, 3, faded(panel->theme->panel, 140));
        canvas_course(panel->canvas, course.points, plot->old_columns->count, 1.4f,
                      old->is_stacked ? palette_mix(panel->theme->old, panel->theme->text, 0.35) : panel->theme->old);
    }
}

static void draw_peak(const struct panel *panel, struct area area, double value, const struct strip_scale *scale)
{
    float const y = floorf(strip_draw_place_of(scale, area, value)) + 0.5f;

    if (value > scale->high)
        return;
    for (int x = area.x; x < area.x + area.width; x += 9)
        canvas_line(panel->canvas, (struct point){(float)x, y}, (struct point){(float)x + 5, y}, 1,
                    panel->theme->bad);
}

static void draw_grid(const struct panel *panel, struct area area, const struct strip_scale *scale,
                      const struct time_axis *axis)
{
    for (double tick = first_tick(scale); tick <= scale->high * (1 + 1e-9); tick = next_tick(scale, tick))
        canvas_fill(panel->canvas, (struct area){area.x, (int)strip_draw_place_of(scale, area, tick), area.width, 1},
                    panel->theme->grid);
    for (double tick = time_axis_first(axis); tick <= (double)axis->window.to_ps && axis->span_ps > 0;
         tick += axis->step_ps)
        canvas_fill(panel->canvas, (struct area){(int)time_axis_x(axis, area, tick), area.y, 1, area.height},
                    panel->theme->grid);
}

void strip_draw_plot(const struct panel *panel, struct area area, const struct strip_plot *plot,
                     const struct strip_scale *scale, const struct time_axis *axis)
{
    draw_grid(panel, area, scale, axis);
    canvas_clip(panel->canvas, area);
    if (plot->old && !plot->old->is_stacked)
        draw_old(panel, area, plot, scale, axis);
    if (plot->data->is_stacked)
        draw_stack(panel, area, plot, scale, axis);
    else
        draw_lines(panel, area, plot, scale, axis);
    if (plot->old && plot->old->is_stacked)
        draw_old(panel, area, plot, scale, axis);
    if (plot->data->limit > 0)
        draw_peak(panel, area, plot->data->limit, scale);
    canvas_clip(panel->canvas, panel->area);
}

/* ---- legend */

/* One line of it: the courses, then the peak and the run before. */
struct entry {
    enum strip_row row;
    char name[STRIP_NAME], values[VIEW_RUNS][TEXT_ROOM];
    const char *meaning;
    struct colour colour;
    bool is_dashed;
};

enum { ENTRIES = STRIP_COURSES + 2 };

/* Shares are short: the box of explanation has them with decimals. */
static void short_text(enum strip_unit unit, double value, char *text, size_t room)
{
    if (unit != STRIP_SHARE || isnan(value))
        strip_value_text(unit, value, text, room);
    else
        snprintf(text, room, value > 0 && value < 0.00995 ? "%.1f %%" : "%.0f %%", 100 * value);
}

static void value_at(const struct strip_plot *plot, uint32_t course, uint32_t at, bool with_peer, bool is_short,
                     char *text, size_t room)
{
    const struct strip_data *const data = plot->whole ? plot->whole : plot->data;
    uint32_t const column = plot->whole ? 0 : at;
    bool const has_it = course < data->count && (plot->whole || at < plot->columns->count);
    void (*const put)(enum strip_unit, double, char *, size_t) = is_short ? short_text : strip_value_text;
    char highest[32];
    size_t length;

    put(data->unit, has_it ? (double)data->values[course][column] : (double)NAN, text, room);
    if (!with_peer || !has_it || !data->courses[course].has_peer)
        return;
    put(data->unit, (double)data->values[course + 1][column], highest, sizeof highest);
    length = strlen(text);
    if (is_short)                        /* "20 %, max 45" */
        highest[strcspn(highest, " ")] = '\0';
    snprintf(text + length, room - length, ", max %s", highest);
}

/* Of another run, which may have others before it. */
static uint32_t course_named(const struct strip_data *data, const char *name)
{
    for (uint32_t i = 0; i < data->count; i++)
        if (strcmp(data->courses[i].name, name) == 0)
            return i;
    return data->count;
}

static unsigned entries_of(const struct panel *panel, const struct strip_plot *plots, unsigned count,
                           const uint32_t *at, struct entry *entries)
{
    const struct strip_data *const first = plots[0].data->count || count == 1 ? plots[0].data : plots[1].data;
    unsigned found = 0;

    for (uint32_t i = 0; i < first->count; i++) {
        struct entry *const entry = &entries[found];

        if (i > 0 && first->courses[i - 1].has_peer)
            continue;
        *entry = (struct entry){
            .meaning = first->courses[i].meaning,
            .colour = first->is_stacked ? band_colour(panel, &first->courses[i])
                                        : strip_draw_colour_of(panel, &first->courses[i])};
        snprintf(entry->name, sizeof entry->name, "%s", first->courses[i].name);
        for (unsigned run = 0; run < count; run++) {
            uint32_t const course = course_named(plots[run].data, first->courses[i].name);

            value_at(&plots[run], course, at[run], count == 1, true, entry->values[run], sizeof entry->values[run]);
        }
        found++;
    }
    if (first->limit > 0) {
        entries[found] = (struct entry){.name = "peak", .colour = panel->theme->bad, .is_dashed = true,
                                        .meaning = "Peak bandwidth of all channels, reads and writes together."};
        for (unsigned run = 0; run < count; run++)
            strip_value_text(first->unit, plots[run].data->limit, entries[found].values[run], TEXT_ROOM);
        found++;
    }
    if (plots[0].old && plots[0].old->count > 0) {
        entries[found] = (struct entry){.name = "run before", .colour = panel->theme->old,
                                        .meaning = "The run before the last restart, for comparison: the total of a "
                                                   "stack, or the working share."};
        found++;
    }
    for (unsigned i = 0; i < found; i++)
        entries[i].row = first->row;
    return found;
}

/* For a course of several requestors under the pointer: lists those that move most, in the first run. */
static void add_members(const struct panel *panel, const struct strip_plot *plot, uint32_t at, struct hit *hit)
{
    bool const has_members = plot->data->row == STRIP_REQUESTORS || plot->data->row == STRIP_SMS;
    size_t const length = strlen(hit->numbers);

    if (!has_members || plot->data->of || length + 1 >= sizeof hit->numbers
        || !area_holds(hit->area, panel->view->pointer_x, panel->view->pointer_y))
        return;
    hit->numbers[length] = '\n';
    strip_members(plot->whole ? plot->whole_columns : plot->columns, plot->whole ? 0 : at, hit->title,
                  hit->numbers + length + 1, sizeof hit->numbers - length - 1);
    if (hit->numbers[length + 1] == '\0')
        hit->numbers[length] = '\0';
}

static void draw_entry(const struct panel *panel, struct area area, const struct entry *entry, unsigned count,
                       int value_width, const struct strip_plot *plot, uint32_t at)
{
    struct area chip = area_take_left(&area, CHIP);
    struct hit *hit;
    int const middle = area.y + area.height / 2;
    struct area const whole = {chip.x, area.y, area.width + CHIP, area.height};

    if (entry->is_dashed) {
        canvas_fill(panel->canvas, (struct area){chip.x, middle, 3, 1}, entry->colour);
        canvas_fill(panel->canvas, (struct area){chip.x + 5, middle, 3, 1}, entry->colour);
    } else {
        canvas_fill_round(panel->canvas, (struct area){chip.x, middle - CHIP / 2, CHIP, CHIP}, 2, entry->colour);
    }
    area_take_left(&area, 5);
    for (unsigned i = count; i-- > 0;) {
        int const width = count > 1 ? value_width : canvas_text_width(panel->canvas, TEXT_SMALL, entry->values[i]) + 1;

        canvas_text(panel->canvas, area_take_right(&area, width), TEXT_RIGHT, TEXT_SMALL, panel->theme->text,
                    entry->values[i]);
        area_take_right(&area, 4);
    }
    canvas_text(panel->canvas, area, TEXT_LEFT, TEXT_SMALL, panel->theme->faint, entry->name);
    hit = hits_add_text(&panel->view->hits, whole, panel->run, entry->name, entry->meaning);
    if (!hit)
        return;
    hit->element = entry->row;
    snprintf(hit->numbers, sizeof hit->numbers, count > 1 ? "%s   %s" : "%s", entry->values[0],
             count > 1 ? entry->values[1] : "");
    add_members(panel, plot, at, hit);
}

bool strip_is_low(int height, unsigned run_count)
{
    return height < TITLE_LINE + (run_count > 1 ? 4 : 2) * SMALL_LINE;
}

static unsigned lines_of(int height)
{
    return height < SMALL_LINE ? 1 : (unsigned)(height / SMALL_LINE);
}

static void draw_title(const struct panel *panel, struct area area, const struct strip_data *data)
{
    char title[HIT_TITLE];

    strip_title(data, title, sizeof title);
    canvas_text(panel->canvas, area, TEXT_LEFT, TEXT_STRONG, panel->theme->text, title);
    hits_add_text(&panel->view->hits, area, panel->run, title,
                  strip_meaning(data, view_chosen(panel->view)));
}

/* Which part of a list is shown, at its right side. */
static void draw_scroll(const struct panel *panel, struct area area, unsigned first, unsigned shown, unsigned all)
{
    struct area const track = {area.x + area.width - SCROLL, area.y, SCROLL, area.height};
    int const top = track.height * (int)first / (int)all, end = track.height * (int)(first + shown) / (int)all;

    canvas_fill(panel->canvas, track, panel->theme->grid);
    canvas_fill(panel->canvas, (struct area){track.x, track.y + top, track.width, end - top}, panel->theme->faint);
    hits_add_text(&panel->view->hits, track, panel->run, "Legend", "There are more series than the legend has lines. "
                  "Turn the wheel here to see the others, or point at the chart to see all values.");
}

/* Entries below each other, then in the next column; where they do not all have room, line by line, and the wheel moves
 * them. */
void strip_draw_legend(const struct panel *panel, struct area area, const struct strip_plot *plots, unsigned count,
                       const uint32_t *at)
{
    bool const is_share = plots[0].data->unit == STRIP_SHARE;
    int const value_width = is_share ? 34 : 60;
    int const least_width = count == 1 ? LEAST_ENTRY : 2 * (value_width + 4) + 64;
    struct entry entries[ENTRIES];
    unsigned const found = entries_of(panel, plots, count, at, entries);
    unsigned const most_columns = area.width > least_width ? (unsigned)(area.width / least_width) : 1;
    unsigned columns = 1, lines, all_lines, first;
    bool is_cut;

    if (!strip_is_low(area.height, count))
        draw_title(panel, area_take_top(&area, TITLE_LINE), plots[0].data);
    if (most_columns * lines_of(area.height - STRIP_LEGEND_MORE) >= found)
        area.height -= STRIP_LEGEND_MORE;
    lines = lines_of(area.height);
    while (columns * lines < found && columns < most_columns)
        columns++;
    all_lines = (found + columns - 1) / columns;
    is_cut = all_lines > lines;
    first = (unsigned)view_scroll_set(panel->view, plots[0].data->row, area, (int)all_lines, (int)lines);
    if (is_cut)
        draw_scroll(panel, area, first, lines, all_lines);
    area.width -= is_cut ? SCROLL + 3 : 0;
    for (unsigned i = is_cut ? first * columns : 0; i < found && (!is_cut || i < (first + lines) * columns); i++) {
        int const width = area.width / (int)columns;
        unsigned const column = is_cut ? i % columns : i / lines, line = is_cut ? i / columns - first : i % lines;
        struct area const entry = {area.x + (int)column * width, area.y + (int)line * SMALL_LINE,
                                   width - (columns > 1 ? 6 : 0), SMALL_LINE};

        draw_entry(panel, entry, &entries[i], count, value_width, &plots[0], at[0]);
    }
}

void strip_numbers(const struct strip_plot *plot, uint32_t at, char *text, size_t room)
{
    size_t length = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < plot->data->count && length < room; i++) {
        char value[TEXT_ROOM];

        if (i > 0 && plot->data->courses[i - 1].has_peer)
            continue;
        value_at(plot, i, at, true, false, value, sizeof value);
        length += (size_t)snprintf(text + length, room - length, "%s%s %s", i ? "\n" : "",
                                   plot->data->courses[i].name, value);
    }
}
