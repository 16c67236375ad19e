/* Statistics of the energy of a channel, of either controller: "energy" by parts, and "energyPerBit". Ours: gem5 has
 * others, of DRAMPower. A device without published currents has none. */
#ifndef MEMSYS_DRAM_ENERGY_STATS_H
#define MEMSYS_DRAM_ENERGY_STATS_H

#include "memsys/energy/energy_meter.h"

struct stats;

/* To the present group; the meter must live as long as the registry. */
void energy_stats_add(struct stats *stats, const struct energy_meter *meter);

#endif
