/* How evenly a data bus is used: time in windows, each of which counts by the part of the bus's peak that its bursts
 * took, and by whether reads had to wait. Half of a run at the peak and half idle is not the same as all of it at half
 * the peak.
 *
 * A window is as long as the interval between refreshes, so that each has its share of them. Of a run's last window,
 * and of bursts that are issued ahead of the present, nothing is known yet.
 * Use: init; bus_windows_count for each burst, in the order of their commands; where that says so, bus_windows_close;
 * the same when figures are asked for, of a copy. Reset where a measurement begins. Plain values. Units: ps. */
#ifndef MEMSYS_DRAM_BUS_WINDOWS_H
#define MEMSYS_DRAM_BUS_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

enum { BUS_WINDOW_PARTS = 10,                /* tenths of the peak */
       BUS_WINDOW_QUEUE = 4 };               /* reads that waited on average, at least: a queue */

struct bus_window_sums {
    uint64_t windows[BUS_WINDOW_PARTS], bursts[BUS_WINDOW_PARTS];
};

struct bus_windows {
    uint64_t length_ps, burst_ps;            /* burst_ps: of the bus, for one burst at the peak */
    uint64_t end_ps;                         /* of the present window */
    uint64_t bursts;                         /* in it */
    uint64_t waited;                         /* reads x ps up to its beginning */
    struct bus_window_sums all, queued;      /* those that are over; queued: in which reads waited */
};

/* length_ps >= burst_ps > 0 */
void bus_windows_init(struct bus_windows *windows, uint64_t length_ps, uint64_t burst_ps);
/* Reads that waited before now no longer count. */
void bus_windows_reset(struct bus_windows *windows, uint64_t now_ps);
/* Ends all windows that end at until_ps or before. waited: reads x ps that have waited since the reset. */
void bus_windows_close(struct bus_windows *windows, uint64_t until_ps, uint64_t waited);

/* False: bus_windows_close up to command_ps is due before. */
static inline bool bus_windows_has(const struct bus_windows *windows, uint64_t command_ps)
{
    return command_ps < windows->end_ps;
}

static inline void bus_windows_count(struct bus_windows *windows)
{
    windows->bursts++;
}

#endif
