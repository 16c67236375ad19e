#include "cli/common/capture_folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cli_capture_folder(char *folder, size_t size)
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
