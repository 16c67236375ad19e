/* Not learned: blocks with string instructions, atomic operations, dc zva, instructions that the decoder does not know,
 * and pieces that did not touch and might. A block that has been learned anew too often is read word by word from then
 * on: each time costs memory. */
#include "proto/capture/repeats.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024, SIZE_MASK = 7 };

void repeats_end(struct repeats *repeats)
{
    free(repeats->blocks);
    free(repeats->words);
    *repeats = (struct repeats){0};
}

static bool make_room(struct repeats *repeats, uint64_t blocks)
{
    uint64_t room = repeats->block_room != 0 ? repeats->block_room : FIRST_ROOM;
    struct repeat *more;

    if (blocks <= repeats->block_room)
        return true;
    while (room < blocks)
        room *= 2;
    more = realloc(repeats->blocks, room * sizeof *more);
    if (more == NULL)
        return false;
    memset(more + repeats->block_room, 0, (room - repeats->block_room) * sizeof *more);
    repeats->blocks = more;
    repeats->block_room = room;
    return true;
}

struct repeat *repeats_of(struct repeats *repeats, const struct code *code, uint64_t number)
{
    const struct code_block *block;
    struct repeat *repeat;

    if (number < repeats->block_room && repeats->blocks[number].is_met)
        return &repeats->blocks[number];
    block = code_block(code, number);
    if (block == NULL || !make_room(repeats, number + 1))
        return NULL;
    repeat = &repeats->blocks[number];
    repeat->pc = code_insn(code, block, 0)->pc;
    repeat->runs[0] = repeat->runs[1] = REPEAT_NO_RUN;
    repeat->is_met = true;
    return repeat;
}

bool repeats_is_told(const struct code *code, uint64_t number)
{
    const struct code_block *const block = code_block(code, number);

    for (unsigned i = 0; i < block->count; i++) {
        const uint32_t member = code->members[block->first + i];

        if (code->told[code->insns[member].place] != member + 1)
            return false;
    }
    return true;
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
    return insn->is_known && !insn->is_zeroing && !insn->is_string && !insn->is_update && !insn->is_exclusive_store &&
        !insn->is_illegal;
}

static unsigned bytes_of(uint64_t word)
{
    return 1u << (word >> (CAPTURE_FIELD_SHIFT + CAPTURE_SIZE_SHIFT) & SIZE_MASK);
}

/* What a block's words are learned into. first: the access, after the first of the block, that is the first of each
 * instruction; derived: instructions that were looked at for accesses that are not told. */
struct lesson {
    struct repeat_word entries[REPEAT_ENTRIES];
    unsigned entry_count, kept, derived;
    uint16_t first[CAPTURE_BLOCK_INSNS];
};

static void keep_derived(struct lesson *lesson, const struct code_derived *derived, uint64_t by)
{
    if (lesson->entry_count < REPEAT_ENTRIES)
        lesson->entries[lesson->entry_count] = (struct repeat_word){
            .action = derived->is_of_pc ? REPEAT_FIXED : REPEAT_DERIVE, .by = by,
            .from = (uint8_t)(derived->is_of_pc ? 0 : lesson->first[derived->from])
        };
    lesson->entry_count++;
    lesson->kept++;
}

/* Accesses that are not told, of instructions before `end`. Pieces of one operand are one. */
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
            const uint64_t by = derived.by + (derived.is_of_pc ? insn->pc : 0);

            if (!(store ? derived.is_store : derived.is_load))
                continue;
            if (most != 0 && most < all && derived.pieces > 1)
                return false;
            keep_derived(lesson, &derived, by);
        }
    }
    lesson->derived = end;
    return true;
}

/* How each word of the block is read: as merge() of assemble.c has it. */
static bool read_words(const struct code *code, const struct code_block *block, const uint64_t *words, unsigned count,
                       struct lesson *lesson)
{
    unsigned last[2] = {0}, gathered[2] = {0}, at = CODE_NONE;     /* last: word + 1, of the instruction `at` */

    lesson->entry_count = lesson->kept = lesson->derived = 0;
    memset(lesson->first, 0xff, sizeof lesson->first);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t word = words[i];
        const unsigned insn_at = (unsigned)(word >> CAPTURE_FIELD_SHIFT) & CAPTURE_INDEX_MASK;
        const bool is_write = word >> CAPTURE_KIND_SHIFT == CAPTURE_STORE;
        const struct code_insn *insn;
        struct repeat_word *to;
        unsigned most, bytes;

        if (word >> CAPTURE_KIND_SHIFT != CAPTURE_BEGUN && !read_derived(code, block, insn_at, lesson))
            return false;
        if (lesson->entry_count >= REPEAT_ENTRIES)
            return false;
        to = &lesson->entries[lesson->entry_count++];
        *to = (struct repeat_word){.head = (uint16_t)(word >> CAPTURE_FIELD_SHIFT), .action = REPEAT_SKIP};
        if (word >> CAPTURE_KIND_SHIFT == CAPTURE_BEGUN)
            continue;
        if (insn_at >= block->count)
            return false;
        if (insn_at != at)
            last[0] = last[1] = 0;
        at = insn_at;
        insn = code_insn(code, block, at);
        bytes = bytes_of(word);
        most = is_write ? insn->store_bytes : insn->load_bytes;
        if (last[is_write] != 0 && (most == 0 || gathered[is_write] + bytes <= most)) {
            const uint64_t before = words[last[is_write] - 1];

            if ((before & CAPTURE_VALUE_MASK) + bytes_of(before) != (word & CAPTURE_VALUE_MASK) || most == 0)
                return false;
            to->action = REPEAT_JOIN;
            to->back = (uint8_t)(i + 1 - last[is_write]);
            to->bytes = (uint8_t)bytes_of(before);
            gathered[is_write] += bytes;
        } else {
            to->action = REPEAT_KEEP;
            gathered[is_write] = bytes;
            if (lesson->first[at] == UINT16_MAX)
                lesson->first[at] = (uint16_t)lesson->kept;
            lesson->kept++;
        }
        last[is_write] = i + 1;
    }
    return read_derived(code, block, block->count, lesson) && lesson->entry_count <= REPEAT_ENTRIES &&
        lesson->kept <= REPEAT_WORDS;
}

static bool keep_words(struct repeats *repeats, struct repeat *repeat, const struct repeat_word *words, unsigned count)
{
    if (repeats->word_room - repeats->word_count < count) {
        const uint64_t room = repeats->word_room != 0 ? 2 * repeats->word_room : FIRST_ROOM;
        struct repeat_word *const more = room < UINT32_MAX ? realloc(repeats->words, room * sizeof *more) : NULL;

        if (more == NULL)
            return false;
        repeats->words = more;
        repeats->word_room = room;
    }
    if (count > 0)
        memcpy(repeats->words + repeats->word_count, words, count * sizeof *words);
    repeat->words_at = (uint32_t)repeats->word_count;
    repeat->entry_count = (uint16_t)count;
    repeats->word_count += count;
    return true;
}

static bool is_same(const struct repeats *repeats, const struct repeat *repeat, const struct repeat_word *words,
                    unsigned count)
{
    if (repeat->version == 0 || repeat->entry_count != count)
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct repeat_word *const before = &repeats->words[repeat->words_at + i];

        if (before->head != words[i].head || before->action != words[i].action || before->back != words[i].back ||
            before->from != words[i].from || before->by != words[i].by)
            return false;
    }
    return true;
}

uint32_t *repeats_learn(struct repeats *repeats, const struct code *code, uint64_t number, const uint64_t *words,
                        unsigned count, const struct repeat *counted, bool has_first, bool falls)
{
    const struct code_block *const block = code_block(code, number);
    const struct code_insn *const last = code_insn(code, block, block->count - 1u);
    struct repeat *const repeat = repeats_of(repeats, code, number);
    struct lesson lesson;

    for (unsigned i = 0; i < block->count; i++)
        if (!is_simple(code_insn(code, block, i)))
            return NULL;
    if (repeat == NULL || repeat->lessons == REPEAT_LESSONS || block->is_watched ||
        counted->insn_count != block->count ||
        !read_words(code, block, words, count, &lesson) || lesson.kept != (unsigned)counted->loads + counted->stores)
        return NULL;
    for (unsigned i = 0; has_first && i < lesson.entry_count; i++)
        if (lesson.entries[i].action == REPEAT_KEEP) {
            lesson.entries[i] = (struct repeat_word){.action = REPEAT_FIRST};
            break;
        }
    if (!is_same(repeats, repeat, lesson.entries, lesson.entry_count)) {
        if (!keep_words(repeats, repeat, lesson.entries, lesson.entry_count))
            return NULL;
        repeat->word_count = (uint16_t)count;
        repeat->runs[0] = repeat->runs[1] = REPEAT_NO_RUN;
    } else if (repeat->runs[!falls] != REPEAT_NO_RUN) {
        repeat->version = code->version;
        return NULL;
    }
    repeat->falls_pc = last->pc + last->size_bytes;
    repeat->target_pc = last->has_target ? last->target : UINT64_MAX;
    repeat->loads = counted->loads;
    repeat->stores = counted->stores;
    repeat->prefetches = counted->prefetches;
    repeat->insn_count = counted->insn_count;
    repeat->version = code->version;
    repeat->has_first = has_first;
    repeat->lessons++;
    return &repeat->runs[!falls];
}
