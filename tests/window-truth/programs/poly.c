/* Evaluates series by Horner's rule with fused multiply-adds, in single and double precision. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
enum { POINTS = 5000, TERMS = 12 };
static float singles[TERMS];
static double doubles[TERMS];
int main(void)
{
    double sum = 0;
    for (int i = 0; i < TERMS; i++)
        doubles[i] = singles[i] = 1.0f / (float)(i + 1);
    for (int i = 0; i < POINTS; i++) {
        float x = (float)(numbers_next() & 0xffff) / 65536.0f, one = 0;
        double z = x, other = 0;
        for (int k = TERMS; k-- > 0;) {
            one = fmaf(one, x, singles[k]);
            other = fma(other, z, doubles[k]);
        }
        sum += one - other;
        sum += (double)(long)(other * 16);
    }
    printf("%.9g\n", sum);
    return 0;
}
