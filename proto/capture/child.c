/* The shared memory, a file without a name or a segment, is gone with the last process that has it. */
#include "proto/capture/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/capture/ring.h"

/* A segment of System V, whose size no limit of files bounds. It is marked for removal at once: it is gone with the
 * last process that has it attached, and can be attached by its identifier until then. */
static void *share_segment(struct child *child, size_t bytes)
{
    void *map;

    child->shared_segment = shmget(IPC_PRIVATE, bytes, IPC_CREAT | SHM_NORESERVE | 0600);
    if (child->shared_segment < 0)
        return MAP_FAILED;
    map = shmat(child->shared_segment, NULL, 0);
    shmctl(child->shared_segment, IPC_RMID, NULL);
    return map;
}

/* A file without a name counts as a file, whose size may be limited (ulimit -f): a segment takes its place then. */
struct fault child_share(struct child *child, size_t bytes)
{
    void *map = MAP_FAILED;

    child->shared_file = memfd_create("rubato capture", MFD_CLOEXEC);
    if (child->shared_file >= 0 && ftruncate(child->shared_file, (off_t)bytes) == 0)
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, child->shared_file, 0);
    else if (child->shared_file >= 0 && errno == EFBIG)
        map = share_segment(child, bytes);
    if (map == MAP_FAILED)
        return fault_at("capture", FAULT_NO_OFFSET, "no shared memory of %zu MiB: %s", bytes >> 20, strerror(errno));
    child->shared = map;
    child->shared_bytes = bytes;
    return fault_none();
}

void child_shared_path(const struct child *child, char path[CHILD_PATH_ROOM])
{
    if (child->shared_segment >= 0)
        snprintf(path, CHILD_PATH_ROOM, CAPTURE_SEGMENT "%d", child->shared_segment);
    else
        snprintf(path, CHILD_PATH_ROOM, "/proc/%ld/fd/%d", (long)getpid(), child->shared_file);
}

extern char **environ;

/* This process' environment with the variable; only the array is to be freed. */
static char **environment_with(char *variable)
{
    const size_t name_length = strcspn(variable, "=") + 1;
    size_t count = 0, filled = 0;
    char **all;

    while (environ[count] != NULL)
        count++;
    all = calloc(count + 2, sizeof *all);
    for (size_t i = 0; all != NULL && i < count; i++)
        if (strncmp(environ[i], variable, name_length) != 0)
            all[filled++] = environ[i];
    if (all != NULL)
        all[filled] = variable;
    return all;
}

/* In the new process: asks the kernel to kill it when its parent dies for any reason. Processes that the program forks
 * do not inherit that. */
static void become(char *const *argv, char *const *environment, pid_t starter, int report)
{
    static const int shells[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ};
    sigset_t none;
    int error;

    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        signal(shells[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == starter)
        execve(argv[0], argv, environment);
    error = errno;
    (void)!write(report, &error, sizeof error);
    _exit(127);
}

/* Answers an errno. */
static int spawn(pid_t *pid, char *const *argv, char *const *environment)
{
    const pid_t starter = getpid();
    int report[2], code = 0;

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *pid = fork();
    if (*pid == 0)
        become(argv, environment, starter, report[1]);
    if (*pid < 0)
        code = errno;
    close(report[1]);
    if (*pid > 0 && read(report[0], &code, sizeof code) == (ssize_t)sizeof code)
        waitpid(*pid, NULL, 0);
    close(report[0]);
    return code;
}

struct fault child_start(struct child *child, char *const *argv, char *variable)
{
    char **const own = variable != NULL ? environment_with(variable) : NULL;
    int code;

    if (variable != NULL && own == NULL)
        return fault_memory("capture", NULL);
    code = spawn(&child->pid, argv, own != NULL ? own : environ);
    free(own);
    if (code == 0)
        return fault_none();
    child->pid = 0;
    return fault_at(argv[0], FAULT_NO_OFFSET, "%s", strerror(code));
}

bool child_reap(struct child *child, bool waits)
{
    struct rusage used;
    int status;

    if (child->pid == 0)
        return true;
    if (wait4(child->pid, &status, waits ? 0 : WNOHANG, &used) != child->pid)
        return false;
    child->pid = 0;
    child->end = (struct child_end){
        .has_exited = WIFEXITED(status), .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        .user_s = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec
    };
    return true;
}

void child_kill(const struct child *child)
{
    if (child->pid != 0)
        kill(child->pid, SIGKILL);
}

void child_free(struct child *child)
{
    child_kill(child);
    child_reap(child, true);
    if (child->shared != NULL)
        munmap(child->shared, child->shared_bytes);
    if (child->shared_file >= 0)
        close(child->shared_file);
    *child = CHILD_NONE;
}
