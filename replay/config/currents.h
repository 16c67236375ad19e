/* Currents of DRAM chips from files: a mapping of the keys of memory.currents and `datasheet`, which names the source.
 * A device's file has one at `currents`; a standard's file has a list of them, each with `organization` and `rate` in
 * MT/s besides. The values that count are those that the user gives (memory.currents) before the device's.
 *
 * Ownership: plain values. Errors: a text behind "KEY: VALUE", NULL: fine. */
#ifndef REPLAY_CONFIG_CURRENTS_H
#define REPLAY_CONFIG_CURRENTS_H

#include <stddef.h>

#include "base/fault.h"
#include "memsys/energy/energy.h"

struct dram_params;
struct energy_params;

/* Sets one value. `expected`, of `size`: what would be right, if the answer is not NULL. */
const char *currents_assign(struct energy_params *params, const char *key, const char *text, char *expected,
                            size_t size);
/* Of a chip of gem5's controller. */
struct energy_conditions currents_conditions(const struct dram_params *measured, const struct dram_params *dram);

#endif
