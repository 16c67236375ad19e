/* Links are drawn first, boxes over them. A box is filled from the left as far as its fullest queue is; fill and the
 * edge at its left have the colour of its share of the peak. Components without a peak of their own, mainly caches,
 * take the share of their busiest link.
 *
 * A link's width goes with the square root of its bandwidth, the same for all systems and moments, so that pictures
 * compare: the legend has three examples. Numbers of hits are written only for the box under the pointer. */
#include "viz/panels/panels.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memsys/telemetry/names.h"
#include "viz/draw/text_box.h"
#include "viz/panels/topology.h"
#include "viz/state/state_figures.h"

enum { MARGIN = 12, LEGEND_HEIGHT = 18, LINE_HEIGHT = 14, SPINE = 4, NUMBER_ROOM = 48, LEAST_HIT = 7,
       LEAST_TEXT = 24, LEAST_NAME = 26, LINE_GAP = 3 };

struct diagram {
    const struct panel *panel;
    const struct telemetry *layout;
    struct topology topology;            /* as placed */
    const uint64_t *before, *words;      /* NULL: no sample yet */
    struct component_figures *figures;
    uint32_t found;                      /* component that was looked for; TELEMETRY_NONE */
};

static const char *const meanings[TELEMETRY_PART_COUNT] = {
    [TELEMETRY_CORE] = "A core. The fill level shows the fullest of its reorder buffer, load buffer and store buffer. "
                       "The colour shows the share of cycles in which it works rather than waits.",
    [TELEMETRY_CACHE] = "A cache. The fill level shows the fuller of its MSHRs and write buffers. The colour shows how "
                        "close its busiest link is to peak bandwidth. The hit rate is of demand accesses.",
    [TELEMETRY_BUS] = "A bus. The colour shows the share of time for which its busiest layer is occupied.",
    [TELEMETRY_MEMORY] = "A memory and its controller. The fill level shows the fuller of its read and write queues. "
                         "The colour shows the share of the peak bandwidth in use.",
    [TELEMETRY_CHANNEL] = "A DRAM channel. The fill level shows the fuller of its read and write queues. The colour "
                          "shows the share of the peak bandwidth in use.",
    [TELEMETRY_GPU] = "The GPU. The fill level shows the share of warp slots in use. The colour shows the share of "
                      "cycles in which the schedulers issue. The hit rate is of the sectors read from the L1s.",
    [TELEMETRY_SM] = "A streaming multiprocessor (SM) and its L1. The fill level shows the share of warp slots in use. "
                     "The colour shows the share of cycles in which its schedulers issue. The hit rate is of the "
                     "sectors read from its L1.",
    [TELEMETRY_SLICE] = "A slice of the GPU's L2. The colour shows how close its busiest link is to peak bandwidth. "
                        "The hit rate is of the sectors read from it."
};

/* ---- numbers */

/* Adds "name<tab>value" and a new line, as far as there is room. */
static void diagram_add_line(char *text, size_t room, const char *name, const char *value)
{
    size_t const length = strlen(text);

    snprintf(text + length, room - length, "%s%s\t%s", length ? "\n" : "", name, value);
}

static void add_percent(char *text, size_t room, const char *name, double share)
{
    char number[NUMBER_ROOM];

    if (isnan(share))
        return;
    figures_percent(number, sizeof number, share);
    diagram_add_line(text, room, name, number);
}

static void add_rate(char *text, size_t room, const char *name, double rate)
{
    char number[NUMBER_ROOM];

    if (isnan(rate))
        return;
    figures_bytes_rate(number, sizeof number, rate);
    diagram_add_line(text, room, name, number);
}

static const char *busy_name(enum telemetry_part part)
{
    switch (part) {
    case TELEMETRY_CORE:
        return "works";
    case TELEMETRY_SM:
    case TELEMETRY_GPU:
        return "issues";
    case TELEMETRY_BUS:
        return "busiest layer";
    case TELEMETRY_CACHE:
    case TELEMETRY_SLICE:
        return "busiest link";
    default:
        return "share of peak";
    }
}

static const char *hit_name(enum telemetry_part part)
{
    if (part == TELEMETRY_MEMORY || part == TELEMETRY_CHANNEL)
        return "row hits";
    return part == TELEMETRY_SM || part == TELEMETRY_GPU ? "L1 hits" : "hits";
}

static void write_numbers(const struct component_figures *figures, enum telemetry_part part, char *text, size_t room)
{
    char number[NUMBER_ROOM];

    add_percent(text, room, figures->fullest ? figures->fullest : "fullest queue", figures->occupancy);
    add_percent(text, room, hit_name(part), figures->hit_rate);
    add_rate(text, room, "reads", figures->read_rate);
    add_rate(text, room, "writes", figures->write_rate);
    if (isnan(figures->read_rate))
        add_rate(text, room, "bandwidth", figures->rate);
    add_rate(text, room, "peak", figures->peak_rate);
    add_percent(text, room, busy_name(part), figures->busy);
    if (!isnan(figures->latency_ps)) {
        figures_time(number, sizeof number, figures->latency_ps);
        diagram_add_line(text, room, "mean latency", number);
    }
}

/* ---- hits */

static struct hit *diagram_add_hit(const struct diagram *diagram, enum hit_kind kind, struct area area,
                                   uint32_t component, uint32_t element)
{
    struct hit *const hit = hits_add(&diagram->panel->view->hits, kind, area);

    if (hit) {
        hit->run = diagram->panel->run;
        hit->component = component;
        hit->element = element;
    }
    return hit;
}

/* The pointer is on it, or it is pinned. */
static bool is_looked_at(const struct diagram *diagram, const struct hit *hit)
{
    const struct view *const view = diagram->panel->view;

    if (view->has_pointer && area_holds(hit->area, view->pointer_x, view->pointer_y))
        return true;
    return view->has_pinned && hit_is_same(&view->pinned, hit);
}

static void hit_component(const struct diagram *diagram, uint32_t component, struct area area)
{
    enum telemetry_part const part = diagram->layout->components[component].part;
    struct hit *const hit = diagram_add_hit(diagram, HIT_COMPONENT, area, component, 0);

    if (!hit)
        return;
    snprintf(hit->title, sizeof hit->title, "%s", diagram->layout->components[component].name);
    hit->meaning = meanings[part];
    if (diagram->words && is_looked_at(diagram, hit))
        write_numbers(&diagram->figures[component], part, hit->numbers, sizeof hit->numbers);
}

/* ---- figures of all */

/* Shares that a cache or slice does not report itself are computed from its links. */
static void share_of_links(struct diagram *diagram)
{
    for (uint32_t i = 0; i < diagram->topology.link_count; i++) {
        const struct telemetry_link *const link = &diagram->topology.links[i];
        uint32_t const ends[2] = {link->from, link->to};
        double share;

        figures_link_rate(diagram->layout, link, diagram->before, diagram->words, &share);
        for (unsigned end = 0; end < 2; end++) {
            enum telemetry_part const part = diagram->layout->components[ends[end]].part;
            double *const busy = &diagram->figures[ends[end]].busy;

            if ((part == TELEMETRY_CACHE || part == TELEMETRY_SLICE) && !isnan(share))
                *busy = isnan(*busy) ? share : fmax(*busy, share);
        }
    }
}

static void find_figures(struct diagram *diagram)
{
    for (uint32_t i = 0; i < diagram->layout->component_count; i++)
        diagram->figures[i] = (struct component_figures){.occupancy = (double)NAN, .busy = (double)NAN,
                                                         .hit_rate = (double)NAN, .rate = (double)NAN};
    if (!diagram->words)
        return;
    figures_of_all(diagram->layout, diagram->before, diagram->words, diagram->figures);
    share_of_links(diagram);
}

/* ---- links */

struct traffic {
    double rate, share;                  /* of all together; NaN: unknown */
    double worst_share;
    uint32_t worst;                      /* place in the topology's links */
};

/* The peak of an idle link: it is a part of its group's peak, too. */
static double idle_peak(const struct diagram *diagram, const struct telemetry_link *link)
{
    double const peak = diagram->figures[link->to].peak_rate;

    if (link->field != TELEMETRY_NONE)
        return (double)diagram->layout->fields[link->field].limit;
    return isnan(peak) ? 0 : peak;
}

static struct traffic traffic_of(const struct diagram *diagram, const struct topology_edge *edge)
{
    struct traffic traffic = {.rate = (double)NAN, .share = (double)NAN, .worst_share = (double)NAN,
                              .worst = diagram->topology.ordered[edge->first]};
    double peak = 0, sum = 0;
    bool is_known = false;

    for (uint32_t i = 0; diagram->words && i < edge->count; i++) {
        uint32_t const place = diagram->topology.ordered[edge->first + i];
        const struct telemetry_link *const link = &diagram->topology.links[place];
        const struct component_figures *const of = &diagram->figures[link->to];
        double share, rate = figures_link_rate(diagram->layout, link, diagram->before, diagram->words, &share);

        if (link->field == TELEMETRY_NONE && diagram->layout->components[link->to].part == TELEMETRY_CHANNEL) {
            rate = of->rate;
            share = of->busy;
        }
        if (isnan(rate))
            continue;
        is_known = true;
        sum += rate;
        peak += share > 0 ? rate / share : idle_peak(diagram, link);
        if (!isnan(share) && !(share <= traffic.worst_share)) {
            traffic.worst_share = share;
            traffic.worst = place;
        }
    }
    if (is_known) {
        traffic.rate = sum;
        traffic.share = peak > 0 ? sum / peak : isnan(traffic.worst_share) ? (double)NAN : 0;
    }
    return traffic;
}

static float diagram_width_of(double rate)
{
    return rate > 0 ? (float)fmin(1.5 + 0.8 * sqrt(rate * 1e-9), 14) : 1.5F;
}

static void name_link(const struct diagram *diagram, uint32_t place, char *text, size_t room)
{
    const struct telemetry_link *const link = &diagram->topology.links[place];

    snprintf(text, room, "%s to %s", diagram->layout->components[link->from].name,
             diagram->layout->components[link->to].name);
}

static void write_traffic(const struct diagram *diagram, const struct topology_edge *edge,
                          const struct traffic *traffic, char *text, size_t room)
{
    char name[HIT_TITLE];

    add_rate(text, room, edge->count > 1 ? "all together" : "bandwidth", traffic->rate);
    add_percent(text, room, "share of peak", traffic->share);
    if (edge->count > 1 && !isnan(traffic->worst_share)) {
        name_link(diagram, traffic->worst, name, sizeof name);
        add_percent(text, room, name, traffic->worst_share);
    }
}

static struct area around(struct point one, struct point other, float width)
{
    float const reach = 0.5F * fmaxf(width, LEAST_HIT);
    float const left = fminf(one.x, other.x), right = fmaxf(one.x, other.x);
    float const top = fminf(one.y, other.y) - reach, bottom = fmaxf(one.y, other.y) + reach;
    bool const is_upright = right - left < 1;

    return (struct area){(int)floorf(is_upright ? left - reach : left), (int)floorf(top),
                         (int)ceilf(is_upright ? 2 * reach : right - left), (int)ceilf(bottom - top)};
}

static void hit_link(const struct diagram *diagram, const struct topology_edge *edge, const struct traffic *traffic,
                     float width)
{
    for (unsigned i = 1; i < edge->bend_count; i++) {
        struct hit *const hit = diagram_add_hit(diagram, HIT_LINK, around(edge->bends[i - 1], edge->bends[i], width),
                                                diagram->topology.links[diagram->topology.ordered[edge->first]].from,
                                                diagram->topology.ordered[edge->first]);

        if (!hit)
            return;
        if (edge->count == 1)
            name_link(diagram, diagram->topology.ordered[edge->first], hit->title, sizeof hit->title);
        else
            snprintf(hit->title, sizeof hit->title, "%u links: %.36s to %.36s", edge->count,
                     diagram->topology.nodes[edge->from].label, diagram->topology.nodes[edge->to].label);
        hit->meaning = isnan(traffic->rate) ? "Requests take this path. Its bytes are not counted."
                                            : "Bytes per second over this link, in both directions. The width shows "
                                              "the bandwidth, the colour its share of the peak.";
        if (is_looked_at(diagram, hit))
            write_traffic(diagram, edge, traffic, hit->numbers, sizeof hit->numbers);
    }
}

/* The colour of a share; grey for NaN (no share). */
static struct colour diagram_colour_of(const struct theme *theme, double share)
{
    return isnan(share) ? theme->border : palette_share(theme, share);
}

static void draw_links(const struct diagram *diagram)
{
    const struct panel *const panel = diagram->panel;

    for (uint32_t i = 0; i < diagram->topology.edge_count; i++) {
        const struct topology_edge *const edge = &diagram->topology.edges[i];
        struct traffic const traffic = traffic_of(diagram, edge);
        float const width = diagram_width_of(traffic.rate);

        canvas_course(panel->canvas, edge->bends, edge->bend_count, width, diagram_colour_of(panel->theme,
                                                                                             traffic.share));
        hit_link(diagram, edge, &traffic, width);
    }
}

/* ---- boxes */

static bool is_marked(const struct diagram *diagram, uint32_t component)
{
    const struct view *const view = diagram->panel->view;
    const struct hit *const hits[2] = {view->has_hover ? &view->hover : NULL, view->has_pinned ? &view->pinned : NULL};

    for (unsigned i = 0; i < 2; i++)
        if (hits[i] && hits[i]->kind == HIT_COMPONENT && hits[i]->run == diagram->panel->run
            && hits[i]->component == component)
            return true;
    return diagram->found != TELEMETRY_NONE && topology_node_of(&diagram->topology, diagram->found)
           == topology_node_of(&diagram->topology, component)
           && (diagram->found == component
               || diagram->topology.nodes[topology_node_of(&diagram->topology, component)].shape == TOPOLOGY_BOX);
}

static enum text_style name_style(const struct diagram *diagram, const char *name, int width)
{
    return canvas_text_width(diagram->panel->canvas, TEXT_STRONG, name) <= width ? TEXT_STRONG : TEXT_SMALL;
}

/* A line of a box: a name that may be cut, and a number that is whole. */
struct box_line {
    const char *name;
    char number[NUMBER_ROOM];
    bool speaks_for_itself;              /* the number, without its name: bandwidth, and the hit rate of a cache */
};

/* Beside a number in a narrow box. */
static const struct { const char *name, *brief; } briefs[] = {
    {"load buffer", "loads"}, {"store buffer", "stores"}, {"write buffers", "buffers"}, {"read queue", "queue"},
    {"write queue", "queue"}, {"row hits", "hits"}, {"L1 hits", "hits"}, {"warp slots", "warps"}
};

/* A component private to a core is drawn beside it, so its name without the core's is enough. */
static const char *name_within(const struct diagram *diagram, enum text_style style, const char *name, int room)
{
    if (canvas_text_width(diagram->panel->canvas, style, name) <= room)
        return name;
    for (size_t i = 0; i < sizeof briefs / sizeof briefs[0]; i++)
        if (strcmp(briefs[i].name, name) == 0)
            return briefs[i].brief;
    return telemetry_name_own(name);
}

/* Two digits are enough in a box. */
static void write_percent(char *text, size_t room, double share)
{
    double const percent = 100 * share;

    snprintf(text, room, percent == 0 || percent >= 9.95 ? "%.0f %%" : "%.1f %%", percent);
}

/* Left out where not even a part of the name has room: false. */
static bool draw_line(const struct diagram *diagram, const struct filled_box *box, struct area line,
                      const struct box_line *of, enum text_style style, struct colour colour)
{
    int const width = canvas_text_width(diagram->panel->canvas, TEXT_SMALL, of->number);
    int const widest = canvas_text_width(diagram->panel->canvas, TEXT_SMALL, "100 %");
    int const left = line.width - width - LINE_GAP;
    const char *const name = name_within(diagram, style, of->name, left < line.width - widest - LINE_GAP
                                         ? left : line.width - widest - LINE_GAP);
    bool const has_name = left >= canvas_text_width(diagram->panel->canvas, style, name)
                          || (left >= LEAST_NAME && !of->speaks_for_itself);

    if (line.width < width || (!has_name && !of->speaks_for_itself))
        return false;
    text_over_draw(diagram->panel->canvas, diagram->panel->theme, box, area_take_right(&line, width), TEXT_RIGHT,
                   TEXT_SMALL, diagram->panel->theme->text, of->number);
    area_take_right(&line, LINE_GAP);
    if (has_name)
        text_over_draw(diagram->panel->canvas, diagram->panel->theme, box, line, TEXT_LEFT, style, colour, name);
    return true;
}

/* The lines of a box below its name, the most important first; returns their number. */
static unsigned box_lines(const struct component_figures *figures, enum telemetry_part part, struct box_line lines[3])
{
    bool const is_memory = part == TELEMETRY_MEMORY || part == TELEMETRY_CHANNEL;
    bool const has_own_share = part == TELEMETRY_CORE || part == TELEMETRY_SM || part == TELEMETRY_GPU;
    unsigned count = 0;

    if (is_memory && !isnan(figures->rate)) {
        lines[count] = (struct box_line){.name = "moves", .speaks_for_itself = true};
        figures_bytes_rate(lines[count++].number, NUMBER_ROOM, figures->rate);
    }
    if (!isnan(figures->hit_rate)) {
        lines[count].name = hit_name(part);
        lines[count].speaks_for_itself = part == TELEMETRY_CACHE || part == TELEMETRY_SLICE;
        write_percent(lines[count++].number, NUMBER_ROOM, figures->hit_rate);
    }
    if (has_own_share && !isnan(figures->busy) && count < 3) {
        lines[count].name = busy_name(part);
        write_percent(lines[count++].number, NUMBER_ROOM, figures->busy);
    }
    if (!isnan(figures->occupancy) && figures->fullest && count < 3) {
        lines[count].name = figures->fullest;
        write_percent(lines[count++].number, NUMBER_ROOM, figures->occupancy);
    }
    return count;
}

/* Draws as many lines as fit; in a flat box the first number is beside the name. */
static void draw_box_texts(const struct diagram *diagram, const struct topology_node *node,
                           const struct filled_box *box, const struct component_figures *figures)
{
    const struct theme *const theme = diagram->panel->theme;
    struct area rest = {node->area.x + SPINE + 4, node->area.y, node->area.width - SPINE - 9, node->area.height};
    struct box_line lines[3] = {0};
    unsigned count = box_lines(figures, node->part, lines);
    int const room = rest.height / LINE_HEIGHT - 1;
    int blank;

    if (rest.width < LEAST_TEXT || rest.height < LINE_HEIGHT)
        return;
    if (room == 0 && count > 0 && rest.width > 2 * LEAST_TEXT) {
        struct box_line line = lines[0];

        line.name = node->label;
        line.speaks_for_itself = false;
        if (draw_line(diagram, box, rest, &line, TEXT_SMALL, theme->text))
            return;
    }
    count = count < (unsigned)room ? count : (unsigned)room;
    blank = (rest.height - (int)(count + 1) * LINE_HEIGHT) / 2;
    area_take_top(&rest, blank < 8 ? blank : 8);
    text_over_draw(diagram->panel->canvas, theme, box, area_take_top(&rest, LINE_HEIGHT), TEXT_LEFT,
                   name_style(diagram, node->label, rest.width), theme->text,
                   name_within(diagram, TEXT_SMALL, node->label, rest.width));
    for (unsigned i = 0; i < count; i++) {
        struct area const line = {rest.x, rest.y, rest.width, LINE_HEIGHT};

        if (draw_line(diagram, box, line, &lines[i], TEXT_SMALL, theme->faint))
            area_take_top(&rest, LINE_HEIGHT);
    }
}

static void draw_box(const struct diagram *diagram, const struct topology_node *node)
{
    const struct panel *const panel = diagram->panel;
    uint32_t const component = diagram->topology.members[node->first];
    const struct component_figures *const figures = &diagram->figures[component];
    struct colour const fill = diagram_colour_of(panel->theme, figures->busy);
    double const full = isnan(figures->occupancy) ? 0 : fmin(fmax(figures->occupancy, 0), 1);
    struct area filled = node->area;
    struct filled_box box = {.fill = fill, .ground = panel->theme->background};
    float const radius = 5;

    filled.width = SPINE + (int)lround(full * (node->area.width - SPINE));
    box.edge = filled.x + filled.width;
    canvas_fill_round(panel->canvas, node->area, radius, panel->theme->background);
    canvas_clip(panel->canvas, filled);
    canvas_fill_round(panel->canvas, node->area, radius, fill);
    canvas_clip(panel->canvas, panel->area);
    canvas_frame_round(panel->canvas, node->area, radius,
                       is_marked(diagram, component) ? panel->theme->highlight : panel->theme->border);
    draw_box_texts(diagram, node, &box, figures);
    hit_component(diagram, component, node->area);
}

static void draw_bar(const struct diagram *diagram, const struct topology_node *node)
{
    const struct panel *const panel = diagram->panel;
    uint32_t const component = diagram->topology.members[node->first];
    const struct component_figures *const figures = &diagram->figures[component];
    struct area label = node->area;
    char number[NUMBER_ROOM];

    canvas_fill_round(panel->canvas, node->body, 3, diagram_colour_of(panel->theme, figures->busy));
    canvas_frame_round(panel->canvas, node->body, 3,
                       is_marked(diagram, component) ? panel->theme->highlight : panel->theme->border);
    label.height = node->body.y - node->area.y;
    hit_component(diagram, component, node->area);
    if (label.height < LINE_HEIGHT || label.width < LEAST_TEXT)
        return;
    canvas_text(panel->canvas, area_take_top(&label, LINE_HEIGHT), TEXT_CENTRE, TEXT_SMALL, panel->theme->text,
                name_within(diagram, TEXT_SMALL, node->label, label.width));
    if (label.height < LINE_HEIGHT || isnan(figures->busy))
        return;
    write_percent(number, sizeof number, figures->busy);
    if (canvas_text_width(panel->canvas, TEXT_SMALL, number) > label.width)
        return;
    canvas_text(panel->canvas, label, TEXT_CENTRE, TEXT_SMALL, panel->theme->faint, number);
}

/* ---- groups */

enum { LARGEST = 6 };                    /* members that a group's box names */

struct summary {
    double mean, worst;                  /* NaN: nothing is known */
    uint32_t worst_component;
    double rate;                         /* bytes a second of all together; NaN: not counted */
};

/* Where a share is known of some, others did nothing: an SM without blocks issues nothing. */
static struct summary summary_of(const struct diagram *diagram, const struct topology_node *node)
{
    struct summary summary = {(double)NAN, (double)NAN, TELEMETRY_NONE, (double)NAN};
    double sum = 0;
    uint32_t known = 0;

    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t const component = diagram->topology.members[node->first + i];
        double const share = diagram->figures[component].busy, rate = diagram->figures[component].rate;

        if (!isnan(rate))
            summary.rate = isnan(summary.rate) ? rate : summary.rate + rate;
        if (isnan(share))
            continue;
        sum += share;
        known++;
        if (!(share <= summary.worst)) {
            summary.worst = share;
            summary.worst_component = component;
        }
    }
    if (known > 0)
        summary.mean = sum / node->count;
    return summary;
}

static void draw_cells(const struct diagram *diagram, const struct topology_node *node)
{
    const struct panel *const panel = diagram->panel;

    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t const component = diagram->topology.members[node->first + i];
        struct area const cell = topology_cell(node, i);

        canvas_fill(panel->canvas, cell, diagram_colour_of(panel->theme, diagram->figures[component].busy));
        if (is_marked(diagram, component))
            canvas_frame(panel->canvas, cell, panel->theme->highlight);
        hit_component(diagram, component, cell);
    }
}

/* The members that do most, the largest first. */
static void add_largest(const struct diagram *diagram, const struct topology_node *node, char *numbers, size_t room)
{
    uint32_t largest[LARGEST];
    uint32_t count = 0;

    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t const component = diagram->topology.members[node->first + i];
        double const share = diagram->figures[component].busy;
        uint32_t place = count;

        if (!(share > 0))
            continue;
        while (place > 0 && diagram->figures[largest[place - 1]].busy < share)
            place--;
        if (place == LARGEST)
            continue;
        count += count < LARGEST;
        memmove(&largest[place + 1], &largest[place], (count - 1 - place) * sizeof *largest);
        largest[place] = component;
    }
    for (uint32_t i = 0; i < count; i++)
        add_percent(numbers, room, diagram->layout->components[largest[i]].name,
                    diagram->figures[largest[i]].busy);
}

/* The whole group, where no cell is. */
static void hit_group(const struct diagram *diagram, const struct topology_node *node, const struct summary *summary)
{
    struct hit *const hit = hits_add_text(&diagram->panel->view->hits, node->area, diagram->panel->run, node->label,
                                          "Components of one kind, one cell each, coloured by their share of the peak. "
                                          "Point at a cell to see its numbers, or press / to search by name.");

    if (!hit)
        return;
    hit->element = node->first;
    if (!is_looked_at(diagram, hit))
        return;
    add_rate(hit->numbers, sizeof hit->numbers, "all together", summary->rate);
    if (isnan(summary->mean))
        return;
    add_percent(hit->numbers, sizeof hit->numbers, "mean", summary->mean);
    add_largest(diagram, node, hit->numbers, sizeof hit->numbers);
}

/* The name of a member, or, without room for it, # and the number of its core. */
static void name_member(const struct diagram *diagram, const struct topology_node *node, uint32_t component, int width,
                        char *text, size_t room)
{
    const char *const name = diagram->layout->components[component].name;
    size_t same = 0;

    snprintf(text, room, "%s", name);
    if (canvas_text_width(diagram->panel->canvas, TEXT_SMALL, name) <= width)
        return;
    for (bool is_common = true; is_common && name[same]; same += is_common)
        for (uint32_t i = 0; i < node->count && is_common; i++)
            is_common = diagram->layout->components[diagram->topology.members[node->first + i]].name[same]
                        == name[same];
    snprintf(text, room, "#%.*s", telemetry_name_own(name) == name ? INT_MAX : (int)strcspn(name + same, "."),
             name + same);
}

static void draw_group(const struct diagram *diagram, const struct topology_node *node)
{
    const struct panel *const panel = diagram->panel;
    struct summary const summary = summary_of(diagram, node);
    struct area const inner = {node->area.x + 6, node->area.y, node->area.width - 12, node->area.height};
    struct area foot = {inner.x, node->body.y + node->body.height + 2, inner.width, LINE_HEIGHT};
    struct filled_box const nothing = {.edge = 0};
    struct box_line line = {.name = "mean"};
    char member[HIT_TITLE];
    int number;

    canvas_fill_round(panel->canvas, node->area, 5, panel->theme->background);
    canvas_frame_round(panel->canvas, node->area, 5, panel->theme->border);
    hit_group(diagram, node, &summary);
    draw_cells(diagram, node);
    if (inner.width < LEAST_TEXT)
        return;
    canvas_text(panel->canvas, (struct area){inner.x, node->area.y + 4, inner.width, LINE_HEIGHT}, TEXT_CENTRE,
                name_style(diagram, node->label, inner.width), panel->theme->text, node->label);
    if (foot.y + 2 * LINE_HEIGHT > node->area.y + node->area.height + 2)
        return;
    if (isnan(summary.mean) && isnan(summary.rate))
        return;
    if (isnan(summary.mean)) {
        line = (struct box_line){.name = "moves", .speaks_for_itself = true};
        figures_bytes_rate(line.number, sizeof line.number, summary.rate);
        draw_line(diagram, &nothing, foot, &line, TEXT_SMALL, panel->theme->faint);
        return;
    }
    write_percent(line.number, sizeof line.number, summary.mean);
    draw_line(diagram, &nothing, foot, &line, TEXT_SMALL, panel->theme->faint);
    if (!(summary.worst > 0))
        return;
    foot.y += LINE_HEIGHT;
    write_percent(line.number, sizeof line.number, summary.worst);
    number = canvas_text_width(panel->canvas, TEXT_SMALL, line.number) + 4;
    name_member(diagram, node, summary.worst_component, foot.width - number, member, sizeof member);
    line.name = member;
    draw_line(diagram, &nothing, foot, &line, TEXT_SMALL, panel->theme->faint);
}

static void draw_nodes(const struct diagram *diagram)
{
    for (uint32_t i = 0; i < diagram->topology.node_count; i++)
        switch (diagram->topology.nodes[i].shape) {
        case TOPOLOGY_BOX:
            draw_box(diagram, &diagram->topology.nodes[i]);
            break;
        case TOPOLOGY_BAR:
            draw_bar(diagram, &diagram->topology.nodes[i]);
            break;
        case TOPOLOGY_GROUP:
            draw_group(diagram, &diagram->topology.nodes[i]);
            break;
        }
}

/* ---- legend */

/* Draws a text of the legend and removes its width from `rest`; returns false if it does not fit. */
static bool diagram_put_text(const struct panel *panel, struct area *rest, const char *text)
{
    int const width = canvas_text_width(panel->canvas, TEXT_SMALL, text);

    if (rest->width < width)
        return false;
    canvas_text(panel->canvas, area_take_left(rest, width), TEXT_LEFT, TEXT_SMALL, panel->theme->faint, text);
    return true;
}

static void draw_scale(const struct panel *panel, struct area *rest)
{
    enum { STEPS = 33 };
    struct colour cells[STEPS];
    struct area scale;

    if (!diagram_put_text(panel, rest, "share of peak  0") || rest->width < 200)
        return;
    for (int i = 0; i < STEPS; i++)
        cells[i] = palette_share(panel->theme, i / (double)(STEPS - 1));
    area_take_left(rest, 6);
    scale = area_take_left(rest, 90);
    scale = (struct area){scale.x, scale.y + (scale.height - 8) / 2, scale.width, 8};
    canvas_cells(panel->canvas, scale, cells, STEPS, 1);
    area_take_left(rest, 6);
    diagram_put_text(panel, rest, "100 %");
}

static void draw_widths(const struct panel *panel, struct area *rest)
{
    static const struct {
        double rate;
        const char *text;
    } examples[] = {{1e9, "1 GB/s"}, {1e10, "10 GB/s"}, {1e11, "100 GB/s"}};

    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        float const y = (float)rest->y + 0.5F * (float)rest->height;
        float from, to;

        area_take_left(rest, i == 0 ? 26 : 14);
        if (rest->width < 34 + canvas_text_width(panel->canvas, TEXT_SMALL, examples[i].text))
            return;
        from = (float)rest->x + 3;
        area_take_left(rest, 24);
        to = (float)rest->x - 3;
        canvas_line(panel->canvas, (struct point){from, y}, (struct point){to, y}, diagram_width_of(examples[i].rate),
                    panel->theme->faint);
        area_take_left(rest, 6);
        diagram_put_text(panel, rest, examples[i].text);
    }
}

/* Adds a hit for the part of the legend drawn since `x`. */
static void hit_legend(const struct panel *panel, struct area rest, int x, const char *title, const char *meaning)
{
    hits_add_text(&panel->view->hits, (struct area){x, rest.y, rest.x - x, rest.height}, panel->run, title, meaning);
}

static void draw_legend(const struct panel *panel, struct area legend)
{
    int x = legend.x;

    draw_scale(panel, &legend);
    hit_legend(panel, legend, x, "Share of the "
                                 "peak", "The colour of boxes and links shows the share of peak bandwidth, of "
               "time or of cycles in use. Point at a box to see which one applies.");
    x = legend.x;
    draw_widths(panel, &legend);
    hit_legend(panel, legend, x, "Width of "
                                 "links", "A wider link carries more bytes per second: the width grows with the "
               "square root of the bandwidth.");
    area_take_left(&legend, 26);
    x = legend.x;
    if (diagram_put_text(panel, &legend, "fill: fullest queue"))
        hit_legend(panel, legend, x, "Fill of boxes", "A box fills as its fullest queue does: MSHRs, buffers or warp "
                   "slots. Point at a box to see which one applies.");
}

/* ---- all of it */

static uint32_t find_component(const struct view *view, const struct telemetry *layout, unsigned run)
{
    if (view->found == TELEMETRY_NONE || !view->runs[0].layout || view->found >= view->runs[0].layout->component_count)
        return TELEMETRY_NONE;
    return run == 0 ? view->found : telemetry_named(layout, view->runs[0].layout->components[view->found].name);
}

void panel_diagram(const struct panel *panel)
{
    struct diagram diagram = {.panel = panel, .layout = panel->view->runs[panel->run].layout};
    struct area area = area_inset(panel->area, MARGIN), legend;
    const struct kept_topology *kept;

    legend = area_take_bottom(&area, LEGEND_HEIGHT);
    area_take_bottom(&area, 6);
    kept = topology_keep(panel, area);
    if (!kept)
        return;
    diagram.topology = kept->topology;
    diagram.figures = kept->figures;
    if (!view_samples(panel->view, panel->run, &diagram.before, &diagram.words))
        diagram.before = diagram.words = NULL;
    diagram.found = find_component(panel->view, diagram.layout, panel->run);
    find_figures(&diagram);
    draw_links(&diagram);
    draw_nodes(&diagram);
    draw_legend(panel, legend);
}
