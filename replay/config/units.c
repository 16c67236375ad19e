/* Reading and writing of numbers with units.
 *
 * A decimal number is held as digits / 10^places, a suffix as numerator / denominator, so that every conversion is one
 * rounded division of 128-bit integers. Counts: base/count.h. Not modelled: exponents (1e9) and
 * digit separators of other values, SI prefixes below pico. */
#include "replay/config/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "memsys/cache/cache_params.h"
#include "memsys/dram/memory_params.h"
#include "memsys/sim/param.h"

__extension__ typedef unsigned __int128 wide;        /* 19 digits times any suffix fit */

#define PS_PER_S UINT64_C(1000000000000)
#define KIB UINT64_C(1024)

enum { MAX_DIGITS = 19, MAX_PLACES = 21 };

struct suffix {
    const char *name;
    uint64_t factor;
};

static const struct suffix byte_suffixes[] = {
    {"", 1},
    {"B", 1},
    {"KiB", KIB}, {"kiB", KIB}, {"kB", KIB}, {"KB", KIB}, {"k", KIB}, {"K", KIB},
    {"MiB", KIB * KIB}, {"MB", KIB * KIB}, {"M", KIB * KIB},
    {"GiB", KIB * KIB * KIB}, {"GB", KIB * KIB * KIB}, {"G", KIB * KIB * KIB},
    {"TiB", KIB * KIB * KIB * KIB}, {"TB", KIB * KIB * KIB * KIB}, {"T", KIB * KIB * KIB * KIB},
    {"PiB", KIB * KIB * KIB * KIB * KIB}, {"PB", KIB * KIB * KIB * KIB * KIB}, {"P", KIB * KIB * KIB * KIB * KIB},
    {"EiB", KIB * KIB * KIB * KIB * KIB * KIB}, {"EB", KIB * KIB * KIB * KIB * KIB * KIB},
    {"E", KIB * KIB * KIB * KIB * KIB * KIB},
    {NULL, 0}
};

/* ps */
static const struct suffix time_suffixes[] = {
    {"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"\u00b5s", 1000000}, {"\u03bcs", 1000000},
    {"ms", 1000000000}, {"s", PS_PER_S}, {NULL, 0}
};

/* Hz; letters of any case */
static const struct suffix frequency_suffixes[] = {
    {"hz", 1}, {"khz", 1000}, {"mhz", 1000000}, {"ghz", 1000000000}, {"thz", PS_PER_S}, {NULL, 0}
};

/* bytes a second */
static const struct suffix bandwidth_suffixes[] = {
    {"B/s", 1},
    {"KiB/s", KIB}, {"MiB/s", KIB * KIB}, {"GiB/s", KIB * KIB * KIB}, {"TiB/s", KIB * KIB * KIB * KIB},
    {"kB/s", 1000}, {"KB/s", 1000}, {"MB/s", 1000000}, {"GB/s", 1000000000}, {"TB/s", PS_PER_S},
    {NULL, 0}
};

/* mV, uA, uW */
static const struct suffix voltage_suffixes[] = {{"V", 1000}, {"mV", 1}, {NULL, 0}};
static const struct suffix current_suffixes[] = {{"A", 1000000}, {"mA", 1000}, {"uA", 1}, {NULL, 0}};
static const struct suffix power_suffixes[] = {{"W", 1000000}, {"mW", 1000}, {"uW", 1}, {NULL, 0}};

static const char *const true_words[] = {"yes", "true", "on", "1", NULL};
static const char *const false_words[] = {"no", "false", "off", "0", NULL};

static const char NOT_A_NUMBER[] = "is not a number";
static const char NO_UNIT[] = "has no unit";
static const char UNKNOWN_UNIT[] = "has an unknown unit";
static const char TOO_BIG[] = "is too big";

/* A decimal number and the text behind it. */
struct number {
    uint64_t digits;
    unsigned places;
    const char *suffix;
};

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equal_any_case(const char *text, const char *word)
{
    while (*text && to_lower(*text) == to_lower(*word)) {
        text++;
        word++;
    }
    return *text == *word;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static wide power_of_ten(unsigned exponent)
{
    wide power = 1;

    while (exponent--)
        power *= 10;
    return power;
}

static const char *read_hexadecimal(const char *text, struct number *number)
{
    char *end;

    if (strspn(text + 2, "0123456789abcdefABCDEF") == 0)
        return NOT_A_NUMBER;
    if (strspn(text + 2, "0123456789abcdefABCDEF") > 16)
        return TOO_BIG;
    number->digits = strtoull(text, &end, 16);
    number->places = 0;
    number->suffix = end;
    return *end ? UNKNOWN_UNIT : NULL;
}

static const char *read_number(const char *text, struct number *number)
{
    const char *c = text;
    unsigned digits = 0;
    bool any = false, in_fraction = false;

    *number = (struct number){0};
    if (*c == '-')
        return is_digit(c[1]) ? "is negative" : NOT_A_NUMBER;
    if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X'))
        return read_hexadecimal(text, number);
    for (; is_digit(*c) || (*c == '.' && !in_fraction); c++) {
        if (*c == '.') {
            in_fraction = true;
            continue;
        }
        any = true;
        if (number->digits == 0 && *c == '0' && !in_fraction)
            continue;
        if (in_fraction && number->places == MAX_PLACES)
            return "has too many decimal places";
        if (digits == MAX_DIGITS)
            return in_fraction ? "has too many digits" : TOO_BIG;
        number->digits = number->digits * 10 + (uint64_t)(*c - '0');
        digits += number->digits != 0;
        number->places += in_fraction;
    }
    while (*c == ' ')
        c++;
    number->suffix = c;
    return any ? NULL : NOT_A_NUMBER;
}

static const struct suffix *find_suffix(const struct suffix *suffixes, const char *name, bool any_case)
{
    for (; suffixes->name; suffixes++)
        if (any_case ? equal_any_case(name, suffixes->name) : strcmp(name, suffixes->name) == 0)
            return suffixes;
    return NULL;
}

/* numerator / denominator, half up. */
static const char *units_divide(wide numerator, wide denominator, uint64_t *value)
{
    wide const quotient = (2 * numerator + denominator) / (2 * denominator);

    if (quotient > UINT64_MAX)
        return TOO_BIG;
    *value = (uint64_t)quotient;
    return NULL;
}

static const char *scale(const struct number *number, const struct suffix *suffixes, bool must_be_whole,
                         uint64_t *value)
{
    const struct suffix *suffix = find_suffix(suffixes, number->suffix, false);
    wide const unit = power_of_ten(number->places);

    if (!suffix)
        return *number->suffix ? UNKNOWN_UNIT : NO_UNIT;
    wide const scaled = (wide)number->digits * suffix->factor;
    if (must_be_whole && scaled % unit != 0)
        return "is not a whole number of bytes";
    return units_divide(scaled, unit, value);
}

static const char *parse_time(const struct number *number, uint64_t *value)
{
    if (number->digits == 0 && !*number->suffix) {
        *value = 0;
        return NULL;
    }
    return scale(number, time_suffixes, false, value);
}

/* A clock is a frequency or a period. */
static const char *parse_period(const struct number *number, uint64_t *value)
{
    const struct suffix *hertz = find_suffix(frequency_suffixes, number->suffix, true);

    if (!hertz)
        return scale(number, time_suffixes, false, value);
    if (number->digits == 0)
        return "is no clock";
    return units_divide((wide)PS_PER_S * power_of_ten(number->places), (wide)number->digits * hertz->factor, value);
}

static const char *parse_percent(const struct number *number, uint64_t *value)
{
    if (*number->suffix && strcmp(number->suffix, "%") != 0)
        return "has an unknown unit; give a number, or one with %";
    if (number->places)
        return "is not a whole number";
    *value = number->digits;
    return NULL;
}

static bool is_in(const char *const *words, const char *text)
{
    for (; *words; words++)
        if (equal_any_case(text, *words))
            return true;
    return false;
}

static const char *parse_bool(const char *text, uint64_t *value)
{
    if (!is_in(true_words, text) && !is_in(false_words, text))
        return "is neither yes nor no";
    *value = is_in(true_words, text);
    return NULL;
}

static const char *parse_name(const char *const *names, const char *text, uint64_t *value)
{
    for (uint64_t i = 0; names[i]; i++) {
        if (equal_any_case(text, names[i])) {
            *value = i;
            return NULL;
        }
    }
    return "is unknown here";
}

static const char *parse_ratio(const char *text, double *ratio)
{
    struct number number;
    const char *problem = read_number(text, &number);

    if (problem)
        return problem;
    if (*number.suffix)
        return "must be a plain number";
    *ratio = strtod(text, NULL);
    return NULL;
}

/* Words for values that are resolved later. */
static bool parse_word(enum param_unit unit, const char *text, uint64_t *value)
{
    bool const may_be_auto = unit == UNIT_PERIOD || unit == UNIT_BYTES_OR_ROW;

    if (may_be_auto && strcmp(text, "auto") == 0) {
        *value = unit == UNIT_PERIOD ? CLOCK_INHERITED : INTERLEAVE_AUTO;
        return true;
    }
    if (unit == UNIT_BYTES_OR_ROW && strcmp(text, "row_buffer") == 0) {
        *value = INTERLEAVE_ROW_BUFFER;
        return true;
    }
    return false;
}

/* NULL: another kind of unit. */
static const struct suffix *electric_suffixes(enum param_unit unit)
{
    return unit == UNIT_VOLTAGE ? voltage_suffixes : unit == UNIT_CURRENT ? current_suffixes
           : unit == UNIT_POWER ? power_suffixes : NULL;
}

/* A 0 needs no unit. */
static const char *parse_electric(enum param_unit unit, const char *text, uint64_t *value)
{
    struct number number;
    const char *const problem = read_number(text, &number);

    if (problem || (number.digits == 0 && !*number.suffix))
        return problem;
    return scale(&number, electric_suffixes(unit), false, value);
}

const char *units_parse(enum param_unit unit, const char *text, uint64_t *value, double *ratio)
{
    const char *const *names = param_enum_names(unit);
    struct number number;

    *value = 0;
    *ratio = 0;
    if (names)
        return parse_name(names, text, value);
    if (unit == UNIT_BOOL)
        return parse_bool(text, value);
    if (unit == UNIT_RATIO)
        return parse_ratio(text, ratio);
    if (electric_suffixes(unit))
        return parse_electric(unit, text, value);
    if (parse_word(unit, text, value))
        return NULL;
    if (unit != UNIT_BYTES && unit != UNIT_BYTES_OR_ROW && unit != UNIT_TIME && unit != UNIT_PERIOD
        && unit != UNIT_BANDWIDTH && unit != UNIT_PERCENT)
        return count_parse(text, value);

    const char *problem = read_number(text, &number);
    if (problem)
        return problem;
    if (unit == UNIT_BYTES || unit == UNIT_BYTES_OR_ROW)
        return scale(&number, byte_suffixes, true, value);
    if (unit == UNIT_TIME)
        return parse_time(&number, value);
    if (unit == UNIT_PERIOD)
        return parse_period(&number, value);
    if (unit == UNIT_BANDWIDTH)
        return scale(&number, bandwidth_suffixes, false, value);
    return parse_percent(&number, value);
}

void units_expected(enum param_unit unit, char *text, size_t size)
{
    static const char *const expected[] = {
        [UNIT_BYTES] = "a capacity such as 64B, 32KiB or 2MiB",
        [UNIT_CYCLES] = "a number of cycles such as 20",
        [UNIT_COUNT] = "a number such as 16 or 4k",
        [UNIT_PERIOD] = "a clock such as 2GHz or 500ps",
        [UNIT_TIME] = "a time such as 13.75ns, 500ps or 7.8us",
        [UNIT_BANDWIDTH] = "a bandwidth such as 12.8GiB/s or 25.6GB/s",
        [UNIT_PERCENT] = "a percentage such as 85 or 85%",
        [UNIT_BOOL] = "yes or no",
        [UNIT_BYTES_OR_ROW] = "a size such as 64B or 1KiB, or row_buffer, or auto",
        [UNIT_VOLTAGE] = "a voltage such as 1.2V",
        [UNIT_CURRENT] = "a current such as 48mA",
        [UNIT_POWER] = "a power such as 4.6mW",
        [UNIT_RATIO] = "a number such as 1 or 0.5"
    };
    const char *const *names = param_enum_names(unit);
    size_t used;

    if (!names) {
        snprintf(text, size, "%s", expected[unit]);
        return;
    }
    snprintf(text, size, "%s%s", names[1] ? "one of " : "", names[0]);
    for (size_t i = 1; names[i]; i++) {
        used = strlen(text);
        snprintf(text + used, size - used, ", %s", names[i]);
    }
}

const char *units_name(enum param_unit unit)
{
    static const char *const short_names[] = {
        [UNIT_BYTES] = "bytes", [UNIT_CYCLES] = "cycles", [UNIT_COUNT] = "number", [UNIT_PERIOD] = "clock",
        [UNIT_TIME] = "time", [UNIT_BANDWIDTH] = "bytes/s", [UNIT_PERCENT] = "percent", [UNIT_BOOL] = "yes/no",
        [UNIT_BYTES_OR_ROW] = "bytes", [UNIT_VOLTAGE] = "voltage", [UNIT_CURRENT] = "current", [UNIT_POWER] = "power",
        [UNIT_RATIO] = "number"
    };
    return param_enum_names(unit) ? "name" : short_names[unit];
}

/* value / 10^places without trailing zeros. */
static void format_decimal(uint64_t value, unsigned places, const char *suffix, char *text, size_t size)
{
    while (places && value % 10 == 0) {
        value /= 10;
        places--;
    }
    uint64_t const unit = (uint64_t)power_of_ten(places);

    if (places)
        snprintf(text, size, "%llu.%0*llu%s", (unsigned long long)(value / unit), (int)places,
                 (unsigned long long)(value % unit), suffix);
    else
        snprintf(text, size, "%llu%s", (unsigned long long)value, suffix);
}

static void format_bytes(uint64_t value, const char *ending, char *text, size_t size)
{
    static const char *const prefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    size_t i = 0;
    char suffix[16];

    for (; i < 6 && value && value % KIB == 0; i++)
        value /= KIB;
    snprintf(suffix, sizeof suffix, "%sB%s", prefixes[i], ending);
    format_decimal(value, 0, suffix, text, size);
}

static void format_time(uint64_t value, char *text, size_t size)
{
    if (value >= 1000000000 && value % 1000000 == 0)
        format_decimal(value / 1000000, 3, "ms", text, size);
    else if (value >= 1000000 && value % 1000 == 0)
        format_decimal(value / 1000, 3, "us", text, size);
    else if (value >= 1000)
        format_decimal(value, 3, "ns", text, size);
    else
        format_decimal(value, 0, value ? "ps" : "ns", text, size);
}

/* As a frequency if it is a whole number of MHz that comes back as the same period. */
static void format_period(uint64_t value, char *text, size_t size)
{
    if (value == CLOCK_INHERITED)
        snprintf(text, size, "auto");
    else if (1000000 % value != 0)
        format_decimal(value, 0, "ps", text, size);
    else if (value <= 1000)
        format_decimal(1000000 / value, 3, "GHz", text, size);
    else
        format_decimal(1000000 / value, 0, "MHz", text, size);
}

/* A rounded bandwidth such as 12.8GiB/s comes back in the form in which it was written, if three decimals suffice. */
static void format_bandwidth(uint64_t value, char *text, size_t size)
{
    static const struct suffix units[] = {{"GiB/s", KIB * KIB * KIB}, {"GB/s", 1000000000}, {"MiB/s", KIB * KIB},
                                          {"MB/s", 1000000}};
    uint64_t read;
    double unused;

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        uint64_t thousandths;

        if (value < units[i].factor / 10)
            continue;
        if (units_divide((wide)value * 1000, units[i].factor, &thousandths))
            continue;
        format_decimal(thousandths, 3, units[i].name, text, size);
        if (!units_parse(UNIT_BANDWIDTH, text, &read, &unused) && read == value)
            return;
    }
    format_decimal(value, 0, "B/s", text, size);
}

static void format_ratio(double ratio, char *text, size_t size)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, ratio);
        if (!(strtod(text, NULL) < ratio) && !(strtod(text, NULL) > ratio) && !strchr(text, 'e'))
            return;
    }
    snprintf(text, size, "%.18f", ratio);
}

/* 1.2V, 48mA, 0.5mA */
static void format_electric(enum param_unit unit, uint64_t value, char *text, size_t size)
{
    const struct suffix *const suffix = &electric_suffixes(unit)[unit != UNIT_VOLTAGE];

    format_decimal(value, 3, value ? suffix->name : electric_suffixes(unit)[0].name, text, size);
}

void units_format(enum param_unit unit, uint64_t value, double ratio, char *text, size_t size)
{
    const char *const *names = param_enum_names(unit);

    if (names)
        snprintf(text, size, "%s", names[value] ? names[value] : "module");
    else if (unit == UNIT_RATIO)
        format_ratio(ratio, text, size);
    else if (unit == UNIT_BOOL)
        snprintf(text, size, "%s", value ? "yes" : "no");
    else if (value == PARAM_MISSING)
        snprintf(text, size, "missing");
    else if (unit == UNIT_BYTES_OR_ROW && value == INTERLEAVE_AUTO)
        snprintf(text, size, "auto");
    else if (unit == UNIT_BYTES_OR_ROW && value == INTERLEAVE_ROW_BUFFER)
        snprintf(text, size, "row_buffer");
    else if (unit == UNIT_BYTES || unit == UNIT_BYTES_OR_ROW)
        format_bytes(value, "", text, size);
    else if (unit == UNIT_TIME)
        format_time(value, text, size);
    else if (unit == UNIT_PERIOD)
        format_period(value, text, size);
    else if (unit == UNIT_BANDWIDTH)
        format_bandwidth(value, text, size);
    else if (electric_suffixes(unit))
        format_electric(unit, value, text, size);
    else
        format_decimal(value, 0, unit == UNIT_PERCENT ? "%" : "", text, size);
}
