/* What `rubato replay` is asked for, and a replay of it; `rubato view` and the window beside a replay run the same.
 *
 * Use: replay_request_parse, or replay_request_init and the fields by hand; replay_run. Ownership: texts and lists are
 * borrowed. */
#ifndef CLI_REPLAY_REQUEST_H
#define CLI_REPLAY_REQUEST_H

#include "cli/options.h"
#include "cli/replay_gpu.h"
#include "cli/replay_macsim.h"
#include "cli/sampling.h"
#include "replay/config.h"

enum {
    REPLAY_MAX_SETTINGS = 256, REPLAY_MAX_TRACES = CONFIG_MAX_CORES, REPLAY_MAX_STATS_FILES = REPLAY_GPU_MAX_STATS
};

struct replay_request {
    const char *system, *log, *cache;
    const char *folders[REPLAY_MAX_TRACES], *data[REPLAY_MAX_TRACES], *fetch[REPLAY_MAX_TRACES];
    const char *settings[REPLAY_MAX_SETTINGS];
    const char *stats[REPLAY_MAX_STATS_FILES];
    size_t folder_count, data_count, fetch_count, setting_count, stats_count;
    uint64_t interval_ps, warmup_records, max_records, until_ps;
    double tick_scale;
    bool runs_alone, is_quiet, has_no_cache, shows_thread_time;
    struct replay_gpu_request gpu;
    struct replay_macsim_options macsim;
    struct sampling_options sampling;
    const char *cpu_option;              /* one that GPU traces do not take; NULL: none was given */
};

/* A request for everything, with nothing said yet. */
void replay_request_init(struct replay_request *request);
/* What view takes as replay does; false: parser->exit_code is set. */
bool replay_request_take_setting(struct replay_request *request, struct cli_parser *parser);
bool replay_request_take_kernels(struct replay_request *request, struct cli_parser *parser);
bool replay_request_take_operand(struct replay_request *request, struct cli_parser *parser);
/* False: return the exit code. */
bool replay_request_parse(struct replay_request *request, int argc, char **argv, int *code);

/* From files to the summary; the exit code. One thread at a time may print. */
int replay_run(const struct replay_request *request);

#endif
