/* Parameters of the TLBs and of the page walker of a core (memsys/sim/param.h). */
#ifndef MEMSYS_TLB_TLB_PARAMS_H
#define MEMSYS_TLB_TLB_PARAMS_H

#include "memsys/sim/param.h"

#define WALKER_PLACES(V)                                                                                              \
    V(WALKER_AT_L1D, l1d) V(WALKER_AT_L2, l2)
PARAM_ENUM(walker_place, WALKER_PLACES);

/* virtual-memory 4; sizes of the 4 KiB and 2 MiB parts as in Intel's Skylake */
#define TLB_L1_PARAMETERS(P)                                                                                          \
    P(entries, entries, COUNT, 64, 1, 65536, "entries for pages of 4 KiB")                                            \
    P(assoc, assoc, COUNT, 4, 1, 4096, "ways of a set of these")                                                      \
    P(huge_entries, huge_entries, COUNT, 32, 1, 65536, "entries for pages of 2 MiB")                                  \
    P(huge_assoc, huge_assoc, COUNT, 4, 1, 4096, "ways of a set of these")                                            \
    P(mshrs, mshrs, COUNT, 8, 1, 1024, "pages that may miss at once; further misses are refused")                     \
    P(targets_per_mshr, targets_per_mshr, COUNT, 16, 1, 65536, "requests that may wait for one page")

#define TLB_L2_PARAMETERS(P)                                                                                          \
    P(entries, entries, COUNT, 1536, 0, 1 << 20, "entries, for pages of both sizes; 0: there is no L2")               \
    P(assoc, assoc, COUNT, 12, 1, 4096, "ways of a set")                                                              \
    P(latency_cyc, latency, CYCLES, 7, 0, MOST_CYC, "look-up, after a miss in an L1")

/* virtual-memory 5 */
#define WALKER_PARAMETERS(P)                                                                                          \
    P(at, at, WALKER_PLACE, WALKER_AT_L1D, 0, 1, "cache that walks read: the L1D, or the one below it")               \
    P(outstanding, outstanding, COUNT, 4, 1, 256, "walks at once; further ones wait")                                 \
    P(latency_cyc, latency, CYCLES, 0, 0, MOST_CYC, "from an entry that has come to the next read, or to the "        \
      "translation")                                                                                                  \
    P(least_reads, least_reads, COUNT, 1, 1, 4, "entries that a walk reads at least, whatever the walk caches have")  \
    P(first_touch_cyc, first_touch, CYCLES, 0, 0, MOST_CYC, "a walk's wait for a page, and for a table, that no walk "\
      "met before: what the operating system needs to map it")                                                        \
    P(nested, nested, BOOL, 0, 0, 1, "walks of a guest: its tables' addresses are translated by a host's tables")

#define WALK_CACHES_PARAMETERS(P)                                                                                     \
    P(level4, level4, COUNT, 2, 0, 4096, "entries of the root table; 0: none")                                        \
    P(level3, level3, COUNT, 4, 0, 4096, "entries of tables of level 3; 0: none")                                     \
    P(level2, level2, COUNT, 32, 0, 4096, "entries of tables of level 2; 0: none")                             \
    P(nested, nested, COUNT, 16, 0, 4096, "pages of a guest that the host has translated; 0: none")

struct tlb_l1_params { TLB_L1_PARAMETERS(PARAM_FIELD) };
struct tlb_l2_params { TLB_L2_PARAMETERS(PARAM_FIELD) };
struct walker_params { WALKER_PARAMETERS(PARAM_FIELD) };
struct walk_caches_params { WALK_CACHES_PARAMETERS(PARAM_FIELD) };
struct tlb_params {
    struct tlb_l1_params l1i, l1d;
    struct tlb_l2_params l2;
    struct walker_params walker;
    struct walk_caches_params caches;
};

#endif
