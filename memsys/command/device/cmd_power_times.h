/* Power-down and self-refresh of a device: the commands PDE, PDX, SRE and SRX, and their times.
 *
 * Use: cmd_power_times_of, then cmd_spec_add_power before the spec is used; channel/cmd_power.c issues the commands.
 * They concern a rank as a whole, or the channel of standards without ranks. Times are those of the system's keys, else
 * from the standard's file (nXP, nPD, nXS, nCKESR, nXSDLL), else from JEDEC's tables where they are known; a device
 * without any is refused with the key to give. Units: ps where the name says so, ticks otherwise. */
#ifndef MEMSYS_COMMAND_DEVICE_CMD_POWER_TIMES_H
#define MEMSYS_COMMAND_DEVICE_CMD_POWER_TIMES_H

#include "memsys/command/device/cmd_spec.h"

/* 0: not given. */
struct cmd_power_given {
    uint64_t down_exit_ps, down_least_ps, self_exit_ps, self_least_ps, self_lock_ps;
};

/* FAULT_INPUT names the key, without the memory's path. self_refresh: its times are needed, too. */
struct fault cmd_power_times_of(const struct cmd_spec *spec, const struct cmd_power_given *given, bool self_refresh,
                                struct cmd_power_times *times);

/* Adds the four commands and what they hold up. FAULT_INPUT: the standard has no room for them. */
struct fault cmd_spec_add_power(struct cmd_spec *spec, const struct cmd_power_times *times);

#endif
