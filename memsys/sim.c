/* Set-up and end of what the components of one simulation share. */
#include "memsys/sim.h"

void sim_init(struct sim *sim, uint32_t line_bytes)
{
    *sim = (struct sim){.line_bytes = line_bytes};
    while ((UINT32_C(1) << sim->line_shift) < line_bytes)
        sim->line_shift++;
    random_init(&sim->random, RANDOM_SEED);
    sim_add_requestor(sim, "writebacks");
}

void sim_free(struct sim *sim)
{
    event_queue_free(&sim->events);
    packet_pool_free(&sim->packets);
}

requestor_id sim_add_requestor(struct sim *sim, const char *name)
{
    assert(sim->requestor_count < MAX_REQUESTORS);
    sim->requestor_names[sim->requestor_count] = name;
    return (requestor_id)sim->requestor_count++;
}
