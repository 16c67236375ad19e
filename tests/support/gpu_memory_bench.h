/* A GPU's memory with SMs that send one request in a cycle, as long as `window` of theirs are under way. Included by
 * ONE file of a test program.
 *
 * Use: start; run as often as you like; stop, which finds packets that were lost. */
#ifndef TESTS_SUPPORT_GPU_MEMORY_BENCH_H
#define TESTS_SUPPORT_GPU_MEMORY_BENCH_H

#include "memsys/dram/dram_params.h"
#include "memsys/dram/memory_params.h"
#include "memsys/gpu/gpu_memory.h"
#include "memsys/gpu/gpu_params.h"
#include "memsys/sim/sim_random.h"
#include "replay/config/device.h"
#include "tests/support/unit.h"

#define LETTERS "0000RRRRRRRRRRRRRBBBCCCCBCCSSSSS"
#define LETTERS_QV100 "0000RRRRRRRRRRRRRBBBCCCBCCCSSSSS"

enum { MAX_SMS = 128, SECTOR = 32 };

struct bench {
    struct sim sim;
    struct gpu_params params;
    struct memory_params memory_params;
    struct gpu_memory *memory;
    struct gpu_counts counts;
    struct event tick;
    bool is_stopped[MAX_SMS];
    unsigned under_way[MAX_SMS], window;
    uint64_t to_send, sent, answered, last_answer_ps;
    uint8_t *answers;                    /* by token */
    struct gpu_request (*make)(struct bench *bench, unsigned sm);
    struct random_generator random;
    uint64_t spread;
};

static void on_answer(void *self, const struct gpu_request *request)
{
    struct bench *const bench = self;

    assert_int_equal(bench->answers[request->token], 0);
    bench->answers[request->token]++;
    bench->under_way[request->sm]--;
    bench->answered++;
    bench->last_answer_ps = sim_now_ps(&bench->sim);
}

static void on_room(void *self, unsigned sm)
{
    struct bench *const bench = self;

    assert_true(bench->is_stopped[sm]);
    assert_true(gpu_memory_has_room(bench->memory, sm));
    bench->is_stopped[sm] = false;
}

static void on_tick(void *owner)
{
    struct bench *const bench = owner;

    for (unsigned sm = 0; sm < bench->params.sms && bench->sent < bench->to_send; sm++) {
        struct gpu_request request;

        if (bench->is_stopped[sm] || bench->under_way[sm] == bench->window)
            continue;
        request = bench->make(bench, sm);
        request.sm = (uint16_t)sm;
        request.token = bench->sent++;
        request.counts = &bench->counts;
        request.bytes = request.bytes ? request.bytes : SECTOR;
        bench->under_way[sm]++;
        gpu_memory_send(bench->memory, &request);
        bench->is_stopped[sm] = !gpu_memory_has_room(bench->memory, sm);
    }
    if (bench->sent < bench->to_send)
        event_schedule(&bench->sim.events, &bench->tick, sim_now_ps(&bench->sim) + bench->params.core_clock_ps);
}

static inline struct gpu_params plain_params(uint64_t sms, uint64_t channels, uint64_t clock_ps)
{
    struct gpu_params params = {.sms = sms, .core_clock_ps = clock_ps, .icnt_clock_ps = clock_ps,
                                .l2_clock_ps = clock_ps, .copies_fill_l2 = 1, .icnt_latency_cyc = 1,
                                .icnt_packet_bytes = 40, .icnt_packets = 1,
                                .icnt_queue = 512};

    params.l2.cache = (struct sector_cache_params){
        .sets = 32, .ways = 24, .line_bytes = 128, .sector_bytes = 32, .alloc = SECTOR_ON_MISS,
        .write = SECTOR_WRITE_BACK, .write_miss = SECTOR_LAZY_FETCH, .index = SET_IPOLY, .mshrs = 192, .merges = 4,
        .miss_queue = 32, .latency_cyc = 160};
    params.l2.channels = channels;
    params.l2.slices = 2;
    params.l2.interleave_bytes = 256;
    params.l2.hash = (channels & (channels - 1)) == 0 ? SLICE_IPOLY : SLICE_LINEAR;
    params.l2.dram_latency_cyc = 100;
    params.l2.queue = 64;
    strcpy(params.l2.letters, LETTERS);
    return params;
}

static inline struct memory_params plain_memory(const char *device)
{
    struct memory_params memory = {.type = MEMORY_DRAM, .channels = 1, .size_bytes = UINT64_C(1) << 28};

    strcpy(memory.device, device);
    assert_int_equal(config_device_read(&memory.dram, device).kind, FAULT_NONE);
    memory.controller = (struct controller_params){.write_high_thresh_perc = 85, .write_low_thresh_perc = 50,
                                                   .min_writes_per_switch = 16, .min_reads_per_switch = 16,
                                                   .static_backend_latency_ps = 4000, .command_window_ps = 10000};
    return memory;
}

/* commands: of DRAM commands; NULL: gem5's controllers. */
static void start(struct bench *bench, const struct gpu_params *params, const struct memory_params *memory,
                  const struct cmd_config *commands)
{
    struct gpu_sink const sink = {.answer = on_answer, .room = on_room, .self = bench};

    memset(bench, 0, sizeof *bench);
    bench->params = *params;
    bench->memory_params = *memory;
    sim_init(&bench->sim, 64);
    random_init(&bench->random, RANDOM_SEED);
    assert_fine(gpu_memory_create(&bench->memory, &bench->sim, params, memory, commands, NULL, &sink));
    event_init(&bench->tick, on_tick, bench, EVENT_DEFAULT);
    assert_int_equal(event_queue_reserve(&bench->sim.events, 1).kind, FAULT_NONE);
    gpu_memory_startup(bench->memory);
}

/* Sends `count` more requests from the next core edge on, and runs until all are answered; returns the elapsed
 * time. */
static uint64_t run(struct bench *bench, uint64_t count, unsigned window,
                    struct gpu_request (*make)(struct bench *bench, unsigned sm))
{
    uint64_t const start_ps = clock_edge_ps(sim_now_ps(&bench->sim) + 1, bench->params.core_clock_ps, 0);

    bench->window = window;
    bench->make = make;
    bench->to_send += count;
    bench->answers = realloc(bench->answers, bench->to_send);
    memset(bench->answers + bench->sent, 0, count);
    event_schedule(&bench->sim.events, &bench->tick, start_ps);
    while (!gpu_memory_idle(bench->memory) || bench->sent < bench->to_send)
        assert_true(event_queue_step(&bench->sim.events, TICK_NEVER - 1));
    assert_int_equal(bench->answered, bench->to_send);
    for (uint64_t token = 0; token < bench->to_send; token++)
        assert_int_equal(bench->answers[token], 1);
    return bench->last_answer_ps - start_ps;
}

static void stop(struct bench *bench)
{
    gpu_memory_destroy(bench->memory);
    assert_int_equal(bench->sim.packets->outstanding, 0);
    sim_free(&bench->sim);
    free(bench->answers);
}

/* The n-th sector of memory, whichever SM sends it. */
static inline struct gpu_request streaming(struct bench *bench, unsigned sm)
{
    (void)sm;
    return (struct gpu_request){.address = 0x7f0000000000 + bench->sent * SECTOR};
}

static inline struct gpu_request streaming_writes(struct bench *bench, unsigned sm)
{
    struct gpu_request request = streaming(bench, sm);

    request.kind = GPU_WRITE;
    request.byte_mask = UINT32_MAX;
    return request;
}

#endif
