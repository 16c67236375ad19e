/* A walk over an .rbt run by run, in place of instruction by instruction (fast path `walk`).
 *
 * What is shortened: of each run it is found once which lines are fetched in it and where, which accesses it has, of
 * what direction and size, and which of its instructions are branches, of what kind and to where within the run. Then a
 * run takes its addresses, without instructions.
 * Why the sink gets the same: a run is always the same rows in the same order, and a row is all of an instruction but
 * its addresses. A line is fetched where the row before it in the run was in another; of a run's first row that is
 * looked at each time, and where its branch goes, too. Runs that a place divides are taken instruction by instruction,
 * by the function of the plain walk. Uses that change nothing, as the sink itself says (struct warm_near), are left out
 * before it is called.
 * Not for formats without runs, nor for .rbt with irregular rows in the midst of runs: these go by instructions.
 * Test: tests/unit/replay/warm/test_run_walk.c, tests/cli/regions_warm.sh. */
#ifndef REPLAY_WARM_FAST_RUN_WALK_H
#define REPLAY_WARM_FAST_RUN_WALK_H

#include "replay/warm/warm_walk.h"

extern const struct warm_walk_way run_walk;

#endif
