/* Sets and tests the bits of a Bloom filter of 512 KiB. */
#include "numbers.h"
#include <stdio.h>
enum { BITS = 1 << 22, KEYS = 30000 };
static uint64_t filter[BITS / 64];
static uint64_t hash(uint64_t key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdu;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53u;
    return key ^ key >> 33;
}
int main(void)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        uint64_t h = hash(i), step = h >> 32 | 1;
        for (int k = 0; k < 5; k++, h += step)
            filter[h % BITS / 64] |= UINT64_C(1) << (h & 63);
    }
    for (uint32_t i = 0; i < 2 * KEYS; i++) {
        uint64_t h = hash(numbers_next() & 65535), step = h >> 32 | 1;
        int k = 0;
        while (k < 5 && filter[h % BITS / 64] >> (h & 63) & 1) {
            h += step;
            k++;
        }
        found += k == 5;
    }
    printf("%u\n", found);
    return 0;
}
