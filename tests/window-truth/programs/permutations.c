/* Heap's algorithm: all permutations of seven. */
#include <stdio.h>
static int a[7] = {1, 2, 3, 4, 5, 6, 7};
static long total;
static void permute(int n)
{
    if (n == 1) {
        long s = 0;
        for (int i = 0; i < 7; i++)
            s += (long)a[i] * i;
        total += s * s % 97;
        return;
    }
    for (int i = 0; i < n; i++) {
        permute(n - 1);
        int j = n & 1 ? 0 : i, t = a[j];
        a[j] = a[n - 1];
        a[n - 1] = t;
    }
}
int main(void)
{
    permute(7);
    printf("%ld\n", total);
    return 0;
}
