/* What a controller of DRAM commands tells the energy model (memsys/energy/energy.h). */
#ifndef MEMSYS_COMMAND_CMD_ENERGY_H
#define MEMSYS_COMMAND_CMD_ENERGY_H

#include "base/fault.h"

struct cmd_ctrl;
struct energy_device;

/* Within cmd_ctrl_init, when its watch is there. A device that is not known costs nothing. */
struct fault cmd_energy_init(struct cmd_ctrl *ctrl, const struct energy_device *device);

/* Of the commands that defences against RowHammer issue on their own account, in pJ: VRR, RFM, and rows, reads and
 * writes of their copies and counters. What they cost the program's accesses is not in it: compare two runs. */
double cmd_energy_of_defences(const struct cmd_ctrl *ctrl);

#endif
