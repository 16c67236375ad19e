// Names of ChampSim's header address.h.
#include "rubato_champsim.h"
