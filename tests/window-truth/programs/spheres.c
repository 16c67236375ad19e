/* Ray casting: the nearest of ten spheres for each of 1600 rays. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
int main(void)
{
    double x[10], y[10], z[10], r[10], sum = 0;
    int hits = 0;
    for (int i = 0; i < 10; i++) {
        x[i] = numbers_next() % 200 / 20.0 - 5;
        y[i] = numbers_next() % 200 / 20.0 - 5;
        z[i] = 6 + numbers_next() % 100 / 10.0;
        r[i] = 1 + numbers_next() % 10 / 10.0;
    }
    for (int v = 0; v < 40; v++)
        for (int u = 0; u < 40; u++) {
            double dx = (u - 20) / 25.0, dy = (v - 20) / 25.0, dz = 1, n = 1 / sqrt(dx * dx + dy * dy + 1), near = 1e9;
            int which = -1;
            dx *= n;
            dy *= n;
            dz *= n;
            for (int i = 0; i < 10; i++) {
                double b = x[i] * dx + y[i] * dy + z[i] * dz, c = x[i] * x[i] + y[i] * y[i] + z[i] * z[i] - r[i] * r[i],
                       d = b * b - c;
                if (d < 0)
                    continue;
                double t = b - sqrt(d);
                if (t > 0 && t < near) {
                    near = t;
                    which = i;
                }
            }
            if (which < 0)
                continue;
            hits++;
            double nx = (near * dx - x[which]) / r[which];
            sum += nx * nx;
        }
    printf("%d %.5f\n", hits, sum);
    return 0;
}
