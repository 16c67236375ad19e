/* A stream cipher whose table of 256 bytes is swapped with each byte. */
#include "numbers.h"
#include <stdio.h>
int main(void)
{
    uint8_t s[256], i = 0, j = 0;
    uint32_t sum = 0;
    for (int k = 0; k < 256; k++)
        s[k] = (uint8_t)k;
    for (int k = 0; k < 256; k++) {
        uint8_t t = s[k];
        j = (uint8_t)(j + t + (numbers_next() & 255));
        s[k] = s[j];
        s[j] = t;
    }
    j = 0;
    for (int k = 0; k < 22000; k++) {
        i++;
        uint8_t a = s[i];
        j = (uint8_t)(j + a);
        uint8_t b = s[j];
        s[i] = b;
        s[j] = a;
        sum = sum * 33 + s[(uint8_t)(a + b)];
    }
    printf("%u\n", sum);
    return 0;
}
