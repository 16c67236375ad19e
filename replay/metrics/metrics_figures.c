#include "replay/metrics/metrics.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

static const struct { const char *owner, *beginning; } classes[] = {
#define CLASS(owner, beginning) {#owner, beginning},
    FIGURE_CLASSES(CLASS)
#undef CLASS
};

enum { CLASS_COUNT = sizeof classes / sizeof *classes, SYSTEM_LENGTH = 7 };
static_assert((int)CLASS_COUNT == (int)FIGURE_OWNERS, "metrics.h has the number of classes");

/* The number of a component among the instances of a class, and the text behind it; false: the component is of another
 * class. */
static bool take_component(const char *component, const char *beginning, int *instance, const char **rest)
{
    size_t const length = strlen(beginning);
    char *end;

    if (strncmp(component, beginning, length) != 0)
        return false;
    if (component[length] == '.') {
        *instance = 0;
        *rest = component + length + 1;
        return true;
    }
    if (!isdigit((unsigned char)component[length]))
        return false;
    *instance = (int)strtol(component + length, &end, 10);
    *rest = end + 1;
    return *end == '.';
}

/* "dram_2.busUtil" is "dram.busUtil" of the second pseudo-channel. */
static const char *channel_name(struct figures *figures, const char *name)
{
    size_t const digits = strncmp(name, "dram_", 5) == 0 ? strspn(name + 5, "0123456789") : 0;
    char *copy;

    if (digits == 0 || name[5 + digits] != '.')
        return arena_copy(&figures->arena, name, strlen(name));
    copy = arena_copy(&figures->arena, name + digits + 1, strlen(name + digits + 1));
    if (copy)
        memcpy(copy, "dram", 4);
    return copy;
}

/* "cpu3.l1d.overallMisses::total" belongs to a private cache of core 3; *rest is the text behind "cpu3.". */
static const char *cache_of_core(const char **rest)
{
    static const char *const caches[] = {"l1i", "l1d", "l2", "l3"};

    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        size_t const length = strlen(caches[i]);

        if (strncmp(*rest, caches[i], length) != 0 || (*rest)[length] != '.')
            continue;
        *rest += length + 1;
        return caches[i];
    }
    return NULL;
}

void figures_add(struct figures *figures, const char *name, double value)
{
    struct figure figure = {.owner = "", .value = value};
    const char *rest = name, *cache;

    if (strncmp(name, "system.", SYSTEM_LENGTH) == 0)
        for (size_t i = 0; i < CLASS_COUNT && !*figure.owner; i++)
            if (take_component(name + SYSTEM_LENGTH, classes[i].beginning, &figure.instance, &rest))
                figure.owner = classes[i].owner;
    cache = strcmp(figure.owner, "cpu") == 0 ? cache_of_core(&rest) : NULL;
    if (cache)
        figure.owner = cache;
    figure.name = *figure.owner ? channel_name(figures, rest) : arena_copy(&figures->arena, name, strlen(name));
    if (!figure.name || !list_fit(&figures->list, figures->count + 1, &figures->room, sizeof *figures->list)) {
        figures->out_of_memory = true;
        return;
    }
    figures->list[figures->count++] = figure;
}

static int metrics_figures_compare(const struct figure *one, const struct figure *other)
{
    int const owner = strcmp(one->owner, other->owner), name = owner ? owner : strcmp(one->name, other->name);

    return name ? name : (one->instance > other->instance) - (one->instance < other->instance);
}

static int by_place(const void *one, const void *other)
{
    return metrics_figures_compare(one, other);
}

/* Of two lines with one class the first has the count. */
static size_t number_of_class(const char *owner)
{
    size_t i = 0;

    while (i < CLASS_COUNT && strcmp(classes[i].owner, owner) != 0)
        i++;
    return i;
}

static void count_instances(struct figures *figures)
{
    size_t number = CLASS_COUNT;

    for (size_t i = 0; i < figures->count; i++) {
        struct figure const *const figure = &figures->list[i];

        if (i == 0 || strcmp(figures->list[i - 1].owner, figure->owner) != 0)
            number = number_of_class(figure->owner);
        if (number < CLASS_COUNT && figure->instance >= figures->instances[number])
            figures->instances[number] = figure->instance + 1;
    }
}

struct fault figures_finish(struct figures *figures)
{
    if (figures->out_of_memory)
        return fault_make(FAULT_MEMORY, "out of memory for the figures of a run");
    if (figures->count)
        qsort(figures->list, figures->count, sizeof *figures->list, by_place);
    count_instances(figures);
    return fault_none();
}

void figures_free(struct figures *figures)
{
    free(figures->list);
    arena_free(&figures->arena);
    *figures = (struct figures){0};
}

/* Index of the first one that is not before `key`. */
static size_t metrics_figures_find(const struct figures *figures, const struct figure *key)
{
    size_t low = 0, high = figures->count;

    while (low < high) {
        size_t const middle = low + (high - low) / 2;

        if (metrics_figures_compare(&figures->list[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int figures_instances(const struct figures *figures, const char *owner)
{
    size_t const number = number_of_class(owner);

    return number < CLASS_COUNT ? figures->instances[number] : 0;
}

double figures_sum(const struct figures *figures, const char *owner, const char *name, int instance, size_t *found)
{
    size_t i = metrics_figures_find(figures, &(struct figure){owner, name, instance == FIGURES_ALL ? 0 : instance, 0});
    double sum = 0;

    for (*found = 0; i < figures->count; i++) {
        struct figure const *const figure = &figures->list[i];

        if (strcmp(figure->owner, owner) != 0 || strcmp(figure->name, name) != 0
            || (instance != FIGURES_ALL && figure->instance != instance))
            break;
        if (isnan(figure->value))
            continue;
        sum += figure->value;
        (*found)++;
    }
    return *found ? sum : NAN;
}

double figures_highest(const struct figures *figures, const char *owner, const char *name)
{
    double highest = NAN;
    size_t found;

    for (int i = 0; i < figures_instances(figures, owner); i++)
        highest = fmax(highest, figures_sum(figures, owner, name, i, &found));
    return highest;
}
