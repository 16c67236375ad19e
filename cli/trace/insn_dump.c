/* rubato trace dump of instruction traces: a line for each instruction, and one with # for each marker. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/shown.h"
#include "cli/trace/insn.h"

static void print_numbers(const char *name, const uint8_t registers[INSN_REGISTERS])
{
    const char *separator = name;

    for (int i = 0; i < INSN_REGISTERS; i++)
        if (registers[i] != 0) {
            printf("%s%u", separator, registers[i]);
            separator = ",";
        }
}

static void print_registers(enum isa isa, const char *text, const uint8_t *registers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const char *const name = isa_register_name(isa, registers[i]);

        printf("%s", i == 0 ? text : ",");
        if (name)
            printf("%s", name);
        else
            printf("%u", registers[i]);
    }
}

static void print_what(enum isa isa, const struct isa_insn *what)
{
    printf(" %s", isa_class_name((enum isa_class)what->class));
    print_registers(isa, " reads ", what->reads, what->read_count);
    print_registers(isa, " writes ", what->writes, what->write_count);
    if (what->is_atomic)
        printf(" atomic");
    if (what->fence != ISA_FENCE_NONE)
        printf(" fence");
}

static void print_insn(const struct insn_trace *trace, const struct insn_cursor *cursor,
                       const struct insn_event *event)
{
    const struct insn *const insn = &event->insn;
    enum isa const isa = insn_trace_isa(trace);
    const uint8_t *bytes;
    size_t const length = isa == ISA_CHAMPSIM ? 0 : insn_cursor_bytes(cursor, event->number, &bytes);

    if (insn->gap > 0)
        printf("gap %" PRIu64 " ", insn->gap);
    if (insn->form != INSN_ACCESS_ONLY || insn->pc != 0)
        printf("%" PRIu64 " 0x%" PRIx64 " %" PRIu32 " ", insn->thread, insn->pc, insn->size_bytes);
    printf("%s", insn->form == INSN_ACCESS_ONLY ? "access" : insn->form == INSN_REPEAT ? "repeat"
           : isa_kind_name(insn->kind));
    if (insn->branch != INSN_BRANCH_UNKNOWN)
        printf(insn->branch == INSN_TAKEN ? " taken" : " not_taken");
    if (insn->has_target)
        printf(" target 0x%" PRIx64, insn->target);
    if (length > 0)
        printf(" bytes ");
    for (size_t i = 0; i < length; i++)
        printf("%02x", bytes[i]);
    if (isa == ISA_CHAMPSIM) {
        print_numbers(" reads ", insn->reads);
        print_numbers(" writes ", insn->writes);
    } else if (event->what) {
        print_what(isa, event->what);
    }
    for (size_t i = 0; i < insn->access_count; i++)
        printf(" %s 0x%" PRIx64 " %" PRIu32, insn->accesses[i].is_write ? "store" : "load", insn->accesses[i].address,
               insn->accesses[i].size_bytes);
    putchar('\n');
}

static void print_marker(uint64_t thread, const struct insn_marker *marker)
{
    printf("# %" PRIu64 " %s %" PRIu64, thread, insn_marker_name(marker->kind), marker->value);
    for (unsigned i = 0; i < marker->arg_count; i++)
        printf(" 0x%" PRIx64, marker->args[i]);
    putchar('\n');
}

struct range { uint64_t first, behind, at; };

static struct fault dump_thread(const struct insn_trace *trace, size_t i, struct range *range)
{
    struct fault fault = fault_none();
    const struct insn_thread *const thread = insn_trace_thread(trace, i);
    struct insn_cursor *const cursor = insn_cursor_open(trace, i, &fault);
    enum insn_step step = INSN_END;
    struct insn_event event;

    if (!cursor)
        return fault;
    if (range->at < range->first)
        range->at += insn_cursor_skip(cursor, range->first - range->at);
    while (range->at < range->behind && (step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD)
        if (event.is_marker) {
            if (range->at >= range->first)
                print_marker(thread->id, &event.marker);
        } else if (range->at++ >= range->first) {
            print_insn(trace, cursor, &event);
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
    struct range range = {.first = request->first, .behind = request->behind};
    bool good = trace != NULL;

    if (good)
        printf("# %s: thread pc size kind [taken] [target] [bytes] [class] [reads] [writes] [load|store address "
               "size]...\n# thread marker value [arguments]\n", cli_shown(insn_trace_format(trace)));
    for (size_t i = 0; good && i < insn_trace_threads(trace) && range.at < request->behind; i++)
        good = WORKS(error, dump_thread(trace, i, &range));
    insn_trace_close(trace);
    if (!good)
        return cli_fail_proto(&error);
    return cli_output_close(stdout, "standard output") ? CLI_OK : CLI_BAD_INPUT;
}
