/* rubato trace dump: prints a trace as text. */
#include <stdlib.h>

#include "base/path.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/macsim_options.h"
#include "cli/trace/gpu.h"
#include "cli/trace/insn.h"
#include "cli/trace/macsim.h"
#include "cli/trace/trace.h"
#include "proto/elastic/ascii.h"
#include "proto/kind.h"
#include "proto/store/store.h"

#define TEXT_BLOCK 65536             /* bytes gathered before they are written */

enum { OPT_GEM5, OPT_JSON, OPT_RECORDS, OPT_FETCHES, OPT_FORMAT };

static const struct cli_option options[] = {
    [OPT_GEM5] = {"gem5", NULL, "exactly what gem5's decode scripts print"},
    [OPT_JSON] = {"json", NULL, "one JSON object a line, the header first; absent fields are left out"},
    [OPT_RECORDS] = {"records", "A:B", "only records A to B-1, counted from 0; either may be missing"},
    [OPT_FETCHES] = {"fetches", NULL, "of a store: its fetches instead of its dependence records"},
    [OPT_FORMAT] = {MACSIM_FORMAT_OPTION},
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

struct dump {
    const char *path;
    enum ascii_form form;
    uint64_t first, behind;
    struct text text;
};

/* False: stdout takes no more, which main reports. */
static bool flush(struct dump *dump)
{
    bool const good = fwrite(dump->text.at, 1, dump->text.length, stdout) == dump->text.length;

    dump->text.length = 0;
    return good;
}

static int finish(struct dump *dump, int exit_code)
{
    if (dump->text.failed)
        exit_code = cli_fail_text("out of memory");
    else
        flush(dump);
    free(dump->text.at);
    return exit_code;
}

static int dump_store_records(struct dump *dump, const struct store *store)
{
    struct fault error;
    struct dep_record record;
    struct store_records *const cursor = store_records_open(store, dump->first, &error);
    enum dep_result step = DEP_END;
    bool good = true;

    if (cursor == NULL)
        return cli_fail_proto(&error);
    ascii_dep_header(&dump->text, &store_about(store)->dep, dump->form);
    for (uint64_t i = dump->first; good && i < dump->behind; i++) {
        if ((step = store_records_read(cursor, &record, &error)) != DEP_RECORD)
            break;
        ascii_dep_record(&dump->text, &record, dump->form);
        if (dump->text.length >= TEXT_BLOCK)
            good = flush(dump);
    }
    store_records_close(cursor);

    int const exit_code = finish(dump, CLI_OK);

    return step == DEP_ERROR ? cli_fail_proto(&error) : exit_code;
}

static int dump_store_fetches(struct dump *dump, const struct store *store)
{
    struct fault error;
    struct packet_record record;
    struct store_fetches *const cursor = store_fetches_open(store, 0, &error);
    enum packet_result step = PACKET_END;
    bool good = true;

    if (cursor == NULL)
        return cli_fail_proto(&error);
    ascii_packet_header(&dump->text, &store_about(store)->fetch, dump->form);
    for (uint64_t i = 0; good && i < dump->behind; i++) {
        if ((step = store_fetches_read(cursor, &record, &error)) != PACKET_RECORD)
            break;
        if (i < dump->first)
            continue;
        ascii_packet_record(&dump->text, &record, dump->form);
        if (dump->text.length >= TEXT_BLOCK)
            good = flush(dump);
    }
    store_fetches_close(cursor);

    int const exit_code = finish(dump, CLI_OK);

    return step == PACKET_ERROR ? cli_fail_proto(&error) : exit_code;
}

static int dump_store(struct dump *dump, bool fetches)
{
    struct fault error;
    struct store *const store = store_open(dump->path, &error);
    int exit_code;

    if (store == NULL)
        return cli_fail_proto(&error);
    exit_code = fetches ? dump_store_fetches(dump, store) : dump_store_records(dump, store);
    store_close(store);
    return exit_code;
}

static int dump_dep(struct dump *dump)
{
    struct fault error;
    struct dep_record record;
    struct dep_reader *const reader = dep_reader_open(dump->path, &error);
    enum dep_result step = DEP_END;
    bool good = true;

    if (reader == NULL)
        return cli_fail_proto(&error);
    trace_warn(dep_reader_input(reader));
    ascii_dep_header(&dump->text, dep_reader_header(reader), dump->form);
    for (uint64_t i = 0; good && i < dump->behind; i++) {
        if ((step = dep_reader_next(reader, &record, &error)) != DEP_RECORD)
            break;
        if (i < dump->first)
            continue;
        ascii_dep_record(&dump->text, &record, dump->form);
        if (dump->text.length >= TEXT_BLOCK)
            good = flush(dump);
    }
    dep_reader_close(reader);

    int const exit_code = finish(dump, CLI_OK);

    return step == DEP_ERROR ? cli_fail_proto(&error) : exit_code;
}

static int dump_packets(struct dump *dump)
{
    struct fault error;
    struct packet_record record;
    struct packet_reader *const reader = packet_reader_open(dump->path, &error);
    enum packet_result step = PACKET_END;
    bool good = true;

    if (reader == NULL)
        return cli_fail_proto(&error);
    trace_warn(packet_reader_input(reader));
    ascii_packet_header(&dump->text, packet_reader_header(reader), dump->form);
    for (uint64_t i = 0; good && i < dump->behind; i++) {
        if ((step = packet_reader_next(reader, &record, &error)) != PACKET_RECORD)
            break;
        if (i < dump->first)
            continue;
        ascii_packet_record(&dump->text, &record, dump->form);
        if (dump->text.length >= TEXT_BLOCK)
            good = flush(dump);
    }
    packet_reader_close(reader);

    int const exit_code = finish(dump, CLI_OK);

    return step == PACKET_ERROR ? cli_fail_proto(&error) : exit_code;
}

int cli_trace_dump(int argc, char **argv)
{
    struct dump dump = {.form = ASCII_FULL, .behind = UINT64_MAX};
    struct cli_parser parser;
    enum trace_kind kind;
    struct macsim_override format = {0};
    const char *format_name = NULL;
    struct fault error;
    bool fetches = false, has_format;

    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        switch (what) {
        case OPT_GEM5: dump.form = ASCII_GEM5; break;
        case OPT_JSON: dump.form = ASCII_JSON; break;
        case OPT_FETCHES: fetches = true; break;
        case OPT_FORMAT:
            if (!cli_take_format(&parser, &format, &format_name))
                return parser.exit_code;
            break;
        case OPT_RECORDS:
            if (!trace_parse_range(&parser, &dump.first, &dump.behind))
                return parser.exit_code;
            break;
        case CLI_PARSE_OPERAND:
            if (dump.path != NULL)
                return cli_usage_error(&usage, "%s: one file at a time", parser.value);
            dump.path = cli_input_path(parser.value);
            if (dump.path == NULL)
                return CLI_BAD_INPUT;
            break;
        default: return parser.exit_code;
        }
    if (dump.path == NULL)
        return cli_usage_error(&usage, "no file was given");
    has_format = format.has_layout || format.has_dialect;
    if (has_format && path_is_pipe(dump.path))
        return cli_fail_text("%s: is a pipe, and MacSim's traces are read more than once; give a file", dump.path);
    kind = has_format ? TRACE_IS_MACSIM : trace_kind_of_as(dump.path, format_name);
    if (FAILS(error, trace_check_known(dump.path, kind)))
        return cli_fail_proto(&error);
    if (trace_kind_is_macsim(kind) && (fetches || dump.form == ASCII_GEM5))
        return cli_usage_error(&usage, "%s is a MacSim trace; --gem5 and --fetches are for others", dump.path);
    if (trace_kind_is_macsim(kind))
        return trace_macsim_dump(dump.path, has_format ? &format : NULL, dump.first, dump.behind,
                                 dump.form == ASCII_JSON);
    if (kind == TRACE_IS_STORE)
        return dump_store(&dump, fetches);
    if (trace_kind_is_gpu(kind) && (fetches || dump.form == ASCII_GEM5))
        return cli_usage_error(&usage, "%s is a GPU trace; --gem5 and --fetches are for others", dump.path);
    if (trace_kind_is_gpu(kind))
        return trace_gpu_dump(dump.path, dump.first, dump.behind,
                              dump.form == ASCII_JSON ? TRACE_GPU_JSON : TRACE_GPU_TEXT);
    if (kind == TRACE_IS_INSN && (fetches || dump.form != ASCII_FULL))
        return cli_usage_error(&usage, "%s is an instruction trace; --gem5, --json and --fetches are for others",
                               dump.path);
    if (kind == TRACE_IS_INSN)
        return trace_insn_dump(dump.path, format_name, dump.first, dump.behind);
    if (fetches)
        return cli_usage_error(&usage, "%s is not a store; --fetches is for stores", dump.path);
    return kind == TRACE_IS_FETCH ? dump_packets(&dump) : dump_dep(&dump);
}
