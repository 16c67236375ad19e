/* Splits a CPU record into its micro-ops (macsim-traces 4.1, 4.4): loads, computation, store, branch, fences.
 *
 * Two forms. The default form follows each record exactly. `compat` reproduces the defects of the reference:
 *   - the shape of a PC's first record is kept for all its later ones; only addresses and sizes are taken from them;
 *   - accesses are cut to 4 bytes; a string operation is split into steps of 4 bytes, at most MACSIM_UOP_MAX micro-ops;
 *   - a string operation that reads nothing (STOS) is a NOP: its store is lost;
 *   - loads beyond the first count only if there are exactly two; both write one linking register, so later micro-ops
 *     wait for the second alone; rows of a tile are one access;
 *   - the instruction pointer is a register like any other, so PC-relative operands wait for the previous branch;
 *   - A64's computations have no registers.
 *
 * The linking register ties the micro-ops of one instruction. Registers are the stream's numbers.
 * Use: macsim_uops_init, macsim_uops_decode for each record, macsim_uops_free. Only compat allocates: the shapes.
 * Reading and writing an operand is a load and a store of one address. Sizes of 0 become 1; registers that do not fit
 * are dropped; both are counted. */
#ifndef PROTO_MACSIM_UOP_H
#define PROTO_MACSIM_UOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/number_map.h"
#include "proto/macsim/enum.h"
#include "proto/macsim/record.h"

#define MACSIM_REGISTER_LIMIT 1600       /* the reference's, too */
#define MACSIM_LINK_REGISTER MACSIM_REGISTER_LIMIT
#define MACSIM_REGISTER_SPACE (MACSIM_REGISTER_LIMIT + 1)
#define MACSIM_UOP_MAX 256               /* of a record */
#define MACSIM_UOP_SOURCES (MACSIM_MAX_SOURCES + MACSIM_MAX_DESTINATIONS + 1)

enum macsim_uop_kind {
    MACSIM_UOP_NOP, MACSIM_UOP_LOAD, MACSIM_UOP_PREFETCH, MACSIM_UOP_ALU, MACSIM_UOP_STORE, MACSIM_UOP_BRANCH,
    MACSIM_UOP_FENCE, MACSIM_UOP_KINDS
};

/* The accesses that a fence waits for, and those that wait for it. */
enum macsim_fence { MACSIM_FENCE_LOAD, MACSIM_FENCE_FULL, MACSIM_FENCE_ACQUIRE, MACSIM_FENCE_RELEASE };

struct macsim_uop {
    uint8_t kind;                        /* enum macsim_uop_kind */
    uint8_t class;                       /* enum macsim_class */
    uint8_t cf;                          /* branches: enum macsim_cf, values from 8 on mapped to 6 */
    uint8_t fence;                       /* fences: enum macsim_fence */
    bool stops_fetch;                    /* nothing behind it is fetched before it is complete */
    uint8_t source_count, destination_count;
    uint32_t bytes;                      /* accesses */
    uint64_t address;
    uint16_t sources[MACSIM_UOP_SOURCES], destinations[MACSIM_MAX_DESTINATIONS + 1];
};

struct macsim_uop_options {
    enum macsim_core_table table;        /* of latencies and classes */
    bool compat;
};

struct macsim_uops {
    struct macsim_format format;
    struct macsim_uop_options options;
    bool is_a64;
    bool carries[MACSIM_REGISTER_SPACE]; /* registers that tie an instruction to a later one; not "none", not rip */
    struct macsim_uop list[MACSIM_UOP_MAX];
    size_t count;
    uint64_t clipped_registers, clipped_loads, zero_sizes;     /* in records so far */
    struct macsim_cpu_record *shapes;    /* compat: of each PC the first record */
    size_t shape_count, shape_room;
    struct number_map shape_of;          /* of a PC: its place, plus 1 */
};

/* Formats of CPUs: x86 and A64 (macsim_uops_can). */
bool macsim_uops_can(const struct macsim_format *format);
void macsim_uops_init(struct macsim_uops *uops, const struct macsim_format *format,
                      const struct macsim_uop_options *options);
void macsim_uops_free(struct macsim_uops *uops);

/* Fills list and count; at least one micro-op. False: out of memory. */
bool macsim_uops_decode(struct macsim_uops *uops, const struct macsim_cpu_record *record);

const char *macsim_uop_kind_name(enum macsim_uop_kind kind);

static inline bool macsim_uop_is_access(const struct macsim_uop *uop)
{
    return uop->kind == MACSIM_UOP_LOAD || uop->kind == MACSIM_UOP_PREFETCH || uop->kind == MACSIM_UOP_STORE;
}

#endif
