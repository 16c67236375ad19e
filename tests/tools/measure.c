/* What a command costs: measure [--anonymous] FILE COMMAND ARGUMENT... writes one line to FILE,
 *
 *     CPU_S WALL_S RESIDENT_KIB ANONYMOUS_KIB
 *
 * user + system time of the command with all that it waited for, time from start to end, the most that was resident,
 * and the most that was resident and not the page of a file. The kernel keeps the last one for the moment only, so with
 * --anonymous it is looked up every half millisecond; without, it is 0 and the command has the machine for itself.
 * The exit code is the command's. */
#define _DEFAULT_SOURCE

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 500000

static double clock_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_s(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* 0 if the process has gone. */
static long anonymous_kib(pid_t child)
{
    char path[64], line[256];
    long kib = 0;

    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);

    FILE *const file = fopen(path, "r");

    while (file != NULL && fgets(line, sizeof line, file) != NULL && sscanf(line, "RssAnon: %ld", &kib) != 1)
        ;
    if (file != NULL)
        fclose(file);
    return kib;
}

/* Looks until the child ends. SIGCHLD, which is blocked, ends the pause between two looks. */
static long watch(pid_t child)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    long most = 0;
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    do {
        const long now = anonymous_kib(child);

        most = now > most ? now : most;
    } while (sigtimedwait(&signals, NULL, &pause) != SIGCHLD);
    return most;
}

int main(int argc, char **argv)
{
    const bool watches = argc > 1 && strcmp(argv[1], "--anonymous") == 0;
    char **const arguments = argv + (watches ? 2 : 1);
    sigset_t signals, before;
    struct rusage usage;
    int status;

    if (argc - (arguments - argv) < 2) {
        fprintf(stderr, "usage: measure [--anonymous] FILE COMMAND ARGUMENT...\n");
        return 2;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &before);

    const double start_s = clock_s();
    const pid_t child = fork();

    if (child < 0) {
        perror("fork");
        return 2;
    }
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        execvp(arguments[1], arguments + 1);
        perror(arguments[1]);
        _exit(127);
    }

    const long anonymous = watches ? watch(child) : 0;

    if (wait4(child, &status, 0, &usage) != child) {
        perror("wait4");
        return 2;
    }

    const double wall_s = clock_s() - start_s;
    FILE *const file = fopen(arguments[0], "w");

    if (file == NULL ||
        fprintf(file, "%.6f %.6f %ld %ld\n", time_s(usage.ru_utime) + time_s(usage.ru_stime), wall_s, usage.ru_maxrss,
                anonymous) < 0 ||
        fclose(file) != 0) {
        perror(arguments[0]);
        return 2;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
