/* Blocks that go as they went before, put as runs where the sink keeps them.
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
               all->repeats.blocks[last[i % LAST_BLOCKS].number].word_count);
}

/* Instructions before the region may end by their number. */
static uint64_t within_region(const struct assembler *all)
{
    const uint64_t recorded = all->counts.instructions, executed = recorded + all->counts.skipped;
    const uint64_t to_end = all->region.to_count > executed ? all->region.to_count - executed : 0;

    return min_u64(to_end, all->region.at_most > recorded ? all->region.at_most - recorded : 0);
}

uint64_t match_blocks(struct assembler *all, struct strand *strand, uint64_t *number, const uint64_t *words,
                      uint64_t count)
{
    const struct repeat *const repeats = all->repeats.blocks;
    const uint64_t room_for_blocks = all->repeats.block_room, most = within_region(all);
    const uint32_t version = all->code->version;
    uint64_t before = *number, at = before, done = 0, pc = 0;
    uint64_t loads = 0, stores = 0, prefetches = 0;
    const bool has_zeroing = all->code->has_zeroing;
    struct rbt_writer_room room;
    struct last_block last[LAST_BLOCKS];
    uint32_t insns = 0, insns_room, runs = 0;
    bool has_first = strand->has_first;

    if (!all->sink.room(all->sink.of, strand->thread, &room))
        return 0;
    insns_room = (uint32_t)min_u64(most, room.insns);
    while (room.accesses - (loads + stores) >= REPEAT_WORDS) {
        const struct repeat *const repeat = &repeats[at];
        const uint64_t behind = done + repeat->word_count;

        if (repeat->version != version || behind >= count || repeat->has_first != has_first)
            break;

        const uint64_t begin = words[behind];
        const bool is_first = (begin & CAPTURE_FIRST) != 0;
        const uint64_t next = is_first ? begin >> CAPTURE_FIRST_SHIFT & CAPTURE_FIRST_NUMBER_MASK
            : begin & CAPTURE_VALUE_MASK;

        if (!is_first && begin >> CAPTURE_KIND_SHIFT != CAPTURE_BLOCK)
            break;

        if (next >= room_for_blocks || !repeats[next].is_met || repeat->insn_count > insns_room - insns)
            break;

        const uint64_t next_pc = repeats[next].pc;
        const bool falls = next_pc == repeat->falls_pc;
        const uint32_t run = repeat->runs[!falls];

        if (run == REPEAT_NO_RUN || (!falls && repeat->target_pc != UINT64_MAX && next_pc != repeat->target_pc) ||
            is_handler(all, next_pc) ||
            !repeats_match(&all->repeats, repeat, words + done, room.addresses + loads + stores))
            break;
        if (has_zeroing)
            last[runs % LAST_BLOCKS] = (struct last_block){at, words + done};
        room.runs[runs++] = run;
        insns += repeat->insn_count;
        loads += repeat->loads;
        stores += repeat->stores;
        prefetches += repeat->prefetches;
        before = at;
        at = next;
        pc = next_pc;
        done = behind + !is_first;
        has_first = is_first;
    }
    if (done == 0)
        return 0;
    all->sink.put_runs(all->sink.of, strand->thread, runs, insns, (uint32_t)(loads + stores), pc);
    all->counts.instructions += insns;
    all->counts.loads += loads;
    all->counts.stores += stores;
    all->counts.prefetches += prefetches;
    *number = at;
    strand->has_first = has_first;
    strand->last_insn = all->code->members[code_block(all->code, before)->first + repeats[before].insn_count - 1u] + 1u;
    if (has_zeroing)
        follow_last(all, strand, last, runs);
    return done;
}
