/* Decodes UTF-8 and counts malformed sequences. */
#include "numbers.h"
#include <stdio.h>
int main(void)
{
    static uint8_t text[40000];
    int n = 0, faults = 0;
    uint64_t sum = 0;
    while (n < 30000) {
        uint32_t r = numbers_next(), kind = r & 15;
        if (kind < 9)
            text[n++] = (uint8_t)(r >> 8 & 127);
        else if (kind < 12) {
            text[n++] = (uint8_t)(0xc2 | (r >> 8 & 28));
            text[n++] = (uint8_t)(0x80 | (r >> 16 & 63));
        } else if (kind < 15) {
            text[n++] = (uint8_t)(0xe1 | (r >> 8 & 10));
            text[n++] = (uint8_t)(0x80 | (r >> 16 & 63));
            text[n++] = (uint8_t)(0x80 | (r >> 24 & 63));
        } else
            text[n++] = (uint8_t)(r >> 8);
    }
    for (int i = 0; i < n;) {
        uint32_t c = text[i++], more, least;
        if (c < 0x80) {
            sum += c;
            continue;
        }
        if (c >= 0xc2 && c < 0xe0) {
            more = 1;
            c &= 31;
            least = 0x80;
        } else if (c >= 0xe0 && c < 0xf0) {
            more = 2;
            c &= 15;
            least = 0x800;
        } else {
            faults++;
            continue;
        }
        while (more && (text[i] & 0xc0) == 0x80) {
            c = c << 6 | (text[i++] & 63);
            more--;
        }
        if (more || c < least)
            faults++;
        else
            sum = sum * 3 + c;
    }
    printf("%d %d %llx\n", n, faults, (unsigned long long)sum);
    return 0;
}
