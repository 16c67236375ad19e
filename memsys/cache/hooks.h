/* Hooks of a cache: steps that somebody else may take in its place, with the same result. All are NULL in the plain
 * engine, in which each step is the cache's own.
 *
 * Use: whoever sets them does so between cache_init and cache_start. `serve` and `fill` answer whether the step is
 * done; where it is not, nothing has happened, and the cache takes it.
 *
 * With hooks a target of an MSHR may have no packet yet (struct target: packet, and what stands in its place). The
 * cache itself never meets such a target: the hook before each step that looks at one makes its packet first. */
#ifndef MEMSYS_CACHE_HOOKS_H
#define MEMSYS_CACHE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

struct cache;
struct cache_command_stats;
struct crossbar;
struct mshr;
struct packet;
struct write_entry;

struct cache_hooks {
    /* ---- kept for whoever set the hooks; nothing to the cache. */
    struct cache_command_stats *counts[2];              /* of ReadReq and WriteReq from `above.requestor` */
    bool takes_accesses, takes_fills;
    uint8_t read_command;                               /* enum command: of a miss that needs no permission */

    /* A request that was not refused, instead of cache_serve. */
    bool (*serve)(struct cache *cache, struct packet *request);
    /* A response, instead of cache_take_response. */
    bool (*fill)(struct cache *cache, struct packet *response);
    /* Instead of cache_send_mshr, cache_send_write. */
    bool (*send_mshr)(struct cache *cache, struct mshr *mshr);
    bool (*send_write)(struct cache *cache, struct write_entry *write);
    /* An answer for which nobody above waits, instead of the queue of responses. */
    void (*respond)(struct cache *cache, struct packet *response);
    /* Told that a request for a line will go down. */
    void (*queued)(const struct cache *cache, uint64_t line_address);

    struct crossbar *bus;                               /* kept for them, too */
};

#endif
