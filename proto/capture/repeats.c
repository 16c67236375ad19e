/* Not learned: blocks with string instructions, atomic operations, dc zva, instructions that the decoder does not know,
 * and pieces that did not touch and might. A block that has been learned anew too often is read word by word from then
 * on: each time costs memory. */
#include "proto/capture/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { FIRST_ROOM = 1024, SIZE_MASK = 7 };

_Static_assert(sizeof(struct repeat) == CAPTURE_CACHE_LINE, "a line, by which it is found");

void repeats_end(struct repeats *repeats)
{
    free(repeats->blocks);
    free(repeats->known);
    free(repeats->words);
    free(repeats->accesses);
    *repeats = (struct repeats){0};
}

/* Aligned to cache lines, so not by base/list.h. */
static bool fit_block(struct repeats *repeats, uint64_t blocks)
{
    uint64_t room = repeats->block_room != 0 ? repeats->block_room : FIRST_ROOM;
    struct repeat *more;

    if (blocks <= repeats->block_room)
        return true;
    while (room < blocks)
        room *= 2;
    if (!list_extend(&repeats->known, repeats->block_room, room, sizeof *repeats->known, 0))
        return false;
    more = aligned_alloc(CAPTURE_CACHE_LINE, room * sizeof *more);
    if (more == NULL)
        return false;
    if (repeats->block_room > 0)
        memcpy(more, repeats->blocks, repeats->block_room * sizeof *more);
    memset(more + repeats->block_room, 0, (room - repeats->block_room) * sizeof *more);
    free(repeats->blocks);
    more[0].tag = REPEAT_NO_TAG;
    repeats->blocks = more;
    repeats->block_room = room;
    return true;
}

bool repeats_meet(struct repeats *repeats, const struct code *code, uint64_t number)
{
    const struct code_block *block;

    if (number < repeats->block_room && repeats->known[number].is_met)
        return true;
    block = code_block(code, number);
    if (block == NULL || !fit_block(repeats, number + 1))
        return false;
    repeats->known[number].pc = code_insn(code, block, 0)->pc;
    repeats->known[number].runs[0] = repeats->known[number].runs[1] = REPEAT_NO_RUN;
    repeats->known[number].is_met = true;
    return true;
}

static void set_version(struct repeat *repeat, uint32_t version)
{
    repeat->version = version;
    repeat->near_version = repeat->near_version != 0 ? version : 0;
}

void repeats_renew(struct repeats *repeats, const struct code *code, uint64_t number)
{
    const struct code_block *const block = code_block(code, number);

    if (repeats->blocks[number].version == code->version)
        return;
    for (unsigned i = 0; i < block->count; i++) {
        const uint32_t member = code->members[block->first + i];

        if (code->told[code->insns[member].place] != member + 1)
            return;
    }
    set_version(&repeats->blocks[number], code->version);
}

void repeats_forget_exits(struct repeats *repeats)
{
    for (uint64_t i = 0; i < repeats->block_room; i++)
        memset(repeats->blocks[i].exits, 0, sizeof repeats->blocks[i].exits);
}

uint32_t repeats_length(const uint64_t *words, uint64_t count)
{
    for (uint32_t i = 0; i < count && i <= REPEAT_WORDS; i++)
        switch ((words[i] & CAPTURE_FIRST) != 0 ? CAPTURE_BLOCK : words[i] >> CAPTURE_KIND_SHIFT) {
        case CAPTURE_BLOCK: return i;
        case CAPTURE_LOAD:
        case CAPTURE_STORE:
        case CAPTURE_BEGUN: break;
        default: return UINT32_MAX;
        }
    return UINT32_MAX;
}

static bool is_simple(const struct code_insn *insn)
{
    return insn->is_known && insn->zeroing.kind < ZEROING_ZVA && !insn->is_string && !insn->is_update &&
        !insn->is_exclusive_store && !insn->is_illegal;
}

static unsigned repeats_bytes_of(uint64_t word)
{
    return 1u << (word >> (CAPTURE_FIELD_SHIFT + CAPTURE_SIZE_SHIFT) & SIZE_MASK);
}

/* A template while it is learned. first: the word with the first access of each instruction; derived: instructions
 * searched so far for derived accesses. */
struct lesson {
    struct repeat_word words[REPEAT_WORDS];
    uint8_t accesses[REPEAT_WORDS];
    unsigned word_count, access_count, derived_count, insn_count, derived;
    uint16_t first[CAPTURE_BLOCK_INSNS];
    bool has_first, has_pieces;
};

/* Counts the derived accesses of instructions before `end`, pieces of one operand as one. */
static bool read_derived(const struct code *code, const struct code_block *block, unsigned end, struct lesson *lesson)
{
    for (unsigned i = lesson->derived; block->has_derived && i < end; i++) {
        const struct code_insn *const insn = code_insn(code, block, i);
        struct code_derived derived;

        if (!code_derived(code, block, i, &derived))
            continue;
        if (!derived.is_of_pc && lesson->first[derived.from] >= REPEAT_WORDS)
            return false;
        for (unsigned store = 0; store < 2; store++) {
            const unsigned most = store ? insn->store_bytes : insn->load_bytes;
            const unsigned all = derived.pieces * derived.size_bytes;

            if (!(store ? derived.is_store : derived.is_load))
                continue;
            if ((most != 0 && most < all && derived.pieces > 1) || lesson->derived_count == UINT8_MAX)
                return false;
            lesson->derived_count++;
        }
    }
    lesson->derived = end;
    return true;
}

/* How each word of the block is read: as merge() of capture_accesses.c has it. */
static bool read_words(const struct code *code, const struct code_block *block, const uint64_t *words, unsigned count,
                       bool has_first, struct lesson *lesson)
{
    unsigned last[2] = {0}, gathered[2] = {0}, at = CODE_NONE;     /* last: word + 1, of the instruction `at` */

    lesson->word_count = count;
    lesson->insn_count = block->count;
    lesson->access_count = lesson->derived_count = lesson->derived = 0;
    lesson->has_first = has_first;
    lesson->has_pieces = false;
    memset(lesson->first, 0xff, sizeof lesson->first);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t word = words[i];
        const unsigned insn_at = (unsigned)(word >> CAPTURE_FIELD_SHIFT) & CAPTURE_INDEX_MASK;
        const bool is_write = word >> CAPTURE_KIND_SHIFT == CAPTURE_STORE;
        struct repeat_word *const to = &lesson->words[i];
        const struct code_insn *insn;
        unsigned most, bytes;

        *to = has_first && i == 0 ? (struct repeat_word){.mask = 0}
            : (struct repeat_word){.head = (uint16_t)(word >> CAPTURE_FIELD_SHIFT), .mask = UINT16_MAX};
        if (word >> CAPTURE_KIND_SHIFT == CAPTURE_BEGUN)
            continue;
        if (insn_at >= block->count || !read_derived(code, block, insn_at, lesson))
            return false;
        if (insn_at != at)
            last[0] = last[1] = 0;
        at = insn_at;
        insn = code_insn(code, block, at);
        bytes = repeats_bytes_of(word);
        most = is_write ? insn->store_bytes : insn->load_bytes;
        if (last[is_write] != 0 && (most == 0 || gathered[is_write] + bytes <= most)) {
            const uint64_t before = words[last[is_write] - 1];

            if ((before & CAPTURE_VALUE_MASK) + repeats_bytes_of(before) != (word & CAPTURE_VALUE_MASK) || most == 0)
                return false;
            to->back = (uint8_t)(i + 1 - last[is_write]);
            to->bytes = (uint8_t)repeats_bytes_of(before);
            gathered[is_write] += bytes;
            lesson->has_pieces = true;
        } else {
            gathered[is_write] = bytes;
            if (lesson->first[at] == UINT16_MAX)
                lesson->first[at] = (uint16_t)i;
            lesson->accesses[lesson->access_count++] = (uint8_t)i;
        }
        last[is_write] = i + 1;
    }
    return read_derived(code, block, block->count, lesson);
}

static void set_repeat(struct repeat *repeat, const struct lesson *lesson)
{
    const unsigned own = !lesson->has_first, behind_first = lesson->word_count + own - 1;

    *repeat = (struct repeat){
        .length = (uint8_t)(lesson->word_count + own), .access_count = (uint8_t)lesson->access_count,
        .derived_count = (uint8_t)lesson->derived_count,
        .is_more = behind_first > REPEAT_NEAR / 2 || lesson->access_count > REPEAT_NEAR / 2,
        .near_version = behind_first <= REPEAT_NEAR && lesson->access_count <= REPEAT_NEAR_ACCESSES &&
            lesson->insn_count <= REPEAT_NEAR_INSNS && !lesson->has_pieces
    };
    for (unsigned i = 0; i < REPEAT_NEAR && i < behind_first; i++) {
        repeat->heads |= (uint64_t)lesson->words[i + 1 - own].head << 16 * i;
        repeat->mask |= (uint64_t)UINT16_MAX << 16 * i;
    }
    for (unsigned i = 0; i < REPEAT_NEAR && i < lesson->access_count; i++)
        repeat->near_words[i] = (uint8_t)(lesson->accesses[i] + own);
}

static bool keep_lesson(struct repeats *repeats, struct repeat *repeat, struct repeat_known *known,
                        const struct lesson *lesson)
{
    const size_t words = repeats->word_count + lesson->word_count;
    const size_t accesses = repeats->access_count + lesson->access_count;

    if (accesses > UINT32_MAX || words > UINT32_MAX ||
        !list_fit(&repeats->words, words + 1, &repeats->word_room, sizeof *repeats->words) ||
        !list_fit(&repeats->accesses, accesses + 1, &repeats->access_room, sizeof *repeats->accesses))
        return false;
    known->words_at = (uint32_t)repeats->word_count;
    known->accesses_at = (uint32_t)repeats->access_count;
    known->word_count = (uint8_t)lesson->word_count;
    known->runs[0] = known->runs[1] = REPEAT_NO_RUN;
    memcpy(repeats->words + repeats->word_count, lesson->words, lesson->word_count * sizeof *lesson->words);
    memcpy(repeats->accesses + repeats->access_count, lesson->accesses,
           lesson->access_count * sizeof *lesson->accesses);
    repeats->word_count = words;
    repeats->access_count = accesses;

    set_repeat(repeat, lesson);
    return true;
}

static bool repeats_is_same(const struct repeats *repeats, const struct repeat *repeat,
                            const struct repeat_known *known, const struct lesson *lesson)
{
    if (repeat->tag == 0 || known->word_count != lesson->word_count || repeat->access_count != lesson->access_count ||
        repeat->derived_count != lesson->derived_count ||
        repeat_has_first(repeat->tag) != lesson->has_first)
        return false;
    for (unsigned i = 0; i < lesson->word_count; i++) {
        const struct repeat_word before = repeats->words[known->words_at + i], now = lesson->words[i];

        if (before.head != now.head || before.mask != now.mask || before.back != now.back || before.bytes != now.bytes)
            return false;
    }
    return lesson->access_count == 0 || memcmp(repeats->accesses + known->accesses_at, lesson->accesses,
                                               lesson->access_count * sizeof *lesson->accesses) == 0;
}

uint32_t *repeats_learn(struct repeats *repeats, const struct code *code, uint64_t number, uint64_t tag,
                        const uint64_t *words, unsigned count, const struct repeat_counts *counted, bool falls)
{
    const struct code_block *const block = code_block(code, number);
    const struct code_insn *const last = code_insn(code, block, block->count - 1u);
    struct repeat *const repeat = &repeats->blocks[number];
    struct repeat_known *const known = &repeats->known[number];
    struct lesson lesson;

    for (unsigned i = 0; i < block->count; i++)
        if (!is_simple(code_insn(code, block, i)))
            return NULL;
    if (number == 0 || known->lessons == REPEAT_LESSONS || block->is_watched || counted->insns != block->count ||
        !read_words(code, block, words, count, repeat_has_first(tag), &lesson) ||
        lesson.access_count + lesson.derived_count != counted->loads + counted->stores)
        return NULL;
    if (!repeats_is_same(repeats, repeat, known, &lesson)) {
        if (!keep_lesson(repeats, repeat, known, &lesson))
            return NULL;
    } else if (known->runs[!falls] != REPEAT_NO_RUN) {
        set_version(repeat, code->version);
        return NULL;
    }
    known->falls_pc = last->pc + last->size_bytes;
    known->target_pc = last->has_target ? last->target : UINT64_MAX;
    known->lessons++;
    repeat->tag = tag;
    set_version(repeat, code->version);
    repeat->counts = counted->stores | counted->prefetches << REPEAT_PREFETCHES_SHIFT |
        counted->insns << REPEAT_INSNS_SHIFT;
    return &known->runs[!falls];
}
