/* How the lanes of a warp become requests to memory (gpu-traces 9), and cycles to shared memory (8.3).
 *
 * Pure functions of addresses. Units: bytes. */
#ifndef MEMSYS_GPU_COALESCE_H
#define MEMSYS_GPU_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

enum { COALESCE_MAX_LANES = 64, COALESCE_MAX_ACCESSES = 64 * 32 };

/* A request: `bytes` from `address` on, both multiples of the smallest unit of the rule. */
struct coalesced {
    uint64_t address;
    uint64_t byte_mask;                  /* bytes that lanes touch, from `address` on; up to 64 bytes, else all ones */
    uint32_t bytes;
    uint32_t lanes;                      /* how many lanes have part in it */
};

struct lane_access {
    const uint64_t *addresses;           /* by lane */
    uint64_t lanes;                      /* those that have an address */
    uint32_t width_bytes;                /* of one lane */
    bool is_atomic;                      /* lanes with the same bytes go to different requests */
};

/* Distinct requests in the order in which they are sent (section 9, "Order"); the answer is how many were written.
 * rule: enum coalescing (gpu_params.h). */
unsigned coalesce(uint64_t rule, const struct lane_access *access,
                  struct coalesced requests[COALESCE_MAX_ACCESSES]);

/* Distinct lines of `line_bytes` that the lanes touch. */
unsigned coalesce_count_lines(const struct lane_access *access, uint32_t line_bytes);

/* Cycles that shared memory takes: 1 without conflicts. first_word: only the first word of each lane counts, as in the
 * reference; else wide accesses go in phases of half and quarter warps. lane_groups: 1 (32 lanes at once) or 2 (GCN3:
 * two halves of 32). */
unsigned shared_memory_cycles(const struct lane_access *access, unsigned banks, bool first_word,
                              unsigned lane_groups);

/* Cycles that lines of 128 bytes take in `banks` banks of tags (a power of two), which all bits of a line's number
 * choose: as many as the fullest has lines; at least 1. */
unsigned coalesce_tag_cycles(const struct lane_access *access, unsigned banks);

#endif
