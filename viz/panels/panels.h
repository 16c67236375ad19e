/* The panels of the live view. Each draws one run into an area, and adds the areas that respond to the pointer to
 * view->hits; strip charts and heat map draw all runs, side by side on the same time axis: call them once a frame. */
#ifndef VIZ_PANELS_PANELS_H
#define VIZ_PANELS_PANELS_H

#include "viz/state/state.h"

struct panel {
    struct view *view;
    struct canvas *canvas;
    const struct theme *theme;
    struct area area;
    unsigned run;
};

/* The memory system as boxes and links, laid out from the topology. */
void panel_diagram(const struct panel *panel);
/* Ranks and banks of all channels. */
void panel_banks(const struct panel *panel);
/* Bandwidth, latency, occupancy, stalls, requestors over the time window. */
void panel_strips(const struct panel *panel);
/* Regions of memory over the time window. */
void panel_heat(const struct panel *panel);

/* Requests that were followed, of the moment; over the diagrams. */
void panel_requests(const struct panel *panel);

/* Points that all rows of the strip charts need to be read well; fewer make them lower. */
int panel_strips_height(const struct view *view);

/* Which part of the area time runs over, of one of run_count runs: from x of window.from_ps to x of window.to_ps; the
 * same for strips and heat map. */
struct area panel_time_area(struct area area, unsigned run, unsigned run_count);

#endif
