/* replay/fast/graph_scan.h: random states, from every record on, against one record after the other. */
#include "replay/fast/graph_scan.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

/* "it compares the same states in the same order" */
static void equals_the_plain_search(void **state)
{
    struct elastic_graph graph;

    (void)state;
    assert_int_equal(elastic_graph_init(&graph, 64, 0, 192).kind, FAULT_NONE);
    graph_scan_bind(&graph);
    for (unsigned round = 0; round < 2000; round++) {
        uint64_t const read = random_below(200), oldest = read > graph.mask ? read - graph.mask : 0;
        enum elastic_state const least = (enum elastic_state)(1 + random_below(ELASTIC_LOAD_SENT));

        for (uint64_t place = 0; place <= graph.mask; place++)
            graph.states[place] = random_below(4) ? ELASTIC_GONE : (uint16_t)random_below(ELASTIC_LOAD_SENT + 1);
        graph.next_record = read;
        for (uint64_t record = oldest; record <= read; record++)
            assert_int_equal(elastic_graph_first(&graph, record, least),
                             elastic_graph_first_plain(&graph, record, least));
    }
    elastic_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_the_plain_search)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
