#include "sweep/native/native_errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/compare/rank_correlation.h"

static bool is_known(const struct native_pair *pair)
{
    return pair->native_cycles > 0 && pair->cycles > 0;
}

static size_t first_of(const struct native_pair *list, size_t index)
{
    size_t const length = strcspn(list[index].name, ":");

    for (size_t i = 0; i < index; i++)
        if (strcspn(list[i].name, ":") == length && memcmp(list[i].name, list[index].name, length) == 0)
            return i;
    return index;
}

static void find_error(struct native_pair *list, size_t index)
{
    struct native_pair *const pair = &list[index];
    const struct native_pair *first;

    pair->first = first_of(list, index);
    first = &list[pair->first];
    pair->error = is_known(pair) ? pair->cycles / pair->native_cycles - 1 : NAN;
    pair->native_change = pair->change = pair->change_error = NAN;
    pair->is_clear = pair->is_right = false;
    if (pair->first == index || !is_known(pair) || !is_known(first))
        return;
    pair->native_change = pair->native_cycles / first->native_cycles;
    pair->change = pair->cycles / first->cycles;
    pair->change_error = pair->change / pair->native_change - 1;
    pair->is_clear = fabs(pair->native_change - 1) >= NATIVE_CLEAR_CHANGE;
    pair->is_right = pair->native_change > 1 ? pair->change > 1 + NATIVE_LEAST_CHANGE
                                             : pair->change < 1 - NATIVE_LEAST_CHANGE;
}

static int by_size(const void *one, const void *two)
{
    double const difference = *(const double *)one - *(const double *)two;

    return difference < 0 ? -1 : difference > 0;
}

static void add_up(struct native_errors *errors, const struct native_pair *list, size_t count)
{
    double sum = 0, changes = 0;

    for (size_t i = 0; i < count; i++) {
        const struct native_pair *const pair = &list[i];

        if (isnan(pair->error))
            continue;
        errors->count++;
        sum += fabs(pair->error);
        if (errors->count == 1 || fabs(pair->error) > fabs(errors->worst)) {
            errors->worst = pair->error;
            errors->worst_pair = i;
        }
        if (isnan(pair->change_error))
            continue;
        errors->changes++;
        changes += fabs(pair->change_error);
        errors->clear += pair->is_clear;
        errors->right += pair->is_clear && pair->is_right;
    }
    if (errors->count > 0)
        errors->mean = sum / (double)errors->count;
    if (errors->changes > 0)
        errors->change_mean = changes / (double)errors->changes;
}

static double middle_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
    return count == 0 ? NAN : (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* room: for both sides. */
static void find_ranks(struct native_errors *errors, const struct native_pair *list, size_t count, double *room)
{
    double *const native = room, *const simulated = room + count;
    size_t known = 0, with_cpi = 0;

    for (size_t i = 0; i < count; i++)
        if (is_known(&list[i])) {
            native[known] = list[i].native_cycles;
            simulated[known++] = list[i].cycles;
        }
    errors->rank_cycles = rank_spearman(native, simulated, known);
    for (size_t i = 0; i < count; i++)
        if (is_known(&list[i]) && list[i].instructions > 0) {
            native[with_cpi] = list[i].native_cycles / list[i].instructions;
            simulated[with_cpi++] = list[i].cycles / list[i].instructions;
        }
    errors->rank_cpi = rank_spearman(native, simulated, with_cpi);
    known = 0;
    for (size_t i = 0; i < count; i++)
        if (is_known(&list[i]))
            native[known++] = fabs(list[i].error);
    errors->median = middle_of(native, known);
}

struct fault native_errors_of(struct native_errors *errors, struct native_pair *list, size_t count)
{
    double *const room = calloc(2 * count + 1, sizeof *room);

    *errors = (struct native_errors){.mean = NAN, .median = NAN, .worst = NAN, .change_mean = NAN};
    if (!room)
        return fault_memory("the comparison", NULL);
    for (size_t i = 0; i < count; i++)
        find_error(list, i);
    add_up(errors, list, count);
    find_ranks(errors, list, count, room);
    free(room);
    return fault_none();
}
