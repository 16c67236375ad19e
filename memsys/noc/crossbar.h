/* Crossbar: connects caches above with the next cache or the memories below (classic-memory 5). Three roles: coherent
 * between caches (tol2bus), coherent and point of coherency (membus), non-coherent below the point of coherency.
 *
 * Use: crossbar_init; crossbar_connect_above for each requester, in the order of the port numbers wanted;
 * crossbar_connect_below for the cache or each memory. Give the requester crossbar_below(its number) as what is below
 * it, and the component below crossbar_above(its number) as what is above it. From then on all runs through
 * memsys/sim/port.h.
 *
 * Delays are written into requests, which are passed on in the same tick: the receiver charges them. Responses wait in
 * a queue for each CPU-side port. The way back stands in the packet's route, of which a crossbar touches only the top:
 *   - a request carries {CPU-side port} from before the snoop until its response, so that a cache which answers the
 *     snoop copies it; it is taken off again if no response is due from below, or if the request is refused;
 *   - a snoop from below carries {memory-side port} while it is above.
 * A snoop response shows by its top whether it goes on down or has become the response to a request of this crossbar.
 *
 * Ownership: as in memsys/sim/port.h. A packet that ends here (an eviction that nobody below has to know of, a request
 * that a cache above answers) is given to the pool as the last thing before the call returns: its marks stay readable
 * until the next packet is taken. Names and contexts are borrowed. Units: ticks are picoseconds. Nothing is allocated
 * after set-up, except that the snoop filter grows with the number of lines that the caches above hold. */
#ifndef MEMSYS_NOC_CROSSBAR_H
#define MEMSYS_NOC_CROSSBAR_H

#include "memsys/noc/interleave.h"
#include "memsys/noc/layer.h"
#include "memsys/noc/snoop_filter.h"
#include "memsys/sim/packet_queue.h"
#include "memsys/sim/params.h"
#include "memsys/sim/port.h"

#define CROSSBAR_MAX_CPU_PORTS SNOOP_FILTER_PORTS
#define CROSSBAR_MAX_MEMORY_PORTS 256

struct crossbar_role {
    bool coherent;                   /* false: no snoops, no filter, header latency 1 */
    bool point_of_coherency;         /* answers upgrades and invalidations itself, ends clean evictions */
    bool snoop_filter;               /* without: every request is a snoop of all other snooping ports */
    uint64_t lookup_latency_cyc;     /* of the snoop filter, added to every request and snoop */
};

/* Packets and bytes between one CPU-side and one memory-side port: accepted requests, express ones too, responses from
 * below, snoop responses on their way down. Bytes only of packets that carry data. */
struct crossbar_traffic {
    uint64_t packets, bytes;
};

/* classic-memory 5.8. Layer occupancies stand in the layers, filter counters in the filter. */
struct crossbar_stats {
    uint64_t trans_dist[CMD_COUNT];  /* packets as in crossbar_traffic, snoops from below, all snoop responses */
    uint64_t snoops;                 /* accepted express requests, snoops from below, snoop responses */
    uint64_t snoop_traffic_bytes;    /* of those that carry data */
    uint64_t *snoop_fanout;          /* [n]: times that a packet was snooped at n ports; n up to max_cpu_ports */
    struct crossbar_traffic *traffic;    /* [cpu port * max_memory_ports + memory port] */
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
    struct sim *sim;
    struct clock_domain clock;
    uint64_t request_ps, response_ps, snoop_ps, snoop_response_ps;    /* added to header delays */
    uint64_t header_ps;              /* a packet occupies a layer for this and its payload delay */
    uint64_t lookup_ps;
    uint64_t line_payload_ps;        /* payload delay of one line, the usual size */
    uint64_t width_bytes;
    uint64_t snooping_mask;          /* CPU-side ports that snoop */
    bool wants_response_bounds;                  /* some of them want to be told when answers come */
    struct crossbar_role role;
    unsigned cpu_port_count, memory_port_count;
    struct crossbar_cpu_port *cpu_ports;
    struct crossbar_memory_port *memory_ports;
    struct crossbar_span *spans;
    unsigned span_count;             /* 0: the only memory-side port owns all addresses */
    struct crossbar_stats stats;
    struct snoop_filter filter;      /* unused without role.snoop_filter */
    unsigned max_cpu_ports, max_memory_ports;
    const char *name;
    const char *our_name;            /* in samples; the same, unless set */
};

/* params->clock_ps must be a period, not CLOCK_INHERITED. FAULT_INPUT if there are more ports than CROSSBAR_MAX_*.
 * After a fault crossbar_free is due as well. The crossbar may not move in memory afterwards. */
struct fault crossbar_init(struct crossbar *crossbar, struct sim *sim, const char *name,
                           const struct crossbar_params *params, const struct crossbar_role *role,
                           unsigned max_cpu_ports, unsigned max_memory_ports);
/* Before sim_free: packets that wait in queues go back to the pool. */
void crossbar_free(struct crossbar *crossbar);

/* Return the number of the new port: 0, 1, 2, ... Snoops go in the order of these numbers. */
unsigned crossbar_connect_above(struct crossbar *crossbar, struct above above, const char *peer_name);
/* range: addresses that the new port owns, borrowed; NULL for the only port, which owns all. Channels of one memory are
 * connected one after the other, in the order of their numbers (asserted). Each address that a packet may have must be
 * owned (asserted): the core checks addresses against the memories. */
unsigned crossbar_connect_below(struct crossbar *crossbar, struct below below, const char *peer_name,
                                const struct address_range *range);

/* The crossbar as its neighbours see it. */
struct below crossbar_below(struct crossbar *crossbar, unsigned cpu_port);
struct above crossbar_above(struct crossbar *crossbar, unsigned memory_port);

void crossbar_reset_stats(struct crossbar *crossbar);
/* Adds "system.<name>". */
void crossbar_add_stats(struct crossbar *crossbar, struct stats *stats);

static inline const struct crossbar_traffic *crossbar_traffic(const struct crossbar *crossbar, unsigned cpu_port,
                                                              unsigned memory_port)
{
    return &crossbar->stats.traffic[cpu_port * crossbar->max_memory_ports + memory_port];
}

#endif
