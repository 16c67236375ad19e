/* Run-length codes of bytes with long and short runs, and their decoding. */
#include "numbers.h"
#include <stdio.h>
#include <string.h>
static uint8_t plain[20000], coded[45000], back[20000];
int main(void)
{
    size_t n = 0, m = 0, k = 0;
    while (n < sizeof plain) {
        uint32_t word = numbers_next(), run = word & 8 ? 1 : 1 + (word >> 20 & 31);
        for (uint32_t i = 0; i < run && n < sizeof plain; i++)
            plain[n++] = (uint8_t)(word >> 4 & 3);
    }
    for (size_t i = 0; i < n;) {
        size_t run = 1;
        while (i + run < n && run < 255 && plain[i + run] == plain[i])
            run++;
        coded[m++] = (uint8_t)run;
        coded[m++] = plain[i];
        i += run;
    }
    for (size_t i = 0; i < m; i += 2)
        for (uint8_t j = 0; j < coded[i]; j++)
            back[k++] = coded[i + 1];
    printf("%zu %d\n", m, memcmp(plain, back, n));
    return 0;
}
