/* A* from corner to corner of a grid with walls: a binary heap of cells by cost and distance that is left. */
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { SIDE = 96, CELLS = SIDE * SIDE, MAPS = 2 };
static uint8_t wall[CELLS], closed[CELLS];
static int cost[CELLS];
static struct open { int estimate, cell; } heap[4 * CELLS];
static int heaped;
static void push(int estimate, int cell)
{
    int at = heaped++;
    for (; at && heap[(at - 1) / 2].estimate > estimate; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = (struct open){estimate, cell};
}
static int pop(void)
{
    int cell = heap[0].cell, at = 0;
    struct open last = heap[--heaped];
    for (int child; (child = 2 * at + 1) < heaped; at = child) {
        child += child + 1 < heaped && heap[child + 1].estimate < heap[child].estimate;
        if (heap[child].estimate >= last.estimate)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return cell;
}
static int left(int cell)
{
    return 10 * (abs(SIDE - 2 - cell % SIDE) + abs(SIDE - 2 - cell / SIDE));
}
int main(void)
{
    static const int step[4] = {1, SIDE, -1, -SIDE};
    long lengths = 0, visited = 0;
    for (int map = 0; map < MAPS; map++) {
        for (int i = 0; i < CELLS; i++) {
            int edge = i % SIDE == 0 || i % SIDE == SIDE - 1 || i / SIDE == 0 || i / SIDE == SIDE - 1;
            wall[i] = edge || numbers_next() >> 24 < 60;
            cost[i] = 1 << 30;
        }
        memset(closed, 0, sizeof closed);
        int from = SIDE + 1, to = CELLS - SIDE - 2, found = 0;
        wall[from] = wall[to] = 0;
        cost[from] = heaped = 0;
        push(left(from), from);
        while (heaped && !found) {
            int cell = pop();
            if (closed[cell])
                continue;
            closed[cell] = 1;
            visited++;
            found = cell == to;
            for (int i = 0; i < 4; i++) {
                int next = cell + step[i], through = cost[cell] + 10 + (next * 7 & 3);
                if (wall[next] || closed[next] || through >= cost[next])
                    continue;
                cost[next] = through;
                push(through + left(next), next);
            }
        }
        lengths += found ? cost[to] : 0;
    }
    printf("%ld %ld\n", lengths, visited);
    return 0;
}
