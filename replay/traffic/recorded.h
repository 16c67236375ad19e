/* A recorded trace as traffic: the accesses of an instruction trace of any format (proto/insn/trace.h), each a request
 * for each line that it touches, thread after thread, without what stands between them but the format's times.
 *
 * Use: traffic_recorded_is for a file; traffic_recorded_read in place of traffic_trace_read. Virtual addresses get
 * places as `pages` of the system says, in the order of the trace.
 * Ownership: as traffic_trace_read. Faults name the file. */
#ifndef REPLAY_TRAFFIC_RECORDED_H
#define REPLAY_TRAFFIC_RECORDED_H

#include "replay/config/config.h"
#include "replay/traffic/trace.h"

/* Is it one of a format that says more than ADDRESS R or W? */
bool traffic_recorded_is(const char *path);
struct fault traffic_recorded_read(struct traffic_trace *trace, const char *path, const struct system_config *config);

#endif
