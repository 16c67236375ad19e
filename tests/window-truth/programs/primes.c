/* Miller-Rabin primality tests of 1000 numbers. */
#include <stdint.h>
#include <stdio.h>
static uint64_t power(uint64_t b, uint64_t e, uint64_t m)
{
    uint64_t r = 1;
    for (b %= m; e; e >>= 1, b = b * b % m)
        if (e & 1)
            r = r * b % m;
    return r;
}
static int is_prime(uint64_t n)
{
    static const uint64_t witness[3] = {2, 3, 61};
    uint64_t d = n - 1;
    int s = 0;
    for (; !(d & 1); d >>= 1)
        s++;
    for (int i = 0; i < 3; i++) {
        uint64_t x = power(witness[i], d, n);
        if (x == 1 || x == n - 1)
            continue;
        int k = 1;
        for (; k < s && x != n - 1; k++)
            x = x * x % n;
        if (x != n - 1)
            return 0;
    }
    return 1;
}
int main(void)
{
    int n = 0;
    for (uint64_t i = 1000003; i < 1002003; i += 2)
        n += is_prime(i);
    printf("%d\n", n);
    return 0;
}
