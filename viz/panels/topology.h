/* Positions of the components of a memory system in a picture: a component's column is its distance from the cores on
 * the longest way to memory; private components are beside their core; those of the GPU are below those of the cores.
 *
 * A node is a box, a bar (a bus), or a group: components of one kind that would be too small to be read each, as cells.
 * A controller with one channel is one node. Ranks have no node of their own: the component that contains them shows
 * them.
 * Use: topology_make once for a layout; topology_place for each area; look at nodes and edges; topology_free.
 * Units: points. Ownership: the layout is borrowed; the rest is the topology's. Errors: FAULT_MEMORY. */
#ifndef VIZ_PANELS_TOPOLOGY_H
#define VIZ_PANELS_TOPOLOGY_H

#include <stdint.h>

#include "memsys/telemetry/telemetry.h"
#include "viz/draw/canvas.h"
#include "viz/panels/panels.h"
#include "viz/state/state_figures.h"

enum { TOPOLOGY_LABEL = 48, TOPOLOGY_BENDS = 4 };

enum topology_shape { TOPOLOGY_BOX, TOPOLOGY_BAR, TOPOLOGY_GROUP };

struct topology_node {
    enum topology_shape shape;
    enum telemetry_part part;
    unsigned column;
    uint32_t first, count;               /* of members */
    char label[TOPOLOGY_LABEL];
    struct area area;                    /* all of it; of a bar with its label above */
    struct area body;                    /* the bar itself, the cells of a group; else as area */
    unsigned cells_across, cells_down;   /* of a group */
};

/* Links of the layout from one node to another, together. */
struct topology_edge {
    uint32_t from, to;                   /* nodes */
    uint32_t first, count;               /* of links */
    struct point bends[TOPOLOGY_BENDS];  /* its way, from end to end */
    unsigned bend_count;
};

struct topology_place;
struct topology_order;

struct topology {
    const struct telemetry *layout;
    struct topology_place *places;       /* of each component */
    /* Links of the layout, and those implied by containment: GPU and SMs, controllers and channels. */
    struct telemetry_link *links;
    uint32_t link_count;
    unsigned column_count;
    /* As they were placed last. */
    struct topology_node *nodes;
    struct topology_edge *edges;
    uint32_t *members;                   /* components, by node */
    uint32_t *ordered;                   /* places in links, by edge */
    struct topology_order *order;        /* room for sorting */
    uint32_t node_count, edge_count, member_count;
};

struct fault topology_make(struct topology *topology, const struct telemetry *layout);
void topology_free(struct topology *topology);

void topology_place(struct topology *topology, struct area area);

/* The node that shows a component, its own or its container's; TELEMETRY_NONE: nowhere (the system). */
uint32_t topology_node_of(const struct topology *topology, uint32_t component);
/* Where in a group a member's cell is. */
struct area topology_cell(const struct topology_node *node, uint32_t member);

/* Positions of the components of a run in its diagram, kept from one frame to the next.
 *
 * Use: topology_keep in each frame. Ownership: the view's; it stays until the next call for the same run. */

struct kept_topology {
    uint64_t layouts;                    /* those of the view for which it was made; 0: it is not made */
    struct area area;
    struct topology topology;
    struct component_figures *figures;             /* room for those of each component */
};

/* That of the panel's run, placed in the area; NULL: there is no memory. */
const struct kept_topology *topology_keep(const struct panel *panel, struct area area);

#endif
