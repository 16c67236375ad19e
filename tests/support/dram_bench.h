/* A bench for memories: what a crossbar would do above a memory controller or a simple memory. Requests are sent at
 * chosen ticks, answers and bursts are kept as lists.
 *
 * Use: dram_bench_set_up with a device, change `params`, dram_bench_build; dram_bench_send_at, dram_bench_run_until,
 * look into `dram_bench`; dram_bench_tear_down after each test. One bench at a time. Units: picoseconds. */
#ifndef TESTS_SUPPORT_DRAM_BENCH_H
#define TESTS_SUPPORT_DRAM_BENCH_H

#include "memsys/dram/mem_ctrl.h"
#include "memsys/dram/memory_params.h"
#include "memsys/dram/simple_memory.h"

#define DRAM_BENCH_LIST 1024

struct dram_bench_request {
    uint64_t when_ps, address;
    uint32_t size_bytes, flags, header_delay_ps, payload_delay_ps;
    enum command command;
    bool accepted;
};

struct dram_bench_burst {
    uint64_t decided_ps, address, row, command_ps, ready_ps;
    unsigned rank, bank;
    bool is_read, hit;
    char channel[8];                 /* "" unless there are pseudo-channels */
};

struct dram_bench_answer {
    uint64_t when_ps, address;
    enum command command;
};

struct dram_bench {
    struct sim sim;
    struct memory_params params;
    struct mem_ctrl ctrl;
    struct simple_memory simple;
    struct below port;
    bool is_simple, refuses_answers;
    unsigned retries, refused_answers;
    uint64_t retry_ps;               /* of the last retry */
    struct dram_bench_request requests[DRAM_BENCH_LIST];
    unsigned request_count, sent_count;
    struct event send_event;
    struct dram_bench_burst bursts[DRAM_BENCH_LIST];
    unsigned burst_count;
    struct dram_bench_answer answers[DRAM_BENCH_LIST];
    unsigned answer_count;
};

extern struct dram_bench dram_bench;

/* One channel of 512 MiB of that device, everything else at its default; lines of 64 bytes. */
void dram_bench_set_up(const char *device);
/* Checks that the set-up is accepted and starts the first refreshes. */
void dram_bench_build(void);
void dram_bench_build_with_pseudo_channels(void);
void dram_bench_build_simple(void);
void dram_bench_tear_down(void);

/* Ticks must not fall. A refused request is sent again, with all that follow, when the retry comes. */
struct dram_bench_request *dram_bench_send_at(uint64_t when_ps, enum command command, uint64_t address);
void dram_bench_run_until(uint64_t tick_ps);

/* Address of the first byte of a row, with RoRaBaCoCh and one channel. */
uint64_t dram_bench_address(unsigned rank, unsigned bank, uint64_t row);

#endif
