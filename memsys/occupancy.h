/* Time average of a level that goes up and down: queue lengths, MSHRs in use. One multiplication and two adds a change.
 *
 * Use: occupancy_set after each change; occupancy_average when asked. Units: ticks are picoseconds. */
#ifndef MEMSYS_OCCUPANCY_H
#define MEMSYS_OCCUPANCY_H

#include <stdint.h>

struct occupancy {
    uint64_t level, highest;
    uint64_t since_ps;               /* of the last change */
    uint64_t start_ps;               /* of the average: 0 or the last reset */
    uint64_t integral;               /* level x ps up to since_ps */
};

static inline void occupancy_set(struct occupancy *occupancy, uint64_t now_ps, uint64_t level)
{
    occupancy->integral += occupancy->level * (now_ps - occupancy->since_ps);
    occupancy->since_ps = now_ps;
    occupancy->level = level;
    if (level > occupancy->highest)
        occupancy->highest = level;
}

static inline void occupancy_reset(struct occupancy *occupancy, uint64_t now_ps)
{
    occupancy->integral = 0;
    occupancy->since_ps = occupancy->start_ps = now_ps;
    occupancy->highest = occupancy->level;
}

static inline double occupancy_average(const struct occupancy *occupancy, uint64_t now_ps)
{
    uint64_t const duration_ps = now_ps - occupancy->start_ps;

    if (duration_ps == 0)
        return (double)occupancy->level;
    return (double)(occupancy->integral + occupancy->level * (now_ps - occupancy->since_ps)) / (double)duration_ps;
}

#endif
