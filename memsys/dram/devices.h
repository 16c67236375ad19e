/* DRAM device classes (classic-memory 12): presets of struct dram_params by name.
 *
 * Use: dram_device_find for a user's `device:`, then copy params and change what the user overrides. A value that a
 * class does not define is PARAM_MISSING (GDDR5_4000_2x32: tCS and tREFI); the configuration asks for it before a run.
 * Ownership: constant tables, nothing to free. */
#ifndef MEMSYS_DRAM_DEVICES_H
#define MEMSYS_DRAM_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "memsys/sim/params.h"

struct dram_device {
    const char *name;
    struct dram_params params;
};

size_t dram_device_count(void);
/* index < dram_device_count() */
const struct dram_device *dram_device_at(size_t index);
/* NULL if there is none of that name. */
const struct dram_device *dram_device_find(const char *name);

/* What a controller decides and a device does not: page policy, address map, queue depths, accesses a row, power-down.
 * Copies these from one to the other. */
void dram_copy_policy(struct dram_params *to, const struct dram_params *from);
/* Is it one of them? `key` as users write it. */
bool dram_is_policy(const char *key);

#endif
