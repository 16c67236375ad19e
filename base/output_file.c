/* A name of a temporary file has the process and a number in it; an existing name is never opened. A
 * file without a name gets one by the kernel's link to its descriptor. */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/path.h"

enum { NAMES_TRIED = 1000, MOST_LINKS = 40, ACL_BYTES = 4096 };

#define ACL "system.posix_acl_access"

static struct fault cannot(const char *path, const char *why)
{
    struct fault fault;

    fault = fault_at(path, FAULT_NO_OFFSET, "cannot be written: %s", why);
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

/* Opens the file that was examined, even if another one takes its name meanwhile. */
static struct fault open_through(struct output_file *output, const char *path, const struct stat *about)
{
    struct stat opened;

    output->descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (output->descriptor < 0)
        return cannot(path, strerror(errno));
    if (fstat(output->descriptor, &opened) == 0 && opened.st_dev == about->st_dev && opened.st_ino == about->st_ino)
        return fault_none();
    close(output->descriptor);
    output->descriptor = -1;
    return cannot(path, "another file was put there meanwhile");
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

/* May it be a trap: made by neither the user nor the folder's owner, in a folder where all may make files? The rule
 * of Linux's fs.protected_symlinks and fs.protected_fifos, regardless of the host's settings. */
static bool is_planted(const char *path, const struct stat *about)
{
    const char *const name = path_name(path);
    char *const parent = name == path ? strdup(".") : strndup(path, (size_t)(name - path));
    struct stat folder;
    bool const is_shared = !parent || stat(parent, &folder) != 0
        || ((folder.st_mode & S_ISVTX) && (folder.st_mode & (S_IWGRP | S_IWOTH)));

    free(parent);
    return is_shared && about->st_uid != geteuid() && (!parent || about->st_uid != folder.st_uid);
}

/* The path that a link has in it, as seen from where the link is; NULL: errno says why. */
static char *read_link(const char *path)
{
    char text[PATH_MAX];
    ssize_t const length = readlink(path, text, sizeof text - 1);
    const char *const name = path_name(path);
    char *const folder = length > 0 && text[0] != '/' ? strndup(path, (size_t)(name - path)) : NULL;
    char *joined;

    if (length < 0)
        return NULL;
    text[length] = '\0';
    joined = folder && *folder ? path_join(folder, text) : strdup(text);
    free(folder);
    return joined;
}

struct fault output_file_check_links(const char *path)
{
    char *at = strdup(path);
    struct fault fault = fault_none();
    struct stat about;

    for (int links = 0; at && lstat(at, &about) == 0 && S_ISLNK(about.st_mode); links++) {
        char *const next = links < MOST_LINKS ? read_link(at) : NULL;

        if (is_planted(at, &about))
            fault = cannot(path, "it is a symbolic link that another user made in a folder where all may write; give "
                                 "another name");
        else if (stat(path, &about) != 0)
            fault = cannot(path, "it is a symbolic link to a file that is not there; remove it, or make that file");
        free(at);
        at = fault.kind == FAULT_NONE ? next : NULL;
        if (!at)
            free(next);
        if (fault.kind != FAULT_NONE)
            return fault;
    }
    if (!at)
        return cannot(path, strerror(errno));
    free(at);
    return fault_none();
}

/* The target's own name. A dangling link is refused: another user may have made it. */
static struct fault find_target(struct output_file *output, const char *path)
{
    struct stat about;
    bool const is_link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);

    FORWARD(output_file_check_links(path));
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
    return output->descriptor = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                     output->mode);
}

/* The name by which the kernel knows a descriptor. */
static const char *output_file_name_of(int descriptor, char room[40])
{
    snprintf(room, 40, "/proc/self/fd/%d", descriptor);
    return room;
}

static int link_nameless(struct output_file *output)
{
    char room[40];

    return linkat(AT_FDCWD, output_file_name_of(output->nameless, room), AT_FDCWD, output->temporary,
                  AT_SYMLINK_FOLLOW);
}

/* -1: the file system, or the system, cannot. */
static int open_nameless(const char *path, mode_t mode)
{
    char room[40], *const folder = strndup(path, (size_t)(path_name(path) - path));
    int const descriptor = folder ? open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, mode) : -1;

    free(folder);
    if (descriptor < 0 || access(output_file_name_of(descriptor, room), F_OK) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

/* Gives the new file the mode of the one that it replaces, if that is the user's: the mode of another user's file
 * expresses that user's wishes. Bits above 0777 are never kept: they would make the output run with the writer's
 * rights. If the group cannot be kept, the group gets the permissions of others. Access control lists are copied, or
 * the group gets nothing. */
static void keep_mode(const struct output_file *output, const struct stat *replaced)
{
    mode_t mode = replaced->st_mode & 0777;
    char list[ACL_BYTES];
    ssize_t const listed = getxattr(output->path, ACL, list, sizeof list);
    bool const has_list = listed >= 0 || errno == ERANGE;
    struct stat made;
    bool keeps_group = true;

    if (fstat(output->descriptor, &made) != 0)
        return;
    if (made.st_gid != replaced->st_gid)
        keeps_group = fchown(output->descriptor, (uid_t)-1, replaced->st_gid) == 0;
    fremovexattr(output->descriptor, ACL);                   /* inherited from the folder's default */
    if (has_list && (listed < 0 || !keeps_group || fsetxattr(output->descriptor, ACL, list, (size_t)listed, 0) != 0))
        mode &= ~(mode_t)070;                                /* they are the list's mask, not the group's rights */
    else if (!keeps_group)
        mode &= ~(mode_t)070 | (mode & 7) << 3;
    (void)!fchmod(output->descriptor, mode);                 /* where that cannot be, it stays the user's alone */
}

static struct fault open_temporary(struct output_file *output, const char *path, bool is_visible,
                                   const struct stat *replaced)
{
    bool const keeps = replaced && replaced->st_uid == geteuid();

    output->mode = keeps ? 0600 : 0666;
    output->descriptor = is_visible ? -1 : open_nameless(output->path, output->mode);
    if (output->descriptor >= 0)
        output->nameless = fcntl(output->descriptor, F_DUPFD_CLOEXEC, 0);
    if (output->descriptor >= 0 && output->nameless < 0) {
        close(output->descriptor);
        output->descriptor = -1;
    }
    if (output->descriptor < 0)
        FORWARD(with_new_name(output, path, open_named));
    if (keeps)
        keep_mode(output, replaced);
    return fault_none();
}

/* No output replaces a file that the process reads, under any name. */
static struct fault check_input(const char *path, const struct stat *about)
{
    struct fault fault = fault_none();

    if (S_ISREG(about->st_mode) && input_file_is_input(about))
        fault = fault_at(path, FAULT_NO_OFFSET, "is an input, or a trace that lies with one; give the output another "
                         "name");
    return fault;
}

enum how { APPENDED, APPENDED_VISIBLY, ANYWHERE };

static struct fault open_output(struct output_file *output, const char *path, enum how how)
{
    struct stat about;
    bool const exists = stat(path, &about) == 0;
    struct fault fault;

    *output = (struct output_file){.descriptor = -1, .nameless = -1};
    if (exists)
        FORWARD(check_input(path, &about));
    if (exists && S_ISDIR(about.st_mode))
        return cannot(path, strerror(EISDIR));
    if (exists && !S_ISREG(about.st_mode) && how == ANYWHERE)
        return cannot(path, "is not a regular file");
    if (exists && how != ANYWHERE && (!S_ISREG(about.st_mode) || is_standard(&about)))
        return S_ISFIFO(about.st_mode) && is_planted(path, &about)
            ? cannot(path, "it is a pipe that another user made in a folder where all may write; give another name")
            : open_through(output, path, &about);
    if (exists && access(path, W_OK) != 0)
        return cannot(path, strerror(errno));
    fault = find_target(output, path);
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
    struct fault fault = find_target(&scratch, path);

    if (fault.kind == FAULT_NONE)
        fault = open_temporary(&scratch, path, false, NULL);
    *descriptor = scratch.descriptor;
    output_file_drop(&scratch);
    return fault;
}

/* Before it gets its name: none of the inputs changed while they were read, and it replaces none. */
static struct fault check_inputs(const char *path)
{
    struct stat about;

    FORWARD(input_file_check(0));
    return stat(path, &about) == 0 ? check_input(path, &about) : fault_none();
}

static struct fault output_file_take_part(struct output_file *output, bool is_forced)
{
    char room[40];
    struct stat made;
    const char *const written = output->temporary ? output->temporary : output_file_name_of(output->nameless, room);
    struct fault fault = output->path ? check_inputs(output->path) : fault_none();

    if (fault.kind != FAULT_NONE) {
        output_file_drop(output);
        return fault;
    }
    if (output->path && is_forced && !is_on_disk(written, 0))
        fault = cannot(output->path, strerror(errno));
    else if (output->path && !output->temporary)
        fault = with_new_name(output, output->path, link_nameless);
    if (fault.kind == FAULT_NONE && output->path && rename(output->temporary, output->path) != 0) {
        fault = cannot(output->path, strerror(errno));
    } else if (fault.kind == FAULT_NONE && output->path) {
        free(output->temporary);
        output->temporary = NULL;
        if (stat(output->path, &made) == 0)
            input_file_made(&made);
        if (is_forced && !is_name_on_disk(output->path))
            fault = cannot(output->path, strerror(errno));
    }
    output_file_drop(output);
    return fault;
}

struct fault output_file_take(struct output_file *output)
{
    return output_file_take_part(output, true);
}

struct fault output_file_take_unforced(struct output_file *output)
{
    return output_file_take_part(output, false);
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
