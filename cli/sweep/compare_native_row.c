#include "cli/sweep/compare_native.h"

#include <math.h>

double native_row_instructions(const struct native_row *row)
{
    double const counted = row->has_native ? row->native.counters.values[NATIVE_INSTRUCTIONS] : NAN;

    return isnan(counted) ? row->replayed.instructions / row->one->per : counted;
}

double native_row_counter(const struct native_row *row, enum native_counter counter)
{
    double const value = row->has_native ? row->native.counters.values[counter] : NAN;

    return *native_counters_about[counter].metric ? 1000 * value / native_row_instructions(row) : value;
}
