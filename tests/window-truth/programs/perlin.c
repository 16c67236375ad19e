/* Gradient noise over a grid, of three octaves. */
#include "numbers.h"
#include <stdio.h>
static uint8_t order[512];
static double fade(double t) { return t * t * t * (t * (t * 6 - 15) + 10); }
static double slope(uint8_t hash, double x, double y) { return ((hash & 1) ? -x : x) + ((hash & 2) ? -y : y); }
static double noise(double x, double y)
{
    int ix = (int)x, iy = (int)y;
    double fx = x - ix, fy = y - iy, u = fade(fx), v = fade(fy);
    uint8_t a = (uint8_t)(order[ix & 255] + iy), b = (uint8_t)(order[(ix + 1) & 255] + iy);
    double low = slope(order[a], fx, fy) * (1 - u) + slope(order[b], fx - 1, fy) * u;
    double high = slope(order[a + 1], fx, fy - 1) * (1 - u) + slope(order[b + 1], fx - 1, fy - 1) * u;
    return low * (1 - v) + high * v;
}
int main(void)
{
    double sum = 0;
    for (int i = 0; i < 256; i++)
        order[i] = order[i + 256] = (uint8_t)(numbers_next() >> 11);
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++) {
            double size = 1, value = 0;
            for (int octave = 0; octave < 3; octave++, size *= 2)
                value += noise(x * 0.07 * size, y * 0.09 * size) / size;
            sum += value > 0 ? value : -value;
        }
    printf("%.6f\n", sum);
    return 0;
}
