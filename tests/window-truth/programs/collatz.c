/* The longest of the sequences that halve even numbers and triple odd ones, with lengths kept. */
#include <stdint.h>
#include <stdio.h>
static uint16_t lengths[20000];
int main(void)
{
    uint32_t longest = 0, which = 0;
    for (uint32_t start = 1; start < 16000; start++) {
        uint64_t n = start;
        uint32_t steps = 0;
        while (n != 1) {
            if (n < start) {
                steps += lengths[n];
                break;
            }
            n = n & 1 ? 3 * n + 1 : n / 2;
            steps++;
        }
        lengths[start] = (uint16_t)steps;
        if (steps > longest) {
            longest = steps;
            which = start;
        }
    }
    printf("%u %u\n", which, longest);
    return 0;
}
