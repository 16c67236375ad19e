/* What a GPU's memory needs next is fetched into the host's cache while other things are done. Why the result is the
 * same: nothing is written. Test: tests/cli/engine.sh. */
#ifndef MEMSYS_FAST_GPU_HINTS_H
#define MEMSYS_FAST_GPU_HINTS_H

#include "memsys/gpu/hooks.h"

extern const struct gpu_hooks gpu_hints;

#endif
