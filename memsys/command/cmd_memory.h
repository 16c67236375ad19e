/* A DRAM memory command by command: channels, each with a controller of its own (docs/spec/command-dram.md).
 *
 * Use: cmd_memory_new; then, in any order, cmd_memory_send for requests that arrive now and cmd_memory_run to let
 * time pass; cmd_memory_free. Time is counted in ticks of the controllers' clock (spec->tck_ps); cmd_memory_now is
 * the number of ticks done. A request that is sent when `now` ticks are done may be served in tick now + 1.
 *
 *      while (there is work) {
 *          while (requests are due at cmd_memory_now(memory) && cmd_memory_send(memory, &request) == CMD_ACCEPTED)
 *              ;
 *          cmd_memory_run(memory, tick of the next request);
 *      }
 *
 * cmd_memory_run stops early, after a tick in which a request was completed or in which one that had been refused
 * may be accepted; idle ticks cost nothing. An event-driven caller asks cmd_memory_next for the tick in which
 * something will happen without him, and runs up to it then. Back-pressure: a refused request is the caller's to
 * send again. It can only succeed after cmd_memory_run has stopped early (cmd_memory_has_room), or after another
 * write to the same line was accepted. Completion: hooks.completed is called inside cmd_memory_run, in tick `now`:
 * reads when their data is there, writes when their WR is issued; for a write that merges with a waiting one, inside
 * cmd_memory_send. It may send requests. Ownership: the memory copies the configuration; spec and standard must
 * outlive it. No allocation once queues have reached their sizes. Errors: FAULT_INPUT for configurations that cannot
 * work; FAULT_STALL when a channel makes no progress for a refresh interval, or when a refresh finds the priority
 * queue full. After a fault the memory can only be freed. */
#ifndef MEMSYS_COMMAND_CMD_MEMORY_H
#define MEMSYS_COMMAND_CMD_MEMORY_H

#include "memsys/command/device/cmd_access.h"
#include "memsys/command/device/cmd_config.h"

struct cmd_memory;

/* sources: requests have sources -1 .. sources - 1. */
struct fault cmd_memory_new(struct cmd_memory **memory, const struct cmd_config *config, const struct cmd_hooks *hooks,
                            uint32_t sources);
void cmd_memory_free(struct cmd_memory *memory);

enum cmd_answer cmd_memory_send(struct cmd_memory *memory, const struct cmd_access *access, struct fault *fault);
/* Lets ticks pass, up to `tick`; see above when it stops early. */
struct fault cmd_memory_run(struct cmd_memory *memory, uint64_t tick);
uint64_t cmd_memory_now(const struct cmd_memory *memory);
/* The earliest tick after `now` in which something may happen; UINT64_MAX: nothing will without a request. */
uint64_t cmd_memory_next(const struct cmd_memory *memory);
/* Did the last tick make room in a queue from which a request has been refused? */
bool cmd_memory_has_room(const struct cmd_memory *memory);
/* Of a memory of one channel: the address that lies at these levels, an entry a level, of which the first is not looked
 * at. FAULT_INPUT: "Bank is 9; there are 4". */
struct fault cmd_memory_address(const struct cmd_memory *memory, const int32_t *vector, uint64_t *address);
/* Requests that are not completed. */
uint64_t cmd_memory_in_flight(const struct cmd_memory *memory);

/* Statistics up to `now`. */
struct cmd_stats cmd_memory_stats(const struct cmd_memory *memory, uint32_t channel);
struct cmd_core_stats cmd_memory_core_stats(const struct cmd_memory *memory, uint32_t channel, uint32_t source);
/* The numbers of the channel's defences, one after the other; false past the last. */
bool cmd_memory_mitigation_count(const struct cmd_memory *memory, uint32_t channel, uint32_t mitigation, size_t index,
                                 struct cmd_named_count *count);
/* Zeroes statistics; requests under way stay. */
void cmd_memory_reset_stats(struct cmd_memory *memory);

/* Requests that were accepted since the last reset. */
uint64_t cmd_memory_accepted(const struct cmd_memory *memory, enum cmd_kind kind);

#endif
