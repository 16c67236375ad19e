/* Write allocator: notices streams of stores, delays their misses until whole lines have gathered, and after a while
 * stops allocating for them (classic-memory 4.13).
 *
 * Use: write_allocator_update on every cacheable write miss; write_allocator_delays before a miss of a store is sent.
 * Ownership: write_allocator_free frees what init took. The table of delays grows with the number of lines that streams
 * touched and did not finish (sim_out_of_memory). */
#ifndef MEMSYS_CACHE_WRITE_ALLOCATOR_H
#define MEMSYS_CACHE_WRITE_ALLOCATOR_H

#include "memsys/sim/sim.h"

enum write_mode { WRITE_ALLOCATE, WRITE_COALESCE, WRITE_NO_ALLOCATE };

struct write_delay {
    uint64_t line_address;           /* TICK_NEVER: free place */
    uint64_t count;                  /* how often sending is still put off */
};

struct write_allocator {
    enum write_mode mode;
    uint64_t next_address, byte_count;
    uint32_t line_bytes;
    struct write_delay *delays;      /* open addressing, a power of two of places */
    uint32_t delay_count, delay_capacity;
    const struct sim *sim;
};

/* For lines of the simulation. */
struct fault write_allocator_init(struct write_allocator *allocator, const struct sim *sim);
void write_allocator_free(struct write_allocator *allocator);
void write_allocator_update(struct write_allocator *allocator, const struct packet *packet);
/* A miss whose first target is a write is about to be sent: true if it has to wait. */
bool write_allocator_delays(struct write_allocator *allocator, uint64_t line_address, bool is_whole_line);

#endif
