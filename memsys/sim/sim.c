/* Set-up and end of what the components of one simulation share. */
#include "memsys/sim/sim.h"

void sim_init(struct sim *sim, uint32_t line_bytes)
{
    *sim = (struct sim){.line_bytes = line_bytes};
    while ((UINT32_C(1) << sim->line_shift) < line_bytes)
        sim->line_shift++;
    sim->root = sim;
    sim->packets = &sim->own_packets;
    sim->own_packets.sim = sim;
    random_init(&sim->random, RANDOM_SEED);
    sim_add_requestor(sim, "writebacks");
}

void sim_init_part(struct sim *sim, struct sim *root)
{
    *sim = (struct sim){.packets = root->packets, .root = root, .line_bytes = root->line_bytes,
                        .line_shift = root->line_shift};
}

void sim_free(struct sim *sim)
{
    event_queue_free(&sim->events);
    packet_pool_free(&sim->own_packets);
}

struct fault sim_keep_place(struct sim *sim, struct event_place *place)
{
    return sim->events.fast ? sim->events.fast->keep_place(&sim->events, place) : fault_none();
}

requestor_id sim_add_requestor(struct sim *sim, const char *name)
{
    struct sim *const root = sim->root;

    assert(root->requestor_count < MAX_REQUESTORS);
    root->requestor_names[root->requestor_count] = name;
    return (requestor_id)root->requestor_count++;
}
