/* Looks keys up in a tree of wide nodes that fills 4 MiB. */
#include "numbers.h"
#include <stdio.h>
enum { NODES = 16384, KEYS = 31 };
static struct { uint32_t keys[KEYS], first; uint32_t rest[32]; } nodes[NODES];
int main(void)
{
    uint64_t found = 0;
    for (uint32_t i = 0; i < NODES; i += 3) {
        for (uint32_t k = 0; k < KEYS; k++)
            nodes[i].keys[k] = (k + 1) << 27;
        nodes[i].first = (i * 32 + 1) % NODES;
    }
    for (int turn = 0; turn < 5000; turn++) {
        uint32_t key = numbers_next(), at = 0;
        for (int level = 0; level < 4; level++) {
            uint32_t slot = 0;
            while (slot < KEYS && nodes[at].keys[slot] && nodes[at].keys[slot] <= key)
                slot++;
            key = key << 5 | key >> 27;
            found += slot;
            at = (nodes[at].first + slot * 521 + level) % NODES;
        }
    }
    printf("%llu\n", (unsigned long long)found);
    return 0;
}
