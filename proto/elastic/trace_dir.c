/* Looks at names only; the readers check contents. */
#define _POSIX_C_SOURCE 200809L
#include "proto/elastic/trace_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"

static bool is_trace(const char *name, const char *kind)
{
    char plain[32], gzip[32];

    snprintf(plain, sizeof plain, "%s.proto", kind);
    snprintf(gzip, sizeof gzip, "%s.proto.gz", kind);
    return text_ends_in(name, plain) || text_ends_in(name, gzip);
}

static bool take(const char *folder, const char *name, char *path, struct fault *error)
{
    if (path[0] != '\0')
        return fault_at(error, folder, FAULT_NO_OFFSET, "holds several traces of one kind (%s, %s); name the two "
                          "files of one core with --data and --fetch", strrchr(path, '/') + 1, name);
    if (snprintf(path, TRACE_PATH_MAX, "%s/%s", folder, name) < TRACE_PATH_MAX)
        return true;
    return fault_at(error, folder, FAULT_NO_OFFSET, "the path is longer than %d bytes", TRACE_PATH_MAX);
}

bool trace_dir_find(const char *folder, struct trace_paths *paths, struct fault *error)
{
    DIR *const directory = opendir(folder);
    bool good = true;

    if (directory == NULL)
        return fault_at(error, folder, FAULT_NO_OFFSET, "%s; expected a folder with deptrace.proto.gz and "
                          "fetchtrace.proto.gz, or an instruction trace (.rbt, drmemtrace, ChampSim, lackey, ...)",
                          errno == ENOTDIR ? "is a file" : strerror(errno));
    paths->dep[0] = paths->fetch[0] = '\0';
    for (struct dirent *entry; good && (entry = readdir(directory)) != NULL;) {
        if (is_trace(entry->d_name, "deptrace"))
            good = take(folder, entry->d_name, paths->dep, error);
        else if (is_trace(entry->d_name, "fetchtrace"))
            good = take(folder, entry->d_name, paths->fetch, error);
    }
    closedir(directory);
    if (!good || (paths->dep[0] != '\0' && paths->fetch[0] != '\0'))
        return good;
    return fault_at(error, folder, FAULT_NO_OFFSET, "holds no %s; expected one file whose name ends with "
                      "deptrace.proto.gz and one with fetchtrace.proto.gz",
                      paths->dep[0] == '\0' ? "dependency trace" : "fetch trace");
}
