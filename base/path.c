#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool text_ends_in(const char *text, const char *ending)
{
    size_t const length = strlen(text), end_length = strlen(ending);

    return length >= end_length && strcmp(text + length - end_length, ending) == 0;
}

bool text_begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

const char *path_name(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

bool path_is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool path_is_pipe(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode);
}

char *path_join(const char *folder, const char *name)
{
    size_t const room = strlen(folder) + strlen(name) + 2;
    char *const path = malloc(room);
    bool const has_slash = *folder == '\0' || text_ends_in(folder, "/");

    if (path != NULL)
        snprintf(path, room, "%s%s%s", folder, has_slash ? "" : "/", name);
    return path;
}
