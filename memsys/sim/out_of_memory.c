/* One non-local exit, from the growth that fails to the layer that executes events. */
#include "memsys/sim/out_of_memory.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>

#include "memsys/sim/sim.h"

struct sim_exit {
    jmp_buf place;
    uint64_t tick_ps;                /* when it was taken */
    struct fault fault;              /* of sim_abandon */
};

void sim_abandon(const struct sim *sim, struct fault fault)
{
    if (!sim || !sim->root->exit)
        abort();
    sim->root->exit->tick_ps = sim_now_ps(sim);
    sim->root->exit->fault = fault;
    longjmp(sim->root->exit->place, 1);
}

void sim_out_of_memory(const struct sim *sim)
{
    sim_abandon(sim, fault_none());
}

struct fault sim_execute(struct sim *sim, void (*execute)(void *context), void *context)
{
    struct sim_exit *const outer = sim->exit;
    struct sim_exit here;

    if (setjmp(here.place) != 0) {
        sim->exit = outer;
        if (here.fault.kind != FAULT_NONE)
            return fault_within(here.fault, "at tick %" PRIu64 ": ", here.tick_ps);
        return fault_make(FAULT_MEMORY, "out of memory at tick %" PRIu64 "; run fewer replays at a time, or a smaller "
                          "system", here.tick_ps);
    }
    sim->exit = &here;
    execute(context);
    sim->exit = outer;
    return fault_none();
}
