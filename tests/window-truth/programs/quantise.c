/* Quantises blocks of a picture after a transform by columns and rows, as a coder of stills does. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
static float block[8][8], basis[8][8], half[8][8];
int main(void)
{
    long zeros = 0, sum = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            basis[i][j] = cosf((float)((2 * j + 1) * i) * 0.19634954f) * (i ? 0.5f : 0.35355339f);
    for (int turn = 0; turn < 120; turn++) {
        for (int i = 0; i < 64; i++)
            block[i / 8][i % 8] = (float)(numbers_next() & 255) - 128.0f;
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                float s = 0;
                for (int k = 0; k < 8; k++)
                    s += block[i][k] * basis[j][k];
                half[i][j] = s;
            }
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                float s = 0;
                for (int k = 0; k < 8; k++)
                    s += half[k][j] * basis[i][k];
                long q = lrintf(s / (float)(16 + 4 * (i + j)));
                zeros += q == 0;
                sum += q < 0 ? -q : q;
            }
    }
    printf("%ld %ld\n", zeros, sum);
    return 0;
}
