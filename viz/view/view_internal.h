/* Internals of the view, shared by view.c, view_input.c and view_draw.c. */
#ifndef VIZ_VIEW_VIEW_INTERNAL_H
#define VIZ_VIEW_VIEW_INTERNAL_H

#include "viz/panels/panels.h"
#include "viz/view/view.h"

/* Asks of the host; value and key may be NULL. Without room a request is dropped, except VIEW_ASK_QUIT. */
void view_put_ask(struct view *view, enum view_ask_kind kind, const char *key, const char *value);
/* The time axis of the chart under a point; its width is 0 outside of charts. */
struct area view_time_axis(const struct view *view, int x, int y);
/* The moment that lies under a point of a time axis; false: the point is in no chart. */
bool view_time_at(const struct view *view, int x, int y, uint64_t *time_ps);
/* Zoom about a moment: the window shows `factor` times as much. */
void view_zoom(struct view *view, uint64_t about_ps, double factor);
/* Along time, later is positive. */
void view_pan(struct view *view, double by_ps);
/* Looks up the element under the pointer, and updates the numbers of the pinned one. To be called after the panels
 * were drawn. */
void view_point(struct view *view);

/* The requests of the moment are shown; keys and clicks for them. view_click_requests: false if they are not shown. */
void view_begin_requests(struct view *view, unsigned run);
void view_key_requests(struct view *view, uint32_t key);
bool view_click_requests(struct view *view, const struct hit *hit);
/* A moment was pinned in that chart. */
void view_clicked_chart(struct view *view, const struct hit *hit);
/* Whether the search finds a component. */
bool view_search_finds(const struct view *view, uint32_t component);
/* Whether the filter lets a parameter through. */
bool view_parameter_is_listed(const struct view *view, size_t parameter);

/* Draws the boxes over the panels, after the pointer was looked up. */
struct panel;
void view_draw_over(const struct panel *panel);

/* Results of finished runs, as lines below the bar and as a sheet over the panels: verdicts, doubts,
 * metrics, and the differences between two runs. Between view.c, view_draw.c, over.c and view_input.c. */

/* Points that its lines need below the bar; 0: nothing is known yet, or the window is too low. */
int view_results_height(const struct view *view);
void view_draw_results(const struct panel *panel, struct area area, const struct view_layout *layout);
/* The sheet of all metrics, in the middle of `within`. */
void view_draw_metrics(const struct panel *panel, struct area within);
/* A key while it is open; false: it is for the view. */
bool view_metrics_key(struct view *view, uint32_t key);

/* Speed-up of the second run over the first, of the time since the warm-up if that is known; NAN while either still
 * runs. */
double view_speedup(const struct view *view);

#endif
