/* rubato diff: the differences between two runs, and their explanation. */
#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/common/cli_input.h"
#include "cli/options/shared_options.h"
#include "cli/sweep/diff_print.h"

static bool take_traces(void *field, struct cli_parser *parser)
{
    struct diff_request *const request = field;

    parser->value = cli_input_path(parser->value);
    return parser->value && cli_parse_append(parser, request->traces, &request->trace_count, DIFF_MAX_TRACES);
}

static bool add_setting(struct diff_request *request, const struct cli_parser *parser, int side)
{
    return cli_parse_append(parser, request->settings[side], &request->setting_counts[side], DIFF_MAX_SETTINGS);
}

static bool take_setting(void *field, struct cli_parser *parser)
{
    return add_setting(field, parser, 0) && add_setting(field, parser, 1);
}

static bool take_setting_a(void *field, struct cli_parser *parser)
{
    return add_setting(field, parser, 0);
}

static bool take_setting_b(void *field, struct cli_parser *parser)
{
    return add_setting(field, parser, 1);
}

static bool take_side(void *field, struct cli_parser *parser)
{
    struct diff_request *const request = field;

    if (request->side_count < 2)
        return request->sides[request->side_count++] = parser->value, true;
    cli_usage_error(parser->usage, "%s: only two runs can be compared", parser->value);
    return false;
}

static const struct cli_option options[] = {
    {"traces", "TRACES", "traces that systems run, as in `rubato replay`; repeated: core by core",
     CLI_WHOLE(take_traces)},
    {"set", "KEY=VALUE", "change one key of the systems that are run; may be repeated", CLI_WHOLE(take_setting)},
    {"set-a", "KEY=VALUE", "of the first only", CLI_WHOLE(take_setting_a)},
    {"set-b", "KEY=VALUE", "of the second only", CLI_WHOLE(take_setting_b)},
    {INSN_FORMAT_OPTION, CLI_CALL(diff_request, format, cli_take_insn_format)},
    {"all", NULL, "metrics that are the same, too", CLI_INTO(SWITCH, diff_request, has_all)},
    TABLE_OPTIONS(diff_request, form),
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato diff A B [--traces TRACES]",
    .about = "Shows the differences between two runs in time, CPI stack, configuration and metrics, causes first.\n"
             "A and B are statistics files (replay --stats), points of a sweep\n"
             "(RESULTS.db:POINT), or systems, which then run the traces.",
    .options = options, .take_operand = take_side,
    .notes = "The parts of a stack add up to it, so their differences do, too. `rubato results --metrics` defines the\n"
             "metrics. --tsv, --csv and --json print a row for each metric and each key of the system that differs.\n"
             FORMAT_LIST_NOTE};

static int diff(const struct diff_request *request)
{
    struct diff_side sides[2] = {0};
    struct fault fault = diff_side_open(&sides[0], request, 0);
    int code = CLI_OK;

    if (fault.kind == FAULT_NONE)
        fault = diff_side_open(&sides[1], request, 1);
    if (fault.kind != FAULT_NONE)
        code = cli_fail(fault);
    else if (!diff_print(stdout, request, sides))
        code = cli_fail_text("out of memory");
    diff_side_close(&sides[0]);
    diff_side_close(&sides[1]);
    return code;
}

int cli_diff(int argc, char **argv)
{
    struct diff_request *const request = calloc(1, sizeof *request);
    struct cli_parser parser;
    int code;

    if (!request)
        return cli_fail_text("out of memory");
    if (!cli_parse(&parser, &usage, request, argc, argv))
        code = parser.exit_code;
    else if (request->side_count == 2)
        code = diff(request);
    else
        code = cli_usage_error(&usage, "two runs are needed; `rubato replay --stats` writes the statistics of one");
    free(request);
    return code;
}
