/* Where captures find the plugin for QEMU and the tool for Valgrind: beside the command, in the folder of its build, or
 * installed. */
#ifndef CLI_COMMON_CAPTURE_FOLDER_H
#define CLI_COMMON_CAPTURE_FOLDER_H

#include <stddef.h>

void cli_capture_folder(char *folder, size_t size);

#endif
