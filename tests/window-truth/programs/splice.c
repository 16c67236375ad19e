/* Inserts and removes pieces of text in a gap buffer with the C library's copies. */
#include "numbers.h"
#include <stdio.h>
#include <string.h>
enum { SIZE = 1 << 15, EDITS = 3000 };
static char buffer[SIZE];
int main(void)
{
    size_t gap = 0, gap_end = SIZE;
    uint32_t sum = 0;
    static const char piece[] = "the quick brown fox jumps over the lazy dog and runs away";
    for (int edit = 0; edit < EDITS; edit++) {
        size_t used = SIZE - (gap_end - gap), length = numbers_next() % (sizeof piece - 1);
        size_t place = used ? (gap + numbers_next() % 1500) % used : 0;
        if (place < gap) {
            gap_end -= gap - place;
            memmove(buffer + gap_end, buffer + place, gap - place);
        } else {
            memmove(buffer + gap, buffer + gap_end, place - gap);
            gap_end += place - gap;
        }
        gap = place;
        if (used + length < SIZE / 2 || numbers_next() % 3) {
            if (gap_end - gap > length) {
                memcpy(buffer + gap, piece, length);
                gap += length;
            }
        } else {
            gap_end += length < SIZE - gap_end ? length : SIZE - gap_end;
        }
        sum += (uint32_t)strnlen(buffer, gap);
    }
    printf("%u\n", sum);
    return 0;
}
