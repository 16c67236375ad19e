/* What the words of a block in a lane looked like when it was last read word by word, and what became of them.
 *
 * A repeat holds for a block whose words have the same kinds, instructions and sizes, whose pieces of one access touch
 * again, and which goes on at one of the places where it went before. Then all that was recorded is the same again but
 * the addresses and the last instruction's target.
 *
 * Use: begin with {0}; repeats_meet a block that begins; match_blocks matches the words that follow; where it says no,
 * read them word by word and repeats_learn; repeats_end. It is made of what the plain reading did, never of rules of
 * its own: what is written is the same without it. */
#ifndef PROTO_CAPTURE_REPEATS_H
#define PROTO_CAPTURE_REPEATS_H

#include "proto/capture/code.h"
#include "proto/capture/ring.h"

/* A block is near if it has so few words behind its first, accesses and instructions. Half of the words, and as many
 * accesses, are looked at without asking how many there are. */
enum { REPEAT_WORDS = 128, REPEAT_NEAR = 4, REPEAT_NEAR_ACCESSES = 8, REPEAT_NEAR_INSNS = 64, REPEAT_LESSONS = 16 };
#define REPEAT_NO_RUN UINT32_MAX
#define REPEAT_NO_TAG UINT64_MAX         /* no word's, whatever it is */

/* A word: what its bits 63:48 must be where `mask` has ones; and whether its address must be behind that of the word so
 * many before, which has so many bytes (a piece of one access). */
struct repeat_word { uint16_t head, mask; uint8_t back, bytes; };

/* Where a block was left for: the next block, and its run (the sink's). */
struct repeat_exit { uint32_t next, run; };

/* What is asked of each block that goes by. */
struct repeat {
    uint64_t tag __attribute__((aligned(CAPTURE_CACHE_LINE)));       /* of the word with which it begins; 0: it holds
                                                                      * for none */
    uint32_t version;                    /* code->version for which it holds */
    uint32_t near_version;               /* the same if it is near and no access has pieces; else 0 */
    struct repeat_exit exits[2];         /* the last first; next 0: none */
    uint64_t counts;                     /* REPEAT_INSNS_SHIFT ... */
    uint64_t heads, mask;                /* of words 1 to REPEAT_NEAR, 16 bits each */
    uint8_t length;                      /* words from that to the next block's */
    uint8_t access_count;                /* those that are told, pieces of one operand as one */
    uint8_t derived_count;               /* besides: accesses that are not told, whose addresses are not kept */
    bool is_more;                        /* more than REPEAT_NEAR / 2 of these words, or accesses */
    uint8_t near_words[REPEAT_NEAR];     /* of the first REPEAT_NEAR accesses, counted from that word */
};

/* Counts that are added up together, stores and prefetches without instructions. REPEAT_INSNS_AT_MOST instructions have
 * fewer than 1 << REPEAT_COUNT_BITS of either. */
enum { REPEAT_COUNT_BITS = 20, REPEAT_PREFETCHES_SHIFT = 20, REPEAT_INSNS_SHIFT = 40, REPEAT_INSNS_AT_MOST = 1 << 16 };

/* What is asked when it is left for another block than the last times. */
struct repeat_known {
    uint64_t pc;                         /* of the block; set for each that began */
    uint64_t falls_pc, target_pc;        /* behind it; where else it leads, UINT64_MAX: anywhere */
    uint32_t runs[2];                    /* when it falls through, when not; REPEAT_NO_RUN: not known */
    uint32_t words_at, accesses_at;
    uint8_t word_count, lessons;
    bool is_met;
};

struct repeats {
    struct repeat *blocks;               /* by number; 0 is none's: ways out lead there that are none */
    struct repeat_known *known;
    struct repeat_word *words;
    uint8_t *accesses;                   /* words that have their addresses */
    uint64_t block_room;
    size_t word_count, word_room, access_count, access_room;
};

/* Of words with which blocks begin. */
static inline uint64_t repeat_block(uint64_t word)
{
    return (word & CAPTURE_FIRST) != 0 ? word >> CAPTURE_FIRST_SHIFT & CAPTURE_FIRST_NUMBER_MASK
        : word & CAPTURE_VALUE_MASK;
}

/* Of words with which blocks begin: all but the address of a first access; never 0. */
static inline uint64_t repeat_tag(uint64_t word)
{
    return (word & CAPTURE_FIRST) != 0 ? word >> CAPTURE_FIRST_SHIFT : word;
}

static inline bool repeat_has_first(uint64_t tag)
{
    return tag >> CAPTURE_KIND_SHIFT == 0;
}

void repeats_end(struct repeats *repeats);

/* A block begins. False: out of memory. */
bool repeats_meet(struct repeats *repeats, const struct code *code, uint64_t number);

/* Other code was told: it holds again, if each instruction of the block is still what was told last of its pc. */
void repeats_renew(struct repeats *repeats, const struct code *code, uint64_t number);
/* Where blocks are left for is to be asked anew. */
void repeats_forget_exits(struct repeats *repeats);

/* Can words be learned? They are accesses, and beginnings of instructions; their number, before the next block begins.
 * UINT32_MAX: they cannot, or there are not so many. */
uint32_t repeats_length(const uint64_t *words, uint64_t count);

struct repeat_counts { uint64_t insns, loads, stores, prefetches; };

/* What the words of a block became, which began with a word of this tag; they are as if that had told of the block
 * alone: without it, or first the access that came with it. Answers where to write the run; NULL: it cannot be learned.
 */
uint32_t *repeats_learn(struct repeats *repeats, const struct code *code, uint64_t number, uint64_t tag,
                        const uint64_t *words, unsigned count, const struct repeat_counts *counted, bool falls);

#endif
