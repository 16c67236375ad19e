/* rubato trace elastic: runs an instruction trace on a system's core above near-ideal memory, and keeps the elastic
 * trace that the probe wrote. */

#include "cli/common/cli.h"
#include "cli/options/probe_options.h"
#include "cli/options/shared_options.h"
#include "cli/replay/request.h"
#include "cli/trace/trace_command.h"

static bool take_format(void *reading, struct cli_parser *parser)
{
    const char *format;

    if (!cli_take_insn_format(&format, parser))
        return false;
    insn_read_format(reading, format);
    return true;
}

static const struct cli_option options[] = {
    {"output", "DIR", "folder to write to, also -o; made if missing",
     CLI_INTO(TEXT, replay_request, listeners.probe.folder)},
    {"set", "KEY=VALUE", "change one key of the capture's system, such as cpu.numROBEntries=512; may be "
     "repeated", CLI_APPEND(replay_request, settings, setting_count)},
    PROBE_CLI_OPTIONS("", replay_request, listeners.probe),
    {INSN_FORMAT_OPTION, CLI_CALL(replay_request, reading.insn, take_format)},
    {"quiet", NULL, "say nothing when all went well", CLI_INTO(SWITCH, replay_request, is_quiet)},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace elastic SYSTEM INSTRUCTION_TRACE -o DIR [options]",
    .about = "Makes an elastic trace without gem5: the trace's instructions run on the detailed core of SYSTEM, and a\n"
             "probe writes deptrace.proto.gz and fetchtrace.proto.gz as gem5's ElasticTrace does. Of SYSTEM count\n"
             "its cores, their clock, the line, the places of pages and the sizes of memories; caches and memory are\n"
             "near-ideal's, as gem5's script has it, so that delays hold as little of the memory as can be.",
    .options = options, .take_operand = replay_take_operand,
    .notes = "Several cores that run threads become folders cpu0, cpu1, ... `rubato replay SYSTEM TRACE --model "
             "detailed --probe DIR`\nwrites the elastic trace of a run on SYSTEM as it is.\n" FORMAT_LIST_NOTE
};

static bool trace_elastic_parse(struct replay_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    replay_request_init(request);
    request->is_capture = true;
    if (!cli_parse(&parser, &usage, request, argc, argv)) {
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

    return trace_elastic_parse(&request, argc, argv, &code) ? replay_run(&request) : code;
}
