/* A bench for the elastic CPU: ideal L1s that answer a fixed time after they accept, with a limit on outstanding
 * requests, traces in memory, and the log as a list.
 *
 * Use: BENCH_PREPARE, change what the test needs, bench_run or bench_run_to_the_end, look into `bench`; bench_tear_down
 * after each test. One bench at a time. Units: picoseconds. */
#ifndef TESTS_SUPPORT_ELASTIC_BENCH_H
#define TESTS_SUPPORT_ELASTIC_BENCH_H

#include "memsys/cache/cache.h"
#include "replay/config/core_params.h"
#include "replay/elastic/elastic_cpu.h"

#define BENCH_DEPS 4
#define BENCH_FETCH_BATCH 2
#define BENCH_LOG_LINES 512
#define BENCH_SLOTS 64
#define BENCH_NEVER UINT64_MAX       /* a latency: no answer at all */

struct bench_record {
    uint64_t seq;
    enum dep_type type;
    uint64_t delay;
    uint64_t order[BENCH_DEPS], registers[BENCH_DEPS];    /* end with 0 */
    uint64_t address;
    uint32_t size, flags, weight;
};

/* An L1 whose memory is ideal: the response comes `latency_ps` after the send. */
struct bench_l1;
struct bench_slot {
    struct event event;
    struct packet *packet;
    struct bench_l1 *l1;
};

struct bench_l1 {
    struct sim *sim;
    struct above above;
    uint64_t latency_ps;
    unsigned limit, outstanding;
    bool owes_retry;
    struct event retry;
    struct bench_slot slots[BENCH_SLOTS];
    struct request last_request;
    uint64_t last_address;
};

struct bench_line {
    uint64_t tick;
    char component[16], what[8], command[24];
    uint64_t address;
};

struct bench {
    struct sim sim;
    struct elastic_cpu cpu;
    struct core_params params;
    struct elastic_cpu_setup setup;
    struct bench_l1 l1i, l1d;
    unsigned cache_mshrs;                    /* above 0: a cache with this number is between the core and l1d ... */
    bool needs_packets;                      /* ... which the core does not try without packets */
    struct cache cache;
    const struct bench_record *records;
    size_t record_count, records_given;
    const struct packet_record *fetches;
    size_t fetch_count, fetches_given;
    size_t fault_at_record;                  /* the source fails there; SIZE_MAX: never */
    struct bench_line log[BENCH_LOG_LINES];
    size_t log_count;
    unsigned finished_calls;
    uint64_t finished_ps;
};

extern struct bench bench;

/* Do records come with links and distances, as from a store, or with numbers alone, as from a reader? bench_link, to be
 * given to cmocka, sets it. */
extern bool bench_is_linked;
int bench_link(void **state);
/* Is the fast data side bound (replay/fast/fast_core.h)? bench_bind_fast, likewise, sets it, bench_bind_fast_link
 * both. */
extern bool bench_is_fast;
int bench_bind_fast(void **state);
int bench_bind_fast_link(void **state);
/* Runs tests on the plain and the fast data side, with records of a reader and of a store; the sum of failures. */
#define BENCH_RUN_ON_ALL(tests)                                                                                       \
    (cmocka_run_group_tests_name("of a reader", tests, NULL, NULL)                                                    \
     + cmocka_run_group_tests_name("of a store", tests, bench_link, NULL)                                             \
     + cmocka_run_group_tests_name("of a reader, fast", tests, bench_bind_fast, NULL)                                 \
     + cmocka_run_group_tests_name("of a store, fast", tests, bench_bind_fast_link, NULL))

/* elastic-trace 2.17 B and C; for a window of 3. */
extern const struct bench_record bench_example_b[6];
extern const struct bench_record bench_one_store[1];

/* Period 500, lines of 64 bytes, ROB 40, buffers 16, memory of 1 MiB, answers after 2000, one fetch at tick 1000. */
void bench_prepare(uint64_t window, const struct bench_record *records, size_t count);
#define BENCH_PREPARE(window, records) bench_prepare(window, records, sizeof(records) / sizeof((records)[0]))
int bench_tear_down(void **state);

/* Builds and starts the core: what elastic_cpu_init or elastic_cpu_start says. */
struct fault bench_start(void);
/* Starts, asserts that this went well, and executes all events. */
void bench_run(void);
/* The same, and asserts what holds at the end of every run. */
void bench_run_to_the_end(void);

/* Tick of the n-th line about an address in the data log; UINT64_MAX without one. */
uint64_t bench_tick_of(const char *what, uint64_t address, int n);
/* Asserts the ticks of all fetches. */
void bench_expect_fetches(const uint64_t *ticks, size_t count);

#endif
