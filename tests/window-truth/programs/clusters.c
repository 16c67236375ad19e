/* k-means: eight centres, points in the plane. */
#include "numbers.h"
#include <stdio.h>
#define N 900
static double x[N], y[N], cx[8], cy[8];
static int of[N];
int main(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = numbers_next() % 1000;
        y[i] = numbers_next() % 1000;
    }
    for (int k = 0; k < 8; k++) {
        cx[k] = x[k];
        cy[k] = y[k];
    }
    for (int round = 0; round < 5; round++) {
        double sx[8] = {0}, sy[8] = {0};
        int n[8] = {0};
        for (int i = 0; i < N; i++) {
            double least = 1e30;
            for (int k = 0; k < 8; k++) {
                double dx = x[i] - cx[k], dy = y[i] - cy[k], d = dx * dx + dy * dy;
                if (d < least) {
                    least = d;
                    of[i] = k;
                }
            }
            sx[of[i]] += x[i];
            sy[of[i]] += y[i];
            n[of[i]]++;
        }
        for (int k = 0; k < 8; k++)
            if (n[k]) {
                cx[k] = sx[k] / n[k];
                cy[k] = sy[k] / n[k];
            }
    }
    printf("%.3f %.3f %d\n", cx[0], cy[7], of[11]);
    return 0;
}
