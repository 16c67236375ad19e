/* The source that `plugin build` compiles beside, or in place of, one that is written for ChampSim: it makes a module
 * of rubato_policy.h of the classes or hooks that were found. */
#ifndef CLI_PLUGIN_PLUGIN_WRAPPER_H
#define CLI_PLUGIN_PLUGIN_WRAPPER_H

#include <stdbool.h>

#include "cli/plugin/plugin_champsim.h"

/* source: the file or folder that the user gave, after which the module is named. False: errno says why. */
bool plugin_wrapper_write(const struct champsim_source *champsim, enum champsim_api api, const char *source,
                          const char *path);

#endif
