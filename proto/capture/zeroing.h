/* Addresses of A64's dc zva and prefetches, which hosts do not report. The register that holds such an address is known
 * if an access with that register as its base was reported and since then only constants of the code were added to it,
 * as in the loops of memset.
 *
 * Use: zeroing_describe once for each instruction; zeroing_step for each that was executed, in the thread's order;
 * zeroing_forget wherever registers may change otherwise (system calls, signals, gaps). Then zeroing_address at dc zva
 * and at prefetches.
 * Source: Arm ARM, C4.1 "A64 instruction set encoding": data processing (immediate), loads and stores. */
#ifndef PROTO_CAPTURE_ZEROING_H
#define PROTO_CAPTURE_ZEROING_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/isa/isa.h"

enum zeroing_kind {
    ZEROING_OTHER,
    ZEROING_MOVE,                        /* to = from + moved_by */
    ZEROING_ACCESS,                      /* afterwards `from` is its address + moved_by */
    ZEROING_ZVA,                         /* at the address in `from` */
    ZEROING_PREFETCH                     /* of the address in `from` + moved_by */
};

/* The effect of an instruction on registers 0 to 30, and 31, which is sp. */
struct zeroing_rule {
    uint32_t writes;                     /* a bit each; unknown afterwards, unless `kind` gives the value */
    int32_t moved_by;
    uint8_t kind, to, from;
};

struct zeroing_registers {
    uint64_t values[32];
    uint32_t known;                      /* a bit each */
};

/* what: NULL: it could not be decoded. */
struct zeroing_rule zeroing_describe(const uint8_t bytes[4], const struct isa_insn *what);

static inline void zeroing_forget(struct zeroing_registers *registers)
{
    registers->known = 0;
}

static inline bool zeroing_address(const struct zeroing_registers *registers, const struct zeroing_rule *rule,
                                   uint64_t *address)
{
    *address = registers->values[rule->from] + (uint64_t)(int64_t)rule->moved_by;
    return rule->kind >= ZEROING_ZVA && (registers->known >> rule->from & 1) != 0;
}

/* address: of its first access; NULL: none was reported. */
static inline void zeroing_step(struct zeroing_registers *registers, const struct zeroing_rule *rule,
                                const uint64_t *address)
{
    const uint64_t moved = registers->values[rule->from] + (uint64_t)(int64_t)rule->moved_by;
    const bool was_known = (registers->known >> rule->from & 1) != 0;

    registers->known &= ~rule->writes;
    if (rule->kind == ZEROING_MOVE && was_known) {
        registers->values[rule->to] = moved;
        registers->known |= 1u << rule->to;
    } else if (rule->kind == ZEROING_ACCESS && address != NULL) {
        registers->values[rule->from] = *address + (uint64_t)(int64_t)rule->moved_by;
        registers->known |= 1u << rule->from;
    }
}

#endif
