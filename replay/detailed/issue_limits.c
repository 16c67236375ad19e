/* Limits of issue that are not the number of units (keys opMost, opInterval, vectorPortWidth).
 *
 * Modelled: most micro-ops of a class in a cycle (loads of vectors on cores with fewer paths for them than for
 * integers); least distance of two of a class (a divider, which takes its pipe for a cycle only, and is itself busy for
 * longer); vectors wider than a path, which take the paths of their class for as many cycles as pieces.
 * Not modelled: which of several dividers is free, beyond their common rate.
 * Source: AMD, Software Optimization Guide for Zen 4 (57647), "Load/Store Unit" and "Floating-Point Unit"; uops.info,
 * reciprocal throughputs. */
#include "replay/detailed/detailed_core.h"

void limits_init(struct detailed_cpu *cpu)
{
    const struct detailed_params *const params = &cpu->params;

    cpu->has_limits = params->vector_bytes > 0;
    for (unsigned op = 0; op < DETAILED_OP_COUNT; op++)
        cpu->has_limits = cpu->has_limits || params->interval_cyc[op] > 0 || params->most_issued[op] > 0;
}

bool limits_hold(struct detailed_cpu *cpu, const struct inst *inst)
{
    const struct issue_limit *const limit = &cpu->limits[inst->op];
    uint64_t const most = cpu->params.most_issued[inst->op];
    bool const holds = limit->free_cyc > cpu->cycle
        || (most > 0 && limit->issued_cyc == cpu->cycle && limit->issued >= most);

    /* it ends by itself, so the coming cycle is to be executed */
    cpu->changed = cpu->changed || holds;
    return holds;
}

void limits_note(struct detailed_cpu *cpu, const struct inst *inst)
{
    struct issue_limit *const limit = &cpu->limits[inst->op];
    uint64_t const width = cpu->params.vector_bytes;
    bool const is_vector = inst->op == DETAILED_OP_FLOAT_MEM_READ || inst->op == DETAILED_OP_FLOAT_MEM_WRITE;

    limit->issued = limit->issued_cyc == cpu->cycle ? limit->issued + 1 : 1;
    limit->issued_cyc = cpu->cycle;
    limit->free_cyc = max_u64(limit->free_cyc, cpu->cycle + cpu->params.interval_cyc[inst->op]);
    if (is_vector && width > 0 && inst->access && inst->access->size_bytes > width)
        limit->free_cyc = max_u64(limit->free_cyc, cpu->cycle + (inst->access->size_bytes + width - 1) / width);
}
