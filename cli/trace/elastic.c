/* rubato trace elastic: runs an instruction trace on a system's core above near-ideal memory, and keeps the elastic
 * trace that the probe wrote. */
#include <string.h>

#include "cli/cli.h"
#include "cli/macsim_options.h"
#include "cli/probe_options.h"
#include "cli/replay/request.h"
#include "cli/trace/trace.h"

enum { OPT_OUTPUT, OPT_SET, OPT_WINDOW, OPT_VIRTUAL, OPT_FROM, OPT_FORMAT, OPT_QUIET };

static const struct cli_option options[] = {
    [OPT_OUTPUT] = {"output", "DIR", "folder to write to, also -o; made if missing"},
    [OPT_SET] = {"set", "KEY=VALUE", "change one key of the capture's system, such as cpu.numROBEntries=512; may be "
                 "repeated"},
    PROBE_CLI_OPTIONS("", OPT_WINDOW, OPT_VIRTUAL, OPT_FROM),
    [OPT_FORMAT] = INSN_FORMAT_OPTION,
    [OPT_QUIET] = {"quiet", NULL, "say nothing when all went well"},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace elastic SYSTEM INSTRUCTION_TRACE -o DIR [options]",
    .about = "Makes an elastic trace without gem5: the trace's instructions run on the detailed core of SYSTEM, and a\n"
             "probe writes deptrace.proto.gz and fetchtrace.proto.gz as gem5's ElasticTrace does. Of SYSTEM count\n"
             "its cores, their clock, the line, where pages lie and how large memories are; caches and memory are\n"
             "near-ideal's, as gem5's script has it, so that delays hold as little of the memory as can be.",
    .options = options,
    .notes = "Several cores that run threads become folders cpu0, cpu1, ... `rubato replay SYSTEM TRACE --model "
             "detailed --probe DIR`\nwrites the elastic trace of a run on SYSTEM as it is.\n" FORMAT_LIST_NOTE
};

static bool take_option(struct replay_request *request, struct cli_parser *parser, int what)
{
    const char *format;

    switch (what) {
    case OPT_OUTPUT: request->listeners.probe.folder = parser->value; return true;
    case OPT_SET: return replay_request_take_setting(request, parser);
    case OPT_WINDOW: return probe_take_window(&request->listeners.probe, parser);
    case OPT_VIRTUAL: request->listeners.probe.has_virtual = true; return true;
    case OPT_FROM: return probe_take_from(&request->listeners.probe, parser);
    case OPT_FORMAT:
        if (!cli_take_insn_format(parser, &format))
            return false;
        insn_read_format(&request->reading.insn, format);
        return true;
    case OPT_QUIET: request->is_quiet = true; return true;
    case CLI_PARSE_OPERAND: return replay_request_take_operand(request, parser);
    default: return false;
    }
}

static bool parse(struct replay_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    replay_request_init(request);
    request->is_capture = true;
    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        if (!take_option(request, &parser, what)) {
            *code = parser.exit_code;
            return false;
        }
    if (!request->system)
        *code = cli_usage_error(&usage, "no SYSTEM was given; try core/reference");
    else if (!request->folder_count)
        *code = cli_usage_error(&usage, "no instruction trace was given");
    else if (!request->listeners.probe.folder)
        *code = cli_usage_error(&usage, "no output was given; add -o DIR");
    else
        return true;
    return false;
}

int cli_trace_elastic(int argc, char **argv)
{
    struct replay_request request;
    int code;

    return parse(&request, argc, argv, &code) ? replay_run(&request) : code;
}
