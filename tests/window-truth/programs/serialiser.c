/* Writes records of mixed fields into one buffer, and sums it as words of 8 bytes. */
#include "numbers.h"
#include <stdio.h>
#include <string.h>
struct record { uint8_t kind; uint16_t length; uint32_t id; uint64_t stamp; };
static _Alignas(8) unsigned char out[4096];
static size_t put(size_t at, const void *field, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[at + i] = ((const unsigned char *)field)[i];
    return at + bytes;
}
int main(void)
{
    uint64_t sum = 0, stamp = 0;
    for (int turn = 0; turn < 90; turn++) {
        size_t at = 0;
        while (at + 15 <= 1024) {
            uint32_t word = numbers_next();
            struct record record = {(uint8_t)(word & 7), (uint16_t)(word >> 16), word, stamp += word & 1023};
            at = put(at, &record.kind, 1);
            at = put(at, &record.length, 2);
            at = put(at, &record.id, 4);
            at = put(at, &record.stamp, 8);
        }
        for (size_t i = 0; i + 8 <= at; i += 8) {
            uint64_t word;
            memcpy(&word, out + i, 8);
            sum = (sum << 7 | sum >> 57) ^ word;
        }
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
