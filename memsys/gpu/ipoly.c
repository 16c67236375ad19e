/* Modelled: gpu-traces 12.2 for 16, 32 and 64 values. For other powers of two, of which the reference has none, we take
 * the smallest primitive polynomial and 24 higher bits.
 *
 * The remainder of a sum is the sum of remainders: those of 24 single bits make the tables. */
#include "memsys/gpu/ipoly.h"

/* By the number of bits of the result: the polynomial, and how many of the higher bits count. */
static const struct {
    uint16_t polynomial;
    uint8_t higher_bits;
} polynomials[IPOLY_MAX_BITS + 1] = {
    {1, 0}, {3, 24}, {7, 24}, {0xb, 24}, {0x13, 13}, {0x25, 15}, {0x43, 19}, {0x83, 24}, {0x11d, 24}, {0x211, 24},
    {0x409, 24}, {0x805, 24}, {0x1053, 24},
};

void ipoly_init(struct ipoly *ipoly, unsigned bits)
{
    unsigned const top = 1u << bits, polynomial = polynomials[bits].polynomial;
    unsigned remainder = polynomial ^ top;       /* of x^bits */

    *ipoly = (struct ipoly){0};
    for (unsigned bit = 0; bit < polynomials[bits].higher_bits; bit++) {
        for (unsigned value = 0; value < 256; value++)
            if (value >> bit % 8 & 1)
                ipoly->remainders[bit / 8][value] ^= (uint16_t)remainder;
        remainder <<= 1;
        if (remainder & top)
            remainder ^= polynomial;
    }
}
