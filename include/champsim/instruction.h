// Names of ChampSim's header instruction.h.
#include "rubato_champsim.h"
