/* Distance by rows of the table of all beginnings (optimal string alignment): the last row and the two above it. */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool nearest_is_same(char one, char other)
{
    return to_lower(one) == to_lower(other);
}

static unsigned least(unsigned one, unsigned other)
{
    return one < other ? one : other;
}

unsigned name_distance(const char *one, const char *other)
{
    unsigned rows[3][LONGEST + 1];
    unsigned *above = rows[0], *row = rows[1], *two_above = rows[2];
    size_t const length = strlen(other) < LONGEST ? strlen(other) : LONGEST;

    for (unsigned i = 0; i <= length; i++)
        row[i] = i;
    for (unsigned k = 1; k <= LONGEST && one[k - 1]; k++) {
        unsigned *const spare = two_above;

        two_above = above;
        above = row;
        row = spare;
        row[0] = k;
        for (size_t i = 1; i <= length; i++) {
            row[i] = least(above[i - 1] + !nearest_is_same(one[k - 1], other[i - 1]), least(above[i], row[i - 1]) + 1);
            if (k > 1 && i > 1 && nearest_is_same(one[k - 1], other[i - 2]) && nearest_is_same(one[k - 2],
                                                                                               other[i - 1]))
                row[i] = least(row[i], two_above[i - 2] + 1);
        }
    }
    return row[length];
}

struct nearest nearest_to(const char *typed)
{
    return (struct nearest){.typed = typed};
}

void nearest_offer(struct nearest *nearest, const char *name)
{
    size_t const length = strlen(nearest->typed);
    bool const is_begun = length >= 3 && strncmp(name, nearest->typed, length) == 0;
    unsigned const distance = is_begun && name[length] ? 1 : name_distance(nearest->typed, name);

    if (nearest->name && distance >= nearest->distance)
        return;
    nearest->name = name;
    nearest->distance = distance;
}

bool nearest_is_likely(const struct nearest *nearest)
{
    if (!nearest->name)
        return false;

    size_t const typed = strlen(nearest->typed), named = strlen(nearest->name);

    return 3 * nearest->distance <= (typed > named ? typed : named) + 1;
}

const char *nearest_question(const struct nearest *nearest, char *text, size_t size)
{
    text[0] = '\0';
    if (nearest_is_likely(nearest))
        snprintf(text, size, "; did you mean %s?", nearest->name);
    return text;
}
