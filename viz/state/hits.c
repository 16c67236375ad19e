/* A list in the order of drawing; look-ups start at its end, so the topmost area is found. */
#include "viz/state/state_figures.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "memsys/telemetry/telemetry.h"

void hits_clear(struct hit_map *map)
{
    map->count = 0;
}

struct hit *hits_add(struct hit_map *map, enum hit_kind kind, struct area area)
{
    struct hit *hit;

    if (map->count == HITS_ROOM)
        return NULL;
    hit = &map->hits[map->count++];
    hit->area = area;
    hit->kind = kind;
    hit->run = 0;
    hit->component = TELEMETRY_NONE;
    hit->element = TELEMETRY_NONE;
    hit->title[0] = '\0';
    hit->numbers[0] = '\0';
    hit->meaning = NULL;
    return hit;
}

struct hit *hits_add_text(struct hit_map *map, struct area area, unsigned run, const char *title, const char *meaning)
{
    struct hit *const hit = area.width > 0 && area.height > 0 ? hits_add(map, HIT_TEXT, area) : NULL;

    if (!hit)
        return NULL;
    hit->run = run;
    snprintf(hit->title, sizeof hit->title, "%s", title);
    hit->meaning = meaning;
    return hit;
}

const struct hit *hits_find(const struct hit_map *map, int x, int y)
{
    for (uint32_t i = map->count; i > 0; i--)
        if (area_holds(map->hits[i - 1].area, x, y))
            return &map->hits[i - 1];
    return NULL;
}

bool hit_is_same(const struct hit *one, const struct hit *other)
{
    return one->kind == other->kind && one->run == other->run && one->component == other->component
           && one->element == other->element && (one->kind == HIT_BANK || strcmp(one->title, other->title) == 0);
}
