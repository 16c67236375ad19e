/* memsys/fast/queue_index.h against the plain queues: random MSHRs and writes, of which many share a line or its place
 * in the index; after each change, each search and choice is the one that walks the lists. */
#include "memsys/cache/cache_params.h"
#include "memsys/fast/queue_index.h"
#include "memsys/sim/sim_random.h"
#include "tests/support/unit.h"

#define LINE_BYTES 64
#define MSHRS 8
#define WRITES 6
#define ROUNDS 20000

static struct sim sim;
static struct cache cache;
static unsigned found, alone, chosen;
static struct random_generator generator;

static const struct cache_params params = {.size_bytes = 4096, .assoc = 2, .tag_latency_cyc = 2, .data_latency_cyc = 2,
                                           .response_latency_cyc = 2, .mshrs = MSHRS, .targets_per_mshr = 4,
                                           .demand_mshr_reserve = 1, .write_buffers = WRITES, .clock_ps = 500};

static uint32_t below(uint32_t limit)
{
    return random_uniform(&generator, 0, limit - 1);
}

/* One of 12 lines at three places of the index. */
static uint64_t random_address(void)
{
    return LINE_BYTES * (below(3) + QUEUE_INDEX_PLACES * below(4));
}

static struct packet *random_packet(enum command command)
{
    struct request request = {.requestor = 1, .size_bytes = 8, .address = random_address()};

    if (below(8) == 0)
        request.flags = REQUEST_UNCACHEABLE;
    return packet_take(sim.packets, &request, command);
}

static void free_any_mshr(void)
{
    struct mshr *const mshr = cache.mshrs[below(cache.mshr_count)];

    while (mshr->targets.first) {
        struct target *const target = target_list_pop(&mshr->targets);

        packet_give(sim.packets, target->packet);
        target_give(&cache.targets, target);
    }
    cache_free_mshr(&cache, mshr);
}

static void change(void)
{
    uint64_t const when_ps = cache_now_ps(&cache) + below(4);

    switch (below(5)) {
    case 0:
        if (cache.mshr_count < MSHRS)
            cache_allocate_mshr(&cache, random_packet(CMD_ReadReq), when_ps);
        break;
    case 1:
        if (cache.write_count < WRITES)
            cache_allocate_write(&cache, random_packet(CMD_WriteReq), when_ps);
        break;
    case 2:
        if (cache.mshr_count > 0)
            free_any_mshr();
        break;
    case 3:
        if (cache.write_count > 0)
            packet_give(sim.packets, cache_free_write(&cache, cache.writes[below(cache.write_count)]));
        break;
    default:
        if (cache.mshr_ready_count > 0)
            cache_mark_in_service(&cache, cache.mshr_ready[below(cache.mshr_ready_count)], false);
    }
}

static void compare(void)
{
    struct cache_choice const choice = cache.queues->choose(&cache), plain = cache_plain_queues.choose(&cache);

    for (uint64_t i = 0; i < 12; i++) {
        uint64_t const address = LINE_BYTES * (i % 3 + QUEUE_INDEX_PLACES * (i / 3)) + 8;

        const struct mshr *const mshr = cache_find_mshr(&cache, address);

        assert_ptr_equal(mshr, cache_plain_queues.find_mshr(&cache, address));
        assert_ptr_equal(cache_find_write(&cache, address), cache_plain_queues.find_write(&cache, address));
        found += mshr != NULL;
        alone += mshr != NULL && mshr == queue_index_of(&cache)->alone[queue_index_place(&cache, address)];
    }
    assert_ptr_equal(choice.mshr, plain.mshr);
    assert_ptr_equal(choice.write, plain.write);
    chosen += choice.mshr != NULL || choice.write != NULL;
}

static void index_finds_what_the_lists_hold(void **state)
{
    (void)state;
    random_init(&generator, 45);
    sim_init(&sim, LINE_BYTES);
    sim_add_requestor(&sim, "cpu.data");
    assert_int_equal(cache_init(&cache, &sim, "l1d", &params).kind, FAULT_NONE);
    assert_int_equal(cache_start(&cache).kind, FAULT_NONE);
    queue_index_bind(&cache);
    for (unsigned round = 0; round < ROUNDS; round++) {
        change();
        compare();
        if (round % 4 == 0)
            sim.events.now_ps++;
    }
    assert_true(found > ROUNDS && alone > ROUNDS / 10 && alone < found && chosen > ROUNDS / 2);
    cache_free(&cache);
    assert_int_equal(sim.packets->outstanding, 0);
    sim_free(&sim);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(index_finds_what_the_lists_hold)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
