/* Refresh policies of a DRAM rank: when its banks are refreshed, and which commands wait meanwhile (classic-memory
 * 9.7). One row a policy.
 *
 * Adding one: a file refresh_<name>.c that defines `dram_refresh_<name>`, and a value of REFRESH_POLICIES
 * (memsys/dram/dram_params.h). A policy has the rank's refresh_event, refresh_due_ps and refresh_state. In any other
 * state than REFRESH_IDLE no burst of the rank is chosen; a policy that holds up single banks stays in it and raises
 * their activate_allowed_ps (rank.h), closing rows by dram_rank_precharge. */
#ifndef MEMSYS_DRAM_REFRESH_H
#define MEMSYS_DRAM_REFRESH_H

#include "memsys/dram/dram_channel.h"
#include "memsys/dram/dram_params.h"

struct dram_refresh {
    /* refresh_event comes; owner: the rank. */
    void (*due)(void *owner);
    /* Before the run: schedules the first refresh (classic-memory 1.4). */
    void (*start)(struct dram_rank *rank);
    /* The channel looks at the rank before it chooses a burst. True: the rank cannot take one. Called while some rank
     * of the channel is not in REFRESH_IDLE. */
    bool (*is_busy)(struct dram_rank *rank);
    /* The reads of all ranks have left, the last was one of this rank. */
    void (*reads_left)(struct dram_rank *rank);
    /* Something has left that a refresh may wait for; if nothing else would continue the refresh, it continues, and a
     * notice is counted. */
    void (*resume_lost)(struct dram_rank *rank);
    /* The rank has left the power state `previous` for rank->power_state. */
    void (*power_changed)(struct dram_rank *rank, unsigned previous);
};

#define DRAM_REFRESH_DECLARATION(value, name) extern const struct dram_refresh dram_refresh_##name;
REFRESH_POLICIES(DRAM_REFRESH_DECLARATION)
#undef DRAM_REFRESH_DECLARATION

const struct dram_refresh *dram_refresh_of(enum refresh_policy policy);

const char *dram_refresh_state_text(unsigned state);

#endif
