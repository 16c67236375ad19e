/* Technology nodes as values of the key `technology`, one line each: V(value, name). Their figures: replay/cost/. */
#ifndef REPLAY_CONFIG_TECHNOLOGIES_H
#define REPLAY_CONFIG_TECHNOLOGIES_H

#include "memsys/sim/param.h"

#define TECHNOLOGIES(V)                                                                                               \
    V(TECHNOLOGY_NONE, none) V(TECHNOLOGY_90, 90nm) V(TECHNOLOGY_45, 45nm) V(TECHNOLOGY_32, 32nm)                     \
    V(TECHNOLOGY_22, 22nm) V(TECHNOLOGY_16, 16nm) V(TECHNOLOGY_14, 14nm) V(TECHNOLOGY_10, 10nm)                       \
    V(TECHNOLOGY_7, 7nm) V(TECHNOLOGY_5, 5nm)
PARAM_ENUM(technology, TECHNOLOGIES);

#endif
