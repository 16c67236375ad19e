/* Dijkstra's shortest paths on a grid; a linear scan finds the next node. */
#include "numbers.h"
#include <stdio.h>
#define N 196
static int weight[N][4], distance[N], done[N];
int main(void)
{
    static const int step[4] = {1, -1, 14, -14};
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++)
            weight[i][k] = (int)(numbers_next() % 90) + 1;
    for (int i = 0; i < N; i++)
        distance[i] = 1 << 30;
    distance[0] = 0;
    for (int round = 0; round < N; round++) {
        int best = -1;
        for (int i = 0; i < N; i++)
            if (!done[i] && (best < 0 || distance[i] < distance[best]))
                best = i;
        done[best] = 1;
        for (int k = 0; k < 4; k++) {
            int to = best + step[k];
            if (to < 0 || to >= N || done[to])
                continue;
            if (distance[best] + weight[best][k] < distance[to])
                distance[to] = distance[best] + weight[best][k];
        }
    }
    printf("%d %d\n", distance[N - 1], distance[N / 2]);
    return 0;
}
