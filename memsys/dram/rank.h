/* A DRAM rank: its banks, the commands that open and close rows, refresh and power states (classic-memory 9.3, 9.5,
 * 9.7).
 *
 * Earliest ticks: a command may be sent to a bank when the rank, the bank group and the bank all allow it. Each burst
 * and activate raises a tick at the widest level that it concerns, so that no loop over banks is needed;
 * dram_rank_*_allowed_ps give the latest of the three. Precharges have the bank's own tick, and one of all banks that
 * an activate of the bank sets aside.
 * Commands are decided ahead of time: `open_row` and `active_banks` change when a command is decided, power states when
 * its event comes. Not for use outside the channel. Units: ticks are picoseconds.
 * Ownership: banks and groups are the rank's; the channel that contains it must not move. */
#ifndef MEMSYS_DRAM_RANK_H
#define MEMSYS_DRAM_RANK_H

#include "memsys/dram/command.h"
#include "memsys/dram/queue.h"
#include "memsys/sim/clock.h"
#include "memsys/sim/sim.h"

#define DRAM_MAX_ACTIVATES 64

enum dram_refresh_state {
    REFRESH_IDLE,                    /* the only state in which bursts may be chosen */
    REFRESH_DRAIN,                   /* due; waits until the controller has noticed */
    REFRESH_POWERDOWN_EXIT,
    REFRESH_SELFREFRESH_EXIT,
    REFRESH_PRECHARGE,               /* waits until all banks are closed and all reads have left */
    REFRESH_START,
    REFRESH_RUN
};

/* In the order of the reference's pwrStateTime. */
enum dram_power_state {
    POWER_IDLE, POWER_REFRESH, POWER_SELFREFRESH, POWER_PRECHARGE_DOWN, POWER_ACTIVE, POWER_ACTIVE_DOWN, POWER_STATES
};

struct dram_bank {
    uint64_t open_row;               /* DRAM_NO_ROW: closed */
    uint64_t row_accesses;           /* since the activate */
    uint64_t read_allowed_ps, write_allowed_ps, activate_allowed_ps;
    uint64_t own_precharge_ps;       /* see dram_rank_precharge_allowed_ps */
    uint64_t raises_seen;            /* of the rank's, when the tick before was set anew */
    uint64_t group;
};

struct dram_bank_group {
    uint64_t read_allowed_ps, write_allowed_ps, activate_allowed_ps;
};

struct dram_rank_stats {
    uint64_t power_ps[POWER_STATES]; /* pwrStateTime */
    uint64_t idle_ps;                /* totalIdleTime: ended stays in the three low-power states */
};

struct dram_channel;
struct dram_refresh;

struct dram_rank {
    struct dram_channel *channel;
    const struct dram_refresh *refresh;          /* a row of a table (refresh.h) */
    struct dram_bank *banks;
    struct dram_bank_group *groups;  /* at least one; never raised if the device has no groups */
    uint64_t read_allowed_ps, write_allowed_ps, activate_allowed_ps;
    uint64_t precharge_floor_ps;     /* no precharge before, but of banks ... */
    uint64_t precharge_raises;       /* ... that were opened since the floor was last set; this counts the settings */
    uint64_t last_burst_ps;          /* command tick */
    uint32_t number, bank_count, group_count;
    uint32_t active_banks;           /* with a row open */
    uint32_t read_entries;           /* bursts queued or under way */
    uint32_t write_entries;          /* bursts queued */
    uint32_t outstanding;            /* reads under way; 1 for each of: precharges, writes under way, a refresh */
    uint32_t next_activate;          /* oldest place of activates[] */
    uint16_t refresh_state, power_state, next_power_state, slept_before_refresh;
    bool in_low_power;
    uint64_t refresh_due_ps, wake_allowed_ps;
    uint64_t power_since_ps;         /* counted in stats.power_ps up to here */
    uint64_t power_entered_ps;       /* when the present state began, or statistics restarted */
    struct event_place precharge_due, write_done_due;    /* where these two events end up: see rank.c */
    struct event_place activate_place;                   /* of an activate_event that is not queued, if ... */
    bool activate_is_reserved;
    bool precharge_is_reserved;      /* the same of precharge_event; then some row is open */
    struct event activate_event, precharge_event, write_done_event, refresh_event, power_event, wake_event;
    struct dram_rank_stats stats;
    uint64_t activates[DRAM_MAX_ACTIVATES];      /* ring of the last activation_limit ticks; 0: none yet */
};

/* Reserves its six events. The channel's parameters must be set. */
struct fault dram_rank_init(struct dram_rank *rank, struct dram_channel *channel, unsigned number);
void dram_rank_free(struct dram_rank *rank);

static inline uint64_t dram_rank_read_allowed_ps(const struct dram_rank *rank, const struct dram_bank *bank)
{
    return max_u64(max_u64(bank->read_allowed_ps, rank->groups[bank->group].read_allowed_ps), rank->read_allowed_ps);
}

static inline uint64_t dram_rank_write_allowed_ps(const struct dram_rank *rank, const struct dram_bank *bank)
{
    return max_u64(max_u64(bank->write_allowed_ps, rank->groups[bank->group].write_allowed_ps),
                   rank->write_allowed_ps);
}

static inline uint64_t dram_rank_activate_allowed_ps(const struct dram_rank *rank, const struct dram_bank *bank)
{
    return max_u64(max_u64(bank->activate_allowed_ps, rank->groups[bank->group].activate_allowed_ps),
                   rank->activate_allowed_ps);
}

/* Ticks before now are not exact: any tick up to now means that a precharge is allowed. */
static inline uint64_t dram_rank_precharge_allowed_ps(const struct dram_rank *rank, const struct dram_bank *bank)
{
    return bank->raises_seen == rank->precharge_raises ? bank->own_precharge_ps
                                                       : max_u64(bank->own_precharge_ps, rank->precharge_floor_ps);
}

/* Opens `row` of a closed bank, as early as the bank and the command bus allow. */
void dram_rank_activate(struct dram_rank *rank, struct dram_bank *bank, uint64_t row);

/* The same for a bank with another row open, which is closed before. */
void dram_rank_change_row(struct dram_rank *rank, struct dram_bank *bank, uint64_t row);

/* Closes the open row at `when_ps`, as part of a burst or of a refresh: it needs no command of its own. */
void dram_rank_precharge(struct dram_rank *rank, struct dram_bank *bank, uint64_t when_ps,
                         enum dram_precharge precharge);

/* A write burst ends at `ready_ps`; it has left the queue. A read burst was issued. A read's data leave the
 * controller. */
void dram_rank_write_issued(struct dram_rank *rank, uint64_t ready_ps);
void dram_rank_read_issued(struct dram_rank *rank);
void dram_rank_read_left(struct dram_rank *rank);

/* Leaves a low-power state; all commands wait `exit_ps` from then on. */
void dram_rank_wake(struct dram_rank *rank, uint64_t exit_ps);

/* Passes a command of a bank, or, with NULL, of the rank to the channel's sink, which must exist. */
void dram_rank_tell(const struct dram_rank *rank, const struct dram_bank *bank, const struct dram_command *command);

/* Brings the state times up to now; reset also clears them. */
void dram_rank_settle_stats(struct dram_rank *rank);
void dram_rank_reset_stats(struct dram_rank *rank);

#endif
