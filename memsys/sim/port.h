/* Ports: how neighbours talk (classic-memory 3.1). Calls are nested and take no time.
 *
 * A component holds one `struct below` for each neighbour towards memory and one `struct above` for each neighbour
 * towards the core. `port` is the number that the CALLED component gave to that connection, and comes back with each
 * call.
 *
 * Flow control: recv_request and recv_response return false to refuse; the packet then stays the caller's, unchanged
 * but for marks that snoops have set, and the refuser later calls recv_request_retry (or recv_response_retry) exactly
 * once. Express snoops and snoops are never refused. Cores and caches never refuse a response.
 *
 * `fast` is NULL in the plain engine; else further calls between neighbours (memsys/fast/ports.h). */
#ifndef MEMSYS_SIM_PORT_H
#define MEMSYS_SIM_PORT_H

#include "memsys/sim/packet.h"

struct below_ops {
    /* Takes ownership of the packet when it returns true. The caller may still read the packet's marks cache_responding
     * and has_sharers right after the call, even if the packet was consumed (classic-memory 4.8, markInService): a
     * packet that went back to the pool keeps them until another is taken. */
    bool (*recv_request)(void *self, struct packet *packet, unsigned port);
    /* The caller refused a response and can take it now. */
    void (*recv_response_retry)(void *self, unsigned port);
    /* Answer of a cache above to a snoop that came through here. Takes ownership when it returns true. */
    bool (*recv_snoop_response)(void *self, struct packet *packet, unsigned port);
};

struct above_ops {
    /* Takes ownership of the packet when it returns true. */
    bool (*recv_response)(void *self, struct packet *packet, unsigned port);
    /* The caller refused a request and may take one now. */
    void (*recv_request_retry)(void *self, unsigned port);
    /* A snoop in zero time: sets marks and snoop_delay_ps of the packet, never keeps it. */
    void (*recv_snoop)(void *self, struct packet *packet, unsigned port);
    /* The caller refused a snoop response and can take it now. */
    void (*recv_snoop_response_retry)(void *self, unsigned port);
    /* May be NULL. Announces a lower bound for the tick of the answer to a packet; the last call for a packet counts.
     * Nothing simulated changes. */
    void (*response_bound)(void *self, const struct packet *packet, uint64_t when_ps);
};

struct below_fast;
struct above_fast;

struct below {
    const struct below_ops *ops;
    void *self;
    unsigned port;
    const struct below_fast *fast;
};

struct above {
    const struct above_ops *ops;
    void *self;
    unsigned port;
    bool is_snooping;                /* wants recv_snoop */
    requestor_id requestor;          /* of a core or GPU there */
    const struct above_fast *fast;
};

static inline void above_response_bound(const struct above *above, const struct packet *packet, uint64_t when_ps)
{
    if (above->ops->response_bound != NULL)
        above->ops->response_bound(above->self, packet, when_ps);
}

#endif
