/* Time average of a level that goes up and down: queue lengths, MSHRs in use. One add a step.
 *
 * The area under the level up to a tick is level x tick, less the part that each step missed, its height times its
 * tick; numbers wrap on the way, but the area does not.
 *
 * Use: occupancy_up and occupancy_down after a step of one, occupancy_set after any change; occupancy_average when
 * asked. Units: ticks are picoseconds. */
#ifndef MEMSYS_SIM_OCCUPANCY_H
#define MEMSYS_SIM_OCCUPANCY_H

#include <stdint.h>

struct occupancy {
    uint64_t level, highest;
    uint64_t start_ps;               /* of the average: 0 or the last reset */
    uint64_t missed;                 /* sum of height x tick of all steps, and the area before start_ps */
};

/* The level is `level` now, one more than it was. */
static inline void occupancy_up(struct occupancy *occupancy, uint64_t now_ps, uint64_t level)
{
    occupancy->missed += now_ps;
    occupancy->level = level;
    if (level > occupancy->highest)
        occupancy->highest = level;
}

/* One less. */
static inline void occupancy_down(struct occupancy *occupancy, uint64_t now_ps, uint64_t level)
{
    occupancy->missed -= now_ps;
    occupancy->level = level;
}

static inline void occupancy_set(struct occupancy *occupancy, uint64_t now_ps, uint64_t level)
{
    occupancy->missed += (level - occupancy->level) * now_ps;
    occupancy->level = level;
    if (level > occupancy->highest)
        occupancy->highest = level;
}

static inline void occupancy_reset(struct occupancy *occupancy, uint64_t now_ps)
{
    occupancy->missed = occupancy->level * now_ps;
    occupancy->start_ps = now_ps;
    occupancy->highest = occupancy->level;
}

/* Level x ps since start_ps. */
static inline uint64_t occupancy_area(const struct occupancy *occupancy, uint64_t now_ps)
{
    return occupancy->level * now_ps - occupancy->missed;
}

static inline double occupancy_average(const struct occupancy *occupancy, uint64_t now_ps)
{
    uint64_t const duration_ps = now_ps - occupancy->start_ps;

    if (duration_ps == 0)
        return (double)occupancy->level;
    return (double)occupancy_area(occupancy, now_ps) / (double)duration_ps;
}

#endif
