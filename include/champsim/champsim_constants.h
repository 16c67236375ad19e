// Names of ChampSim's header champsim_constants.h.
#include "rubato_champsim.h"
