/* Runs a command and writes the most memory that it had resident, in KiB, to a file: peak FILE COMMAND ARGUMENT...
 * The exit code is the command's. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: peak FILE COMMAND ARGUMENT...\n");
        return 2;
    }

    const pid_t child = fork();
    struct rusage usage;
    int status;

    if (child < 0) {
        perror("fork");
        return 2;
    }
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &usage) != 0) {
        perror("waitpid");
        return 2;
    }

    FILE *const file = fopen(argv[1], "w");

    if (file == NULL || fprintf(file, "%ld\n", usage.ru_maxrss) < 0 || fclose(file) != 0) {
        perror(argv[1]);
        return 2;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
