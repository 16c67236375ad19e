/* Medians of random arrays by quickselect. */
#include "numbers.h"
#include <stdio.h>
static uint32_t values[3001];
static uint32_t select_nth(int nth)
{
    int low = 0, high = 3000;
    while (low < high) {
        uint32_t pivot = values[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i <= j) {
                uint32_t t = values[i];
                values[i++] = values[j];
                values[j--] = t;
            }
        }
        if (nth <= j)
            high = j;
        else if (nth >= i)
            low = i;
        else
            break;
    }
    return values[nth];
}
int main(void)
{
    uint32_t sum = 0;
    for (int turn = 0; turn < 12; turn++) {
        for (int i = 0; i < 3001; i++)
            values[i] = numbers_next() >> 4;
        sum ^= select_nth(1500);
    }
    printf("%u\n", sum);
    return 0;
}
