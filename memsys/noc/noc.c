/* The table of kinds of interconnects, and the part that all of them have. */
#include "memsys/noc/noc.h"

#include <stdlib.h>
#include <string.h>

#include "memsys/noc/noc_params.h"

#define NOC_DECLARATION(kind, name) extern const struct noc_ops noc_##name;
INTERCONNECTS(NOC_DECLARATION)

#define KIND_ROW(kind, name) [NOC_##kind] = &noc_##name,
static const struct noc_ops *const kinds[] = {INTERCONNECTS(KIND_ROW)};

bool noc_tells_response_bounds(uint64_t kind)
{
    return kinds[kind]->tells_response_bounds;
}

struct fault noc_begin(struct noc *noc, const struct noc_ops *ops, struct sim *sim, const char *name,
                       const struct noc_params *params, const struct noc_role *role, unsigned max_cpu_ports,
                       unsigned max_memory_ports)
{
    *noc = (struct noc){.ops = ops, .sim = sim, .name = name, .our_name = name, .role = *role,
                        .clock = clock_domain(params->clock_ps), .width_bytes = params->width_bytes};
    assert(params->clock_ps != CLOCK_INHERITED && params->width_bytes > 0);
    if (max_cpu_ports == 0 || max_cpu_ports > NOC_MAX_CPU_PORTS || max_memory_ports == 0
        || max_memory_ports > NOC_MAX_MEMORY_PORTS)
        return fault_make(FAULT_INPUT, "%s: %u ports towards the cores and %u towards memory; give 1 to %d and 1 to %d",
                          name, max_cpu_ports, max_memory_ports, NOC_MAX_CPU_PORTS, NOC_MAX_MEMORY_PORTS);
    noc->role.snoop_filter &= role->coherent;
    noc->traffic = calloc((size_t)max_cpu_ports * max_memory_ports, sizeof *noc->traffic);
    if (!noc->traffic)
        return fault_make(FAULT_MEMORY, "out of memory for the ports of %s", name);
    noc->max_cpu_ports = max_cpu_ports;
    noc->max_memory_ports = max_memory_ports;
    return ops->init(noc, params);
}

void noc_end(struct noc *noc)
{
    if (noc->max_cpu_ports > 0)          /* ops->init was called */
        noc->ops->free(noc);
    free(noc->traffic);
    noc->traffic = NULL;
}

struct fault noc_new(struct noc **noc, struct sim *sim, const char *name, const struct noc_params *params,
                     const struct noc_role *role, unsigned max_cpu_ports, unsigned max_memory_ports)
{
    const struct noc_ops *const ops = kinds[params->kind];
    struct fault fault;

    *noc = calloc(1, ops->own_bytes);
    if (!*noc)
        return fault_make(FAULT_MEMORY, "out of memory for %s", name);
    fault = noc_begin(*noc, ops, sim, name, params, role, max_cpu_ports, max_memory_ports);
    if (fault.kind != FAULT_NONE) {
        noc_free(*noc);
        *noc = NULL;
    }
    return fault;
}

void noc_free(struct noc *noc)
{
    if (noc)
        noc_end(noc);
    free(noc);
}

unsigned noc_connect_above(struct noc *noc, struct above above, const char *peer_name)
{
    unsigned const port = noc->cpu_port_count++;

    assert(port < noc->max_cpu_ports);
    noc->ops->connect_above(noc, port, above, peer_name);
    return port;
}

unsigned noc_connect_below(struct noc *noc, struct below below, const char *peer_name,
                           const struct address_range *range)
{
    unsigned const port = noc->memory_port_count++;

    assert(port < noc->max_memory_ports);
    noc->ops->connect_below(noc, port, below, peer_name, range);
    return port;
}

void noc_reset_stats(struct noc *noc)
{
    memset(noc->traffic, 0, (size_t)noc->max_cpu_ports * noc->max_memory_ports * sizeof *noc->traffic);
    noc->ops->reset_stats(noc);
}
