/* A hash table in which each key has two places, and pushes what is there to its other one. */
#include "numbers.h"
#include <stdio.h>
enum { SLOTS = 1 << 18 };
static uint32_t table[SLOTS];
static uint32_t place(uint32_t key, int which)
{
    return (key * (which ? 0x85ebca6bu : 0x9e3779b1u)) >> 14;
}
static int insert(uint32_t key)
{
    for (int turn = 0; turn < 50; turn++) {
        uint32_t at = place(key, turn & 1), old = table[at];
        table[at] = key;
        if (!old || old == key)
            return 1;
        key = old;
    }
    return 0;
}
int main(void)
{
    int kept = 0, found = 0;
    for (int i = 0; i < 18000; i++)
        kept += insert(numbers_next() >> 8 | 1);
    for (int i = 0; i < 12000; i++) {
        uint32_t key = (i & 1 ? table[numbers_next() >> 14] : numbers_next() >> 8) | 1;
        found += table[place(key, 0)] == key || table[place(key, 1)] == key;
    }
    printf("%d %d\n", kept, found);
    return 0;
}
