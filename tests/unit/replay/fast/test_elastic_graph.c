/* replay/fast/graph.h: edges, look-up by sequence number, growth, the oldest node in flight; random differentials
 * against plain arrays. */
#include "replay/fast/graph.h"
#include "tests/support/unit.h"

static struct elastic_graph graph;

static uint64_t seq_of[200000];              /* by record number */

static int set_up(void **state)
{
    assert_int_equal(elastic_graph_init(&graph, 1, 0, 192).kind, FAULT_NONE);
    return 0;
}

/* The same, but dependences come with their distances in records, as from a store. */
static int set_up_with_distances(void **state)
{
    assert_int_equal(elastic_graph_init(&graph, 1, 1000, 192).kind, FAULT_NONE);
    return 0;
}

static int tear_down(void **state)
{
    elastic_graph_free(&graph);
    return 0;
}

/* 0 if there is no such record, or it lies further back than a store tells. */
static uint32_t distance_to(uint64_t seq_num, uint64_t parent)
{
    for (uint64_t record = graph.next_record; record-- > 0 && seq_of[record] >= parent;)
        if (seq_of[record] == parent)
            return seq_num - parent <= graph.known_reach_seq ? (uint32_t)(graph.next_record - record) : 0;
    return 0;
}

struct added {
    uint32_t open_dependences;
};

/* Adds a computation; dependences end with 0. */
static struct added add(uint64_t seq_num, const uint64_t *order, const uint64_t *registers)
{
    enum { MOST = 16 };
    uint64_t seq_distance[MOST];
    uint32_t record_distance[MOST], edges[MOST];
    struct store_lists lists = {.seq_distance = seq_distance, .record_distance = record_distance};
    struct store_shape const shape = {.links.type = DEP_COMP, .reach = UINT16_MAX};
    struct store_record const record = {.shape = &shape, .seq_num = seq_num};
    uint32_t count = 0;

    for (; order && order[lists.rob_dep_count]; lists.rob_dep_count++, count++)
        seq_distance[count] = seq_num - order[lists.rob_dep_count];
    for (; registers && registers[lists.reg_dep_count]; lists.reg_dep_count++, count++)
        seq_distance[count] = seq_num - registers[lists.reg_dep_count];
    for (uint32_t i = 0; i < count; i++)
        record_distance[i] = graph.known_reach_seq ? distance_to(seq_num, seq_num - seq_distance[i]) : 0;
    store_lists_complete(&lists, edges, graph.known_reach_seq);
    if (graph.node_room == 0)
        assert_int_equal(elastic_graph_reserve(&graph).kind, FAULT_NONE);
    seq_of[graph.next_record] = seq_num;
    count = elastic_graph_put_any(&graph, graph.next_record, &record, &lists, 0, seq_num);
    elastic_graph_advance(&graph, 1);
    elastic_graph_keep_shapes(&graph);
    assert_int_equal(graph.open_dependences[elastic_graph_place(&graph, graph.next_record - 1)], count);
    return (struct added){count};
}

/* Completes a node as its owner does: drops the edges, then retires. Whatever it waited for let it go. */
static void finish(uint64_t record)
{
    uint32_t const place = elastic_graph_place(&graph, record);

    if (elastic_graph_shape(&graph, place)->links.count & ELASTIC_HAS_FAR_EDGES)
        elastic_graph_free_far_edges(&graph, place);
    graph.open_dependences[place] = 0;
    elastic_graph_retire(&graph, place, ELASTIC_GONE);
}

/* Edges of a live node, in their order; the answer is how many. */
static size_t edges_of(uint64_t record, uint32_t *edges)
{
    uint32_t const place = elastic_graph_place(&graph, record);
    const struct store_links *const links = &elastic_graph_shape(&graph, place)->links;
    size_t count = 0;

    for (; count < (links->count & STORE_NEAR_LINKS); count++)
        edges[count] = links->near[count];
    if (links->count & ELASTIC_HAS_FAR_EDGES) {
        uint32_t far = graph.far_lists[place].first;

        for (uint32_t i = 0; i < graph.far_lists[place].count; i++, far = graph.far_edges[far].next)
            edges[count++] = graph.far_edges[far].link;
    }
    return count;
}

/* How many records wait for the live node with this sequence number. */
static size_t dependents_of(uint64_t seq_num)
{
    static uint32_t edges[200000];
    uint32_t const place = elastic_graph_find(&graph, seq_num);
    uint64_t record = graph.first_record;

    assert_int_not_equal(place, ELASTIC_NO_PLACE);
    while (elastic_graph_place(&graph, record) != place)
        record++;
    return edges_of(record, edges);
}

/* Record numbers of the dependents of a record, in their order, are `children`, which end with 0. */
static void expect_children(uint64_t record, const uint64_t *children)
{
    static uint32_t edges[200000];
    size_t const count = edges_of(record, edges);
    size_t i;

    for (i = 0; children[i]; i++) {
        assert_true(i < count);
        assert_int_equal(record + store_link_distance(edges[i]), children[i]);
    }
    assert_int_equal(i, count);
}

#define LIST(...) (const uint64_t[]){__VA_ARGS__, 0}

/* "A dependence is an edge in the list of the parent, in the order in which children were read" */
static void edges_are_in_file_order(void **state)
{
    uint32_t edges[3];

    add(10, NULL, NULL);
    add(20, LIST(10), NULL);
    add(30, NULL, LIST(10));
    assert_int_equal(add(40, LIST(10), LIST(20)).open_dependences, 2);
    assert_int_equal(dependents_of(10), 3);
    expect_children(0, LIST(1, 2, 3));
    edges_of(0, edges);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal((edges[i] & STORE_LINK_EARLY) != 0, i != 1);
    elastic_graph_note_all_dependents(&graph);
    assert_int_equal(graph.max_dependents, 3);
}

/* "a register dependence beside an order dependence is dropped (2.4); one edge is one occurrence" */
static void repeated_dependences(void **state)
{
    add(1, NULL, NULL);
    add(2, NULL, NULL);
    assert_int_equal(add(3, LIST(1, 1), LIST(1, 2, 2, 1)).open_dependences, 4);
    assert_int_equal(dependents_of(1), 2);
    assert_int_equal(dependents_of(2), 2);
}

/* "an edge for each dependence on a node that is live" */
static void complete_filtered_and_unknown_parents_do_not_count(void **state)
{
    add(5, NULL, NULL);
    add(7, NULL, NULL);
    finish(0);
    assert_int_equal(add(9, LIST(5, 6), LIST(1, 8, 7)).open_dependences, 1);
}

static void enter_flight(uint64_t record)
{
    elastic_graph_enter_flight(&graph, elastic_graph_place(&graph, record), record);
}

static void leave_flight(uint64_t record)
{
    elastic_graph_set_state(&graph, elastic_graph_place(&graph, record), ELASTIC_WAITING);
}

/* "the ring doubles when a new record would meet a live one" */
static void a_live_node_survives_growth(void **state)
{
    add(1, NULL, NULL);
    enter_flight(0);
    for (uint64_t i = 1; i < 1000; i++) {
        assert_int_equal(add(i + 1, LIST(1), NULL).open_dependences, 1);
        enter_flight(i);
        leave_flight(i);
        finish(i);
    }
    assert_int_equal(graph.mask + 1, graph.link_room > 0 ? 2048 : 1024);
    assert_int_equal(elastic_graph_live_count(&graph), 1);
    assert_int_equal(dependents_of(1), 999);
    elastic_graph_note_all_dependents(&graph);
    assert_int_equal(graph.max_dependents, 999);
    assert_int_equal(graph.oldest_in_flight, 0);
    elastic_graph_find_oldest(&graph);
    assert_int_equal(graph.oldest_in_flight, 0);
}

/* Without a live node to hold on to, a ring of 64 places serves any number of records. */
static void the_ring_does_not_grow_without_need(void **state)
{
    for (uint64_t i = 0; i < 10000; i++) {
        add(i + 1, LIST(i), NULL);
        if (i >= 20)
            finish(i - 20);
    }
    assert_int_equal(graph.mask + 1, 64);
}

/* Gaps of any size between sequence numbers: every live node is found, nothing else is. */
static void look_up_agrees_with_a_plain_search(void **state)
{
    enum { RECORDS = 4000 };
    static uint64_t seq_nums[RECORDS];
    static char live[RECORDS];
    uint64_t seq_num = 0;

    srand(11);
    memset(live, 0, sizeof live);
    for (uint64_t i = 0; i < RECORDS; i++) {
        static const uint64_t gaps[] = {1, 1, 2, 64, 128, 4096, 1 << 20};

        seq_nums[i] = seq_num += gaps[(unsigned)rand() % 7] * (1 + (unsigned)rand() % 3);
        add(seq_num, NULL, NULL);
        live[i] = 1;
        if (rand() % 10) {
            uint64_t const done = i - (uint64_t)rand() % (i < 90 ? i + 1 : 90);

            if (live[done]) {
                finish(done);
                live[done] = 0;
            }
        }
        for (uint64_t back = 0; back < 100 && back <= i; back++) {
            uint32_t const found = elastic_graph_find(&graph, seq_nums[i - back]);

            assert_int_equal(found != ELASTIC_NO_PLACE, live[i - back]);
            assert_true(found == ELASTIC_NO_PLACE || graph.seq_nums[found] == seq_nums[i - back]);
        }
        assert_int_equal(elastic_graph_find(&graph, seq_num + 1), ELASTIC_NO_PLACE);
        if (i > 0 && seq_nums[i] - seq_nums[i - 1] > 1)
            assert_int_equal(elastic_graph_find(&graph, seq_nums[i] - 1), ELASTIC_NO_PLACE);
    }
}

static void the_oldest_in_flight_is_the_smallest(void **state)
{
    enum { RECORDS = 3000 };
    static char in_flight[RECORDS];

    srand(5);
    memset(in_flight, 0, sizeof in_flight);
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint64_t const low = i < 60 ? 0 : i - 60;
        uint64_t oldest = low;

        add(i + 1, NULL, NULL);
        for (int turn = 0; turn < 3; turn++) {
            uint64_t const picked = low + (uint64_t)rand() % (i - low + 1);

            if (in_flight[picked])
                leave_flight(picked);
            else if (elastic_graph_state(&graph, elastic_graph_place(&graph, picked)) != ELASTIC_GONE)
                enter_flight(picked);
            else
                continue;
            in_flight[picked] ^= 1;
        }
        if (i >= 60) {
            if (in_flight[low])
                leave_flight(low);
            in_flight[low] = 0;
            finish(low);
        }
        while (oldest <= i && !in_flight[oldest])
            oldest++;
        assert_true(graph.oldest_in_flight <= oldest || oldest > i);    /* a lower bound at any time */
        if (i % 3)
            continue;
        elastic_graph_find_oldest(&graph);
        assert_int_equal(graph.oldest_in_flight, oldest > i ? UINT64_MAX : oldest);
        assert_int_equal(graph.oldest_rob_number, oldest > i ? UINT64_MAX : oldest + 1);
    }
    assert_int_equal(graph.mask + 1, 64);
}

/* "free again when they are given back": any number of records needs no more than those alive at once. */
static void far_edges_are_used_again(void **state)
{
    uint32_t places = 0;

    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t const parent = i / 20 * 20 + 1;         /* twenty children each, in groups */

        add(i + 1, i + 1 > parent ? LIST(parent) : NULL, NULL);
        if (i % 20 == 19)
            for (uint64_t done = i - 19; done <= i; done++)
                finish(done);
        if (i == 100)
            places = graph.far_edge_places;
    }
    assert_int_equal(graph.far_edge_places, places);
    assert_false(graph.lacks_memory);
}

/* An edge too long for the node goes into the pool, and so do all after it. */
static void long_edges_keep_the_order(void **state)
{
    static uint64_t children[4] = {40000, 40001, 40002, 0};
    uint32_t edges[3];

    add(1, NULL, NULL);
    for (uint64_t i = 1; i < 40000; i++) {
        add(i + 1, NULL, NULL);
        finish(i);
    }
    for (uint64_t i = 40000; i < 40003; i++)
        add(i + 1, i == 40001 ? LIST(1) : NULL, i == 40001 ? NULL : LIST(1));
    expect_children(0, children);
    edges_of(0, edges);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(edges[i], store_link(40000 + i, i == 1));
}

/* Each node keeps its children in their order while both rings grow under it. */
static void lists_survive_growth(void **state)
{
    enum { RECORDS = 600 };
    static uint64_t children[RECORDS][RECORDS + 1];
    static size_t counts[RECORDS];

    srand(3);
    memset(children, 0, sizeof children);
    memset(counts, 0, sizeof counts);
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint64_t deps[9] = {0};
        unsigned const count = i == 0 ? 0 : (unsigned)rand() % 9;

        for (unsigned k = 0; k < count; k++) {
            uint64_t const parent = (uint64_t)rand() % i;

            deps[k] = 7 * (parent + 1);
            children[parent][counts[parent]++] = i;
        }
        assert_int_equal(add(7 * (i + 1), i % 2 ? deps : NULL, i % 2 ? NULL : deps).open_dependences,
                         count);
    }
    assert_true(graph.mask + 1 >= RECORDS);
    for (uint64_t i = 0; i < RECORDS; i++)
        expect_children(i, children[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(edges_are_in_file_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(repeated_dependences, set_up, tear_down),
        cmocka_unit_test_setup_teardown(complete_filtered_and_unknown_parents_do_not_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_live_node_survives_growth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_ring_does_not_grow_without_need, set_up, tear_down),
        cmocka_unit_test_setup_teardown(look_up_agrees_with_a_plain_search, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_in_flight_is_the_smallest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(far_edges_are_used_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_edges_keep_the_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lists_survive_growth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(edges_are_in_file_order, set_up_with_distances, tear_down),
        cmocka_unit_test_setup_teardown(repeated_dependences, set_up_with_distances, tear_down),
        cmocka_unit_test_setup_teardown(complete_filtered_and_unknown_parents_do_not_count, set_up_with_distances,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_live_node_survives_growth, set_up_with_distances, tear_down),
        cmocka_unit_test_setup_teardown(lists_survive_growth, set_up_with_distances, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
