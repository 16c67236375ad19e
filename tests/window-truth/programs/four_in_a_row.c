/* Plays four in a row by alpha-beta search. */
#include <stdint.h>
#include <stdio.h>
static uint64_t visited;
static int has_won(uint64_t board)
{
    for (int by = 1; by <= 8; by += by == 1 ? 5 : 1) {
        uint64_t pairs = board & board >> by;
        if (pairs & pairs >> 2 * by)
            return 1;
    }
    return 0;
}
static int value(uint64_t mine, uint64_t theirs, int depth, int alpha, int beta)
{
    static const int order[] = {3, 2, 4, 1, 5, 0, 6};
    visited++;
    if (has_won(theirs))
        return -100 - depth;
    if (depth == 0)
        return __builtin_popcountll(mine & 0x1c3870e1c00u) - __builtin_popcountll(theirs & 0x1c3870e1c00u);
    for (int i = 0; i < 7; i++) {
        int column = 7 * order[i];
        uint64_t stones = (mine | theirs) >> column & 63;
        uint64_t place = UINT64_C(1) << (column + __builtin_popcountll(stones));
        int here;
        if (stones == 63)
            continue;
        here = -value(theirs, mine | place, depth - 1, -beta, -alpha);
        if (here > alpha)
            alpha = here;
        if (alpha >= beta)
            break;
    }
    return alpha;
}
int main(void)
{
    int best = value(0, 0, 7, -1000, 1000);
    printf("%d %llu\n", best, (unsigned long long)visited);
    return 0;
}
