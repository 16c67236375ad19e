/* Set of 64-bit numbers, to count distinct lines and pages. Grows with what it holds: 16 to 32 bytes a number.
 *
 * Use: begin with {0}, number_set_add, free it with number_set_free. */
#ifndef CLI_NUMBER_SET_H
#define CLI_NUMBER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_set {
    uint64_t *slots;                 /* number + 1; 0 is empty */
    size_t capacity, count;          /* capacity: a power of two */
    bool failed;                     /* out of memory: the count is too low */
};

/* Numbers below 2^64 - 1. */
void number_set_add(struct number_set *set, uint64_t number);
void number_set_free(struct number_set *set);

#endif
