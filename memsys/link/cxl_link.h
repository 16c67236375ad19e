/* A CXL.mem link in front of a memory: latency, bandwidth and credits, each way of its own.
 *
 * A message takes a credit, waits for the wire, crosses it slot by slot, and arrives `latency_ps` later in a buffer of
 * the other end, from which it goes on to the memory, or to the crossbar, as soon as that takes it. Then its credit
 * travels back, another `latency_ps`. Without a credit a request is refused until one is back; an answer waits in the
 * memory. So at most `credits` messages each way are on the link, and of reads at most credits / round trip.
 *
 * Use: cxl_link_init; set `above` and `below`; give the neighbour above cxl_link_port, the memory cxl_link_above.
 * cxl_link_free. Units: ps. Ownership: packets on the link are its own. Errors: FAULT_MEMORY; times must be checked
 * before. Source: CXL 3.0 specification, 3.3 (CXL.mem messages), 4.2 (68 B flits). */
#ifndef MEMSYS_LINK_CXL_LINK_H
#define MEMSYS_LINK_CXL_LINK_H

#include "memsys/sim/occupancy.h"
#include "memsys/sim/packet_queue.h"

struct stats;

enum { CXL_SLOT_BYTES = 16, CXL_FLIT_SLOTS = 4, CXL_FLIT_BYTES = 68 };

struct cxl_link_params {
    uint64_t latency_ps;                 /* one way, without the time on the wire */
    uint64_t lanes, rate_mts;            /* each way; transfers of a lane in 10^6 a second */
    uint64_t credits;                    /* messages each way, at least 1 */
};

struct cxl_link;

struct cxl_way {
    struct cxl_link *link;
    void (*retry)(struct cxl_link *link);        /* a sender that was refused may try again */
    uint64_t credits;                    /* that are here */
    uint64_t free_ps;                    /* the wire is, from then on */
    struct packet_queue arrivals;        /* at the other end */
    uint64_t *returns;                   /* ring: when credits are back; as many places as credits */
    uint64_t first_return, last_return;  /* run on; places modulo the credits */
    struct event return_event;
    bool retry_owed;
    uint64_t messages, slots, refused;   /* statistics */
    struct occupancy used;               /* credits */
};

struct cxl_link {
    struct sim *sim;
    const char *name;                    /* of the memory */
    struct cxl_link_params params;
    struct above above;
    struct below below;
    struct cxl_way down, up;             /* requests, answers */
};

struct fault cxl_link_init(struct cxl_link *link, struct sim *sim, const char *name,
                           const struct cxl_link_params *params);
void cxl_link_free(struct cxl_link *link);

/* What the neighbour above, and the memory, see of it. */
struct below cxl_link_port(struct cxl_link *link);
struct above cxl_link_above(struct cxl_link *link);

/* Serialisation time of a message; data_bytes 0: a message without data. */
uint64_t cxl_link_wire_ps(const struct cxl_link_params *params, uint64_t data_bytes);
/* Bytes of data a second, each way, at most. */
double cxl_link_peak_bytes_per_s(const struct cxl_link_params *params, uint64_t data_bytes);

/* Is a message for the line of `address` on the link? Then where, as one phrase. */
bool cxl_link_describe(const struct cxl_link *link, uint64_t address, char *text, size_t size);

/* Adds "system.<name>.link". */
void cxl_link_add_stats(struct cxl_link *link, struct stats *stats);

#endif
