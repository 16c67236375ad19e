/* The commands of `rubato trace` for instruction traces: a file, a folder with one for each thread, an .rbt. */
#ifndef CLI_TRACE_INSN_H
#define CLI_TRACE_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/trace/trace_kinds.h"
#include "proto/insn/trace.h"

/* to: champsim, drmemtrace, lackey. The answer is an exit code. */
int trace_insn_convert(const char *path, const char *format, const char *to, const char *output, bool is_quiet);

/* Opens it decoded, or else, with a warning, without. NULL: the error says why. */
struct insn_trace *trace_insn_open(const char *path, const char *format, struct fault *error);

#endif
