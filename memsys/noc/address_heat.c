/* A tap takes the place of the component below a memory-side port of the crossbar, and hands everything on to it. The
 * component answers the crossbar itself and knows nothing of the tap. */
#include "memsys/noc/address_heat.h"

#include <stdlib.h>

struct address_heat_tap {
    struct address_heat *heat;
    struct below below;
};

static bool address_heat_recv_request(void *self, struct packet *packet, unsigned port)
{
    const struct address_heat_tap *const tap = self;
    uint64_t const address = packet->address & ~ADDRESS_SECURE;
    bool const accepted = tap->below.ops->recv_request(tap->below.self, packet, port);

    if (accepted)
        address_heat_count(tap->heat, address);
    return accepted;
}

static void address_heat_recv_response_retry(void *self, unsigned port)
{
    const struct address_heat_tap *const tap = self;

    tap->below.ops->recv_response_retry(tap->below.self, port);
}

static bool address_heat_recv_snoop_response(void *self, struct packet *packet, unsigned port)
{
    const struct address_heat_tap *const tap = self;

    return tap->below.ops->recv_snoop_response(tap->below.self, packet, port);
}

static const struct below_ops tap_ops = {
    .recv_request = address_heat_recv_request, .recv_response_retry = address_heat_recv_response_retry,
    .recv_snoop_response = address_heat_recv_snoop_response
};

struct fault address_heat_tap(struct address_heat *heat, struct noc *noc)
{
    heat->taps = calloc(noc->memory_port_count, sizeof *heat->taps);
    if (!heat->taps)
        return fault_make(FAULT_MEMORY, "out of memory for a map of addresses");
    heat->tap_count = noc->memory_port_count;
    for (unsigned i = 0; i < heat->tap_count; i++) {
        struct below *const below = noc->ops->neighbour(noc, i);

        heat->taps[i] = (struct address_heat_tap){.heat = heat, .below = *below};
        below->ops = &tap_ops;
        below->self = &heat->taps[i];
        below->fast = NULL;
    }
    return fault_none();
}

void address_heat_free(struct address_heat *heat)
{
    free(heat->taps);
    heat->taps = NULL;
    heat->tap_count = 0;
}

void address_heat_reset(struct address_heat *heat)
{
    for (unsigned i = 0; i < ADDRESS_HEAT_REGIONS; i++)
        heat->counts[i] = 0;
}

/* First byte behind the last region that has counts; `base` if none has. */
static uint64_t counted_end(const struct address_heat *heat)
{
    uint64_t end = ADDRESS_HEAT_REGIONS;

    while (end > 0 && heat->counts[end - 1] == 0)
        end--;
    return heat->base + (end << heat->shift);
}

/* Regions of another size, from another address on, that hold all that was counted. */
static void move_to(struct address_heat *heat, uint64_t base, uint64_t shift)
{
    uint64_t old[ADDRESS_HEAT_REGIONS];

    for (unsigned i = 0; i < ADDRESS_HEAT_REGIONS; i++)
        old[i] = heat->counts[i];
    address_heat_reset(heat);
    for (uint64_t i = 0; i < ADDRESS_HEAT_REGIONS; i++)
        if (old[i])
            heat->counts[(heat->base + (i << heat->shift) - base) >> shift] += old[i];
    heat->base = base;
    heat->shift = shift;
}

void address_heat_grow(struct address_heat *heat, uint64_t address)
{
    uint64_t const end = counted_end(heat);
    uint64_t const lowest = heat->shift && heat->base < address ? heat->base : address;
    uint64_t const highest = heat->shift && end > address ? end - 1 : address;
    uint64_t shift = heat->shift ? heat->shift : ADDRESS_HEAT_FIRST_SHIFT;

    while ((highest - (lowest >> shift << shift)) >> shift >= ADDRESS_HEAT_REGIONS)
        shift++;
    move_to(heat, lowest >> shift << shift, shift);
}
