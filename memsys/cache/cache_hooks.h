/* Hooks of a cache: functions that replace single steps of the cache, with the same result. All are NULL in the plain
 * engine, in which the cache takes each step itself, unless it is watched.
 *
 * Use: set them between cache_init and cache_start. `serve` and `fill` return whether they took the step; if not, they
 * have changed nothing, and the cache takes it.
 *
 * With hooks a target of an MSHR may have no packet yet (struct target: packet, and the fields that replace it). The
 * cache itself never sees such a target: before each step that reads targets, a hook makes their packets. */
#ifndef MEMSYS_CACHE_CACHE_HOOKS_H
#define MEMSYS_CACHE_CACHE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

struct cache;
struct cache_command_stats;
struct cache_watch;
struct crossbar;
struct mshr;
struct packet;
struct write_entry;

struct cache_hooks {
    /* ---- state of the hooks' owner; the cache ignores it. */
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
    /* An answer without a waiting core or cache above, instead of the queue of responses. */
    void (*respond)(struct cache *cache, struct packet *response);
    /* Announces that a request for a line will be sent to the memory side. */
    void (*queued)(const struct cache *cache, uint64_t line_address);

    struct crossbar *bus;                               /* kept for them, too */
    struct cache_watch *watch;                          /* of cache_watch.h, whose owner is another; NULL: none */
};

#endif
