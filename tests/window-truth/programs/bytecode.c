/* A machine of registers whose program is a table of random instructions without jumps back, run many times. */
#include "numbers.h"
#include <stdio.h>
static struct { uint8_t op, a, b, c; } code[300];
int main(void)
{
    uint64_t r[16];
    for (int i = 0; i < 16; i++)
        r[i] = numbers_next();
    for (int i = 0; i < 300; i++) {
        uint32_t word = numbers_next();
        code[i].op = (uint8_t)(word % 9);
        code[i].a = word >> 8 & 15;
        code[i].b = word >> 12 & 15;
        code[i].c = word >> 16 & 15;
    }
    for (int turn = 0; turn < 130; turn++)
        for (int at = 0; at < 300; at++) {
            unsigned a = code[at].a, b = code[at].b, c = code[at].c;
            switch (code[at].op) {
            case 0: r[a] = r[b] + r[c]; break;
            case 1: r[a] = r[b] - r[c]; break;
            case 2: r[a] = r[b] ^ r[c]; break;
            case 3: r[a] = r[b] << (r[c] & 31); break;
            case 4: r[a] = r[b] * (r[c] | 1); break;
            case 5: if (r[b] > r[c]) at += 1 + (int)(a & 3); break;
            case 6: r[a] = r[b] >> 3 | r[b] << 61; break;
            case 7: if (r[b] & 1) r[a]++; break;
            default: r[a] = (r[b] & r[c]) + at;
            }
        }
    printf("%llu\n", (unsigned long long)(r[0] ^ r[7] ^ r[15]));
    return 0;
}
