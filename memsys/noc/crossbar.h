/* Crossbar: an interconnect with separate layers for each port (classic-memory 5). Three roles: coherent
 * between caches (tol2bus), coherent and point of coherency (membus), non-coherent below the point of coherency.
 *
 * Use: as any interconnect (noc.h), or crossbar_init for one whose struct is the caller's.
 *
 * Delays are written into requests, which are passed on in the same tick: the receiver charges them. Responses wait in
 * a queue for each CPU-side port. The way back is in the packet's route, a stack of which a crossbar touches only the
 * top:
 *   - a request carries {CPU-side port} from before the snoop until its response, so that a cache which answers the
 *     snoop copies it; it is taken off again if no response is due from below, or if the request is refused;
 *   - a snoop from below carries {memory-side port} while it is above.
 * The top of a snoop response shows whether it continues down or has become the response to a request of this
 * crossbar.
 *
 * Ownership: as in memsys/sim/port.h. A packet that ends here (an eviction that no component below needs to see, a
 * request that a cache above answers) is given to the pool as the last thing before the call returns: its marks stay
 * readable until the next packet is taken. Names and contexts are borrowed. Units: ticks are picoseconds. Nothing is
 * allocated after set-up, except that the snoop filter grows with the number of lines that the caches above hold. */
#ifndef MEMSYS_NOC_CROSSBAR_H
#define MEMSYS_NOC_CROSSBAR_H

#include "memsys/noc/layer.h"
#include "memsys/noc/noc.h"
#include "memsys/noc/snoop_filter.h"
#include "memsys/sim/packet_queue.h"

/* classic-memory 5.8. Layer occupancies are in the layers, filter counters in the filter. */
struct crossbar_stats {
    uint64_t trans_dist[CMD_COUNT];  /* packets as in noc_traffic, snoops from below, all snoop responses */
    uint64_t snoops;                 /* accepted express requests, snoops from below, snoop responses */
    uint64_t snoop_traffic_bytes;    /* of those that carry data */
    uint64_t *snoop_fanout;          /* [n]: times that a packet was snooped at n ports; n up to max_cpu_ports */
};

/* Faces a requester. */
struct crossbar_cpu_port {
    struct above above;
    struct layer response_layer;
    struct packet_queue response_queue;
    unsigned span;                   /* of the last request */
    const char *peer_name;
};

/* Faces the next cache or a memory. */
struct crossbar_memory_port {
    struct below below;
    struct layer request_layer;
    struct layer command_layer;      /* of requests without data, with has_command_path */
    struct layer snoop_layer;        /* for snoop responses; coherent crossbars only */
    const char *peer_name;
};

/* Addresses of the channels of one memory, whose ports follow each other. */
struct crossbar_span {
    uint64_t first, size_bytes;
    const struct address_range *range;    /* of the first channel */
    unsigned port;                   /* its port */
};

struct crossbar {
    struct noc noc;
    uint64_t request_ps, snoop_ps, snoop_response_ps;    /* added to header delays, as noc.response_ps */
    uint64_t header_ps;              /* a packet occupies a layer for this and its payload delay */
    uint64_t lookup_ps;
    uint64_t line_payload_ps;        /* payload delay of one line, the usual size */
    uint64_t snooping_mask;          /* CPU-side ports that snoop */
    bool wants_response_bounds;                  /* some of them have a response_bound */
    bool has_command_path;
    struct crossbar_cpu_port *cpu_ports;
    struct crossbar_memory_port *memory_ports;
    struct crossbar_span *spans;
    unsigned span_count;             /* 0: the only memory-side port owns all addresses */
    struct crossbar_stats stats;
    struct snoop_filter filter;      /* unused without role.snoop_filter */
};

extern const struct noc_ops noc_crossbar;

/* The crossbar that an interconnect is; NULL if it is of another kind. */
static inline struct crossbar *crossbar_of(struct noc *noc)
{
    return noc->ops == &noc_crossbar ? (struct crossbar *)noc : NULL;
}

/* noc_begin for a crossbar of the caller's own; noc_end ends it. */
struct fault crossbar_init(struct crossbar *crossbar, struct sim *sim, const char *name,
                           const struct noc_params *params, const struct noc_role *role, unsigned max_cpu_ports,
                           unsigned max_memory_ports);

#endif
