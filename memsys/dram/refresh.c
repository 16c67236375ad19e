/* The table of refresh policies, the policy without refreshes, and names of states. */
#include "memsys/dram/refresh.h"

static void no_start(struct dram_rank *rank)
{
    (void)rank;
}

static void no_due(void *owner)
{
    (void)owner;
}

static bool never_busy(struct dram_rank *rank)
{
    (void)rank;
    return false;
}

static void no_change(struct dram_rank *rank, unsigned previous)
{
    (void)rank, (void)previous;
}

const struct dram_refresh dram_refresh_none = {
    .due = no_due, .start = no_start, .is_busy = never_busy, .reads_left = no_start, .resume_lost = no_start,
    .power_changed = no_change
};

#define REFRESH_ROW(value, name) [value] = &dram_refresh_##name,
static const struct dram_refresh *const policies[] = {REFRESH_POLICIES(REFRESH_ROW)};

const struct dram_refresh *dram_refresh_of(enum refresh_policy policy)
{
    return policies[policy];
}

const char *dram_refresh_state_text(unsigned state)
{
    static const char *const texts[] = {
        [REFRESH_IDLE] = "not refreshing",
        [REFRESH_DRAIN] = "due for refresh",
        [REFRESH_POWERDOWN_EXIT] = "leaving power-down for a refresh",
        [REFRESH_SELFREFRESH_EXIT] = "leaving self-refresh",
        [REFRESH_PRECHARGE] = "closing its banks for a refresh",
        [REFRESH_START] = "starting a refresh",
        [REFRESH_RUN] = "refreshing"};

    return texts[state];
}
