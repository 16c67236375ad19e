/* Observation of DRAM commands: kind, bank, start and duration of each.
 *
 * Use: dram_channel_watch before the run (memsys/dram/dram_channel.h); `take` is called for each command when it is
 * decided, which may be before its tick, never after it. Commands of one bank come in the order of their ticks and do
 * not overlap; nor do those of a rank as a whole (refreshes; and, by themselves, power states). Without a sink no
 * command is built, at no cost. Units: ticks are picoseconds. Ownership: the sink is the caller's; a command is valid
 * during the call. */
#ifndef MEMSYS_DRAM_COMMAND_H
#define MEMSYS_DRAM_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

/* C(value, name, is of a rank as a whole); beside it: how long it takes */
#define DRAM_COMMANDS(C)                                                                                              \
    C(ACTIVATE, ACT, 0)                  /* until the row can be read or written: the shorter of the two */           \
    C(READ, RD, 0)                       /* until another burst could begin, or tRTP, if that is shorter */           \
    C(WRITE, WR, 0)                      /* until another burst could begin */                                        \
    C(PRECHARGE, PRE, 0)                 /* until the bank is closed: tRP */                                          \
    C(REFRESH, REF, 1)                   /* tRFC */                                                                   \
    C(POWER, POWER, 1)                   /* a power state begins and lasts until the next; `row`: dram_power_state */

#define DRAM_COMMAND_VALUE(value, name, is_of_rank) DRAM_COMMAND_##value,
enum dram_command_kind { DRAM_COMMANDS(DRAM_COMMAND_VALUE) DRAM_COMMAND_COUNT };
#undef DRAM_COMMAND_VALUE

/* The kind of a PRECHARGE. */
enum dram_precharge {
    DRAM_PRECHARGE_ALONE,                /* a command of its own */
    DRAM_PRECHARGE_OF_BURST,             /* of the last READ or WRITE of the bank, which `closes` */
    DRAM_PRECHARGE_OF_ALL                /* all open banks of the rank, at one tick, for a refresh */
};

struct dram_channel;
struct dram_rank;

struct dram_command {
    const struct dram_rank *rank;
    enum dram_command_kind kind;
    uint32_t bank;                       /* 0 of commands of a rank */
    uint64_t start_ps, duration_ps;
    uint64_t row;                        /* of ACTIVATE, READ, WRITE */
    uint64_t address;                    /* of READ, WRITE ... */
    uint64_t arrival_ps;                 /* ... and when the burst came to the controller */
    bool closes;                         /* READ, WRITE: the row, behind the burst */
    enum dram_precharge precharge;       /* of PRECHARGE */
};

struct dram_command_sink {
    void (*begin)(void *context, const struct dram_channel *channel);    /* it is watched from now on; may be NULL */
    void (*take)(void *context, const struct dram_command *command);
    void *context;
    const struct dram_command_sink *next;    /* the next sink of the same commands, or NULL */
};

#endif
