/* Decodes Golomb-Rice codes from a stream of bits. */
#include "numbers.h"
#include <stdio.h>
static uint8_t stream[1 << 15];
static uint64_t position;
static unsigned bit(void)
{
    unsigned value = stream[position >> 3 & 32767] >> (position & 7) & 1;
    position++;
    return value;
}
static unsigned rice(unsigned k)
{
    unsigned high = 0, low = 0;
    while (bit() && high < 20)
        high++;
    for (unsigned i = 0; i < k; i++)
        low = low << 1 | bit();
    return high << k | low;
}
int main(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < 1 << 15; i++)
        stream[i] = (uint8_t)(numbers_next() >> 9);
    for (int i = 0; i < 22000; i++)
        sum += rice((unsigned)i & 3);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
