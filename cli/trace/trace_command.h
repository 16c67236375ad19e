/* The commands below `rubato trace` (TRACE_COMMANDS of cli/common/cli.h), and their shared functions. */
#ifndef CLI_TRACE_TRACE_COMMAND_H
#define CLI_TRACE_TRACE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "cli/common/cli.h"
#include "cli/options/options.h"
#include "cli/trace/trace_kinds.h"
#include "proto/elastic/elastic_input.h"
#include "proto/gpu/gpu_trace.h"
#include "proto/insn/insn_trace.h"

#define TRACE_DECLARE(name, summary) int cli_trace_##name(int argc, char **argv);
TRACE_COMMANDS(TRACE_DECLARE)
#undef TRACE_DECLARE

static inline double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Prints a reader's warnings. */
void trace_warn(const struct input *input);

/* `rubato trace info` and `rubato trace dump` of GPU traces: lists, folders with a list, kernel files. */

enum trace_gpu_form { TRACE_GPU_TEXT, TRACE_GPU_JSON };

/* ---- shared by both */

/* Prints the warnings from index `told` on; returns the number printed so far, the next `told`. */
size_t trace_gpu_warn(char *const *warnings, size_t count, size_t told);
/* The header's fields as members of an object. */
void trace_gpu_put_header(struct json *json, const struct gpu_header *header);

/* rubato trace convert --to accel-sim; an exit code. version: of the tracer, 0 for that of each kernel. packed: the
 * ending of kernels' files, or "tracez"; NULL: they are text. */
struct accel_sim_form {
    uint32_t version;
    const char *packed;
};

int trace_accel_sim_convert(const char *path, const char *folder, const struct accel_sim_form *form, bool is_quiet);

/* The commands of `rubato trace` for instruction traces: a file, a folder with one for each thread, an .rbt. */

/* to: champsim, drmemtrace, lackey. The answer is an exit code. */
int trace_insn_convert(const char *path, const char *format, const char *to, const char *output, bool is_quiet);

/* Opens it decoded, or else, with a warning, without. NULL: the error says why. */
struct insn_trace *trace_insn_open(const char *path, const char *format, struct fault *error);

#endif
