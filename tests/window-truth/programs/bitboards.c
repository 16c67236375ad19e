/* Knight moves on bitboards, counted to a fixed depth. */
#include <stdint.h>
#include <stdio.h>
static uint64_t knight(uint64_t b)
{
    uint64_t l1 = b >> 1 & 0x7f7f7f7f7f7f7f7fu, l2 = b >> 2 & 0x3f3f3f3f3f3f3f3fu;
    uint64_t r1 = b << 1 & 0xfefefefefefefefeu, r2 = b << 2 & 0xfcfcfcfcfcfcfcfcu;
    uint64_t h1 = l1 | r1, h2 = l2 | r2;
    return h1 << 16 | h1 >> 16 | h2 << 8 | h2 >> 8;
}
static int count(uint64_t b)
{
    int n = 0;
    while (b) {
        b &= b - 1;
        n++;
    }
    return n;
}
static long walk(uint64_t at, uint64_t taken, int depth)
{
    uint64_t moves = knight(at) & ~taken;
    if (depth == 0)
        return count(moves);
    long n = 0;
    while (moves) {
        uint64_t one = moves & -moves;
        moves ^= one;
        n += walk(one, taken | one, depth - 1);
    }
    return n;
}
int main(void)
{
    printf("%ld\n", walk(1ull << 27, 1ull << 27, 4) + walk(1, 1, 4));
    return 0;
}
