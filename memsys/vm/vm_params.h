/* Parameters of virtual memory: where pages lie (memsys/sim/param.h). */
#ifndef MEMSYS_VM_VM_PARAMS_H
#define MEMSYS_VM_VM_PARAMS_H

#include "memsys/sim/param.h"

#define PLACEMENTS(V)                                                                                                 \
    V(PLACEMENT_FIRST_TOUCH, first_touch) V(PLACEMENT_IDENTITY, identity) V(PLACEMENT_RANDOM, random)                 \
    V(PLACEMENT_COLOURED, coloured)
PARAM_ENUM(placement, PLACEMENTS);
#define HUGE_PAGES(V)                                                                                                 \
    V(HUGE_NEVER, never) V(HUGE_ALWAYS, always) V(HUGE_THRESHOLD, threshold)
PARAM_ENUM(huge_pages, HUGE_PAGES);
#define ELASTIC_ADDRESSES(V)                                                                                          \
    V(ELASTIC_PHYSICAL, physical) V(ELASTIC_VIRTUAL, virtual)
PARAM_ENUM(elastic_addresses, ELASTIC_ADDRESSES);
#define INSN_ADDRESSES(V)                                                                                             \
    V(ADDRESSES_OF_FORMAT, format) V(ADDRESSES_VIRTUAL, virtual) V(ADDRESSES_PHYSICAL, physical)
PARAM_ENUM(insn_addresses_key, INSN_ADDRESSES);

/* virtual-memory 2 */
#define PAGES_PARAMETERS(P)                                                                                           \
    P(policy, policy, PLACEMENT, PLACEMENT_FIRST_TOUCH, 0, 3, "which frame a page gets: the next, its own number's, "\
      "any, the next of its colour")                                                                                  \
    P(huge, huge, HUGE_PAGES, HUGE_NEVER, 0, 2, "pages of 2 MiB: none, all, or those of which the trace uses many "   \
      "pieces of 4 KiB")                                                                                              \
    P(threshold, threshold, COUNT, 256, 1, 512, "huge: threshold: this number of 4 KiB pieces makes a page of 2 MiB") \
    P(seed, seed, COUNT, 1, 0, UINT32_MAX, "policy random: another number, other places")                             \
    P(colours, colours, COUNT, 64, 1, 65536, "policy coloured: number of colours; frame and page number are equal "   \
      "modulo that")                                                                                                  \
    P(elastic, elastic, ELASTIC_ADDRESSES, ELASTIC_PHYSICAL, 0, 1, "which addresses of elastic traces count: the "    \
      "physical ones as they are, or the virtual ones, which are placed as those of other traces")                    \
    P(addresses, addresses, INSN_ADDRESSES, ADDRESSES_OF_FORMAT, 0, 2, "what addresses of instruction traces are: "   \
      "what their format has, virtual ones, which are placed, or physical ones, which stay as they are")

struct pages_params { PAGES_PARAMETERS(PARAM_FIELD) };

#endif
