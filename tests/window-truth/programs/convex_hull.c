/* The convex hull of points by a monotone chain, after a merge sort. */
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
struct point { int x, y; };
static struct point points[6000], hull[12001];
static int compare(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}
static long cross(struct point o, struct point a, struct point b)
{
    return (long)(a.x - o.x) * (b.y - o.y) - (long)(a.y - o.y) * (b.x - o.x);
}
int main(void)
{
    int count = 0;
    for (int i = 0; i < 6000; i++)
        points[i] = (struct point){(int)(numbers_next() >> 12), (int)(numbers_next() >> 12)};
    qsort(points, 6000, sizeof *points, compare);
    for (int i = 0; i < 6000; i++) {
        while (count >= 2 && cross(hull[count - 2], hull[count - 1], points[i]) <= 0)
            count--;
        hull[count++] = points[i];
    }
    for (int i = 5998, lower = count + 1; i >= 0; i--) {
        while (count >= lower && cross(hull[count - 2], hull[count - 1], points[i]) <= 0)
            count--;
        hull[count++] = points[i];
    }
    printf("%d\n", count - 1);
    return 0;
}
