/* Outputs of detailed cores during a replay: pipeline listings (--pipeline), elastic traces (--probe).
 *
 * Use: listeners_list gives the array for session_open, which must not receive events before listeners_open, before
 * the run; listeners_close after it went well; listeners_discard in any case at the end. Files are whole or not there.
 * A listing a core: of several, core 1's of pipe.tsv is pipe.1.tsv. Traces: replay/detailed/probe/core_probes.h.
 * Ownership: options and config are borrowed. Exit codes: the reason was printed. */
#ifndef CLI_REPLAY_LISTENERS_H
#define CLI_REPLAY_LISTENERS_H

#include <stdio.h>

#include "cli/options/options.h"
#include "memsys/sim/sim.h"
#include "replay/config/config_limits.h"
#include "replay/detailed/probe/core_probes.h"
#include "replay/detailed/probe/pipeline.h"

struct system_config;

struct listener_options {
    const char *pipeline;                /* a file; NULL: none */
    uint64_t pipeline_insts;             /* 0: all */
    struct core_probes_options probe;    /* folder NULL: none */
};

/* The value of --pipeline-instructions; false: the error is printed. */
bool listeners_take_insts(void *insts, struct cli_parser *parser);
/* The option that asks for something of detailed cores; NULL: none was given. */
const char *listeners_option(const struct listener_options *options);

struct core_listeners {
    const struct detailed_listener *where;   /* NULL: none */
    struct pipeline *pipeline;           /* NULL: not requested */
    const struct detailed_listener *probe;   /* likewise */
};

struct replay_listeners {
    struct detailed_listener list[CONFIG_MAX_CORES];
    struct core_listeners cores[CONFIG_MAX_CORES];
    unsigned core_count;
    struct core_probes *probes;          /* NULL: none */
};

/* NULL if no output is requested. where: of --by, one a core; may be NULL. */
const struct detailed_listener *listeners_list(struct replay_listeners *listeners,
                                               const struct listener_options *options,
                                               const struct detailed_listener *where,
                                               const struct system_config *config);
int listeners_open(struct replay_listeners *listeners, const struct listener_options *options,
                   const struct system_config *config);
int listeners_close(struct replay_listeners *listeners);
void listeners_discard(struct replay_listeners *listeners);

/* Event log of a replay: one line an action, `tick component what command address [details]`, addresses in
 * hexadecimal. docs/event-log.md lists components and actions; two logs can be compared line by line.
 *
 * Use: event_log_sink gives the sink that a system logs to; file stays the caller's. */

struct log_sink event_log_sink(FILE *file);

#endif
