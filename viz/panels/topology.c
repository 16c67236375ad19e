/* Distance is the longest way from a core or a GPU, so every link goes to the right. Each component is in one of three
 * bands: reached only by cores, only by the GPU, or by both. The first two lie below each other; shared components,
 * and columns that contain both kinds, use the whole height. Within a column the order is that of the cores.
 *
 * Placing takes several rounds: where a column of a band needs more height than available, kinds with as many
 * components as the smallest kind that is crowded become groups, until all fit or nothing is left to group. */
#include "viz/panels/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/telemetry/names.h"

enum { BAND_CORES = 1, BAND_GPU = 2, BAND_SHARED = 3 };

/* Points. */
enum {
    LEAST_BOX = 20, MOST_BOX = 66, LEAST_GROUP = 70, MOST_GROUP = 170, LEAST_BAR = 20, LEAST_GAP = 4, SLOT_GAP = 8,
    BAND_GAP = 14,
    BAR_WIDTH = 12, LABEL_HEIGHT = 14, BAR_WITH_NUMBER = 80, GROUP_TITLE = 22, GROUP_FOOT = 32, NO_FOOT = 5,
    MOST_BOX_WIDTH = 150, MOST_CELL = 18, BOX_SHARES = 20, NARROW_BOX = 50
};

/* Part of the height that a column's nodes have. */
enum zone { ZONE_ALL, ZONE_UPPER, ZONE_LOWER, ZONE_COUNT };

struct topology_order {
    uint64_t key;
    uint32_t item;
};

/* A component while nodes are made. */
struct topology_place {
    bool is_shown;
    uint32_t shown_by;                   /* itself, or the nearest one that contains it */
    unsigned column;
    unsigned band;
    enum zone zone;
    uint32_t rank;                       /* first source that reaches it */
    uint32_t kind;                       /* lowest component of the same kind */
    uint32_t kind_count;                 /* of that lowest one */
    bool is_grouped;                     /* of that lowest one */
    uint32_t node;
};

/* ---- places */

static bool is_drawn(enum telemetry_part part)
{
    return part != TELEMETRY_SYSTEM && part != TELEMETRY_RANK;
}

static uint32_t channels_of(const struct telemetry *layout, uint32_t memory)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < layout->component_count; i++)
        count += layout->components[i].part == TELEMETRY_CHANNEL && layout->components[i].parent == memory;
    return count;
}

static void find_shown(struct topology *topology)
{
    const struct telemetry *const layout = topology->layout;

    for (uint32_t i = 0; i < layout->component_count; i++) {
        const struct telemetry_component *const component = &layout->components[i];
        bool const is_only_channel = component->part == TELEMETRY_CHANNEL && component->parent != TELEMETRY_NONE
                                     && layout->components[component->parent].part == TELEMETRY_MEMORY
                                     && channels_of(layout, component->parent) == 1;

        topology->places[i] = (struct topology_place){.is_shown = is_drawn(component->part) && !is_only_channel,
                                                      .rank = UINT32_MAX};
    }
    for (uint32_t i = 0; i < layout->component_count; i++) {
        uint32_t at = i;

        while (at != TELEMETRY_NONE && !topology->places[at].is_shown)
            at = layout->components[at].parent;
        topology->places[i].shown_by = at;
    }
}

static void add_link(struct topology *topology, struct telemetry_link link)
{
    link.from = topology->places[link.from].shown_by;
    link.to = topology->places[link.to].shown_by;
    if (link.from != TELEMETRY_NONE && link.to != TELEMETRY_NONE && link.from != link.to)
        topology->links[topology->link_count++] = link;
}

static void find_links(struct topology *topology)
{
    const struct telemetry *const layout = topology->layout;

    for (uint32_t i = 0; i < layout->link_count; i++)
        add_link(topology, layout->links[i]);
    for (uint32_t i = 0; i < layout->component_count; i++) {
        const struct telemetry_component *const component = &layout->components[i];

        if (component->part == TELEMETRY_SM || component->part == TELEMETRY_CHANNEL)
            if (component->parent != TELEMETRY_NONE)
                add_link(topology, (struct telemetry_link){.from = component->parent, .to = i,
                                                           .field = TELEMETRY_NONE});
    }
}

/* Longest ways, bands and ranks spread along the links; a ring of links, which no system has, ends the rounds. */
static void spread(struct topology *topology)
{
    const struct telemetry *const layout = topology->layout;
    struct topology_place *const places = topology->places;
    bool has_changed = true;

    for (uint32_t i = 0; i < layout->component_count; i++) {
        places[i].band = layout->components[i].part == TELEMETRY_CORE ? BAND_CORES
                         : layout->components[i].part == TELEMETRY_GPU ? BAND_GPU : 0;
        if (places[i].band)
            places[i].rank = i;
    }
    for (uint32_t round = 0; has_changed && round < layout->component_count; round++) {
        has_changed = false;
        for (uint32_t i = 0; i < topology->link_count; i++) {
            const struct telemetry_link *const link = &topology->links[i];
            const struct topology_place *const from = &places[link->from];
            struct topology_place *const to = &places[link->to];
            struct topology_place const before = *to;
            uint32_t const rank = layout->components[link->from].part == TELEMETRY_GPU ? link->to : from->rank;

            to->column = to->column > from->column ? to->column : from->column + 1;
            to->band |= from->band;
            to->rank = to->rank < rank ? to->rank : rank;
            has_changed = has_changed || to->column != before.column || to->band != before.band
                          || to->rank != before.rank;
        }
    }
    for (uint32_t i = 0; i < layout->component_count; i++)
        if (places[i].band == 0)
            places[i].band = BAND_SHARED;
}

/* Removes empty columns. */
static void close_ranks(struct topology *topology)
{
    uint32_t const count = topology->layout->component_count;
    unsigned next = 0, last = 0;

    for (uint32_t i = 0; i < count; i++)
        last = topology->places[i].column > last ? topology->places[i].column : last;
    for (unsigned column = 0; column <= last; column++) {
        bool is_used = false;

        for (uint32_t i = 0; i < count; i++)
            if (topology->places[i].is_shown && topology->places[i].column == column) {
                topology->places[i].column = next;
                is_used = true;
            }
        next += is_used;
    }
    topology->column_count = next;
}

static bool is_same_kind(const struct topology *topology, uint32_t one, uint32_t other)
{
    const struct telemetry_component *const first = &topology->layout->components[one];
    const struct telemetry_component *const second = &topology->layout->components[other];
    const char *kind, *other_kind;
    size_t length;

    if (first->part != second->part || topology->places[one].column != topology->places[other].column
        || topology->places[one].band != topology->places[other].band)
        return false;
    if (first->part == TELEMETRY_CHANNEL)
        return true;
    length = telemetry_name_kind(first->name, &kind);
    return length == telemetry_name_kind(second->name, &other_kind) && memcmp(kind, other_kind, length) == 0;
}

static void find_kinds(struct topology *topology)
{
    struct topology_place *const places = topology->places;

    for (uint32_t i = 0; i < topology->layout->component_count; i++) {
        uint32_t kind = i;

        for (uint32_t k = 0; k < i && kind == i; k++)
            if (places[i].is_shown && places[k].is_shown && places[k].kind == k && is_same_kind(topology, k, i))
                kind = k;
        places[i].kind = kind;
        places[kind].kind_count++;
    }
}

static bool has_band(const struct topology *topology, unsigned band, unsigned column)
{
    for (uint32_t i = 0; i < topology->layout->component_count; i++)
        if (topology->places[i].is_shown && topology->places[i].band == band
            && (column == topology->column_count || topology->places[i].column == column))
            return true;
    return false;
}

static void find_zones(struct topology *topology)
{
    unsigned const any = topology->column_count;
    bool const has_both = has_band(topology, BAND_CORES, any) && has_band(topology, BAND_GPU, any);

    for (unsigned column = 0; has_both && column < topology->column_count; column++) {
        bool const is_mixed = has_band(topology, BAND_SHARED, column);

        for (uint32_t i = 0; i < topology->layout->component_count && !is_mixed; i++)
            if (topology->places[i].column == column)
                topology->places[i].zone = topology->places[i].band == BAND_CORES ? ZONE_UPPER : ZONE_LOWER;
    }
}

struct fault topology_make(struct topology *topology, const struct telemetry *layout)
{
    size_t const count = layout->component_count + (size_t)1, links = layout->link_count + count;

    *topology = (struct topology){
        .layout = layout, .places = calloc(count, sizeof *topology->places),
        .links = calloc(links, sizeof *topology->links), .nodes = calloc(count, sizeof *topology->nodes),
        .edges = calloc(links, sizeof *topology->edges), .members = calloc(count, sizeof *topology->members),
        .ordered = calloc(links, sizeof *topology->ordered), .order = calloc(links, sizeof *topology->order)
    };
    if (!topology->places || !topology->links || !topology->nodes || !topology->edges || !topology->members
        || !topology->ordered || !topology->order) {
        topology_free(topology);
        return fault_make(FAULT_MEMORY, "no memory for the diagram of a system");
    }
    find_shown(topology);
    find_links(topology);
    spread(topology);
    close_ranks(topology);
    find_kinds(topology);
    find_zones(topology);
    return fault_none();
}

void topology_free(struct topology *topology)
{
    free(topology->places);
    free(topology->links);
    free(topology->nodes);
    free(topology->edges);
    free(topology->members);
    free(topology->ordered);
    free(topology->order);
    *topology = (struct topology){0};
}

/* ---- nodes and edges */

static int topology_compare(const void *one, const void *other)
{
    const struct topology_order *const first = one, *const second = other;

    if (first->key != second->key)
        return first->key < second->key ? -1 : 1;
    return first->item < second->item ? -1 : first->item > second->item;
}

static bool is_grouped(const struct topology *topology, uint32_t component)
{
    return topology->places[topology->places[component].kind].is_grouped;
}

/* Columns, then zones, then nodes of the same source; members of a group are neighbours. */
static uint64_t key_of(const struct topology *topology, uint32_t component)
{
    const struct topology_place *const place = &topology->places[component];
    uint32_t const head = is_grouped(topology, component) ? place->kind : component;

    return (uint64_t)place->column << 52 | (uint64_t)place->zone << 50
           | (uint64_t)(topology->places[head].rank & 0x1ffffff) << 25 | (head & 0x1ffffff);
}

/* A channel's name begins with its controller's. */
static void label_group(const struct topology *topology, struct topology_node *node)
{
    const char *kind;
    size_t const length
        = telemetry_name_kind(topology->layout->components[topology->members[node->first]].name, &kind);

    if (node->part == TELEMETRY_CHANNEL)
        snprintf(node->label, sizeof node->label, "%u channels", node->count);
    else
        snprintf(node->label, sizeof node->label, "%u \u00d7 %.*s", node->count, (int)(length < 30 ? length : 30),
                 kind);
}

static void label_node(const struct topology *topology, struct topology_node *node)
{
    const struct telemetry_component *const component
        = &topology->layout->components[topology->members[node->first]];
    const char *name = component->name;

    if (node->shape == TOPOLOGY_GROUP) {
        label_group(topology, node);
        return;
    }
    if (component->part == TELEMETRY_CHANNEL && component->parent != TELEMETRY_NONE) {
        const char *const parent = topology->layout->components[component->parent].name;
        size_t const length = strlen(parent);

        if (strncmp(name, parent, length) == 0 && name[length] == '.')
            name += length + 1;
    }
    snprintf(node->label, sizeof node->label, "%s", name);
}

static void make_nodes(struct topology *topology)
{
    struct topology_node *node = NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < topology->layout->component_count; i++)
        if (topology->places[i].is_shown)
            topology->order[count++] = (struct topology_order){key_of(topology, i), i};
    qsort(topology->order, count, sizeof *topology->order, topology_compare);
    topology->node_count = 0;
    topology->member_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t const component = topology->order[i].item;
        struct topology_place *const place = &topology->places[component];
        bool const is_group = is_grouped(topology, component);

        topology->members[i] = component;
        if (!node || !is_group || topology->places[topology->members[node->first]].kind != place->kind) {
            enum telemetry_part const part = topology->layout->components[component].part;

            node = &topology->nodes[topology->node_count++];
            *node = (struct topology_node){
                .shape = is_group ? TOPOLOGY_GROUP : part == TELEMETRY_BUS ? TOPOLOGY_BAR : TOPOLOGY_BOX,
                .part = part, .column = place->column, .first = i
            };
        }
        node->count++;
        place->node = topology->node_count - 1;
    }
    for (uint32_t i = 0; i < topology->node_count; i++)
        label_node(topology, &topology->nodes[i]);
}

static void make_edges(struct topology *topology)
{
    uint64_t before = UINT64_MAX;

    for (uint32_t i = 0; i < topology->link_count; i++) {
        uint64_t const from = topology->places[topology->links[i].from].node;

        topology->order[i] = (struct topology_order){from << 32 | topology->places[topology->links[i].to].node, i};
    }
    qsort(topology->order, topology->link_count, sizeof *topology->order, topology_compare);
    topology->edge_count = 0;
    for (uint32_t i = 0; i < topology->link_count; i++) {
        uint64_t const key = topology->order[i].key;

        if (key != before)
            topology->edges[topology->edge_count++] = (struct topology_edge){
                .from = (uint32_t)(key >> 32), .to = (uint32_t)key, .first = i
            };
        topology->edges[topology->edge_count - 1].count++;
        topology->ordered[i] = topology->order[i].item;
        before = key;
    }
}

/* ---- heights */

static int need_of(const struct topology_node *node)
{
    static const int least[] = {
        [TOPOLOGY_BOX] = LEAST_BOX, [TOPOLOGY_BAR] = LEAST_BAR, [TOPOLOGY_GROUP] = LEAST_GROUP
    };

    return LEAST_GAP + least[node->shape];
}

static enum zone zone_of(const struct topology *topology, const struct topology_node *node)
{
    return topology->places[topology->members[node->first]].zone;
}

/* Returns the end of the nodes from `first` on that share a column and zone; *need: the height they need. */
static uint32_t run_end(const struct topology *topology, uint32_t first, int *need)
{
    const struct topology_node *const nodes = topology->nodes;
    uint32_t end = first;

    *need = 0;
    while (end < topology->node_count && nodes[end].column == nodes[first].column
           && zone_of(topology, &nodes[end]) == zone_of(topology, &nodes[first]))
        *need += need_of(&nodes[end++]);
    return end;
}

/* Divides the area into zones: the two parts by the needs of their fullest columns. */
static void topology_divide(const struct topology *topology, struct area area, struct area zones[ZONE_COUNT])
{
    int most[ZONE_COUNT] = {0}, need, upper;

    for (uint32_t i = 0; i < topology->node_count;) {
        enum zone const zone = zone_of(topology, &topology->nodes[i]);

        i = run_end(topology, i, &need);
        most[zone] = most[zone] > need ? most[zone] : need;
    }
    zones[ZONE_ALL] = area;
    if (most[ZONE_UPPER] + most[ZONE_LOWER] == 0)
        return;
    upper = (area.height - BAND_GAP) * most[ZONE_UPPER] / (most[ZONE_UPPER] + most[ZONE_LOWER]);
    upper = upper < area.height * 3 / 10 ? area.height * 3 / 10 : upper;
    upper = upper > area.height * 6 / 10 ? area.height * 6 / 10 : upper;
    zones[ZONE_UPPER] = area_take_top(&area, upper);
    area_take_top(&area, BAND_GAP);
    zones[ZONE_LOWER] = area;
}

static uint32_t kind_count(const struct topology *topology, const struct topology_node *node)
{
    return topology->places[topology->places[topology->members[node->first]].kind].kind_count;
}

/* Groups kinds of columns that are too full, and those of the same zone with as many members; false: none. */
static bool group_crowded(struct topology *topology, const struct area zones[ZONE_COUNT])
{
    uint32_t least[ZONE_COUNT] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    bool has_changed = false;

    for (uint32_t first = 0, end; first < topology->node_count; first = end) {
        enum zone const zone = zone_of(topology, &topology->nodes[first]);
        int need;

        end = run_end(topology, first, &need);
        for (uint32_t i = first; need > zones[zone].height && i < end; i++)
            if (topology->nodes[i].shape != TOPOLOGY_GROUP && kind_count(topology, &topology->nodes[i]) > 1
                && kind_count(topology, &topology->nodes[i]) < least[zone])
                least[zone] = kind_count(topology, &topology->nodes[i]);
    }
    for (uint32_t i = 0; i < topology->node_count; i++)
        if (topology->nodes[i].shape != TOPOLOGY_GROUP
            && kind_count(topology, &topology->nodes[i]) >= least[zone_of(topology, &topology->nodes[i])]) {
            topology->places[topology->places[topology->members[topology->nodes[i].first]].kind].is_grouped = true;
            has_changed = true;
        }
    return has_changed;
}

/* ---- rectangles */

/* Squares as large as they can be, or a little smaller where they fill all rows. Where there is little room, they have
 * that of the numbers below. */
static void place_cells(struct topology_node *node)
{
    struct area room = area_inset(node->area, 6);
    int const foot = node->area.height >= LEAST_GROUP - LEAST_GAP ? GROUP_FOOT : NO_FOOT;
    int best = 0, best_worth = 0;

    room.y = node->area.y + GROUP_TITLE;
    room.height = node->area.height - GROUP_TITLE - foot;
    room.height = room.height > 1 ? room.height : 1;
    for (unsigned across = 1; across <= node->count; across++) {
        unsigned const down = (node->count + across - 1) / across;
        int const wide = room.width / (int)across, high = room.height / (int)down;
        int const size = wide < high ? wide : high, seen = size < MOST_CELL ? size : MOST_CELL;
        int const worth = seen * (node->count % across == 0 ? 5 : 4);

        if (size > 0 && (worth > best_worth || (worth == best_worth && across <= down))) {
            best = size;
            best_worth = worth;
            node->cells_across = across;
            node->cells_down = down;
        }
    }
    if (best == 0) {
        node->cells_across = node->count;
        node->cells_down = 1;
    }
    best = best < MOST_CELL ? best : MOST_CELL;
    room.height = best * (int)node->cells_down;
    if (room.height + GROUP_TITLE + foot < node->area.height)
        node->area.height = room.height + GROUP_TITLE + foot;
    room.width = best * (int)node->cells_across;
    room.x = node->area.x + (node->area.width - room.width) / 2;
    node->body = room;
}

static void place_node(struct topology_node *node, struct area slot)
{
    int const gap = slot.height / 6 < SLOT_GAP ? slot.height / 6 : SLOT_GAP;
    int const most = node->shape == TOPOLOGY_BOX ? MOST_BOX : node->shape == TOPOLOGY_GROUP ? MOST_GROUP : slot.height;
    int height = slot.height - gap;

    height = height < most ? height : most;
    node->area = (struct area){slot.x, slot.y + (slot.height - height) / 2, slot.width, height};
    node->body = node->area;
    if (node->shape == TOPOLOGY_BAR) {
        if (height >= LABEL_HEIGHT + 16)
            area_take_top(&node->body, height >= BAR_WITH_NUMBER ? 2 * LABEL_HEIGHT : LABEL_HEIGHT);
        if (node->body.width > BAR_WIDTH) {
            node->body.x += (node->body.width - BAR_WIDTH) / 2;
            node->body.width = BAR_WIDTH;
        }
    } else if (node->shape == TOPOLOGY_GROUP) {
        int const before = node->area.height;

        place_cells(node);
        node->body.y += (before - node->area.height) / 2;
        node->area.y += (before - node->area.height) / 2;
    }
}

static void place_column(struct topology *topology, uint32_t *next, const struct area zones[ZONE_COUNT], int x,
                         int width)
{
    unsigned const column = topology->nodes[*next].column;

    while (*next < topology->node_count && topology->nodes[*next].column == column) {
        struct area const zone = zones[zone_of(topology, &topology->nodes[*next])];
        int need, done = 0;
        uint32_t const end = run_end(topology, *next, &need);

        for (; *next < end; ++*next) {
            int const top = zone.y + zone.height * done / need;

            done += need_of(&topology->nodes[*next]);
            place_node(&topology->nodes[*next],
                       (struct area){x, top, width, zone.y + zone.height * done / need - top});
        }
    }
}

/* A column of bars is narrower: bars, and room for their names. */
static bool is_narrow(const struct topology *topology, unsigned column)
{
    for (uint32_t i = 0; i < topology->node_count; i++)
        if (topology->nodes[i].column == column && topology->nodes[i].shape != TOPOLOGY_BAR)
            return false;
    return true;
}

/* The width of a box's column, if bars have that many parts of BOX_SHARES of it. */
static int box_width(const struct topology *topology, int room, int bar_shares, int *shares)
{
    int width;

    *shares = 0;
    for (unsigned column = 0; column < topology->column_count; column++)
        *shares += is_narrow(topology, column) ? bar_shares : BOX_SHARES;
    width = room * BOX_SHARES / *shares;
    width = width < MOST_BOX_WIDTH ? width : MOST_BOX_WIDTH;
    return width > 4 ? width : 4;
}

/* Where there is little room, bars have none for their names. */
static void topology_place_columns(struct topology *topology, struct area area, const struct area zones[ZONE_COUNT])
{
    int const count = (int)topology->column_count;
    int shares, gap, width, used, x, bar_shares = 13;
    uint32_t next = 0;

    gap = area.width / (5 * count);
    gap = gap < 10 ? 10 : gap > 30 ? 30 : gap;
    width = box_width(topology, area.width - gap * (count - 1), bar_shares, &shares);
    if (width < NARROW_BOX) {
        bar_shares = 6;
        width = box_width(topology, area.width - gap * (count - 1), bar_shares, &shares);
    }
    used = width * shares / BOX_SHARES;
    if (count > 1 && used + gap * (count - 1) < area.width) {
        gap = (area.width - used) / (count - 1);
        gap = gap < 70 ? gap : 70;
    }
    x = area.x + (area.width - used - gap * (count - 1)) / 2;
    x = x > area.x ? x : area.x;
    for (unsigned column = 0; column < topology->column_count; column++) {
        int const wide = is_narrow(topology, column) ? width * bar_shares / BOX_SHARES : width;

        place_column(topology, &next, zones, x, wide);
        x += wide + gap;
    }
}

/* ---- ways of edges */

static float middle(struct area area)
{
    return (float)area.y + 0.5F * (float)area.height;
}

/* A height at which an edge leaves or enters: at a bar, that of the other end as far as the bar goes. */
static float height_at(const struct topology_node *node, const struct topology_node *other)
{
    float const low = (float)node->body.y + 2, high = (float)(node->body.y + node->body.height) - 2;

    if (node->shape != TOPOLOGY_BAR)
        return middle(node->area);
    return fmaxf(low, fminf(high, middle(other->shape == TOPOLOGY_BAR ? other->body : other->area)));
}

static void route(const struct topology *topology, struct topology_edge *edge)
{
    const struct topology_node *const from = &topology->nodes[edge->from], *const to = &topology->nodes[edge->to];
    struct area const left = from->shape == TOPOLOGY_BAR ? from->body : from->area;
    struct area const right = to->shape == TOPOLOGY_BAR ? to->body : to->area;
    struct point const start = {(float)(left.x + left.width), height_at(from, to)};
    struct point const end = {(float)right.x, height_at(to, from)};
    float const bend = 0.5F * ((float)to->area.x + fmaxf(start.x, (float)to->area.x - 30));

    edge->bends[0] = start;
    if (fabsf(start.y - end.y) < 1) {
        edge->bends[1] = (struct point){end.x, start.y};
        edge->bend_count = 2;
        return;
    }
    edge->bends[1] = (struct point){bend, start.y};
    edge->bends[2] = (struct point){bend, end.y};
    edge->bends[3] = end;
    edge->bend_count = 4;
}

void topology_place(struct topology *topology, struct area area)
{
    struct area zones[ZONE_COUNT] = {0};

    for (uint32_t i = 0; i < topology->layout->component_count; i++)
        topology->places[i].is_grouped = false;
    do {
        make_nodes(topology);
        topology_divide(topology, area, zones);
    } while (group_crowded(topology, zones));
    if (topology->node_count > 0)
        topology_place_columns(topology, area, zones);
    make_edges(topology);
    for (uint32_t i = 0; i < topology->edge_count; i++)
        route(topology, &topology->edges[i]);
}

uint32_t topology_node_of(const struct topology *topology, uint32_t component)
{
    uint32_t const shown_by = component < topology->layout->component_count
                                  ? topology->places[component].shown_by : TELEMETRY_NONE;

    return shown_by == TELEMETRY_NONE ? TELEMETRY_NONE : topology->places[shown_by].node;
}

struct area topology_cell(const struct topology_node *node, uint32_t member)
{
    int const size = node->body.width / (int)(node->cells_across ? node->cells_across : 1);
    int const gap = size >= 4 ? 1 : 0;

    return (struct area){node->body.x + size * (int)(member % node->cells_across),
                         node->body.y + size * (int)(member / node->cells_across), size - gap, size - gap};
}

/* It is made anew when any run of the view has another layout, and placed anew in another area. */

static void drop(struct kept_topology *kept)
{
    if (kept->layouts)
        topology_free(&kept->topology);
    free(kept->figures);
    *kept = (struct kept_topology){0};
}

static void drop_all(void *memory)
{
    struct kept_topology *const kept = memory;

    for (unsigned i = 0; i < VIEW_RUNS; i++)
        drop(&kept[i]);
}

const struct kept_topology *topology_keep(const struct panel *panel, struct area area)
{
    const struct telemetry *const layout = panel->view->runs[panel->run].layout;
    struct kept_topology *const all = view_memory(panel->view, PANEL_DIAGRAM, VIEW_RUNS * sizeof *all, drop_all);
    struct kept_topology *const kept = all ? &all[panel->run] : NULL;

    if (!kept)
        return NULL;
    if (kept->layouts == panel->view->layouts && memcmp(&kept->area, &area, sizeof area) == 0)
        return kept;
    if (kept->layouts != panel->view->layouts) {
        drop(kept);
        kept->figures = calloc(layout->component_count, sizeof *kept->figures);
        if (!kept->figures || topology_make(&kept->topology, layout).kind != FAULT_NONE)
            return NULL;
        kept->layouts = panel->view->layouts;
    }
    kept->area = area;
    topology_place(&kept->topology, area);
    return kept;
}
