#include "replay/config/shipped.h"

#include <stdio.h>
#include <string.h>

#include "replay/config/shipped_files.h"

#define FILE_ROW(name, bytes) {name, bytes, sizeof bytes},
static const struct shipped_file files[] = {SHIPPED_FILES(FILE_ROW)};

const struct shipped_file *shipped_at(size_t index)
{
    return index < sizeof files / sizeof *files ? &files[index] : NULL;
}

const char *shipped_device_at(size_t index)
{
#define DEVICE_NAME(name) name,
    static const char *const devices[] = {SHIPPED_DEVICES(DEVICE_NAME)};

    return index < sizeof devices / sizeof *devices ? devices[index] : NULL;
}

const struct shipped_file *shipped_find(const char *name)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

/* "detailed/../wide.yaml" as "wide.yaml"; false: it is too long, or leads out. */
static bool take_steps(const char *path, char *name, size_t size)
{
    size_t used = 0;

    while (*path) {
        size_t const length = strcspn(path, "/");

        if (length == 2 && strncmp(path, "..", 2) == 0) {
            if (used == 0)
                return false;
            for (used--; used > 0 && name[used - 1] != '/'; used--)
                ;
        } else if (length > 0 && !(length == 1 && *path == '.')) {
            if (used + length + 2 > size)
                return false;
            memcpy(name + used, path, length);
            used += length;
            name[used++] = '/';
        }
        path += length + (path[length] == '/');
    }
    name[used > 0 ? used - 1 : 0] = '\0';
    return used > 0;
}

const struct shipped_file *shipped_of_path(const char *path)
{
    char name[256];

    if (strncmp(path, SHIPPED_FOLDER, strlen(SHIPPED_FOLDER)) != 0)
        return NULL;
    return take_steps(path + strlen(SHIPPED_FOLDER), name, sizeof name) ? shipped_find(name) : NULL;
}
