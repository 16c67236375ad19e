/* `rubato trace info` and `rubato trace dump` of GPU traces: lists, folders with a list, kernel files. */
#ifndef CLI_TRACE_GPU_H
#define CLI_TRACE_GPU_H

#include "base/json.h"
#include "cli/trace/trace_kinds.h"
#include "proto/gpu/trace.h"

enum trace_gpu_form { TRACE_GPU_TEXT, TRACE_GPU_JSON };

/* ---- what both share */

/* Prints warnings from the `told`th on; the answer is how many are told now. */
size_t trace_gpu_warn(char *const *warnings, size_t count, size_t told);
/* The header's fields as members of an object. */
void trace_gpu_put_header(struct json *json, const struct gpu_header *header);

/* rubato trace convert --to accel-sim; an exit code. */
int trace_accel_sim_convert(const char *path, const char *folder, bool is_quiet);

#endif
