/* Open addressing, linear probing, at most half full. */
#include "cli/number_set.h"

#include <stdlib.h>

static uint64_t mix(uint64_t number)
{
    number *= UINT64_C(0x9e3779b97f4a7c15);
    return number ^ number >> 32;
}

/* True if the number is new. */
static bool insert(uint64_t *slots, size_t capacity, uint64_t number)
{
    size_t place = mix(number) & (capacity - 1);

    while (slots[place] != 0) {
        if (slots[place] == number + 1)
            return false;
        place = (place + 1) & (capacity - 1);
    }
    slots[place] = number + 1;
    return true;
}

static bool number_set_grow(struct number_set *set)
{
    size_t const capacity = set->capacity == 0 ? 1024 : 2 * set->capacity;
    uint64_t *const slots = calloc(capacity, sizeof *slots);

    if (slots == NULL)
        return false;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i] != 0)
            insert(slots, capacity, set->slots[i] - 1);
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
    return true;
}

void number_set_add(struct number_set *set, uint64_t number)
{
    if (2 * set->count >= set->capacity && !number_set_grow(set)) {
        set->failed = true;
        return;
    }
    if (insert(set->slots, set->capacity, number))
        set->count++;
}

void number_set_free(struct number_set *set)
{
    free(set->slots);
    *set = (struct number_set){0};
}
