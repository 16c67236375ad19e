/* What all captures that the command starts have alike: the fast engine, $PATH, and the folder of the plugin for QEMU
 * and the tool for Valgrind: beside the command, in the folder of its build, or installed.
 *
 * Use: cli_capture_begin, then the options of this capture. Ownership: `folder` must outlive the capture. */
#ifndef CLI_COMMON_CAPTURE_HOST_H
#define CLI_COMMON_CAPTURE_HOST_H

#include "proto/capture/capture.h"

enum { CLI_CAPTURE_FOLDER = 4096 };

void cli_capture_begin(struct capture_options *options, char folder[CLI_CAPTURE_FOLDER]);

#endif
