/* Where the panels of the live view are, for a size of the window and a number of runs.
 *
 * One run: diagram upper left, banks upper right, strips and the heat map on one time axis below. Two runs: a column a
 * run for diagram and banks; strips and heat map divide theirs by themselves. Too small a window leaves out heat map,
 * then banks. Areas lie inside, do not overlap, and are empty (width 0) where a panel is left out. Units: points. */
#ifndef VIZ_VIEW_LAYOUT_H
#define VIZ_VIEW_LAYOUT_H

#include "viz/view/view.h"

enum { VIEW_GAP = 8, VIEW_BAR = 34, VIEW_STATUS = 26 };

struct view_layout {
    struct area bar, status;
    struct area results;                 /* lines below the bar; height 0: there are none */
    struct area diagram[VIEW_RUNS], banks[VIEW_RUNS];
    struct area strips, heat;
};

/* strips_height: what the strips need to be read well; they get more where there is room, and less where there is
 * none. */
struct view_layout view_layout(int width, int height, unsigned run_count, int strips_height);

/* For the view as it is now: with its lines of results. */
struct view_layout view_layout_of(const struct view *view);

#endif
