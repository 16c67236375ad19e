// Names of ChampSim's header modules.h.
#include "rubato_champsim.h"
