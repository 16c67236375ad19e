/* Packs symbols of 3 to 9 bits into bytes. */
#include <stdint.h>
#include <stdio.h>
static uint8_t out[40000];
static uint16_t code[64];
static uint8_t len[64];
int main(void)
{
    uint32_t x = 11, bits = 0, n = 0, acc = 0, pos = 0, sum = 0;
    for (int i = 0; i < 64; i++) {
        len[i] = 3 + i / 10;
        code[i] = (uint16_t)(i * 37 & ((1 << len[i]) - 1));
    }
    for (int i = 0; i < 20000; i++) {
        x = x * 1664525 + 1013904223;
        uint32_t s = (x >> 24) & (x >> 16) & 63;
        acc |= (uint32_t)code[s] << n;
        n += len[s];
        bits += len[s];
        while (n >= 8) {
            out[pos++] = (uint8_t)acc;
            acc >>= 8;
            n -= 8;
        }
    }
    for (uint32_t i = 0; i < pos; i++)
        sum = (sum << 5 | sum >> 27) ^ out[i];
    printf("%u %u\n", bits, sum);
    return 0;
}
