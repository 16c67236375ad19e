/* rubato diff: what differs between two runs, and what explains it. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/macsim_options.h"
#include "cli/options.h"
#include "cli/sweep/diff_print.h"

enum { OPT_TRACES, OPT_SET, OPT_SET_A, OPT_SET_B, OPT_FORMAT, OPT_ALL };

static const struct cli_option options[] = {
    [OPT_TRACES] = {"traces", "TRACES", "what systems run, as `rubato replay` takes them; repeated: core by core",
     CLI_NUMBERED},
    [OPT_SET] = {"set", "KEY=VALUE", "change one key of the systems that are run; may be repeated", CLI_NUMBERED},
    [OPT_SET_A] = {"set-a", "KEY=VALUE", "of the first only", CLI_NUMBERED},
    [OPT_SET_B] = {"set-b", "KEY=VALUE", "of the second only", CLI_NUMBERED},
    [OPT_FORMAT] = {INSN_FORMAT_OPTION, CLI_NUMBERED},
    [OPT_ALL] = {"all", NULL, "metrics that are the same, too", CLI_NUMBERED},
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato diff A B [--traces TRACES]",
    .about = "Says what differs between two runs in time, CPI stack, configuration and metrics, first what explains\n"
             "most of the difference. A and B are statistics files (replay --stats), points of a sweep\n"
             "(RESULTS.db:POINT), or systems, which then run the traces.",
    .options = options,
    .notes = "The parts of a stack add up to it, so their differences do, too. `rubato results --metrics` defines the\n"
             "metrics.\n" FORMAT_LIST_NOTE};

static bool add(struct cli_parser *parser, const char **list, size_t *count, size_t most)
{
    if (*count == most) {
        parser->exit_code = cli_usage_error(&usage, "--%s is given too many times", parser->option);
        return false;
    }
    list[(*count)++] = parser->value;
    return true;
}

static bool add_setting(struct diff_request *request, struct cli_parser *parser, int side)
{
    return add(parser, request->settings[side], &request->setting_counts[side], DIFF_MAX_SETTINGS);
}

static bool take(struct diff_request *request, bool *has_all, struct cli_parser *parser, int what)
{
    switch (what) {
    case OPT_TRACES:
        parser->value = cli_input_path(parser->value);
        parser->exit_code = CLI_BAD_INPUT;
        return parser->value && add(parser, request->traces, &request->trace_count, DIFF_MAX_TRACES);
    case OPT_FORMAT: return cli_take_insn_format(&request->format, parser);
    case OPT_SET: return add_setting(request, parser, 0) && add_setting(request, parser, 1);
    case OPT_SET_A: return add_setting(request, parser, 0);
    case OPT_SET_B: return add_setting(request, parser, 1);
    case OPT_ALL: *has_all = true; return true;
    case CLI_PARSE_OPERAND:
        if (request->side_count == 2) {
            parser->exit_code = cli_usage_error(&usage, "%s: only two runs can be compared", parser->value);
            return false;
        }
        request->sides[request->side_count++] = parser->value;
        return true;
    default: return false;
    }
}

static int diff(const struct diff_request *request, bool has_all)
{
    struct diff_side sides[2] = {0};
    struct fault fault = diff_side_open(&sides[0], request, 0);
    int code = CLI_OK;

    if (fault.kind == FAULT_NONE)
        fault = diff_side_open(&sides[1], request, 1);
    if (fault.kind != FAULT_NONE)
        code = cli_fail(fault);
    else if (!diff_print(stdout, request, sides, has_all))
        code = cli_fail_text("out of memory");
    diff_side_close(&sides[0]);
    diff_side_close(&sides[1]);
    return code;
}

int cli_diff(int argc, char **argv)
{
    struct diff_request *const request = calloc(1, sizeof *request);
    struct cli_parser parser;
    bool has_all = false;
    int code;

    if (!request)
        return cli_fail_text("out of memory");
    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;) {
        if (take(request, &has_all, &parser, what))
            continue;
        free(request);
        return parser.exit_code;
    }
    code = request->side_count == 2 ? diff(request, has_all)
                                    : cli_usage_error(&usage, "two runs are needed; `rubato replay --stats` writes "
                                                      "the statistics of one");
    free(request);
    return code;
}
