/* A connection of its own, as SQLite asks for: a passive checkpoint copies the log, syncs both files, and blocks
 * neither writer nor readers. The parent sends a letter for each copy; the end of letters is the end. */
#include "sweep/results/results.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES_A_COPY ((size_t)2 << 20)

struct copier {
    pid_t pid;
    int to;
    size_t bytes;                        /* since the last letter */
};

/* The file is opened late: it need not be there before the first letter. */
static void copier_copy(const char *path, int from)
{
    /* that there is a log shows only when something is read */
    static const char look[] = "PRAGMA synchronous = NORMAL; SELECT count(*) FROM sqlite_schema";
    sqlite3 *database = NULL;
    char letters[64];
    ssize_t count;

    while ((count = recv(from, letters, sizeof letters, 0)) > 0 || (count < 0 && errno == EINTR)) {
        if (!database && (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK
                          || sqlite3_exec(database, look, NULL, NULL, NULL) != SQLITE_OK))
            break;
        sqlite3_wal_checkpoint_v2(database, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    }
    sqlite3_close(database);
}

static void be_copier(pid_t parent, const char *path, const int ends[2])
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signal(SIGINT, SIG_IGN);             /* its parent answers them */
    signal(SIGTERM, SIG_IGN);
    close(ends[1]);
    copier_copy(path, ends[0]);
    _exit(0);
}

struct copier *copier_start(const char *path)
{
    struct copier *const copier = calloc(1, sizeof *copier);
    pid_t const parent = getpid();
    int ends[2];

    if (!copier || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(copier);
        return NULL;
    }
    copier->to = ends[1];
    copier->pid = fork();
    if (copier->pid == 0)
        be_copier(parent, path, ends);
    close(ends[0]);
    if (copier->pid > 0)
        return copier;
    close(ends[1]);
    free(copier);
    return NULL;
}

void copier_tell(struct copier *copier, size_t bytes)
{
    if (!copier)
        return;
    copier->bytes += bytes;
    if (copier->bytes >= BYTES_A_COPY && send(copier->to, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
        copier->bytes = 0;
}

void copier_forget(const struct copier *copier)
{
    if (copier)
        close(copier->to);
}

void copier_end(struct copier *copier)
{
    if (!copier)
        return;
    /* not close alone: processes that were forked later, such as another file's copier, hold this end, too */
    shutdown(copier->to, SHUT_RDWR);
    close(copier->to);
    while (waitpid(copier->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    free(copier);
}
