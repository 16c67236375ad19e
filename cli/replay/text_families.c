#include "cli/replay/text_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/telemetry/names.h"
#include "viz/state/state_figures.h"

/* From the memory up. */
static const char *const levels[] = {"memcache", "l3", "l2", "l1d", "l1i"};

enum { LEVELS = sizeof levels / sizeof *levels };

/* The name of a component's kind; of a component not private to a core, without the name of its container. */
static void name_family(const char *name, char family[TEXT_FAMILY_NAME])
{
    const char *const point = strrchr(name, '.');
    const char *kind;
    size_t const length
        = telemetry_name_kind(point && telemetry_name_own(name) == name ? point + 1 : name, &kind);

    snprintf(family, TEXT_FAMILY_NAME, "%.*s", (int)(length < TEXT_FAMILY_NAME ? length : TEXT_FAMILY_NAME - 1),
             kind);
}

static unsigned text_families_place_of(const struct text_family *family)
{
    unsigned level = 0;

    if (family->part == TELEMETRY_MEMORY || family->part == TELEMETRY_CHANNEL)
        return family->part == TELEMETRY_MEMORY ? 0 : 1;
    if (family->part != TELEMETRY_CACHE)
        return 3 + LEVELS;
    while (level < LEVELS && strcmp(levels[level], family->name) != 0)
        level++;
    return 2 + level;
}

/* A memory represents its channels, which are not listed. */
static bool is_listed(const struct telemetry *layout, uint32_t component)
{
    const struct telemetry_component *const of = &layout->components[component];

    return of->part == TELEMETRY_CACHE || of->part == TELEMETRY_MEMORY || of->part == TELEMETRY_SLICE
           || (of->part == TELEMETRY_CHANNEL
               && (of->parent == TELEMETRY_NONE || layout->components[of->parent].part != TELEMETRY_MEMORY));
}

static int by_place(const void *one, const void *other)
{
    unsigned const a = text_families_place_of(one), b = text_families_place_of(other);

    return a != b ? (a < b ? -1 : 1) : strcmp(((const struct text_family *)one)->name,
                                              ((const struct text_family *)other)->name);
}

static unsigned find_family(const struct text_families *families, enum telemetry_part part, const char *name)
{
    unsigned place = 0;

    while (place < families->count
           && (families->list[place].part != part || strcmp(families->list[place].name, name) != 0))
        place++;
    return place;
}

struct fault text_families_init(struct text_families *families, const struct telemetry *layout)
{
    char name[TEXT_FAMILY_NAME];

    *families = (struct text_families){.layout = layout};
    families->of = malloc(layout->component_count + 1);
    families->figures = calloc(layout->component_count + 1, sizeof *families->figures);
    if (!families->of || !families->figures)
        return fault_make(FAULT_MEMORY, "out of memory for a panel");
    for (uint32_t i = 0; i < layout->component_count; i++) {
        name_family(layout->components[i].name, name);
        if (is_listed(layout, i) && families->count < TEXT_FAMILIES
            && find_family(families, layout->components[i].part, name) == families->count) {
            struct text_family *const family = &families->list[families->count++];

            family->part = layout->components[i].part;
            memcpy(family->name, name, sizeof name);
        }
    }
    qsort(families->list, families->count, sizeof *families->list, by_place);
    for (uint32_t i = 0; i < layout->component_count; i++) {
        unsigned place;

        name_family(layout->components[i].name, name);
        place = is_listed(layout, i) ? find_family(families, layout->components[i].part, name) : families->count;
        families->of[i] = (uint8_t)(place < families->count ? place : TEXT_FAMILIES);
        if (place < families->count)
            families->list[place].count++;
    }
    return fault_none();
}

void text_families_free(struct text_families *families)
{
    free(families->of);
    free(families->figures);
    *families = (struct text_families){0};
}

/* ---- figures */

/* By falling share; of equal ones the first stays first. Nearly empty queues limit nothing, and are left out. */
static void rank(struct text_families *families, struct text_fullest found)
{
    unsigned place = families->fullest_count;

    if (!(found.share >= 0.005) || !found.queue)
        return;
    while (place > 0 && families->fullest[place - 1].share < found.share) {
        if (place < TEXT_FULLEST)
            families->fullest[place] = families->fullest[place - 1];
        place--;
    }
    if (place == TEXT_FULLEST)
        return;
    families->fullest[place] = found;
    if (families->fullest_count < TEXT_FULLEST)
        families->fullest_count++;
}

/* Of a part that is no family: cores, SMs. */
static void rank_part(struct text_families *families, enum telemetry_part part)
{
    struct text_fullest most = {.share = (double)NAN};

    for (uint32_t i = 0; i < families->layout->component_count; i++) {
        struct component_figures const *const figures = &families->figures[i];

        if (families->layout->components[i].part == part && !isnan(figures->occupancy)
            && !(figures->occupancy <= most.share))
            most = (struct text_fullest){i, figures->fullest, figures->occupancy};
    }
    rank(families, most);
}

/* Accesses of all of a family, so that a busy one counts for more. */
static double hit_rate_of(const struct text_families *families, unsigned place, const uint64_t *before,
                          const uint64_t *words)
{
    const struct telemetry *const layout = families->layout;
    double hits = 0, all = 0;

    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct telemetry_field *const field = &layout->fields[i];
        enum telemetry_part const part = layout->components[field->component].part;
        bool const is_rows = part == TELEMETRY_CHANNEL && strcmp(field->name, "bursts") == 0;
        uint32_t const parent = layout->components[field->component].parent;
        uint32_t const owner = families->of[field->component] == TEXT_FAMILIES && parent != TELEMETRY_NONE
                                   ? parent : field->component;

        if (families->of[owner] != place || (!is_rows && strcmp(field->name, "demand") != 0))
            continue;
        hits += (double)telemetry_delta(field, 0, before, words);
        for (uint32_t j = 0; j < field->count && j < (is_rows ? 3 : 2); j++)
            all += (double)telemetry_delta(field, j, before, words);
    }
    return all > 0 ? hits / all : (double)NAN;
}

static void add_component(struct text_family *family, const struct component_figures *figures, uint32_t component)
{
    if (!isnan(figures->rate))
        family->rate += figures->rate;
    if (!isnan(figures->peak_rate))
        family->peak_rate += figures->peak_rate;
    if (isnan(figures->occupancy))
        return;
    family->mean = (isnan(family->mean) ? 0 : family->mean) + figures->occupancy / family->count;
    if (!(figures->occupancy <= family->most)) {
        family->most = figures->occupancy;
        family->fullest = component;
        family->queue = figures->fullest;
    }
}

void text_families_fill(struct text_families *families, const uint64_t *before, const uint64_t *words)
{
    const struct telemetry *const layout = families->layout;

    figures_of_all(layout, before, words, &families->figures[0]);
    families->fullest_count = 0;
    for (unsigned i = 0; i < families->count; i++) {
        struct text_family *const family = &families->list[i];

        family->rate = family->peak_rate = 0;
        family->mean = family->most = (double)NAN;
        family->fullest = TELEMETRY_NONE;
        family->queue = NULL;
        family->hit_rate = hit_rate_of(families, i, before, words);
    }
    for (uint32_t i = 0; i < layout->component_count; i++)
        if (families->of[i] < families->count)
            add_component(&families->list[families->of[i]], &families->figures[i], i);
    for (unsigned i = 0; i < families->count; i++)
        rank(families, (struct text_fullest){families->list[i].fullest, families->list[i].queue,
                                             families->list[i].most});
    rank_part(families, TELEMETRY_CORE);
    rank_part(families, TELEMETRY_SM);
}
