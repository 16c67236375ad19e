/* Bodies that attract each other, in steps of time: roots and divisions of doubles; checked by the momentum. */
#include "numbers.h"
#include <math.h>
#include <stdio.h>
enum { BODIES = 24, STEPS = 90 };
static struct { double at[3], speed[3], mass; } bodies[BODIES];
int main(void)
{
    double momentum[3] = {0}, energy = 0;
    for (int i = 0; i < BODIES; i++) {
        bodies[i].mass = 1 + (double)(numbers_next() >> 24) / 64;
        for (int axis = 0; axis < 3; axis++) {
            bodies[i].at[axis] = (double)(numbers_next() >> 16) / 4096;
            bodies[i].speed[axis] = (double)(numbers_next() >> 16) / 65536 - 0.5;
            momentum[axis] += bodies[i].speed[axis] * bodies[i].mass;
        }
    }
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BODIES; i++)
            for (int j = i + 1; j < BODIES; j++) {
                double away[3], square = 0.01;
                for (int axis = 0; axis < 3; axis++) {
                    away[axis] = bodies[i].at[axis] - bodies[j].at[axis];
                    square += away[axis] * away[axis];
                }
                double force = 0.002 / (square * sqrt(square));
                for (int axis = 0; axis < 3; axis++) {
                    bodies[i].speed[axis] -= away[axis] * bodies[j].mass * force;
                    bodies[j].speed[axis] += away[axis] * bodies[i].mass * force;
                }
            }
        for (int i = 0; i < BODIES; i++)
            for (int axis = 0; axis < 3; axis++)
                bodies[i].at[axis] += 0.002 * bodies[i].speed[axis];
    }
    for (int i = 0; i < BODIES; i++)
        for (int axis = 0; axis < 3; axis++) {
            momentum[axis] -= bodies[i].speed[axis] * bodies[i].mass;
            energy += bodies[i].mass * bodies[i].speed[axis] * bodies[i].speed[axis] / 2;
        }
    double lost = fabs(momentum[0]) + fabs(momentum[1]) + fabs(momentum[2]);
    printf("%.9f %s\n", energy, lost < 1e-9 ? "kept" : "wrong");
    return 0;
}
