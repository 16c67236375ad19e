/* Microbenchmarks as machine code: a loop that is made in memory, run on this core, and walked through step by step for
 * a trace of it.
 *
 * Use: micro_begin; micro_put for each operation of the loop's body; micro_end, which adds the loop's end and makes the
 * code executable; micro_run any number of times; micro_walk for the instructions with their addresses; micro_free.
 * The body runs micro_state.count times. Registers are numbered alike on all architectures; integers begin as in the
 * state and are written back to it.
 * Architectures: x86-64 and aarch64 (micro_x86.c, micro_a64.c); elsewhere micro_begin fails.
 * Ownership: the code is its own. Errors: micro_begin and micro_end, where the host allows no code in memory. */
#ifndef SWEEP_MEASURE_MICRO_CODE_H
#define SWEEP_MEASURE_MICRO_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/isa/isa.h"

enum { MICRO_REGISTERS = 13, MICRO_VECTORS = 16 };

/* What the code of both architectures reads and writes at fixed places. */
struct micro_state {
    uint64_t r[MICRO_REGISTERS];
    uint64_t count;                      /* of the loop; 0 at its end */
    double f[MICRO_VECTORS][2];
};

/* suffix, meaning; d, s: registers; f(d), f(s): those of floating point and vectors; i: a number */
#define MICRO_OPERATIONS(O)                                                                                           \
    O(NOP, "nothing")                                                                                                 \
    O(ADD, "r(d) += i, -2048 to 2047 or a multiple of 4096")                                                          \
    O(SUM, "r(d) += r(s); some cores add small numbers, such as i, in rename")                                        \
    O(MUL, "r(d) *= r(s)")                                                                                            \
    O(DIV, "r(0) = r(0) / r(s); x86-64: writes r(3)")                                                                 \
    O(OR, "r(d) |= r(s)")                                                                                             \
    O(MOVE, "r(d) = r(s)")                                                                                            \
    O(ZERO, "r(d) = 0")                                                                                               \
    O(TEST, "compares r(d), so that flags are written")                                                               \
    O(FADD, "f(d) += f(s)")                                                                                           \
    O(FMUL, "f(d) *= f(s)")                                                                                           \
    O(FMA, "f(d) = f(d) * f(s) + f(s)")                                                                               \
    O(FDIV, "f(d) /= f(s)")                                                                                           \
    O(FSQRT, "f(d) = root of f(d)")                                                                                   \
    O(VADD, "f(d) += f(s), as vector of integers")                                                                    \
    O(VMUL, "f(d) *= f(s), likewise")                                                                                 \
    O(LOAD, "r(d) = 8 bytes at r(s) + i")                                                                             \
    O(STORE, "8 bytes at r(s) + i = r(d)")                                                                            \
    O(LOAD4, "r(d) = 4 bytes at r(s) + i")                                                                            \
    O(STORE4, "4 bytes at r(s) + i = r(d)")                                                                           \
    O(VLOAD, "f(d) = a vector at r(s) + i, of the widest registers")                                                  \
    O(VSTORE, "a vector at r(s) + i = f(d)")                                                                          \
    O(JUMP, "to the next operation, i bytes further")                                                                 \
    O(SKIP, "leaves out the next operation, one instruction, if bit i of r(d) is set; i: 0 to 6")

#define MICRO_OPERATION_ENUM(suffix, meaning) MICRO_##suffix,
enum micro_operation { MICRO_OPERATIONS(MICRO_OPERATION_ENUM) MICRO_OPERATION_COUNT };

/* What a step does to that which addresses and branches depend on. */
enum micro_effect {
    MICRO_CHANGES_NOTHING, MICRO_ADDS, MICRO_COPIES, MICRO_LOADS, MICRO_STORES, MICRO_COUNTS_DOWN,
    MICRO_JUMPS, MICRO_JUMPS_ON_BIT, MICRO_JUMPS_WHILE_COUNT, MICRO_JUMPS_AT_ZERO
};

enum { MICRO_NO_REGISTER = 255 };

struct micro_step {                      /* an instruction */
    uint32_t offset;                     /* in the code */
    uint32_t target;                     /* of a jump: the step that it leads to */
    int32_t number;                      /* that is added, of an address; of a jump on a bit its number */
    uint8_t size_bytes, effect;
    uint8_t reg, base;                   /* integers; MICRO_NO_REGISTER: another kind, or none */
    uint8_t access_bytes;                /* 0: no access */
};

struct micro_code {
    uint8_t *bytes;
    size_t length, room;
    struct micro_step *steps;
    size_t step_count, step_room;
    size_t loop;                         /* where the body begins */
    size_t open_skip;                    /* the step of a SKIP whose target is not known yet; SIZE_MAX: none */
    uint8_t vector_bytes;
    bool is_full, has_fma;
};

/* The architecture of this host; ISA_UNKNOWN: none that is measured. */
enum isa micro_isa(void);
struct fault micro_begin(struct micro_code *code, size_t room_bytes);
/* At that address, a multiple of a page, if the host has room there; 0: anywhere. */
struct fault micro_begin_at(struct micro_code *code, size_t room_bytes, uint64_t address);
void micro_put(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s, int32_t i);
/* Line `line` of 64 bytes of the body, lines being put in their order: a jump to line `target`, where all lines end in
 * the one behind the last. */
void micro_put_line(struct micro_code *code, uint32_t line, uint32_t target);
struct fault micro_end(struct micro_code *code);
void micro_run(const struct micro_code *code, struct micro_state *state);
void micro_free(struct micro_code *code);

/* ---- for a trace */
struct micro_event {
    const struct micro_step *step;
    uint64_t address;                    /* of its access */
    uint32_t next;                       /* step; that behind the last one: the end */
};
/* Executes the loop without this core's help: the same loads and stores, of the same memory. visit: false ends it. */
void micro_walk(const struct micro_code *code, struct micro_state *state,
                bool (*visit)(void *context, const struct micro_event *event), void *context);

#endif
