// Names of ChampSim's header cache.h.
#include "rubato_champsim.h"
