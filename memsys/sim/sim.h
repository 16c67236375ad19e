/* The state that the components of one simulation share: time, packets, requestors, the log. No globals: two
 * simulations can live in one process. */
#ifndef MEMSYS_SIM_SIM_H
#define MEMSYS_SIM_SIM_H

#include "memsys/sim/clock.h"
#include "memsys/sim/event.h"
#include "memsys/sim/out_of_memory.h"
#include "memsys/sim/packet.h"
#include "memsys/sim/sim_random.h"

#define REQUESTOR_WRITEBACKS 0       /* the requestor of all evictions */
#define MAX_REQUESTORS 512

struct stats;

/* Where actions are logged, in the form that docs/event-log.md describes. line == NULL: nowhere, at no cost. */
struct log_sink {
    void (*line)(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                 uint64_t address, const char *details);    /* details may be NULL */
    void *context;
};

/* Sees every request that a memory accepts. */
struct packet_watch {
    void (*accepted)(struct packet_watch *watch, const struct packet *packet);
};

/* Conditions that a run survives, unlike the reference; each is reported to the user once. */
enum sim_notice {
    NOTICE_GRAPH_DRAINED,            /* elastic-trace 2.11 */
    NOTICE_SHORT_TRACE,              /* elastic-trace 2.13 */
    NOTICE_REFRESH_RESUMED,          /* classic-memory 9.7 */
    NOTICE_COUNT
};

/* A part of a simulation that has an event queue of its own has a struct sim of its own, whose root is that of the
 * rest. It has neither a log nor requestors, notices or random numbers of its own. */
struct sim {
    struct event_queue events;
    struct packet_pool *packets;     /* the root's */
    struct sim *root;
    struct log_sink log;
    struct packet_watch *watch;      /* borrowed; NULL: none */
    uint32_t line_bytes;
    unsigned line_shift;
    unsigned requestor_count;
    const char *requestor_names[MAX_REQUESTORS];    /* borrowed from the components that registered */
    uint64_t notices[NOTICE_COUNT];  /* how often each happened */
    bool is_interrupted;             /* the user ended the run at the present tick; for statistics */
    struct random_generator random;  /* one for all users, in the order of their calls (classic-memory 14) */
    struct packet_pool own_packets;
    struct sim_exit *exit;           /* where sim_out_of_memory goes; of the root */
};

static inline uint64_t sim_now_ps(const struct sim *sim)
{
    return sim->events.now_ps;
}

static inline uint64_t sim_line_address(const struct sim *sim, uint64_t address)
{
    return address & ~(uint64_t)(sim->line_bytes - 1);
}

static inline void sim_log(const struct sim *sim, const char *component, const char *what, unsigned command,
                           uint64_t address)
{
    if (sim->log.line)
        sim->log.line(sim->log.context, sim->events.now_ps, component, what, command_table[command].name,
                      address & ~ADDRESS_SECURE, NULL);
}

/* A memory, whose name is `component`, accepts the packet. address: the packet's, or what it is in that memory. */
static inline void sim_accepted(const struct sim *sim, const char *component, const struct packet *packet,
                                uint64_t address)
{
    sim_log(sim, component, "access", packet->command, address);
    if (sim->watch)
        sim->watch->accepted(sim->watch, packet);
}

/* line_bytes: a power of two from 16 to 256 (checked by the configuration). Registers "writebacks". It may not move in
 * memory afterwards. */
void sim_init(struct sim *sim, uint32_t line_bytes);
/* A part of `root`, which outlives it. sim_free is due before the root's. */
void sim_init_part(struct sim *sim, struct sim *root);
void sim_free(struct sim *sim);

/* Registers, at set-up, a place that a component keeps and that may be in the future (event_reserve). FAULT_MEMORY. */
struct fault sim_keep_place(struct sim *sim, struct event_place *place);

/* Adds a requestor; the name (as in statistics, e.g. "cpu.data") must outlive the simulation. */
requestor_id sim_add_requestor(struct sim *sim, const char *name);

/* Adds the statistics of simulated time: simSeconds, simTicks, finalTick, simFreq. */
void sim_add_stats(const struct sim *sim, struct stats *stats);

#endif
