/* Configurations of Ramulator 2 become a system with a memory command by command: the YAML or JSON that
 * `python -m ramulator export` of 2.1 writes, and the files of 2.0 with their presets.
 *
 * Use: ramulator_is for a text, ramulator_import. The system is the default one (a core with L1s) with that memory, in
 * mode exact, since it is to repeat what Ramulator does. Tables in ramulator.c have a row for each key. Keys without
 * counterpart are listed in *notes as comments in YAML, each with its reason; unknown keys, and values that would
 * change the result unseen, are faults with file, line and key. Ownership: *notes is the caller's to free. Source:
 * docs/spec/command-dram.md. */
#ifndef REPLAY_CONFIG_RAMULATOR_H
#define REPLAY_CONFIG_RAMULATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

struct system_config;

/* Has the text a memory system of Ramulator at its top? */
bool ramulator_is(const char *text, size_t length);

/* name: of the file in faults. *count: notes. Finished. */
struct fault ramulator_import(struct system_config *config, const char *name, const char *text, size_t length,
                              char **notes, size_t *count);

#endif
