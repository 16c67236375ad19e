// Names of ChampSim's header block.h.
#include "rubato_champsim.h"
