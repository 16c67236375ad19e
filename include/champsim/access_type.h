// Names of ChampSim's header access_type.h.
#include "rubato_champsim.h"
