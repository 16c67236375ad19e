/* Arithmetic that C has no operators for, mostly of 64 bits, and the checked forms of +, * and decimal digits.
 *
 * The checked forms answer whether the result fits; if not, their output is undefined. */
#ifndef BASE_ARITH_H
#define BASE_ARITH_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline int max_int(int a, int b)
{
    return a > b ? a : b;
}

static inline int min_int(int a, int b)
{
    return a < b ? a : b;
}

static inline bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* The exponent of the largest power of two <= value; 0 of 0. */
static inline unsigned log2_down(uint64_t value)
{
    return value == 0 ? 0 : 63 - (unsigned)__builtin_clzll(value);
}

/* The exponent of the smallest power of two >= value; 0 of 0. */
static inline unsigned log2_up(uint64_t value)
{
    return value <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(value - 1);
}

static inline unsigned count_bits(uint64_t value)
{
    return (unsigned)__builtin_popcountll(value);
}

/* count_bits(value) % 2, without counting. */
static inline unsigned parity_of(uint64_t value)
{
    return (unsigned)__builtin_parityll(value);
}

/* value + unit - 1 must fit. */
static inline uint64_t divide_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit;
}

static inline uint64_t round_up(uint64_t value, uint64_t unit)
{
    return divide_up(value, unit) * unit;
}

static inline bool add_u64(uint64_t a, uint64_t b, uint64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool multiply_u64(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* a + b, or UINT64_MAX if that does not fit. */
static inline uint64_t add_saturated(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

/* number * base + digit. */
static inline bool append_digit(uint64_t *number, unsigned base, unsigned digit)
{
    return multiply_u64(*number, base, number) && add_u64(*number, digit, number);
}

#endif
