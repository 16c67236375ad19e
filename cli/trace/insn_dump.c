/* rubato trace dump of instruction traces: a line for each instruction, and one with # for each marker; in JSON an
 * object for each. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/common/cli.h"
#include "cli/trace/sheet.h"
#include "cli/trace/trace_command.h"

enum { HEX_BYTES = 64 };

static void print_register(struct sheet *sheet, const char *separator, enum isa isa, unsigned number)
{
    const char *name = isa == ISA_CHAMPSIM ? NULL : isa_register_name(isa, number);
    char digits[16];

    if (!name)
        name = (snprintf(digits, sizeof digits, "%u", number), digits);
    sheet_strings(sheet, "{:}{:}", separator, name);
    if (!sheet->to)
        json_write_string(&sheet->json, name);
}

/* In ChampSim's records register 0 means none. */
static void print_registers(struct sheet *sheet, enum isa isa, const char *key, const uint8_t *registers,
                            unsigned count)
{
    const char *separator = " ";
    bool is_empty = true;

    for (unsigned i = 0; i < count; i++)
        is_empty &= isa == ISA_CHAMPSIM && registers[i] == 0;
    if (is_empty)
        return;
    sheet_array(sheet, key);
    sheet_strings(sheet, " {:}", key);
    for (unsigned i = 0; i < count; i++) {
        if (isa == ISA_CHAMPSIM && registers[i] == 0)
            continue;
        print_register(sheet, separator, isa, registers[i]);
        separator = ",";
    }
    sheet_close(sheet);
}

static void print_what(struct sheet *sheet, enum isa isa, const struct isa_insn *what)
{
    sheet_strings(sheet, " {class}", isa_class_name((enum isa_class)what->class));
    print_registers(sheet, isa, "reads", what->reads, what->read_count);
    print_registers(sheet, isa, "writes", what->writes, what->write_count);
    if (what->is_atomic)
        sheet_flag(sheet, "atomic", true, " atomic");
    if (what->fence != ISA_FENCE_NONE)
        sheet_flag(sheet, "fence", true, " fence");
}

static void print_bytes(struct sheet *sheet, const uint8_t *bytes, size_t length)
{
    char hex[HEX_BYTES + 1] = "";

    for (size_t i = 0; i < 2 * length && i < HEX_BYTES; i++)
        hex[i] = "0123456789abcdef"[bytes[i / 2] >> (i % 2 ? 0 : 4) & 15];
    if (length > 0)
        sheet_strings(sheet, " bytes {bytes}", hex);
}

static void print_accesses(struct sheet *sheet, const struct insn *insn)
{
    if (insn->access_count == 0)
        return;
    sheet_array(sheet, "accesses");
    for (size_t i = 0; i < insn->access_count; i++) {
        sheet_object(sheet, NULL);
        sheet_strings(sheet, " {access}", insn->accesses[i].is_write ? "store" : "load");
        sheet_numbers(sheet, " {address:x} {size}", insn->accesses[i].address, insn->accesses[i].size_bytes);
        sheet_close(sheet);
    }
    sheet_close(sheet);
}

static void print_insn(struct sheet *sheet, const struct insn_trace *trace, const struct insn_cursor *cursor,
                       const struct insn_event *event)
{
    const struct insn *const insn = &event->insn;
    enum isa const isa = insn_trace_isa(trace);
    const uint8_t *bytes = NULL;
    size_t const length = isa == ISA_CHAMPSIM ? 0 : insn_cursor_bytes(cursor, event->number, &bytes);

    sheet_object(sheet, NULL);
    if (insn->gap > 0)
        sheet_numbers(sheet, "gap {gap} ", insn->gap);
    if (insn->form != INSN_ACCESS_ONLY || insn->pc != 0)
        sheet_numbers(sheet, "{thread} {pc:x} {size} ", insn->thread, insn->pc, insn->size_bytes);
    sheet_strings(sheet, "{kind}", insn->form == INSN_ACCESS_ONLY ? "access" : insn->form == INSN_REPEAT ? "repeat"
                  : isa_kind_name(insn->kind));
    if (insn->branch != INSN_BRANCH_UNKNOWN)
        sheet_flag(sheet, "taken", insn->branch == INSN_TAKEN, insn->branch == INSN_TAKEN ? " taken" : " not_taken");
    if (insn->has_target)
        sheet_numbers(sheet, " target {target:x}", insn->target);
    print_bytes(sheet, bytes, length);
    if (isa == ISA_CHAMPSIM) {
        print_registers(sheet, isa, "reads", insn->reads, INSN_REGISTERS);
        print_registers(sheet, isa, "writes", insn->writes, INSN_REGISTERS);
    } else if (event->what) {
        print_what(sheet, isa, event->what);
    }
    print_accesses(sheet, insn);
    sheet_text(sheet, "\n");
    sheet_close(sheet);
}

static void print_marker(struct sheet *sheet, uint64_t thread, const struct insn_marker *marker)
{
    sheet_object(sheet, NULL);
    sheet_numbers(sheet, "# {thread} ", thread);
    sheet_strings(sheet, "{marker}", insn_marker_name(marker->kind));
    sheet_numbers(sheet, " {value}", marker->value);
    for (unsigned i = 0; i < marker->arg_count; i++)
        sheet_text(sheet, " 0x%" PRIx64, marker->args[i]);
    if (!sheet->to && marker->arg_count > 0)
        json_put_numbers(&sheet->json, "arguments", marker->args, marker->arg_count);
    sheet_text(sheet, "\n");
    sheet_close(sheet);
}

struct dump {
    struct sheet sheet;
    uint64_t first, behind, at;          /* instructions */
};

static struct fault dump_thread(const struct insn_trace *trace, size_t i, struct dump *dump)
{
    struct fault fault = fault_none();
    const struct insn_thread *const thread = insn_trace_thread(trace, i);
    struct insn_cursor *const cursor = insn_cursor_open(trace, i, &fault);
    enum insn_step step = INSN_END;
    struct insn_event event;

    if (!cursor)
        return fault;
    if (dump->at < dump->first)
        dump->at += insn_cursor_skip(cursor, dump->first - dump->at);
    while (dump->at < dump->behind && (step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD)
        if (event.is_marker) {
            if (dump->at >= dump->first)
                print_marker(&dump->sheet, thread->id, &event.marker);
        } else if (dump->at++ >= dump->first) {
            print_insn(&dump->sheet, trace, cursor, &event);
        }
    if (step == INSN_END && insn_cursor_warning(cursor))
        cli_warn("%s: %s", thread->path, insn_cursor_warning(cursor));
    insn_cursor_close(cursor);
    return step != INSN_FAILED ? fault_none() : fault;
}

int trace_insn_dump(const struct trace_request *request)
{
    struct fault error;
    struct insn_trace *const trace = trace_insn_open(request->path, request->format, &error);
    struct dump dump = {.sheet = sheet_stream(request->is_json), .first = request->first, .behind = request->behind};
    struct sheet *const sheet = &dump.sheet;
    bool good = trace != NULL;

    if (good) {
        sheet_object(sheet, NULL);
        sheet_strings(sheet, "# {format}: thread pc size kind [taken] [target] [bytes] [class] [reads] [writes] "
                      "[load|store address size]...\n# thread marker value [arguments]\n{+architecture}",
                      insn_trace_format(trace), isa_name(insn_trace_isa(trace)));
        sheet_close(sheet);
    }
    for (size_t i = 0; good && i < insn_trace_threads(trace) && dump.at < request->behind; i++)
        good = WORKS(error, dump_thread(trace, i, &dump));
    insn_trace_close(trace);
    if (!json_close(&sheet->json) && good)
        good = WORKS(error, fault_memory(request->path, NULL));
    if (!good)
        return cli_fail_proto(&error);
    return cli_output_close(stdout, "standard output") ? CLI_OK : CLI_BAD_INPUT;
}
