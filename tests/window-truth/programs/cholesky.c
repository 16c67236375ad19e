/* Decomposes a symmetric matrix by Cholesky and solves with it. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
enum { N = 96, TURNS = 3 };
static double a[N][N], x[N];
int main(void)
{
    double sum = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j <= i; j++)
                a[i][j] = (double)(numbers_next() & 1023) / 1024.0;
            a[i][i] += N;
            x[i] = i;
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) {
                double rest = a[i][j];
                for (int k = 0; k < j; k++)
                    rest -= a[i][k] * a[j][k];
                a[i][j] = i == j ? sqrt(rest) : rest / a[j][j];
            }
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < i; k++)
                x[i] -= a[i][k] * x[k];
            x[i] /= a[i][i];
        }
        for (int i = N - 1; i >= 0; i--) {
            for (int k = i + 1; k < N; k++)
                x[i] -= a[k][i] * x[k];
            x[i] /= a[i][i];
            sum += x[i];
        }
    }
    printf("%.9f\n", sum);
    return 0;
}
