/* Packs fields of messages byte by byte, and reads them back as words. */
#include "numbers.h"
#include <stdio.h>
#include <string.h>
static unsigned char buffer[1 << 14];
static size_t pack(size_t at, uint32_t tag, uint64_t value)
{
    buffer[at++] = (unsigned char)(0xc0 | (tag & 15));
    for (int shift = 56; shift >= 0; shift -= 8)
        buffer[at++] = (unsigned char)(value >> shift);
    return at;
}
int main(void)
{
    uint64_t sum = 0;
    for (int turn = 0; turn < 60; turn++) {
        size_t at = 0;
        while (at + 9 < sizeof buffer / 8) {
            uint64_t value = (uint64_t)numbers_next() << 20;
            size_t from = at;
            at = pack(at, (uint32_t)value >> 22, value);
            uint64_t word;
            memcpy(&word, buffer + (from & ~(size_t)7), 8);
            sum += word ^ value;
        }
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
