/* UTF-8 as Unicode 15 has it (table 3-7). */
#include "base/harmless.h"

#include <stdbool.h>

size_t harmless_character(const char *text, size_t left, uint32_t *character)
{
    const unsigned char *const at = (const unsigned char *)text;
    size_t const bytes = at[0] < 0x80 ? 1
                         : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;

    if (bytes == 0 || bytes > left)
        return 0;
    *character = bytes == 1 ? at[0] : at[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (at[i] & 0x3f);
    }
    if ((bytes == 3 && *character < 0x800) || (bytes == 4 && (*character < 0x10000 || *character > 0x10ffff))
        || (*character >= 0xd800 && *character < 0xe000))
        return 0;
    return bytes;
}

static bool is_steering(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0)                  /* C0, DEL, C1 */
        || character == 0x061c || (character >= 0x200e && character <= 0x200f)          /* direction of writing */
        || (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

/* Number of bytes from `at` on that may be written unchanged. */
size_t harmless_bytes(const char *at, size_t left)
{
    size_t used = 0;

    while (used < left) {
        uint32_t character = 0;
        size_t const bytes = harmless_character(at + used, left - used, &character);

        if (bytes == 0 || is_steering(character))
            break;
        used += bytes;
    }
    return used;
}
