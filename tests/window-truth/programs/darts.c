/* Monte Carlo estimate of the area of a circle. */
#include "numbers.h"
#include <stdio.h>
int main(void)
{
    int in = 0;
    double far = 0;
    for (int i = 0; i < 14000; i++) {
        double x = numbers_next() * (1.0 / 4294967296.0), y = numbers_next() * (1.0 / 4294967296.0), r = x * x + y * y;
        if (r < 1)
            in++;
        else if (r > far)
            far = r;
    }
    printf("%d %.5f\n", in, far);
    return 0;
}
