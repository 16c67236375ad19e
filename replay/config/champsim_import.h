/* ChampSim's champsim_config.json becomes a system: the shipped `champsim`, whose values are ChampSim's defaults, with
 * all that the file says: cores, caches of three levels, TLBs, the page walker, DRAM, predictors, prefetchers and
 * replacement policies by name.
 *
 * Use: champsim_is for a text, champsim_import. Tables in champsim_import.c have a row for each key. Keys without
 * counterpart are listed in *notes as comments in YAML, each with its reason; unknown keys, and modules that are not
 * built in, are faults with file, line and key. Ownership: *notes is the caller's to free. */
#ifndef REPLAY_CONFIG_CHAMPSIM_IMPORT_H
#define REPLAY_CONFIG_CHAMPSIM_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

struct system_config;

/* Has the text a section that only ChampSim's configurations have? */
bool champsim_is(const char *text, size_t length);

/* name: of the file in faults. *count: notes. Finished. */
struct fault champsim_import(struct system_config *config, const char *name, const char *text, size_t length,
                             char **notes, size_t *count);

#endif
