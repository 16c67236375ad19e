/* Accesses of a base and a number: single registers (unsigned 12 bits scaled; 9 bits, also written back) and pairs.
 * Not read: exclusive and atomic accesses, registers as offsets, structures of vectors, logical immediates; their
 * registers are unknown afterwards. */
#include "proto/capture/zeroing.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_POINTER = 31, ALL_REGISTERS = -1 };

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & ((1u << (high - low + 1)) - 1);
}

static int32_t signed_bits(uint32_t word, unsigned high, unsigned low)
{
    const int32_t value = (int32_t)bits(word, high, low), sign = (int32_t)(1u << (high - low));

    return value >= sign ? value - 2 * sign : value;
}

/* How the base lies to the address afterwards: it was written back before or after, or it was not. */
enum { OFFSET, POST_INDEX, PRE_INDEX };

static int32_t base_after(unsigned way, int32_t displacement)
{
    return way == OFFSET ? -displacement : way == POST_INDEX ? displacement : 0;
}

/* Loads and stores whose address is a base and a number. */
static bool access_of(uint32_t word, int32_t *moved_by)
{
    const bool is_vector = bits(word, 26, 26) != 0;

    if (bits(word, 29, 27) == 5 && bits(word, 25, 25) == 0) {
        static const unsigned ways[] = {OFFSET, POST_INDEX, OFFSET, PRE_INDEX};
        const unsigned size = bits(word, 31, 30), shift = is_vector ? 2 + size : size == 2 ? 3 : 2;

        *moved_by = base_after(ways[bits(word, 24, 23)], signed_bits(word, 21, 15) * (1 << shift));
        return size != 3;
    }
    if (bits(word, 29, 27) != 7)
        return false;
    if (bits(word, 25, 24) == 1) {
        const unsigned shift = is_vector && bits(word, 23, 23) != 0 ? 4 : bits(word, 31, 30);

        *moved_by = base_after(OFFSET, (int32_t)bits(word, 21, 10) << shift);
        return true;
    }
    if (bits(word, 25, 24) == 0 && bits(word, 21, 21) == 0 && bits(word, 11, 10) != 2) {
        static const unsigned ways[] = {OFFSET, POST_INDEX, OFFSET, PRE_INDEX};

        *moved_by = base_after(ways[bits(word, 11, 10)], signed_bits(word, 20, 12));
        return true;
    }
    return false;
}

static uint32_t written(const struct isa_insn *what)
{
    uint32_t writes = 0;

    for (unsigned i = 0; i < what->write_count; i++) {
        const char *const name = isa_register_name(ISA_A64, what->writes[i]);

        if (name != NULL && strcmp(name, "sp") == 0)
            writes |= 1u << STACK_POINTER;
        else if (name != NULL && name[0] == 'x')
            writes |= 1u << (strtoul(name + 1, NULL, 10) & 31);
    }
    return writes;
}

/* prfm and prfum of a base and a number. Of a register as offset, and relative to the pc, they are not read. */
static bool prefetch_of(uint32_t word, int32_t *moved_by)
{
    if ((word & 0xffc00000) == 0xf9800000)
        *moved_by = (int32_t)bits(word, 21, 10) << 3;
    else if ((word & 0xffe00c00) == 0xf8800000)
        *moved_by = signed_bits(word, 20, 12);
    else
        return false;
    return true;
}

struct zeroing_rule zeroing_describe(const uint8_t bytes[4], const struct isa_insn *what)
{
    const uint32_t word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
        (uint32_t)bytes[3] << 24;
    struct zeroing_rule rule = {.writes = (uint32_t)ALL_REGISTERS, .from = (uint8_t)bits(word, 9, 5)};

    if (what == NULL)
        return rule;
    rule.writes = written(what);
    if ((word & 0xffffffe0) == 0xd50b7420) {                     /* dc zva */
        rule.kind = ZEROING_ZVA;
        rule.from = (uint8_t)bits(word, 4, 0);
    } else if (prefetch_of(word, &rule.moved_by)) {
        rule.kind = ZEROING_PREFETCH;
    } else if ((word & 0x9f800000) == 0x91000000) {              /* add, adds, sub, subs of 64 bits, immediate */
        const int32_t number = (int32_t)bits(word, 21, 10) << (bits(word, 22, 22) != 0 ? 12 : 0);

        rule.to = (uint8_t)bits(word, 4, 0);
        rule.moved_by = bits(word, 30, 30) != 0 ? -number : number;
        rule.kind = (rule.writes >> rule.to & 1) != 0 ? ZEROING_MOVE : ZEROING_OTHER;       /* not xzr */
    } else if ((word & 0xffe0ffe0) == 0xaa0003e0) {              /* mov: orr of xzr */
        rule.to = (uint8_t)bits(word, 4, 0);
        rule.from = (uint8_t)bits(word, 20, 16);
        rule.kind = (rule.writes >> rule.to & 1) != 0 && rule.from != 31 ? ZEROING_MOVE : ZEROING_OTHER;
    } else if (what->operand_count == 1 && !what->is_prefetch && access_of(word, &rule.moved_by)) {
        /* A base that is itself loaded is unknown; one that is written back is an address. */
        const bool is_base_loaded = what->operands[0].is_load && bits(word, 26, 26) == 0 &&
            (bits(word, 4, 0) == rule.from || (bits(word, 29, 27) == 5 && bits(word, 14, 10) == rule.from));

        rule.kind = is_base_loaded && rule.from != STACK_POINTER ? ZEROING_OTHER : ZEROING_ACCESS;
    }
    return rule;
}
