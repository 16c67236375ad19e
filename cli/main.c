/* rubato: finds the command and hands the arguments on. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/options/help.h"
#include "cli/plugin/module_signals.h"

struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
};

#define COMMAND_ENTRY(name, summary) {#name, summary, cli_##name},
static const struct command commands[] = { CLI_COMMANDS(COMMAND_ENTRY) };
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

#define MEMBER(name, summary) {#name, summary},
static const struct cli_member members[] = {CLI_COMMANDS(MEMBER) {NULL, NULL}};
static const struct cli_group group = {
    .name = "rubato", .members = members,
    .about = "Explores memory systems: replays the memory accesses of CPUs and GPUs through caches and DRAM.",
    .notes = "`rubato COMMAND --help` says more. `rubato --version` prints the version.\n"
             "Exit codes: 0 done, 1 a comparison differs, 2 wrong usage or input, 3 the replay cannot continue."
};

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        cli_print_group(&group, stderr);
        return CLI_BAD_INPUT;
    }
    if (strcmp(argv[1], "--version") == 0) {
        version_print(stdout);
        return CLI_OK;
    }

    const bool is_help = strcmp(argv[1], "help") == 0, asks_help = is_help || cli_asks_help(argv[1]);

    if (asks_help && argc < 3)
        return cli_help_group(&group, is_help ? "--help" : argv[1]);

    const char *const name = asks_help ? argv[2] : argv[1];
    const struct command *const command = find_command(name);

    if (command == NULL)
        return cli_unknown_command(&group, name);
    if (asks_help) {
        char help[] = "--help", *words[] = {argv[2], help, NULL};

        return command->run(2, words);
    }
    return command->run(argc - 1, argv + 1);
}

/* Opens closed standard descriptors: otherwise the next file opened would get such a number, and the messages with
 * it. */
static bool open_standard(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) != descriptor)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    int exit_code;
    struct fault changed;

    if (!open_standard())
        return CLI_BAD_INPUT;
    file_signals_listen();
    module_signals_listen();
    input_file_keep();
    exit_code = dispatch(argc, argv);
    changed = exit_code == CLI_OK || exit_code == CLI_DIFFERS ? input_file_check(0) : fault_none();
    if (changed.kind != FAULT_NONE)
        exit_code = cli_fail(changed);
    if (!cli_output_close(stdout, "standard output"))
        return CLI_BAD_INPUT;
    return exit_code;
}
