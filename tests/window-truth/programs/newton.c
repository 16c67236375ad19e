/* Roots of cubics by Newton's method, which stops when a step is small. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
int main(void)
{
    double sum = 0;
    int steps = 0;
    for (int turn = 0; turn < 2500; turn++) {
        double b = (int)(numbers_next() & 31) - 16, c = (int)(numbers_next() & 63) - 32, x = 9;
        for (int i = 0; i < 40; i++) {
            double value = ((x + b) * x + c) * x - 5, slope = (3 * x + 2 * b) * x + c;
            double step = slope != 0 ? value / slope : 0.5;
            x -= step;
            steps++;
            if (fabs(step) < 1e-9)
                break;
        }
        sum += x;
    }
    printf("%d %.3f\n", steps, sum);
    return 0;
}
