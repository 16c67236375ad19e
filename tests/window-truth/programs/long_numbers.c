/* Multiplies and divides numbers of 40 words. */
#include "numbers.h"
#include <stdio.h>
enum { WORDS = 40, TURNS = 45 };
static uint64_t a[WORDS], b[WORDS], product[2 * WORDS];
int main(void)
{
    uint64_t sum = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        uint64_t rest = 0, divisor = numbers_next() | 1;
        for (int i = 0; i < WORDS; i++) {
            a[i] = (uint64_t)numbers_next() << 32 | numbers_next();
            b[i] = a[i] * 7 + (uint64_t)turn;
        }
        for (int i = 0; i < 2 * WORDS; i++)
            product[i] = 0;
        for (int i = 0; i < WORDS; i++) {
            uint64_t carry = 0;
            for (int j = 0; j < WORDS; j++) {
                unsigned __int128 t = (unsigned __int128)a[i] * b[j] + product[i + j] + carry;
                product[i + j] = (uint64_t)t;
                carry = (uint64_t)(t >> 64);
            }
            product[i + WORDS] = carry;
        }
        for (int i = 2 * WORDS; i-- > 0;)
            for (int half = 32; half >= 0; half -= 32) {
                rest = rest << 32 | (product[i] >> half & 0xffffffff);
                sum += rest / divisor;
                rest %= divisor;
            }
        sum ^= rest;
    }
    printf("%llx\n", (unsigned long long)sum);
    return 0;
}
