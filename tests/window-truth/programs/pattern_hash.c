/* Rabin-Karp search for a pattern. */
#include "numbers.h"
#include <stdio.h>
#include <string.h>
int main(void)
{
    static char text[30001];
    const char *pattern = "abacabad";
    uint32_t want = 0, sum = 0, top = 1, hits = 0, tries = 0;
    for (int i = 0; i < 30000; i++)
        text[i] = (char)('a' + (numbers_next() >> 9 & numbers_next() >> 5 & 3));
    for (int i = 0; i < 8; i++) {
        want = want * 257 + (uint8_t)pattern[i];
        sum = sum * 257 + (uint8_t)text[i];
        if (i)
            top *= 257;
    }
    for (int i = 0; i + 8 <= 30000; i++) {
        if ((sum & 63) == (want & 63)) {
            tries++;
            hits += memcmp(text + i, pattern, 8) == 0;
        }
        sum = (sum - (uint8_t)text[i] * top) * 257 + (uint8_t)text[i + 8];
    }
    printf("%u %u\n", hits, tries);
    return 0;
}
