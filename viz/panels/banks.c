/* Each bank of each rank as a cell. Its state is shown by colour, by a pattern that is recognizable without colours,
 * and by a letter where there is room; a bar shows how many of its bursts hit, opened a closed bank, or had to close
 * another row first, and the share of hits is written where it fits.
 *
 * A line is a rank; the number of columns of lines is the one that makes the cells largest. */
#include "viz/panels/panels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/arith.h"
#include "viz/state/state_figures.h"

enum { MARGIN = 10, TITLE = 20, LEGEND_LINE = 15, CHIP = 10, BLOCK_GAP = 14, MOST_BLOCKS = 4, LABEL = 52,
       SHORT_LABEL = 30, MOST_CELL_HEIGHT = 80, MOST_CELL_WIDTH = 64, BAR = 4, TEXT_ROOM = 64, STATES = 6,
       OUTCOMES = 3, LEAST_CELL = 3 };

#define ENDED "whole run, states at its end"

/* In the order of states in samples (replay/record/telemetry_text.h). */
static const struct { const char *shown, *letter, *meaning; } looks[STATES] = {
    {"idle", "", "All rows of the bank are closed."},
    {"active row", "A", "A row is open: accesses to it are row hits."},
    {"precharge", "P", "The open row is being closed (precharge)."},
    {"refresh", "R", "The rank is refreshing, so its banks cannot be used."},
    {"power-down", "D", "The rank is in power-down."},
    {"self refresh", "S", "The rank is in self-refresh."}
};

static const struct { const char *name, *meaning; } outcomes[OUTCOMES] = {
    {"hits", "Row hits: bursts whose row was already open."},
    {"misses", "Row misses: bursts whose bank had no row open, so that their row had to be opened first."},
    {"conflicts", "Row conflicts: bursts whose bank had another row open, which had to be closed before theirs was "
                  "opened."}
};

/* One line: a rank, and its fields of banks in a sample. */
struct rank {
    uint32_t component, channel, number;
    const struct telemetry_field *states, *rows, *reads, *writes, *activates, *conflicts;
};

/* The activity of a bank between two samples. */
struct bank {
    unsigned state;
    double reads, writes, counts[OUTCOMES], all;
};

struct grid {
    const struct panel *panel;
    const uint64_t *before, *words;
    uint32_t rank_count, bank_count, channel_count;
    int blocks, lines, label, cell_width, cell_height;
    struct area area;
};

static struct colour state_colour(const struct theme *theme, unsigned state)
{
    static const unsigned series[STATES] = {0, 0, 4, 1, 6, 2};

    return state == 0 ? theme->border
                      : palette_mix(theme->panel, theme->series[series[state]], 0.85);
}

static struct colour outcome_colour(const struct theme *theme, unsigned outcome)
{
    return outcome == 0 ? theme->good : outcome == 1 ? theme->series[5] : theme->bad;
}

/* ---- ranks and banks of a layout */

static bool banks_rank_of(const struct telemetry *layout, uint32_t component, struct rank *rank)
{
    if (layout->components[component].part != TELEMETRY_RANK)
        return false;
    *rank = (struct rank){
        .component = component, .channel = layout->components[component].parent,
        .states = telemetry_find(layout, component, "banks"), .rows = telemetry_find(layout, component, "rows"),
        .reads = telemetry_find(layout, component, "reads"), .writes = telemetry_find(layout, component, "writes"),
        .activates = telemetry_find(layout, component, "activates"),
        .conflicts = telemetry_find(layout, component, "conflicts")
    };
    return rank->states && rank->reads && rank->writes && rank->activates && rank->conflicts;
}

static struct bank bank_of(const struct grid *grid, const struct rank *rank, uint32_t bank)
{
    uint64_t const state = telemetry_value(rank->states, bank, grid->words);
    double const activates = (double)telemetry_delta(rank->activates, bank, grid->before, grid->words);
    struct bank found = {
        .state = state < STATES ? (unsigned)state : 0,
        .reads = (double)telemetry_delta(rank->reads, bank, grid->before, grid->words),
        .writes = (double)telemetry_delta(rank->writes, bank, grid->before, grid->words)
    };

    found.all = found.reads + found.writes;
    found.counts[2] = (double)telemetry_delta(rank->conflicts, bank, grid->before, grid->words);
    found.counts[1] = activates - found.counts[2];
    found.counts[0] = found.all - activates;
    for (unsigned i = 0; i < OUTCOMES; i++)
        if (found.counts[i] < 0)
            found.counts[i] = 0;         /* a row was opened for a burst that comes after the sample */
    return found;
}

static void count_all(const struct telemetry *layout, struct grid *grid)
{
    uint32_t channel = TELEMETRY_NONE;
    struct rank rank;

    for (uint32_t i = 0; i < layout->component_count; i++) {
        if (!banks_rank_of(layout, i, &rank))
            continue;
        grid->rank_count++;
        grid->bank_count = rank.states->count > grid->bank_count ? rank.states->count : grid->bank_count;
        grid->channel_count += rank.channel != channel;
        channel = rank.channel;
    }
}

/* ---- layout */

static void banks_place(struct grid *grid, struct area area)
{
    int best = -1;

    grid->area = area;
    for (int blocks = 1; blocks <= MOST_BLOCKS && blocks <= (int)grid->rank_count; blocks++) {
        int const lines = ((int)grid->rank_count + blocks - 1) / blocks;
        int const height = area.height / lines;
        int const label = height < 11 ? 0 : grid->rank_count > grid->channel_count ? LABEL : SHORT_LABEL;
        int const width = (area.width - (blocks - 1) * BLOCK_GAP - blocks * label) / (blocks * (int)grid->bank_count);
        int const size = min_int(width, height);

        if (size <= best)
            continue;
        best = size;
        grid->blocks = blocks;
        grid->lines = lines;
        grid->label = label;
        grid->cell_width = min_int(width, MOST_CELL_WIDTH);
        grid->cell_height = min_int(height, MOST_CELL_HEIGHT);
    }
}

/* ---- cells */

/* Seen without colours: hollow, full, half, stripes. */
static void draw_state(const struct panel *panel, struct area area, unsigned state)
{
    struct colour const colour = state_colour(panel->theme, state);
    struct colour const behind = palette_mix(panel->theme->panel, colour, 0.3);
    int const third = area.height / 3 > 0 ? area.height / 3 : 1;

    switch (state) {
    case 0:
        canvas_frame(panel->canvas, area, colour);
        break;
    case 1:
        canvas_fill(panel->canvas, area, colour);
        break;
    case 2:
        canvas_fill(panel->canvas, area, behind);
        canvas_fill(panel->canvas, (struct area){area.x, area.y + area.height / 2, area.width,
                                                 area.height - area.height / 2}, colour);
        break;
    case 3:
        canvas_fill(panel->canvas, area, behind);
        canvas_fill(panel->canvas, (struct area){area.x, area.y, area.width, third}, colour);
        canvas_fill(panel->canvas, (struct area){area.x, area.y + area.height - third, area.width, third}, colour);
        break;
    case 4:
        canvas_frame(panel->canvas, area, colour);
        canvas_fill(panel->canvas, (struct area){area.x + area.width / 4, area.y + area.height / 2, area.width / 2 + 1,
                                                 area.height > 12 ? 2 : 1}, colour);
        break;
    default:
        canvas_frame(panel->canvas, area, colour);
        canvas_fill(panel->canvas, (struct area){area.x + area.width / 4, area.y + area.height / 4, area.width / 2 + 1,
                                                 area.height / 2 + 1}, colour);
        break;
    }
}

static void draw_bar(const struct panel *panel, struct area area, const double *counts)
{
    double const all = counts[0] + counts[1] + counts[2];
    double sum = 0;
    int left = area.x;

    for (unsigned i = 0; all > 0 && i < OUTCOMES; i++) {
        int right;

        sum += counts[i];
        right = area.x + (int)lround(sum / all * area.width);
        canvas_fill(panel->canvas, (struct area){left, area.y, right - left, area.height},
                    outcome_colour(panel->theme, i));
        left = right;
    }
}

/* Letter and share of hits above the bar; the bar only where there is room for more than the state. */
static void draw_cell(const struct panel *panel, struct area area, const struct bank *bank)
{
    bool const has_bar = area.height >= 16 && area.width >= 10;
    struct area bar = area;
    char text[16];
    int const line = canvas_text_height(panel->canvas, TEXT_SMALL);
    struct colour const colour = state_colour(panel->theme, bank->state);
    struct colour const ink = bank->state == 1 ? palette_text_on(colour)
                                               : panel->theme->text;

    if (has_bar) {
        bar = area_take_bottom(&area, BAR);
        area_take_bottom(&area, 1);
        canvas_fill(panel->canvas, bar, palette_mix(panel->theme->panel, panel->theme->border, 0.4));
        draw_bar(panel, bar, bank->counts);
    }
    if (bank->state == 1 || area.height < line + 2) {
        draw_state(panel, area, bank->state);
    } else {                             /* text needs a calm ground */
        canvas_fill(panel->canvas, area, palette_mix(panel->theme->panel, colour, 0.3));
        canvas_frame(panel->canvas, area, colour);
    }
    if (area.height < line || area.width < 12)
        return;
    if (bank->all > 0 && area.width >= 30 && area.height >= 2 * line + 4) {
        snprintf(text, sizeof text, "%.0f %%", 100 * bank->counts[0] / bank->all);
        area_take_bottom(&area, 2);
        canvas_text(panel->canvas, area_take_bottom(&area, line), TEXT_CENTRE, TEXT_SMALL, ink, text);
    }
    canvas_text(panel->canvas, area, TEXT_CENTRE, TEXT_SMALL, ink, looks[bank->state].letter);
}

/* Lines of a bank, or of a rank's together. */
static void write_bursts(const struct grid *grid, const struct bank *bank, char *text, size_t room)
{
    double const seconds = 1e-12 * (double)telemetry_span_ps(grid->before, grid->words);
    char reads[16], writes[16], shares[OUTCOMES][16];

    figures_count(reads, sizeof reads, seconds > 0 ? bank->reads / seconds : (double)NAN);
    figures_count(writes, sizeof writes, seconds > 0 ? bank->writes / seconds : (double)NAN);
    for (unsigned i = 0; i < OUTCOMES; i++)
        figures_percent(shares[i], sizeof shares[i], bank->all > 0 ? bank->counts[i] / bank->all : (double)NAN);
    snprintf(text, room, "%s reads/s, %s writes/s\nhits %s, misses %s, conflicts %s", reads, writes, shares[0],
             shares[1], shares[2]);
}

static bool is_looked_at(const struct panel *panel, const struct hit *hit)
{
    return area_holds(hit->area, panel->view->pointer_x, panel->view->pointer_y)
           || (panel->view->has_pinned && hit_is_same(&panel->view->pinned, hit));
}

static void add_rank_hit(const struct grid *grid, struct area area, const struct rank *rank)
{
    const struct panel *const panel = grid->panel;
    struct hit *const hit = hits_add(&panel->view->hits, HIT_COMPONENT, area);
    struct bank all = {0};

    if (!hit)
        return;
    hit->run = panel->run;
    hit->component = rank->component;
    hit->meaning = "A rank of a channel. Its banks work in parallel; refresh and power-down affect the whole rank.";
    snprintf(hit->title, sizeof hit->title, "%s",
             panel->view->runs[panel->run].layout->components[rank->component].name);
    if (!is_looked_at(panel, hit))
        return;
    for (uint32_t i = 0; i < rank->states->count; i++) {
        struct bank const bank = bank_of(grid, rank, i);

        all.reads += bank.reads;
        all.writes += bank.writes;
        all.all += bank.all;
        for (unsigned j = 0; j < OUTCOMES; j++)
            all.counts[j] += bank.counts[j];
    }
    write_bursts(grid, &all, hit->numbers, sizeof hit->numbers);
}

/* Numbers are written only for the one that is asked for: there may be hundreds. */
static void banks_add_hit(const struct grid *grid, struct area area, const struct rank *rank, uint32_t number,
                          const struct bank *bank)
{
    const struct panel *const panel = grid->panel;
    struct hit *const hit = hits_add(&panel->view->hits, HIT_BANK, area);
    char row[32] = "", bursts[128];

    if (!hit)
        return;
    hit->run = panel->run;
    hit->component = rank->component;
    hit->element = number;
    hit->meaning = looks[bank->state].meaning;
    if (!is_looked_at(panel, hit))
        return;
    snprintf(hit->title, sizeof hit->title, "%s bank %" PRIu32,
             panel->view->runs[panel->run].layout->components[rank->component].name, number);
    if (rank->rows)
        figures_field(row, sizeof row, rank->rows, number, grid->before, grid->words);
    write_bursts(grid, bank, bursts, sizeof bursts);
    snprintf(hit->numbers, sizeof hit->numbers, "%s\n%s%s%s", looks[bank->state].shown, row, row[0] ? "\n" : "",
             bursts);
}

static void draw_rank(const struct grid *grid, struct area line, const struct rank *rank, uint32_t channel)
{
    const struct panel *const panel = grid->panel;
    int const gap = grid->cell_width > 8 && grid->cell_height > 8 ? 2 : 1;
    bool const is_found = panel->view->found != TELEMETRY_NONE
                          && (panel->view->found == rank->component || panel->view->found == rank->channel);
    struct area label;
    char text[TEXT_ROOM];

    if (grid->label) {
        snprintf(text, sizeof text, grid->rank_count > grid->channel_count ? "ch%u r%u" : "ch%u", channel,
                 rank->number);
        label = area_take_left(&line, grid->label);
        canvas_text(panel->canvas, label, TEXT_LEFT, TEXT_SMALL,
                    is_found ? panel->theme->highlight : panel->theme->faint, text);
        add_rank_hit(grid, label, rank);
    }
    for (uint32_t i = 0; i < rank->states->count; i++) {
        struct area const cell = {line.x + (int)i * grid->cell_width, line.y, grid->cell_width - gap,
                                  line.height - gap};
        struct bank const bank = bank_of(grid, rank, i);

        draw_cell(panel, cell, &bank);
        banks_add_hit(grid, cell, rank, i, &bank);
    }
    if (is_found)
        canvas_frame(panel->canvas, (struct area){line.x - 2, line.y - 2,
                                                  (int)rank->states->count * grid->cell_width + 2, line.height + 2},
                     panel->theme->highlight);
}

static void draw_ranks(const struct grid *grid, double *totals)
{
    const struct telemetry *const layout = grid->panel->view->runs[grid->panel->run].layout;
    uint32_t channel = TELEMETRY_NONE, channel_number = 0, number = 0, line = 0;
    int const pitch = grid->label + grid->cell_width * (int)grid->bank_count + BLOCK_GAP;
    struct rank rank;

    for (uint32_t i = 0; i < layout->component_count; i++) {
        if (!banks_rank_of(layout, i, &rank))
            continue;
        channel_number += channel != TELEMETRY_NONE && rank.channel != channel;
        number = rank.channel == channel ? number + 1 : 0;
        channel = rank.channel;
        rank.number = number;
        draw_rank(grid, (struct area){grid->area.x + (int)(line / (uint32_t)grid->lines) * pitch,
                                      grid->area.y + (int)(line % (uint32_t)grid->lines) * grid->cell_height,
                                      pitch, grid->cell_height}, &rank, channel_number);
        for (uint32_t j = 0; j < rank.states->count; j++) {
            struct bank const bank = bank_of(grid, &rank, j);

            for (unsigned k = 0; k < OUTCOMES; k++)
                totals[k] += bank.counts[k];
        }
        line++;
    }
}

/* ---- legend: entries one after the other, on as many lines as they need */

struct flow {
    struct area area;
    int x, y;
};

static struct area take_entry(struct flow *flow, int width)
{
    struct area entry;

    if (flow->x > flow->area.x && flow->x + width > flow->area.x + flow->area.width) {
        flow->x = flow->area.x;
        flow->y += LEGEND_LINE;
    }
    entry = (struct area){flow->x, flow->y, min_int(width, flow->area.x + flow->area.width - flow->x), LEGEND_LINE};
    flow->x += width + 12;
    return entry;
}

/* Measures only if draw is false. The answer is the height that it takes. */
static int draw_legend(const struct panel *panel, struct area area, const double *totals, bool draw)
{
    double const all = totals[0] + totals[1] + totals[2];
    struct flow flow = {.area = area, .x = area.x, .y = area.y};

    for (unsigned i = 0; i < STATES + OUTCOMES; i++) {
        bool const is_state = i < STATES;
        unsigned const outcome = i - STATES;
        char text[TEXT_ROOM], share[16];
        struct area entry;
        struct hit *hit;

        figures_percent(share, sizeof share, all > 0 && !is_state ? totals[outcome] / all : (double)NAN);
        if (is_state)
            snprintf(text, sizeof text, "%s%s%s", looks[i].letter, looks[i].letter[0] ? " " : "", looks[i].shown);
        else
            snprintf(text, sizeof text, "%s %s", outcomes[outcome].name, share);
        /* Shares change, and nothing may move when they do. */
        entry = take_entry(&flow, CHIP + 5 + (is_state ? canvas_text_width(panel->canvas, TEXT_SMALL, text) + 1
                                              : canvas_text_width(panel->canvas, TEXT_SMALL, outcomes[outcome].name)
                                                + 42));
        if (!draw)
            continue;
        hit = hits_add_text(&panel->view->hits, entry, panel->run, is_state ? looks[i].shown : outcomes[outcome].name,
                            is_state ? looks[i].meaning : outcomes[outcome].meaning);
        if (hit && !is_state)
            snprintf(hit->numbers, sizeof hit->numbers, "%s of all bursts", share);
        if (is_state)
            draw_state(panel, (struct area){entry.x, entry.y + 3, CHIP, CHIP}, i);
        else
            canvas_fill(panel->canvas, (struct area){entry.x, entry.y + 5, CHIP, BAR + 2},
                        outcome_colour(panel->theme, outcome));
        area_take_left(&entry, CHIP + 5);
        canvas_text(panel->canvas, entry, TEXT_LEFT, TEXT_SMALL, panel->theme->faint, text);
    }
    return flow.y + LEGEND_LINE - area.y;
}

void panel_banks(const struct panel *panel)
{
    struct area rest = area_inset(panel->area, MARGIN);
    struct grid grid = {.panel = panel};
    struct area title, legend;
    double totals[OUTCOMES] = {0};
    char text[TEXT_ROOM];
    struct hit *hit;
    int legend_height;

    count_all(panel->view->runs[panel->run].layout, &grid);
    title = area_take_top(&rest, TITLE);
    canvas_text(panel->canvas, title, TEXT_LEFT, TEXT_STRONG, panel->theme->text, "DRAM banks");
    hit = hits_add_text(&panel->view->hits, title, panel->run, "DRAM banks",
                        "Each cell is a bank and each line a rank. The colour and the letter show the bank's state. "
                        "The bar below shows the shares of row hits, row misses and row conflicts among its bursts.");
    if (grid.rank_count == 0 || !view_samples(panel->view, panel->run, &grid.before, &grid.words)) {
        canvas_text(panel->canvas, rest, TEXT_CENTRE, TEXT_NORMAL, panel->theme->faint,
                    grid.rank_count ? "no sample yet" : "this system has no DRAM banks");
        hits_add_text(&panel->view->hits, rest, panel->run, grid.rank_count ? "No sample yet" : "No DRAM banks",
                      grid.rank_count ? "The banks appear with the first sample."
                                      : "The memories of this system are modelled as simple memories, without banks.");
        return;
    }
    if (view_shows_whole(panel->view, panel->run, NULL)) {
        struct area mark = area_take_right(&title, canvas_text_width(panel->canvas, TEXT_SMALL, ENDED) + 2);

        canvas_text(panel->canvas, mark, TEXT_RIGHT, TEXT_SMALL, panel->theme->highlight, ENDED);
        hits_add_text(&panel->view->hits, mark, panel->run, ENDED, "The run is over. Bars and shares are for the whole "
                      "run; colours and letters show the bank states at its end.");
        area_take_right(&title, 12);
    }
    snprintf(text, sizeof text, "%" PRIu32 " channel%s, %" PRIu32 " rank%s, %" PRIu32 " banks each",
             grid.channel_count, grid.channel_count > 1 ? "s" : "", grid.rank_count, grid.rank_count > 1 ? "s" : "",
             grid.bank_count);
    if (hit)
        snprintf(hit->numbers, sizeof hit->numbers, "%s", text);
    area_take_left(&title, 92);
    canvas_text(panel->canvas, title, TEXT_RIGHT, TEXT_SMALL, panel->theme->faint, text);
    legend_height = draw_legend(panel, rest, totals, false);
    if (legend_height > rest.height * 3 / 5)
        legend_height = 0;
    legend = area_take_bottom(&rest, legend_height);
    area_take_bottom(&rest, legend_height ? 4 : 0);
    banks_place(&grid, rest);
    if (grid.cell_width >= LEAST_CELL && grid.cell_height >= LEAST_CELL)
        draw_ranks(&grid, totals);
    if (legend_height)
        draw_legend(panel, legend, totals, true);
}
