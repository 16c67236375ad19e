/* Threads of instruction traces on the cores of a system: what of the system decides how they are read, and who gets
 * them.
 *
 * Use: as macsim_cores.h. Ownership: the threads borrow the traces and the spaces. */
#ifndef REPLAY_SESSION_INSN_CORES_H
#define REPLAY_SESSION_INSN_CORES_H

#include <stdio.h>

#include "replay/config/config.h"
#include "replay/system/insn_threads.h"

/* How instruction traces are read. */
struct insn_read_options {
    struct insn_latencies latencies;
    bool is_free;                        /* no thread waits for another one */
    char format[32];                     /* of proto/insn/formats.h; "": told by content */
};

/* name: NULL for none. */
static inline void insn_read_format(struct insn_read_options *read, const char *name)
{
    snprintf(read->format, sizeof read->format, "%s", name ? name : "");
}
static inline const char *insn_read_format_name(const struct insn_read_options *read)
{
    return read->format[0] ? read->format : NULL;
}

/* `traces` of all cores, of which those without a thread ever are idle. config: finished. NULL on failure. */
struct insn_threads *insn_cores_open(struct insn_trace *const *insn_traces, size_t count,
                                     const struct insn_read_options *read, const struct system_config *config,
                                     struct vm_memory *spaces, const struct threads_pick *pick,
                                     struct system_traces *traces, struct fault *fault);
struct fault insn_cores_give(struct insn_threads *threads, struct system *system);

#endif
