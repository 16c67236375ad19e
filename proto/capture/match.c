/* Matches blocks with their templates (repeats.h); passes matching blocks to the sink as runs, if it stores runs.
 *
 * The cost of a block is dominated by mispredicted branches. So the few words and accesses that most blocks have are
 * processed without a test of their number, and a block's recent exits are cached: they lead to the next block without
 * a search by number. Blocks that usually follow each other are matched at once (capture_paths.h).
 *
 * Only x86-64 has words that combine the beginning of a block with its first access.
 * Register contents (zeroing.h) are tracked afterwards, and only if the code needs them: through the last LAST_BLOCKS
 * blocks, since a zeroing loop has its address from a recent access. Earlier contents are forgotten. */
#include "base/arith.h"
#include "proto/capture/capture_paths.h"
#include "proto/capture/strand.h"

enum { LAST_BLOCKS = 16 };

struct last_block { uint64_t number; const uint64_t *words; };       /* behind its first one */

static void match_follow_part(const struct code *code, struct zeroing_registers *registers,
                              const struct last_block *last, unsigned word_count)
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
        match_follow_part(all->code, &strand->registers, &last[i % LAST_BLOCKS],
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

/* Of the address of the first access, which then lies in the block's first word. There is room for one in any case. */
static inline uint64_t first_mask(const struct repeat *repeat)
{
    return repeat_has_first(repeat->tag) ? CAPTURE_FIRST_ADDRESS_MASK : CAPTURE_VALUE_MASK;
}

/* All words and accesses one by one. */
static __attribute__((noinline)) bool match_long(const struct repeats *repeats, const struct repeat *repeat,
                                                 const uint64_t *from, uint64_t *addresses)
{
    const struct repeat_known *const known = &repeats->known[repeat - repeats->blocks];
    const uint64_t *const words = from + !repeat_has_first(repeat->tag);
    const struct repeat_word *const expected = repeats->words + known->words_at;
    const uint8_t *const accesses = repeats->accesses + known->accesses_at;
    uint64_t differing = 0;

    for (uint32_t i = 0; i < known->word_count; i++) {
        const uint64_t behind = (words[i - expected[i].back] & CAPTURE_FIRST_ADDRESS_MASK) + expected[i].bytes;

        differing |= ((words[i] >> CAPTURE_FIELD_SHIFT) ^ expected[i].head) & expected[i].mask;
        differing |= expected[i].back != 0 ? (words[i] & CAPTURE_FIRST_ADDRESS_MASK) ^ behind : 0;
    }
    for (uint32_t i = 0; i < repeat->access_count; i++)
        addresses[i] = words[accesses[i]] & CAPTURE_VALUE_MASK;
    addresses[0] &= first_mask(repeat);
    return differing == 0;
}

/* Of words `from` and `from` + 1, at their place in repeat->heads. */
static inline uint64_t near_heads(const uint64_t *words, unsigned from)
{
    return (words[from] >> CAPTURE_FIELD_SHIFT | words[from + 1] >> CAPTURE_FIELD_SHIFT << 16) << 16 * (from - 1);
}

static inline void put_near(const struct repeat *repeat, unsigned i, const uint64_t *words, uint64_t *addresses)
{
    addresses[i] = words[repeat->near_words[i]] & (i == 0 ? first_mask(repeat) : CAPTURE_VALUE_MASK);
}

static inline void put_far(const struct repeats *repeats, const struct repeat *repeat, const uint64_t *words,
                           uint64_t *addresses)
{
    const uint8_t *const accesses = repeats->accesses + repeats->known[repeat - repeats->blocks].accesses_at;
    const uint64_t *const own = words + !repeat_has_first(repeat->tag);

    for (unsigned i = REPEAT_NEAR; i < repeat->access_count; i++)
        addresses[i] = own[accesses[i]] & CAPTURE_VALUE_MASK;
}

/* The same of a block that is near; `words` from its first on, of which REPEAT_NEAR behind that can be read. */
static inline bool match_near(const struct repeats *repeats, const struct repeat *repeat, const uint64_t *words,
                              uint64_t *addresses)
{
    uint64_t heads = near_heads(words, 1);

    put_near(repeat, 0, words, addresses);
    put_near(repeat, 1, words, addresses);
    if (repeat->is_more) {
        heads |= near_heads(words, 3);
        put_near(repeat, 2, words, addresses);
        put_near(repeat, 3, words, addresses);
        if (repeat->access_count > REPEAT_NEAR)
            put_far(repeats, repeat, words, addresses);
    }
    return ((heads ^ repeat->heads) & repeat->mask) == 0;
}

/* --- consecutive blocks --- */

/* The output of matched blocks. */
struct matching {
    const uint32_t *runs;                /* the first */
    const uint64_t *last_address;        /* from where on a block may have no room */
    uint64_t insns_room;
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

/* By which of the last two ways is it left? That goes in front. False: by none, nor by another that is known. */
static inline bool match_leave(const struct assembler *all, struct repeat *repeat, uint64_t word,
                               struct repeat_exit *by)
{
    const struct repeat *const blocks = all->repeats.blocks;
    const uint64_t tag = repeat_tag(word);

    *by = repeat->exits[0];
    if (blocks[by->next].tag == tag)
        return true;
    *by = repeat->exits[1];
    if (blocks[by->next].tag == tag) {
        repeat->exits[1] = repeat->exits[0];
        repeat->exits[0] = *by;
        return true;
    }
    *by = find_exit(all, repeat, word);
    return by->run != REPEAT_NO_RUN;
}

static inline void match_go_on(const struct assembler *all, struct matching *matching, struct match_place *at,
                               struct repeat_exit by, bool has_registers)
{
    struct repeat *const repeat = at->repeat;

    if (has_registers)
        matching->followed[(at->runs - matching->runs) % LAST_BLOCKS] = (struct last_block){
            (uint64_t)(repeat - all->repeats.blocks), at->begin + !repeat_has_first(repeat->tag)
        };
    *at->runs++ = by.run;
    at->addresses += repeat->access_count;
    at->counts += repeat->counts;
    at->derived += repeat->derived_count;
    at->begin += repeat->length;
    at->last = repeat;
    at->repeat = &all->repeats.blocks[by.next];
}

/* --- all of them --- */

/* Near blocks and paths that begin before it are sure to have room: for each word as much as a near block may need, and
 * then for PATH_WORDS, of which the last is that of the block behind. */
static const uint64_t *near_end(const struct matching *matching, const struct match_place *at, const uint64_t *end)
{
    const uint64_t words = (uint64_t)(end - at->begin);
    const uint64_t insns = (matching->insns_room - (at->counts >> REPEAT_INSNS_SHIFT)) / REPEAT_NEAR_INSNS;

    if (at->addresses > matching->last_address || words < PATH_WORDS || insns < PATH_WORDS)
        return at->begin;
    return at->begin + min_u64(words - PATH_WORDS, min_u64(
        insns - PATH_WORDS, (uint64_t)(matching->last_address - at->addresses) / REPEAT_NEAR_ACCESSES));
}

static bool match_has_room(const struct matching *matching, const struct match_place *at, const uint64_t *end)
{
    const uint64_t counts = at->counts + at->repeat->counts;

    return (uint64_t)(end - at->begin) > at->repeat->length && at->addresses <= matching->last_address &&
        counts >> REPEAT_INSNS_SHIFT <= matching->insns_room;
}

static inline __attribute__((always_inline)) void
match_words(struct assembler *all, struct matching *matching, struct match_place *to, const uint64_t *end,
            bool has_registers, bool has_paths)
{
    struct paths *const paths = &all->paths;
    const struct repeats *const repeats = &all->repeats;
    const uint32_t version = all->code->version;
    struct match_place at = *to;
    struct repeat_exit by;
    bool goes_on = at.repeat->tag == repeat_tag(*at.begin);

    while (goes_on && at.repeat->version == version) {
        const uint64_t *const last = near_end(matching, &at, end);

        while (at.begin < last) {
            if (has_paths && paths->of[at.repeat - repeats->blocks].first != NULL && all->follow(all, &at, last))
                continue;
            if (at.begin >= last || at.repeat->near_version != version)
                break;
            goes_on = match_leave(all, at.repeat, at.begin[at.repeat->length], &by) &&
                match_near(repeats, at.repeat, at.begin, at.addresses);
            if (!goes_on)
                break;
            if (has_paths)
                paths_met(paths, repeats, &all->sink, (uint32_t)(at.repeat - repeats->blocks), by);
            match_go_on(all, matching, &at, by, has_registers);
        }
        /* And one of which all is asked. */
        goes_on = goes_on && at.repeat->version == version && match_has_room(matching, &at, end) &&
            match_leave(all, at.repeat, at.begin[at.repeat->length], &by) &&
            match_long(repeats, at.repeat, at.begin, at.addresses);
        if (goes_on)
            match_go_on(all, matching, &at, by, has_registers);
    }
    *to = at;
}

uint64_t match_blocks(struct assembler *all, struct strand *strand, uint64_t *number, const uint64_t *words,
                      uint64_t count)
{
    const uint64_t mask = (1ull << REPEAT_COUNT_BITS) - 1;
    struct repeat *const blocks = all->repeats.blocks, *const first = &blocks[*number];
    struct match_place at = {.begin = words, .repeat = first, .last = first};
    struct matching matching;
    struct rbt_writer_room room;
    const struct code_block *last;
    uint64_t accesses, insns, stores;

    if (!all->sink.room(all->sink.of, strand->thread, &room) || room.accesses < REPEAT_WORDS)
        return 0;
    paths_renew(&all->paths, all->code->version);
    matching.runs = at.runs = room.runs;
    at.addresses = room.addresses;
    matching.last_address = room.addresses + (room.accesses - REPEAT_WORDS);
    matching.insns_room = min_u64(within_region(all), min_u64(room.insns, REPEAT_INSNS_AT_MOST));
    /* Each with code of its own. */
    if (all->code->tracks_registers)
        match_words(all, &matching, &at, words + count, true, false);
    else if (paths_are_used(&all->paths))
        match_words(all, &matching, &at, words + count, false, true);
    else
        match_words(all, &matching, &at, words + count, false, false);
    if (at.begin == words)
        return 0;
    *number = (uint64_t)(at.repeat - blocks);
    accesses = (uint64_t)(at.addresses - room.addresses);
    insns = at.counts >> REPEAT_INSNS_SHIFT;
    stores = at.counts & mask;
    all->sink.put_runs(all->sink.of, strand->thread, (uint32_t)(at.runs - room.runs), (uint32_t)insns,
                       (uint32_t)accesses, (uint32_t)at.derived, all->repeats.known[*number].pc);
    all->counts.instructions += insns;
    all->counts.loads += accesses + at.derived - stores;
    all->counts.stores += stores;
    all->counts.prefetches += at.counts >> REPEAT_PREFETCHES_SHIFT & mask;
    last = code_block(all->code, (uint64_t)(at.last - blocks));
    strand->last_insn = all->code->members[last->first + last->count - 1u] + 1u;
    if (all->code->tracks_registers)
        follow_last(all, strand, matching.followed, (uint32_t)(at.runs - room.runs));
    paths_account(&all->paths, (uint64_t)(at.begin - words));
    return (uint64_t)(at.begin - words);
}
