/* Nearest neighbours in a tree of points that alternates its dimension. */
#include "numbers.h"
#include <stdio.h>
static struct { int at[2], low, high; } points[20000];
static int best, best_distance, used = 1;
static void insert(int p)
{
    for (int at = 0, axis = 0;; axis ^= 1) {
        int *next = points[p].at[axis] < points[at].at[axis] ? &points[at].low : &points[at].high;
        if (!*next) {
            *next = p;
            return;
        }
        at = *next;
    }
}
static void nearest(int at, int axis, int x, int y)
{
    int dx = points[at].at[0] - x, dy = points[at].at[1] - y, side = axis ? -dy : -dx;
    if (dx * dx + dy * dy < best_distance) {
        best_distance = dx * dx + dy * dy;
        best = at;
    }
    int near = side < 0 ? points[at].low : points[at].high, far = side < 0 ? points[at].high : points[at].low;
    if (near)
        nearest(near, axis ^ 1, x, y);
    if (far && side * side < best_distance)
        nearest(far, axis ^ 1, x, y);
}
int main(void)
{
    long sum = 0;
    points[0].at[0] = points[0].at[1] = 8192;
    for (; used < 12000; used++) {
        points[used].at[0] = (int)(numbers_next() & 16383);
        points[used].at[1] = (int)(numbers_next() >> 18);
        insert(used);
    }
    for (int turn = 0; turn < 900; turn++) {
        best_distance = 1 << 30;
        nearest(0, 0, (int)(numbers_next() & 16383), (int)(numbers_next() >> 18));
        sum += best;
    }
    printf("%ld\n", sum);
    return 0;
}
