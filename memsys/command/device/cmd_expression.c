/* Recursive descent, one function a level of precedence; a fault ends all of them. Depth is that of the parentheses,
 * which is limited. */
#include "memsys/command/device/cmd_expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, LARGEST_VALUE = 1 << 30 };

struct parser {
    const char *whole, *at;
    cmd_name_value find;
    const void *names;
    struct fault fault;
    unsigned depth;
};

static double parse_any(struct parser *parser);

static double fail(struct parser *parser, const char *what)
{
    if (parser->fault.kind == FAULT_NONE)
        parser->fault = fault_make(FAULT_INPUT, "\"%.100s\": %s at \"%.20s\"", parser->whole, what, parser->at);
    return 0;
}

/* Takes the text, behind blanks, if it comes next; words must end there. */
static bool take(struct parser *parser, const char *text)
{
    size_t const length = strlen(text);

    while (*parser->at == ' ')
        parser->at++;
    if (strncmp(parser->at, text, length) != 0)
        return false;
    if (isalpha((unsigned char)*text) && (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_'))
        return false;
    parser->at += length;
    return true;
}

static double call(struct parser *parser, const char *name)
{
    double value = parse_any(parser);

    if (strcmp(name, "max") == 0 || strcmp(name, "min") == 0) {
        while (take(parser, ",")) {
            double const other = parse_any(parser);

            value = *name == 'm' && name[1] == 'a' ? fmax(value, other) : fmin(value, other);
        }
    } else {
        value = strcmp(name, "ceil") == 0 ? ceil(value) : strcmp(name, "floor") == 0 ? floor(value) : rint(value);
    }
    return take(parser, ")") ? value : fail(parser, "expected )");
}

static double parse_name(struct parser *parser)
{
    const char *const start = parser->at;
    size_t length = 0;
    double value;

    while (isalnum((unsigned char)start[length]) || start[length] == '_')
        length++;
    if (length == 0)
        return fail(parser, "expected a number or a name");
    parser->at += length;
    if (!parser->find(parser->names, start, length, &value)) {
        parser->at = start;
        return fail(parser, "unknown name");
    }
    return value;
}

static double parse_value(struct parser *parser)
{
    static const char *const functions[] = {"ceil", "floor", "round", "max", "min"};
    double value;
    char *end;

    if (take(parser, "-"))
        return -parse_value(parser);
    if (take(parser, "(")) {
        value = parse_any(parser);
        return take(parser, ")") ? value : fail(parser, "expected )");
    }
    if (take(parser, "always"))
        return 1;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const char *const before = parser->at;

        if (take(parser, functions[i])) {
            if (take(parser, "("))
                return call(parser, functions[i]);
            parser->at = before;
        }
    }
    if (!isdigit((unsigned char)*parser->at))
        return parse_name(parser);
    value = strtod(parser->at, &end);
    parser->at = end;
    return value;
}

static double parse_product(struct parser *parser)
{
    double value = parse_value(parser);

    for (;;) {
        bool const whole = take(parser, "//");

        if (whole || take(parser, "/")) {
            double const divisor = parse_value(parser);

            if (divisor == 0)
                return fail(parser, "division by zero");
            value = whole ? floor(value / divisor) : value / divisor;
        } else if (take(parser, "*")) {
            value *= parse_value(parser);
        } else {
            return value;
        }
    }
}

static double parse_sum(struct parser *parser)
{
    double value = parse_product(parser);

    for (;;) {
        if (take(parser, "+"))
            value += parse_product(parser);
        else if (take(parser, "-"))
            value -= parse_product(parser);
        else
            return value;
    }
}

static double parse_comparison(struct parser *parser)
{
    double const value = parse_sum(parser);

    if (take(parser, "<="))
        return value <= parse_sum(parser);
    if (take(parser, ">="))
        return value >= parse_sum(parser);
    if (take(parser, "=="))
        return value == parse_sum(parser);
    if (take(parser, "!="))
        return value != parse_sum(parser);
    if (take(parser, "<"))
        return value < parse_sum(parser);
    if (take(parser, ">"))
        return value > parse_sum(parser);
    return value;
}

static double parse_both(struct parser *parser)
{
    double value = parse_comparison(parser);

    while (take(parser, "and")) {
        double const other = parse_comparison(parser);

        value = value != 0 && other != 0;
    }
    return value;
}

static double parse_any(struct parser *parser)
{
    double value = 0;

    if (parser->fault.kind != FAULT_NONE)
        return 0;
    if (++parser->depth > DEEPEST)
        return fail(parser, "too many parentheses");
    value = parse_both(parser);
    while (take(parser, "or")) {
        double const other = parse_both(parser);

        value = value != 0 || other != 0;
    }
    parser->depth--;
    return value;
}

struct fault cmd_evaluate(const char *expression, cmd_name_value find, const void *names, double *value)
{
    struct parser parser = {.whole = expression, .at = expression, .find = find, .names = names};

    *value = parse_any(&parser);
    take(&parser, "");
    if (parser.fault.kind == FAULT_NONE && *parser.at)
        fail(&parser, "nothing more expected");
    if (parser.fault.kind == FAULT_NONE && !(fabs(*value) <= LARGEST_VALUE))
        return fault_make(FAULT_INPUT, "\"%.100s\" is %g; it must be within +-2^30", expression, *value);
    return parser.fault;
}
