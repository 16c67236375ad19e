/* rubato trace: finds the command below it. */
#include "cli/trace/trace.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/help/help.h"

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

bool trace_parse_range(struct cli_parser *parser, uint64_t *first, uint64_t *behind)
{
    const char *const whole = parser->value;
    const char *const colon = strchr(whole, ':');
    size_t const length = colon != NULL ? (size_t)(colon - whole) : 0;
    char left[40] = "";
    bool good = colon != NULL && length < sizeof left;

    *first = 0;
    *behind = UINT64_MAX;
    if (!good) {
        parser->exit_code = cli_usage_error(parser->usage, "--%s %s: expected A:B, the first record (from 0) and the "
                                            "one behind the last", parser->option, whole);
        return false;
    }
    memcpy(left, whole, length);
    if (length > 0) {
        parser->value = left;
        good = cli_parse_count(parser, first);
    }
    if (good && colon[1] != '\0') {
        parser->value = colon + 1;
        good = cli_parse_count(parser, behind);
    }
    parser->value = whole;
    if (good && *first >= *behind) {
        parser->exit_code = cli_usage_error(parser->usage, "--%s %s: the range is empty; expected A below B",
                                            parser->option, whole);
        return false;
    }
    return good;
}

void trace_warn(const struct input *input)
{
    for (size_t i = 0; i < input->warning_count; i++)
        cli_warn("%s", input->warnings[i]);
}
