/* The engine of a simulation: the plain one, which executes the specification packet by packet and event by event; or
 * the fast one, which is the plain one with fast paths bound to it. Ticks and statistics are the same.
 *
 * Use: engine_plain, engine_fast, or engine_parse for the user's text: `plain`, `fast`, or either with single fast
 * paths added or taken out: `plain+hits`, `fast-memo-domains`. Each fast path is in a folder fast/; the head of its
 * file names its shortcut and the reason why the result is the same.
 * Ownership: plain values. */
#ifndef MEMSYS_SIM_SIM_ENGINE_H
#define MEMSYS_SIM_SIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

/* F(name, help): the only list of fast paths; parser, help and tests come from it. */
#define ENGINE_FAST_PATHS(F)                                                                                          \
    F(hits, "a core's accesses to its L1s, and the answers to them, without packets")                                 \
    F(fills, "answers that fill a line and serve all who wait for it go up in one piece")                             \
    F(buses, "reads of a line and evictions go from cache to cache without the bus's general way")                    \
    F(dram, "a DRAM controller looks at banks instead of at each burst that waits")                                   \
    F(hints, "what a GPU's memory needs next is fetched into the host's cache")                                       \
    F(memo, "what the core did in the same state before is done at once")                                             \
    F(lookahead, "cores with caches of their own execute events ahead of each other")                                 \
    F(domains, "cores with caches and memories of their own are simulated one after the other")                       \
    F(idle, "cycles in which a detailed core only waits are not executed")                                            \
    F(walk, "functional warming reads a trace run by run")

struct engine_options {
#define ENGINE_FIELD(name, help) bool name;
    ENGINE_FAST_PATHS(ENGINE_FIELD)
#undef ENGINE_FIELD
};

static inline struct engine_options engine_plain(void)
{
    return (struct engine_options){0};
}

struct engine_options engine_fast(void);
/* FAULT_INPUT, with the accepted texts, for anything else. `options` changes only on success. */
struct fault engine_parse(const char *text, struct engine_options *options);

#endif
