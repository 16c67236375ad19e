/* By what a trace is known: its size, and a hash.
 *
 * An .rbt, or a store of another kind, has a hash of each of its chunks: the hash is of these, so a trace of a program
 * that was rebuilt has another one, wherever it differs. Reading all of a trace would take longer than its regions do,
 * so of another file the hash is of its first and last 64 KiB and of the first 4 KiB of each MiB. A compressed file
 * has a checksum of all its bytes near its end.
 * Errors: FAULT_INPUT with the file. */
#ifndef REPLAY_REGIONS_TRACE_MARK_H
#define REPLAY_REGIONS_TRACE_MARK_H

#include <stdint.h>

#include "base/fault.h"

struct fault trace_mark(const char *path, uint64_t *bytes, uint64_t *hash);
/* The same of all files of a list of GPU kernels, or of their store. */
struct fault trace_mark_kernels(const char *path, uint64_t *bytes, uint64_t *hash);

#endif
