/* Parts of a system: cores with their private caches, which run ahead of each other and of what they share.
 *
 * What a part does concerns others only where it asks the memory bus, and what the bus answers comes some time later.
 * So each part has an event queue of its own, and executes some dozens of its events in a row: up to the next request
 * for the bus, or the first tick in which the bus may call. Nothing simulated differs: where parts meet, the order of
 * events is that of one queue (memsys/event_order.h).
 *
 * Use: system_parts_are_possible; system_parts_create before components are made, which get system_parts_sim;
 * system_parts_border for the caches above the memory bus; then system_parts_run instead of event_queue_run. Private to
 * the system. Units: picoseconds. */
#ifndef REPLAY_SYSTEM_PARTS_H
#define REPLAY_SYSTEM_PARTS_H

#include "replay/system.h"

/* Can parts of such a system run ahead, or cores even be domains (replay/system_domains.h)? Each core replays one
 * trace, all caches are private, do nothing by chance and ask for no line that the core has not asked for; the run
 * ends when all cores are done. */
bool system_parts_are_possible(const struct system_config *config, const struct system_traces *traces);

/* For an all-zero system whose config and sim are set. system_parts_free is due in any case. */
struct fault system_parts_create(struct system *system);
void system_parts_free(struct system *system);

/* Of a core and its private caches; the system's, if that has no parts. */
struct sim *system_parts_sim(struct system *system, unsigned core);
/* What the memory bus has above it for that cache, whose port is the next one. */
struct above system_parts_border(struct system *system, struct system_cache *cache);

/* Once cache_start was called for all caches. */
void system_parts_watch(struct system *system);
/* The run was broken off, since parts met where they should not. */
bool system_parts_are_broken(const struct system *system);
/* Addresses that the core may have, of those that memory has; likewise of domains. */
struct elastic_limits system_parts_limits(const struct system_config *config, unsigned core,
                                          const struct elastic_limits *memory);
/* As event_queue_run to the end; somewhat more than max_events may be executed. */
void system_parts_run(struct system *system, uint64_t max_events);
/* Is an event queued, in whichever queue? */
bool system_parts_have_events(const struct system *system);
/* The present is the same in all parts. */
void system_parts_set_now(struct system *system, uint64_t now_ps);

#endif
