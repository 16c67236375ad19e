/* One non-local exit, from the growth that fails to the layer that executes events. */
#include "memsys/sim/out_of_memory.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>

#include "memsys/sim/sim.h"

struct sim_exit {
    jmp_buf place;
    uint64_t tick_ps;                /* when it was taken */
};

void sim_out_of_memory(const struct sim *sim)
{
    if (!sim || !sim->root->exit)
        abort();
    sim->root->exit->tick_ps = sim_now_ps(sim);
    longjmp(sim->root->exit->place, 1);
}

struct fault sim_execute(struct sim *sim, void (*execute)(void *context), void *context)
{
    struct sim_exit *const outer = sim->exit;
    struct sim_exit here;

    if (setjmp(here.place) != 0) {
        sim->exit = outer;
        return fault_make(FAULT_MEMORY, "out of memory at tick %" PRIu64 "; run fewer replays at a time, or a smaller "
                          "system", here.tick_ps);
    }
    sim->exit = &here;
    execute(context);
    sim->exit = outer;
    return fault_none();
}
