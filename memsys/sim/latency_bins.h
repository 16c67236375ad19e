/* Coarse bins for latencies, small enough for a sample: eight an octave from 2^8 to 2^32 ps. The first bin also has all
 * that is below, the last all that is above. For exact percentiles see memsys/sim/latency_histogram.h. */
#ifndef MEMSYS_SIM_LATENCY_BINS_H
#define MEMSYS_SIM_LATENCY_BINS_H

#include <stdint.h>

#include "base/arith.h"

enum { LATENCY_BIN_FIRST_OCTAVE = 8, LATENCY_BIN_LAST_OCTAVE = 32, LATENCY_BINS_AN_OCTAVE = 8,
       LATENCY_BIN_COUNT = (LATENCY_BIN_LAST_OCTAVE - LATENCY_BIN_FIRST_OCTAVE) * LATENCY_BINS_AN_OCTAVE };

/* Lowest value of a bin: 0 of the first. */
static inline uint64_t latency_bin_floor(uint32_t bin)
{
    uint32_t const octave = LATENCY_BIN_FIRST_OCTAVE + bin / LATENCY_BINS_AN_OCTAVE;
    uint64_t const part = bin % LATENCY_BINS_AN_OCTAVE;

    return bin == 0 ? 0 : (LATENCY_BINS_AN_OCTAVE + part) << octave >> 3;
}

static inline uint32_t latency_bin(uint64_t latency_ps)
{
    uint32_t octave;

    if (latency_ps < UINT64_C(1) << LATENCY_BIN_FIRST_OCTAVE)
        return 0;
    octave = log2_down(latency_ps);
    if (octave >= LATENCY_BIN_LAST_OCTAVE)
        return LATENCY_BIN_COUNT - 1;
    return (octave - LATENCY_BIN_FIRST_OCTAVE) * LATENCY_BINS_AN_OCTAVE
           + (uint32_t)(latency_ps >> (octave - 3)) % LATENCY_BINS_AN_OCTAVE;
}

#endif
