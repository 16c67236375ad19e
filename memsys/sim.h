/* What the components of one simulation share: time, packets, requestors, the log. No globals: two simulations can live
 * in one process. */
#ifndef MEMSYS_SIM_H
#define MEMSYS_SIM_H

#include "memsys/clock.h"
#include "memsys/event.h"
#include "memsys/packet.h"
#include "memsys/random.h"

#define REQUESTOR_WRITEBACKS 0       /* the requestor of all evictions */
#define MAX_REQUESTORS 512

/* Where actions are logged, in the form that refmodel's README describes. line == NULL: nowhere, at no cost. */
struct log_sink {
    void (*line)(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                 uint64_t address, const char *details);    /* details may be NULL */
    void *context;
};

/* Things a run survives that the reference does not; each is told to the user once. */
enum sim_notice {
    NOTICE_GRAPH_DRAINED,            /* elastic-trace 2.11 */
    NOTICE_SHORT_TRACE,              /* elastic-trace 2.13 */
    NOTICE_REFRESH_RESUMED,          /* classic-memory 9.7 */
    NOTICE_COUNT
};

struct sim {
    struct event_queue events;
    struct packet_pool packets;
    struct log_sink log;
    uint32_t line_bytes;
    unsigned line_shift;
    unsigned requestor_count;
    const char *requestor_names[MAX_REQUESTORS];    /* borrowed from the components that registered */
    uint64_t notices[NOTICE_COUNT];  /* how often each happened */
    struct random_generator random;  /* one for all users, in the order of their calls (classic-memory 14) */
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

/* line_bytes: a power of two from 16 to 256 (checked by the configuration). Registers "writebacks". */
void sim_init(struct sim *sim, uint32_t line_bytes);
void sim_free(struct sim *sim);

/* Adds a requestor; the name (as in statistics, e.g. "cpu.data") must outlive the simulation. */
requestor_id sim_add_requestor(struct sim *sim, const char *name);

#endif
