/* Properties that all executions of an instruction share, by its number among the trace's static instructions: its
 * kind, and its micro-ops for each access shape seen so far.
 *
 * Use: static_insns_init, static_insns_of for each event, static_insns_learn once its successor is known,
 * static_insns_made; static_insns_free.
 * Ownership: borrows the trace and its cursor. A static instruction holds until the next event, its micro-ops hold
 * until the end. NULL: out of memory. */
#ifndef REPLAY_DETAILED_UOPS_STATIC_INSNS_H
#define REPLAY_DETAILED_UOPS_STATIC_INSNS_H

#include "base/arena.h"
#include "proto/insn/trace.h"
#include "replay/detailed/uops/call_stack.h"
#include "replay/detailed/uops/crack.h"
#include "replay/detailed/uops/seen_code.h"
#include "replay/detailed/uops/supply.h"

enum { ALIGNED_SCALAR = 4 };             /* bytes of the smallest access of a vector register */

struct made {
    struct supply_insn insn;             /* all but the fields of one execution: number, accesses, next pc */
    struct crack_shape shape;
    struct made *next;
};

struct static_insn {
    struct made *made;                   /* most recently used first */
    const struct isa_insn *what;
    uint64_t target;                     /* of a branch; has_target: known from the instruction */
    enum isa_kind kind;
    unsigned size_bytes;
    unsigned group;                      /* accesses of an iteration of a string; 0: it is none */
    bool is_there, has_target, has_size;
    bool has_learnt_size;
    uint8_t unaligned_bytes;             /* of ChampSim: size of accesses below ALIGNED_SCALAR; 0: their alignment */
    uint8_t touched[2];                  /* of ChampSim, loads and stores: their addresses' lowest bits, or-ed */
    bool is_fixed;                       /* its accesses are those of `shape`, whatever is recorded */
    bool may_become_branch;
    bool learns;                         /* its size, its target or its kind, from the trace */
    struct crack_shape shape;
};

struct static_insns {
    enum isa isa;
    bool has_bytes;                      /* of machine code */
    bool lacks_branches, lacks_sizes;
    bool has_odd_sizes;                  /* one that was learnt is odd: x86-64 */
    struct call_stack calls;             /* of unknown size, if it lacks sizes */
    bool keeps_code;                     /* in `seen`: no image has it */
    struct seen_code seen;
    const struct insn_cursor *cursor;
    struct static_insn *list;
    size_t room;
    struct arena arena;
};

void static_insns_init(struct static_insns *insns, const struct insn_trace *trace, const struct insn_cursor *cursor);
void static_insns_free(struct static_insns *insns);

struct static_insn *static_insns_new(struct static_insns *insns, const struct insn_event *event);
static inline struct static_insn *static_insns_of(struct static_insns *insns, const struct insn_event *event)
{
    if (event->number < insns->room && insns->list[event->number].is_there)
        return &insns->list[event->number];
    return static_insns_new(insns, event);
}

/* Of one that learns: it was executed at `pc`, with this outcome, and the thread went on at `next`. A size that is
 * missing is learnt from what follows, the shortest step of up to 15 bytes; that of a call from its first return. */
void static_insns_learn(struct static_insns *insns, uint32_t number, uint64_t pc, enum insn_branch branch,
                        uint64_t next);

static inline bool static_insns_are_same(struct crack_shape a, struct crack_shape b)
{
    return a.loads == b.loads && a.stores == b.stores && a.is_atomic == b.is_atomic && a.is_last == b.is_last;
}

/* Bytes of an access; usual_bytes where the format does not say. Of ChampSim: compilers align accesses to their size,
 * so it is the largest power of two, at most usual_bytes, that divides all addresses of its instruction so far.
 * Accesses of vector registers may be unaligned (unaligned_bytes). */
static inline unsigned static_insns_bytes(const struct static_insns *insns, struct static_insn *insn,
                                          const struct insn_access *access, unsigned usual_bytes, unsigned line_bytes)
{
    unsigned bits;

    if (access->size_bytes > 0)
        return access->size_bytes;
    if (insns->isa != ISA_CHAMPSIM)
        return usual_bytes;
    insn->touched[access->is_write] |= (uint8_t)(access->address & UINT8_MAX);
    bits = insn->touched[access->is_write] | usual_bytes;
    bits &= ~bits + 1;
    if (bits < ALIGNED_SCALAR && insn->unaligned_bytes > 0)
        bits = insn->unaligned_bytes;
    return bits < line_bytes ? bits : line_bytes;
}

const struct made *static_insns_find(struct static_insns *insns, uint32_t number, uint64_t pc,
                                     struct crack_shape shape);
static inline const struct made *static_insns_made(struct static_insns *insns, uint32_t number, uint64_t pc,
                                                   struct crack_shape shape)
{
    const struct made *const made = insns->list[number].made;

    return made && static_insns_are_same(made->shape, shape) ? made
        : static_insns_find(insns, number, pc, shape);
}

/* Of a trace that has registers and no code (keeps_code): what a wrong path finds at `pc`. What the trace executed
 * there so far, with accesses that have no place (room for CRACK_MOST_ACCESSES); elsewhere an instruction of the usual
 * size without dependents. */
void static_insns_wrong(const struct static_insns *insns, uint64_t pc, struct supply_insn *insn,
                        struct supply_access *accesses);

#endif
