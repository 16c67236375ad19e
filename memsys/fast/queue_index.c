/* Miss queue and write queue with an index of their lines (queue_index.h): its table. */
#include "memsys/fast/queue_index.h"

static struct mshr *find_mshr(const struct cache *cache, uint64_t address)
{
    return queue_index_find_mshr(cache, address);
}

static struct write_entry *find_write(const struct cache *cache, uint64_t address)
{
    return queue_index_find_write(cache, address);
}

static void enter_mshr(struct cache *cache, struct mshr *mshr, uint64_t when_ps, bool is_prefetch)
{
    queue_index_enter_mshr(cache, mshr, when_ps, is_prefetch);
}

static void free_mshr(struct cache *cache, struct mshr *mshr)
{
    queue_index_free_mshr(cache, mshr);
}

static void enter_write(struct cache *cache, struct packet *packet, uint64_t when_ps)
{
    queue_index_enter_write(cache, packet, sim_line_address(cache->sim, packet->address), packet_is_uncacheable(packet),
                            when_ps);
}

static struct packet *free_write(struct cache *cache, struct write_entry *write)
{
    return queue_index_free_write(cache, write);
}

static struct cache_choice choose(const struct cache *cache)
{
    return queue_index_choose(cache);
}

void queue_index_bind(struct cache *cache)
{
    static const struct cache_queue_ops queues = {
        .find_mshr = find_mshr, .find_write = find_write, .enter_mshr = enter_mshr, .free_mshr = free_mshr,
        .enter_write = enter_write, .free_write = free_write, .choose = choose};

    assert(cache->mshr_count == 0 && cache->write_count == 0);
    *queue_index_of(cache) = (struct queue_index){.mshrs = {0}};
    cache->queues = &queues;
}
