/* Values are from + i * step, or from * times^i, each computed from the start, so that errors do not add up; the count
 * allows for the rounding of decimals. Whole numbers below 2^53 are exact. */
#include "sweep/plan/spec.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/count.h"
#include "sweep/plan/quantity.h"

struct steps {
    struct quantity from, to;
    double step;
    bool is_factor;
    size_t count;
};

static struct fault axis_number_of(const char *text, const char *what, const char *where, struct quantity *quantity)
{
    uint64_t count;

    *quantity = quantity_of(text);
    if (quantity->kind == QUANTITY_WORD && !count_parse(text, &count))
        *quantity = quantity_number((double)count);
    if (quantity->kind == QUANTITY_WORD)
        return fault_make(FAULT_INPUT, "%s: %s: \"%.40s\" is not a number; give one such as 4, 512KiB or 2GHz, or list "
                          "the values", where, what, text);
    return fault_none();
}

/* "1k" beside plain numbers is a count, not a capacity. */
static void as_count(const char *text, struct quantity *quantity)
{
    uint64_t count;

    if (quantity->kind == QUANTITY_BYTES && !count_parse(text, &count))
        *quantity = quantity_number((double)count);
}

static struct fault take_ends(const struct axis_range *range, const char *where, struct steps *steps)
{
    if (!range->from || !range->to)
        return fault_make(FAULT_INPUT, "%s: a range has from and to, such as {from: 1, to: 32, times: 2}", where);
    FORWARD(axis_number_of(range->from, "from", where, &steps->from));
    FORWARD(axis_number_of(range->to, "to", where, &steps->to));
    if (steps->from.kind == QUANTITY_NUMBER)
        as_count(range->to, &steps->to);
    if (steps->from.kind != steps->to.kind)
        return fault_make(FAULT_INPUT, "%s: from is %s and to %s; give both in the same unit", where,
                          quantity_name(steps->from.kind), quantity_name(steps->to.kind));
    if (steps->from.number > steps->to.number)
        return fault_make(FAULT_INPUT, "%s: from %.40s is above to %.40s; swap them", where, range->from,
                          range->to);
    return fault_none();
}

static struct fault take_step(const struct axis_range *range, const char *where, struct steps *steps)
{
    const char *const text = range->times ? range->times : range->step;
    struct quantity step = quantity_number(1);

    if (range->step && range->times)
        return fault_make(FAULT_INPUT, "%s: has step and times; leave one of them", where);
    if (!text && steps->from.kind != QUANTITY_NUMBER)
        return fault_make(FAULT_INPUT, "%s: has no step; add one, such as step: %.40s or times: 2", where, range->from);
    if (text)
        FORWARD(axis_number_of(text, range->times ? "times" : "step", where, &step));
    if (text && steps->from.kind == QUANTITY_NUMBER)
        as_count(text, &step);
    steps->is_factor = range->times;
    steps->step = step.number;
    if (range->times && (step.kind != QUANTITY_NUMBER || !(step.number > 1)))
        return fault_make(FAULT_INPUT, "%s: times: %.40s; give a factor above 1, such as 2", where, text);
    if (!range->times && (step.kind != steps->from.kind || !(step.number > 0)))
        return fault_make(FAULT_INPUT, "%s: step: %.40s; give %s above 0, as from and to are", where,
                          text ? text : "1", quantity_name(steps->from.kind));
    if (range->times && !(steps->from.number > 0))
        return fault_make(FAULT_INPUT, "%s: from %.40s stays 0 however often it is multiplied; begin above 0", where,
                          range->from);
    return fault_none();
}

static double value_at(const struct steps *steps, size_t i)
{
    double const value = steps->is_factor ? steps->from.number * pow(steps->step, (double)i)
                                          : steps->from.number + steps->step * (double)i;

    /* bytes, ps and the like are whole */
    return steps->from.kind == QUANTITY_NUMBER ? value : rint(value);
}

static struct fault count_values(const char *where, struct steps *steps)
{
    double const last = steps->to.number + 1e-9 * fabs(steps->to.number);

    while (value_at(steps, steps->count) <= last)
        if (++steps->count > AXIS_MAX_VALUES)
            return fault_make(FAULT_INPUT, "%s: has more than %d values; give a larger step", where, AXIS_MAX_VALUES);
    return fault_none();
}

struct fault axis_values(const struct axis_range *range, struct arena *arena, const char *where, const char ***values,
                         size_t *count)
{
    struct steps steps = {.count = 0};
    const char **list;

    FORWARD(take_ends(range, where, &steps));
    FORWARD(take_step(range, where, &steps));
    FORWARD(count_values(where, &steps));
    list = arena_take(arena, steps.count * sizeof *list);
    for (size_t i = 0; list && i < steps.count; i++) {
        struct quantity const value = {.kind = steps.from.kind, .number = value_at(&steps, i)};
        char text[QUANTITY_TEXT];

        quantity_text(&value, text, sizeof text);
        list[i] = arena_copy(arena, text, strlen(text));
        if (!list[i])
            list = NULL;
    }
    if (!list)
        return fault_make(FAULT_MEMORY, "%s: out of memory", where);
    *values = list;
    *count = steps.count;
    return fault_none();
}
