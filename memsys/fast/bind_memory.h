/* Binds the fast paths of caches, crossbars, DRAM controllers and queues of responses to them.
 *
 * Use: when all components are connected and caches have started, before anything is simulated: responses_bind_fast for
 * each memory controller, noc_bind_fast for each interconnect, then cache_bind_fast for each cache; then each core
 * gets cache_below_fast of its L1s. Of the options count hits, fills, buses and dram; without all four nothing
 * changes. */
#ifndef MEMSYS_FAST_BIND_MEMORY_H
#define MEMSYS_FAST_BIND_MEMORY_H

#include "memsys/cache/cache.h"
#include "memsys/dram/mem_ctrl.h"
#include "memsys/gpu/gpu_hooks.h"
#include "memsys/noc/crossbar.h"
#include "memsys/sim/sim_engine.h"

/* `above`: the receiver of the queue's packets, if it is a core with functions in `fast`. The queue belongs to the
 * caller; NULL: no queue. */
void responses_bind_fast(struct above *above, struct packet_queue *queue, const struct engine_options *options);
void cache_bind_fast(struct cache *cache, const struct engine_options *options);
/* FAULT_MEMORY without memory for its snoop filter. Only a crossbar has fast paths. */
struct fault noc_bind_fast(struct noc *noc, const struct engine_options *options);
/* FAULT_MEMORY without memory for the index of its bursts. */
struct fault dram_bind_fast(struct mem_ctrl *ctrl, const struct engine_options *options);
/* Coherent, with LRU and without prefetcher: a hit only has to find its line with permission, and accesses can be taken
 * without packets. */
bool cache_is_simple(const struct cache *cache);
/* For the port of a core to that cache, which cache_bind_fast was called for; NULL: only packets. */
const struct below_fast *cache_below_fast(const struct cache *cache);

/* Prefetches the data structures that a GPU's memory needs next into the host's cache, during other work. Why the
 * result is the same: nothing is written. Test: tests/cli/engine.sh. */

extern const struct gpu_hooks gpu_hints;

#endif
