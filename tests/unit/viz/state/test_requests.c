/* viz/state/state.h: which requests are found for a moment, and what stays when there is no more room. */
#include "tests/support/unit.h"
#include "viz/state/state.h"

static void put(struct request_list *list, uint32_t core, uint64_t end_ps, uint64_t took_ps)
{
    requests_put(list, &(struct telemetry_request){
        .core = core, .stop_count = 2, .stops = {{core, TELEMETRY_STOP_SEND, end_ps - took_ps},
                                                 {core, TELEMETRY_STOP_RECEIVE, end_ps}}
    });
}

/* "answered after from_ps and until to_ps, of one core or of all: the slowest first, at most `most`" */
static void the_slowest_come_first(void **state)
{
    const struct telemetry_request *found[3];
    struct request_list list = {0};

    (void)state;
    for (uint32_t i = 1; i <= 9; i++)
        put(&list, i % 2, 1000 * (uint64_t)i, 10 * (uint64_t)(i * 7 % 10));
    assert_int_equal(requests_find(&list, 1000, 5000, TELEMETRY_NONE, found, 3), 3);
    assert_int_equal(telemetry_request_latency_ps(found[0]), 80);       /* the fourth */
    assert_int_equal(telemetry_request_latency_ps(found[1]), 50);
    assert_int_equal(telemetry_request_latency_ps(found[2]), 40);
    assert_int_equal(requests_find(&list, 1000, 5000, 1, found, 3), 2);
    assert_int_equal(telemetry_request_end_ps(found[0]), 5000);
    assert_int_equal(telemetry_request_end_ps(found[1]), 3000);
    assert_int_equal(requests_find(&list, 9000, 10000, TELEMETRY_NONE, found, 3), 0);
    requests_free(&list);
    assert_int_equal(requests_find(&list, 0, 10000, TELEMETRY_NONE, found, 3), 0);
}

/* "when it is full, of each two neighbours the slower one stays, so that peaks keep theirs" */
static void peaks_stay(void **state)
{
    const struct telemetry_request *found[2];
    struct request_list list = {0};

    (void)state;
    for (uint32_t i = 1; i <= 4 * REQUESTS_MOST; i++)
        put(&list, 0, 1000 * (uint64_t)i, i == 12345 ? 900 : 10);
    assert_true(list.count <= REQUESTS_MOST);
    assert_int_equal(requests_find(&list, 0, UINT64_MAX, TELEMETRY_NONE, found, 2), 2);
    assert_int_equal(telemetry_request_end_ps(found[0]), 12345000);
    assert_int_equal(telemetry_request_latency_ps(found[1]), 10);
    requests_free(&list);
}

int main(void)
{
    struct CMUnitTest const tests[] = {cmocka_unit_test(the_slowest_come_first), cmocka_unit_test(peaks_stay)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
