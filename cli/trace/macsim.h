/* `rubato trace info` and `rubato trace dump` of MacSim traces: lists, headers, streams, folders. */
#ifndef CLI_TRACE_MACSIM_H
#define CLI_TRACE_MACSIM_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/macsim/set.h"

/* The answers are exit codes. override: NULL without --format. line_bytes 0: 64 bytes, 128 of GPUs. */
int trace_macsim_info(const char *path, const struct macsim_override *override, uint64_t line_bytes, bool json);
/* first, behind: records, of GPUs instructions, counted from 0 over all streams. */
int trace_macsim_dump(const char *path, const struct macsim_override *override, uint64_t first, uint64_t behind,
                      bool json);

#endif
