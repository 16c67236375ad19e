/* Modelled: elastic-trace 2.4 (de-duplication) and 2.5 (which parents count), and the oldest member of the in-flight
 * map of 2.3, which is searched for only when a lower bound does not suffice. Not modelled here: when nodes issue and
 * execute (data.c).
 *
 * Finding a parent. A store holds the distance to it in records; parents beyond the range of that field are searched
 * for, which is rare. For a reader's records newest_by_seq maps the low bits of a sequence number to the last record
 * that has them. If the record found has a smaller number than the wanted one, the wanted one is not in the ring,
 * else it would be that record or an earlier one. If it has a larger number, a younger record hides the wanted one,
 * and the ring, whose sequence numbers rise, is searched by halving; with a table of twice the ring's places that is
 * rare.
 *
 * Edges of a node: near ones and far ones are each sorted by the child, and a walk over both merges them. Links come
 * with the node, near ones first. An edge found later joins the near ones if its child comes after all others there.
 *
 * max_dependents counts the entries that the reference appends: children that were read. A list is looked at when it
 * is about to lose edges, and only if it may be longer than all before. It counts if it has grown since the last
 * elastic_graph_forget_longest.
 *
 * Invariants: live nodes lie in [first_record, next_record), which is shorter than the ring by link_room or more, so
 * that links lead to places of their own, whose counts were 0; places of that range keep their sequence number even
 * when their node is gone. first, last and count of far_lists[place] are valid if its links' count has
 * ELASTIC_HAS_FAR_EDGES. Every far edge is in the list of a node or in that of the free ones. */
#include "replay/fast/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/host_facts.h"
#include "base/list.h"
#include "memsys/sim/clock.h"

#define MOST_PLACES (UINT64_C(1) << 30)

static bool is_live(const struct elastic_graph *graph, uint32_t place)
{
    return elastic_graph_state(graph, place) >= ELASTIC_WAITING;
}

static void remember_seq(struct elastic_graph *graph, uint64_t seq_num, uint64_t record)
{
    graph->newest_by_seq[seq_num & graph->seq_mask] = (uint32_t)record;
}

static bool graph_allocate(struct elastic_graph *graph, uint64_t places)
{
    graph->nodes = host_lines_zeroed(places, sizeof *graph->nodes);
    graph->seq_nums = calloc(places, sizeof *graph->seq_nums);
    graph->addresses = calloc(places, sizeof *graph->addresses);
    graph->sent_ps = calloc(places, sizeof *graph->sent_ps);
    graph->open_dependences = calloc(places, sizeof *graph->open_dependences);
    graph->states = calloc(places, sizeof *graph->states);
    graph->own_shapes = calloc(places, sizeof *graph->own_shapes);
    graph->newest_by_seq = calloc(2 * places, sizeof *graph->newest_by_seq);
    graph->far_lists = calloc(places, sizeof *graph->far_lists);
    graph->mask = places - 1;
    graph->seq_mask = 2 * places - 1;
    return graph->nodes && graph->seq_nums && graph->addresses && graph->sent_ps && graph->open_dependences
        && graph->states && graph->own_shapes && graph->newest_by_seq && graph->far_lists;
}

static void free_arrays(struct elastic_graph *graph)
{
    host_lines_free(graph->nodes);
    free(graph->seq_nums);
    free(graph->addresses);
    free(graph->sent_ps);
    free(graph->open_dependences);
    free(graph->states);
    free(graph->own_shapes);
    free(graph->newest_by_seq);
    free(graph->far_lists);
}

static struct fault graph_out_of_memory(uint64_t places)
{
    return fault_make(FAULT_MEMORY, "out of memory for a dependence graph of %llu records", (unsigned long long)places);
}

/* Moves all into a ring of `places` nodes. Edges are distances and stay unchanged. */
static struct fault graph_resize(struct elastic_graph *graph, uint64_t places)
{
    struct elastic_graph old = *graph;

    if (places > MOST_PLACES)
        return fault_make(FAULT_MEMORY, "more than %llu records wait for each other", (unsigned long long)MOST_PLACES);
    if (!graph_allocate(graph, places)) {
        free_arrays(graph);
        *graph = old;
        return graph_out_of_memory(places);
    }
    for (uint64_t record = old.first_record; record < old.next_record; record++) {
        uint64_t const place = record & graph->mask, old_place = record & old.mask;

        graph->nodes[place] = old.nodes[old_place];
        if (graph->nodes[place].shape == &old.own_shapes[old_place]) {
            graph->own_shapes[place] = old.own_shapes[old_place];
            graph->nodes[place].shape = &graph->own_shapes[place];
        }
        graph->seq_nums[place] = old.seq_nums[old_place];
        graph->addresses[place] = old.addresses[old_place];
        graph->sent_ps[place] = old.sent_ps[old_place];
        graph->open_dependences[place] = old.open_dependences[old_place];
        graph->states[place] = old.states[old_place];
        graph->far_lists[place] = old.far_lists[old_place];
        remember_seq(graph, graph->seq_nums[place], record);
    }
    for (uint64_t record = old.next_record; old.states && record < old.next_record + old.link_room; record++)
        graph->open_dependences[record & graph->mask] = old.open_dependences[record & old.mask];
    free_arrays(&old);
    return fault_none();
}

/* Twice as many far edges; false if there is no memory for them. */
static bool grow_far_edges(struct elastic_graph *graph)
{
    uint32_t const old_places = graph->far_edge_places, places = 2 * old_places;

    if (old_places >= MOST_PLACES || !list_resize(&graph->far_edges, places, sizeof *graph->far_edges))
        return false;
    for (uint32_t edge = old_places; edge < places; edge++)
        graph->far_edges[edge].next = edge + 1 < places ? edge + 1 : ELASTIC_NO_PLACE;
    graph->free_far_edge = old_places;
    graph->far_edge_places = places;
    return true;
}

static void find_room(struct elastic_graph *graph)
{
    uint64_t const used = graph->next_record - graph->first_record + graph->link_room;

    graph->node_room = used < graph->mask + 1 ? graph->mask + 1 - used : 0;
}

struct fault elastic_graph_init(struct elastic_graph *graph, uint64_t places, uint64_t known_reach_seq,
                                uint64_t rob_limit)
{
    uint64_t rounded = 64;

    *graph = (struct elastic_graph){.first = elastic_graph_first_plain, .known_reach_seq = known_reach_seq,
                                    .oldest_in_flight = UINT64_MAX, .oldest_rob_number = UINT64_MAX,
                                    .rob_limit = rob_limit, .rob_bound = UINT64_MAX,
                                    .link_room = known_reach_seq > 0 ? STORE_LINK_REACH : 0};
    while (rounded < max_u64(places, graph->link_room + 1) && rounded < MOST_PLACES)
        rounded *= 2;
    FORWARD(graph_resize(graph, rounded));
    find_room(graph);
    graph->far_edges = malloc(sizeof *graph->far_edges);
    if (!graph->far_edges)
        return graph_out_of_memory(rounded);
    graph->far_edges[0].next = ELASTIC_NO_PLACE;
    graph->far_edge_places = 1;
    return fault_none();
}

void elastic_graph_free(struct elastic_graph *graph)
{
    free_arrays(graph);
    free(graph->far_edges);
    *graph = (struct elastic_graph){0};
}

uint64_t elastic_graph_first_plain(const struct elastic_graph *graph, uint64_t record, enum elastic_state state)
{
    while (record < graph->next_record && graph->states[record & graph->mask] < state)
        record++;
    return record;
}

struct fault elastic_graph_reserve(struct elastic_graph *graph)
{
    graph->first_record = elastic_graph_first(graph, graph->first_record, ELASTIC_WAITING);
    find_room(graph);
    if (graph->node_room == 0)
        FORWARD(graph_resize(graph, 2 * (graph->mask + 1)));
    find_room(graph);
    return fault_none();
}

/* ---- look-up */

/* elastic_graph_find among the records from first_record to before `end`. */
static uint32_t find_before(const struct elastic_graph *graph, uint64_t seq_num, uint64_t end)
{
    uint64_t const guess = graph->newest_by_seq[seq_num & graph->seq_mask];
    uint32_t place = elastic_graph_place(graph, guess);
    uint64_t low = graph->first_record, high = end;

    if (graph->known_reach_seq || graph->seq_nums[place] > seq_num) {
        while (high - low > 1) {
            uint64_t const middle = low + (high - low) / 2;

            if (graph->seq_nums[middle & graph->mask] <= seq_num)
                low = middle;
            else
                high = middle;
        }
        place = elastic_graph_place(graph, low);
    }
    return graph->seq_nums[place] == seq_num && is_live(graph, place) ? place : ELASTIC_NO_PLACE;
}

uint32_t elastic_graph_find(const struct elastic_graph *graph, uint64_t seq_num)
{
    return find_before(graph, seq_num, graph->next_record);
}

/* ---- edges of a node */

/* Far edges of a node, from the first to the last. */
struct far_walk {
    const struct elastic_graph *graph;
    uint32_t left, place;
};

static struct far_walk far_begin(const struct elastic_graph *graph, uint32_t place)
{
    const struct elastic_far_list *const list = &graph->far_lists[place];
    bool const has_far = elastic_graph_shape(graph, place)->links.count & ELASTIC_HAS_FAR_EDGES;

    return (struct far_walk){graph, has_far ? list->count : 0, list->first};
}

static uint32_t far_next(struct far_walk *walk)
{
    const struct elastic_far_edge *const edge = &walk->graph->far_edges[walk->place];

    walk->left--;
    walk->place = edge->next;
    return edge->link;
}

/* Children of a node that were read and not yet let go, while they are counted. */
struct dependents {
    const struct elastic_graph *graph;
    uint64_t record, early_end;
    uint64_t count, last;
};

static void count_read(struct dependents *to, uint32_t link)
{
    uint64_t const child = to->record + store_link_distance(link);

    if (child >= to->graph->next_record || elastic_link_is_early(to->record, link, to->early_end))
        return;
    to->last = max_u64(to->last, child);
    to->count++;
}

static void count_listed(struct dependents *to, const struct store_links *links)
{
    struct store_link_list const list = store_link_list(links);

    for (uint32_t i = 0; i < list.count; i++)
        count_read(to, store_listed_link(&list, i));
}

static void count_near_and_far(struct dependents *to, const struct store_links *links, struct far_walk walk)
{
    for (unsigned i = 0; i < (links->count & STORE_NEAR_LINKS); i++)
        count_read(to, links->near[i]);
    while (walk.left > 0)
        count_read(to, far_next(&walk));
}

/* As many links has a node. */
static uint64_t link_count(const struct elastic_graph *graph, uint32_t place)
{
    const struct store_links *const links = &elastic_graph_shape(graph, place)->links;

    if (links->count & STORE_LISTS_LINKS)
        return store_link_list(links).count;
    return (links->count & STORE_NEAR_LINKS) + far_begin(graph, place).left;
}

void elastic_graph_note_dependents(struct elastic_graph *graph, uint32_t place, uint64_t record,
                                   uint64_t early_end)
{
    const struct store_links *const links = &elastic_graph_shape(graph, place)->links;
    struct dependents dependents = {.graph = graph, .record = record, .early_end = early_end};

    if (link_count(graph, place) <= graph->max_dependents)
        return;
    if (links->count & STORE_LISTS_LINKS)
        count_listed(&dependents, links);
    else
        count_near_and_far(&dependents, links, far_begin(graph, place));
    if (dependents.last < graph->forgotten || dependents.count <= graph->max_dependents)
        return;
    graph->max_dependents = dependents.count;
    graph->near_count = dependents.count < STORE_NEAR_LINKS ? (uint8_t)dependents.count : STORE_NEAR_LINKS;
}

void elastic_graph_note_all_dependents(struct elastic_graph *graph)
{
    for (uint64_t record = graph->first_record; record < graph->next_record; record++) {
        uint32_t const place = elastic_graph_place(graph, record);
        unsigned const count = elastic_graph_shape(graph, place)->links.count;
        bool const was_sent = elastic_graph_state(graph, place) == ELASTIC_LOAD_SENT;

        if (is_live(graph, place) && count > graph->near_count)
            elastic_graph_note_dependents(
                graph, place, record,
                was_sent && count & STORE_HAS_EARLY_LINKS ? graph->far_lists[place].early_end : 0);
    }
}

/* A free edge of the pool; ELASTIC_NO_PLACE if there is no memory for it. */
static uint32_t take_far_edge(struct elastic_graph *graph)
{
    uint32_t const edge = graph->free_far_edge;

    if (edge == ELASTIC_NO_PLACE) {
        if (grow_far_edges(graph))
            return take_far_edge(graph);
        graph->lacks_memory = true;
        return ELASTIC_NO_PLACE;
    }
    graph->free_far_edge = graph->far_edges[edge].next;
    return edge;
}

/* Inserts a far edge behind those to the same child or earlier ones. The list must be valid. */
static void add_far_edge(struct elastic_graph *graph, uint32_t parent, uint32_t link)
{
    struct elastic_far_list *const list = &graph->far_lists[parent];
    uint32_t const added = take_far_edge(graph), distance = store_link_distance(link);
    uint32_t before;

    if (added == ELASTIC_NO_PLACE)
        return;
    graph->far_edges[added].link = link;
    if (list->count++ == 0) {
        list->first = list->last = added;
        return;
    }
    if (store_link_distance(graph->far_edges[list->last].link) <= distance) {
        graph->far_edges[list->last].next = added;
        list->last = added;
        return;
    }
    if (store_link_distance(graph->far_edges[list->first].link) > distance) {
        graph->far_edges[added].next = list->first;
        list->first = added;
        return;
    }
    before = list->first;
    while (store_link_distance(graph->far_edges[graph->far_edges[before].next].link) <= distance)
        before = graph->far_edges[before].next;
    graph->far_edges[added].next = graph->far_edges[before].next;
    graph->far_edges[before].next = added;
}

/* ---- shapes */

/* Links of a list become near ones and far edges. */
static void take_over_list(struct elastic_graph *graph, uint32_t place, struct store_links *links)
{
    struct store_link_list const list = store_link_list(links);
    unsigned const near = list.count < STORE_NEAR_LINKS ? list.count : STORE_NEAR_LINKS;

    links->count = (uint8_t)(near | (links->count & STORE_HAS_EARLY_LINKS) | ELASTIC_HAS_FAR_EDGES);
    for (unsigned i = 0; i < near; i++)
        links->near[i] = (uint16_t)store_listed_link(&list, i);
    graph->far_lists[place].count = 0;
    for (uint32_t i = near; i < list.count; i++)
        add_far_edge(graph, place, store_listed_link(&list, i));
}

struct store_shape *elastic_graph_own_shape(struct elastic_graph *graph, uint32_t place)
{
    struct elastic_node *const node = &graph->nodes[place];
    struct store_shape *const own = &graph->own_shapes[place];

    if (node->shape != own) {
        *own = *node->shape;
        node->shape = own;
        if (own->links.count & STORE_LISTS_LINKS)
            take_over_list(graph, place, &own->links);
    }
    return own;
}

void elastic_graph_keep_shapes(struct elastic_graph *graph)
{
    uint64_t const places = graph->mask + 1, next = graph->next_record;

    for (uint64_t record = max_u64(graph->kept_records, next > places ? next - places : 0); record < next; record++) {
        uint32_t const place = elastic_graph_place(graph, record);

        if (elastic_graph_state(graph, place) != ELASTIC_GONE)
            elastic_graph_own_shape(graph, place);
    }
    graph->kept_records = graph->next_record;
}

/* ---- edges that are no links */

/* An edge that is no link, from a live parent to the record that is put. */
static void add_edge(struct elastic_graph *graph, uint32_t parent, uint32_t link)
{
    struct store_links *const links = &elastic_graph_own_shape(graph, parent)->links;
    unsigned const count = links->count & STORE_NEAR_LINKS;

    if (link & STORE_LINK_EARLY && links->type == DEP_LOAD)
        links->count |= STORE_HAS_EARLY_LINKS;
    if (count == STORE_NEAR_LINKS || link > UINT16_MAX || links->count & ELASTIC_HAS_FAR_EDGES
        || (count > 0 && store_link_distance(links->near[count - 1]) > store_link_distance(link))) {
        if (!(links->count & ELASTIC_HAS_FAR_EDGES))
            graph->far_lists[parent].count = 0;
        links->count |= ELASTIC_HAS_FAR_EDGES;
        add_far_edge(graph, parent, link);
        return;
    }
    links->near[count] = (uint16_t)link;
    links->count++;
}

/* Place of a dependence's parent; ELASTIC_NO_PLACE if it is not live. */
static uint32_t find_parent(const struct elastic_graph *graph, const struct store_record *record,
                            const struct store_lists *lists, uint64_t number, uint32_t i)
{
    uint32_t const distance = lists->record_distance[i];
    uint64_t const distance_seq = lists->seq_distance[i];
    uint32_t place;

    if (distance == 0)
        return distance_seq < graph->known_reach_seq ? ELASTIC_NO_PLACE
                                                     : find_before(graph, record->seq_num - distance_seq, number);
    place = elastic_graph_place(graph, number - distance);
    return distance <= graph->mask && is_live(graph, place) ? place : ELASTIC_NO_PLACE;
}

/* Edges of a record for which a search is due; the answer is how many. */
static uint32_t connect_by_search(struct elastic_graph *graph, const struct store_record *record,
                                  const struct store_lists *lists, uint64_t number)
{
    uint32_t const orders = lists->rob_dep_count, dependences = orders + lists->reg_dep_count;
    uint32_t const child = elastic_graph_place(graph, number);
    uint32_t added = 0;

    for (uint32_t i = 0; i < dependences; i++) {
        uint32_t const parent = find_parent(graph, record, lists, number, i);

        if (parent == ELASTIC_NO_PLACE)
            continue;
        if (i < orders)
            graph->far_lists[parent].ordered = number;
        else if (graph->far_lists[parent].ordered == number)
            continue;                /* it depends on the parent by order already: 2.4 */
        add_edge(graph, parent, store_link((child - parent) & (uint32_t)graph->mask,
                                           i < orders && record->shape->links.type != DEP_STORE));
        added++;
    }
    return added;
}

/* Connects a record to its live parents; edges up to link_reach are links already. Returns the number of dependences
 * that are still open. */
static uint32_t connect_by_distance(struct elastic_graph *graph, const struct store_lists *lists, uint64_t number,
                                    uint32_t link_reach)
{
    bool const may_be_early = elastic_graph_shape(graph, elastic_graph_place(graph, number))->links.type != DEP_STORE;
    uint32_t waits = 0;

    for (uint32_t i = 0; i < lists->edge_count; i++) {
        uint32_t const edge = lists->edges[i], distance = store_edge_distance(edge);
        uint32_t const parent = elastic_graph_place(graph, number - distance);

        if (distance > link_reach) {
            if (number - graph->first_record < distance || !is_live(graph, parent))
                continue;
            add_edge(graph, parent, store_link(distance, edge & STORE_EDGE_ORDER && may_be_early));
        }
        waits++;
    }
    return waits;
}

uint32_t elastic_graph_put_any(struct elastic_graph *graph, uint64_t number, const struct store_record *record,
                               const struct store_lists *lists, uint32_t before, uint64_t rob_number)
{
    struct elastic_row const row = elastic_graph_row(graph, number);
    uint32_t const place = elastic_graph_place(graph, number);
    uint32_t const link_reach = lists->linked_count == 0 ? 0 : before < STORE_LINK_REACH ? before : STORE_LINK_REACH;
    uint32_t waits;

    elastic_graph_put(&row, 0, record->shape, record->seq_num, rob_number);
    if (lists->has_unknown || graph->known_reach_seq == 0)
        waits = connect_by_search(graph, record, lists, number);
    else
        waits = connect_by_distance(graph, lists, number, link_reach);
    if (graph->known_reach_seq == 0)
        remember_seq(graph, record->seq_num, number);
    return graph->open_dependences[place] += waits - record->shape->link_count;
}

void elastic_graph_find_oldest(struct elastic_graph *graph)
{
    uint64_t const bound
        = graph->oldest_in_flight > graph->first_record ? graph->oldest_in_flight : graph->first_record;
    uint64_t const record = elastic_graph_first(graph, bound, ELASTIC_READY);

    if (record < graph->next_record)
        elastic_graph_set_oldest(graph, record, graph->nodes[record & graph->mask].rob_number);
    else
        elastic_graph_set_oldest(graph, UINT64_MAX, UINT64_MAX);
}

void elastic_graph_leave_behind(struct elastic_graph *graph, uint64_t first, uint64_t end)
{
    while (first < end) {
        uint32_t const place = elastic_graph_place(graph, first);
        uint64_t const row = min_u64(end - first, elastic_graph_row_length(graph, first));

        memset(&graph->states[place], 0, row * sizeof *graph->states);       /* ELASTIC_GONE */
        memset(&graph->open_dependences[place], 0, row * sizeof *graph->open_dependences);
        first += row;
    }
}
