/* Hooks of an elastic CPU: entry points for fast paths. All are NULL in the plain engine, in which
 * each access is a packet, and each event comes from the event queue.
 *
 * Use: a fast path sets them after elastic_cpu_init, before the core starts. They must leave the core and all
 * statistics as the plain engine would. */
#ifndef REPLAY_ELASTIC_HOOKS_H
#define REPLAY_ELASTIC_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

struct elastic_cpu;

/* What became of an access whose turn it is. */
enum elastic_sending {
    ELASTIC_SENT,
    ELASTIC_REFUSED,
    ELASTIC_NOT_SENT,                /* it is strictly ordered, and needs no response */
    ELASTIC_NEEDS_PACKET             /* nothing has happened yet */
};

struct elastic_hooks {
    /* ---- sends and events. The access of a record, without a packet; elastic_data_answer is its response. Refused:
     * the L1D's retry will come. Never ELASTIC_NOT_SENT. */
    enum elastic_sending (*send)(struct elastic_cpu *cpu, uint64_t record, uint32_t place, bool is_load);
    /* Does the next fetch without a packet; its response is unused. False: nothing was done. fetch_hits is for plain
     * hits, and may refuse others. */
    bool (*fetch_hits)(struct elastic_cpu *cpu);
    bool (*fetch)(struct elastic_cpu *cpu);
    /* The next data event is due at when_ps, with which the present one ends. True: it is executing already; else it is
     * scheduled. */
    bool (*continue_at)(struct elastic_cpu *cpu, uint64_t when_ps);
    /* A data event is over, and the next one is scheduled, if there is one. True: it is executing already. */
    bool (*go_on)(struct elastic_cpu *cpu);

    /* ---- completions. When cpu->milestone is due, which would be `milestone`. */
    uint64_t (*find_milestone)(struct elastic_cpu *cpu, uint64_t milestone);
    /* The milestone is reached, `record` completed last; false if the core itself need not act. May set
     * ELASTIC_POINT, after which at_point is called: the data event ends, the next one is due at next_ps, or
     * TICK_NEVER; returns its due tick after the work of at_point. */
    bool (*complete)(struct elastic_cpu *cpu, uint64_t record);
    uint64_t (*at_point)(struct elastic_cpu *cpu, uint64_t next_ps);

    /* ---- life. The next record to be read is the first of a store's block. */
    void (*begin_block)(struct elastic_cpu *cpu);
    /* Statistics were reset. / The core takes other records. / The core is freed. */
    void (*forget)(struct elastic_cpu *cpu);
    void (*take)(struct elastic_cpu *cpu);
    void (*free)(struct elastic_cpu *cpu);
};

#endif
