/* memsys/telemetry/telemetry.h, memsys/telemetry/telemetry_ring.h, memsys/noc/address_heat.h: layout of samples,
 * rates, a fast writer and slow readers. */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memsys/noc/address_heat.h"
#include "memsys/telemetry/telemetry_ring.h"
#include "memsys/telemetry/telemetry.h"
#include "tests/support/unit.h"

/* ---- layout */

static void read_squares(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    values[0] = field->argument * field->argument;
    values[1] = now_ps;
}

/* "Fills word_count words": the head, then each field's values in the order of the layout. */
static void a_sample_is_laid_out_field_by_field(void **state)
{
    struct { uint64_t wanted, other; } rows[3] = {{1, 9}, {2, 9}, {3, 9}};
    struct telemetry telemetry;
    uint64_t words[16];
    uint32_t component;

    telemetry_init(&telemetry);
    component = telemetry_add_component(&telemetry, TELEMETRY_CACHE, TELEMETRY_NONE, "l1");
    telemetry_add(&telemetry, &(struct telemetry_field){.component = component, .name = "rows", .count = 3,
                                                        .source = &rows[0].wanted, .stride = sizeof rows[0]});
    telemetry_add(&telemetry, &(struct telemetry_field){.component = component, .name = "squares", .count = 2,
                                                        .read = read_squares, .argument = 7});
    assert_int_equal(telemetry_freeze(&telemetry).kind, FAULT_NONE);
    assert_int_equal(telemetry.word_count, TELEMETRY_HEAD + 5);
    telemetry.since_ps = 5;
    telemetry_read(&telemetry, 100, words);
    telemetry_read(&telemetry, 200, words);
    uint64_t const expected[] = {1, 200, 5, 1, 2, 3, 49, 200};
    assert_memory_equal(words, expected, sizeof expected);
    assert_ptr_equal(telemetry_find(&telemetry, component, "squares"), &telemetry.fields[1]);
    assert_null(telemetry_find(&telemetry, component, "cubes"));
    telemetry_free(&telemetry);
}

/* Where statistics restarted in between, the counts since then. */
static void rates_survive_a_restart(void **state)
{
    struct telemetry_field const counter = {.first = TELEMETRY_HEAD, .count = 1, .kind = TELEMETRY_COUNTER};
    struct telemetry_field const integral = {.first = TELEMETRY_HEAD, .count = 1, .kind = TELEMETRY_INTEGRAL};
    struct telemetry_field const level = {.first = TELEMETRY_HEAD, .count = 1, .kind = TELEMETRY_LEVEL};
    uint64_t const before[] = {0, 1000, 0, 50}, words[] = {1, 3000, 0, 250}, restarted[] = {2, 4000, 3500, 10};

    assert_true(telemetry_rate(&counter, 0, before, words) == 200e12 / 2000);
    assert_true(telemetry_rate(&counter, 0, words, restarted) == 10e12 / 500);
    assert_true(telemetry_rate(&counter, 0, NULL, words) == 250e12 / 3000);
    assert_true(telemetry_rate(&integral, 0, before, words) == 0.1);
    assert_true(telemetry_rate(&level, 0, before, words) == 250);
}

/* "off by at most 6 %" */
static void latency_percentiles_are_close(void **state)
{
    struct telemetry_field const field = {.first = TELEMETRY_HEAD, .count = LATENCY_BIN_COUNT,
                                          .kind = TELEMETRY_BINS};
    uint64_t words[TELEMETRY_HEAD + LATENCY_BIN_COUNT], before[TELEMETRY_HEAD + LATENCY_BIN_COUNT] = {0};

    for (uint32_t bin = 0; bin < LATENCY_BIN_COUNT; bin++) {
        assert_int_equal(latency_bin(latency_bin_floor(bin)), bin);
        if (bin > 0)
            assert_int_equal(latency_bin(latency_bin_floor(bin) - 1), bin - 1);
    }
    assert_int_equal(latency_bin(UINT64_MAX), LATENCY_BIN_COUNT - 1);
    for (uint64_t exact = 300; exact < UINT64_C(1) << 32; exact = exact * 5 / 4) {
        memset(words, 0, sizeof words);
        words[TELEMETRY_HEAD + latency_bin(exact)] = 90;
        words[TELEMETRY_HEAD + LATENCY_BIN_COUNT - 1] = 10;
        double const found = (double)telemetry_latency_percentile(&field, before, words, 50);
        assert_true(found > 0.935 * (double)exact && found < 1.065 * (double)exact);
        assert_int_equal(telemetry_latency_percentile(&field, before, words, 95),
                         latency_bin_floor(LATENCY_BIN_COUNT - 1));
    }
    assert_int_equal(telemetry_latency_percentile(&field, words, words, 50), 0);
}

/* ---- ring */

enum { WORDS = 101, SLOTS = 8, SAMPLES = 200000 };

static void fill(uint64_t *words, uint64_t number)
{
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = number * 1000 + i;
}

/* A sample is one that fill made, whole. */
static void check_whole(const uint64_t *words, uint64_t *number)
{
    *number = words[0] / 1000;
    for (unsigned i = 0; i < WORDS; i++)
        assert_int_equal(words[i], *number * 1000 + i);
}

static void *new_memory(size_t *bytes)
{
    void *memory;

    *bytes = telemetry_ring_bytes(WORDS, SLOTS, 5);
    memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

/* "it is too slow, samples are overwritten before it has read them, and it learns how many" */
static void a_slow_reader_loses_samples_and_knows(void **state)
{
    struct telemetry_ring writer, reader;
    uint64_t words[WORDS], number;
    size_t bytes;
    void *const memory = new_memory(&bytes);

    telemetry_ring_create(&writer, memory, WORDS, SLOTS, "text", 5);
    assert_int_equal(telemetry_ring_open(&reader, memory, bytes).kind, FAULT_NONE);
    assert_string_equal(reader.header, "text");
    assert_false(telemetry_ring_next(&reader, words));
    for (uint64_t i = 0; i < 3; i++) {
        fill(words, i);
        telemetry_ring_put(&writer, words);
    }
    assert_true(telemetry_ring_next(&reader, words));
    check_whole(words, &number);
    assert_int_equal(number, 0);
    for (uint64_t i = 3; i < 20; i++) {
        fill(words, i);
        telemetry_ring_put(&writer, words);
    }
    assert_true(telemetry_ring_next(&reader, words));
    check_whole(words, &number);
    assert_int_equal(number, 20 - SLOTS);
    assert_int_equal(reader.lost, 20 - SLOTS - 1);
    assert_true(telemetry_ring_newest(&reader, words));
    check_whole(words, &number);
    assert_int_equal(number, 19);
    assert_false(telemetry_ring_newest(&reader, words));
    assert_int_equal(reader.lost, 20 - 3);
    assert_false(telemetry_ring_has_ended(&reader));
    telemetry_ring_end(&writer);
    assert_true(telemetry_ring_has_ended(&reader));
    munmap(memory, bytes);
}

static void *write_all(void *ring)
{
    uint64_t words[WORDS];

    for (uint64_t i = 0; i < SAMPLES; i++) {
        fill(words, i);
        telemetry_ring_put(ring, words);
    }
    telemetry_ring_end(ring);
    return NULL;
}

/* Reads until the end; taken and lost samples together are all samples, in order. */
static void read_all(struct telemetry_ring *reader, bool is_slow)
{
    uint64_t words[WORDS], number, expected = 0, taken = 0;
    bool has_ended;

    do {
        has_ended = telemetry_ring_has_ended(reader);
        while (telemetry_ring_next(reader, words)) {
            check_whole(words, &number);
            assert_true(number >= expected);
            expected = number + 1;
            taken++;
            if (is_slow)
                usleep(100);
        }
    } while (!has_ended);
    assert_int_equal(taken + reader->lost, SAMPLES);
    assert_int_equal(expected, SAMPLES);
}

/* "A reader gets each sample whole or not at all" */
static void a_fast_writer_never_tears_a_sample(void **state)
{
    struct telemetry_ring writer, reader, slow;
    pthread_t thread;
    size_t bytes;
    void *const memory = new_memory(&bytes);

    telemetry_ring_create(&writer, memory, WORDS, SLOTS, "text", 5);
    assert_int_equal(telemetry_ring_open(&reader, memory, bytes).kind, FAULT_NONE);
    slow = reader;
    assert_int_equal(pthread_create(&thread, NULL, write_all, &writer), 0);
    read_all(&reader, false);
    assert_int_equal(pthread_join(thread, NULL), 0);
    read_all(&(struct telemetry_ring){.head = slow.head, .word_count = WORDS, .slot_count = SLOTS,
                                      .header_bytes = 5}, true);
    munmap(memory, bytes);
}

/* "in other processes": one is killed in the middle, the writer and the other one do not notice. */
static void readers_in_other_processes_may_die(void **state)
{
    struct telemetry_ring writer, reader;
    int status;
    size_t bytes;
    void *const memory = new_memory(&bytes);
    pid_t killed, sound;

    telemetry_ring_create(&writer, memory, WORDS, SLOTS, "text", 5);
    killed = fork();
    if (killed == 0) {
        uint64_t words[WORDS];

        for (;;)
            if (telemetry_ring_open(&reader, memory, bytes).kind == FAULT_NONE)
                telemetry_ring_newest(&reader, words);
    }
    sound = fork();
    if (sound == 0) {
        if (telemetry_ring_open(&reader, memory, bytes).kind != FAULT_NONE)
            _exit(1);
        read_all(&reader, true);
        _exit(0);
    }
    kill(killed, SIGKILL);
    write_all(&writer);
    assert_int_equal(waitpid(killed, &status, 0), killed);
    assert_int_equal(waitpid(sound, &status, 0), sound);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    munmap(memory, bytes);
}

/* "FAULT_INPUT if it is no ring, or not all of it" */
static void other_files_than_rings_are_refused(void **state)
{
    struct telemetry_ring ring;
    size_t bytes;
    void *const memory = new_memory(&bytes);

    assert_int_equal(telemetry_ring_open(&ring, memory, bytes).kind, FAULT_INPUT);
    telemetry_ring_create(&ring, memory, WORDS, SLOTS, "text", 5);
    assert_int_equal(telemetry_ring_open(&ring, memory, bytes - 1).kind, FAULT_INPUT);
    assert_int_equal(telemetry_ring_open(&ring, memory, 8).kind, FAULT_INPUT);
    assert_int_equal(telemetry_ring_open(&ring, memory, bytes).kind, FAULT_NONE);
    munmap(memory, bytes);
}

/* ---- map of addresses */

/* "each access is counted exactly once", in the region that holds its address; against a list of all of them */
static void every_access_has_its_region(void **state)
{
    enum { ACCESSES = 4000 };
    static uint64_t addresses[ACCESSES];

    srand(3);
    for (unsigned spread = 10; spread < 44; spread += 3) {
        struct address_heat heat = {0};
        uint64_t expected[ADDRESS_HEAT_REGIONS] = {0}, middle = UINT64_C(0x123456789000);

        for (unsigned i = 0; i < ACCESSES; i++) {
            uint64_t const bits = (uint64_t)rand() << 31 ^ (uint64_t)rand();

            addresses[i] = middle + (bits & ((UINT64_C(1) << spread) - 1)) - (UINT64_C(1) << spread) / 2;
            address_heat_count(&heat, addresses[i]);
        }
        assert_int_equal(heat.base & ((UINT64_C(1) << heat.shift) - 1), 0);
        for (unsigned i = 0; i < ACCESSES; i++) {
            assert_true(addresses[i] >= heat.base);
            assert_true((addresses[i] - heat.base) >> heat.shift < ADDRESS_HEAT_REGIONS);
            expected[(addresses[i] - heat.base) >> heat.shift]++;
        }
        assert_memory_equal(heat.counts, expected, sizeof expected);
        /* not wider than needed */
        if (spread > ADDRESS_HEAT_FIRST_SHIFT + 9)
            assert_in_range(heat.shift, spread - 8, spread - 8 + 1);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_is_laid_out_field_by_field),
        cmocka_unit_test(rates_survive_a_restart),
        cmocka_unit_test(latency_percentiles_are_close),
        cmocka_unit_test(a_slow_reader_loses_samples_and_knows),
        cmocka_unit_test(a_fast_writer_never_tears_a_sample),
        cmocka_unit_test(readers_in_other_processes_may_die),
        cmocka_unit_test(other_files_than_rings_are_refused),
        cmocka_unit_test(every_access_has_its_region)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
