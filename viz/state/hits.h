/* What lies where in the frame drawn last, so that pointing at anything shows its name, numbers and meaning.
 *
 * Panels add areas while they draw, later ones lying on top; the view looks the pointer up and draws the box of
 * explanation. All that is drawn on a panel lies in such an area. Ownership: plain values; titles and numbers are
 * copied and cut to the room. */
#ifndef VIZ_STATE_HITS_H
#define VIZ_STATE_HITS_H

#include <stdbool.h>
#include <stdint.h>

#include "viz/draw/canvas.h"

enum { HITS_ROOM = 8192, HIT_TITLE = 96, HIT_NUMBERS = 256 };

enum hit_kind { HIT_COMPONENT, HIT_LINK, HIT_BANK, HIT_CHART, HIT_HEAT, HIT_PARAMETER, HIT_TEXT, HIT_REQUEST };

struct hit {
    struct area area;
    enum hit_kind kind;
    unsigned run;                        /* which of the runs that are compared */
    uint32_t component;                  /* TELEMETRY_NONE: none */
    uint32_t element;                    /* bank, link, chart, parameter: by kind */
    char title[HIT_TITLE];               /* the whole name, however it was cut in the picture */
    char numbers[HIT_NUMBERS];           /* lines */
    const char *meaning;                 /* what the figure means, or a text that was cut: lives as long as the view */
};

struct hit_map {
    struct hit hits[HITS_ROOM];
    uint32_t count;
};

void hits_clear(struct hit_map *map);
/* NULL when there is no room: the picture is whole all the same. */
struct hit *hits_add(struct hit_map *map, enum hit_kind kind, struct area area);
/* A title, a legend, a scale, a word of a bar: what is read, and is no part of the system. Numbers may be added.
 * NULL also where the area is empty. */
struct hit *hits_add_text(struct hit_map *map, struct area area, unsigned run, const char *title, const char *meaning);
const struct hit *hits_find(const struct hit_map *map, int x, int y);
/* The same thing, maybe in another frame; of charts and of the map also the same moment and place, which their titles
 * say. Banks have a title only while the pointer is on them. */
bool hit_is_same(const struct hit *one, const struct hit *other);

#endif
