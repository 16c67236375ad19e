/* RowHammer figures of a controller, or of several: activations of rows, flips, and the cost of defences.
 *
 * Use: begin with {0}; cmd_rowhammer_add for each controller, whose statistics are settled (cmd_ctrl_settle_stats).
 * A controller that does not count rows adds nothing. Units: ps, pJ. Ownership: plain values. */
#ifndef MEMSYS_COMMAND_CMD_ROWHAMMER_H
#define MEMSYS_COMMAND_CMD_ROWHAMMER_H

#include "memsys/command/cmd_ctrl.h"

struct cmd_rowhammer {
    uint64_t threshold, window_ps;           /* threshold 0: no controller counts rows */
    uint64_t most, most_unserved;            /* activations of a row, of all controllers */
    uint64_t hot, flips;                     /* rows, window by window (cmd_hammer.h) */
    uint64_t histogram[CMD_HAMMER_BINS];
    uint64_t refreshes, activates;           /* commands of defences: VRR and RFM; rows opened */
    double waits_ps;                         /* of accesses for defences while the bus was idle */
    double defences_pj, all_pj;              /* energy of these commands; of the memory */
    bool has_unknown_energy;                 /* a device without published currents */
};

void cmd_rowhammer_add(struct cmd_rowhammer *to, const struct cmd_ctrl *ctrl, uint64_t now_ps);

/* Hot rows whose victims were refreshed in time. */
static inline uint64_t cmd_rowhammer_prevented(const struct cmd_rowhammer *figures)
{
    return figures->hot - figures->flips;
}

#endif
