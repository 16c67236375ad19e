/* The text is tried as each kind in turn; units_parse knows the units. */
#include "sweep/plan/quantity.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "replay/config/units.h"

#define PS_PER_SECOND 1e12

static bool quantity_parse(enum param_unit unit, const char *text, double *number)
{
    uint64_t value;
    double unused;

    if (units_parse(unit, text, &value, &unused))
        return false;
    *number = (double)value;
    return true;
}

/* "2GHz" exactly, as if it were a bandwidth of 2GB/s. */
static bool parse_hertz(const char *text, double *number)
{
    size_t const length = strlen(text);
    char rate[QUANTITY_TEXT + 4];

    if (length < 3 || length > QUANTITY_TEXT || strcmp(text + length - 2, "Hz") != 0)
        return false;
    snprintf(rate, sizeof rate, "%.*sB/s", (int)length - 2, text);
    return quantity_parse(UNIT_BANDWIDTH, rate, number);
}

static const char *usual_word(const char *word)
{
    static const char *const words[][2] = {
        {"true", "yes"}, {"on", "yes"}, {"True", "yes"}, {"false", "no"}, {"off", "no"}, {"False", "no"}
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i][0]) == 0)
            return words[i][1];
    return word;
}

struct quantity quantity_number(double number)
{
    struct quantity quantity = {.kind = QUANTITY_NUMBER, .number = number};

    snprintf(quantity.word, sizeof quantity.word, "%.17g", number);
    return quantity;
}

struct quantity quantity_of(const char *text)
{
    struct quantity quantity = {.kind = QUANTITY_WORD};
    char *end;

    snprintf(quantity.word, sizeof quantity.word, "%s", usual_word(text));
    if (!strchr("0123456789.-", text[0]) || !text[0])
        return quantity;
    quantity.number = strtod(text, &end);
    if (end != text && (*end == '\0' || strcmp(end, "%") == 0))
        quantity.kind = QUANTITY_NUMBER;
    else if (quantity_parse(UNIT_BYTES, text, &quantity.number))
        quantity.kind = QUANTITY_BYTES;
    else if (quantity_parse(UNIT_TIME, text, &quantity.number))
        quantity.kind = QUANTITY_PS;
    else if (parse_hertz(text, &quantity.number))
        quantity.kind = QUANTITY_HERTZ;
    else if (quantity_parse(UNIT_BANDWIDTH, text, &quantity.number))
        quantity.kind = QUANTITY_RATE;
    return quantity;
}

/* In the largest unit that leaves at most three decimals. */
static void hertz_text(double hertz, char *text, size_t size)
{
    static const struct { double hertz; const char *name; } units[] = {{1e9, "GHz"}, {1e6, "MHz"}, {1e3, "kHz"}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double const thousandths = hertz / units[i].hertz * 1e3;

        if (hertz >= units[i].hertz && thousandths == rint(thousandths)) {
            snprintf(text, size, "%.10g%s", hertz / units[i].hertz, units[i].name);
            return;
        }
    }
    snprintf(text, size, "%.0fHz", hertz);
}

void quantity_text(const struct quantity *quantity, char *text, size_t size)
{
    uint64_t const whole = quantity->number > 0 ? (uint64_t)quantity->number : 0;

    switch (quantity->kind) {
    case QUANTITY_WORD: snprintf(text, size, "%s", quantity->word); return;
    case QUANTITY_NUMBER: snprintf(text, size, "%.10g", quantity->number); return;
    case QUANTITY_BYTES: units_format(UNIT_BYTES, whole, 0, text, size); return;
    case QUANTITY_PS: units_format(UNIT_TIME, whole, 0, text, size); return;
    case QUANTITY_RATE: units_format(UNIT_BANDWIDTH, whole, 0, text, size); return;
    case QUANTITY_HERTZ: hertz_text(quantity->number, text, size); return;
    }
}

static enum quantity_order order_of(double one, double other)
{
    if (isnan(one) || isnan(other))
        return QUANTITY_OTHER;
    return one < other ? QUANTITY_LESS : one > other ? QUANTITY_GREATER : QUANTITY_EQUAL;
}

enum quantity_order quantity_compare(const struct quantity *one, const struct quantity *other)
{
    if (one->kind == QUANTITY_WORD && other->kind == QUANTITY_WORD) {
        int const order = strcasecmp(one->word, other->word);

        return order < 0 ? QUANTITY_LESS : order > 0 ? QUANTITY_GREATER : QUANTITY_EQUAL;
    }
    if (one->kind == QUANTITY_WORD || other->kind == QUANTITY_WORD)
        return QUANTITY_OTHER;
    if (one->kind == QUANTITY_PS && other->kind == QUANTITY_HERTZ)
        return order_of(PS_PER_SECOND / one->number, other->number);
    if (one->kind == QUANTITY_HERTZ && other->kind == QUANTITY_PS)
        return order_of(one->number, PS_PER_SECOND / other->number);
    if (one->kind == other->kind || one->kind == QUANTITY_NUMBER || other->kind == QUANTITY_NUMBER)
        return order_of(one->number, other->number);
    return QUANTITY_OTHER;
}

const char *quantity_name(enum quantity_kind kind)
{
    static const char *const names[] = {"a word", "a number", "a capacity", "a time", "a clock", "a bandwidth"};

    return names[kind];
}
