/* rubato trace dump: prints a trace as text. */
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/macsim_options.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_kinds.h"

enum { OPT_GEM5, OPT_JSON, OPT_RECORDS, OPT_FETCHES, OPT_FORMAT };

static const struct cli_option options[] = {
    [OPT_GEM5] = {"gem5", NULL, "exactly what gem5's decode scripts print", CLI_NUMBERED},
    [OPT_JSON] = {"json", NULL, "one JSON object a line, the header first; absent fields are left out", CLI_NUMBERED},
    [OPT_RECORDS] = {"records", "A:B", "only records A to B-1, counted from 0; either may be missing", CLI_NUMBERED},
    [OPT_FETCHES] = {"fetches", NULL, "of a store: its fetches instead of its dependence records", CLI_NUMBERED},
    [OPT_FORMAT] = {MACSIM_FORMAT_OPTION, CLI_NUMBERED},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace dump FILE [options]",
    .about = "Prints a trace file or a store as text: header lines, then a line for each record with every field. "
        "`rubato\ntrace build` makes the same file of it again: same header, records, order, and fields present.\n"
        "FILE may be a GPU trace, too: a list, a folder with one, or a kernel's file; records are instructions of "
        "warps.\nOr a MacSim trace: a header, a list of kernels or traces, a raw stream, or a folder with such.\n"
        "Or an instruction trace of another tool: a line an instruction, with its accesses.",
    .options = options,
    .notes = "Text form: lines that begin with # are the header or comments, numbers are decimal, - is an absent "
        "field.\n  # rubato dependency trace            # rubato packet trace\n"
             "  # obj_id \"system.cpu\"                # obj_id \"system.cpu\"\n"
             "  # ver 2              (if present)    # ver 2              (if present)\n"
             "  # tick_freq 1000000000000            # tick_freq 1000000000000\n"
             "  # window_size 576                    # id_string 7 \"cpu.data\"    (one line an entry)\n"
             "Record of a dependency trace; p_addr, size and flags end with the last one present, the last part stands "
                 "only\nif one of its fields is present:\n"
             "  seq_num,pc,weight,TYPE[,p_addr[,size[,flags]]],comp_delay:[,rob_dep]*:[,reg_dep]*[:v_addr,asid]\n"
             "Record of a packet trace; c is r (cmd 1), w (cmd 4), or u and the number of another command:\n"
             "  pkt_id,c,addr,size,flags,tick,pc\n"
             "Instruction of a GPU trace; - is no register, lanes without an address are left out:\n"
             "  block_x,y,z warp pc mask opcode destinations sources class [space width_bytes lane:address...] [imm N] "
                 "[line N]\n"
             "Record of a MacSim thread, instruction of a warp; address 0 is no lane's, + a further block of NVBit:\n"
             "  thread pc size opcode destinations sources [fp] [imm] [flags] [load N x bytes address[,address]] "
                 "[store N x\n    bytes address] [control_flow taken|not target] [down]\n"
             "  block warp pc mask opcode destinations sources [fp] [load|store|atomic space bytes lane:address...] "
                 "[control_flow\n    taken_mask target reconvergence] [barrier number threads] [fence level] "
                 "[cache_operator]\n"
             "gem5's form has the same columns, but no header, no v_addr and asid, leaves absent fields out, prints an "
                 "absent\nweight as 1 and an absent pc as 0, and u without a number.\n" FORMAT_LIST_NOTE
};

int cli_trace_dump(int argc, char **argv)
{
    struct trace_request request = {.behind = UINT64_MAX};
    struct cli_parser parser;

    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        switch (what) {
        case OPT_GEM5:
            request.is_gem5 = true;
            request.options |= 1u << TRACE_OPTION_GEM5;
            break;
        case OPT_JSON:
            request.is_json = true;
            request.options |= 1u << TRACE_OPTION_DUMP_JSON;
            break;
        case OPT_FETCHES:
            request.of_fetches = true;
            request.options |= 1u << TRACE_OPTION_FETCHES;
            break;
        case OPT_FORMAT:
            if (!cli_take_format(&parser, &request.override, &request.format))
                return parser.exit_code;
            request.has_override = request.format == NULL;
            break;
        case OPT_RECORDS:
            if (!trace_parse_range(&parser, &request.first, &request.behind))
                return parser.exit_code;
            break;
        case CLI_PARSE_OPERAND:
            if (request.path != NULL)
                return cli_usage_error(&usage, "%s: one file at a time", parser.value);
            request.path = cli_input_path(parser.value);
            if (request.path == NULL)
                return CLI_BAD_INPUT;
            break;
        default: return parser.exit_code;
        }
    if (request.path == NULL)
        return cli_usage_error(&usage, "no file was given");
    return trace_run(TRACE_DUMP, &request, &usage);
}
