/* Shortens a tour by simulated annealing. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
enum { CITIES = 64, TURNS = 9000 };
static double x[CITIES], y[CITIES];
static int tour[CITIES];
static double way(int i, int j)
{
    double dx = x[tour[i]] - x[tour[j % CITIES]], dy = y[tour[i]] - y[tour[j % CITIES]];
    return sqrt(dx * dx + dy * dy);
}
int main(void)
{
    double heat = 0.5, length = 0;
    for (int i = 0; i < CITIES; i++) {
        x[i] = numbers_next() / 4294967296.0;
        y[i] = numbers_next() / 4294967296.0;
        tour[i] = i;
    }
    for (int turn = 0; turn < TURNS; turn++, heat *= 0.9995) {
        int i = (int)(numbers_next() % (CITIES - 2)), j = i + 1 + (int)(numbers_next() % (uint32_t)(CITIES - 2 - i));
        double before = way(i, i + 1) + way(j, j + 1), after;
        int city = tour[i + 1];
        tour[i + 1] = tour[j];
        tour[j] = city;
        after = way(i, i + 1) + way(j, j + 1);
        if (after > before && exp((before - after) / heat) < numbers_next() / 4294967296.0) {
            tour[j] = tour[i + 1];
            tour[i + 1] = city;
        }
    }
    for (int i = 0; i < CITIES; i++)
        length += way(i, i + 1);
    printf("%.6f\n", length);
    return 0;
}
