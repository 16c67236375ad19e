/* Breadth-first search of a random graph of 30,000 nodes. */
#include "numbers.h"
#include <stdio.h>
enum { NODES = 30000, DEGREE = 4 };
static uint32_t edges[NODES][DEGREE], queue[NODES];
static int16_t depth[NODES];
int main(void)
{
    uint32_t head = 0, tail = 0;
    for (int i = 0; i < NODES; i++) {
        depth[i] = -1;
        for (int j = 0; j < DEGREE; j++)
            edges[i][j] = numbers_next() % NODES;
    }
    queue[tail++] = 0;
    depth[0] = 0;
    while (head < tail) {
        uint32_t at = queue[head++];
        for (int j = 0; j < DEGREE; j++) {
            uint32_t next = edges[at][j];
            if (depth[next] < 0) {
                depth[next] = (int16_t)(depth[at] + 1);
                queue[tail++] = next;
            }
        }
    }
    printf("%u %d\n", tail, depth[queue[tail - 1]]);
    return 0;
}
