/* Hashes a message with the rounds of SHA-512 (constants are not the standard's). */
#include "numbers.h"
#include <stdio.h>
enum { BLOCKS = 420 };
static uint64_t rounds[80], state[8];
static uint64_t turned(uint64_t x, int by)
{
    return x >> by | x << (64 - by);
}
int main(void)
{
    for (int i = 0; i < 80; i++)
        rounds[i] = (uint64_t)numbers_next() << 32 | numbers_next();
    for (int i = 0; i < 8; i++)
        state[i] = rounds[i] * 3;
    for (int block = 0; block < BLOCKS; block++) {
        uint64_t w[80], s[8];
        for (int i = 0; i < 16; i++)
            w[i] = (uint64_t)block * 0x9E3779B97F4A7C15u + (uint64_t)i;
        for (int i = 16; i < 80; i++)
            w[i] = w[i - 16] + w[i - 7] + (turned(w[i - 15], 1) ^ turned(w[i - 15], 8) ^ w[i - 15] >> 7)
                   + (turned(w[i - 2], 19) ^ turned(w[i - 2], 61) ^ w[i - 2] >> 6);
        for (int i = 0; i < 8; i++)
            s[i] = state[i];
        for (int i = 0; i < 80; i++) {
            uint64_t one = s[7] + (turned(s[4], 14) ^ turned(s[4], 18) ^ turned(s[4], 41))
                           + ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + w[i];
            uint64_t two = (turned(s[0], 28) ^ turned(s[0], 34) ^ turned(s[0], 39))
                           + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            for (int j = 7; j > 0; j--)
                s[j] = s[j - 1];
            s[4] += one;
            s[0] = one + two;
        }
        for (int i = 0; i < 8; i++)
            state[i] += s[i];
    }
    printf("%016llx\n", (unsigned long long)state[0]);
    return 0;
}
