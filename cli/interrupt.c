/* The handler remembers the first one; at a second one it does what signals do, after that of interrupt_at_end. */
#define _POSIX_C_SOURCE 200809L
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static int const asking[] = {SIGINT, SIGTERM};
enum { ASKING = sizeof asking / sizeof *asking };

static volatile sig_atomic_t came;
static void (*volatile before_end)(void);

void interrupt_clean_up(void)
{
    if (before_end)
        before_end();
}

static void on_signal(int number)
{
    if (!came) {
        came = number;
        return;
    }
    interrupt_clean_up();
    signal(number, SIG_DFL);
    raise(number);                       /* it comes when the handler returns */
}

static void handle_all(void (*handler)(int number))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;

    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < ASKING; i++)
        if (sigaction(asking[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(asking[i], &action, NULL);
}

void interrupt_listen(void)
{
    handle_all(on_signal);
}

void interrupt_at_end(void (*function)(void))
{
    before_end = function;
}

void interrupt_end(void)
{
    handle_all(SIG_DFL);
    before_end = NULL;
}

bool interrupt_came(void)
{
    return came != 0;
}

int interrupt_exit_code(void)
{
    return 128 + came;
}

const char *interrupt_name(void)
{
    return came == SIGTERM ? "SIGTERM" : "Ctrl-C";
}
