/* Page policies: when an open row is closed behind a burst (classic-memory 9.5). One row a policy.
 *
 * Adding one: a function `dram_page_<name>`, in page_policy.c or a file of its own, and a value of PAGE_POLICIES
 * (memsys/dram/dram_params.h). Rows are closed after max_accesses_per_row bursts, under every policy. */
#ifndef MEMSYS_DRAM_PAGE_POLICY_H
#define MEMSYS_DRAM_PAGE_POLICY_H

#include "memsys/dram/dram_channel.h"
#include "memsys/dram/dram_params.h"

/* Bursts of a bank that wait. */
struct dram_waiting {
    bool same_row, other_row;
};

/* Those of the burst's bank in its queue, which it has left. */
struct dram_waiting dram_waiting_for(const struct dram_channel *channel, const struct dram_queue *queue,
                                     const struct dram_burst *burst);

/* Is the row closed behind the burst? */
typedef bool dram_page_policy(const struct dram_channel *channel, const struct dram_queue *queue,
                              const struct dram_burst *burst);

#define DRAM_PAGE_DECLARATION(value, name) dram_page_policy dram_page_##name;
PAGE_POLICIES(DRAM_PAGE_DECLARATION)
#undef DRAM_PAGE_DECLARATION

dram_page_policy *dram_page_policy_of(enum page_policy policy);

#endif
