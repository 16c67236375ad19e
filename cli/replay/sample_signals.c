/* A handler may call little: shm_unlink is unlink with another folder, which it may. */
#include "cli/replay/sampling_options.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "cli/common/interrupt.h"

/* Ctrl-C and SIGTERM are cli/common/interrupt.h's. */
static int const ending[] = {SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ};
enum { ENDING = sizeof ending / sizeof *ending };

static char shared_path[128];
static volatile sig_atomic_t was_asked;

static void on_ask(int number)
{
    (void)number;
    was_asked = 1;
}

static void remove_shared(void)
{
    shm_unlink(shared_path);
}

/* The usual action comes when the handler returns: SA_RESETHAND. */
static void on_end(int number)
{
    remove_shared();
    raise(number);
}

static void handle(int number, void (*handler)(int number), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;

    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void sample_signals_start(const char *path)
{
    was_asked = 0;
    snprintf(shared_path, sizeof shared_path, "%s", path ? path : "");
    handle(SIGUSR1, on_ask, SA_RESTART);
    for (unsigned i = 0; path && i < ENDING; i++)
        handle(ending[i], on_end, (int)SA_RESETHAND);
    interrupt_at_end(path ? remove_shared : NULL);
}

void sample_signals_stop(void)
{
    bool const has_path = shared_path[0];

    handle(SIGUSR1, SIG_DFL, 0);
    for (unsigned i = 0; has_path && i < ENDING; i++)
        handle(ending[i], SIG_DFL, 0);
    interrupt_at_end(NULL);
    shared_path[0] = '\0';
}

bool sample_signals_asked(void)
{
    bool const asked = was_asked;

    if (asked)
        was_asked = 0;
    return asked;
}
