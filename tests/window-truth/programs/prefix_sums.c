/* Sums of all beginnings of an array of 3 MiB, and differences at random places. */
#include "numbers.h"
#include <stdio.h>
enum { COUNT = 384 * 1024 };
static int64_t sums[COUNT];
int main(void)
{
    int64_t total = 0, all = 0;
    for (int i = 0; i < COUNT; i++) {
        total += (i * 37) & 255;
        sums[i] = total;
    }
    for (int turn = 0; turn < 20000; turn++) {
        uint32_t word = numbers_next();
        uint32_t from = word % COUNT, to = (word >> 7) % COUNT;
        all += sums[to] - sums[from];
    }
    printf("%lld\n", (long long)all);
    return 0;
}
