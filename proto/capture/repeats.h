/* Templates of blocks: the words of a block when it was last read word by word, and the resulting instructions.
 *
 * A template (struct repeat) matches a block whose words have the same kinds, instructions and sizes, in which the
 * pieces of each access are adjacent again, and which has one of the recorded successors. All its records are then the
 * same again, except for the addresses and the last instruction's target.
 *
 * Use: begin with {0}; repeats_meet a block that begins; match_blocks matches the words that follow; on a mismatch read
 * them word by word and call repeats_learn; repeats_end. Templates are learned from the result of reading word by word
 * and add no rules: the output is the same without them. */
#ifndef PROTO_CAPTURE_REPEATS_H
#define PROTO_CAPTURE_REPEATS_H

#include "proto/capture/capture_code.h"
#include "proto/capture/ring.h"

/* A block is near if it has at most REPEAT_NEAR words after its first, REPEAT_NEAR_ACCESSES accesses and
 * REPEAT_NEAR_INSNS instructions. REPEAT_NEAR / 2 words and accesses are always processed, regardless of the actual
 * number. */
enum { REPEAT_WORDS = 128, REPEAT_NEAR = 4, REPEAT_NEAR_ACCESSES = 8, REPEAT_NEAR_INSNS = 64, REPEAT_LESSONS = 16 };
#define REPEAT_NO_RUN UINT32_MAX
#define REPEAT_NO_TAG UINT64_MAX         /* no word has this tag */

/* Template of a word: bits 63:48 must equal `head` where `mask` has ones. back > 0: the word is a further piece of an
 * access, its address must follow the `bytes` bytes of the word `back` words before. */
struct repeat_word { uint16_t head, mask; uint8_t back, bytes; };

/* An exit of a block: the next block, and its run (the sink's). */
struct repeat_exit { uint32_t next, run; };

/* Fields read for every matched block. */
struct repeat {
    uint64_t tag __attribute__((aligned(CAPTURE_CACHE_LINE)));       /* of the first word; 0: empty template */
    uint32_t version;                    /* code->version for which it holds */
    uint32_t near_version;               /* the same if it is near and no access has pieces; else 0 */
    struct repeat_exit exits[2];         /* the last first; next 0: none */
    uint64_t counts;                     /* REPEAT_INSNS_SHIFT ... */
    uint64_t heads, mask;                /* of words 1 to REPEAT_NEAR, 16 bits each */
    uint8_t length;                      /* words from that to the next block's */
    uint8_t access_count;                /* reported accesses, pieces of one operand merged */
    uint8_t derived_count;               /* further derived accesses, stored without addresses */
    bool is_more;                        /* more than REPEAT_NEAR / 2 of these words, or accesses */
    uint8_t near_words[REPEAT_NEAR];     /* of the first REPEAT_NEAR accesses, counted from that word */
};

/* Counts that are added up together, stores and prefetches without instructions. REPEAT_INSNS_AT_MOST instructions have
 * fewer than 1 << REPEAT_COUNT_BITS of either. */
enum { REPEAT_COUNT_BITS = 20, REPEAT_PREFETCHES_SHIFT = 20, REPEAT_INSNS_SHIFT = 40, REPEAT_INSNS_AT_MOST = 1 << 16 };

/* Fields read only when a block is left by an exit other than the recent ones. */
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

/* Revalidates the template after a change of code, if each instruction of the block is still the last one reported at
 * its pc. */
void repeats_renew(struct repeats *repeats, const struct code *code, uint64_t number);
/* Discards the exits of all blocks. */
void repeats_forget_exits(struct repeats *repeats);

/* The number of words before the next block, if they can be learned: only accesses and beginnings of instructions.
 * UINT32_MAX: they cannot, or no block begins within the `count` words or within REPEAT_WORDS. */
uint32_t repeats_length(const uint64_t *words, uint64_t count);

struct repeat_counts { uint64_t insns, loads, stores, prefetches; };

/* Learns the template of a block whose first word has this tag. `words` excludes that word; if it carried an access,
 * they begin with the word of that access. Returns where to write the run; NULL: the block cannot be learned. */
uint32_t *repeats_learn(struct repeats *repeats, const struct code *code, uint64_t number, uint64_t tag,
                        const uint64_t *words, unsigned count, const struct repeat_counts *counted, bool falls);

#endif
