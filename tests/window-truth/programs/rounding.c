/* Rounds numbers up, down and to the nearest. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
static double samples[2048];
int main(void)
{
    double sum = 0;
    for (int i = 0; i < 2048; i++)
        samples[i] = ((int)numbers_next()) / 65536.0;
    for (int turn = 0; turn < 6; turn++)
        for (int i = 0; i < 2048; i++) {
            double x = samples[i];
            sum += floor(x) * 0.5 + ceil(x * 0.25) - round(x * 1.5);
            samples[i] = x * 0.999 + rint(x) * 0.001;
        }
    printf("%.3f\n", sum);
    return 0;
}
