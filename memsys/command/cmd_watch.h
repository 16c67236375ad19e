/* What a controller counts of the commands that its device is given: how evenly the data buses are used, reads and
 * writes that wait, what each bank does, states of ranks (cmd_states.h), and activations of single rows (cmd_hammer.h).
 *
 * Use: cmd_watch_init; cmd_watch_sent and cmd_watch_gone for accesses that join and leave the queues, cmd_watch_issued
 * for each command in order. Units: ps. Ownership: cmd_watch_free.
 *
 * RowHammer: the victims of a row are refreshed by a VRR for it, and by what cmd_watch_served reports: recoveries of
 * PRAC. What a device does for another RFM on its own account is not seen. */
#ifndef MEMSYS_COMMAND_CMD_WATCH_H
#define MEMSYS_COMMAND_CMD_WATCH_H

#include "memsys/command/cmd_hammer.h"
#include "memsys/command/cmd_states.h"
#include "memsys/command/cmd_waits.h"
#include "memsys/command/device/cmd_access.h"
#include "memsys/command/device/cmd_spec.h"
#include "memsys/dram/bus_windows.h"
#include "memsys/sim/occupancy.h"

enum cmd_watch_state { CMD_WATCH_IDLE, CMD_WATCH_ACTIVE, CMD_WATCH_PRECHARGE, CMD_WATCH_REFRESH, CMD_WATCH_STATES };

struct cmd_watch_bank {
    uint64_t reads, writes, activates, conflicts;    /* conflicts: precharges for a read or write */
    uint64_t row;                            /* open one and 1; 0: closed */
    uint64_t busy_until_ps;                  /* closed: of the precharge or refresh ... */
    enum cmd_watch_state busy;                /* ... which it is */
};

struct cmd_watch {
    const struct cmd_spec *spec;
    struct occupancy reads, writes;          /* accesses that wait */
    struct bus_windows windows;
    struct cmd_waits waits;
    struct cmd_watch_bank *banks;
    uint64_t precharge_ps, refresh_ps[CMD_COMMANDS];
    uint64_t close_ps[CMD_COMMANDS];         /* from a command that closes its row to the precharge */
    struct cmd_states states;                /* counted after cmd_watch_states, or if the spec has power-down */
    uint64_t internal[CMD_COMMANDS];         /* commands of refresh, row policy and defences */
    int vrr;                                 /* CMD_NONE: there is no such command */
    struct cmd_hammer hammer;
    bool is_out_of_memory;
};

/* clock_ticks ticks take clock_ps. FAULT_MEMORY. */
struct fault cmd_watch_init(struct cmd_watch *watch, const struct cmd_spec *spec, uint64_t clock_ps,
                            uint64_t clock_ticks, uint64_t hammer_threshold, uint64_t hammer_window_ps);
void cmd_watch_free(struct cmd_watch *watch);
/* Times in power states are counted, too; before the first command. */
struct fault cmd_watch_states(struct cmd_watch *watch);

static inline void cmd_watch_sent(struct cmd_watch *watch, bool is_read, uint64_t now_ps)
{
    struct occupancy *const waiting = is_read ? &watch->reads : &watch->writes;

    occupancy_up(waiting, now_ps, waiting->level + 1);
}

static inline void cmd_watch_gone(struct cmd_watch *watch, bool is_read, uint64_t now_ps)
{
    struct occupancy *const waiting = is_read ? &watch->reads : &watch->writes;

    occupancy_down(waiting, now_ps, waiting->level - 1);
}

/* Number of the bank that a vector names, or of the first of those that it names. */
uint32_t cmd_watch_bank_of(const struct cmd_spec *spec, const int32_t *vector);

void cmd_watch_issued(struct cmd_watch *watch, const struct cmd_issued *issued, uint64_t now_ps);

/* The device has refreshed the victims of a row of a bank. */
void cmd_watch_served(struct cmd_watch *watch, uint32_t bank, int32_t row, uint64_t now_ps);

/* Commands that defences issued on their own account: rows opened, to copy them or to keep counts; VRR and RFM. */
struct cmd_watch_defences { uint64_t activates, refreshes; };
struct cmd_watch_defences cmd_watch_defences(const struct cmd_watch *watch);

/* What the bank does, idle only if nothing bounds its next activation. */
enum cmd_watch_state cmd_watch_bank_state(const struct cmd_watch *watch, uint32_t bank, uint64_t now_ps);

/* Statistics begin anew; accesses that wait, open rows and rows of the present refresh window stay. */
void cmd_watch_reset(struct cmd_watch *watch, uint64_t now_ps);

#endif
