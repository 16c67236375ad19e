/* An in-place radix-2 FFT of 1024 complex doubles. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
#define N 1024
static double re[N], im[N];
int main(void)
{
    for (int i = 0; i < N; i++)
        re[i] = (double)(numbers_next() % 1000) - 500;
    for (int round = 0; round < 2; round++) {
        for (int i = 1, j = 0; i < N; i++) {
            int bit = N >> 1;
            for (; j & bit; bit >>= 1)
                j ^= bit;
            j ^= bit;
            if (i < j) {
                double t = re[i];
                re[i] = re[j];
                re[j] = t;
                t = im[i];
                im[i] = im[j];
                im[j] = t;
            }
        }
        for (int len = 2; len <= N; len *= 2) {
            double wr = cos(6.283185307179586 / len), wi = sin(6.283185307179586 / len);
            for (int i = 0; i < N; i += len) {
                double cr = 1, ci = 0;
                for (int k = 0; k < len / 2; k++) {
                    int a = i + k, b = a + len / 2;
                    double xr = re[b] * cr - im[b] * ci, xi = re[b] * ci + im[b] * cr, t = cr * wr - ci * wi;
                    re[b] = re[a] - xr;
                    im[b] = im[a] - xi;
                    re[a] += xr;
                    im[a] += xi;
                    ci = cr * wi + ci * wr;
                    cr = t;
                }
            }
        }
    }
    printf("%.3f %.3f\n", re[7], im[100]);
    return 0;
}
