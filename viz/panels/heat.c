/* Address regions over time. A column has the accesses between two samples; regions that grew in between are brought
 * to one size first, as memsys/noc/address_heat.h says: the smaller ones are added up.
 *
 * A row of the picture has 2^shift bytes, at least as many as a region of the last visible sample. A long stretch
 * without accesses (a gap) is one row, or none if there are many gaps. Colours are a logarithm of the accesses a
 * second, three decades from the most down: footprints are seen beside hot spots. */
#include "viz/panels/panels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viz/panels/strip_draw.h"
#include "viz/panels/strip_series.h"
#include "viz/state/state_figures.h"

enum { MARGIN = 10, REGIONS = 256, PIECE = 64, COLOURS = 64, LINE = 14, TITLE = 18, LABEL_GAP = 30, TEXT_ROOM = 96,
       DECADES = 3, COLUMN_WIDTH = 2, HEAT_GAP = 0xffff, LEAST_GAP = 3, MOST_GAPS = 16, MOST_LABELS = 32,
       LARGE_SHIFT = 32,
       MOST_SHIFT = 56,                  /* 256 regions are all addresses */
       LAST_SHIFT = 63, REMEMBERED = 256 };

#define NO_RATES UINT32_MAX

#define MAP_MEANING "Requests per second that reach memory, by address and time. The colour scale is logarithmic."

/* Fields of a layout that has a map. */
struct heat_fields {
    const struct telemetry_field *base, *shift, *counts;
};

/* The rows that are shown, the same of all runs. */
struct rows {
    uint64_t base;                       /* of the lowest row */
    uint64_t shift;
    uint32_t count, places;              /* places: regions of that size, from the lowest to the highest that is seen */
    uint16_t row_of[REGIONS];            /* of a place; HEAT_GAP: in a gap */
    uint16_t place_of[REGIONS];          /* of a row; HEAT_GAP: it is a gap */
};

/* One run's map over the window. */
struct heat {
    struct heat_fields fields;
    struct strip_columns columns;
    double *rates;                       /* accesses a second: rows of each column that is not as the one before */
    uint32_t kept[STRIP_COLUMNS];        /* of a column, which of these; NO_RATES: it has none */
    struct rows rows;
    double most;                         /* accesses a second of a row */
};

/* Both runs' maps, and room for the rates of all columns. Pages that are not used cost nothing. */
struct heat_memory {
    struct heat heat[VIEW_RUNS];
    double rates[VIEW_RUNS][STRIP_COLUMNS * REGIONS];
};

static bool fields_of(const struct telemetry *layout, struct heat_fields *fields)
{
    fields->base = telemetry_find(layout, 0, "heat_base");
    fields->shift = telemetry_find(layout, 0, "heat_shift");
    fields->counts = telemetry_find(layout, 0, "heat");
    return fields->base && fields->shift && fields->counts && fields->counts->count == REGIONS;
}

/* log2 of a region's size; 0: no map, or an invalid size. */
static uint64_t shift_of(const struct heat_fields *fields, const uint64_t *words)
{
    uint64_t const shift = telemetry_value(fields->shift, 0, words);

    return shift <= MOST_SHIFT ? shift : 0;
}

/* Accesses between two samples in the regions of the later one. */
static void deltas(const struct heat_fields *fields, const uint64_t *before, const uint64_t *words, uint64_t *counts)
{
    const uint64_t *const now = words + fields->counts->first;
    uint64_t const base = telemetry_value(fields->base, 0, words), shift = shift_of(fields, words);
    const uint64_t *was;
    uint64_t was_base, was_shift;

    if (!before || before[TELEMETRY_SINCE] != words[TELEMETRY_SINCE]) {
        memcpy(counts, now, REGIONS * sizeof *counts);
        return;
    }
    was = before + fields->counts->first;
    was_base = telemetry_value(fields->base, 0, before);
    was_shift = shift_of(fields, before);
    if (was_base == base && was_shift == shift && shift != 0) {
        for (uint32_t i = 0; i < REGIONS; i++)
            counts[i] = now[i] - was[i];
        return;
    }
    memcpy(counts, now, REGIONS * sizeof *counts);
    for (uint64_t i = 0; was_shift != 0 && i < REGIONS; i++) {
        uint64_t const place = (was_base + (i << was_shift) - base) >> shift;

        if (was[i] && place < REGIONS)
            counts[place] -= was[i];
    }
}

static const uint64_t *sample_of(const struct strip_columns *columns, uint32_t index)
{
    return index == STRIP_NO_SAMPLE ? NULL : history_at(columns->history, index);
}

/* Accesses a second by row of the picture; false: the column has none. */
static bool row_rates(const struct heat *heat, uint32_t column, double *rates)
{
    const uint64_t *const words = sample_of(&heat->columns, heat->columns.last[column]);
    const uint64_t *const before = sample_of(&heat->columns, heat->columns.before[column]);
    uint64_t counts[REGIONS], base, shift;
    double per_second;

    if (!words || telemetry_span_ps(before, words) == 0)
        return false;
    deltas(&heat->fields, before, words, counts);
    base = telemetry_value(heat->fields.base, 0, words);
    shift = shift_of(&heat->fields, words);
    per_second = 1e12 / (double)telemetry_span_ps(before, words);
    memset(rates, 0, heat->rows.count * sizeof *rates);
    for (uint64_t i = 0; shift != 0 && i < REGIONS; i++) {
        uint64_t const place = (base + (i << shift) - heat->rows.base) >> heat->rows.shift;

        if (counts[i] && place < heat->rows.places && heat->rows.row_of[place] != HEAT_GAP)
            rates[heat->rows.row_of[place]] += (double)counts[i] * per_second;
    }
    return true;
}

/* Accesses in the window, counted by regions of the size that the last visible sample has. */
struct seen {
    uint64_t counts[REGIONS], base, shift;
    uint32_t low, high;                  /* of regions with counts: the first one, and behind the last one */
};

static bool find_seen(const struct heat *heat, struct seen *seen)
{
    const uint64_t *first = NULL, *last = NULL;

    for (uint32_t i = 0; i < heat->columns.count; i++) {
        if (heat->columns.last[i] == STRIP_NO_SAMPLE)
            continue;
        first = last ? first : sample_of(&heat->columns, heat->columns.before[i]);
        last = sample_of(&heat->columns, heat->columns.last[i]);
    }
    if (!last || shift_of(&heat->fields, last) == 0)
        return false;
    deltas(&heat->fields, first, last, seen->counts);
    seen->base = telemetry_value(heat->fields.base, 0, last);
    seen->shift = shift_of(&heat->fields, last);
    seen->low = REGIONS;
    seen->high = 0;
    for (uint32_t i = 0; i < REGIONS; i++)
        if (seen->counts[i]) {
            seen->low = i < seen->low ? i : seen->low;
            seen->high = i + 1;
        }
    return seen->high > 0;
}

static uint64_t low_of(const struct seen *seen)
{
    return seen->base + ((uint64_t)seen->low << seen->shift);
}

static uint64_t high_of(const struct seen *seen)
{
    return seen->base + ((uint64_t)seen->high << seen->shift) - 1;
}

/* Rows for regions of 2^shift bytes, without long gaps. Returns false if the rows, or the gaps to show, do not fit. */
static bool lay_rows(struct rows *rows, const struct seen *seen, unsigned count, bool shows_gaps, uint32_t most_rows)
{
    uint64_t low = UINT64_MAX, high = 0;
    bool is_seen[REGIONS] = {false};
    uint32_t empty, gaps = 0;

    for (unsigned i = 0; i < count; i++) {
        low = low_of(&seen[i]) < low ? low_of(&seen[i]) : low;
        high = high_of(&seen[i]) > high ? high_of(&seen[i]) : high;
    }
    rows->base = low >> rows->shift << rows->shift;
    if ((high - rows->base) >> rows->shift >= REGIONS)
        return false;
    rows->places = (uint32_t)((high - rows->base) >> rows->shift) + 1;
    rows->count = 0;
    for (unsigned i = 0; i < count; i++)
        for (uint64_t j = seen[i].low; j < seen[i].high; j++) {
            uint64_t const place = (seen[i].base + (j << seen[i].shift) - rows->base) >> rows->shift;

            if (place < rows->places)    /* else its address is none: behind the last one */
                is_seen[place] |= seen[i].counts[j] != 0;
        }
    is_seen[rows->places - 1] = true;
    for (uint32_t i = 0; i < rows->places; i += empty) {
        empty = 0;
        while (!is_seen[i + empty])
            rows->row_of[i + empty++] = HEAT_GAP;
        if (empty >= LEAST_GAP) {
            if (rows->count == most_rows)
                return false;
            rows->place_of[rows->count] = HEAT_GAP;
            rows->count += shows_gaps;
            gaps++;
            continue;
        }
        empty = empty ? empty : 1;
        for (uint32_t j = i; j < i + empty; j++) {
            if (rows->count == most_rows)
                return false;
            rows->row_of[j] = (uint16_t)rows->count;
            rows->place_of[rows->count++] = (uint16_t)j;
        }
    }
    return !shows_gaps || gaps <= MOST_GAPS;
}

/* Rows are common to all runs, so that runs can be compared side by side. */
static void choose_rows(struct heat *heat, unsigned run_count, uint32_t most_rows)
{
    struct seen seen[VIEW_RUNS];
    struct rows rows = {0};
    unsigned count = 0;

    for (unsigned i = 0; i < run_count; i++)
        if (heat[i].columns.count > 0 && find_seen(&heat[i], &seen[count])) {
            rows.shift = seen[count].shift > rows.shift ? seen[count].shift : rows.shift;
            count++;
        }
    if (count == 0 || most_rows == 0)
        return;
    while (!lay_rows(&rows, seen, count, true, most_rows) && !lay_rows(&rows, seen, count, false, most_rows))
        if (rows.shift++ == LAST_SHIFT)
            return;
    for (unsigned i = 0; i < run_count; i++)
        heat[i].rows = rows;
}

static void find_rates(struct heat *heat)
{
    uint32_t count = 0;

    heat->most = 0;
    for (uint32_t i = 0; heat->rows.count > 0 && i < heat->columns.count; i++) {
        double *const rates = heat->rates + (size_t)count * heat->rows.count;

        if (i > 0 && strip_columns_alike(&heat->columns, i, i - 1)) {
            heat->kept[i] = heat->kept[i - 1];
            continue;
        }
        heat->kept[i] = row_rates(heat, i, rates) ? count++ : NO_RATES;
        for (uint32_t j = 0; heat->kept[i] != NO_RATES && j < heat->rows.count; j++)
            heat->most = rates[j] > heat->most ? rates[j] : heat->most;
    }
}

static void make_heat(const struct view *view, unsigned run, struct area area, struct heat *heat)
{
    const struct view_run *const of = &view->runs[run];

    heat->most = 0;
    heat->rows.count = heat->rows.places = 0;
    heat->columns.count = 0;
    if (fields_of(of->layout, &heat->fields))
        strip_columns_make(&heat->columns, &of->history, &view->window, (uint32_t)(area.width / COLUMN_WIDTH));
}

/* ---- drawing */

/* 0: nothing; the faintest is seen, too. */
static double share_of(double rate, double most)
{
    return rate > 0 ? fmax(0.1, 1 + log10(rate / most) / DECADES) : 0;
}

/* Most accesses are few, so most rates were seen before: their shades are remembered. */
struct shades {
    double most, rates[REMEMBERED];
    unsigned char shades[REMEMBERED];    /* of a rate of 0: 0 */
};

static unsigned char shade_of(struct shades *shades, double rate)
{
    uint64_t bits;
    unsigned place;

    memcpy(&bits, &rate, sizeof bits);
    place = (unsigned)(bits * UINT64_C(0x9e3779b97f4a7c15) >> 56);
    if (shades->rates[place] != rate) {
        shades->rates[place] = rate;
        shades->shades[place] = (unsigned char)(COLOURS * share_of(rate, shades->most) + 0.5);
    }
    return shades->shades[place];
}

static void draw_map(const struct panel *panel, struct area area, const struct heat *heat,
                     const struct time_axis *axis, double most)
{
    static struct colour const nothing = {0, 0, 0, 0};
    struct colour colours[COLOURS + 1], drawn[REGIONS], cells[REGIONS * PIECE];
    struct shades shades = {.most = most};
    uint32_t before = NO_RATES;

    for (unsigned i = 0; i <= COLOURS; i++)
        colours[i] = i ? palette_share(panel->theme, (double)i / COLOURS) : nothing;
    for (uint32_t row = 0; row < heat->rows.count; row++)
        drawn[row] = heat->rows.place_of[row] == HEAT_GAP ? panel->theme->panel : nothing;
    for (int left = 0; left < area.width; left += PIECE) {
        int const width = area.width - left < PIECE ? area.width - left : PIECE;

        for (int x = 0; x < width; x++) {
            double const time_ps = axis->from_ps + axis->span_ps * (left + x + 0.5) / area.width;
            uint32_t const column = strip_column_at(&heat->columns, (uint64_t)time_ps);
            uint32_t const now = column < heat->columns.count ? heat->kept[column] : NO_RATES;

            for (uint32_t row = 0; now != before && row < heat->rows.count; row++)
                if (heat->rows.place_of[row] != HEAT_GAP)
                    drawn[row] = now == NO_RATES ? nothing
                                 : colours[shade_of(&shades, heat->rates[(size_t)now * heat->rows.count + row])];
            before = now;
            for (uint32_t row = 0; row < heat->rows.count; row++)
                cells[(heat->rows.count - 1 - row) * (uint32_t)width + (uint32_t)x] = drawn[row];
        }
        canvas_cells(panel->canvas, (struct area){area.x + left, area.y, width, area.height}, cells, width,
                     (int)heat->rows.count);
    }
}

static void size_text(uint64_t bytes, char *text, size_t room)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    unsigned unit = 0;

    for (; unit < 4 && size >= 1024; unit++)
        size /= 1024;
    snprintf(text, room, "%.4g %s", size, units[unit]);
}

/* In hexadecimal; where that is too long, of large rows as a distance from 0, else its last digits. */
static void draw_address(const struct panel *panel, struct area area, uint64_t address, uint64_t shift)
{
    char text[TEXT_ROOM];

    snprintf(text, sizeof text, "0x%" PRIx64, address);
    if (canvas_text_width(panel->canvas, TEXT_SMALL, text) > area.width) {
        if (shift >= LARGE_SHIFT)
            size_text(address, text, sizeof text);
        else
            snprintf(text, sizeof text, "\u2026%08" PRIx32, (uint32_t)address);
    }
    canvas_text(panel->canvas, area, TEXT_RIGHT, TEXT_SMALL, panel->theme->faint, text);
}

/* Where rows begin behind gaps, and the first row from each multiple of a power of two, as far as there is room: where
 * no row is left out, these are the multiples. */
static void draw_addresses(const struct panel *panel, struct area labels, const struct heat *heat)
{
    int const lowest = labels.y + labels.height - LINE + 2;
    int const most = labels.height > LABEL_GAP ? labels.height / LABEL_GAP : 1;
    int used[MOST_LABELS], count = 0;
    uint64_t step = UINT64_C(1) << heat->rows.shift;

    hits_add_text(&panel->view->hits, labels, panel->run, "Addresses", "The first address of rows of the map, in "
                                                                       "hexadecimal. Long addresses are shortened to "
                                                                       "their last digits, or shown as an offset. "
                                                                       "Point into the map for the whole.");
    while (((uint64_t)heat->rows.places << heat->rows.shift) / step > (uint64_t)most)
        step *= 2;
    for (int pass = 0; pass < 2; pass++) {
        uint64_t last = UINT64_MAX;      /* multiple of the row before */

        for (uint32_t row = 0; row < heat->rows.count && count < MOST_LABELS; row++) {
            bool const is_first = row == 0 || heat->rows.place_of[row - 1] == HEAT_GAP;
            uint64_t const address = heat->rows.base + ((uint64_t)heat->rows.place_of[row] << heat->rows.shift);
            int const room = pass == 0 ? LINE : LABEL_GAP;
            int y = labels.y + labels.height - (int)(row * (uint32_t)labels.height / heat->rows.count) - LINE / 2;
            bool is_free = heat->rows.place_of[row] != HEAT_GAP && (pass == 0 ? is_first : address / step != last);

            if (heat->rows.place_of[row] != HEAT_GAP)
                last = address / step;
            y = y < labels.y - 2 ? labels.y - 2 : y > lowest ? lowest : y;
            for (int i = 0; i < count; i++)
                is_free &= y >= used[i] + room || y + room <= used[i];
            if (!is_free)
                continue;
            used[count++] = y;
            draw_address(panel, (struct area){labels.x, y, labels.width, LINE}, address, heat->rows.shift);
        }
    }
}

static void rate_text(double rate, char *text, size_t room)
{
    char number[32];

    figures_count(number, sizeof number, rate);
    snprintf(text, room, "%s/s", number);
}

/* Scale of colours, size of rows. */
static void draw_legend(const struct panel *panel, struct area area, const struct heat *heat, double most)
{
    struct area bar, line;
    char text[TEXT_ROOM], size[32];
    struct hit *hit;

    line = area_take_top(&area, TITLE);
    canvas_text(panel->canvas, line, TEXT_LEFT, TEXT_STRONG, panel->theme->text, "Accesses by address");
    hits_add_text(&panel->view->hits, line, panel->run, "Accesses by address", MAP_MEANING);
    if (most <= 0) {
        line = area_take_top(&area, LINE);
        canvas_text(panel->canvas, line, TEXT_LEFT, TEXT_SMALL, panel->theme->faint, "no requests in this time");
        hits_add_text(&panel->view->hits, line, panel->run, "No accesses",
                      "No request reached memory in the time shown.");
        return;
    }
    area_take_top(&area, 3);
    bar = area_take_top(&area, 8);
    if (bar.width > 200)
        bar.width = 200;
    for (int x = 0; x < bar.width; x++)
        canvas_fill(panel->canvas, (struct area){bar.x + x, bar.y, 1, bar.height},
                    palette_share(panel->theme, fmax(0.1, (double)x / bar.width)));
    line = area_take_top(&area, LINE);
    line.width = bar.width;
    hits_add_text(&panel->view->hits, (struct area){bar.x, bar.y, bar.width, line.y + line.height - bar.y}, panel->run,
                  "Scale of "
                  "colours", "Requests per second in one row of the map, on a logarithmic scale: from a thousandth "
                  "of the maximum (left; lower rates look the same) to the maximum (right).");
    rate_text(most / pow(10, DECADES), text, sizeof text);
    canvas_text(panel->canvas, line, TEXT_LEFT, TEXT_SMALL, panel->theme->faint, text);
    rate_text(most, text, sizeof text);
    canvas_text(panel->canvas, line, TEXT_RIGHT, TEXT_SMALL, panel->theme->faint, text);
    size_text(UINT64_C(1) << heat->rows.shift, size, sizeof size);
    snprintf(text, sizeof text, "a row is %s", size);
    line = area_take_top(&area, LINE);
    canvas_text(panel->canvas, line, TEXT_LEFT, TEXT_SMALL, panel->theme->faint, text);
    hit = hits_add_text(&panel->view->hits, line, panel->run, "Rows of the map", "Each row of the map covers "
                        "this many bytes of addresses. A wide range without requests takes one row, or none.");
    if (hit)
        snprintf(hit->numbers, sizeof hit->numbers, "%s", size);
}

/* Region and moment under the pointer. */
static void heat_add_hit(const struct panel *panel, struct area area, unsigned run, const struct heat *heat,
                         const struct time_axis *axis)
{
    struct view const *const view = panel->view;
    struct hit *const hit = hits_add(&panel->view->hits, HIT_HEAT, area);
    double rates[REGIONS] = {0};
    uint64_t address, time_ps;
    uint32_t row, column;
    char moment[48], size[32], rate[48];

    if (!hit)
        return;
    hit->run = run;
    hit->meaning = MAP_MEANING;
    snprintf(hit->title, sizeof hit->title, "Accesses by address");
    if (!area_holds(area, view->pointer_x, view->pointer_y) || heat->rows.count == 0)
        return;
    time_ps = (uint64_t)(axis->from_ps + axis->span_ps * (view->pointer_x - area.x + 0.5) / area.width);
    row = (uint32_t)((uint64_t)(area.y + area.height - 1 - view->pointer_y) * heat->rows.count / (uint64_t)area.height);
    column = strip_column_at(&heat->columns, time_ps);
    if (heat->rows.place_of[row] == HEAT_GAP) {
        snprintf(hit->title, sizeof hit->title, "A wide range without accesses");
        return;
    }
    address = heat->rows.base + ((uint64_t)heat->rows.place_of[row] << heat->rows.shift);
    time_axis_text(axis, (double)time_ps, 2, moment, sizeof moment);
    size_text(UINT64_C(1) << heat->rows.shift, size, sizeof size);
    if (column < heat->columns.count && row_rates(heat, column, rates))
        rate_text(rates[row], rate, sizeof rate);
    else
        snprintf(rate, sizeof rate, "-");
    snprintf(hit->title, sizeof hit->title, "0x%" PRIx64 " to 0x%" PRIx64, address,
             address + (UINT64_C(1) << heat->rows.shift) - 1);
    snprintf(hit->numbers, sizeof hit->numbers, "%s accesses at %s\n%s of addresses", rate, moment, size);
}

void panel_heat(const struct panel *panel)
{
    unsigned const count = panel->view->run_count;
    struct area const inner = area_inset(panel->area, MARGIN);
    struct area const last = panel_time_area(panel->area, count - 1, count);
    struct heat_memory *memory;
    struct heat *heat;
    double most = 0;

    if (last.width <= 0 || last.height <= 0)
        return;
    memory = view_memory(panel->view, PANEL_HEAT, sizeof *memory, NULL);
    if (!memory)
        return;
    heat = memory->heat;
    for (unsigned i = 0; i < count; i++) {
        heat[i].rates = memory->rates[i];
        make_heat(panel->view, i, panel_time_area(panel->area, i, count), &heat[i]);
    }
    choose_rows(heat, count, last.height < REGIONS ? (uint32_t)last.height : REGIONS);
    for (unsigned i = 0; i < count; i++) {
        find_rates(&heat[i]);
        most = fmax(most, heat[i].most);
    }
    for (unsigned i = 0; i < count; i++) {
        struct area const area = panel_time_area(panel->area, i, count);
        struct time_axis const axis = time_axis_make(&panel->view->window, area.width);

        canvas_fill(panel->canvas, area, palette_mix(panel->theme->panel, panel->theme->background, 0.6));
        if (heat[i].most > 0)
            draw_map(panel, area, &heat[i], &axis, most);
        if (i == 0 && heat[i].rows.count > 0)
            draw_addresses(panel, (struct area){inner.x, area.y, area.x - inner.x - 6, area.height}, &heat[i]);
        time_axis_draw_moment(panel, area, &axis);
        heat_add_hit(panel, area, i, &heat[i], &axis);
    }
    if (last.x + last.width + MARGIN < inner.x + inner.width)
        draw_legend(panel, (struct area){last.x + last.width + 14, inner.y,
                                         inner.x + inner.width - last.x - last.width - 14, inner.height},
                    &heat[0], most);
}
