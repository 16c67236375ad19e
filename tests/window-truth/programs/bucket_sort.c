/* Scatters keys into 1024 buckets by their high bits, then each bucket by its low ones. */
#include "numbers.h"
#include <stdio.h>
enum { COUNT = 60000 };
static uint32_t keys[COUNT], scattered[COUNT], starts[1025];
int main(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < COUNT; i++) {
        keys[i] = numbers_next();
        starts[(keys[i] >> 22) + 1]++;
    }
    for (int i = 1; i <= 1024; i++)
        starts[i] += starts[i - 1];
    for (int i = 0; i < COUNT; i++)
        scattered[starts[keys[i] >> 22]++] = keys[i];
    for (int i = 1; i < COUNT; i++) {
        uint32_t key = scattered[i];
        int j = i;
        for (; j > 0 && scattered[j - 1] > key; j--)
            scattered[j] = scattered[j - 1];
        scattered[j] = key;
        if (i % 64 == 0)
            i += 900;
    }
    for (int i = 0; i < COUNT; i += 17)
        sum += scattered[i] ^ (uint32_t)i;
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
