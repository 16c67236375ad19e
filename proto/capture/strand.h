/* A strand: the thread of a lane, its block, and the accesses of the present instruction; and the state that strands
 * share. assemble.c reads words and calls strand_*, which change a strand by one word; capture_accesses.c, derived.c,
 * match.c and iterations.c do parts of the work. Private to this folder. */
#ifndef PROTO_CAPTURE_STRAND_H
#define PROTO_CAPTURE_STRAND_H

#include "proto/capture/assemble.h"
#include "proto/capture/capture_paths.h"
#include "proto/capture/repeats.h"

enum { EVENTS = 1024, HANDLERS = 64, MERGED_BYTES = 1 << 16 };

enum { ITERATION_ACCESSES = 2 };

/* The last iteration of a string instruction (iterations.c). */
struct iteration {
    uint64_t begin;                      /* the word with which its block begins; 0: none is known */
    uint64_t heads[ITERATION_ACCESSES];  /* of the words of its accesses, all but the addresses */
    uint32_t accesses, loads, stores;
    uint32_t run, version;               /* the sink's; code->version for which it holds */
};

/* State of a lane's thread. */
struct strand {
    struct insn insn;                    /* the next that goes to the sink */
    const struct code_block *block;      /* NULL: between blocks; else the next, as code->blocks moves */
    struct code_block own_block;
    uint64_t expected_pc;                /* after a system call; UINT64_MAX: anywhere */
    uint64_t string_pc;                  /* of the string instruction that ended the last block; UINT64_MAX: none */
    uint64_t high;                       /* bits 63:48 of the next address */
    uint64_t call;                       /* number of the system call it is in */
    uint64_t call_args[CAPTURE_SYSCALL_ARGS];
    uint64_t id, creator;
    uint64_t stamp;                      /* still to be put; 0: none */
    uint64_t last_insn;                  /* number + 1 of the last instruction looked at */
    uint32_t thread;                     /* the sink's; UINT32_MAX: it knows none yet */
    unsigned at;                         /* instruction of the block that the events below are of */
    unsigned begun;                      /* the last one said to begin; CODE_NONE */
    unsigned event_count;
    bool has_load, has_store;            /* among the events */
    bool has_fault, faulted_store;       /* an access at fault_address trapped since the last reported one */
    uint64_t fault_address;
    uint64_t event_bytes[2];             /* of loads, of stores among them */
    bool is_start_next;                  /* memory was reported as it is before the next block */
    bool has_first;                      /* the block has begun with the word that is next, of its first access */
    bool is_in_frame;                    /* a signal's frame is being written, see take_access */
    bool has_begun;                      /* its thread */
    bool was_whole;                      /* the block before: executed to its end, and left as its code says */
    bool ends_in_call;
    struct zeroing_registers registers;  /* of A64, as far as accesses tell */
    struct insn_access events[EVENTS];
    struct insn_access merged[2 * EVENTS];
    uint64_t first_address[CAPTURE_BLOCK_INSNS];         /* by instruction, of a block with accesses that follow from
                                                          * others; UINT64_MAX: none */
    uint16_t first_access[CAPTURE_BLOCK_INSNS];          /* its place among those of the block, from 1 on; 0: none that
                                                          * was put */
    unsigned put_count;                  /* accesses of the block that were put */
    struct iteration iteration;
};

/* The block that has begun at `begin`, and the output of those before it. */
struct match_place {
    const uint64_t *begin;
    struct repeat *repeat, *last;
    uint64_t *addresses, counts, derived;
    uint32_t *runs;
};

/* Follows consecutive superblocks, starting at the present block, which has one. False: no superblock of the block
 * then reached matches. */
typedef bool match_follow(struct assembler *all, struct match_place *to, const uint64_t *end);

struct assembler {
    uint16_t first_heads[1u << CAPTURE_FIRST_NUMBER_BITS];       /* by block: CAPTURE_FIRST_IS */
    struct code *code;
    struct assemble_sink sink;
    struct assemble_region region;
    struct capture_counts counts;
    struct repeats repeats;
    struct paths paths;
    match_follow *follow;                /* follow_plain, or an equivalent */
    struct strand *strands[CAPTURE_LANES];
    uint64_t handlers[HANDLERS];
    unsigned handler_count;
    uint64_t start_executed;             /* instructions before the block with which the memory was reported */
    unsigned start_count;                /* of that block; 0: not yet */
    uint64_t start_lead;                 /* as assemble_start_lead says */
    enum isa isa;
    uint64_t before;                         /* instructions before the region */
    bool is_recording, is_done, is_plain;    /* plain: all is recorded, nothing to watch for */
};

static inline bool is_handler(const struct assembler *all, uint64_t pc)
{
    for (unsigned i = 0; i < all->handler_count; i++)
        if (all->handlers[i] == pc)
            return true;
    return false;
}

static inline void assemble_forget_events(struct strand *strand)
{
    strand->event_count = 0;
    strand->has_load = strand->has_store = false;
    strand->event_bytes[0] = strand->event_bytes[1] = 0;
}

static inline void assemble_add_event(struct assembler *all, struct strand *strand, uint64_t address,
                                      uint32_t size_bytes, bool is_write)
{
    if (strand->event_count == EVENTS) {
        all->counts.dropped++;
        return;
    }
    strand->events[strand->event_count++] = (struct insn_access){
        .address = address, .size_bytes = size_bytes, .is_write = is_write
    };
    strand->event_bytes[is_write] += size_bytes;
    if (is_write)
        strand->has_store = true;
    else
        strand->has_load = true;
}

/* Turns the gathered events into the accesses of strand->insn, which is `insn`; for dc zva, its writes; for prefetches
 * without one, the load. */
void assemble_accesses(struct assembler *all, struct strand *strand, const struct code_insn *insn);
void assemble_zeroed(struct assembler *all, struct strand *strand, const struct code_insn *insn);
void assemble_prefetch(struct assembler *all, struct strand *strand, const struct code_insn *insn);
/* Before instruction `i` is emitted. If its accesses are derived, adds them as its events, as if they had been
 * reported; otherwise keeps its first address, from which those of others are derived. */
void assemble_derive(struct assembler *all, struct strand *strand, unsigned i);
/* The instruction before `end` whose derived access was reported to trap; `end`: none. */
unsigned assemble_first_trapped(const struct assembler *all, const struct strand *strand, unsigned end);

/* A word with the block and its first access, as a word of that access alone. */
static inline uint64_t assemble_first_access(const struct assembler *all, uint64_t word)
{
    return (uint64_t)all->first_heads[word >> CAPTURE_FIRST_SHIFT & CAPTURE_FIRST_NUMBER_MASK] << CAPTURE_FIELD_SHIFT |
        (word & CAPTURE_FIRST_ADDRESS_MASK);
}

/* Words of blocks that match, from the one on with which block *number begins; then *number is the one that begins
 * behind them. */
uint64_t match_blocks(struct assembler *all, struct strand *strand, uint64_t *number, const uint64_t *words,
                      uint64_t count);

/* As match_follow says, one comparison of two words after the other. */
bool follow_plain(struct assembler *all, struct match_place *to, const uint64_t *end);

/* ---- strand.c: one word */

/* A marker, if the region is being recorded. args: CAPTURE_SYSCALL_ARGS values, or NULL. */
struct fault strand_mark(struct assembler *all, struct strand *strand, enum insn_marker_kind kind, uint64_t value,
                         const uint64_t *args);
struct fault strand_put_stamp(struct assembler *all, struct strand *strand);
/* The block of that number has begun, before its first word. */
void strand_open_block(struct assembler *all, struct strand *strand, uint64_t number);
struct fault strand_call_begins(struct assembler *all, struct strand *strand, uint64_t number);
struct fault strand_call_ends(struct assembler *all, struct strand *strand, int64_t result);
/* The system call it is in is execve. */
bool strand_calls_exec(const struct assembler *all, const struct strand *strand);
struct fault strand_thread_begins(struct assembler *all, struct strand *strand, uint64_t id, uint64_t creator);
/* is_whole: the last instruction of its block is known to be executed. */
struct fault strand_thread_ends(struct assembler *all, struct strand *strand, bool is_whole);
/* The fault for a word of unknown kind. */
struct fault strand_unknown_word(uint64_t word);

/* An access of the block that has begun. */
struct fault strand_take_access(struct assembler *all, struct strand *strand, uint64_t word);
/* A block begins with this word, alone or with its first access. */
struct fault strand_begin_with(struct assembler *all, struct strand *strand, uint64_t word);

/* Returns whether the block that has begun is a further iteration of a string instruction, with no other state
 * pending. */
bool strand_is_iteration(const struct assembler *all, const struct strand *strand);
/* Reads its iterations, from the first word of the block on, and begins the block after them. Returns the number of
 * words read, including the one that begins the next block unless that word carries its first access. */
uint64_t assemble_iterations(struct assembler *all, struct strand *strand, const uint64_t *words, uint64_t count,
                             struct fault *error);

#endif
