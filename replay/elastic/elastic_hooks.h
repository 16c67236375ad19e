/* Hooks of an elastic CPU's fetch side: entry points for fast paths. All are NULL in the plain engine, in which each
 * access is a packet. The data side is a table of functions as a whole (sides.h).
 *
 * Use: a fast path sets them after elastic_cpu_init, before the core starts. They must leave the core and all
 * statistics as the plain engine would. */
#ifndef REPLAY_ELASTIC_ELASTIC_HOOKS_H
#define REPLAY_ELASTIC_ELASTIC_HOOKS_H

#include <stdbool.h>

struct elastic_cpu;

struct elastic_hooks {
    /* Does the next fetch without a packet; its response is unused. False: nothing was done. fetch_hits is for plain
     * hits, and may refuse others. */
    bool (*fetch_hits)(struct elastic_cpu *cpu);
    bool (*fetch)(struct elastic_cpu *cpu);
};

#endif
