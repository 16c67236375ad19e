/* Solves systems of 40 equations by LU decomposition with pivots. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
enum { N = 40 };
static double a[N][N], x[N];
int main(void)
{
    double sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < N; i++) {
            x[i] = i;
            for (int j = 0; j < N; j++)
                a[i][j] = (double)(numbers_next() & 1023) / 64 - 8;
        }
        for (int k = 0; k < N; k++) {
            int pivot = k;
            for (int i = k + 1; i < N; i++)
                if (fabs(a[i][k]) > fabs(a[pivot][k]))
                    pivot = i;
            for (int j = 0; j < N; j++) {
                double t = a[k][j];
                a[k][j] = a[pivot][j];
                a[pivot][j] = t;
            }
            double t = x[k];
            x[k] = x[pivot];
            x[pivot] = t;
            for (int i = k + 1; i < N; i++) {
                double f = a[i][k] / a[k][k];
                for (int j = k; j < N; j++)
                    a[i][j] -= f * a[k][j];
                x[i] -= f * x[k];
            }
        }
        for (int i = N - 1; i >= 0; i--) {
            for (int j = i + 1; j < N; j++)
                x[i] -= a[i][j] * x[j];
            x[i] /= a[i][i];
            sum += x[i];
        }
    }
    printf("%.6f\n", sum);
    return 0;
}
