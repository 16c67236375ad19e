/* MacSim CPU threads of a replay: the set that the command line names, and its threads while a system runs them.
 *
 * Use: replay_macsim_open once; replay_macsim_threads before each system that runs them, replay_macsim_give after it
 * was made; replay_macsim_close. The answers are exit codes; what is wrong is printed. */
#ifndef CLI_REPLAY_MACSIM_H
#define CLI_REPLAY_MACSIM_H

#include "proto/macsim_detect.h"
#include "proto/macsim_set.h"
#include "replay/config.h"
#include "replay/macsim_cores.h"

struct replay_macsim_options {
    struct macsim_override override;
    struct macsim_uop_options uops;
    bool has_override, has_table;
    const char *option;                  /* of format and compat, the one that was given last; NULL: none */
};

struct replay_macsim {
    struct macsim_set set;
    struct macsim_threads *threads;
    struct replay_macsim_options options;
    bool is_open, was_warned;
};

int replay_macsim_open(struct replay_macsim *macsim, const char *path, const struct replay_macsim_options *options);
void replay_macsim_close(struct replay_macsim *macsim);
/* Has the set threads of a CPU, and kernels of a GPU? */
bool replay_macsim_has_threads(const struct replay_macsim *macsim);
bool replay_macsim_has_kernels(const struct replay_macsim *macsim);
/* Threads for a run from its beginning; `traces` of all cores, of which those without a thread ever are idle. */
int replay_macsim_threads(struct replay_macsim *macsim, const struct system_config *config,
                          struct system_traces *traces);
int replay_macsim_give(struct replay_macsim *macsim, struct system *system);
/* After a run. */
void replay_macsim_warn(struct replay_macsim *macsim);

#endif
