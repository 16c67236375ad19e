/* The fast engine of command-level DRAM: the same commands in the same ticks as the plain one in less time.
 *
 * Use: config.engine = &cmd_fast_engine. Where it cannot serve (FR-FCFS-RowHit, split activation, PRAC, BlockHammer,
 * GDDR7, power-down, self-refresh, constraints between banks, queues of more than 2047 requests), the channel stays
 * with the plain engine, as all channels do from tick 2^50 on. While the priority queue has a request, the plain
 * controller chooses.
 * Why the result is the same:
 * - Requests of a queue that want the same command of the same bank can be issued at the same time, so only the oldest
 *   of them matters: a bank has at most two candidates, the oldest hit of its open row and the oldest of the others.
 *   Reads and writes join these lists when they arrive; a bank's lists change only when its row is opened or closed.
 * - Ready times only grow, so what was the best candidate is a lower bound after a command, and the best still if its
 *   own tick has not moved. Only the requests of the command's bank can come before it, and these are compared.
 * - The write mode is a function of itself and of sizes of queues: while these stay, evaluating it changes nothing, so
 *   ticks between two commands need not be run.
 * - The rows of constraints of a command are put together once: what no command can wait for, what another row
 *   bounds more tightly, and what bounds commands that this configuration never issues, is left out. Bounds of commands
 *   that only the priority queue issues are worked out, from the ticks of the last commands, when it has a request.
 * - A command to all banks of a node bounds all that is below it alike, so it is enough to bound the node.
 * Tests: tests/unit/memsys/command/test_cmd_engines.c compares the two on random configurations; all reference runs by
 * both. */
#ifndef MEMSYS_COMMAND_FAST_CMD_FAST_H
#define MEMSYS_COMMAND_FAST_CMD_FAST_H

#include "memsys/command/channel/cmd_internal.h"

extern const struct cmd_engine cmd_fast_engine;

#endif
