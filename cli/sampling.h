/* Samples of a run while it goes on: for --record, --publish and --view.
 *
 * Use: sampling_take_interval and its like while arguments are read; sampling_begin_system or sampling_begin_gpu when
 * the run is made and before its first event; run up to sampling_due at most, with sampling_poll, or, of a GPU alone,
 * sampling_gpu_piece events, then call sampling_look; sampling_restarted where statistics restart; sampling_end after
 * a run that went well; sampling_free in any case.
 * Without --record, --publish and --view nothing is made and sampling_due is never reached.
 *
 * A sample on request: SIGUSR1, or a reader of --publish asks (replay/sample_share.h); it is taken within
 * SAMPLING_EVENTS events, since a look at each would cost more than all samples, and goes wherever samples go. Those
 * that are due by time are due as they were.
 *
 * A recording that cannot be written any more does not stop the run: it is said once, and sampling_end fails. After a
 * run that failed the recording has no end, as readers will say. The run itself is the same with samples and without.
 * Functions that return an exit code have printed the reason. */
#ifndef CLI_SAMPLING_H
#define CLI_SAMPLING_H

#include "cli/options.h"
#include "cli/sample_gate.h"
#include "cli/text_view.h"
#include "replay/command_window.h"
#include "replay/recording.h"
#include "replay/sample_share.h"
#include "replay/telemetry_system.h"

/* The exit code of a replay that was ended from outside (sampling_is_stopped): nothing is printed of it. */
enum { REPLAY_STOPPED = -1 };

struct sampling_options {
    const char *record, *publish;        /* NULL: none */
    uint64_t interval_ps;                /* 0: the usual one */
    bool has_view;                       /* as text */
    bool has_window;
    const char *script;                  /* of the window (viz/script.h); NULL: none */
    struct sample_gate *gate;            /* of the window; NULL: none */
    bool has_commands;                   /* of commands_from_ps <= t < commands_to_ps */
    uint64_t commands_from_ps, commands_to_ps;
};

/* Lines of the table of options; the numbers are the caller's. */
#define SAMPLING_CLI_OPTIONS(record, sample, view, script)                                                            \
    [record] = {"record", "FILE", "write samples of all components, to be looked at later: see rubato export"},       \
    [sample] = {"sample", "TIME", "time between samples of --record, --publish, --view (default 10us)"},              \
    [view] = {"view", "[=text]", "watch the run in a window; as text: bars on a terminal, or a line a sample"},       \
    [script] = {"script", "FILE", "of --view: what the user does is in a file; see rubato view --help"}

#define SAMPLING_SHARE_CLI_OPTIONS(publish, commands)                                                                 \
    [publish] = {"publish", "NAME", "let other programs read the samples, from shared memory /rubato.NAME"},          \
    [commands] = {"commands", "FROM:TO", "record the DRAM commands of that time, too, such as 10us:12us"}

/* Events between two looks at who asks: a fraction of a millisecond. One of a GPU alone is a cycle of all its SMs. */
enum { SAMPLING_EVENTS = 1000, SAMPLING_EVENTS_GPU = 50 };

struct sampling {
    const struct sampling_options *options;
    struct telemetry_system made;
    bool is_on, has_failed, has_sampled, is_asked;
    struct system_poll poll;             /* of who asks; events 0: nobody can */
    uint64_t next_ps, last_ps;
    uint64_t *words;
    FILE *file;
    struct recording_writer writer;
    struct text_view view;
    struct sample_share share;
    struct command_window window;
};

/* The value of --sample, --publish, --commands or --view; false: the exit code of the parser is set. */
bool sampling_take_interval(struct sampling_options *options, struct cli_parser *parser);
bool sampling_take_publish(struct sampling_options *options, struct cli_parser *parser);
bool sampling_take_commands(struct sampling_options *options, struct cli_parser *parser);
bool sampling_take_view(struct sampling_options *options, struct cli_parser *parser);

int sampling_begin_system(struct sampling *sampling, const struct sampling_options *options, struct system *system);
int sampling_begin_gpu(struct sampling *sampling, const struct sampling_options *options, const char *name,
                       const struct gpu_run *run);

/* The run may not go beyond that time before sampling_look. */
static inline uint64_t sampling_due(const struct sampling *sampling)
{
    return sampling->is_on ? sampling->next_ps : TICK_NEVER - 1;
}

/* Somebody watches; a progress line would be in the way. */
static inline bool sampling_is_watched(const struct sampling_options *options)
{
    return options->has_view || options->gate;
}

/* Samples are taken, or may be asked for. */
static inline bool sampling_is_wanted(const struct sampling_options *options)
{
    return options->record || options->publish || sampling_is_watched(options);
}

/* The run shall end now, without results: REPLAY_STOPPED. */
static inline bool sampling_is_stopped(const struct sampling *sampling)
{
    return sampling->options && sampling->options->gate && sample_gate_is_stopped(sampling->options->gate);
}

/* Somebody who may ask for a sample in between; NULL: nobody can. */
static inline const struct system_poll *sampling_poll(const struct sampling *sampling)
{
    return sampling->poll.events ? &sampling->poll : NULL;
}

/* How many events of a GPU alone to execute before sampling_look, at most. */
static inline uint64_t sampling_gpu_piece(const struct sampling *sampling, uint64_t most)
{
    return sampling->poll.events ? min_u64(most, SAMPLING_EVENTS_GPU) : most;
}

/* After a piece: the run is at now_ps, its next event at next_ps. Takes a sample if one was asked for, or if one is due
 * and all events up to now_ps have happened; then waits if a view has set an end there. */
void sampling_look(struct sampling *sampling, uint64_t now_ps, uint64_t next_ps);
void sampling_restarted(struct sampling *sampling, uint64_t now_ps);
/* The run is over: a last sample. */
int sampling_end(struct sampling *sampling, uint64_t now_ps);
void sampling_free(struct sampling *sampling);

#endif
