/* Escape times of the Mandelbrot set, in double precision. */
#include <stdio.h>
int main(void)
{
    int total = 0;
    for (int y = 0; y < 48; y++)
        for (int x = 0; x < 64; x++) {
            double cr = x / 32.0 - 1.5, ci = y / 24.0 - 1.0, r = 0, i = 0;
            int k = 0;
            while (k < 60 && r * r + i * i < 4) {
                double t = r * r - i * i + cr;
                i = 2 * r * i + ci;
                r = t;
                k++;
            }
            total += k;
        }
    printf("%d\n", total);
    return 0;
}
