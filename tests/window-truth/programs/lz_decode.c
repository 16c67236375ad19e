/* Expands a stream of literals and copies of what was written before. */
#include "numbers.h"
#include <stdio.h>
static uint8_t out[70000];
int main(void)
{
    size_t at = 0;
    uint64_t sum = 0;
    while (at < 16)
        out[at++] = (uint8_t)numbers_next();
    while (at < 60000) {
        uint32_t token = numbers_next();
        if (token & 3) {
            size_t length = 3 + (token >> 4 & 15), far = 1 + (token >> 8) % (at < 4096 ? at : 4096);
            for (size_t i = 0; i < length; i++, at++)
                out[at] = out[at - far];
        } else {
            for (uint32_t i = 0; i < (token >> 4 & 7); i++)
                out[at++] = (uint8_t)(token >> (8 + i));
        }
    }
    for (size_t i = 0; i < at; i++)
        sum = sum * 131 + out[i];
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
