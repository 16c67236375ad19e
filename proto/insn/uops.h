/* Micro-ops of an instruction of a trace: the rules are in proto/insn/insn_elastic.h.
 *
 * Use: insn_uops_make for each instruction; insn_uops_free. The list stays valid until the next insn_uops_make. */
#ifndef PROTO_INSN_UOPS_H
#define PROTO_INSN_UOPS_H

#include "proto/depend/depend.h"
#include "proto/insn/insn_trace.h"

#define INSN_LINK_REGISTER ISA_REGISTERS     /* ties the micro-ops of one instruction */
#define INSN_REGISTER_SPACE (INSN_LINK_REGISTER + 1)

struct insn_latencies { uint32_t cyc[ISA_CLASS_COUNT]; };

struct insn_uops {
    struct insn_latencies latencies;
    struct insn_spans spans;             /* of accesses */
    struct depend_uop *list;
    size_t count, room;
};

/* what: NULL if nothing is known of its registers. is_last: of a string instruction, the part that writes registers;
 * else true. At least one micro-op. False: out of memory. */
bool insn_uops_make(struct insn_uops *uops, const struct isa_insn *what, enum isa_kind kind,
                    const struct insn_access *accesses, size_t access_count, bool is_last);
void insn_uops_free(struct insn_uops *uops);

#endif
