// Names of ChampSim's header ooo_cpu.h.
#include "rubato_champsim.h"
