/* Places keys on a ring of 400,000 sorted points by bisection. */
#include "numbers.h"
#include <stdio.h>
enum { POINTS = 400000 };
static struct { uint32_t point, owner; } ring[POINTS];
int main(void)
{
    static uint32_t loads[64];
    uint32_t point = 0, most = 0;
    for (int i = 0; i < POINTS; i++) {
        point += 1 + (uint32_t)(i * 2654435761u >> 18);
        ring[i].point = point;
        ring[i].owner = point >> 3;
    }
    for (int turn = 0; turn < 7000; turn++) {
        uint32_t key = numbers_next() % point;
        int low = 0, high = POINTS;
        while (low < high) {
            int middle = (low + high) / 2;
            if (ring[middle].point < key)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < POINTS)
            loads[ring[low].owner & 63]++;
    }
    for (int i = 0; i < 64; i++)
        most = loads[i] > most ? loads[i] : most;
    printf("%u\n", most);
    return 0;
}
