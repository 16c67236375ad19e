/* Counts words of a stream in tickets: each takes its number with an atomic addition. */
#include "numbers.h"
#include <stdatomic.h>
#include <stdio.h>
static atomic_uint tickets[64];
int main(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < 12000; i++) {
        uint32_t word = numbers_next();
        uint32_t ticket = atomic_fetch_add(&tickets[word & 63], 1 + (word >> 30));
        for (int j = 0; j < 8; j++)
            sum += (ticket ^ word) >> j;
        if ((i & 15) == 0)
            atomic_store(&tickets[(word >> 8) & 63], ticket >> 1);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
