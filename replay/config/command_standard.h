/* DRAM standards of command-level memories, from their files: those of configs/dram/command/, which the build
 * embeds, and the user's own.
 *
 * A file has the keys that struct cmd_standard has (memsys/command/device/cmd_standard.h); `extends: NAME` takes all
 * of another standard first: commands, constraints, timing names, derived timings are added behind its own, presets
 * of the same name replace its own. So a file with `extends` and a preset or two is a device that is not shipped.
 * Ownership: cmd_standard_free. Errors: FAULT_INPUT with file and line; FAULT_MEMORY. */
#ifndef REPLAY_CONFIG_COMMAND_STANDARD_H
#define REPLAY_CONFIG_COMMAND_STANDARD_H

#include "base/fault.h"
#include "memsys/command/device/cmd_standard.h"

/* `name`: of a shipped standard, or the path of a file (it has a slash, or ends in .yaml or .yml). */
struct fault command_standard_read(struct cmd_standard *standard, const char *name);
/* Name of a shipped standard, in the order of the names; NULL past the last. */
const char *command_standard_name(size_t index, char name[32]);

#endif
