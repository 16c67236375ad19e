/* Hash of address bits by polynomials over GF(2) (gpu-traces 12.2), by which strided addresses spread over sets and
 * slices (Rau, "Pseudo-randomly interleaved memory", ISCA 1991).
 *
 * Use: ipoly_init once, then ipoly_hash. Ownership: plain values. */
#ifndef MEMSYS_GPU_IPOLY_H
#define MEMSYS_GPU_IPOLY_H

#include <stdint.h>

enum { IPOLY_MAX_BITS = 12, IPOLY_TABLES = 3 };

struct ipoly {
    uint16_t remainders[IPOLY_TABLES][256];      /* of each byte of the higher bits */
};

/* For results of `bits` bits, 0 to IPOLY_MAX_BITS. */
void ipoly_init(struct ipoly *ipoly, unsigned bits);

/* index: less than 2^bits; higher: the address bits above those of the index. */
static inline uint64_t ipoly_hash(const struct ipoly *ipoly, uint64_t index, uint64_t higher)
{
    return index ^ ipoly->remainders[0][higher & 255] ^ ipoly->remainders[1][higher >> 8 & 255]
           ^ ipoly->remainders[2][higher >> 16 & 255];
}

#endif
