/* Properties that all executions of an instruction share, by its number among the trace's static instructions: its
 * kind, and its micro-ops for each access shape seen so far.
 *
 * Use: static_insns_init, static_insns_of for each event, static_insns_learn once its successor is known,
 * static_insns_made; static_insns_free.
 * Ownership: borrows the trace and its cursor. A static instruction holds until the next event, its micro-ops hold
 * until the end. NULL: out of memory. */
#ifndef REPLAY_DETAILED_UOPS_STATIC_INSNS_H
#define REPLAY_DETAILED_UOPS_STATIC_INSNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "proto/insn/insn.h"
#include "proto/insn/insn_trace.h"
#include "replay/detailed/uops/call_stack.h"
#include "replay/detailed/uops/crack.h"
#include "replay/detailed/uops/supply.h"

/* Instructions of a trace's code images, decoded on first use: any pc, executed or not.
 *
 * Use: images_open, images_find, images_close. Bytes of an image that are no instruction give one of class IntAlu
 * without dependents, of 4 bytes (of 2 where RISC-V's low bits say so, or as many as the decoder says).
 * Ownership: borrows the trace; an instruction holds until images_close. */

struct image_insn {
    struct supply_insn insn;             /* as on a wrong path */
    bool is_system_call;
    struct supply_access *last;          /* the accesses that it made last, as many as insn has; NULL: not known */
};

struct images;

/* NULL without fault: the trace has no images, or of an architecture that is not decoded. */
struct images *images_open(const struct insn_trace *trace, struct fault *fault);
void images_close(struct images *images);
/* NULL: no image has this pc, or out of memory (then images_has_failed). */
struct image_insn *images_find(struct images *images, uint64_t pc);
bool images_has_failed(const struct images *images);
/* Notes the instruction's last outcome on the right path; only loads' accesses are kept. */
void images_note(struct images *images, const struct supply_insn *insn);

/* Accesses of an instruction that takes several pieces: string instructions, and accesses longer than a line.
 *
 * Use: pieces_absorb for each further iteration of a string instruction; pieces_cut for an instruction with an access
 * longer than a line. Accesses of size 0 count as `usual_bytes`. */

/* If the iteration's accesses adjoin those of the piece, in the same lines, merges them into the piece and returns
 * true. */
bool pieces_absorb(struct insn_access *piece, const struct insn_access *iteration, size_t count, uint32_t line_bytes,
                   uint32_t usual_bytes);

struct pieces {
    struct insn_access *list;            /* from malloc */
    size_t count, room;
};

/* The same accesses, cut where lines end if they are longer than one. False: out of memory. */
bool pieces_cut(struct pieces *pieces, const struct insn_access *accesses, size_t count, uint32_t line_bytes);

/* Iterations of a string instruction whose accesses have no size: they are as long as the step from the first one to
 * the next, at most usual_bytes. *bytes: 0 at the second iteration, which finds it and sizes the first; then as it was.
 * sized: `next` with its size. */
void pieces_size(struct insn_access *first, const struct insn_access *next, size_t count, uint32_t usual_bytes,
                 uint32_t *bytes, struct insn_access *sized);

/* Code of a trace that has no code images: which static instruction stood at a pc, of those seen so far.
 *
 * Use: a struct of zeros; seen_code_put for each static instruction, once; seen_code_find; seen_code_free.
 * Ownership: the table is its own. False of seen_code_put: out of memory. */

enum { SEEN_NOTHING = -1 };

struct seen_code {
    struct seen_insn { uint64_t pc; uint32_t number_and_1; } *table;     /* number_and_1: 0: free */
    size_t room, count;                  /* room: 0 or a power of two */
};

/* Of two at one pc the newer one counts. */
bool seen_code_put(struct seen_code *seen, uint64_t pc, uint32_t number);
/* Its number, or SEEN_NOTHING. */
int64_t seen_code_find(const struct seen_code *seen, uint64_t pc);
void seen_code_free(struct seen_code *seen);

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
    bool is_fixed;                       /* its accesses are those of `shape`, regardless of the record */
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

/* Of one that learns: it was executed at `pc`, with this outcome, and the thread went on at `next`. A missing size is
 * learnt from the next pc, as the shortest step of up to 15 bytes; that of a call from its first return. */
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

/* For a trace with registers but without code (keeps_code): the instruction of a wrong path at `pc`. If the trace has
 * executed that pc, the same instruction, its accesses without addresses (room for CRACK_MOST_ACCESSES); else one of
 * the usual size without dependents. */
void static_insns_wrong(const struct static_insns *insns, uint64_t pc, struct supply_insn *insn,
                        struct supply_access *accesses);

#endif
