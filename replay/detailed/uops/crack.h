/* Micro-ops of one instruction, or of a piece of it: its operations and the dependences among them, without timing.
 *
 * Use: crack_usual returns the accesses of an instruction as far as its encoding determines them; crack makes the
 * micro-ops of any number of accesses up to CRACK_MOST_ACCESSES. Accesses are counted loads first, then stores; an
 * atomic one is one access.
 * Ownership: values. Equal arguments give equal results, so callers cache them. */
#ifndef REPLAY_DETAILED_UOPS_CRACK_H
#define REPLAY_DETAILED_UOPS_CRACK_H

#include "proto/isa/isa.h"
#include "replay/detailed/uops/supply.h"

enum { CRACK_MOST_ACCESSES = 6, CRACK_MOST_UOPS = 64 };

struct crack_shape {
    uint8_t loads, stores;
    bool is_atomic;                      /* one atomic read and write; loads and stores are 0 */
    bool is_last;                        /* the last piece of a string instruction, which writes registers */
};

struct crack_insn {
    enum isa isa;
    const struct isa_insn *what;         /* NULL: nothing is known of its registers */
    enum isa_kind kind;
    const uint8_t *bytes;                /* its machine code, of `length` bytes; 0: not known */
    size_t length;
};

struct crack_uops {
    struct uop list[CRACK_MOST_UOPS];
    unsigned count;
};

static inline unsigned crack_accesses(struct crack_shape shape)
{
    return shape.is_atomic ? 1u : (unsigned)(shape.loads + shape.stores);
}

/* Of an instruction that was decoded. */
struct crack_shape crack_usual(const struct isa_insn *what);
/* Does it always make these accesses, regardless of the record? */
bool crack_is_fixed(const struct crack_insn *insn);
void crack(const struct crack_insn *insn, struct crack_shape shape, struct crack_uops *uops);
/* For bytes that are no instruction: one micro-op of class IntAlu. */
void crack_nothing(struct crack_uops *uops);

/* UOP_CONTROL and its related flags for a branch, else 0. */
uint32_t crack_control(const struct crack_insn *insn);

/* RV64GC exactly (riscv-decode 2 to 5). control: crack_control of the instruction. Private to this folder. */
void crack_rv64(const struct crack_insn *insn, uint32_t control, struct crack_uops *uops);

#endif
