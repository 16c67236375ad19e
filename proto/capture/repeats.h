/* What the words of a block in a lane looked like when it was last read word by word, and what became of them.
 *
 * A repeat holds for a block whose words have the same kinds, instructions and sizes, whose pieces of one access touch
 * again, and which goes on at one of the places where it went before. Then all that was recorded is the same again but
 * the addresses and the last instruction's target.
 *
 * Use: begin with {0}; repeats_of a block that begins; repeats_match with the words behind its first; where that says
 * no, read them word by word and repeats_learn; repeats_end. It is made of what the plain reading did, never of rules
 * of its own: what is written is the same without it. */
#ifndef PROTO_CAPTURE_REPEATS_H
#define PROTO_CAPTURE_REPEATS_H

#include "proto/capture/code.h"
#include "proto/capture/ring.h"

enum { REPEAT_WORDS = 128, REPEAT_ENTRIES = 2 * REPEAT_WORDS, REPEAT_LESSONS = 16 };
#define REPEAT_NO_RUN UINT32_MAX

/* How a word is read: what its bits 63:48 must be, and what to do with its address; and accesses for which there is no
 * word, since they follow from others or have one address always. */
enum repeat_action { REPEAT_KEEP, REPEAT_FIRST, REPEAT_DERIVE, REPEAT_FIXED, REPEAT_JOIN, REPEAT_SKIP };
struct repeat_word {
    uint16_t head;                       /* of FIRST 0: the word is of the block's number */
    uint8_t action;
    uint8_t back, bytes;                 /* JOIN: it follows the word so many before, which has so many bytes */
    uint8_t from;                        /* DERIVE: it lies `by` from the access so many after the block's first */
    uint64_t by;                         /* FIXED: the address */
};

struct repeat {
    uint64_t pc;                         /* of the block; set for each that began */
    uint64_t falls_pc, target_pc;        /* behind it; where else it leads, UINT64_MAX: anywhere */
    uint32_t runs[2];                    /* the sink's: when it falls through, when not; REPEAT_NO_RUN: not known */
    uint32_t words_at;
    uint32_t version;                    /* code->version for which it holds; 0: for none */
    uint16_t word_count, loads, stores, prefetches;
    uint16_t entry_count;                /* of `words`: one for each word, and for each access without */
    uint16_t insn_count;
    uint8_t lessons;
    bool is_met;
    bool has_first;                      /* it begins with a word that has the first access, too */
};

struct repeats {
    struct repeat *blocks;               /* by number */
    struct repeat_word *words;
    uint64_t block_room, word_count, word_room;
};

void repeats_end(struct repeats *repeats);

/* NULL: out of memory. Holds until the next one. */
struct repeat *repeats_of(struct repeats *repeats, const struct code *code, uint64_t number);

/* Is each instruction of the block still what was told last of its pc? */
bool repeats_is_told(const struct code *code, uint64_t number);

/* Do these words match? Then `addresses` has those of the accesses. */
static inline bool repeats_match(const struct repeats *repeats, const struct repeat *repeat, const uint64_t *words,
                                 uint64_t *addresses)
{
    const struct repeat_word *expected = repeats->words + repeat->words_at;
    const struct repeat_word *const end = expected + repeat->entry_count;
    uint64_t *const first = addresses;

    for (; expected < end; expected++) {
        const uint64_t word = *words;

        if (expected->action == REPEAT_DERIVE) {
            *addresses++ = first[expected->from] + expected->by;
            continue;
        }
        if (expected->action == REPEAT_FIXED) {
            *addresses++ = expected->by;
            continue;
        }
        if (expected->action == REPEAT_FIRST) {
            *addresses++ = word & CAPTURE_FIRST_ADDRESS_MASK;
            words++;
            continue;
        }
        if (word >> CAPTURE_FIELD_SHIFT != expected->head)
            return false;
        if (__builtin_expect(expected->action == REPEAT_KEEP, 1))
            *addresses++ = word & CAPTURE_VALUE_MASK;
        else if (expected->action == REPEAT_JOIN &&
                 (word & CAPTURE_FIRST_ADDRESS_MASK) !=
                 (words[-expected->back] & CAPTURE_FIRST_ADDRESS_MASK) + expected->bytes)
            return false;
        words++;
    }
    return true;
}

/* Can words be learned? They are accesses, and beginnings of instructions; their number, before the next block begins.
 * UINT32_MAX: they cannot, or there are not so many. */
uint32_t repeats_length(const uint64_t *words, uint64_t count);

/* What the words of a block became, with the counts of `counted` (of which the rest is not looked at). has_first: the
 * first of them came with the block; here it is that of the access alone. Answers where to write the run; NULL: it
 * cannot be learned. */
uint32_t *repeats_learn(struct repeats *repeats, const struct code *code, uint64_t number, const uint64_t *words,
                        unsigned count, const struct repeat *counted, bool has_first, bool falls);

#endif
