/* The first return address on the stack that lies in an object with a module tells whose code it was. The handler has a
 * stack of its own, since an endless recursion leaves none; it calls functions of the loader, as the process ends. */
#include "cli/plugin/module_signals.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "include/rubato_policy.h"

enum { MOST_FRAMES = 256, STACK_BYTES = 1 << 17 };

static char handler_stack[STACK_BYTES];

static const struct rubato_module *module_at(void *address, const char **file)
{
    Dl_info about;
    void *library;

    if (dladdr(address, &about) == 0 || !about.dli_fname)
        return NULL;
    library = dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    *file = about.dli_fname;
    return library ? dlsym(library, "rubato_module") : NULL;
}

/* Of a copy of a module (include/champsim/rubato_private.h) the file is "/memfd:NAME (deleted)". */
static const char *shown_file(const char *file, char text[400])
{
    ssize_t const length = strncmp(file, "/proc/self/fd/", 14) == 0 ? readlink(file, text, 399) : -1;

    if (length <= 0)
        return file;
    text[length] = '\0';
    return text;
}

static void on_crash(int number, siginfo_t *about, void *context)
{
    void *frames[MOST_FRAMES];
    int const count = backtrace(frames, MOST_FRAMES);
    char text[700], target[400];

    (void)about;
    (void)context;
    for (int i = 0; i < count; i++) {
        const char *file;
        const struct rubato_module *const module = module_at(frames[i], &file);

        if (!module)
            continue;
        snprintf(text, sizeof text, "rubato: the module %.60s (%.400s) crashed: %s; a debugger shows where\n",
                 module->name, shown_file(file, target), strsignal(number));
        if (write(STDERR_FILENO, text, strlen(text)) < 0)
            break;
        cli_output_remove_partial();
        interrupt_clean_up();
        _exit(CLI_STALLED);
    }
    signal(number, SIG_DFL);
    raise(number);
}

void module_signals_listen(void)
{
    static const int numbers[] = {SIGSEGV, SIGILL, SIGFPE, SIGABRT};
    stack_t const stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_NODEFER
                                                                           | SA_RESETHAND)};

    sigaltstack(&stack, NULL);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}
