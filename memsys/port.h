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
 * Most requests of a core are plain, and need no packet: it may try the access, and only if that fails send a packet.
 * Nothing simulated differs. */
#ifndef MEMSYS_PORT_H
#define MEMSYS_PORT_H

#include "memsys/packet.h"

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
};

struct cache;

struct below {
    const struct below_ops *ops;
    void *self;
    unsigned port;
    /* NULL, or to be told of requests that will come. Nothing simulated changes: the component asks the host to fetch
     * what it will look at. */
    void (*expect)(const void *self, uint64_t address);
    struct cache *plain_cache;       /* NULL, or may be tried with plain accesses (cache_try.h) */
};

static inline void below_expect(const struct below *below, uint64_t address)
{
    if (below->expect)
        below->expect(below->self, address);
}

struct above {
    const struct above_ops *ops;
    void *self;
    unsigned port;
    bool is_snooping;                /* wants recv_snoop */
    bool ignores_snoops;             /* recv_snoop does nothing: nobody need call it who counts no snoops */
    bool ignores_responses;          /* recv_response only gives the packet back: nobody need call it */
    requestor_id requestor;          /* of plain accesses without packets */
    /* The answer to those, with what was given there; never refused. NULL if there are none. */
    void (*recv_answer)(void *self, uint64_t address, uint64_t token);
    /* NULL, or packet_queue_pass with the recv_response of `ops` compiled in, for a queue that leads here. */
    void (*take_from_queue)(void *queue);
    /* NULL, or to be told the tick before which the answer to a packet does not come; perhaps several times, the last
     * of which counts. Nothing simulated changes. */
    void (*foretell)(void *self, const struct packet *packet, uint64_t when_ps);
    /* NULL, or what the packet for an access would have as its request: one that is being tried, or a read until it is
     * answered. Without, only those are done that find their line. */
    void (*describe)(void *self, uint64_t token, struct request *request);
};

static inline void above_foretell(const struct above *above, const struct packet *packet, uint64_t when_ps)
{
    if (RARELY(above->foretell != NULL))
        above->foretell(above->self, packet, when_ps);
}

#endif
