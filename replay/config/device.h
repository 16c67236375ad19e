/* DRAM devices: presets of struct dram_params, one YAML file each (classic-memory 12). The shipped ones are the files
 * of configs/dram/, which the build embeds; a user's own file goes by its path.
 *
 * A file has the keys of memory.dram and, if they are published, currents (currents.h): of the keys all of them but
 * those that config_is_dram_policy names, whose defaults are the table's. `unknown` marks a time that its data sheet
 * does not give (GDDR5_4000_2x32: tCS and tREFI): the configuration asks the user for it.
 * Ownership: names are constant, nothing to free. */
#ifndef REPLAY_CONFIG_DEVICE_H
#define REPLAY_CONFIG_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

struct dram_params;
struct energy_params;

/* Name of a shipped device, in the order of the names; NULL past the last. */
const char *config_device_name(size_t index);
/* The values of a shipped device. FAULT_INPUT without a device of that name. */
struct fault config_device_read(struct dram_params *dram, const char *name);
/* Its currents, all 0 if its file has none, as of the user's own devices; datasheet: of ENERGY_SOURCE_TEXT bytes. */
struct fault config_device_currents(const char *name, struct energy_params *currents, char *datasheet);
/* Is a value of memory.device a path? Otherwise it is a name. */
bool config_is_device_file(const char *text);
/* Does a controller decide it, and a device only propose it (memory.policy)? `key` as users write it: page policy,
 * address map, queue depths, accesses a row, power-down. */
bool config_is_dram_policy(const char *key);

#endif
