/* The Viterbi algorithm: 12 states, 220 symbols. */
#include "numbers.h"
#include <stdio.h>
#define S 12
#define T 220
static float move[S][S], emit[S][8], score[2][S];
static uint8_t from[T][S];
int main(void)
{
    for (int i = 0; i < S; i++) {
        for (int j = 0; j < S; j++)
            move[i][j] = -(float)(numbers_next() % 1000) / 100;
        for (int j = 0; j < 8; j++)
            emit[i][j] = -(float)(numbers_next() % 700) / 100;
    }
    for (int t = 1; t < T; t++) {
        uint32_t seen = numbers_next() & 7;
        for (int j = 0; j < S; j++) {
            float best = -1e30f;
            for (int i = 0; i < S; i++) {
                float s = score[(t - 1) & 1][i] + move[i][j];
                if (s > best) {
                    best = s;
                    from[t][j] = (uint8_t)i;
                }
            }
            score[t & 1][j] = best + emit[j][seen];
        }
    }
    int state = 3, sum = 0;
    for (int t = T - 1; t > 0; t--) {
        state = from[t][state];
        sum = sum * 5 + state;
    }
    printf("%d\n", sum);
    return 0;
}
