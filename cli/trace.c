/* rubato trace: finds the command below it. */
#include "cli/trace.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
};

#define COMMAND_ENTRY(name, summary) {#name, summary, cli_trace_##name},
static const struct command commands[] = { TRACE_COMMANDS(COMMAND_ENTRY) };
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(FILE *to)
{
    fputs("Usage: rubato trace COMMAND [arguments]\n\n"
          "Elastic traces come in pairs: a dependency trace (deptrace.proto.gz) and a packet trace of instruction "
              "fetches\n(fetchtrace.proto.gz). Gzip or plain is found by content.\n"
          "GPU traces are lists (kernelslist.g) with kernel files beside them; plain, xz or gzip.\n\n"
          "Commands:\n", to);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`rubato trace COMMAND --help` says more.\n", to);
}

int cli_trace(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_OK;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, argv[1]) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return cli_fail_text("there is no command trace %s; see rubato trace --help", argv[1]);
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

void trace_warn_dep(const struct dep_reader *reader)
{
    for (size_t i = 0; i < dep_reader_warning_count(reader); i++)
        cli_warn("%s", dep_reader_warning(reader, i));
}

void trace_warn_packet(const struct packet_reader *reader)
{
    for (size_t i = 0; i < packet_reader_warning_count(reader); i++)
        cli_warn("%s", packet_reader_warning(reader, i));
}

void trace_warn_input(const struct trace_input *input)
{
    if (input->data != NULL)
        trace_warn_dep(input->data);
    if (input->fetch != NULL)
        trace_warn_packet(input->fetch);
    for (int part = 0; input->store != NULL && part < STORE_PARTS; part++) {
        struct store_warnings const *const warnings = &store_about(input->store)->warnings[part];

        for (size_t i = 0; i < warnings->count; i++)
            cli_warn("%s", warnings->texts[i]);
    }
}
