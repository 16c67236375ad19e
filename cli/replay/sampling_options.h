/* Options of commands about samples (--record, --publish, --view and so on), and the outputs they open.
 *
 * Use: sampling_take_publish and its like while arguments are read; sampling_open before the run, session_run with
 * `outputs`, sampling_close after it. Exit codes: the reason was printed. */
#ifndef CLI_REPLAY_SAMPLING_OPTIONS_H
#define CLI_REPLAY_SAMPLING_OPTIONS_H

#include <stdbool.h>

#include "cli/options/options.h"
#include "cli/replay/text_view.h"
#include "replay/session/sampling.h"

struct sampling_options {
    const char *record;                  /* a file; NULL: none */
    const char *commands;                /* a file; NULL: none */
    bool has_view;                       /* as text */
    bool has_window;
    const char *script;                  /* of the window (viz/view/script.h); NULL: none */
    struct session_samples samples;      /* the fields publish, interval_ps, gate and commands, for the session */
};

/* Lines of the table of options, bound to the sampling_options `at` of a struct `request`. */
#define SAMPLING_CLI_OPTIONS(request, at)                                                                             \
    {"record", "FILE", "write samples of all components, for rubato view and rubato export",                          \
     CLI_INTO(TEXT, request, at.record), CLI_FOR_GPUS, CLI_HEADING("Samples and the view")},                          \
    {"every", "TIME", "time between samples of --record, --publish, --view (default 10us)",                           \
     CLI_INTO(TIME, request, at.samples.interval_ps), CLI_FOR_GPUS},                                                  \
    {"view", "[=text]", "watch the run in a window; as text: bars on a terminal, or a line a sample",                 \
     CLI_CALL(request, at, sampling_take_view), CLI_FOR_GPUS},                                                        \
    {"script", "FILE", "of --view: take a user's actions from a file; see rubato view --help",                        \
     CLI_INTO(TEXT, request, at.script), CLI_FOR_GPUS},                                                               \
    {"publish", "NAME", "let other programs read the samples, from shared memory /rubato.NAME",                       \
     CLI_CALL(request, at, sampling_take_publish), CLI_FOR_GPUS},                                                     \
    {"commands", "FILE", "write all DRAM commands (.csv, .bin, .ram2bin, .drampower); 10us:12us: those of that time, " \
     "with --record",                                                                                                 \
     CLI_CALL(request, at, sampling_take_commands), CLI_FOR_GPUS},                                                    \
    {"requests", NULL, "follow requests of cores, with --record or --view: the slowest of each sample, and others",   \
     CLI_INTO(SWITCH, request, at.samples.has_requests)}

/* The value of --publish, --commands or --view; false: the error is printed. */
bool sampling_take_publish(void *options, struct cli_parser *parser);
bool sampling_take_commands(void *options, struct cli_parser *parser);
bool sampling_take_view(void *options, struct cli_parser *parser);

/* Is the run shown on the terminal? A progress line would be in the way. */
static inline bool sampling_is_watched(const struct sampling_options *options)
{
    return options->has_view || options->samples.gate;
}

/* Samples are taken, or may be asked for. */
static inline bool sampling_is_wanted(const struct sampling_options *options)
{
    return options->record || options->samples.publish || sampling_is_watched(options);
}

/* The outputs open for these options. The struct must not move. */
struct sampling_sinks {
    const struct sampling_options *options;
    struct session_samples outputs;
    struct text_view view;
    bool listens;                        /* to signals */
};

int sampling_open(struct sampling_sinks *sinks, const struct sampling_options *options);
/* result: NULL after a run that failed or was stopped. */
int sampling_close(struct sampling_sinks *sinks, const struct fault *recording);

/* Effects of signals on a sampled run: SIGUSR1 asks for a sample; those that end a program remove the name under
 * which samples are published, and then have their usual effect; of Ctrl-C and SIGTERM only the second one does.
 *
 * Use: sample_signals_start; sample_signals_asked now and then; sample_signals_stop. One run at a time. A signal that
 * was ignored when the command started stays ignored. */

/* `path`: of the shared memory, or NULL; copied. */
void sample_signals_start(const char *path);
void sample_signals_stop(void);

/* SIGUSR1 came since the last call. */
bool sample_signals_asked(void);

#endif
