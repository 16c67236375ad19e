/* The lock file beside a result file: locked by flock while a process writes, with host and process id as its text.
 *
 * The holder of the lock removes it, so a process that gets the lock of a removed file tries again. On some network
 * file systems locks of another host are not seen; the text of another host then shows that it is writing, or was
 * killed. A writer continues in that case, as schedulers start a task again on another host; a process that only
 * merges must not open such a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/output_file.h"
#include "sweep/results/results.h"

enum { LOCK_PATH_TEXT = 4096, OWNER_TEXT = 160 };

static bool lock_path(const char *path, char text[LOCK_PATH_TEXT])
{
    return snprintf(text, LOCK_PATH_TEXT, "%s.lock", path) < LOCK_PATH_TEXT;
}

/* A lock of ours is an empty file, or has the one line of write_owner, and no second name. Any other file is there by
 * accident, or as a trap, to be emptied by us. */
static bool is_a_lock(int descriptor)
{
    char text[OWNER_TEXT + 1];
    ssize_t const length = pread(descriptor, text, sizeof text - 1, 0);
    struct stat about;
    long process;
    int read = 0;

    if (length < 0 || fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) || about.st_nlink > 1)
        return false;
    text[length] = '\0';
    if (length == 0)
        return about.st_size == 0;
    return about.st_size == length && sscanf(text, "process %ld on %n", &process, &read) == 1 && read > 0
        && strcspn(text, "\n") == (size_t)length - 1;
}

/* SQLite's files beside the result file may not be hard links to other files; symbolic links SQLite does not
 * follow. */
static struct fault check_neighbours(const char *path)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal"};
    char name[LOCK_PATH_TEXT];
    struct stat about;

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (snprintf(name, sizeof name, "%s%s", path, endings[i]) < (int)sizeof name && lstat(name, &about) == 0
            && (!S_ISREG(about.st_mode) || about.st_nlink > 1))
            return fault_make(FAULT_INPUT, "%.300s: is %s, and would be written to; remove it, or give another file",
                              name, S_ISREG(about.st_mode) ? "also another file's name (a hard link)"
                              : "not a regular file");
    return fault_none();
}

static struct fault check_target(const char *path)
{
    struct stat about;

    FORWARD(output_file_check_links(path));
    if (stat(path, &about) == 0 && input_file_is_input(&about))
        return fault_make(FAULT_INPUT, "%.300s: is an input; give the results another name", path);
    return check_neighbours(path);
}

static void read_owner(int descriptor, char owner[OWNER_TEXT])
{
    ssize_t const length = pread(descriptor, owner, OWNER_TEXT - 1, 0);

    owner[length > 0 ? length : 0] = '\0';
    owner[strcspn(owner, "\n")] = '\0';
}

static bool write_owner(int descriptor, const char *host)
{
    char owner[OWNER_TEXT];
    int const length = snprintf(owner, sizeof owner, "process %ld on %s\n", (long)getpid(), host);

    return ftruncate(descriptor, 0) == 0 && pwrite(descriptor, owner, (size_t)length, 0) == length;
}

/* Is the locked file still the one of that name? */
static bool lock_is_current(int descriptor, const char *path)
{
    struct stat locked, named;

    return fstat(descriptor, &locked) == 0 && stat(path, &named) == 0 && locked.st_dev == named.st_dev
        && locked.st_ino == named.st_ino;
}

static struct fault in_use(const char *path, const char *owner)
{
    return fault_make(FAULT_INPUT, "%.300s: is being written by %s; wait for it, or give another file", path,
                      *owner ? owner : "another process");
}

/* Locks the file that has this name when it is locked. -1: a fault. */
static int take_lock(const char *path, const char *lock, struct fault *fault)
{
    char owner[OWNER_TEXT];

    for (;;) {
        int const descriptor = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
        if (descriptor < 0) {
            *fault = fault_make(FAULT_INPUT, "%.300s: cannot be created: %s; give a file in a folder that can be "
                                             "written",
                                lock, strerror(errno));
            return -1;
        }
        if (!is_a_lock(descriptor)) {
            close(descriptor);
            *fault = fault_make(FAULT_INPUT, "%.300s: is needed as a lock and is another file, or has a second name; "
                                "move it away, or give another result file", lock);
            return -1;
        }
        if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            read_owner(descriptor, owner);
            close(descriptor);
            *fault = in_use(path, owner);
            return -1;
        }
        if (lock_is_current(descriptor, lock))
            return descriptor;
        close(descriptor);
    }
}

int results_lock(const char *path, bool is_for_merge, struct fault *fault)
{
    char lock[LOCK_PATH_TEXT], owner[OWNER_TEXT], host[64] = "", *of_host;
    int descriptor;

    if (!lock_path(path, lock)) {
        *fault = fault_make(FAULT_INPUT, "%.300s...: is too long a path", path);
        return -1;
    }
    *fault = check_target(path);
    if (fault->kind != FAULT_NONE)
        return -1;
    descriptor = take_lock(path, lock, fault);
    if (descriptor < 0)
        return -1;
    gethostname(host, sizeof host - 1);
    read_owner(descriptor, owner);
    of_host = strstr(owner, " on ");
    if (is_for_merge && of_host && strcmp(of_host + strlen(" on "), host) != 0) {
        close(descriptor);
        *fault = fault_make(FAULT_INPUT, "%.300s: is being written by %s, or that one was killed; if it has ended, "
                            "remove %.100s", path, owner, lock);
        return -1;
    }
    if (!write_owner(descriptor, host)) {
        *fault = fault_make(FAULT_INPUT, "%.300s: cannot be written: %s; free some space, or give another file", lock,
                            strerror(errno));
        results_unlock(path, descriptor);
        return -1;
    }
    return descriptor;
}

void results_unlock(const char *path, int descriptor)
{
    char lock[LOCK_PATH_TEXT];

    if (lock_path(path, lock))
        unlink(lock);
    close(descriptor);
}
