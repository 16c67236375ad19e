/* Parts of a branch prediction unit that are modules (include/rubato_policy.h).
 *
 * Ownership: as other parts: new, free. Each has an instance of its own. The host of a branch module knows random
 * numbers; all else that it can ask answers 0 or false. */
#ifndef REPLAY_DETAILED_BRANCH_BRANCH_MODULE_H
#define REPLAY_DETAILED_BRANCH_BRANCH_MODULE_H

#include "memsys/sim/module_use.h"
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/parts.h"

struct stats;

extern const struct direction_ops direction_module;
extern const struct btb_ops btb_module;
extern const struct indirect_ops indirect_module;

/* State of a branch in flight with that module; 0: the direction predictor is none. */
size_t branch_module_state_bytes(const struct branch_params *params);

/* part: what `new` of a module made. */
void branch_module_add_stats(const void *part, struct stats *stats);
void branch_module_reset(void *part);
void branch_module_end(void *part);

#endif
