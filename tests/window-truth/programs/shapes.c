/* Calls methods of shapes through tables of functions. */
#include "numbers.h"
#include <stdio.h>
enum { SHAPES = 3000, TURNS = 12 };
struct shape;
struct methods { double (*area)(const struct shape *); void (*grow)(struct shape *, double); };
struct shape { const struct methods *methods; double a, b; };
static double circle_area(const struct shape *s) { return 3.14159265 * s->a * s->a; }
static double box_area(const struct shape *s) { return s->a * s->b; }
static double ring_area(const struct shape *s) { return 3.14159265 * (s->a * s->a - s->b * s->b); }
static void grow_one(struct shape *s, double by) { s->a += by; }
static void grow_both(struct shape *s, double by) { s->a += by; s->b += by / 2; }
static const struct methods kinds[] = {{circle_area, grow_one}, {box_area, grow_both}, {ring_area, grow_both}};
static struct shape shapes[SHAPES];
int main(void)
{
    double sum = 0;
    for (int i = 0; i < SHAPES; i++) {
        uint32_t n = numbers_next();
        shapes[i] = (struct shape){&kinds[n % 7 % 3], 1 + (n >> 8 & 15), (n >> 12 & 7) / 8.0};
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < SHAPES; i++) {
            struct shape *s = &shapes[i];
            double area = s->methods->area(s);
            if (area < 200)
                s->methods->grow(s, 0.25);
            sum += area;
        }
    printf("%.6f\n", sum);
    return 0;
}
