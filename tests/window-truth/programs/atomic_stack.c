/* Pushes and pops nodes of a stack whose top is changed by compare and exchange. */
#include "numbers.h"
#include <stdatomic.h>
#include <stdio.h>
struct node { uint32_t below, value; };
static struct node nodes[4096];
static atomic_uint top, free_top;
static void push(atomic_uint *stack, uint32_t node)
{
    uint32_t old = atomic_load(stack);
    do
        nodes[node].below = old;
    while (!atomic_compare_exchange_weak(stack, &old, node));
}
static uint32_t pop(atomic_uint *stack)
{
    uint32_t old = atomic_load(stack);
    while (old && !atomic_compare_exchange_weak(stack, &old, nodes[old].below))
        ;
    return old;
}
int main(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < 4096; i++)
        push(&free_top, i);
    for (int turn = 0; turn < 9000; turn++) {
        uint32_t word = numbers_next();
        uint32_t node = word & 4 ? pop(&free_top) : pop(&top);
        if (!node)
            continue;
        sum += nodes[node].value;
        nodes[node].value = word >> 5;
        push(word & 4 ? &top : &free_top, node);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
