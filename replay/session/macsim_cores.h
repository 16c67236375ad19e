/* MacSim's CPU threads on the cores of a system: what of the system decides how they are read, and who gets them.
 *
 * Use: macsim_cores_open before a system is made, system_create with the traces that it fills in, macsim_cores_give;
 * after system_destroy macsim_threads_close. Anew for each run. Ownership: the threads borrow the set. */
#ifndef REPLAY_SESSION_MACSIM_CORES_H
#define REPLAY_SESSION_MACSIM_CORES_H

#include "base/fault.h"
#include "replay/config/config.h"
#include "replay/system/macsim_threads.h"
#include "replay/system/system.h"

/* All cores see one address space; to be set before a user's own settings. */
#define THREAD_CORES_SETTING "cpu.share=yes"

/* `traces` of all cores, of which those without a thread ever are idle. config: finished. spaces: of that
 * configuration, borrowed until after macsim_threads_close; NULL unless spaces_are_needed. NULL on failure. */
struct macsim_threads *macsim_cores_open(const struct macsim_set *set, const struct macsim_uop_options *uops,
                                         const struct system_config *config, struct vm_memory *spaces,
                                         const struct threads_pick *pick, struct system_traces *traces,
                                         struct fault *fault);
struct fault macsim_cores_give(struct macsim_threads *threads, struct system *system);

#endif
