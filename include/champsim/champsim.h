// Names of ChampSim's header champsim.h.
#include "rubato_champsim.h"
