/* An RV64GC machine that executes one instruction after the other and can take them back: registers, memory, the state
 * of its kernel. No time.
 *
 * Use: machine_new; machine_step for each instruction, with the facts that the trace gives (struct machine_truth) or
 * without; machine_undo takes all behind a position back; machine_release makes the ones before it final; machine_free.
 * A position counts the steps from the start: machine_position is 0 at first, 1 more after each.
 *
 * Truth. The trace's facts about an instruction are taken as correct: where an address or an indirect target differs
 * from it, the base register gets the value that makes them equal (figures.addresses, figures.targets); where a
 * conditional branch goes elsewhere, the machine goes there, too (figures.branches). Pages that an instruction with
 * truth accesses exist from then on, as do the mappings of its system calls.
 * Without truth, an access to a page that does not exist faults: it loads 0, and stores nothing. Instructions that
 * wait for the head of the ROB are never executed there, so system calls, CSR accesses and atomic operations write
 * nothing.
 *
 * Exact: machine_undo restores registers, memory and the kernel's state exactly, with three exceptions: corrected
 * registers stay corrected, pages stay, and so does memory that system calls wrote.
 * System calls of a trace that keeps what they wrote write that (struct insn_write); new mappings are zero.
 * Machines that share pages see each other's stores as they are executed, those of wrong paths, too, until they are
 * taken back; a store that is taken back behind another machine's to the same bytes takes that with it.
 * Not modelled: exception flags (fflags reads as it was written), counters (they read as 0), signals, effects
 * of system calls beyond replay/detailed/rv64/rv64_machine.h, code that the program writes.
 * Ownership: its memory is its own. Out of memory: machine_has_failed. */
#ifndef REPLAY_DETAILED_RV64_RV64_MACHINE_H
#define REPLAY_DETAILED_RV64_RV64_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/insn/insn_program.h"
#include "replay/detailed/rv64/rv64_pages.h"

enum { MACHINE_SP = 2, MACHINE_TP = 4, MACHINE_A0 = 10, MACHINE_A7 = 17, MACHINE_F0 = 32, MACHINE_REGISTERS = 64 };

struct machine_insn {
    uint64_t pc;
    uint32_t bits;                       /* its bytes; of a compressed one 16 bits */
    uint8_t size_bytes;
};

struct machine_truth {
    uint64_t next_pc;
    uint64_t address;
    bool has_access;                     /* the address is known */
    const uint64_t *ahead;               /* of a system call: addresses that the next instructions access, in order */
    unsigned ahead_count;
    bool has_result;                     /* of a system call: the trace has what it returned */
    uint64_t result;
};

struct machine_result {
    uint64_t next_pc;
    uint64_t address;
    uint8_t size_bytes;                  /* of its access; 0: it has none */
    bool faults;                         /* the access: a page that does not exist */
};

struct machine_figures {
    uint64_t steps;                      /* with truth */
    uint64_t addresses, targets, branches;           /* that differed from it */
    uint64_t system_calls, unknown_calls;            /* unknown: calls.c does not implement them, and their
                                                      * results are not in the trace */
    bool begins_elsewhere;               /* the trace does not begin where the program does: no values */
};

/* The state of its system calls (calls.c). */
struct machine_kernel {
    uint64_t break_at, map_at;           /* where the heap ends, where the next mapping begins */
    uint64_t name_bytes;                 /* of the program's name */
    uint64_t calls;                      /* that are done */
};

struct machine_record;

struct machine {
    uint64_t registers[MACHINE_REGISTERS];           /* x0 to x31, f0 to f31 */
    uint64_t reservation;                /* block of the last LR; UINT64_MAX: none */
    uint32_t fcsr;
    struct machine_kernel kernel;
    const struct insn_program *program;  /* since machine_start; NULL: none */
    struct pages *pages;                 /* its own, or those that machines of a program's threads share */
    struct pages own_pages;
    uint64_t position, released;
    struct machine_record *records;      /* of the last steps, by position: ring */
    uint64_t room;                       /* a power of two */
    uint32_t *expanded;                  /* of each compressed encoding; 0: not yet, or none */
    struct machine_figures figures;
    bool has_failed;
};

struct machine *machine_new(struct fault *fault);
void machine_free(struct machine *machine);
/* Before its first step: its memory is these pages, which outlive it. */
void machine_share(struct machine *machine, struct pages *pages);

void machine_step(struct machine *machine, const struct machine_insn *insn, const struct machine_truth *truth,
                  struct machine_result *result);
/* position: from the one released last to that of now. */
void machine_undo(struct machine *machine, uint64_t position);
void machine_release(struct machine *machine, uint64_t position);
bool machine_has_failed(const struct machine *machine);

static inline uint64_t machine_position(const struct machine *machine)
{
    return machine->position;
}

/* System calls of RISC-V Linux as the reference's emulation answers them, as far as a program's later addresses need
 * them: memory (brk, mmap, munmap, mremap, mprotect), output, exit, and the queries of start-up code. */

/* Executes the call whose number is in a7; truth: that of the call and of the instructions after it. Returns the new
 * value of a0. */
uint64_t machine_call(struct machine *machine, const struct machine_truth *truth);
/* What the call that is under way, with its arguments still in registers and this result, wrote as the trace says. */
void machine_call_writes(struct machine *machine, uint64_t result);

/* The effect of one instruction on a machine's registers and memory, before it is applied. Private to this
 * folder. */

struct effect {
    uint64_t next_pc;
    uint64_t value;                      /* for `result` */
    uint64_t address, stored;
    uint64_t reservation;
    uint32_t fcsr;
    uint8_t result;                      /* register; 0: none */
    uint8_t access_bytes;                /* 0: none */
    bool stores, faults;
    bool is_call;                        /* a system call */
};

/* bits: of 32 bits, or expanded. */
void execute(struct machine *machine, const struct machine_insn *insn, uint32_t bits, const struct machine_truth *truth,
             struct effect *effect);

/* Arithmetic of RV64FD on register contents, by the host's IEEE double and float.
 *
 * A float occupies the low half of a register whose high half is all ones; any other content is a NaN as a float. NaNs
 * that are computed are the canonical one. `mode` is one of enum float_mode, the dynamic one resolved.
 * Not modelled: exception flags; FLOAT_AWAY in arithmetic, which rounds as FLOAT_EVEN. */

enum float_mode { FLOAT_EVEN, FLOAT_ZERO, FLOAT_DOWN, FLOAT_UP, FLOAT_AWAY, FLOAT_DYNAMIC = 7 };

/* Opcode and fields of an instruction of the opcodes OP-FP (0x53) and the fused ones (0x43 to 0x4f); a, b, c: registers
 * fs1 (or rs1, for instructions that read an integer one), fs2, fs3. *known becomes false for an invalid instruction.
 * Returns the value to be written to fd, or to rd if float_writes_int. */
uint64_t float_compute(uint32_t bits, enum float_mode mode, uint64_t a, uint64_t b, uint64_t c, bool *known);
bool float_writes_int(uint32_t bits);
bool float_reads_int(uint32_t bits);

/* A machine as a program finds it that begins: its segments, and the initial stack of the trace, or as the reference
 * makes it; where the recording begins later, memory and registers of that place. */

#define MACHINE_STACK_END UINT64_C(0x7fffffffffffffff)

/* Address of the stack pointer at first. */
uint64_t machine_first_stack(const struct insn_program *program);
uint64_t machine_stack_bytes(const struct insn_program *program);
/* Of the reference's stack argv is the program's name alone, the environment is empty. The program outlives the
 * machine. */
void machine_start(struct machine *machine, const struct insn_program *program);
/* A machine as a thread finds it that begins, which has this number among those of the trace's program, from 1 on, and
 * was created in this state: its creator's behind the system call `clone`. NULL: not known, all registers are 0. */
void machine_start_thread(struct machine *machine, const struct insn_program *program, uint64_t thread,
                          const uint64_t registers[MACHINE_REGISTERS]);
/* Registers of the thread that the system call `clone` created, in the state behind it. */
void machine_thread_registers(const struct machine *machine, uint64_t registers[MACHINE_REGISTERS]);
/* Executes what lies between the place that the trace has the program's state of and its first instruction, which are
 * in a row; the steps do not count. False: they do not lead to `pc`. */
bool machine_lead_in(struct machine *machine, uint64_t pc);

#endif
