/* The handler calls what handlers may: write, unlink, _exit. */
#define _POSIX_C_SOURCE 200809L
#include "cli/file_signals.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "cli/cli.h"
#include "cli/interrupt.h"

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
