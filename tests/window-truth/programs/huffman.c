/* Codes text by Huffman's tree and decodes it bit by bit. */
#include "numbers.h"
#include <stdio.h>
enum { LENGTH = 22000, SYMBOLS = 32 };
static uint8_t text[LENGTH], coded[LENGTH], decoded[LENGTH];
static uint32_t counts[2 * SYMBOLS], codes[SYMBOLS], bits[SYMBOLS];
static int16_t left[2 * SYMBOLS], right[2 * SYMBOLS], parent[2 * SYMBOLS];
int main(void)
{
    int nodes = SYMBOLS;
    size_t at = 0, wrong = 0;
    for (int i = 0; i < LENGTH; i++) {
        uint32_t n = numbers_next();
        text[i] = (uint8_t)__builtin_ctz(n | 1u << 15) + (uint8_t)(n >> 28);
        counts[text[i] & 31]++;
        text[i] &= 31;
    }
    for (int i = 0; i < SYMBOLS; i++) {
        counts[i]++;
        left[i] = -1;
    }
    while (nodes < 2 * SYMBOLS - 1) {
        int least[2] = {-1, -1};
        for (int i = 0; i < nodes; i++) {
            if (parent[i])
                continue;
            if (least[0] < 0 || counts[i] < counts[least[0]]) {
                least[1] = least[0];
                least[0] = i;
            } else if (least[1] < 0 || counts[i] < counts[least[1]]) {
                least[1] = i;
            }
        }
        counts[nodes] = counts[least[0]] + counts[least[1]];
        left[nodes] = (int16_t)least[0];
        right[nodes] = (int16_t)least[1];
        parent[least[0]] = parent[least[1]] = (int16_t)nodes;
        nodes++;
    }
    for (int i = 0; i < SYMBOLS; i++)
        for (int node = i; parent[node]; node = parent[node])
            codes[i] |= (uint32_t)(right[parent[node]] == node) << bits[i]++;
    for (int i = 0; i < LENGTH; i++)
        for (uint32_t bit = bits[text[i]]; bit-- > 0; at++)
            coded[at >> 3] |= (uint8_t)((codes[text[i]] >> bit & 1) << (at & 7));
    at = 0;
    for (int i = 0; i < LENGTH; i++) {
        int node = nodes - 1;
        while (left[node] >= 0) {
            node = coded[at >> 3] >> (at & 7) & 1 ? right[node] : left[node];
            at++;
        }
        decoded[i] = (uint8_t)node;
        wrong += decoded[i] != text[i];
    }
    printf("%zu %zu\n", at, wrong);
    return 0;
}
