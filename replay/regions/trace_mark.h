/* By what a trace is known: its size, and a hash of its beginning and end.
 *
 * An .rbt has the hash of its index there, and reading all of a trace would take longer than its regions do.
 * Errors: FAULT_INPUT with the file. */
#ifndef REPLAY_REGIONS_TRACE_MARK_H
#define REPLAY_REGIONS_TRACE_MARK_H

#include <stdint.h>

#include "base/fault.h"

struct fault trace_mark(const char *path, uint64_t *bytes, uint64_t *hash);
/* The same of all files of a list of GPU kernels, or of their store. */
struct fault trace_mark_kernels(const char *path, uint64_t *bytes, uint64_t *hash);

#endif
