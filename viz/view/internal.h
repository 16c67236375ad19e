/* Between the files of the view: what view.c, input.c and draw.c share. */
#ifndef VIZ_VIEW_INTERNAL_H
#define VIZ_VIEW_INTERNAL_H

#include "viz/view/view.h"

/* Asks of the host; value and key may be NULL. What finds no room is dropped, but for VIEW_ASK_QUIT. */
void view_put_ask(struct view *view, enum view_ask_kind kind, const char *key, const char *value);
/* The time axis of the chart under a point; width 0: there is none. */
struct area view_time_axis(const struct view *view, int x, int y);
/* The moment that lies under a point of a time axis; false: the point is in no chart. */
bool view_time_at(const struct view *view, int x, int y, uint64_t *time_ps);
/* Zoom about a moment: the window shows `factor` times as much. */
void view_zoom(struct view *view, uint64_t about_ps, double factor);
/* Along time, later is positive. */
void view_pan(struct view *view, double by_ps);
/* Looks up what is under the pointer, and the pinned thing again with its numbers of now. After the panels were
 * drawn. */
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

/* What lies over the panels; in between, the pointer is looked up: panels.c. */
struct panel;
void view_draw_over(const struct panel *panel);

#endif
