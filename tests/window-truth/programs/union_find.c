/* Joins random pairs by union-find with path halving. */
#include <stdint.h>
#include <stdio.h>
static uint32_t parent[65536], size[65536];
static uint32_t root(uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}
int main(void)
{
    uint32_t x = 5, joined = 0;
    for (uint32_t i = 0; i < 65536; i++) {
        parent[i] = i;
        size[i] = 1;
    }
    for (int i = 0; i < 14000; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        uint32_t a = root(x & 65535), b = root(x >> 16);
        if (a != b) {
            if (size[a] < size[b]) {
                uint32_t t = a;
                a = b;
                b = t;
            }
            parent[b] = a;
            size[a] += size[b];
            joined++;
        }
    }
    printf("%u\n", joined);
    return 0;
}
