/* Why data buses of a channel of DRAM commands were idle while accesses waited: the verdict's causes below "DRAM".
 *
 * Use: cmd_waits_init; cmd_waits_issued for each command in order; cmd_waits_ps. Ticks are those of the device.
 * Ownership: plain values, nothing to free. No allocation.
 *
 * When an access is issued and its data bus was idle before, while the access waited, the time is divided among causes
 * by the chain of commands that led to it: the access came as early as the constraint after some command allowed, that
 * one as early as another did, back to the end of the data before. Time in which a command was possible and not issued
 * belongs to the command bus if other commands took it, and otherwise to the order of the queues. Long waits, which are
 * rare, are all attributed; of shorter ones, one access in CMD_WAITS_SAMPLE is, with that weight. */
#ifndef MEMSYS_COMMAND_CMD_WAITS_H
#define MEMSYS_COMMAND_CMD_WAITS_H

#include "memsys/command/device/cmd_access.h"
#include "memsys/command/device/cmd_spec.h"

/* id, name of the statistic, help */
#define CMD_WAIT_CAUSES(C)                                                                                            \
    C(BANKS, "banks", "rows are opened and closed: tRCD, tRP, tRAS, tRC, tWR, tRTP")                                  \
    C(ACTIVATIONS, "activations", "activations of other banks: tFAW, tRRD")                                           \
    C(BANK_GROUP, "bank_group", "accesses to one bank group: tCCD_L")                                                 \
    C(TURNS, "turns", "the data bus changes between reads and writes, or ranks: tWTR, tRTW, tCS")                     \
    C(REFRESH, "refresh", "refreshes: tRFC")                                                                          \
    C(MITIGATION, "mitigation", "defences against RowHammer: VRR, RFM, rows that move")                               \
    C(COMMAND_BUS, "command_bus", "other commands took the command bus")                                              \
    C(ORDER, "order", "the order of the queues, and clocks that synchronise")

#define CMD_WAIT_ID(id, name, help) CMD_WAIT_##id,
enum cmd_wait { CMD_WAIT_CAUSES(CMD_WAIT_ID) CMD_WAITS };
#undef CMD_WAIT_ID

enum { CMD_WAITS_SAMPLE = 29, CMD_WAITS_KEPT = 64, CMD_WAITS_BUSES = 16, CMD_WAITS_WINDOWS = 32 };

struct cmd_waits_command {
    uint64_t tick;
    int16_t node[CMD_LEVELS];                /* down to the bank; -1: all */
    uint8_t command;
};

/* The largest latency between commands whose deepest common level is known, and its cause. */
struct cmd_waits_bound {
    int32_t latency;                         /* 0: none */
    uint8_t cause;
};

struct cmd_waits_window {
    int32_t latency;
    uint8_t level, following, history, window;
};

struct cmd_waits {
    const struct cmd_spec *spec;
    struct cmd_waits_bound bound[CMD_COMMANDS][CMD_COMMANDS][CMD_LEVELS];    /* before, after, level */
    struct cmd_waits_window windows[CMD_WAITS_WINDOWS];
    uint8_t window_count;
    int64_t read_start, write_start, burst;  /* from the command to the first data; of the data */
    uint64_t longest;                        /* of all latencies: older commands bound nothing */
    uint64_t weight;                         /* of the access that is looked at */
    int bus_level;                           /* of data buses; CMD_NONE: there is one */
    uint32_t buses;
    int64_t data_end[CMD_WAITS_BUSES];
    struct cmd_waits_command kept[CMD_WAITS_KEPT];
    uint64_t issued, gaps;                   /* gaps: accesses before which the bus was idle */
    uint64_t ticks[CMD_WAITS];               /* of all buses */
};

void cmd_waits_init(struct cmd_waits *waits, const struct cmd_spec *spec);
void cmd_waits_issued(struct cmd_waits *waits, const struct cmd_issued *issued);
void cmd_waits_reset(struct cmd_waits *waits);
/* Ticks that a data bus was idle for that cause; mean of all. */
double cmd_waits_ticks(const struct cmd_waits *waits, enum cmd_wait cause);

#endif
