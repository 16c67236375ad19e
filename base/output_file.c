/* A name of a temporary file has the process and a number in it; a name that exists is never opened, whoever made it. A
 * file without a name gets one by the kernel's link to its descriptor. */
#define _GNU_SOURCE
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

enum { NAMES_TRIED = 1000 };

static struct fault cannot(const char *path, const char *why)
{
    struct fault fault;

    fault_at(&fault, path, FAULT_NO_OFFSET, "cannot be written: %s", why);
    return fault;
}

/* A regular file that is standard output or the like: replacing it would take it from under that. */
static bool is_standard(const struct stat *about)
{
    struct stat standard;

    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fstat(descriptor, &standard) == 0 && standard.st_dev == about->st_dev && standard.st_ino == about->st_ino)
            return true;
    return false;
}

static struct fault open_through(struct output_file *output, const char *path)
{
    output->descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return output->descriptor < 0 ? cannot(path, strerror(errno)) : fault_none();
}

/* The path with the folder's own name, so that one file has one name; NULL: errno says why. */
static char *in_real_folder(const char *path)
{
    const char *const name = path_name(path);
    char *const folder = name == path ? strdup(".") : strndup(path, (size_t)(name - path));
    char *const real = folder ? realpath(folder, NULL) : NULL;
    char *const joined = real ? path_join(real, name) : NULL;

    free(folder);
    free(real);
    return joined;
}

/* The target's own name. A link that leads nowhere is refused: who made it may not be the user. */
static struct fault find_target(struct output_file *output, const char *path, bool exists)
{
    struct stat about;
    bool const is_link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);

    if (is_link && !exists)
        return cannot(path, "it is a symbolic link to a file that is not there; remove it, or make that file");
    output->path = is_link ? realpath(path, NULL) : in_real_folder(path);
    return output->path ? fault_none() : cannot(path, strerror(errno));
}

/* With a name of its own in the target's folder: makes one by `make`, which says EEXIST if it is taken. */
static struct fault with_new_name(struct output_file *output, const char *path, int (*make)(struct output_file *output))
{
    size_t const room = strlen(output->path) + sizeof ".partial--" + 24;
    int made = -1;

    output->temporary = malloc(room);
    if (!output->temporary)
        return cannot(path, strerror(ENOMEM));
    errno = EEXIST;
    for (int i = 0; made < 0 && errno == EEXIST && i < NAMES_TRIED; i++) {
        snprintf(output->temporary, room, "%s.partial-%ld-%d", output->path, (long)getpid(), i);
        made = make(output);
    }
    if (made < 0) {
        struct fault const fault = cannot(path, strerror(errno));

        free(output->temporary);             /* not ours */
        output->temporary = NULL;
        return fault;
    }
    return fault_none();
}

static int open_named(struct output_file *output)
{
    return output->descriptor = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* The name by which the kernel knows a descriptor. */
static const char *name_of(int descriptor, char room[40])
{
    snprintf(room, 40, "/proc/self/fd/%d", descriptor);
    return room;
}

static int link_nameless(struct output_file *output)
{
    char room[40];

    return linkat(AT_FDCWD, name_of(output->nameless, room), AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW);
}

/* -1: the file system, or the system, cannot. */
static int open_nameless(const char *path)
{
    char room[40], *const folder = strndup(path, (size_t)(path_name(path) - path));
    int const descriptor = folder ? open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666) : -1;

    free(folder);
    if (descriptor < 0 || access(name_of(descriptor, room), F_OK) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

static struct fault open_temporary(struct output_file *output, const char *path, bool is_visible,
                                   const struct stat *replaced)
{
    output->descriptor = is_visible ? -1 : open_nameless(output->path);
    if (output->descriptor >= 0)
        output->nameless = fcntl(output->descriptor, F_DUPFD_CLOEXEC, 0);
    if (output->descriptor >= 0 && output->nameless < 0) {
        close(output->descriptor);
        output->descriptor = -1;
    }
    if (output->descriptor < 0)
        FAULT_TRY(with_new_name(output, path, open_named));
    if (replaced)
        (void)!fchmod(output->descriptor, replaced->st_mode & 07777);    /* where it is not ours, the new mode stays */
    return fault_none();
}

enum how { APPENDED, APPENDED_VISIBLY, ANYWHERE };

static struct fault open_output(struct output_file *output, const char *path, enum how how)
{
    struct stat about;
    bool const exists = stat(path, &about) == 0;
    struct fault fault;

    *output = (struct output_file){.descriptor = -1, .nameless = -1};
    if (exists && S_ISDIR(about.st_mode))
        return cannot(path, strerror(EISDIR));
    if (exists && !S_ISREG(about.st_mode) && how == ANYWHERE)
        return cannot(path, "is not a regular file");
    if (exists && how != ANYWHERE && (!S_ISREG(about.st_mode) || is_standard(&about)))
        return open_through(output, path);
    if (exists && access(path, W_OK) != 0)
        return cannot(path, strerror(errno));
    fault = find_target(output, path, exists);
    if (fault.kind == FAULT_NONE)
        fault = open_temporary(output, path, how == APPENDED_VISIBLY, exists ? &about : NULL);
    if (fault.kind != FAULT_NONE)
        output_file_drop(output);
    return fault;
}

/* False, with errno: a loss of power could take it, or has. */
static bool is_on_disk(const char *path, int flags)
{
    int const descriptor = open(path, O_RDONLY | O_CLOEXEC | flags);
    bool is_lost;
    int error;

    if (descriptor < 0)                      /* may be written, not read */
        return true;
    is_lost = fsync(descriptor) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
    error = errno;
    close(descriptor);
    errno = error;
    return !is_lost;
}

static bool is_name_on_disk(const char *path)
{
    const char *const name = path_name(path);
    char *const folder = name == path ? strdup(".") : strndup(path, (size_t)(name - path));
    bool const is_there = !folder || is_on_disk(folder, O_DIRECTORY);

    free(folder);
    return is_there;
}

struct fault output_file_open(struct output_file *output, const char *path)
{
    return open_output(output, path, APPENDED);
}

struct fault output_file_open_visible(struct output_file *output, const char *path)
{
    return open_output(output, path, APPENDED_VISIBLY);
}

struct fault output_file_open_anywhere(struct output_file *output, const char *path)
{
    return open_output(output, path, ANYWHERE);
}

struct fault output_file_open_scratch(int *descriptor, const char *path)
{
    struct output_file scratch = {.descriptor = -1, .nameless = -1};
    struct fault fault = find_target(&scratch, path, false);

    if (fault.kind == FAULT_NONE)
        fault = open_temporary(&scratch, path, false, NULL);
    *descriptor = scratch.descriptor;
    output_file_drop(&scratch);
    return fault;
}

static struct fault take(struct output_file *output, bool is_forced)
{
    char room[40];
    const char *const written = output->temporary ? output->temporary : name_of(output->nameless, room);
    struct fault fault = fault_none();

    if (output->path && is_forced && !is_on_disk(written, 0))
        fault = cannot(output->path, strerror(errno));
    else if (output->path && !output->temporary)
        fault = with_new_name(output, output->path, link_nameless);
    if (fault.kind == FAULT_NONE && output->path && rename(output->temporary, output->path) != 0) {
        fault = cannot(output->path, strerror(errno));
    } else if (fault.kind == FAULT_NONE && output->path) {
        free(output->temporary);
        output->temporary = NULL;
        if (is_forced && !is_name_on_disk(output->path))
            fault = cannot(output->path, strerror(errno));
    }
    output_file_drop(output);
    return fault;
}

struct fault output_file_take(struct output_file *output)
{
    return take(output, true);
}

struct fault output_file_take_unforced(struct output_file *output)
{
    return take(output, false);
}

void output_file_drop(struct output_file *output)
{
    if (output->temporary)
        unlink(output->temporary);
    if (output->path && output->nameless >= 0)
        close(output->nameless);
    free(output->temporary);
    free(output->path);
    output->temporary = output->path = NULL;
    output->nameless = -1;
}
