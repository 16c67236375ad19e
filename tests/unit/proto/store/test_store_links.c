/* proto/store/store.h: links. */
#include "proto/store/store.h"
#include "proto/store/store_pack.h"
#include "tests/support/store_folder.h"
#include "tests/support/unit.h"

/* Records whose dependences are near, on one record that has many children, or far; some name records that are
 * missing. */
static void write_store(uint64_t count)
{
    enum { DEPS = 8 };
    static char name[] = "a trace";
    struct store_about const about = {.dep = {.tick_freq = 1000, .window_size = 5}, .fetch = {.tick_freq = 1000},
                                      .source = {{.path = name}, {.path = name}}};
    struct fault error;
    struct store_writer *const writer = store_writer_open(store_path, &error);
    uint64_t deps[DEPS], hub = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t const orders = i > 0 ? (uint32_t)pick(3) : 0, registers = i > 0 ? (uint32_t)pick(4) : 0;
        struct dep_record record = {.seq_num = 1 + 3 * i, .type = (uint8_t)(1 + pick(3)), .comp_delay = 500 * pick(9),
                                    .rob_dep_count = orders, .reg_dep_count = registers, .rob_dep = deps,
                                    .reg_dep = deps + orders};

        hub = pick(50) == 0 ? i : hub;
        for (uint32_t d = 0; d < orders + registers; d++) {
            uint64_t const reach = pick(30) == 0 ? 30000 : pick(20) == 0 ? 600 : 6;
            uint64_t const parent = pick(6) == 0 && hub < i ? hub : i - 1 - pick(i < reach ? i : reach);

            deps[d] = 1 + 3 * parent + (pick(100) == 0);
        }
        assert_true(WORKS(error, store_writer_record(writer, &record)));
    }
    assert_true(WORKS(error, store_writer_close(writer, &about)));
}

/* Of an edge: the link that its parent should have, in the order of children; 0 if it is none. */
static uint32_t link_of(uint32_t edge, const struct store_shape *shape, const struct store_lists *lists,
                        uint32_t before)
{
    uint32_t const distance = store_edge_distance(edge);

    if (lists->rob_dep_count + lists->reg_dep_count > STORE_LINKED_DEPENDENCES || lists->has_unknown
        || distance > STORE_LINK_REACH || distance > before)
        return 0;
    return store_link(distance, edge & STORE_EDGE_ORDER && shape->links.type != DEP_STORE);
}

static uint32_t link_count(const struct store_links *links)
{
    return links->count & STORE_LISTS_LINKS ? store_link_list(links).count : links->count & STORE_NEAR_LINKS;
}

static uint32_t link_at(const struct store_links *links, uint32_t i)
{
    if (links->count & STORE_LISTS_LINKS) {
        struct store_link_list const list = store_link_list(links);

        return store_listed_link(&list, i);
    }
    return links->near[i];
}

/* header: "an edge is a link if the parent is in the same block, at most STORE_LINK_REACH records back", and the rest
 * of that contract. For each parent, the number and the sum of the links that should lead to children are those of the
 * links that do. */
static void links_are_edges_seen_from_the_parent(void **state)
{
    enum { RECORDS = 60000 };
    static uint64_t counts[RECORDS], sums[RECORDS];
    struct fault error;
    struct store_record const *batch;
    size_t count, number = 0, links = 0;
    bool failed;

    write_store(RECORDS);

    struct store *const store = store_open(store_path, &error);
    struct store_records *const records = store_records_open(store, 0, &error);

    while ((batch = store_records_batch(records, &count, &failed, &error)) != NULL)
        for (size_t b = 0; b < count; b++, number++) {
            struct store_shape const *const shape = batch[b].shape;
            uint32_t const before = store_records_before(records) + (uint32_t)b;
            uint32_t linked = 0, last = 0;
            struct store_lists lists;

            assert_true(WORKS(error, store_records_lists(records, shape, &lists)));
            for (uint32_t i = 0; i < lists.edge_count; i++) {
                uint32_t const link = link_of(lists.edges[i], shape, &lists, before);

                if (link == 0)
                    continue;
                counts[number - store_link_distance(link)]++;
                sums[number - store_link_distance(link)] += link;
                linked++;
            }
            if (shape->reach <= before)
                assert_int_equal(shape->link_count, linked);
            for (uint32_t i = 0; i < link_count(&shape->links); i++) {
                uint32_t const link = link_at(&shape->links, i);

                assert_in_range(store_link_distance(link), last > 0 ? last : 1, STORE_LINK_REACH);
                last = store_link_distance(link);
                counts[number]--;
                sums[number] -= link;
                links++;
            }
        }
    assert_false(failed);
    assert_int_equal(number, RECORDS);
    assert_true(links > RECORDS / 2);
    for (number = 0; number < RECORDS; number++)
        if (counts[number] != 0 || sums[number] != 0)
            fail_msg("record %zu: %lld links missing", number, (long long)counts[number]);
    store_records_close(records);
    store_close(store);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(links_are_edges_seen_from_the_parent)};

    return cmocka_run_group_tests_name("store links", tests, set_up_store_folder, tear_down_store_folder);
}
