/* Executes the program that an instruction trace of riscv64 keeps beside it, as replays do: machine_state TRACE [PC
 * [N]]. Prints the registers x1 to x31, f0 to f31 where the trace has the pc for the first, or the Nth time
 * (hexadecimal; without one: of its first instruction), one a line, then
 *
 *   corrected A addresses, T targets, B branches             until there: where the machine went other ways
 *
 * Exit code 1 if the trace cannot be read, keeps no program, or never has the pc. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "proto/insn/insn_trace.h"
#include "replay/detailed/rv64/rv64_machine.h"

struct held { bool is_there; struct machine_insn insn; struct machine_truth truth; };

static int refuse(const char *what)
{
    fprintf(stderr, "machine_state: %s\n", what);
    return 1;
}

static void hold(struct held *held, const struct insn_cursor *cursor, const struct insn_event *event)
{
    uint8_t bytes[8] = {0};
    const uint8_t *from;
    size_t const length = insn_cursor_bytes(cursor, event->number, &from);

    memcpy(bytes, from, length < sizeof bytes ? length : sizeof bytes);
    *held = (struct held){.is_there = true, .insn = {event->insn.pc, bits_load32(bytes), (uint8_t)length}};
    if (event->insn.access_count > 0) {
        held->truth.has_access = true;
        held->truth.address = event->insn.accesses[0].address;
    }
}

/* Up to the pc; NO_PC: the first instruction. */
#define NO_PC UINT64_MAX

static bool reach(struct machine *machine, struct insn_cursor *cursor, uint64_t pc, uint64_t times)
{
    struct fault error = fault_none();
    struct held held = {0};
    struct insn_event event;
    bool has_begun = false;

    memset(&event, 0, sizeof event);
    while (insn_cursor_next(cursor, &event, &error) == INSN_RECORD) {
        struct machine_result result;

        if (event.is_marker) {
            if (event.marker.kind == INSN_MARKER_SYSCALL_END)
                held.truth.has_result = true, held.truth.result = event.marker.value;
            continue;
        }
        if (!has_begun && !machine_lead_in(machine, event.insn.pc))
            return false;
        has_begun = true;
        if (held.is_there) {
            held.truth.next_pc = event.insn.pc;
            machine_step(machine, &held.insn, &held.truth, &result);
            machine_release(machine, machine_position(machine));
        }
        if (pc == NO_PC || (event.insn.pc == pc && --times == 0))
            return true;
        hold(&held, cursor, &event);
    }
    return false;
}

static int run(struct insn_trace *trace, uint64_t pc, uint64_t times)
{
    struct fault error = fault_none();
    struct machine *const machine = machine_new(&error);
    struct insn_cursor *const cursor = insn_cursor_open(trace, 0, &error);

    if (!insn_trace_program(trace))
        return refuse("the trace keeps no program");
    if (!machine || !cursor)
        return refuse(fault_text(error));
    machine_start(machine, insn_trace_program(trace));
    if (!reach(machine, cursor, pc, times))
        return refuse("the trace never has that pc, or does not begin where its program does");
    for (unsigned i = 1; i < MACHINE_REGISTERS; i++)
        printf("%c%u 0x%" PRIx64 "\n", "xf"[i / 32], i % 32, machine->registers[i]);
    printf("corrected %" PRIu64 " addresses, %" PRIu64 " targets, %" PRIu64 " branches\n", machine->figures.addresses,
           machine->figures.targets, machine->figures.branches);
    insn_cursor_close(cursor);
    machine_free(machine);
    return 0;
}

int main(int argc, char **argv)
{
    struct fault error = fault_none();
    struct insn_trace *const trace = argc > 1 ? insn_trace_open(argv[1], &error) : NULL;
    int code;

    if (!trace)
        return refuse(argc > 1 ? fault_text(error) : "expected TRACE [PC]");
    code = run(trace, argc > 2 ? strtoull(argv[2], NULL, 16) : NO_PC, argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
    insn_trace_close(trace);
    return code;
}
