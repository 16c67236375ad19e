// Names of ChampSim's header memory_class.h.
#include "rubato_champsim.h"
