/* Sorts records by a heap in place. */
#include "numbers.h"
#include <stdio.h>
struct record { uint32_t key; uint16_t a, b; };
static struct record all[5000];
static void sift(int at, int count)
{
    struct record moved = all[at];
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && all[child + 1].key > all[child].key)
            child++;
        if (all[child].key <= moved.key)
            break;
        all[at] = all[child];
        at = child;
    }
    all[at] = moved;
}
int main(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < 5000; i++)
        all[i] = (struct record){numbers_next(), (uint16_t)i, 1};
    for (int i = 2499; i >= 0; i--)
        sift(i, 5000);
    for (int count = 4999; count > 0; count--) {
        struct record t = all[0];
        all[0] = all[count];
        all[count] = t;
        sift(0, count);
    }
    for (int i = 0; i < 5000; i++)
        sum = sum * 3 + all[i].a;
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
