/* rubato capture --opencl: the part of the command that captures GPU kernels. For cli/capture.c. */
#ifndef CLI_CAPTURE_OPENCL_H
#define CLI_CAPTURE_OPENCL_H

#include <stdbool.h>

#include "proto/capture/opencl/capture.h"

/* Captures, says what was captured unless is_quiet, and answers the exit code. next_signal: the signal that this
 * process got since it was asked last, or 0. */
int capture_opencl(const struct ocl_options *options, bool is_quiet, int (*next_signal)(void));

#endif
