// A wave on a grid of 1024 columns and 512 rows (or the second argument) by a stencil; a sum over columns and a sort of
// samples after each four steps.
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 1024, SAMPLES = 4096 };

static int height = 512;

static void step(const float *before, const float *now, float *after) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++) {
            int at = y * WIDTH + x;
            float around = now[at - 1] + now[at + 1] + now[at - WIDTH] + now[at + WIDTH];
            after[at] = 2 * now[at] - before[at] + 0.2f * (around - 4 * now[at]);
        }
}

static double columns(const float *now) {
    double most = 0;
    for (int x = 0; x < WIDTH; x++) {
        double sum = 0;
        for (int y = 0; y < height; y++) sum += (double)now[y * WIDTH + x];
        if (sum > most) most = sum;
    }
    return most;
}

static int by_value(const void *left, const void *right) {
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

static double median(const float *now, float *samples) {
    for (int i = 0; i < SAMPLES; i++) samples[i] = now[((unsigned)i * 40503u) % (unsigned)(WIDTH * height)];
    qsort(samples, SAMPLES, sizeof *samples, by_value);
    return (double)samples[SAMPLES / 2];
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 16;
    if (argc > 2) height = atoi(argv[2]);
    float *grid[3], *samples = malloc(SAMPLES * sizeof *samples);
    double sum = 0;
    for (int i = 0; i < 3; i++)
        if (!(grid[i] = calloc((size_t)(WIDTH * height), sizeof(float)))) return 1;
    if (!samples) return 1;
    grid[1][WIDTH * height / 2 + WIDTH / 2] = 1;
    for (int i = 0; i < steps; i++) {
        step(grid[i % 3], grid[(i + 1) % 3], grid[(i + 2) % 3]);
        if (i % 4 == 3) sum += columns(grid[(i + 2) % 3]) + median(grid[(i + 2) % 3], samples);
    }
    printf("%g\n", sum);
    return 0;
}
