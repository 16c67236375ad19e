/* `rubato replay SYSTEM FILE.regions`: the regions of a program on a system, and an estimate of all of it. */
#ifndef CLI_REPLAY_REPLAY_REGIONS_H
#define CLI_REPLAY_REPLAY_REGIONS_H

#include "cli/replay/request.h"

/* Are the request's traces a set of regions? */
bool replay_is_of_regions(const struct replay_request *request);
/* config: finished. Runs them, prints the estimate, writes --summary; an exit code. */
int replay_regions(const struct replay_request *request, const struct system_config *config);

#endif
