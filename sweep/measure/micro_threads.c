#include "sweep/measure/micro_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>


enum { LINE = 64, CHUNK_BYTES = 256, PIECE_BYTES = 64 * 1024 };

#define WINDOW_S 300e-6

/* One of the threads; each has lines of its own. */
struct worker {
    _Alignas(LINE) atomic_uint_fast64_t done;        /* operations */
    _Alignas(LINE) struct crew *crew;
    pthread_t thread;
    uint64_t begin, end, at;             /* its part of the memory */
    unsigned core;
};

struct crew {
    const struct micro_bench *bench;
    struct worker *workers;
    unsigned count;
    atomic_bool stops;
};

/* ---- reads */
static void read_piece(struct worker *worker)
{
    struct micro_state state = worker->crew->bench->state;

    if (worker->at + PIECE_BYTES > worker->end)
        worker->at = worker->begin;
    state.r[11] = worker->at;
    state.count = PIECE_BYTES / CHUNK_BYTES;
    micro_run(&worker->crew->bench->code, &state);
    worker->at += PIECE_BYTES;
    atomic_fetch_add_explicit(&worker->done, PIECE_BYTES / CHUNK_BYTES, memory_order_relaxed);
}

static void *work(void *context)
{
    struct worker *const worker = context;

    host_pin(worker->core);
    while (!atomic_load_explicit(&worker->crew->stops, memory_order_relaxed))
        read_piece(worker);
    return NULL;
}

static void read_done(const struct crew *crew, uint64_t done[HOST_MOST_CORES])
{
    for (unsigned i = 0; i < crew->count; i++)
        done[i] = atomic_load_explicit(&crew->workers[i].done, memory_order_relaxed);
}

/* Operations of all since then; 0: one of them has done less than half of what the caller has, so it did not run. */
static uint64_t done_since(const struct crew *crew, const uint64_t before[HOST_MOST_CORES])
{
    uint64_t now[HOST_MOST_CORES], sum = 0;

    read_done(crew, now);
    for (unsigned i = 0; i < crew->count; i++) {
        if (2 * (now[i] - before[i]) < now[0] - before[0])
            return 0;
        sum += now[i] - before[i];
    }
    return sum;
}

static void watch_windows(struct crew *crew, const struct measured_host *host, unsigned windows,
                          micro_threads_take *take, void *context)
{
    double const wanted = WINDOW_S * host->ticks_per_s;

    for (unsigned i = 0; i < windows; i++) {
        uint64_t const start = host_ticks(host->counter);
        uint64_t before[HOST_MOST_CORES], now, done;

        read_done(crew, before);
        do {
            read_piece(&crew->workers[0]);
            now = host_ticks(host->counter);
        } while ((double)(now - start) < wanted);
        done = done_since(crew, before);
        if (done > 0)
            take(context, (double)(now - start) / (double)done);
    }
}

static void place_worker(struct crew *crew, unsigned i, const struct micro_memory *memory,
                         const struct measured_host *host)
{
    uint64_t const share = memory->large_bytes / crew->count / PIECE_BYTES * PIECE_BYTES;
    struct worker *const worker = &crew->workers[i];

    worker->crew = crew;
    worker->begin = worker->at = (uint64_t)(uintptr_t)memory->large + i * share;
    worker->end = worker->begin + share;
    worker->core = host->cores[host->core_count - 1 - i];
    atomic_init(&worker->done, 0);
}

static struct fault run_crew(struct crew *crew, const struct micro_memory *memory, const struct measured_host *host,
                             unsigned windows, micro_threads_take *take, void *context)
{
    unsigned made = 1;

    for (unsigned i = 0; i < crew->count; i++)
        place_worker(crew, i, memory, host);
    while (made < crew->count && pthread_create(&crew->workers[made].thread, NULL, work, &crew->workers[made]) == 0)
        made++;
    if (made == crew->count)
        watch_windows(crew, host, windows, take, context);
    atomic_store(&crew->stops, true);
    for (unsigned i = 1; i < made; i++)
        pthread_join(crew->workers[i].thread, NULL);
    return made == crew->count ? fault_none() : fault_memory("measure", "threads of all cores");
}

struct fault micro_threads_read(struct micro_memory *memory, const struct measured_host *host, unsigned core_count,
                                unsigned windows, micro_threads_take *take, void *context)
{
    struct micro_case const what = {.kind = CASE_READ, .bytes = memory->large_bytes};
    struct micro_bench bench;
    struct crew crew = {.bench = &bench, .count = core_count};
    struct fault fault;

    FORWARD(micro_bench_make(&bench, &what, memory));
    crew.workers = aligned_alloc(LINE, core_count * sizeof *crew.workers);
    fault = crew.workers ? run_crew(&crew, memory, host, windows, take, context)
                         : fault_memory("measure", "threads of all cores");
    free(crew.workers);
    micro_bench_free(&bench);
    return fault;
}

/* ---- a line that two cores hand to each other */
struct hands {
    _Alignas(LINE) atomic_uint_fast64_t turn;        /* even: the caller's, odd: the other's */
    _Alignas(LINE) atomic_bool stops;
    unsigned core;
};

static void *hand_back(void *context)
{
    struct hands *const hands = context;

    host_pin(hands->core);
    while (!atomic_load_explicit(&hands->stops, memory_order_relaxed)) {
        uint64_t const turn = atomic_load_explicit(&hands->turn, memory_order_acquire);

        if (turn % 2 == 1)
            atomic_store_explicit(&hands->turn, turn + 1, memory_order_release);
    }
    return NULL;
}

/* The ticks of a window, or until it is certain that the other thread does not run. *rounds: there and back. */
static double hand_over(struct hands *hands, const struct measured_host *host, unsigned *rounds)
{
    enum { ROUNDS = 100 };
    uint64_t const start = host_ticks(host->counter);
    double const most = WINDOW_S * host->ticks_per_s;

    for (*rounds = 0; *rounds < ROUNDS; ++*rounds) {
        uint64_t const turn = atomic_load_explicit(&hands->turn, memory_order_relaxed) + 1;
        unsigned looks = 0;

        atomic_store_explicit(&hands->turn, turn, memory_order_release);
        while (atomic_load_explicit(&hands->turn, memory_order_acquire) == turn)
            if (++looks % 1024 == 0 && (double)(host_ticks(host->counter) - start) > most)
                break;
        if (atomic_load_explicit(&hands->turn, memory_order_acquire) == turn)
            break;
    }
    return (double)(host_ticks(host->counter) - start);
}

/* Waits, as long as it takes, until the other one has handed it back. */
static void wait_for_turn(struct hands *hands)
{
    while (atomic_load_explicit(&hands->turn, memory_order_acquire) % 2 == 1)
        ;
}

struct fault micro_threads_hand(const struct measured_host *host, unsigned windows, micro_threads_take *take,
                                void *context)
{
    struct hands hands = {.core = host->cores[0]};
    pthread_t other;

    if (pthread_create(&other, NULL, hand_back, &hands) != 0)
        return fault_memory("measure", "a second thread");
    for (unsigned i = 0; i < windows; i++) {
        unsigned rounds;
        double const ticks = hand_over(&hands, host, &rounds);

        if (rounds > 0)
            take(context, ticks / rounds / 2);
        wait_for_turn(&hands);
    }
    atomic_store(&hands.stops, true);
    pthread_join(other, NULL);
    return fault_none();
}
