/* The handler remembers the first signal; at the second one it calls the function of interrupt_at_end and takes the
 * default action. */
#include "cli/common/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "cli/common/cli.h"

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

/* The handler calls only async-signal-safe functions: write, unlink, _exit. */

static void say(const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        ssize_t const written = write(STDERR_FILENO, text, left);

        if (written <= 0)
            return;
        text += written;
        left -= (size_t)written;
    }
}

static void on_bus_error(int number, siginfo_t *about, void *context)
{
    const char *const name = input_file_at(about->si_addr);

    (void)context;
    if (!name) {
        signal(number, SIG_DFL);         /* the access is tried again, and ends the process */
        return;
    }
    say("rubato: ");
    say(name);
    say(": was changed while it was read: it became shorter, or its disk failed; run again without writing to it\n");
    cli_output_remove_partial();
    interrupt_clean_up();
    _exit(CLI_BAD_INPUT);
}

void file_signals_listen(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
