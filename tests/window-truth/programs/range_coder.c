/* Codes text with an adaptive binary range coder, a tree of contexts for each byte, and decodes it again. */
#include "numbers.h"
#include <stdio.h>
#include <string.h>
enum { LENGTH = 2600, HALF = 1024, SHIFT = 5 };
static uint8_t text[LENGTH], coded[2 * LENGTH], decoded[LENGTH];
static uint16_t chances[4][256];
static uint32_t range, code, at;
static uint64_t low;
static void start(void)
{
    for (int i = 0; i < 4 * 256; i++)
        chances[i / 256][i % 256] = HALF;
    range = UINT32_MAX;
    low = at = 0;
}
static void put_byte(void)
{
    if (low >> 32) /* a carry into what is already there */
        for (uint32_t i = at; i-- > 0 && ++coded[i] == 0;)
            ;
    coded[at++] = (uint8_t)(low >> 24);
    low = low << 8 & UINT32_MAX;
}
static void put(uint16_t *chance, int bit)
{
    uint32_t bound = (range >> 11) * *chance;
    if (bit) {
        low += bound;
        range -= bound;
        *chance -= *chance >> SHIFT;
    } else {
        range = bound;
        *chance += (2048 - *chance) >> SHIFT;
    }
    for (; range < 1u << 24; range <<= 8)
        put_byte();
}
static int get(uint16_t *chance)
{
    uint32_t bound = (range >> 11) * *chance;
    int bit = code >= bound;
    if (bit) {
        code -= bound;
        range -= bound;
        *chance -= *chance >> SHIFT;
    } else {
        range = bound;
        *chance += (2048 - *chance) >> SHIFT;
    }
    for (; range < 1u << 24; range <<= 8)
        code = code << 8 | coded[at++];
    return bit;
}
int main(void)
{
    static const char *words[8] = {"the ", "of ", "memory ", "and ", "cache ", "to ", "a ", "line "};
    for (uint32_t i = 0; i < LENGTH;)
        for (const char *word = words[numbers_next() >> 29]; *word && i < LENGTH;)
            text[i++] = (uint8_t)*word++;
    start();
    for (int i = 0, before = 0; i < LENGTH; before = text[i++] & 3)
        for (int node = 1, bit = 7; bit >= 0; bit--) {
            put(&chances[before][node], text[i] >> bit & 1);
            node = 2 * node + (text[i] >> bit & 1);
        }
    for (int i = 0; i < 4; i++)
        put_byte();
    uint32_t length = at;
    start();
    for (; at < 4; at++)
        code = code << 8 | coded[at];
    for (int i = 0, before = 0; i < LENGTH; before = decoded[i++] & 3) {
        int node = 1;
        while (node < 256)
            node = 2 * node + get(&chances[before][node]);
        decoded[i] = (uint8_t)node;
    }
    printf("%u %s\n", length, memcmp(text, decoded, LENGTH) ? "wrong" : "same");
    return 0;
}
