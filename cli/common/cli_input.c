/* A file that was removed can still be opened by its descriptor's name in /proc/self/fd. */
#include "cli/common/cli_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/common/output.h"

enum { MOST_KEPT = 16, BLOCK_BYTES = 1 << 16, PATH_BYTES = 32 };

static struct { char path[PATH_BYTES]; const char *name; } kept[MOST_KEPT];
static size_t kept_count;

/* Can it be read but once, and has an end? Of standard input also a terminal. */
static bool is_pipe(const char *path, bool is_stdin)
{
    struct stat about;

    if ((is_stdin ? fstat(0, &about) : stat(path, &about)) != 0)
        return false;
    return S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode) || (is_stdin && S_ISCHR(about.st_mode) && isatty(0));
}

static int open_nameless(char path[4096])
{
    const char *const folder = getenv("TMPDIR");
    int file;

    if (snprintf(path, 4096, "%s/rubato.XXXXXX", folder && *folder ? folder : "/tmp") >= 4096)
        return -1;
    file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    return file;
}

static bool cli_input_write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t const put = write(file, bytes, count);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        count -= (size_t)put;
    }
    return true;
}

/* False: errno says why; *of_output: writing failed. */
static bool cli_input_copy(int from, int to, bool *of_output)
{
    static char block[BLOCK_BYTES];
    ssize_t got;

    *of_output = false;
    while ((got = read(from, block, sizeof block)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        *of_output = !cli_input_write_all(to, block, (size_t)got);
        if (*of_output)
            return false;
    }
    return true;
}

static const char *cli_input_keep(const char *path, bool is_stdin)
{
    const char *const name = is_stdin ? "standard input" : path;
    char temporary[4096];
    int const from = is_stdin ? dup(0) : open(path, O_RDONLY | O_CLOEXEC);
    int const to = from >= 0 ? open_nameless(temporary) : -1;
    bool of_output = false, good;

    if (from < 0)
        return cli_fail_text("%s: cannot be opened: %s", name, strerror(errno)), NULL;
    good = kept_count < MOST_KEPT && to >= 0 && cli_input_copy(from, to, &of_output);
    if (!good && kept_count == MOST_KEPT)
        cli_fail_text("%s: more than %d traces from pipes; give files", name, MOST_KEPT);
    else if (!good && (to < 0 || of_output))
        cli_fail_text("%s: cannot be kept in %s: %s; set TMPDIR to a folder with room", name, temporary,
                      strerror(errno));
    else if (!good)
        cli_fail_text("%s: cannot be read: %s", name, strerror(errno));
    close(from);
    if (!good) {
        if (to >= 0)
            close(to);
        return NULL;
    }
    snprintf(kept[kept_count].path, PATH_BYTES, "/proc/self/fd/%d", to);
    kept[kept_count].name = name;
    return kept[kept_count++].path;
}

const char *cli_input_path(const char *argument)
{
    static const char *kept_stdin;
    bool const is_stdin = strcmp(argument, "-") == 0 || strcmp(argument, "/dev/stdin") == 0
        || strcmp(argument, "/dev/fd/0") == 0 || strcmp(argument, "/proc/self/fd/0") == 0;

    if (!is_pipe(argument, is_stdin))
        return is_stdin ? "/dev/stdin" : argument;
    if (!is_stdin)
        return cli_input_keep(argument, false);
    if (!kept_stdin)
        kept_stdin = cli_input_keep(argument, true);
    return kept_stdin;
}

/* The text with one path replaced, in a room that is freed when its turn comes again; NULL: it is not in it. */
static const char *replaced(const char *text, const char *path, const char *name)
{
    enum { ROOMS = 8 };
    static char *rooms[ROOMS];
    static unsigned turn;
    const char *const at = strstr(text, path), *const behind = at ? at + strlen(path) : NULL;
    size_t room;
    char **put;

    if (!at || (*behind >= '0' && *behind <= '9'))
        return NULL;
    put = &rooms[turn++ % ROOMS];
    room = strlen(text) + strlen(name) + 1;
    free(*put);
    *put = malloc(room);
    if (!*put)
        return NULL;
    snprintf(*put, room, "%.*s%s%s", (int)(at - text), text, name, behind);
    return *put;
}

const char *cli_input_shown(const char *text)
{
    for (size_t i = 0; i < kept_count; i++) {
        const char *const other = replaced(text, kept[i].path, kept[i].name);

        text = other ? other : text;
    }
    return text;
}
