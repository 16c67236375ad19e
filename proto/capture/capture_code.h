/* The code that a captured program executes, as reported by its host: blocks, their instructions, each decoded once,
 * and pages of code.
 *
 * Use: code_begin; code_read with the words of the statics lane; code_block for a block's number, code_insn for its
 * instructions; code_add_page and code_sort_pages at the end; code_end.
 * An instruction is a pc and bytes; translated again it is the same one. Blocks are translated again and again.
 * Ownership: all is the code's. Pointers hold until the next code_read. Errors: out of memory; words that no host
 * writes. */
#ifndef PROTO_CAPTURE_CAPTURE_CODE_H
#define PROTO_CAPTURE_CAPTURE_CODE_H

#include "base/fault.h"
#include "proto/capture/ring.h"
#include "proto/capture/zeroing.h"
#include "proto/insn/insn_memory.h"
#include "proto/isa/isa.h"

/* The properties of an instruction that affect the decoding of its events. */
struct code_insn {
    uint64_t pc, target;                 /* target: if has_target */
    uint8_t bytes[ISA_MAX_BYTES];
    uint8_t size_bytes, kind;            /* enum isa_kind */
    uint16_t load_bytes, store_bytes;    /* the largest operand of its direction; 0: it varies */
    uint32_t room[2];                    /* bytes that it loads, stores at most */
    bool is_known;                       /* it could be decoded */
    bool has_target;
    bool needs_load, needs_store;        /* it did not end without this access */
    bool is_string;                      /* rep: an event each iteration */
    bool is_update;                      /* atomic, reads and writes one place: hosts may report a store alone */
    bool is_exclusive_store;             /* hosts may report a load with it, which it has not */
    bool is_prefetch, is_zeroing;        /* dc zva: QEMU reports neither */
    bool may_trap;                       /* without an access: division of x86 */
    bool is_illegal;                     /* it may be no instruction to the host: then its block ends with it */
    bool is_from, is_to;                 /* where a region begins, ends */
    struct zeroing_rule zeroing;         /* of A64 */
    uint32_t place;                      /* of its pc: instructions of one pc share it */
    uint32_t next;                       /* code_insn number of another with its pc; UINT32_MAX: none */
};

enum { CODE_NONE = 0xffff };

struct code_block {
    uint32_t first;                      /* of code->members */
    uint16_t count;
    uint16_t last_need;                  /* last instruction with needs_load or needs_store; CODE_NONE */
    uint16_t last_trap;                  /* last one with may_trap; CODE_NONE */
    bool is_doubtful;                    /* its last instruction was executed only if it is said to have begun */
    bool is_watched;                     /* has one with is_from or is_to */
    bool has_derived;                    /* has accesses that the host leaves out */
};

struct code_page { uint64_t address, order; uint8_t *bytes; };

struct code {
    struct isa_decoder *decoder;
    struct code_insn *insns;
    uint32_t *members;                   /* numbers of instructions, block after block */
    uint64_t *derived;                   /* parallel to members: derivation of accesses (ring.h); 0: reported */
    struct code_block *blocks;           /* by number; count 0: not reported yet */
    struct code_page *pages;
    uint32_t *table;                     /* hash table by pc: number + 1 of its newest instruction */
    uint32_t *told;                      /* by place: number + 1 of the last instruction whose bytes were reported */
    uint64_t insn_count, member_count, block_count, page_count;
    uint64_t table_room, place_count;
    size_t insn_room, member_room, block_room, derived_room, page_room, told_room;
    uint32_t version;                    /* from 1 on; incremented when the bytes at a pc change */
    uint64_t undecoded;                  /* static instructions */
    bool tracks_registers;               /* a dc zva or prefetch was reported whose address they may give */
    uint32_t zeroed_bytes;               /* of dc zva; 0: not known */
    struct insn_memory memory;           /* of the program, as reported, in any order of calls: nothing of it is of code
                                          * images yet */
    bool is_memory_large;                /* more of it was reported than is kept */
    uint64_t from_pc, to_pc;             /* marked in instructions reported from now on; UINT64_MAX: nowhere */
};

/* decoder: stays the caller's. */
void code_begin(struct code *code, struct isa_decoder *decoder);
void code_end(struct code *code);

/* Reads whole records of `words` words of a ring, from the `at`th on; answers how many words were read. */
uint64_t code_read(struct code *code, const uint64_t *ring, uint64_t at, uint64_t words, struct fault *error);

/* NULL: the block was not reported. */
static inline const struct code_block *code_block(const struct code *code, uint64_t number)
{
    return number < code->block_count && code->blocks[number].count != 0 ? &code->blocks[number] : NULL;
}

static inline const struct code_insn *code_insn(const struct code *code, const struct code_block *block, unsigned i)
{
    return &code->insns[code->members[block->first + i]];
}

/* Accesses of an instruction that follow from others: the first piece lies at that of instruction `from`, or of its own
 * pc, plus `by`. */
struct code_derived {
    uint64_t by;
    uint16_t from;
    uint8_t pieces, size_bytes;          /* size: of a piece */
    bool is_of_pc, is_load, is_store;
};

/* False: the accesses are not derived; the host reports them. */
static inline bool code_derived(const struct code *code, const struct code_block *block, unsigned i,
                                struct code_derived *derived)
{
    const uint64_t bits = block->has_derived ? code->derived[block->first + i] : 0;

    *derived = (struct code_derived){
        .by = (uint64_t)(int64_t)(int32_t)(bits >> CAPTURE_DERIVED_BY_SHIFT),
        .from = (uint16_t)(bits >> CAPTURE_DERIVED_FROM_SHIFT & CAPTURE_INDEX_MASK),
        .pieces = (uint8_t)((bits >> CAPTURE_DERIVED_PIECES_SHIFT & 3) + 1),
        .size_bytes = (uint8_t)(1u << (bits >> CAPTURE_DERIVED_SIZE_SHIFT & 7)),
        .is_of_pc = (bits & CAPTURE_DERIVED_PC) != 0, .is_load = (bits & CAPTURE_DERIVED_LOADS) != 0,
        .is_store = (bits & CAPTURE_DERIVED_STORES) != 0
    };
    return bits != 0;
}

/* A page of 4 KiB, copied. False: out of memory. */
bool code_add_page(struct code *code, uint64_t address, const void *bytes);
/* Among the first `sorted` pages, which are; NULL: none. */
const struct code_page *code_find_page(const struct code *code, uint64_t sorted, uint64_t address);
/* Sorts the pages by address; of several with one address, the first that was added stays. */
void code_sort_pages(struct code *code);

#endif
