/* Transposes a matrix of 512 by 512 numbers, in blocks and without. */
#include <stdio.h>
static double a[512][512], b[512][512];
int main(void)
{
    double sum = 0;
    for (int i = 0; i < 512; i += 2)
        for (int j = 0; j < 512; j += 8)
            a[i][j] = i * 3 + j;
    for (int i = 0; i < 128; i++)
        for (int j = 0; j < 512; j++)
            b[j][i] = a[i][j];
    for (int bi = 0; bi < 512; bi += 16)
        for (int bj = 0; bj < 256; bj += 16)
            for (int i = bi; i < bi + 16; i++)
                for (int j = bj; j < bj + 16; j++)
                    b[j][i] += a[i][j];
    for (int i = 0; i < 512; i += 7)
        sum += b[i][511 - i];
    printf("%g\n", sum);
    return 0;
}
