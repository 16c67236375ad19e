/* Modelled: elastic-trace 2.4 (de-duplication) and 2.5 (which parents count), and the oldest member of the in-flight
 * map of 2.3, which is looked for only when a lower bound does not do. Not modelled here: when nodes issue and execute
 * (elastic_data.c).
 *
 * Finding a parent. A store tells how many records back it stands; what lies too far back for that is searched for,
 * seldom. For a reader's records newest_by_seq maps the low bits of a sequence number to the last record that has
 * them. If the record found has a smaller number than the wanted one, the wanted one is not in the ring, else it would
 * be that record or an earlier one. If it has a larger number, a younger record hides the wanted one, and the ring,
 * whose sequence numbers rise, is searched by halving; with a table of twice the ring's places that is rare.
 *
 * Invariants: live nodes lie in [first_record, next_record), which is never longer than the ring; places of that
 * range keep their sequence number even when their node is gone. far_lists[place] counts if near_count has
 * ELASTIC_HAS_FAR. Every far edge is in the list of a node or in that of the free ones. */
#include "replay/elastic_graph.h"

#include <stdlib.h>
#include <string.h>

#include "memsys/host_lines.h"

#define MOST_PLACES (UINT64_C(1) << 30)
#define NEAR_REACH (UINT64_C(1) << 15)       /* an edge of 16 bits holds shorter distances */

static bool is_live(const struct elastic_graph *graph, uint32_t place)
{
    return graph->states[place] >= ELASTIC_WAITING;
}

static void remember_seq(struct elastic_graph *graph, uint64_t seq_num, uint64_t record)
{
    graph->newest_by_seq[seq_num & graph->seq_mask] = (uint32_t)record;
}

static bool allocate(struct elastic_graph *graph, uint64_t places)
{
    graph->nodes = host_lines_zeroed(places, sizeof *graph->nodes);
    graph->accesses = calloc(places, sizeof *graph->accesses);
    graph->seq_nums = calloc(places, sizeof *graph->seq_nums);
    graph->open_dependences = calloc(places, sizeof *graph->open_dependences);
    graph->states = calloc(places, sizeof *graph->states);
    graph->newest_by_seq = calloc(2 * places, sizeof *graph->newest_by_seq);
    graph->far_lists = calloc(places, sizeof *graph->far_lists);
    graph->mask = places - 1;
    graph->seq_mask = 2 * places - 1;
    graph->direct_reach = graph->known_reach_seq == 0 ? 0 : places < NEAR_REACH ? places : NEAR_REACH;
    return graph->nodes && graph->accesses && graph->seq_nums && graph->open_dependences && graph->states
        && graph->newest_by_seq && graph->far_lists;
}

static void free_arrays(struct elastic_graph *graph)
{
    host_lines_free(graph->nodes);
    free(graph->accesses);
    free(graph->seq_nums);
    free(graph->open_dependences);
    free(graph->states);
    free(graph->newest_by_seq);
    free(graph->far_lists);
}

static struct fault out_of_memory(uint64_t places)
{
    return fault_make(FAULT_MEMORY, "out of memory for a dependence graph of %llu records", (unsigned long long)places);
}

/* Moves all into a ring of `places` nodes. Edges are distances and stay what they are. */
static struct fault resize(struct elastic_graph *graph, uint64_t places)
{
    struct elastic_graph old = *graph;

    if (places > MOST_PLACES)
        return fault_make(FAULT_MEMORY, "more than %llu records wait for each other", (unsigned long long)MOST_PLACES);
    if (!allocate(graph, places)) {
        free_arrays(graph);
        *graph = old;
        return out_of_memory(places);
    }
    for (uint64_t record = old.first_record; record < old.next_record; record++) {
        uint64_t const place = record & graph->mask, old_place = record & old.mask;

        graph->nodes[place] = old.nodes[old_place];
        graph->accesses[place] = old.accesses[old_place];
        graph->seq_nums[place] = old.seq_nums[old_place];
        graph->open_dependences[place] = old.open_dependences[old_place];
        graph->states[place] = old.states[old_place];
        graph->far_lists[place] = old.far_lists[old_place];
        remember_seq(graph, graph->seq_nums[place], record);
    }
    free_arrays(&old);
    return fault_none();
}

/* Twice as many far edges; false if there is no memory for them. */
static bool grow_far_edges(struct elastic_graph *graph)
{
    uint32_t const old_places = graph->far_edge_places, places = 2 * old_places;
    struct elastic_far_edge *const edges
        = old_places < MOST_PLACES ? realloc(graph->far_edges, places * sizeof *edges) : NULL;

    if (!edges)
        return false;
    for (uint32_t edge = old_places; edge < places; edge++)
        edges[edge].next = edge + 1 < places ? edge + 1 : ELASTIC_NO_PLACE;
    graph->far_edges = edges;
    graph->free_far_edge = old_places;
    graph->far_edge_places = places;
    return true;
}

static void find_room(struct elastic_graph *graph)
{
    graph->node_room = graph->mask + 1 - (graph->next_record - graph->first_record);
}

struct fault elastic_graph_init(struct elastic_graph *graph, uint64_t places, uint64_t known_reach_seq)
{
    uint64_t rounded = 64;

    while (rounded < places && rounded < MOST_PLACES)
        rounded *= 2;
    *graph = (struct elastic_graph){.known_reach_seq = known_reach_seq, .oldest_in_flight = UINT64_MAX,
                                    .oldest_rob_number = INT64_MAX};
    FAULT_TRY(resize(graph, rounded));
    find_room(graph);
    graph->far_edges = malloc(sizeof *graph->far_edges);
    if (!graph->far_edges)
        return out_of_memory(rounded);
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

/* The first record from `record` on whose state is at least `state`; next_record if there is none. Looks at four states
 * at once where four lie in a row: each is below 2^15, so that adding 2^15 - state to it sets its highest bit if it
 * counts. */
static uint64_t first_of_state(const struct elastic_graph *graph, uint64_t record, enum elastic_state state)
{
    uint64_t const ones = UINT64_C(0x0001000100010001);
    uint64_t const addend = ones * (UINT64_C(0x8000) - state);

    while (record < graph->next_record) {
        if (record % 4 == 0) {
            uint64_t four;

            memcpy(&four, &graph->states[record & graph->mask], sizeof four);
            if (((four + addend) & ones * 0x8000) == 0) {
                record += 4;
                continue;
            }
        }
        if (graph->states[record & graph->mask] >= state)
            return record;
        record++;
    }
    return graph->next_record;
}

struct fault elastic_graph_reserve(struct elastic_graph *graph)
{
    graph->first_record = first_of_state(graph, graph->first_record, ELASTIC_WAITING);
    find_room(graph);
    if (graph->node_room == 0)
        FAULT_TRY(resize(graph, 2 * (graph->mask + 1)));
    find_room(graph);
    return fault_none();
}

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

static void note_longest(struct elastic_graph *graph, uint64_t dependents)
{
    if (dependents <= graph->max_dependents)
        return;
    graph->max_dependents = dependents;
    graph->plain_edges = (uint16_t)(dependents < ELASTIC_NEAR_EDGES ? dependents : ELASTIC_NEAR_EDGES);
}

static void add_far_edge(struct elastic_graph *graph, uint32_t parent, uint32_t edge)
{
    struct elastic_node *const node = &graph->nodes[parent];
    struct elastic_far_list *const list = &graph->far_lists[parent];
    uint32_t added;

    if (graph->free_far_edge == ELASTIC_NO_PLACE && !grow_far_edges(graph)) {
        graph->lacks_memory = true;
        return;
    }
    added = graph->free_far_edge;
    graph->free_far_edge = graph->far_edges[added].next;
    graph->far_edges[added].edge = edge;
    if (node->near_count & ELASTIC_HAS_FAR)
        graph->far_edges[list->last].next = added;
    else
        *list = (struct elastic_far_list){.first = added};
    node->near_count |= ELASTIC_HAS_FAR;
    list->last = added;
    list->count++;
    note_longest(graph, list->count + (node->near_count & ~ELASTIC_HAS_FAR));
}

OUT_OF_LINE void elastic_graph_add_edge(struct elastic_graph *graph, uint32_t parent, uint32_t edge)
{
    struct elastic_node *const node = &graph->nodes[parent];

    if (node->near_count >= ELASTIC_NEAR_EDGES || edge > UINT16_MAX) {
        add_far_edge(graph, parent, edge);
        return;
    }
    node->near[node->near_count++] = (uint16_t)edge;
    note_longest(graph, node->near_count);
}

/* Place of a dependence's parent; ELASTIC_NO_PLACE if it is not live. */
static uint32_t find_parent(const struct elastic_graph *graph, const struct store_record *record, uint64_t number,
                            uint32_t i)
{
    uint32_t const distance = record->shape->record_distance[i];
    uint64_t const distance_seq = record->shape->seq_distance[i];
    uint32_t place;

    if (distance == 0)
        return distance_seq < graph->known_reach_seq ? ELASTIC_NO_PLACE
                                                     : find_before(graph, record->seq_num - distance_seq, number);
    place = elastic_graph_place(graph, number - distance);
    return distance <= graph->mask && is_live(graph, place) ? place : ELASTIC_NO_PLACE;
}

/* Newest edge of a node; 0 if it has none. */
static uint32_t last_edge(const struct elastic_graph *graph, uint32_t parent)
{
    const struct elastic_node *const node = &graph->nodes[parent];

    if (node->near_count & ELASTIC_HAS_FAR)
        return graph->far_edges[graph->far_lists[parent].last].edge;
    return node->near_count ? node->near[node->near_count - 1] : 0;
}

uint32_t elastic_graph_connect_by_search(struct elastic_graph *graph, const struct store_record *record,
                                         uint64_t number)
{
    const struct store_shape *const shape = record->shape;
    uint32_t const orders = shape->rob_dep_count, dependences = orders + shape->reg_dep_count;
    uint32_t const child = elastic_graph_place(graph, number);
    uint32_t added = 0;

    for (uint32_t i = 0; i < dependences; i++) {
        uint32_t const parent = find_parent(graph, record, number, i);

        uint32_t edge;

        if (parent == ELASTIC_NO_PLACE)
            continue;
        edge = store_edge((child - parent) & (uint32_t)graph->mask, i < orders);
        if (i >= orders && last_edge(graph, parent) == (edge | STORE_EDGE_ORDER))
            continue;                /* it depends on the parent by order already: 2.4 */
        elastic_graph_add_edge(graph, parent, edge);
        added++;
    }
    if (graph->known_reach_seq == 0)
        remember_seq(graph, record->seq_num, number);
    return added;
}

void elastic_graph_find_oldest(struct elastic_graph *graph)
{
    uint64_t const bound
        = graph->oldest_in_flight > graph->first_record ? graph->oldest_in_flight : graph->first_record;
    uint64_t const record = first_of_state(graph, bound, ELASTIC_READY);

    if (record < graph->next_record) {
        graph->oldest_in_flight = record;
        graph->oldest_rob_number = graph->nodes[record & graph->mask].rob_number;
    } else {
        graph->oldest_in_flight = UINT64_MAX;
        graph->oldest_rob_number = INT64_MAX;
    }
}
