/* rubato trace dump: prints a trace as text. */
#include "cli/common/cli.h"
#include "cli/trace/trace_command.h"
#include "cli/trace/trace_kinds.h"

static const struct cli_option options[] = {
    {"gem5", NULL, "exactly what gem5's decode scripts print", CLI_INTO(SWITCH, trace_request, is_gem5)},
    {"json", NULL, "one JSON object a line, the header first; absent fields are left out",
     CLI_INTO(SWITCH, trace_request, is_json)},
    {"records", "A:B", "only records A to B-1, counted from 0; either may be missing", CLI_WHOLE(trace_take_range)},
    {"fetches", NULL, "of a store: its fetches instead of its dependence records",
     CLI_INTO(SWITCH, trace_request, of_fetches)},
    TRACE_FORMAT_ROW,
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace dump FILE [options]",
    .about = "Prints a trace file or a store as text: header lines, then a line for each record with every field. "
        "`rubato\ntrace build` makes the same file of it again: same header, records, order, and fields present.\n"
        "FILE may be a GPU trace, too: a list, a folder with one, or a kernel's file; records are instructions of "
        "warps.\nOr a MacSim trace: a header, a list of kernels or traces, a raw stream, or a folder with such.\n"
        "Or an instruction trace of another tool: a line an instruction, with its accesses.",
    .options = options, .take_operand = trace_take_path,
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

    if (!cli_parse(&parser, &usage, &request, argc, argv))
        return parser.exit_code;
    if (request.path == NULL)
        return cli_usage_error(&usage, "no file was given");
    return trace_run(TRACE_DUMP, &request, &usage);
}
