/* `rubato regions` does the work in a process of its own, as it has outputs and signals of its own. */
#include "cli/capture/capture_regions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/regions/pilot.h"

enum { NAME_ROOM = 4096, MOST_ARGUMENTS = 24 };

bool capture_regions_name(const char *output, const char *ending, char *name, size_t room)
{
    size_t const length = strlen(output) - (text_ends_in(output, ".rbt") ? strlen(".rbt") : 0);

    return (size_t)snprintf(name, room, "%.*s%s", (int)length, output, ending) < room;
}

static void add(const char **arguments, size_t *count, const char *option, const char *value)
{
    if (!value)
        return;
    arguments[(*count)++] = option;
    arguments[(*count)++] = value;
}

/* The exit code of the process; below 0: it could not be started, or was ended by a signal. */
static int run(const char *const *arguments)
{
    pid_t const pid = fork();
    int status = 0;

    if (pid == 0) {
        execv("/proc/self/exe", (char *const *)arguments);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : -1;
}

int capture_regions_check(const struct capture_regions *regions)
{
    struct pilot_request const pilot = {.system = regions->system};
    struct fault fault;

    if (!regions->error)
        return regions->system ? cli_fail_text("--system is for an error that is wanted; give --error, too") : CLI_OK;
    if (regions->method && strcmp(regions->method, "simpoint") == 0)
        return cli_fail_text("--error with --method simpoint, which has one region a phase and so no error; give "
                             "--method stratified or systematic");
    fault = pilot_check(&pilot);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

int capture_regions(const struct capture_regions *regions, const char *whole, const char *output, bool is_quiet)
{
    const char *arguments[MOST_ARGUMENTS] = {"rubato", "regions", whole, "--cut", output};
    char set[NAME_ROOM];
    size_t count = 5;
    int code;

    if (!capture_regions_name(output, ".regions", set, sizeof set))
        return cli_fail_text("%s: the name is too long", output);
    add(arguments, &count, "--output", set);
    add(arguments, &count, "--interval", regions->interval);
    add(arguments, &count, "--warmup", regions->warmup);
    add(arguments, &count, "--method", regions->method);
    add(arguments, &count, "--error", regions->error);
    add(arguments, &count, "--system", regions->system);
    if (is_quiet)
        arguments[count++] = "--quiet";
    arguments[count] = NULL;
    fflush(NULL);
    code = run(arguments);
    if (code == CLI_OK && unlink(whole) == 0)
        return CLI_OK;
    fprintf(stderr, "rubato: the whole trace is in %s; rubato regions ", cli_shown(whole));
    fprintf(stderr, "%s --cut ", cli_shown(whole));
    fprintf(stderr, "%s chooses from it again\n", cli_shown(output));
    return code > CLI_OK ? code : CLI_STALLED;
}
