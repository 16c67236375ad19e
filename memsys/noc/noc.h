/* Interconnects: what joins requesters above with the next cache, or with the memories, below. Each kind keeps the
 * contract of this header; the crossbar (crossbar.h) is the first.
 *
 * Use: noc_new; noc_connect_above for each requester, in the order of the port numbers wanted; noc_connect_below for
 * the cache or each memory. Give the requester noc_below(its number) as its neighbour towards memory, and the component
 * below noc_above(its number) as its neighbour towards the core. From then on all runs through memsys/sim/port.h.
 *
 * A kind promises:
 *   1. A request goes to the memory-side port that owns its address, its response back to the CPU-side port it came
 *      from, by the packet's route (struct route_step), of which a kind touches only the top. Requests are passed on in
 *      the tick of their call: delays are written into the packet, and the receiver charges them.
 *   2. role.coherent: before a request is passed on, the snooping ports that may have its line have seen it; at the
 *      point of coherency upgrades and invalidations are answered. Snoops from below reach all ports that may have the
 *      line, in zero time; their answers go down, or become responses (classic-memory 5.4 to 5.6).
 *   3. A refused neighbour gets its retry.
 *   4. Each packet that is passed on counts in `traffic`.
 *   5. tells_response_bounds: every response_bound from below is handed on, never later than the response can come, and
 *      no response takes less than response_ps. Without, the fast engine executes no core ahead of the others.
 *
 * Adding one: a file <name>.c that defines `noc_<name>`, one line in INTERCONNECTS (memsys/noc/noc_params.h), and a
 * test; see docs/extending.md. Ownership: noc_free frees what noc_new took; names and ranges are borrowed. Units:
 * ticks are picoseconds. */
#ifndef MEMSYS_NOC_NOC_H
#define MEMSYS_NOC_NOC_H

#include "memsys/noc/interleave.h"
#include "memsys/sim/port.h"
#include "memsys/sim/sim.h"

#define NOC_MAX_CPU_PORTS 64             /* sets of them are words */
#define NOC_MAX_MEMORY_PORTS 256

struct stats;

struct noc_role {
    bool coherent;                   /* false: no snoops, no filter, header latency 1 */
    bool point_of_coherency;         /* answers upgrades and invalidations itself, ends clean evictions */
    bool snoop_filter;               /* without: every request is a snoop of all other snooping ports */
    uint64_t lookup_latency_cyc;     /* of the snoop filter, added to every request and snoop */
};

/* Packets and bytes between one CPU-side and one memory-side port: accepted requests, express ones too, responses from
 * below, snoop responses on their way down. Bytes only of packets that carry data. */
struct noc_traffic {
    uint64_t packets, bytes;
};

/* The part that all kinds have: the first member of a kind's own struct. */
struct noc {
    const struct noc_ops *ops;
    struct sim *sim;
    const char *name;
    const char *our_name;            /* in samples; the same, unless set */
    struct noc_role role;
    struct clock_domain clock;
    uint64_t width_bytes;            /* a cycle, each way of each port */
    uint64_t response_ps;            /* see 5. */
    unsigned cpu_port_count, memory_port_count, max_cpu_ports, max_memory_ports;
    struct noc_traffic *traffic;     /* [cpu port * max_memory_ports + memory port] */
};

struct noc_params;

struct noc_ops {
    const char *name;
    bool tells_response_bounds;
    size_t own_bytes;                /* of the kind's struct, whose first member is struct noc */
    /* noc: own_bytes of zeros, except the fields that noc_new has set. After a fault `free` is due as well. */
    struct fault (*init)(struct noc *noc, const struct noc_params *params);
    void (*free)(struct noc *noc);   /* all but struct noc; packets that wait go back to the pool */
    /* Ports are numbered 0, 1, 2, ... in the order of these calls. Snoops go in the order of these numbers. */
    void (*connect_above)(struct noc *noc, unsigned port, struct above above, const char *peer_name);
    void (*connect_below)(struct noc *noc, unsigned port, struct below below, const char *peer_name,
                          const struct address_range *range);
    struct below (*below)(struct noc *noc, unsigned cpu_port);
    struct above (*above)(struct noc *noc, unsigned memory_port);
    /* Neighbour at a memory-side port, which may be replaced before the run by one that passes all on to it. */
    struct below *(*neighbour)(struct noc *noc, unsigned memory_port);
    void (*reset_stats)(struct noc *noc);                        /* all but `traffic` */
    void (*add_stats)(struct noc *noc, struct stats *stats);     /* "system.<name>" */
};

/* params->clock_ps must be a period, not CLOCK_INHERITED. *noc: NULL after a fault. FAULT_INPUT if there are more ports
 * than NOC_MAX_*. The interconnect does not move in memory. */
struct fault noc_new(struct noc **noc, struct sim *sim, const char *name, const struct noc_params *params,
                     const struct noc_role *role, unsigned max_cpu_ports, unsigned max_memory_ports);
/* Does that enum noc_kind tell response bounds? */
bool noc_tells_response_bounds(uint64_t kind);
/* Before sim_free. NULL is fine. */
void noc_free(struct noc *noc);

/* noc_new in two steps, for a kind whose struct is the caller's: the part that all kinds have, then ops->init. After a
 * fault noc_end is due as well, which is noc_free without freeing the struct. */
struct fault noc_begin(struct noc *noc, const struct noc_ops *ops, struct sim *sim, const char *name,
                       const struct noc_params *params, const struct noc_role *role, unsigned max_cpu_ports,
                       unsigned max_memory_ports);
void noc_end(struct noc *noc);

/* Return the number of the new port: 0, 1, 2, ... */
unsigned noc_connect_above(struct noc *noc, struct above above, const char *peer_name);
/* range: addresses that the new port owns, borrowed; NULL for the only port, which owns all. Channels of one memory are
 * connected one after the other, in the order of their numbers. Each address that a packet may have must be owned: the
 * core checks addresses against the memories. */
unsigned noc_connect_below(struct noc *noc, struct below below, const char *peer_name,
                           const struct address_range *range);

/* The interconnect as its neighbours see it. */
static inline struct below noc_below(struct noc *noc, unsigned cpu_port)
{
    return noc->ops->below(noc, cpu_port);
}

static inline struct above noc_above(struct noc *noc, unsigned memory_port)
{
    return noc->ops->above(noc, memory_port);
}

void noc_reset_stats(struct noc *noc);

static inline struct noc_traffic *noc_traffic(const struct noc *noc, unsigned cpu_port, unsigned memory_port)
{
    return &noc->traffic[cpu_port * noc->max_memory_ports + memory_port];
}

#endif
