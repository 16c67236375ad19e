/* The request of `rubato replay`, and its replay; `rubato view` and the window beside a replay run the same.
 *
 * Use: replay_request_parse, or replay_request_init and the fields by hand; replay_run. Ownership: texts and lists are
 * borrowed. */
#ifndef CLI_REPLAY_REQUEST_H
#define CLI_REPLAY_REQUEST_H

#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "cli/replay/accesses.h"
#include "cli/replay/listeners.h"
#include "cli/replay/sampling_options.h"
#include "cli/replay/where.h"
#include "replay/config/config_limits.h"
#include "replay/session/session.h"

struct system_config;

enum { REPLAY_MAX_SETTINGS = 256, REPLAY_MAX_TRACES = CONFIG_MAX_CORES, REPLAY_MAX_STATS_FILES = 4 };

/* The exit code of a replay that a view ended: nothing is printed of it. */
enum { REPLAY_STOPPED = -1 };

struct figures;
struct verdict;

struct replay_request {
    const char *system, *log, *cache, *summary, *module_log;
    uint64_t module_limit_ps;            /* 0: the default */
    const char *folders[REPLAY_MAX_TRACES], *data[REPLAY_MAX_TRACES], *fetch[REPLAY_MAX_TRACES];
    const char *settings[REPLAY_MAX_SETTINGS];
    const char *stats[REPLAY_MAX_STATS_FILES];
    const char *model_setting;           /* of --model, after all settings; NULL: none ... */
    const char *addresses_setting;       /* ... of --addresses, likewise */
    size_t folder_count, data_count, fetch_count, setting_count, stats_count;
    uint64_t interval_ps;
    struct session_limits limits;
    struct engine_options engine;
    uint64_t jobs;                       /* regions at a time; 0: one a processor */
    const char *warm;                    /* how they begin; NULL: as usual */
    const struct warm_plan *warm_plan;   /* of one region that the view shows; NULL: cold */
    double confidence;                   /* of their estimates, in percent; 0: 95 */
    bool counts_pcs, runs_alone, is_quiet, has_no_cache, verifies, shows_thread_time, shows_all;
    struct workload_options reading;     /* of MacSim's traces, and instruction traces */
    struct latency_options latencies;
    bool has_sync;                       /* of instruction traces */
    const char *macsim_option;           /* of format and compat, the one that was given last; NULL: none */
    struct sampling_options sampling;
    struct listener_options listeners;   /* of detailed cores */
    struct where_options where;
    struct accesses_options accesses;
    bool is_capture;                     /* the cores on near-ideal memory; the probe's traces are the result */
    /* Receives the figures and the verdict at the end of the run, in its thread; may be NULL. */
    void (*judged)(void *context, const struct figures *figures, const struct verdict *verdict);
    void *judged_context;
    const char *cpu_option;              /* one that GPU traces do not take; NULL: none was given */
};

/* Lines of tables of options, without what takes their values. */
#define ENGINE_CLI_OPTION "engine", "ENGINE", "plain or fast: the same results in more or less time (default fast)"

#define MODEL_CLI_OPTION                                                                                              \
    "model", "elastic|window|detailed|auto", "window: elastic traces on a detailed core; as --set cpu.model=MODEL"

#define ADDRESSES_CLI_OPTION                                                                                          \
    "addresses", "format|virtual|physical", "instruction traces: kind of their addresses (default: that of their\n"    \
    "format); as --set pages.addresses=..."

/* The setting that a value of --addresses means; NULL: none. */
const char *replay_addresses_setting(const char *addresses);
/* The setting that a value of --model means; NULL: none. */
const char *replay_model_setting(const char *model);
/* Values of options that are taken by functions (cli/options/options.h): a setting, a struct engine_options, a struct
 * gpu_pick. False: the error is printed. */
bool replay_take_model(void *setting, struct cli_parser *parser);
bool replay_take_engine(void *engine, struct cli_parser *parser);
bool replay_take_kernels(void *kernels, struct cli_parser *parser);
/* A request for everything, with nothing said yet. */
void replay_request_init(struct replay_request *request);
/* SYSTEM, and TRACES behind it; false: the error is printed. */
bool replay_take_operand(void *request, struct cli_parser *parser);
/* False: return the exit code. */
bool replay_request_parse(struct replay_request *request, int argc, char **argv, int *code);

/* The finished system with all settings. */
struct fault replay_request_config(const struct replay_request *request, struct system_config *config);

/* From files to the summary; the exit code. One thread at a time may print. */
int replay_run(const struct replay_request *request);

#endif
