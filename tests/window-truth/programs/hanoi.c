/* Moves the discs of Hanoi's towers by recursion. */
#include <stdint.h>
#include <stdio.h>
enum { DISCS = 15, TURNS = 3 };
static uint8_t pegs[3][DISCS], heights[3];
static uint64_t moves, checksum;
static __attribute__((noinline)) void move(int discs, int from, int to)
{
    int other = 3 - from - to;
    if (discs == 0)
        return;
    move(discs - 1, from, other);
    uint8_t disc = pegs[from][--heights[from]];
    pegs[to][heights[to]++] = disc;
    moves++;
    checksum = checksum * 31 + disc + (uint64_t)to;
    move(discs - 1, other, to);
}
int main(void)
{
    for (int i = 0; i < DISCS; i++)
        pegs[0][heights[0]++] = (uint8_t)(DISCS - i);
    for (int turn = 0; turn < TURNS; turn++)
        move(DISCS, turn % 3, (turn + 1) % 3);
    printf("%llu %llu\n", (unsigned long long)moves, (unsigned long long)checksum);
    return 0;
}
