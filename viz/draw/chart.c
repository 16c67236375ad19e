/* A picture is a frame, whose scales say where a number stands, and elements of SVG in the order in which they cover
 * each other. Texts are measured by their characters, as nobody here knows the reader's font. No names inside, no
 * styles: pictures can stand side by side in a page. */
#define _POSIX_C_SOURCE 200809L
#include "viz/draw/chart.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/harmless.h"
#include "base/text.h"
#include "viz/draw/palette.h"

enum { COLOUR_TEXT = 8, SHAPES = 4, MOST_TICKS = 40, NUMBER_TEXT = 32 };

#define LETTER 6.6                       /* width of a character, at 12 pixels */
#define LINE 18.0
#define MARK 4.0                         /* half of a mark's size */
#define SLANT 25.0                       /* degrees by which names turn that would not stand side by side */
#define NOISE 0.01                       /* cells that differ from 1 by less have no shade */
#define LEAST_SPAN 0.05                  /* of the scale of cells, on each side of 1 */

struct scale {
    double low, high;                    /* logarithms if it is one */
    double from, to;                     /* pixels */
    bool is_log;
    double ticks[MOST_TICKS];
    size_t tick_count;
    const char *const *names;            /* of the places 0, 1, ...; NULL: numbers */
    size_t name_count;
};

struct frame {
    FILE *to;
    const struct chart *chart;
    struct scale x, y;
    double left, right, top, bottom;
    bool are_names_turned;
};

/* ---- elements */

static void put_text(FILE *to, const char *text)
{
    const char *harmful = text + harmless_bytes(text, strlen(text));

    for (; *text; text++) {
        char const letter = text == harmful ? ' ' : *text;

        if (text == harmful)
            harmful = text + 1 + harmless_bytes(text + 1, strlen(text + 1));
        switch (letter) {
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '&': fputs("&amp;", to); break;
        case '"': fputs("&quot;", to); break;
        default: fputc(letter, to); break;
        }
    }
}

/* more: further attributes, such as of turning; "" for none. */
static void put_label(FILE *to, double x, double y, const char *anchor, const char *text, const char *more)
{
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, more);
    put_text(to, text);
    fputs("</text>\n", to);
}

static void put_line(FILE *to, double x1, double y1, double x2, double y2, const char *look)
{
    fprintf(to, "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>\n", x1, y1, x2, y2, look);
}

/* The live view's, in its light theme. */
static const char *colour_of(size_t series, char text[COLOUR_TEXT])
{
    struct colour const colour = palette_theme(false)->series[series % PALETTE_SERIES];

    snprintf(text, COLOUR_TEXT, "#%02x%02x%02x", colour.red, colour.green, colour.blue);
    return text;
}

static void put_mark(FILE *to, double x, double y, size_t series)
{
    char text[COLOUR_TEXT];
    const char *const colour = colour_of(series, text);

    switch (series % SHAPES) {
    case 0: fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x, y, MARK, colour); break;
    case 1:
        fprintf(to, "<path d=\"M%.1f %.1fh%.1fv%.1fh-%.1fz\" fill=\"%s\"/>\n", x - MARK, y - MARK, 2 * MARK, 2 * MARK,
                2 * MARK, colour);
        break;
    case 2:
        fprintf(to, "<path d=\"M%.1f %.1fl%.1f %.1fh-%.1fz\" fill=\"%s\"/>\n", x, y - MARK, MARK, 2 * MARK, 2 * MARK,
                colour);
        break;
    default:
        fprintf(to, "<path d=\"M%.1f %.1fl%.1f %.1fl-%.1f %.1fl-%.1f -%.1fz\" fill=\"%s\"/>\n", x, y - MARK - 1,
                MARK + 1, MARK + 1, MARK + 1, MARK + 1, MARK + 1, MARK + 1, colour);
        break;
    }
}

/* Of characters, not of bytes. */
static double width_of(const char *text)
{
    size_t letters = 0;

    for (; *text; text++)
        letters += ((unsigned char)*text & 0xc0) != 0x80;
    return LETTER * (double)letters;
}

static double widest(const char *const *names, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, width_of(names[i]));
    return most;
}

/* ---- scales */

static double place(const struct scale *scale, double value)
{
    double const at = scale->is_log ? log10(value) : value;

    return scale->from + (at - scale->low) / (scale->high - scale->low) * (scale->to - scale->from);
}

static void add_tick(struct scale *scale, double value)
{
    double const at = scale->is_log ? log10(value) : value, slack = 1e-9 * (scale->high - scale->low);

    if (scale->tick_count < MOST_TICKS && at >= scale->low - slack && at <= scale->high + slack)
        scale->ticks[scale->tick_count++] = value;
}

/* 1, 2 or 5 times a power of ten, so that there are about five. */
static void set_linear_ticks(struct scale *scale)
{
    double const rough = (scale->high - scale->low) / 5, power = pow(10, floor(log10(rough))), part = rough / power;
    double const step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
    double const first = ceil(scale->low / step - 1e-9);

    for (int i = 0; i < MOST_TICKS; i++)
        add_tick(scale, (first + i) * step);
}

/* Powers of ten; 2 and 5 times these if few of them fit. */
static void set_log_ticks(struct scale *scale)
{
    bool const has_more = scale->high - scale->low < 3;

    for (double power = floor(scale->low); power <= scale->high; power++) {
        add_tick(scale, pow(10, power));
        if (has_more) {
            add_tick(scale, 2 * pow(10, power));
            add_tick(scale, 5 * pow(10, power));
        }
    }
}

/* low > high: there are no numbers. */
static void set_range(struct scale *scale, double low, double high, bool is_log, bool is_from_zero)
{
    double margin;

    scale->is_log = is_log;
    scale->low = low <= high ? (is_log ? log10(low) : low) : 0;
    scale->high = low <= high ? (is_log ? log10(high) : high) : 1;
    if (is_from_zero && !is_log)
        scale->low = fmin(scale->low, 0);
    if (!(scale->high > scale->low)) {
        scale->low -= 0.5;
        scale->high += 0.5;
    }
    margin = 0.05 * (scale->high - scale->low);
    scale->high += margin;
    if (!is_from_zero || is_log || low < 0)
        scale->low -= margin;
    if (is_log)
        set_log_ticks(scale);
    else
        set_linear_ticks(scale);
}

static void set_names(struct scale *scale, const char *const *names, size_t count)
{
    scale->names = names;
    scale->name_count = count;
    scale->low = -0.5;
    scale->high = (double)count - 0.5;
}

static bool is_drawn(const struct chart *chart, const struct chart_series *series, size_t i)
{
    return isfinite(series->x[i]) && isfinite(series->y[i]) && (!chart->log_x || series->x[i] > 0)
        && (!chart->log_y || series->y[i] > 0)
        && (series->mark != CHART_RANGE || (isfinite(series->low[i]) && isfinite(series->high[i])
                                            && (!chart->log_y || series->low[i] > 0)));
}

static void set_scales(struct frame *frame)
{
    const struct chart *const chart = frame->chart;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};

    for (size_t s = 0; s < chart->series_count; s++)
        for (size_t i = 0; i < chart->series[s].count; i++) {
            const struct chart_series *const series = &chart->series[s];
            bool const is_range = series->mark == CHART_RANGE;

            if (!is_drawn(chart, series, i))
                continue;
            low[0] = fmin(low[0], series->x[i]);
            high[0] = fmax(high[0], series->x[i]);
            low[1] = fmin(low[1], is_range ? fmin(series->low[i], series->y[i]) : series->y[i]);
            high[1] = fmax(high[1], is_range ? fmax(series->high[i], series->y[i]) : series->y[i]);
        }
    if (chart->x_names)
        set_names(&frame->x, chart->x_names, chart->x_name_count);
    else
        set_range(&frame->x, low[0], high[0], chart->log_x, false);
    set_range(&frame->y, low[1], high[1], chart->log_y, chart->from_zero);
}

static void number_text(double value, char text[NUMBER_TEXT])
{
    snprintf(text, NUMBER_TEXT, "%.6g", fabs(value) < 1e-12 ? 0 : value);
}

/* ---- the frame */

static double tick_width(const struct scale *scale)
{
    double most = scale->names ? widest(scale->names, scale->name_count) : 0;
    char text[NUMBER_TEXT];

    for (size_t i = 0; i < scale->tick_count; i++) {
        number_text(scale->ticks[i], text);
        most = fmax(most, width_of(text));
    }
    return most;
}

/* A series without a name looks like the named one before it. */
static size_t look_of(const struct chart *chart, size_t index)
{
    size_t look = 0;

    for (size_t s = 1; s <= index; s++)
        look += chart->series[s].name != NULL;
    return look;
}

/* Names of series, in lines of their own below the title. `draws`: now; returns the height. */
static double put_legend(const struct frame *frame, double top, bool draws)
{
    const struct chart *const chart = frame->chart;
    double x = frame->left, y = top;
    bool is_any = false;

    for (size_t s = 0; s < chart->series_count; s++) {
        const char *const name = chart->series[s].name;
        double const width = name ? 22 + width_of(name) + 14 : 0;

        if (!name)
            continue;
        if (is_any && x + width > chart->width - 10) {
            x = frame->left;
            y += LINE;
        }
        if (draws) {
            put_mark(frame->to, x + 8, y + 9, look_of(chart, s));
            put_label(frame->to, x + 20, y + 13, "start", name, "");
        }
        x += width;
        is_any = true;
    }
    return is_any ? y + LINE - top : 0;
}

/* right: pixels that something beside the frame needs. */
static void lay_out(struct frame *frame, double right)
{
    const struct chart *const chart = frame->chart;
    double const y_names = fmin(tick_width(&frame->y), 0.35 * chart->width);
    double below = 22;

    frame->left = 12 + (chart->y_label ? LINE : 0) + y_names + 8;
    frame->right = chart->width - 16 - right;
    frame->top = (chart->title ? 30 : 10) + put_legend(frame, 0, false) + 8 + (chart->cells ? LINE : 0);
    if (frame->x.names) {
        double const most = widest(frame->x.names, frame->x.name_count);

        frame->are_names_turned = most + 8 > (frame->right - frame->left) / (double)frame->x.name_count;
        if (frame->are_names_turned)
            below += fmin(most, 0.4 * chart->height) * sin(SLANT * acos(-1) / 180);
    }
    frame->bottom = chart->height - below - (chart->x_label ? LINE + 4 : 0) - 4;
    frame->x.from = frame->left;
    frame->x.to = frame->right;
    frame->y.from = frame->bottom;
    frame->y.to = frame->top;
}

static void put_x_name(const struct frame *frame, double x, const char *name)
{
    char turn[80] = "";

    if (frame->are_names_turned)
        snprintf(turn, sizeof turn, " transform=\"rotate(-%.0f %.1f %.1f)\"", SLANT, x, frame->bottom + 14);
    put_label(frame->to, x, frame->bottom + (frame->are_names_turned ? 14 : 18),
              frame->are_names_turned ? "end" : "middle", name, turn);
}

static void put_frame(const struct frame *frame)
{
    static const char grid[] = "stroke=\"#dddddd\"", border[] = "stroke=\"#444444\"";
    const struct chart *const chart = frame->chart;
    FILE *const to = frame->to;
    char text[NUMBER_TEXT], turn[80];

    for (size_t i = 0; i < frame->x.tick_count; i++) {
        double const x = place(&frame->x, frame->x.ticks[i]);

        put_line(to, x, frame->top, x, frame->bottom, grid);
        number_text(frame->x.ticks[i], text);
        put_x_name(frame, x, text);
    }
    for (size_t i = 0; i < frame->y.tick_count; i++) {
        double const y = place(&frame->y, frame->y.ticks[i]);

        put_line(to, frame->left, y, frame->right, y, grid);
        number_text(frame->y.ticks[i], text);
        put_label(to, frame->left - 6, y + 4, "end", text, "");
    }
    for (size_t i = 0; i < frame->x.name_count; i++)
        put_x_name(frame, place(&frame->x, (double)i), frame->x.names[i]);
    for (size_t i = 0; i < frame->y.name_count; i++)
        put_label(to, frame->left - 6, place(&frame->y, (double)i) + 4, "end", frame->y.names[i], "");
    put_line(to, frame->left, frame->top, frame->left, frame->bottom, border);
    put_line(to, frame->left, frame->bottom, frame->right, frame->bottom, border);
    if (chart->title)
        put_label(to, chart->width / 2.0, 20, "middle", chart->title, " font-weight=\"bold\"");
    if (chart->x_label)
        put_label(to, (frame->left + frame->right) / 2, chart->height - 6, "middle", chart->x_label, "");
    if (chart->y_label) {
        snprintf(turn, sizeof turn, " transform=\"rotate(-90 16 %.1f)\"", (frame->top + frame->bottom) / 2);
        put_label(to, 16, (frame->top + frame->bottom) / 2, "middle", chart->y_label, turn);
    }
}

static void put_nothing(const struct frame *frame)
{
    put_label(frame->to, (frame->left + frame->right) / 2, (frame->top + frame->bottom) / 2, "middle", "no data", "");
}

/* ---- series */

static void put_joined(const struct frame *frame, const struct chart_series *series, const char *colour)
{
    bool is_begun = false;

    for (size_t i = 0; i < series->count; i++) {
        double x, y;

        if (!is_drawn(frame->chart, series, i))
            continue;
        x = place(&frame->x, series->x[i]);
        y = place(&frame->y, series->y[i]);
        if (is_begun && series->mark == CHART_STEP)
            fprintf(frame->to, "H%.1fV%.1f", x, y);
        else
            fprintf(frame->to, is_begun ? "L%.1f %.1f" : "<path d=\"M%.1f %.1f", x, y);
        is_begun = true;
    }
    if (is_begun)
        fprintf(frame->to, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", colour);
}

static size_t put_series(const struct frame *frame, size_t index)
{
    const struct chart_series *const series = &frame->chart->series[index];
    size_t const own = look_of(frame->chart, index);
    char text[COLOUR_TEXT], look[80];
    const char *const colour = colour_of(own, text);
    size_t drawn = 0;

    snprintf(look, sizeof look, "stroke=\"%s\" stroke-width=\"2\"", colour);
    if (series->mark == CHART_LINE || series->mark == CHART_STEP)
        put_joined(frame, series, colour);
    for (size_t i = 0; i < series->count; i++) {
        double x, y;

        if (!is_drawn(frame->chart, series, i))
            continue;
        x = place(&frame->x, series->x[i]);
        y = place(&frame->y, series->y[i]);
        drawn++;
        if (series->mark == CHART_RANGE) {
            double const low = place(&frame->y, series->low[i]), high = place(&frame->y, series->high[i]);

            put_line(frame->to, x, low, x, high, look);
            put_line(frame->to, x - MARK, low, x + MARK, low, look);
            put_line(frame->to, x - MARK, high, x + MARK, high, look);
        }
        if (series->mark != CHART_STEP)
            put_mark(frame->to, x, y, own);
    }
    return drawn;
}

/* ---- cells */

/* share: -1 to 1, of which 0 is white; both sides get dark alike. */
static void shade(double share, char text[8])
{
    static double const ends[2][3] = {{0, 80, 125}, {179, 71, 0}};
    const double *const end = ends[share > 0];
    double const part = fmin(fabs(share), 1);
    int parts[3];

    for (int i = 0; i < 3; i++)
        parts[i] = (int)lround(247 + part * (end[i] - 247)) & 0xff;
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)parts[0], (unsigned)parts[1], (unsigned)parts[2]);
}

static void put_key(const struct frame *frame, double span)
{
    enum { STEPS = 21 };
    double const x = frame->right + 24, height = (frame->bottom - frame->top) / STEPS;
    char colour[8], text[NUMBER_TEXT];

    for (int i = 0; i < STEPS; i++) {
        shade(1 - 2.0 * i / (STEPS - 1), colour);
        fprintf(frame->to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"%.1f\" fill=\"%s\"/>\n", x,
                frame->top + i * height, height + 0.5, colour);
    }
    for (int side = -1; side <= 1; side++) {
        snprintf(text, sizeof text, "%.3g", exp(side * span));
        put_label(frame->to, x + 20, frame->top + (1 - side) / 2.0 * (frame->bottom - frame->top) + 4, "start", text,
                  "");
    }
    if (frame->chart->cells->value_label)
        put_label(frame->to, x + 7, frame->top - 8, "middle", frame->chart->cells->value_label, "");
}

static void put_cells(const struct frame *frame)
{
    const struct chart_cells *const cells = frame->chart->cells;
    double const width = (frame->right - frame->left) / (double)cells->columns;
    double const height = (frame->bottom - frame->top) / (double)cells->rows;
    double span = log1p(LEAST_SPAN);
    bool is_any = false;

    for (size_t i = 0; i < cells->rows * cells->columns; i++)
        if (cells->values[i] > 0 && isfinite(cells->values[i])) {
            span = fmax(span, fabs(log(cells->values[i])));
            is_any = true;
        }
    for (size_t i = 0; i < cells->rows * cells->columns; i++) {
        double const value = cells->values[i], x = place(&frame->x, (double)(i % cells->columns));
        double const y = place(&frame->y, (double)(i / cells->columns));
        double const share = value > 0 && fabs(log(value)) >= log1p(NOISE) ? log(value) / span : 0;
        char colour[8], text[NUMBER_TEXT];

        if (!isfinite(value))
            continue;
        shade(share, colour);
        fprintf(frame->to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x - width / 2,
                y - height / 2, width - 1, height - 1, colour);
        snprintf(text, sizeof text, "%.*f", cells->decimals, value);
        put_label(frame->to, x, y + 4, "middle", text, fabs(share) > 0.6 ? " fill=\"#ffffff\"" : "");
    }
    if (is_any)
        put_key(frame, span);
    else
        put_nothing(frame);
}

/* ---- all of it */

static void put_chart(struct frame *frame)
{
    const struct chart *const chart = frame->chart;
    size_t drawn = 0;

    fprintf(frame->to, "<svg id=\"%s\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "viewBox=\"0 0 %u %u\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
            "<path d=\"M0 0h%uv%uh-%uz\" fill=\"#ffffff\"/>\n",
            chart->id, chart->width, chart->height, chart->width, chart->height, chart->width, chart->height,
            chart->width);
    if (chart->cells) {
        set_names(&frame->x, chart->cells->column_names, chart->cells->columns);
        set_names(&frame->y, chart->cells->row_names, chart->cells->rows);
        lay_out(frame, 80);
        put_frame(frame);
        put_cells(frame);
    } else {
        set_scales(frame);
        lay_out(frame, 0);
        put_frame(frame);
        put_legend(frame, chart->title ? 30 : 10, true);
        for (size_t s = 0; s < chart->series_count; s++)
            drawn += put_series(frame, s);
        if (!drawn)
            put_nothing(frame);
    }
    fputs("</svg>\n", frame->to);
}

bool chart_svg(const struct chart *chart, char **svg)
{
    size_t length;
    struct frame frame = {.chart = chart};

    *svg = NULL;
    frame.to = open_memstream(svg, &length);
    if (!frame.to)
        return false;
    put_chart(&frame);
    return text_stream_close(frame.to, svg);
}
