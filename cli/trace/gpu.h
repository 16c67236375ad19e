/* `rubato trace info` and `rubato trace dump` of GPU traces: lists, folders with a list, kernel files. */
#ifndef CLI_TRACE_GPU_H
#define CLI_TRACE_GPU_H

#include "base/json.h"
#include "proto/gpu/trace.h"

enum trace_gpu_form { TRACE_GPU_TEXT, TRACE_GPU_JSON };

/* The answers are exit codes. svg: a picture of miss rates; NULL: none. */
int trace_gpu_info(const char *path, uint64_t line_bytes, enum trace_gpu_form form, const char *svg);
/* first, behind: instructions, counted from 0 over all kernels. */
int trace_gpu_dump(const char *path, uint64_t first, uint64_t behind, enum trace_gpu_form form);

/* ---- what both share */

/* Prints warnings from the `told`th on; the answer is how many are told now. */
size_t trace_gpu_warn(char *const *warnings, size_t count, size_t told);
/* The header's fields as members of an object. */
void trace_gpu_put_header(struct json *json, const struct gpu_header *header);

/* rubato trace convert --to accel-sim; an exit code. */
int trace_accel_sim_convert(const char *path, const char *folder, bool is_quiet);

#endif
