/* Parameters of an elastic core (memsys/sim/param.h). */
#ifndef REPLAY_CONFIG_CORE_PARAMS_H
#define REPLAY_CONFIG_CORE_PARAMS_H

#include "memsys/sim/param.h"

/* elastic-trace 2.1 */
#define CORE_PARAMETERS(P)                                                                                            \
    P(rob, rob, COUNT, 40, 1, 65535, "reorder buffer, in micro-ops")                                                  \
    P(load_buffer, load_buffer, COUNT, 16, 1, 65535, "loads in flight")                                               \
    P(store_buffer, store_buffer, COUNT, 16, 1, 65535, "stores in flight")                                            \
    P(freq_multiplier, freq_multiplier, RATIO, 1.0, 0, 0, "computation delays are divided by it")

struct core_params { CORE_PARAMETERS(PARAM_FIELD) };

#endif
