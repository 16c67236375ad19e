/* A 3 x 3 convolution of an image of bytes, with clamped coordinates and results. */
#include "numbers.h"
#include <stdio.h>
#define W 72
#define H 54
static uint8_t in[H][W], out[H][W];
int main(void)
{
    static const int weight[3][3] = {{-1, 2, -1}, {2, 5, 2}, {-1, 2, -1}};
    unsigned sum = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            in[y][x] = (uint8_t)(numbers_next() >> 7);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int v = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) {
                    int yy = y + j < 0    ? 0
                             : y + j >= H ? H - 1
                                          : y + j,
                        xx = x + i < 0    ? 0
                             : x + i >= W ? W - 1
                                          : x + i;
                    v += weight[j + 1][i + 1] * in[yy][xx];
                }
            v /= 9;
            out[y][x] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
        }
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            sum = sum * 31 + out[y][x];
    printf("%u\n", sum);
    return 0;
}
