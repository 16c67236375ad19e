/* rubato capture --opencl: the part of the command that captures GPU kernels. For cli/capture/capture_command.c. */
#ifndef CLI_CAPTURE_CAPTURE_OPENCL_H
#define CLI_CAPTURE_CAPTURE_OPENCL_H

#include <stdbool.h>

#include "proto/capture/opencl/opencl_capture.h"

/* Captures, prints a summary unless is_quiet, and returns the exit code. next_signal: returns the signal that this
 * process received since the previous call, or 0. */
int capture_opencl(const struct ocl_options *options, bool is_quiet, int (*next_signal)(void));

#endif
