/* Where the components of a run stand in its diagram, kept from one frame to the next.
 *
 * Use: topology_keep in each frame. Ownership: the view's; it stays until the next call for the same run. */
#ifndef VIZ_PANELS_TOPOLOGY_KEEP_H
#define VIZ_PANELS_TOPOLOGY_KEEP_H

#include "viz/panels/panels.h"
#include "viz/panels/topology.h"
#include "viz/state/figures.h"

struct kept_topology {
    uint64_t layouts;                    /* those of the view for which it was made; 0: it is not made */
    struct area area;
    struct topology topology;
    struct component_figures *figures;             /* room for those of each component */
};

/* That of the panel's run, placed in the area; NULL: there is no memory. */
const struct kept_topology *topology_keep(const struct panel *panel, struct area area);

#endif
