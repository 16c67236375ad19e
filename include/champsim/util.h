// Names of ChampSim's header util.h.
#include "rubato_champsim.h"
