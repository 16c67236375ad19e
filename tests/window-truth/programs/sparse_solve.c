/* Solves a sparse lower triangular system in compressed rows, then its transpose, and checks both by the products. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
enum { ROWS = 2000, EACH = 6, TURNS = 4 };
static int start[ROWS + 1], column[ROWS * EACH];
static double value[ROWS * EACH], diagonal[ROWS], x[ROWS], b[ROWS], rest[ROWS];
int main(void)
{
    for (int row = 0; row < ROWS; row++) {
        start[row + 1] = start[row];
        for (int i = 0; i < EACH && row; i++) {
            uint32_t n = numbers_next();
            if (n % 8 == 0)
                continue;
            column[start[row + 1]] = (int)((n >> 8) % (uint32_t)row);
            value[start[row + 1]++] = (double)(n & 255) / 512 - 0.25;
        }
        diagonal[row] = 2 + (double)(numbers_next() >> 24) / 256;
        b[row] = (double)(numbers_next() >> 16) / 65536;
    }
    double worst = 0, sum = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int row = 0; row < ROWS; row++) {
            double left = b[row];
            for (int i = start[row]; i < start[row + 1]; i++)
                left -= value[i] * x[column[i]];
            x[row] = left / diagonal[row];
        }
        for (int row = 0; row < ROWS; row++) {
            double product = diagonal[row] * x[row];
            for (int i = start[row]; i < start[row + 1]; i++)
                product += value[i] * x[column[i]];
            worst = fmax(worst, fabs(product - b[row]));
            rest[row] = x[row];
        }
        for (int row = ROWS; row-- > 0;) {
            b[row] = rest[row] / diagonal[row];
            for (int i = start[row]; i < start[row + 1]; i++)
                rest[column[i]] -= value[i] * b[row];
            sum += b[row];
        }
    }
    printf("%.9f %s\n", sum, worst < 1e-9 ? "solved" : "wrong");
    return 0;
}
