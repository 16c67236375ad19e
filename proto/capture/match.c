/* Blocks that go as they went before, put as runs where the sink keeps them.
 *
 * What a block costs here is mostly branches that the processor does not foresee. So how many words and accesses it has
 * is not asked of the few that most have, and where it was left for the last times is remembered: a block leads to the
 * next without a search by number.
 *
 * Words that have their block's first access with them are of x86-64 alone.
 * What registers hold (zeroing.h) is followed afterwards, and only where the code has dc zva: through the last blocks,
 * since a loop that zeroes has its address from an access shortly before. What was known before those is forgotten. */
#include "base/arith.h"
#include "proto/capture/strand.h"

enum { LAST_BLOCKS = 16 };

struct last_block { uint64_t number; const uint64_t *words; };       /* behind its first one */

static void follow(const struct code *code, struct zeroing_registers *registers, const struct last_block *last,
                   unsigned word_count)
{
    const struct code_block *const block = code_block(code, last->number);
    unsigned at = 0;

    for (unsigned i = 0; i < block->count; i++) {
        uint64_t address = 0;
        bool has_address = false;

        for (; at < word_count && (last->words[at] >> CAPTURE_FIELD_SHIFT & CAPTURE_INDEX_MASK) == i; at++)
            if (!has_address && last->words[at] >> CAPTURE_KIND_SHIFT != CAPTURE_BEGUN) {
                address = last->words[at] & CAPTURE_VALUE_MASK;
                has_address = true;
            }
        zeroing_step(registers, &code_insn(code, block, i)->zeroing, has_address ? &address : NULL);
    }
}

static void follow_last(const struct assembler *all, struct strand *strand, const struct last_block *last,
                        uint32_t count)
{
    uint32_t i = 0;

    if (count > LAST_BLOCKS) {
        zeroing_forget(&strand->registers);
        i = count - LAST_BLOCKS;
    }
    for (; i < count; i++)
        follow(all->code, &strand->registers, &last[i % LAST_BLOCKS],
               all->repeats.known[last[i % LAST_BLOCKS].number].word_count);
}

/* Instructions before the region may end by their number. */
static uint64_t within_region(const struct assembler *all)
{
    const uint64_t recorded = all->counts.instructions, executed = recorded + all->counts.skipped;
    const uint64_t to_end = all->region.to_count > executed ? all->region.to_count - executed : 0;

    return min_u64(to_end, all->region.at_most > recorded ? all->region.at_most - recorded : 0);
}

/* --- one block --- */

/* All words and accesses one by one; `words` from the block's own first. */
static __attribute__((noinline)) bool match_long(const struct repeats *repeats, uint64_t number, const uint64_t *words,
                                                 uint64_t *addresses)
{
    const struct repeat_known *const known = &repeats->known[number];
    const struct repeat_word *const expected = repeats->words + known->words_at;
    const struct repeat_access *const accesses = repeats->accesses + known->accesses_at;
    uint64_t differing = 0;

    for (uint32_t i = 0; i < known->word_count; i++) {
        const uint64_t behind = (words[i - expected[i].back] & CAPTURE_FIRST_ADDRESS_MASK) + expected[i].bytes;

        differing |= ((words[i] >> CAPTURE_FIELD_SHIFT) ^ expected[i].head) & expected[i].mask;
        differing |= expected[i].back != 0 ? (words[i] & CAPTURE_FIRST_ADDRESS_MASK) ^ behind : 0;
    }
    for (uint32_t i = 0; i < repeats->blocks[number].access_count; i++)
        addresses[i] = (words[accesses[i].word] & accesses[i].mask) + accesses[i].by;
    return differing == 0;
}

/* Of words `from` and `from` + 1, at their place in repeat->heads. */
static inline uint64_t near_heads(const uint64_t *words, unsigned from)
{
    return (words[from] >> CAPTURE_FIELD_SHIFT | words[from + 1] >> CAPTURE_FIELD_SHIFT << 16) << 16 * from;
}

static inline void put_near(const struct repeat *repeat, unsigned i, const uint64_t *words, uint64_t *addresses)
{
    addresses[i] = (words[repeat->near_words[i]] & repeat->near_masks[i]) + repeat->near_by[i];
}

static inline void put_far(const struct repeats *repeats, const struct repeat *repeat, const uint64_t *words,
                           uint64_t *addresses)
{
    const struct repeat_access *const accesses =
        repeats->accesses + repeats->known[repeat - repeats->blocks].accesses_at;

    for (unsigned i = REPEAT_NEAR; i < repeat->access_count; i++)
        addresses[i] = (words[accesses[i].word] & accesses[i].mask) + accesses[i].by;
}

/* The same of a block of few words. REPEAT_NEAR can be read. */
static inline bool match_near(const struct repeats *repeats, const struct repeat *repeat, const uint64_t *words,
                              uint64_t *addresses)
{
    uint64_t heads = near_heads(words, 0);

    put_near(repeat, 0, words, addresses);
    put_near(repeat, 1, words, addresses);
    if (repeat->is_more) {
        heads |= near_heads(words, 2);
        put_near(repeat, 2, words, addresses);
        put_near(repeat, 3, words, addresses);
        if (repeat->access_count > REPEAT_NEAR)
            put_far(repeats, repeat, words, addresses);
    }
    return ((heads ^ repeat->heads) & repeat->mask) == 0;
}

/* --- blocks, one behind the other --- */

/* What blocks became that went as before, and where what comes next goes. */
struct matching {
    uint32_t *runs;
    uint64_t *addresses;
    const uint64_t *last_address;        /* from where on a block may have no room */
    uint32_t insns_room, blocks;
    uint64_t counts;                     /* as a repeat has them */
    uint64_t last, next;                 /* numbers of the last one, and of the block that begins behind it */
    struct last_block followed[LAST_BLOCKS];
};

/* A block is left for another than the last times, which begins with `word`. Run REPEAT_NO_RUN: it is not known, or the
 * next block begins in another way than it did. */
static __attribute__((noinline)) struct repeat_exit find_exit(const struct assembler *all, struct repeat *repeat,
                                                              uint64_t word)
{
    const struct repeats *const repeats = &all->repeats;
    const struct repeat_known *const known = &repeats->known[repeat - repeats->blocks];
    const uint64_t number = repeat_block(word);
    struct repeat_exit found = {.run = REPEAT_NO_RUN};
    uint64_t pc;
    bool falls;

    if (((word & CAPTURE_FIRST) == 0 && word >> CAPTURE_KIND_SHIFT != CAPTURE_BLOCK) || number >= repeats->block_room ||
        !repeats->known[number].is_met)
        return found;
    pc = repeats->known[number].pc;
    falls = pc == known->falls_pc;
    if ((!falls && known->target_pc != UINT64_MAX && pc != known->target_pc) || is_handler(all, pc) ||
        known->runs[!falls] == REPEAT_NO_RUN)
        return found;
    found = (struct repeat_exit){.next = (uint32_t)number, .run = known->runs[!falls]};
    if (repeats->blocks[number].tag == repeat_tag(word)) {
        repeat->exits[1] = repeat->exits[0];
        repeat->exits[0] = found;
    } else if (repeats->blocks[number].tag != 0) {
        found.run = REPEAT_NO_RUN;
    }
    return found;
}

static inline __attribute__((always_inline)) uint64_t
match_words(const struct assembler *all, struct matching *matching, uint64_t number, const uint64_t *words,
            uint64_t count, bool has_zeroing)
{
    const struct repeats *const repeats = &all->repeats;
    struct repeat *const blocks = repeats->blocks, *repeat = &blocks[number], *last = repeat;
    const uint32_t version = all->code->version;
    const uint64_t most_counts = (uint64_t)(matching->insns_room + 1) << REPEAT_INSNS_SHIFT;
    const uint64_t *begin = words, *const behind = words + count;
    /* Before it a block that is not long has all its words, and the next one's first. */
    const uint64_t *const last_near = count > REPEAT_NEAR + 1 ? behind - (REPEAT_NEAR + 1) : words;
    const uint64_t *const last_address = matching->last_address;
    uint64_t *addresses = matching->addresses, counts = 0;
    uint32_t *runs = matching->runs;

    if (repeat->tag != repeat_tag(*begin))
        return 0;
    while (repeat->version == version) {
        const bool is_near = !repeat->is_long && begin < last_near;

        if (!is_near && (uint64_t)(behind - begin) <= repeat->length)
            break;

        const uint64_t *const end = begin + repeat->length, *const own = begin + repeat->own;
        const uint64_t tag = repeat_tag(*end), counted = counts + repeat->counts;
        struct repeat_exit left_by = repeat->exits[0];

        if (blocks[left_by.next].tag != tag) {
            left_by = repeat->exits[1];
            if (blocks[left_by.next].tag != tag) {
                left_by = find_exit(all, repeat, *end);
                if (left_by.run == REPEAT_NO_RUN)
                    break;
            } else {
                repeat->exits[1] = repeat->exits[0];
                repeat->exits[0] = left_by;
            }
        }
        if (counted >= most_counts || addresses > last_address ||
            !(is_near ? match_near(repeats, repeat, own, addresses)
              : match_long(repeats, (uint64_t)(repeat - blocks), own, addresses)))
            break;
        if (has_zeroing)
            matching->followed[(runs - matching->runs) % LAST_BLOCKS] = (struct last_block){
                (uint64_t)(repeat - blocks), own
            };
        *runs++ = left_by.run;
        addresses += repeat->access_count;
        counts = counted;
        begin = end;
        last = repeat;
        repeat = &blocks[left_by.next];
    }
    matching->blocks = (uint32_t)(runs - matching->runs);
    matching->addresses = addresses;
    matching->counts = counts;
    matching->last = (uint64_t)(last - blocks);
    matching->next = (uint64_t)(repeat - blocks);
    return (uint64_t)(begin - words);
}

uint64_t match_blocks(struct assembler *all, struct strand *strand, uint64_t *number, const uint64_t *words,
                      uint64_t count)
{
    struct matching matching = {.blocks = 0};
    struct rbt_writer_room room;
    const struct code_block *last;
    uint64_t done, accesses, stores, insns;

    if (!all->sink.room(all->sink.of, strand->thread, &room) || room.accesses < REPEAT_WORDS)
        return 0;
    matching.runs = room.runs;
    matching.addresses = room.addresses;
    matching.last_address = room.addresses + (room.accesses - REPEAT_WORDS);
    matching.insns_room = (uint32_t)min_u64(within_region(all), min_u64(room.insns, REPEAT_INSNS_AT_MOST));
    done = all->code->has_zeroing ? match_words(all, &matching, *number, words, count, true)
        : match_words(all, &matching, *number, words, count, false);
    if (matching.blocks == 0)
        return 0;
    accesses = (uint64_t)(matching.addresses - room.addresses);
    stores = matching.counts & ((1ull << REPEAT_COUNT_BITS) - 1);
    insns = matching.counts >> REPEAT_INSNS_SHIFT;
    all->sink.put_runs(all->sink.of, strand->thread, matching.blocks, (uint32_t)insns, (uint32_t)accesses,
                       all->repeats.known[matching.next].pc);
    all->counts.instructions += insns;
    all->counts.loads += accesses - stores;
    all->counts.stores += stores;
    all->counts.prefetches += matching.counts >> REPEAT_PREFETCHES_SHIFT & ((1ull << REPEAT_COUNT_BITS) - 1);
    last = code_block(all->code, matching.last);
    strand->last_insn = all->code->members[last->first + last->count - 1u] + 1u;
    *number = matching.next;
    if (all->code->has_zeroing)
        follow_last(all, strand, matching.followed, matching.blocks);
    return done;
}
