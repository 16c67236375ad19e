/* Looks at names only; the readers check contents. */
#include "proto/elastic/trace_writer.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/path.h"

static bool is_trace(const char *name, const char *kind)
{
    char plain[32], gzip[32];

    snprintf(plain, sizeof plain, "%s.proto", kind);
    snprintf(gzip, sizeof gzip, "%s.proto.gz", kind);
    return text_ends_in(name, plain) || text_ends_in(name, gzip);
}

static struct fault trace_dir_take(const char *folder, const char *name, char *path)
{
    if (path[0] != '\0')
        return fault_at(folder, FAULT_NO_OFFSET, "holds several traces of one kind (%s, %s); name the two files of "
                        "one core with --data and --fetch", strrchr(path, '/') + 1, name);
    if (snprintf(path, TRACE_PATH_MAX, "%s/%s", folder, name) < TRACE_PATH_MAX)
        return fault_none();
    return fault_at(folder, FAULT_NO_OFFSET, "the path is longer than %d bytes", TRACE_PATH_MAX);
}

struct fault trace_dir_find(const char *folder, struct trace_paths *paths)
{
    struct fault fault = fault_none();
    DIR *const directory = opendir(folder);
    bool good = true;

    if (directory == NULL)
        return fault_at(folder, FAULT_NO_OFFSET, "%s; expected a folder with deptrace.proto.gz and "
                        "fetchtrace.proto.gz, or an instruction trace (.rbt, drmemtrace, ChampSim, lackey, ...)",
                        errno == ENOTDIR ? "is a file" : strerror(errno));
    paths->dep[0] = paths->fetch[0] = '\0';
    for (struct dirent *entry; good && (entry = readdir(directory)) != NULL;) {
        if (is_trace(entry->d_name, "deptrace"))
            good = WORKS(fault, trace_dir_take(folder, entry->d_name, paths->dep));
        else if (is_trace(entry->d_name, "fetchtrace"))
            good = WORKS(fault, trace_dir_take(folder, entry->d_name, paths->fetch));
    }
    closedir(directory);
    if (!good || (paths->dep[0] != '\0' && paths->fetch[0] != '\0'))
        return good ? fault_none() : fault;
    return fault_at(folder, FAULT_NO_OFFSET, "holds no %s; expected one file whose name ends with deptrace.proto.gz "
                    "and one with fetchtrace.proto.gz", paths->dep[0] == '\0' ? "dependency trace" : "fetch trace");
}

/* ---- folders of threads */

struct folder_list { char **paths; size_t count; };

static bool has_pair(const char *folder)
{
    struct trace_paths *const paths = malloc(sizeof *paths);
    bool const has = paths && WORKS((struct fault){.kind = FAULT_NONE}, trace_dir_find(folder, paths));

    free(paths);
    return has;
}

/* Takes the path; false: out of memory. */
static bool add_folder(struct folder_list *list, char *path)
{
    if (!list_resize(&list->paths, list->count + 2, sizeof *list->paths)) {
        free(path);
        return false;
    }
    list->paths[list->count++] = path;
    list->paths[list->count] = NULL;
    return true;
}

static unsigned long trace_dir_number_of(const char *path, const char *beginning)
{
    return strtoul(path_name(path) + strlen(beginning), NULL, 10);
}

static int by_thread(const void *a, const void *b)
{
    char *const *const left = a, *const *const right = b;
    unsigned long const one = trace_dir_number_of(*left, "thread"), other = trace_dir_number_of(*right, "thread");

    return one != other ? (one > other) - (one < other) : strcmp(*left, *right);
}

static int by_application(const void *a, const void *b)
{
    char *const *const left = a, *const *const right = b;
    unsigned long const one = trace_dir_number_of(*left, "app"), other = trace_dir_number_of(*right, "app");

    return one != other ? (one > other) - (one < other) : strcmp(*left, *right);
}

/* Folders whose names are `beginning` and a number. */
static bool list_numbered(const char *folder, const char *beginning, struct folder_list *list)
{
    DIR *const directory = opendir(folder);
    bool good = true;

    for (const struct dirent *entry; directory && good && (entry = readdir(directory)) != NULL;) {
        const char *const digits = entry->d_name + strlen(beginning);
        char *path;

        if (!text_begins(entry->d_name, beginning) || *digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
            continue;
        path = path_join(folder, entry->d_name);
        good = path != NULL;
        if (path && path_is_folder(path))
            good = add_folder(list, path);
        else
            free(path);
    }
    if (directory)
        closedir(directory);
    return good;
}

static bool add_threads(const char *folder, struct folder_list *list)
{
    struct folder_list threads = {.count = 0};
    bool good = list_numbered(folder, "thread", &threads);

    if (threads.count > 1)
        qsort(threads.paths, threads.count, sizeof *threads.paths, by_thread);
    for (size_t i = 0; i < threads.count; i++)
        if (!good || !has_pair(threads.paths[i]))
            free(threads.paths[i]);
        else
            good = add_folder(list, threads.paths[i]);
    free(threads.paths);
    return good;
}

char **trace_dir_threads(const char *folder)
{
    struct folder_list list = {.count = 0}, applications = {.count = 0};
    bool good = path_is_folder(folder) && add_threads(folder, &list) && list_numbered(folder, "app", &applications);

    if (applications.count > 1)
        qsort(applications.paths, applications.count, sizeof *applications.paths, by_application);
    for (size_t i = 0; i < applications.count && good; i++) {
        good = add_threads(applications.paths[i], &list);
        if (good && has_pair(applications.paths[i])) {
            char *const copy = strdup(applications.paths[i]);

            good = copy && add_folder(&list, copy);
        }
    }
    trace_dir_threads_free(applications.paths);
    if (good)
        return list.paths;
    trace_dir_threads_free(list.paths);
    return NULL;
}

void trace_dir_threads_free(char **folders)
{
    for (char **folder = folders; folder && *folder; folder++)
        free(*folder);
    free(folders);
}
