/* rubato trace: finds the command below it. */
#include "cli/trace/trace_command.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/options/help.h"

struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
};

#define COMMAND_ENTRY(name, summary) {#name, summary, cli_trace_##name},
static const struct command commands[] = { TRACE_COMMANDS(COMMAND_ENTRY) };
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

#define MEMBER(name, summary) {#name, summary},
static const struct cli_member members[] = {TRACE_COMMANDS(MEMBER) {NULL, NULL}};
static const struct cli_group group = {
    .name = "rubato trace", .members = members,
    .about = "Elastic traces come in pairs: a dependency trace (deptrace.proto.gz) and a packet trace of instruction "
             "fetches\n(fetchtrace.proto.gz). Gzip or plain is found by content.\n"
             "GPU traces are lists (kernelslist.g) with kernel files beside them; plain, xz or gzip.",
    .notes = "`rubato trace COMMAND --help` says more."
};

int cli_trace(int argc, char **argv)
{
    if (argc < 2) {
        cli_print_group(&group, stderr);
        return CLI_BAD_INPUT;
    }
    if (cli_asks_help(argv[1]))
        return cli_help_group(&group, argv[1]);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, argv[1]) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return cli_unknown_command(&group, argv[1]);
}

void trace_warn(const struct input *input)
{
    for (size_t i = 0; i < input->warning_count; i++)
        cli_warn("%s", input->warnings[i]);
}
