/* The 0/1 knapsack problem by dynamic programming. */
#include "numbers.h"
#include <stdio.h>
int main(void)
{
    static int best[2001];
    for (int i = 0; i < 40; i++) {
        int size = (int)(numbers_next() % 200) + 5, worth = (int)(numbers_next() % 500);
        for (int c = 2000; c >= size; c--) {
            int with = best[c - size] + worth;
            if (with > best[c])
                best[c] = with;
        }
    }
    printf("%d\n", best[2000]);
    return 0;
}
