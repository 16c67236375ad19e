#include "cli/common/capture_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/capture/fast/bind_capture.h"

static void find_folder(char *folder, size_t size)
{
    static const char *const places[] = {"", "/build", "/build/release", "/../lib/rubato"};
    char program[3072];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    struct stat status;

    program[length > 0 ? length : 0] = '\0';
    if (strrchr(program, '/') != NULL)
        *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(folder, size, "%s%s/capture-qemu.so", program, places[i]);
        if (stat(folder, &status) == 0) {
            *strrchr(folder, '/') = '\0';
            return;
        }
    }
    snprintf(folder, size, "%s", program);
}

void cli_capture_begin(struct capture_options *options, char folder[CLI_CAPTURE_FOLDER])
{
    *options = (struct capture_options){
        .instructions = UINT64_MAX, .bind = capture_bind_fast,
        .host = {.search = getenv("PATH"), .has_sysroot_variable = getenv("QEMU_LD_PREFIX") != NULL, .folder = folder}
    };
    find_folder(folder, CLI_CAPTURE_FOLDER);
}
