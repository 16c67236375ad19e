/* Counts placements of queens by recursion over bit masks. */
#include <stdio.h>
static int solve(int n, unsigned cols, unsigned d1, unsigned d2)
{
    unsigned all = (1u << n) - 1, free = all & ~(cols | d1 | d2);
    int count = 0;
    if (cols == all)
        return 1;
    while (free) {
        unsigned bit = free & -free;
        free ^= bit;
        count += solve(n, cols | bit, (d1 | bit) << 1, (d2 | bit) >> 1);
    }
    return count;
}
int main(void)
{
    printf("%d\n", solve(8, 0, 0, 0) + solve(7, 0, 0, 0));
    return 0;
}
