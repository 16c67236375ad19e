/* Modelled: plain accesses that hit, without a packet. What they do is cache_hit_plain's; everything else is left to
 * recv_request, which finds the cache as if nobody had tried. The usual part stands in cache_try.h. */
#include "memsys/cache_try.h"

OUT_OF_LINE bool cache_try_late_read(struct cache *cache, uint64_t address, uint64_t token, uint32_t block)
{
    uint64_t when_ps;

    if (!tags_has(&cache->tags, block, BLOCK_READABLE))
        return false;
    cache_hit_plain(cache, block, false);
    cache->plain_counts[false]->hits++;
    when_ps = cache_plain_read_ps(cache, block);    /* takes BLOCK_LATE away, which otherwise stays for ever */
    if (!cache->above.ignores_responses)
        packet_queue_push_answer(&cache->responses, address, token, when_ps);
    return true;
}
