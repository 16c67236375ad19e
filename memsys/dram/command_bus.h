/* Command bus of a DRAM channel: limits the number of commands in each window of time (classic-memory 8.5).
 *
 * Use: dram_command_bus_forget before each burst; then ask for each command when it can be sent. The answer is the tick
 * that was asked for, or the start of the first later window that has room; the command is counted there.
 * Units: ticks are picoseconds. Ownership: a ring of windows that begins with room for 32 and grows if ever needed. */
#ifndef MEMSYS_DRAM_COMMAND_BUS_H
#define MEMSYS_DRAM_COMMAND_BUS_H

#include <stdint.h>

#include "base/fault.h"
#include "memsys/sim/clock.h"

struct sim;

struct dram_command_window {
    uint64_t start_ps;
    uint32_t commands;
    uint32_t forgets;                        /* those of the bus, when the window was begun */
};

struct dram_command_bus {
    struct clock_domain window;
    uint64_t limit;                          /* commands a window, > 0 */
    struct dram_command_window *windows;     /* ring: that of tick t at place (t / window) & mask */
    uint64_t mask;
    uint64_t oldest_ps;                      /* windows that start before count for nothing ... */
    uint32_t forgets;                        /* ... if begun before the last of this many calls of forget */
    const struct sim *sim;
};

/* Fails when not even one command fits a window. sim: for sim_out_of_memory, when it grows. */
struct fault dram_command_bus_init(struct dram_command_bus *bus, const struct sim *sim, uint64_t window_ps,
                                   uint64_t clock_ps);
void dram_command_bus_free(struct dram_command_bus *bus);

/* Start of the window that holds a tick. */
static inline uint64_t dram_command_bus_start_ps(const struct dram_command_bus *bus, uint64_t tick_ps)
{
    return domain_quotient(bus->window, tick_ps) * bus->window.period_ps;
}

/* Drops the windows that start before `oldest_ps`, with their counts. It never falls from call to call. */
static inline void dram_command_bus_forget(struct dram_command_bus *bus, uint64_t oldest_ps)
{
    bus->oldest_ps = oldest_ps;
    bus->forgets++;
}

/* Commands in the window that holds a tick. */
uint64_t dram_command_bus_commands(const struct dram_command_bus *bus, uint64_t tick_ps);

/* One command, not before `earliest_ps`. */
uint64_t dram_command_bus_single(struct dram_command_bus *bus, uint64_t earliest_ps);

/* Two commands, the first at most `max_split_ps` before the second; the answer is the tick of the second. */
uint64_t dram_command_bus_pair(struct dram_command_bus *bus, uint64_t earliest_ps, uint64_t max_split_ps);

#endif
