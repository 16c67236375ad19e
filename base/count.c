#include "base/count.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint64_t factor;
} suffixes[] = {
    {"", 1},
    {"k", UINT64_C(1000)}, {"K", UINT64_C(1000)}, {"M", UINT64_C(1000000)}, {"G", UINT64_C(1000000000)},
    {"T", UINT64_C(1000000000000)},
    {"Ki", UINT64_C(1) << 10}, {"ki", UINT64_C(1) << 10}, {"Mi", UINT64_C(1) << 20}, {"Gi", UINT64_C(1) << 30},
    {"Ti", UINT64_C(1) << 40}
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool multiply(uint64_t *value, uint64_t factor)
{
    if (*value > UINT64_MAX / factor)
        return false;
    *value *= factor;
    return true;
}

static const char TOO_BIG[] = "is too big";
static const char NOT_WHOLE[] = "is not a whole number";

static const char *parse_hexadecimal(const char *text, uint64_t *count)
{
    char *end;

    errno = 0;
    *count = strtoull(text, &end, 16);
    if (strspn(text + 2, "0123456789abcdefABCDEF") == 0)
        return "is not a number";
    if (*end)
        return "has an unknown suffix";
    return errno ? TOO_BIG : NULL;
}

/* Digits, and the number of them behind the decimal point. */
static const char *read_digits(const char **at, uint64_t *digits, unsigned *places)
{
    bool is_behind = false, any = false;
    const char *c = *at;

    for (; is_digit(*c) || *c == '_' || (*c == '.' && !is_behind); c++) {
        if (*c == '.')
            is_behind = true;
        if (!is_digit(*c))
            continue;
        any = true;
        if (!multiply(digits, 10) || *digits > UINT64_MAX - (uint64_t)(*c - '0'))
            return TOO_BIG;
        *digits += (uint64_t)(*c - '0');
        *places += is_behind;
    }
    *at = c;
    return any ? NULL : "is not a number";
}

/* False: it is none, or no whole number below 100. */
static bool read_exponent(const char **at, unsigned *exponent)
{
    const char *c = *at + 1;

    c += *c == '+';
    if (!is_digit(*c))
        return false;
    for (*exponent = 0; is_digit(*c) && *exponent < 100; c++)
        *exponent = *exponent * 10 + (unsigned)(*c - '0');
    *at = c;
    return *exponent < 100;
}

const char *count_parse(const char *text, uint64_t *count)
{
    unsigned places = 0, exponent = 0;
    const char *at = text, *wrong;

    *count = 0;
    if (*text == '-')
        return is_digit(text[1]) ? "is negative" : "is not a number";
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return parse_hexadecimal(text, count);
    wrong = is_digit(*text) || *text == '.' ? read_digits(&at, count, &places) : "is not a number";
    if (wrong)
        return wrong;
    if ((*at == 'e' || *at == 'E') && !read_exponent(&at, &exponent))
        return "has no whole exponent";
    while (*at == ' ')
        at++;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (strcmp(at, suffixes[i].name) != 0)
            continue;
        /* digits behind the point lower the exponent, then the suffix */
        for (; exponent > 0 && *count > 0; exponent--)
            if (places > 0)
                places--;
            else if (!multiply(count, 10))
                return TOO_BIG;
        for (; places > 0 && *count % 10 == 0; places--)
            *count /= 10;
        if (!multiply(count, suffixes[i].factor))
            return TOO_BIG;
        for (; places > 0 && *count % 10 == 0; places--)
            *count /= 10;
        return places > 0 ? NOT_WHOLE : NULL;
    }
    return "has an unknown suffix";
}
