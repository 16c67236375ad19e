/* Event log of a replay: one line an action, `tick component what command address [details]`, addresses in
 * hexadecimal. docs/event-log.md lists components and actions; two logs can be compared line by line.
 *
 * Use: event_log_sink gives the sink that a system logs to; file stays the caller's. */
#ifndef CLI_REPLAY_EVENT_LOG_H
#define CLI_REPLAY_EVENT_LOG_H

#include <stdio.h>

#include "memsys/sim/sim.h"

struct log_sink event_log_sink(FILE *file);

#endif
