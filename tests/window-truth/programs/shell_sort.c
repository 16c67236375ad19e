/* Shell sort of 3000 words. */
#include "numbers.h"
#include <stdio.h>
#define N 3000
static uint32_t a[N];
int main(void)
{
    uint32_t sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = numbers_next();
    for (int step = 1093; step > 0; step /= 3)
        for (int i = step; i < N; i++) {
            uint32_t v = a[i];
            int j = i;
            for (; j >= step && a[j - step] > v; j -= step)
                a[j] = a[j - step];
            a[j] = v;
        }
    for (int i = 0; i < N; i++)
        sum = sum * 3 + a[i];
    printf("%u\n", sum);
    return 0;
}
