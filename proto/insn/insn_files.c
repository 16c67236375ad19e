/* Folders of drmemtrace (drmemtrace 1): one file for each thread, or for each core, in window.0000, ... for each window
 * of the run; side files are left out. Folders of what `trace convert` wrote: a file for each thread. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/list.h"
#include "proto/insn/insn_format.h"

/* Whether the folder, or its raw/, contains the tracer's unprocessed records. */
static bool is_raw_folder(const char *path)
{
    DIR *const folder = opendir(path);
    bool is_raw = false;

    if (!folder)
        return false;
    for (const struct dirent *entry; !is_raw && (entry = readdir(folder)) != NULL;)
        is_raw = strcmp(entry->d_name, "raw") == 0
            || (text_begins(entry->d_name, "drmemtrace.") && strstr(entry->d_name, ".raw"));
    closedir(folder);
    return is_raw;
}

bool insn_is_in(const char *folder)
{
    char **const files = insn_files(folder, &(struct fault){.kind = FAULT_NONE});

    insn_files_free(files);
    return files || is_raw_folder(folder);
}

/* "thread7.0001.lackey.txt.gz", the names of files written by trace convert (proto/insn/write/). */
static bool is_thread_of_convert(const char *name)
{
    static const char *const endings[] = {".champsimtrace.xz", ".champsimtrace", ".lackey.txt.gz", ".lackey.txt"};
    const char *digits = name + strlen("thread");

    if (!text_begins(name, "thread") || *digits < '0' || *digits > '9')
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (text_ends_in(name, endings[i]))
            return true;
    return false;
}

static bool is_thread_file(const char *name)
{
    static const char *const endings[] = {".trace.zip", ".trace.gz", ".trace.lz4", ".trace.xz", ".trace",
                                          ".memtrace.zip", ".memtrace.gz",
                                          ".memtrace.xz", ".memtrace.sz"};

    if (is_thread_of_convert(name))
        return true;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (name[0] != '.' && text_ends_in(name, endings[i]))
            return true;
    return false;
}

static int insn_files_compare(const void *a, const void *b)
{
    char *const *const left = a, *const *const right = b;

    return strcmp(*left, *right);
}

static bool insn_files_add(char ***files, size_t *count, char *file)
{
    if (!file || !list_resize(files, *count + 2, sizeof **files)) {
        free(file);
        return false;
    }
    (*files)[(*count)++] = file;
    (*files)[*count] = NULL;
    return true;
}

/* NULL with error->kind FAULT_NONE: no files. */
static char **files_of_folder(const char *path, struct fault *error)
{
    DIR *const folder = opendir(path);
    char **files = NULL;
    size_t count = 0;

    error->kind = FAULT_NONE;
    if (!folder) {
        *error = fault_at(path, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!is_thread_file(entry->d_name) || insn_files_add(&files, &count, path_join(path, entry->d_name)))
            continue;
        *error = fault_memory(path, NULL);
        insn_files_free(files);
        files = NULL;
        break;
    }
    closedir(folder);
    if (files)
        qsort(files, count, sizeof *files, insn_files_compare);
    return files;
}

/* Adds a list's files to another's, which may be NULL, and frees the list. */
static bool insn_files_append(char ***files, size_t *count, char **more)
{
    bool good = true;

    for (char **file = more; file && *file; file++)
        if (!good)
            free(*file);
        else
            good = insn_files_add(files, count, *file);
    free(more);
    return good;
}

static bool is_window_name(const char *name)
{
    return text_begins(name, "window.") && name[7] != '\0' && name[7 + strspn(name + 7, "0123456789")] == '\0';
}

bool insn_file_is_of_window(const char *path)
{
    const char *const name = path_name(path);
    const char *folder = name - 1;

    if (name == path)
        return false;
    while (folder > path && folder[-1] != '/')
        folder--;
    return text_begins(folder, "window.");
}

/* Of a folder with window.0000, window.0001, ..., which the tracer makes of windows of a run: in their order. */
static char **files_of_windows(const char *path, struct fault *error)
{
    DIR *const folder = opendir(path);
    char **windows = NULL, **files = NULL;
    size_t window_count = 0, count = 0;
    bool good = true;

    error->kind = FAULT_NONE;
    for (const struct dirent *entry; folder && good && (entry = readdir(folder)) != NULL;)
        if (is_window_name(entry->d_name))
            good = insn_files_add(&windows, &window_count, path_join(path, entry->d_name));
    if (folder)
        closedir(folder);
    if (windows)
        qsort(windows, window_count, sizeof *windows, insn_files_compare);
    for (size_t i = 0; i < window_count && good; i++)
        good = insn_files_append(&files, &count, files_of_folder(windows[i], error)) && error->kind == FAULT_NONE;
    insn_files_free(windows);
    if (good)
        return files;
    if (error->kind == FAULT_NONE)
        *error = fault_memory(path, NULL);
    insn_files_free(files);
    return NULL;
}

/* Of the folder itself, or of windows in it. */
static char **files_in(const char *path, struct fault *error)
{
    char **const files = files_of_folder(path, error);

    return files || error->kind != FAULT_NONE ? files : files_of_windows(path, error);
}

char **insn_files(const char *path, struct fault *error)
{
    char **files = NULL, *below;
    size_t count = 0;

    if (!path_is_folder(path)) {
        char *const copy = strdup(path);

        if (!insn_files_add(&files, &count, copy))
            *error = fault_memory(path, NULL);
        return files;
    }
    files = files_in(path, error);
    if (files || error->kind != FAULT_NONE)
        return files;
    below = path_join(path, "trace");
    if (!below)
        *error = fault_memory(path, NULL);
    else if (path_is_folder(below))
        files = files_in(below, error);
    free(below);
    if (!files && error->kind == FAULT_NONE && is_raw_folder(path))
        *error = fault_at(path, FAULT_NO_OFFSET, "holds what drmemtrace's tracer wrote (raw/), which only makes "
                          "instructions with the program's binaries; process it (`drrun -t drmemtrace -indir DIR`), "
                          "which makes a folder trace/ beside it");
    else if (!files && error->kind == FAULT_NONE)
        *error = fault_at(path, FAULT_NO_OFFSET, "has no file of an instruction trace; expected *.trace.zip, .gz, "
                          ".lz4, .xz, *.trace or *.memtrace.zip, .gz, here or in trace/");
    return files;
}

void insn_files_free(char **files)
{
    for (char **file = files; file && *file; file++)
        free(*file);
    free(files);
}
