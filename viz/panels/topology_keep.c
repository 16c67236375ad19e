/* It is made anew when any run of the view has another layout, and placed anew in another area. */
#include "viz/panels/topology_keep.h"

#include <stdlib.h>
#include <string.h>

static void drop(struct kept_topology *kept)
{
    if (kept->layouts)
        topology_free(&kept->topology);
    free(kept->figures);
    *kept = (struct kept_topology){0};
}

static void drop_all(void *memory)
{
    struct kept_topology *const kept = memory;

    for (unsigned i = 0; i < VIEW_RUNS; i++)
        drop(&kept[i]);
}

const struct kept_topology *topology_keep(const struct panel *panel, struct area area)
{
    const struct telemetry *const layout = panel->view->runs[panel->run].layout;
    struct kept_topology *const all = view_memory(panel->view, PANEL_DIAGRAM, VIEW_RUNS * sizeof *all, drop_all);
    struct kept_topology *const kept = all ? &all[panel->run] : NULL;

    if (!kept)
        return NULL;
    if (kept->layouts == panel->view->layouts && memcmp(&kept->area, &area, sizeof area) == 0)
        return kept;
    if (kept->layouts != panel->view->layouts) {
        drop(kept);
        kept->figures = calloc(layout->component_count, sizeof *kept->figures);
        if (!kept->figures || topology_make(&kept->topology, layout).kind != FAULT_NONE)
            return NULL;
        kept->layouts = panel->view->layouts;
    }
    kept->area = area;
    topology_place(&kept->topology, area);
    return kept;
}
