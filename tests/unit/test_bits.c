/* proto/bits.h: columns of equally wide numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "proto/bits.h"

enum { NUMBERS = 300, BEHIND = 8 };

/* "count numbers of a column, ... from one that begins a byte on. Answer: the largest of them": what bits_at says, for
 * all widths, counts, and places; nothing behind them is written. */
static void unpacks_what_it_finds_one_by_one(void **state)
{
    uint8_t column[2 * NUMBERS + 16];
    uint64_t drawn = 1;

    (void)state;
    for (size_t i = 0; i < sizeof column; i++) {
        drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        column[i] = (uint8_t)(drawn >> 40);
    }
    for (unsigned width = 0; width <= 15; width++)
        for (size_t count = 0; count <= NUMBERS; count += count < 40 ? 1 : 13) {
            size_t const first = count % 3 * 8;
            uint16_t numbers[NUMBERS + BEHIND], largest = 0, untouched;

            memset(numbers, 0xcd, sizeof numbers);
            memset(&untouched, 0xcd, sizeof untouched);
            if (first + count > NUMBERS)
                continue;

            uint16_t const answer = bits_unpack(numbers, column + first / 8 * width, count, width);

            for (size_t i = 0; i < count; i++) {
                uint32_t const expected = bits_at(column, first + i, width);

                assert_int_equal(numbers[i], expected);
                largest = numbers[i] > largest ? numbers[i] : largest;
            }
            assert_int_equal(answer, largest);
            assert_int_equal(numbers[count], untouched);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unpacks_what_it_finds_one_by_one)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
