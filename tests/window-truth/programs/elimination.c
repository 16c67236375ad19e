/* Gauss-Jordan elimination with partial pivoting. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
#define N 48
static double a[N][N + 1];
int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= N; j++)
            a[i][j] = (double)(numbers_next() % 2000) / 7 - 140;
    for (int c = 0; c < N; c++) {
        int pivot = c;
        for (int r = c + 1; r < N; r++)
            if (fabs(a[r][c]) > fabs(a[pivot][c]))
                pivot = r;
        for (int j = c; j <= N; j++) {
            double t = a[c][j];
            a[c][j] = a[pivot][j];
            a[pivot][j] = t;
        }
        for (int r = 0; r < N; r++) {
            if (r == c)
                continue;
            double f = a[r][c] / a[c][c];
            for (int j = c; j <= N; j++)
                a[r][j] -= f * a[c][j];
        }
    }
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i][N] / a[i][i];
    printf("%.6f\n", sum);
    return 0;
}
