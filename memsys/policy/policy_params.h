/* Replacement policies by name (memsys/sim/param.h says how tables are read). */
#ifndef MEMSYS_POLICY_POLICY_PARAMS_H
#define MEMSYS_POLICY_POLICY_PARAMS_H

#include "memsys/sim/param.h"

/* One line a policy: R(kind, name). `name` is what users write; memsys/policy/ defines its functions as
 * replacement_<name>. */
#define REPLACEMENT_POLICIES(R)                                                                                       \
    R(LRU, lru)                                                                                                       \
    R(FIFO, fifo)                                                                                                     \
    R(LFU, lfu)                                                                                                       \
    R(MRU, mru)                                                                                                       \
    R(TREE_PLRU, tree_plru)                                                                                           \
    R(SECOND_CHANCE, second_chance)                                                                                   \
    R(RRIP, rrip)                                                                                                     \
    R(SRRIP, srrip)                                                                                                   \
    R(BRRIP, brrip)                                                                                                   \
    R(NRU, nru)                                                                                                       \
    R(RANDOM, random)                                                                                                 \
    R(BIP, bip)                                                                                                       \
    R(LIP, lip)                                                                                                       \
    R(SHIP, ship)                                                                                                     \
    R(DRRIP, drrip)

#define REPLACEMENT_VALUE(kind, name) REPLACEMENT_##kind,
enum replacement_kind {
    REPLACEMENT_POLICIES(REPLACEMENT_VALUE) REPLACEMENT_COUNT,
    REPLACEMENT_MODULE = REPLACEMENT_COUNT       /* a file that the user named */
};
#undef REPLACEMENT_VALUE

#endif
