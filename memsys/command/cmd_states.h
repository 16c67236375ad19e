/* How long the ranks of a device of commands are in each power state (memsys/energy/energy.h): a rank is
 * active while a bank of it has a row open, refreshing during refreshes of all its banks, else in precharge standby;
 * between PDE and PDX in power-down, between SRE and SRX in self-refresh, where a device has these commands.
 *
 * Use: cmd_states_init; cmd_states_opened, _closed, _refreshed as banks change, in the order of time; cmd_states_add
 * for the times up to now. A row that a column command closes ends later than the command: `until_ps`. Units: ps.
 * Ownership: cmd_states_free. */
#ifndef MEMSYS_COMMAND_CMD_STATES_H
#define MEMSYS_COMMAND_CMD_STATES_H

#include "base/arith.h"
#include "memsys/command/device/cmd_spec.h"
#include "memsys/energy/energy.h"

struct cmd_rank_state {
    uint64_t open;                       /* banks */
    uint64_t since_ps;                   /* counted up to here */
    uint64_t active_until_ps, refresh_until_ps;
    bool sleeps;
    enum energy_state sleep;
    uint64_t state_ps[ENERGY_STATES];
};

enum cmd_states_change { CMD_STATES_NONE, CMD_STATES_DOWN, CMD_STATES_SELF_REFRESH, CMD_STATES_WAKE };

struct cmd_states {
    uint32_t rank_count, banks_per_rank;
    unsigned rank_level;                 /* 0: the channel is one rank */
    uint8_t change[CMD_COMMANDS];        /* enum cmd_states_change: what a command does to its rank */
    struct cmd_rank_state *ranks;        /* NULL: nothing is counted */
};

struct fault cmd_states_init(struct cmd_states *states, const struct cmd_spec *spec);
void cmd_states_free(struct cmd_states *states);
void cmd_states_reset(struct cmd_states *states, uint64_t now_ps);
/* Of one rank, up to now_ps. */
uint64_t cmd_states_of(const struct cmd_states *states, uint32_t rank, enum energy_state state, uint64_t now_ps);
/* Of all ranks together, up to now_ps. */
void cmd_states_add(const struct cmd_states *states, uint64_t now_ps, double state_ps[ENERGY_STATES]);

/* A rank enters or leaves power-down or self-refresh. */
void cmd_states_changed(struct cmd_states *states, uint32_t rank, enum cmd_states_change change, uint64_t now_ps);

/* Brings a rank's times up to now. */
void cmd_states_pass(struct cmd_rank_state *rank, uint64_t now_ps);

static inline void cmd_states_opened(struct cmd_states *states, uint32_t bank, uint64_t now_ps)
{
    struct cmd_rank_state *const rank = &states->ranks[bank / states->banks_per_rank];

    cmd_states_pass(rank, now_ps);
    rank->open++;
}

static inline void cmd_states_closed(struct cmd_states *states, uint32_t bank, uint64_t now_ps, uint64_t until_ps)
{
    struct cmd_rank_state *const rank = &states->ranks[bank / states->banks_per_rank];

    cmd_states_pass(rank, now_ps);
    rank->open--;
    rank->active_until_ps = max_u64(rank->active_until_ps, until_ps);
}

static inline void cmd_states_refreshed(struct cmd_states *states, uint32_t bank, uint64_t now_ps, uint64_t until_ps)
{
    struct cmd_rank_state *const rank = &states->ranks[bank / states->banks_per_rank];

    cmd_states_pass(rank, now_ps);
    rank->refresh_until_ps = max_u64(rank->refresh_until_ps, until_ps);
}

#endif
