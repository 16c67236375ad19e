#include "viz/view/view.h"

#include "viz/panels/panels.h"
#include "viz/view/view_internal.h"

enum { LEAST_HEIGHT_OF_HEAT = 560, LEAST_WIDTH_OF_BANKS = 700, LEAST_BANKS = 300, MOST_BANKS = 620 };

static int clamp(int value, int lowest, int highest)
{
    return value < lowest ? lowest : value > highest ? highest : value;
}

static void place_one(struct view_layout *layout, struct area rest, bool has_banks)
{
    if (has_banks) {
        layout->banks[0] = area_take_right(&rest, clamp(rest.width * 36 / 100, LEAST_BANKS, MOST_BANKS));
        area_take_right(&rest, VIEW_GAP);
    }
    layout->diagram[0] = rest;
}

static void place_two(struct view_layout *layout, struct area rest, bool has_banks)
{
    struct area columns[VIEW_RUNS];

    columns[0] = area_take_left(&rest, (rest.width - VIEW_GAP) / 2);
    area_take_left(&rest, VIEW_GAP);
    columns[1] = rest;
    for (unsigned i = 0; i < VIEW_RUNS; i++) {
        if (has_banks) {
            layout->banks[i] = area_take_bottom(&columns[i], columns[i].height * 36 / 100);
            area_take_bottom(&columns[i], VIEW_GAP);
        }
        layout->diagram[i] = columns[i];
    }
}

struct view_layout view_layout(int width, int height, unsigned run_count, int strips_height)
{
    struct area all = {0, 0, clamp(width, 160, 1 << 14), clamp(height, 120, 1 << 14)};
    struct view_layout layout = {0};
    struct area upper;
    bool const has_room = height >= LEAST_HEIGHT_OF_HEAT;
    int room;

    layout.bar = area_take_top(&all, VIEW_BAR);
    layout.status = area_take_bottom(&all, VIEW_STATUS);
    all = (struct area){VIEW_GAP, all.y, all.width - 2 * VIEW_GAP, all.height};
    room = all.height;
    if (has_room) {
        layout.heat = area_take_bottom(&all, clamp(room * 15 / 100, 80, 200));
        area_take_bottom(&all, VIEW_GAP);
    }
    layout.strips = area_take_bottom(&all, clamp(strips_height, room * 36 / 100, room * 44 / 100));
    area_take_bottom(&all, VIEW_GAP);
    upper = all;
    if (run_count == 2)
        place_two(&layout, upper, has_room && width >= LEAST_WIDTH_OF_BANKS);
    else
        place_one(&layout, upper, width >= LEAST_WIDTH_OF_BANKS);
    return layout;
}

struct view_layout view_layout_of(const struct view *view)
{
    int const lines = view_results_height(view);
    struct view_layout layout = view_layout(view->width, view->height - lines, view->run_count,
                                            panel_strips_height(view));
    struct area *const below[] = {&layout.status, &layout.diagram[0], &layout.diagram[1], &layout.banks[0],
                                  &layout.banks[1], &layout.strips, &layout.heat};

    for (unsigned i = 0; i < sizeof below / sizeof *below; i++)
        if (below[i]->width > 0)
            below[i]->y += lines;
    layout.results = (struct area){VIEW_GAP, layout.bar.y + layout.bar.height, view->width - 2 * VIEW_GAP, lines};
    return layout;
}
