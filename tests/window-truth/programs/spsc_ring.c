/* A ring of one producer and one consumer, which take turns: fences between data and indices. */
#include "numbers.h"
#include <stdatomic.h>
#include <stdio.h>
static uint64_t slots[256];
static atomic_size_t head, tail;
static int put(uint64_t value)
{
    size_t at = atomic_load_explicit(&head, memory_order_relaxed);
    if (at - atomic_load_explicit(&tail, memory_order_acquire) == 256)
        return 0;
    slots[at & 255] = value;
    atomic_store_explicit(&head, at + 1, memory_order_release);
    return 1;
}
static int take(uint64_t *value)
{
    size_t at = atomic_load_explicit(&tail, memory_order_relaxed);
    if (at == atomic_load_explicit(&head, memory_order_acquire))
        return 0;
    *value = slots[at & 255];
    atomic_store_explicit(&tail, at + 1, memory_order_release);
    return 1;
}
int main(void)
{
    uint64_t sum = 0, value;
    for (int turn = 0; turn < 300; turn++) {
        int puts = (int)(numbers_next() & 63), takes = (int)(numbers_next() & 63);
        while (puts-- > 0 && put(numbers_next()))
            ;
        while (takes-- > 0 && take(&value))
            sum = sum * 31 + value;
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
