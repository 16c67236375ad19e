/* The instructions that a detailed core executes: the instructions of one thread of a trace, in order, as micro-ops;
 * and instructions beside that path, decoded from code images.
 *
 * Use: make one (replay/detailed/uops/thread.h); supply_right for instructions 0, 1, 2, ... and any of them again
 * until it was released; supply_wrong for instructions fetched after a misprediction; supply_place for where
 * addresses lie.
 *
 * Values. Where a program was given, wrong paths are executed (has_values): branches have outcomes, accesses addresses.
 * A state says after which instruction: on the right path as many as were executed (number + 1), else what the
 * instruction of the wrong path says (state; before: the one that it was executed in). supply_wrong executes the
 * instruction at pc in that state, which must be the right path's, or that of a held instruction reached from there.
 * It discards the states executed after it.
 * Ownership: an instruction of the right path holds until it is released; one of a wrong path that is counted as long
 * as it is held (supply_hold, supply_drop), or until the next supply_wrong; another one until the supply ends (thread.h
 * says when that is sooner).
 * Errors: a fault of the trace comes with the instruction that could not be read. */
#ifndef REPLAY_DETAILED_UOPS_SUPPLY_H
#define REPLAY_DETAILED_UOPS_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "replay/config/op_classes.h"

/* Flags of a micro-op besides its op class (o3-core 4.6, 5.2, 5.9; riscv-decode 2 to 5). */
enum uop_flag {
    UOP_LOAD = 1 << 0,                   /* LR included */
    UOP_STORE = 1 << 1,                  /* SC included */
    UOP_ATOMIC = 1 << 2,                 /* reads and writes in one access; neither LOAD nor STORE */
    UOP_LINKED = 1 << 3,                 /* LR, SC */
    UOP_READ_BARRIER = 1 << 4,
    UOP_WRITE_BARRIER = 1 << 5,
    UOP_SERIALISE_AFTER = 1 << 6,
    UOP_SERIALISE_BEFORE = 1 << 7,
    UOP_NON_SPECULATIVE = 1 << 8,
    UOP_SQUASH_AFTER = 1 << 9,
    UOP_TRAP = 1 << 10,                  /* a system call: its fault is taken at the ROB's head, it never commits */
    UOP_CONTROL = 1 << 11,
    UOP_CALL = 1 << 12,
    UOP_RETURN = 1 << 13,
    UOP_DIRECT = 1 << 14,                /* target known from the instruction alone */
    UOP_CONDITIONAL = 1 << 15,
    UOP_LAST = 1 << 16,                  /* of its instruction, or of a piece of one (is_repeat) */
    UOP_PREFETCH = 1 << 17,              /* a load whose response nothing waits for */
    UOP_FLOAT_RESULT = 1 << 18,          /* its results are floating-point or vector registers */
    UOP_STREAMING = 1 << 19              /* a store that goes past the caches, if the core has writeCombining */
};
#define UOP_MEMORY (UOP_LOAD | UOP_STORE | UOP_ATOMIC)

/* What a core may do with a micro-op without executing it, if it has the mechanism (replay/detailed/rename_registers.c,
 * replay/detailed/fusion.c). */
enum uop_trait {
    UOP_MOVES = 1 << 0,                  /* its result is its only source */
    UOP_ZEROES = 1 << 1,                 /* its results are 0 or follow from that */
    UOP_DOES_NOTHING = 1 << 2,           /* a no-op */
    UOP_JOINS = 1 << 3,                  /* the computation or branch behind a load of its instruction */
    UOP_FUSES_COMPARE = 1 << 4,          /* one with a conditional branch behind it ... */
    UOP_FUSES_ARITHMETIC = 1 << 5,
    UOP_FUSES_LOGIC = 1 << 6,
    UOP_SCALED = 1 << 7                  /* its address has an index that is multiplied */
};

enum { UOP_SOURCES = 8, UOP_RESULTS = 4, UOP_NO_ACCESS = 0xffff };

/* Registers are those of isa.h, 1 to ISA_REGISTERS - 1, and above them some that tie micro-ops of an instruction. */
enum { UOP_TEMPORARIES = 8, UOP_REGISTERS = 256 + UOP_TEMPORARIES };

#define UOP_MOST_LATENCY_CYC 63

struct uop {
    uint32_t flags;                      /* enum uop_flag */
    uint8_t op;                          /* enum detailed_op */
    uint8_t source_count, result_count;
    uint16_t sources[UOP_SOURCES], results[UOP_RESULTS];
    uint16_t access;                     /* which of the instruction's accesses; UOP_NO_ACCESS: none */
    uint8_t latency_cyc;                 /* 1 to UOP_MOST_LATENCY_CYC; 0: that of its op class */
    uint8_t address_sources;             /* of a load or store: how many of the first sources make its address */
    uint8_t traits;                      /* enum uop_trait */
    uint8_t flag_results;                /* bit i: results[i] is the register of flags */
    uint8_t temporary_results;           /* bit i: results[i] ties micro-ops of its instruction */
};

/* Where an access goes; on wrong paths without values all 0. A store that failed (SC) and a load that does not read
 * have none. */
struct supply_access {
    uint64_t address, place;             /* virtual, physical */
    uint32_t size_bytes;
    bool has_place;
    bool is_first_touch;                 /* of its page, which had no frame: the access faults once (o3-core 7.6) */
    bool faults;                         /* on a wrong path: its page is not mapped */
    bool never_ends;                     /* likewise: the address is not known, nor that there was time to read */
};

#define SUPPLY_WRONG UINT64_MAX
#define SUPPLY_NO_STATE UINT64_MAX

/* The outcome of a branch, where the supply knows it and no predictor is used. */
enum supply_outcome {
    SUPPLY_AS_PREDICTED,
    SUPPLY_REDIRECTED,                   /* decode corrects it: fetch loses the cycles that this takes */
    SUPPLY_MISPREDICTED                  /* its execution squashes all behind it; fetch waits for that */
};

struct supply_insn {
    uint64_t pc;
    uint64_t next_pc;                    /* pc of the next on this path; of a wrong one without values pc + size. Even
                                          * of non-branches it is elsewhere at signals and gaps of the trace */
    uint64_t target;                     /* of a direct branch */
    uint64_t wrong_pc;                   /* pc of the wrong path fetched after it; 0: not known */
    uint64_t number;                     /* on the right path, from 0; SUPPLY_WRONG */
    uint64_t before, state;              /* if it has values */
    const struct uop *uops;
    const struct supply_access *accesses;
    uint16_t uop_count, access_count;
    uint8_t size_bytes;
    bool is_taken;                       /* a branch that goes elsewhere than pc + size */
    bool has_values;                     /* of a wrong path that is executed: its outcome and its accesses are known */
    uint8_t outcome;                     /* enum supply_outcome; not as predicted: see wrong_pc, ... */
    bool is_predicted_taken;             /* ... and this: fetch ends its group, though wrong_pc may be the next one */
    bool is_counted;                     /* of a wrong path: the supply counts who holds it */
    bool is_repeat;                      /* a further piece of the instruction before it: it is not fetched anew */
    bool is_unfetched;                   /* an access that no instruction of the trace owns: it has no bytes */
    bool is_string;                      /* the first piece of a string instruction */
    uint32_t encoding;                   /* its first four bytes, for listings; 0: not known */
};

enum supply_step { SUPPLY_INSN, SUPPLY_END, SUPPLY_FAULT };

struct supply;

struct supply_ops {
    enum supply_step (*right)(struct supply *supply, uint64_t number, const struct supply_insn **insn,
                              struct fault *fault);
    void (*release)(struct supply *supply, uint64_t number);
    const struct supply_insn *(*wrong)(struct supply *supply, uint64_t pc, uint64_t state);
    bool (*place)(struct supply *supply, uint64_t address, uint64_t *place);
    void (*hold)(struct supply *supply, const struct supply_insn *insn, bool drops);     /* of one that is counted */
};

/* The first member of every supply. */
struct supply {
    const struct supply_ops *ops;
    bool has_images;                     /* wrong paths can be fetched */
    bool has_values;                     /* ... and executed */
    bool has_unfetched;                  /* so far */
    bool knows_outcomes;                 /* of branches: the core's predictor is not used */
    bool takes_size_for_four;            /* RISC-V, as in the reference (o3-core 11, S1): a mispredicted branch is
                                          * reported as taken if it goes elsewhere than pc + 4, also one of 2 bytes */
    uint32_t register_count;             /* that micro-ops name; 0: UOP_REGISTERS */
};

static inline enum supply_step supply_right(struct supply *supply, uint64_t number, const struct supply_insn **insn,
                                            struct fault *fault)
{
    return supply->ops->right(supply, number, insn, fault);
}

/* Instructions below `number` will not be asked for again. */
static inline void supply_release(struct supply *supply, uint64_t number)
{
    supply->ops->release(supply, number);
}

/* state: SUPPLY_NO_STATE: without values. NULL: no code is known there. Bytes that are no instruction give one
 * micro-op of class IntAlu without dependents (o3-core 2.5). */
static inline const struct supply_insn *supply_wrong(struct supply *supply, uint64_t pc, uint64_t state)
{
    return supply->ops->wrong(supply, pc, state);
}

static inline void supply_hold(struct supply *supply, const struct supply_insn *insn)
{
    if (insn->is_counted)
        supply->ops->hold(supply, insn, false);
}

static inline void supply_drop(struct supply *supply, const struct supply_insn *insn)
{
    if (insn->is_counted)
        supply->ops->hold(supply, insn, true);
}

/* False: the page of this virtual address of code has no place, since the right path never touched it and no image
 * covers it. */
static inline bool supply_place(struct supply *supply, uint64_t address, uint64_t *place)
{
    return supply->ops->place(supply, address, place);
}

#endif
