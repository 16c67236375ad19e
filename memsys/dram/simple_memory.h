/* Simple memory: a fixed latency, and a bandwidth that reads and writes share (classic-memory 7).
 *
 * Use: simple_memory_init, set `above`, connect simple_memory_port; simple_memory_free at the end. The struct must not
 * move after init. Units: ticks are picoseconds, sizes bytes.
 * Ownership: as memsys/sim/port.h says; accepted packets without answer go back to the pool at once. */
#ifndef MEMSYS_DRAM_SIMPLE_MEMORY_H
#define MEMSYS_DRAM_SIMPLE_MEMORY_H

#include "memsys/noc/interleave.h"
#include "memsys/dram/memory_traffic.h"
#include "memsys/sim/port.h"

struct memory_params;

struct simple_response {
    uint64_t when_ps;
    struct packet *packet;
};

struct simple_memory {
    struct sim *sim;
    const char *name;                            /* in the log */
    struct above above;
    struct address_range range;
    uint64_t latency_ps, ps_per_byte;
    struct simple_response *responses;           /* in the order in which they will leave */
    size_t response_count, response_capacity;
    bool is_busy, request_retry_owed, waiting_for_response_retry;
    struct event release_event, dequeue_event;
    struct memory_traffic traffic[MAX_REQUESTORS];    /* statistics */
};

/* `name` must outlive the memory. A byte takes a whole number of ticks, rounded (classic-memory 1.1); none above 2
 * TB/s. */
struct fault simple_memory_init(struct simple_memory *memory, struct sim *sim, const char *name,
                                const struct memory_params *params);
void simple_memory_free(struct simple_memory *memory);

struct below simple_memory_port(struct simple_memory *memory);

/* Statistics begin anew. */
void simple_memory_reset_stats(struct simple_memory *memory);

/* Where in the memory a request for the line of `address` is, as one phrase; false if none is here. */
bool simple_memory_describe(const struct simple_memory *memory, uint64_t address, char *text, size_t size);

/* Adds "system.<name>". */
void simple_memory_add_stats(struct simple_memory *memory, struct stats *stats);

#endif
