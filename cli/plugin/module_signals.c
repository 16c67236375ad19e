/* The first return address on the stack that lies in an object with a module tells whose code it was. The handler has a
 * stack of its own, since an endless recursion leaves none; it calls functions of the loader, as the process ends. */
#include "cli/plugin/module_signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/beat.h"
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

/* Ends the process if a module's code is on the stack; `what` follows its name. */
static void end_if_module(const char *what, const char *detail, const char *remedy)
{
    void *frames[MOST_FRAMES];
    int const count = backtrace(frames, MOST_FRAMES);
    char text[800], target[400];

    for (int i = 0; i < count; i++) {
        const char *file;
        const struct rubato_module *const module = module_at(frames[i], &file);

        if (!module)
            continue;
        snprintf(text, sizeof text, "rubato: the module %.60s (%.400s) %s%s; %s\n", module->name,
                 shown_file(file, target), what, detail, remedy);
        if (write(STDERR_FILENO, text, strlen(text)) < 0)
            break;
        cli_output_remove_partial();
        interrupt_clean_up();
        _exit(CLI_STALLED);
    }
}

static void on_crash(int number, siginfo_t *about, void *context)
{
    (void)about;
    (void)context;
    end_if_module("crashed: ", strsignal(number), "a debugger shows where");
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- the limit */

static struct itimerval limit;

/* The time begins anew. */
static void start_limit(void)
{
    setitimer(ITIMER_PROF, &limit, NULL);
}

static void on_limit(int number, siginfo_t *about, void *context)
{
    int const errno_before = errno;
    char seconds[60];

    (void)number;
    (void)about;
    (void)context;
    snprintf(seconds, sizeof seconds, "%g s of processor time",
             (double)limit.it_value.tv_sec + 1e-6 * (double)limit.it_value.tv_usec);
    end_if_module("did not come back for ", seconds, "--module-limit gives it longer");
    start_limit();
    errno = errno_before;
}

void module_signals_limit(uint64_t limit_ps)
{
    uint64_t const us = (limit_ps ? limit_ps : MODULE_LIMIT_PS) / 1000000;

    limit.it_value = (struct timeval){.tv_sec = (time_t)(us / 1000000), .tv_usec = (suseconds_t)(us % 1000000)};
    if (us == 0)
        limit.it_value.tv_usec = 1;
}

void module_signals_listen(void)
{
    static const int numbers[] = {SIGSEGV, SIGILL, SIGFPE, SIGABRT};
    stack_t const stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_NODEFER
                                                                           | SA_RESETHAND)};
    struct sigaction timed = {.sa_sigaction = on_limit, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

    sigaltstack(&stack, NULL);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
    sigemptyset(&timed.sa_mask);
    sigaction(SIGPROF, &timed, NULL);
    module_signals_limit(0);
    beat_watch(start_limit);
}
