/* Replaces itself, by its first or by its second thread, while another thread waits; before that it handles a signal
 * and forks a process that replaces itself, too. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *arguments[2];

static void handle(int number)
{
    (void)number;
}

static void *wait_for_ever(void *of)
{
    (void)of;
    while (1)
        pause();
    return NULL;
}

static void *replace(void *of)
{
    (void)of;
    execv(arguments[0], arguments);
    exit(5);
}

int main(int argc, char **argv)
{
    pthread_t waiting, replacing;
    int status;

    if (argc != 3)
        return 2;
    arguments[0] = argv[2];
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    if (fork() == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    wait(&status);
    pthread_create(&waiting, NULL, wait_for_ever, NULL);
    usleep(10000);
    if (strcmp(argv[1], "first") == 0)
        replace(NULL);
    pthread_create(&replacing, NULL, replace, NULL);
    pthread_join(replacing, NULL);
    return 1;
}
