/* The device of a memory that works command by command, and what its controllers are made of: the standard's file, its
 * presets and overrides, and the parameters of the memory.
 *
 * Use: command_device_make once for each memory, of a finished configuration or of one that is being checked;
 * controllers of all its channels share it (memsys/command/cmd_ctrl.h), so it must outlive them and must not move.
 * Ownership: command_device_free. Errors: FAULT_INPUT, which begins with the key to change, such as memory.timing. */
#ifndef REPLAY_CONFIG_COMMAND_DEVICE_H
#define REPLAY_CONFIG_COMMAND_DEVICE_H

#include "memsys/command/device/cmd_config.h"

struct memory_params;

struct command_device {
    struct cmd_standard standard;
    struct cmd_spec spec;
    struct cmd_config config;            /* of one channel */
};

/* path: of the memory in faults, "memory" or "memories.1". Zeroed after a fault. */
struct fault command_device_make(struct command_device *device, const struct memory_params *memory, const char *path);
/* Also of a zeroed one. */
void command_device_free(struct command_device *device);

#endif
