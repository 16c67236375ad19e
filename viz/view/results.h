/* What is known of runs that are over, as lines below the bar and as a sheet over the panels: verdicts, doubts,
 * metrics, and of two runs what differs between them. Between view.c, draw.c, over.c and input.c. */
#ifndef VIZ_VIEW_RESULTS_H
#define VIZ_VIEW_RESULTS_H

#include "viz/panels/panels.h"
#include "viz/view/layout.h"

/* Points that its lines need below the bar; 0: nothing is known yet, or the window is too low. */
int view_results_height(const struct view *view);
void view_draw_results(const struct panel *panel, struct area area, const struct view_layout *layout);
/* The sheet of all metrics, in the middle of `within`. */
void view_draw_metrics(const struct panel *panel, struct area within);
/* A key while it is open; false: it is for the view. */
bool view_metrics_key(struct view *view, uint32_t key);

/* How much faster the second run is, by the time since the warm-up where that is known; NAN: one of them goes on. */
double view_speedup(const struct view *view);

#endif
