/* Asks the C library for blocks of mixed sizes and gives them back at random. */
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { SLOTS = 1000, TURNS = 22000 };
static struct { char *block; size_t size; } slots[SLOTS];
int main(void)
{
    uint64_t held = 0, sum = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        uint32_t slot = numbers_next() % SLOTS;
        if (slots[slot].block) {
            sum += (uint8_t)slots[slot].block[slots[slot].size - 1];
            held -= slots[slot].size;
            free(slots[slot].block);
            slots[slot].block = NULL;
        } else {
            size_t size = 16 + (numbers_next() & 255) * (numbers_next() & 7);
            char *block = malloc(size);
            if (!block)
                return 1;
            block[0] = (char)turn;
            block[size - 1] = (char)slot;
            slots[slot].block = block;
            slots[slot].size = size;
            held += size;
        }
    }
    printf("%llu %llu\n", (unsigned long long)held, (unsigned long long)sum);
    return 0;
}
