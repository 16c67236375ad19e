/* Reads the words of a lane, one by one (strand.c), or many at once where blocks repeat earlier executions
 * (iterations.c, match.c). */
#include "proto/capture/assemble.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "proto/capture/strand.h"

struct assembler *assemble_begin(struct code *code, const struct assemble_sink *sink,
                                 const struct assemble_region *region, struct fault *error)
{
    struct assembler *const all = calloc(1, sizeof *all);

    if (all == NULL) {
        *error = fault_memory("capture", NULL);
        return NULL;
    }
    all->code = code;
    all->sink = *sink;
    all->region = *region;
    all->follow = follow_plain;
    all->isa = isa_decoder_isa(code->decoder);
    all->start_lead = UINT64_MAX;
    all->is_recording = !region->from_pc && region->from_count == 0;
    all->is_plain = all->is_recording && !region->to_pc && region->to_count == UINT64_MAX &&
        region->at_most == UINT64_MAX;
    return all;
}

void assemble_end(struct assembler *all)
{
    if (all == NULL)
        return;
    for (unsigned i = 0; i < CAPTURE_LANES; i++)
        free(all->strands[i]);
    repeats_end(&all->repeats);
    paths_end(&all->paths);
    free(all);
}

uint64_t assemble_before(const struct assembler *all)
{
    return all->before;
}

bool assemble_is_done(const struct assembler *all)
{
    return all->is_done;
}

const struct capture_counts *assemble_counts(const struct assembler *all)
{
    return &all->counts;
}

uint64_t assemble_start_lead(const struct assembler *all)
{
    return all->start_lead;
}

/* --- blocks that go as they went before --- */

/* A block has begun, and nothing else is to be remembered. */
static bool may_repeat(const struct assembler *all, const struct strand *strand)
{
    return strand->block != NULL && strand->string_pc == UINT64_MAX &&
        strand->thread != UINT32_MAX && strand->high == 0 && strand->stamp == 0 && all->is_recording && !all->is_done;
}

/* Reads, one by one, the words of the block that begins at *begin and the first word of the next block, and learns the
 * result as the block's template. */
static struct fault read_and_learn(struct assembler *all, struct strand *strand, uint64_t number,
                                   const uint64_t *begin, unsigned count)
{
    const struct code_block *const block = code_block(all->code, number);
    const struct code_insn *const last = code_insn(all->code, block, block->count - 1u);
    const struct capture_counts before = all->counts;
    const bool has_first = strand->has_first;
    const uint64_t *const from = begin + !has_first, tag = repeat_tag(*begin);
    struct capture_counts same = before;
    uint64_t words[REPEAT_WORDS + 1];

    memcpy(words, from, count * sizeof *words);
    if (has_first)
        words[0] = assemble_first_access(all, words[0]);
    strand->has_first = false;
    for (unsigned i = 0; i < count; i++)
        if (words[i] >> CAPTURE_KIND_SHIFT == CAPTURE_BEGUN)
            strand->begun = (unsigned)(words[i] >> CAPTURE_FIELD_SHIFT) & CAPTURE_INDEX_MASK;
        else FORWARD(strand_take_access(all, strand, words[i]));
    FORWARD(strand_begin_with(all, strand, from[count]));
    /* Of these counts alone a repeat has its own. */
    same.instructions = all->counts.instructions, same.loads = all->counts.loads, same.stores = all->counts.stores;
    same.prefetches = all->counts.prefetches;
    if (!may_repeat(all, strand) || !strand->was_whole || memcmp(&same, &all->counts, sizeof same) != 0)
        return fault_none();

    const struct repeat_counts counted = {
        .insns = same.instructions - before.instructions, .loads = same.loads - before.loads,
        .stores = same.stores - before.stores, .prefetches = same.prefetches - before.prefetches
    };
    uint32_t *const run = repeats_learn(&all->repeats, all->code, number, tag, words, count, &counted,
                                        code_insn(all->code, strand->block, 0)->pc == last->pc + last->size_bytes);

    if (run != NULL) {
        paths_forget_block(&all->paths, number);
        *run = all->sink.run(all->sink.of, strand->thread, (unsigned)counted.insns,
                             all->repeats.blocks[number].access_count);
    }
    return fault_none();
}

/* Reads blocks whose words are complete, from the first word of the current block on, and begins the block after them.
 * Returns the number of words read, including the one that begins the next block unless that word carries its first
 * access. */
static uint64_t repeat_blocks(struct assembler *all, struct strand *strand, uint64_t number, const uint64_t *words,
                              uint64_t count, struct fault *error)
{
    uint64_t done = 0;

    while (may_repeat(all, strand) && repeats_meet(&all->repeats, all->code, number) &&
           paths_fit(&all->paths, all->repeats.block_room)) {
        uint64_t matched;
        uint32_t length;

        repeats_renew(&all->repeats, all->code, number);
        matched = match_blocks(all, strand, &number, words + done, count - done);
        done += matched;
        if (matched > 0) {
            strand_open_block(all, strand, number);
            strand->has_first = (words[done] & CAPTURE_FIRST) != 0;
        }

        /* The word with the first access is no other block's. */
        const uint32_t own = strand->has_first;

        length = repeats_length(words + done + 1, count - done - 1);
        if (length == UINT32_MAX || length + own > REPEAT_WORDS
            || FAILS(*error, read_and_learn(all, strand, number, words + done, length + own)))
            break;
        done += 1 + length;
        number = repeat_block(words[done]);
    }
    return done + !strand->has_first;
}

/* Its first access follows, or the word has it. */
static struct fault block_begins(struct assembler *all, struct strand *strand, uint64_t word, const uint64_t *words,
                                 uint64_t count, uint64_t *done)
{
    struct fault fault = fault_none();

    FORWARD(strand_begin_with(all, strand, word));
    *done = all->sink.put_runs == NULL ? !strand->has_first : strand_is_iteration(all, strand)
        ? assemble_iterations(all, strand, words, count, &fault) : repeat_blocks(all, strand, repeat_block(word),
                                                                                 words, count, &fault);
    return fault;
}

static struct fault take_first(struct assembler *all, struct strand *strand, uint64_t word)
{
    const uint64_t access = assemble_first_access(all, word);

    strand->has_first = false;
    return strand_take_access(all, strand, access);
}

static struct fault call_word(struct assembler *all, struct strand *strand, const uint64_t *ring, uint64_t at)
{
    const uint64_t mask = CAPTURE_LANE_WORDS - 1;

    for (unsigned i = 0; i < CAPTURE_SYSCALL_ARGS; i++)
        strand->call_args[i] = ring[(at + 1 + i) & mask];
    return strand_call_begins(all, strand, ring[at & mask] & CAPTURE_VALUE_MASK);
}

static void learn_first(struct assembler *all, uint64_t value)
{
    all->first_heads[value & CAPTURE_FIRST_NUMBER_MASK] = (uint16_t)(value >> CAPTURE_FIRST_NUMBER_BITS);
}

/* A word that neither begins a block nor is an access; those that belong to it are there. */
static struct fault take_other(struct assembler *all, struct strand *strand, const uint64_t *ring, uint64_t at)
{
    const uint64_t mask = CAPTURE_LANE_WORDS - 1, word = ring[at & mask], value = word & CAPTURE_VALUE_MASK;

    switch (capture_kind_of(word)) {
    case CAPTURE_HIGH:
        strand->high = value;
        return fault_none();
    case CAPTURE_BEGUN:
        strand->begun = (unsigned)(word >> CAPTURE_FIELD_SHIFT) & CAPTURE_INDEX_MASK;
        return fault_none();
    case CAPTURE_FAULT:
        strand->has_fault = true;
        strand->faulted_store = (word >> CAPTURE_FIELD_SHIFT & 1) != 0;
        strand->fault_address = value;
        return fault_none();
    case CAPTURE_FIRST_IS:
        learn_first(all, value);
        return fault_none();
    case CAPTURE_STAMP:
        strand->stamp = value;
        return strand->block != NULL ? fault_none() : strand_put_stamp(all, strand);
    case CAPTURE_SYSCALL:
        return call_word(all, strand, ring, at);
    case CAPTURE_SYSCALL_END:
        strand->ends_in_call = false;
        return strand_call_ends(all, strand, (int64_t)ring[(at + 1) & mask]);
    case CAPTURE_HANDLER:
        if (!is_handler(all, value) && all->handler_count < HANDLERS) {
            all->handlers[all->handler_count++] = value;
            repeats_forget_exits(&all->repeats);
            paths_forget(&all->paths);
        }
        return fault_none();
    case CAPTURE_THREAD_START:
        return strand_thread_begins(all, strand, value, ring[(at + 1) & mask]);
    case CAPTURE_START_IS:
        strand->is_start_next = true;
        return fault_none();
    case CAPTURE_CREATE:
        return strand_mark(all, strand, INSN_MARKER_CREATE, value, NULL);
    case CAPTURE_THREAD_END:
        return strand_thread_ends(all, strand, true);
    default:
        return strand_unknown_word(word);
    }
}

static uint64_t event_words(uint64_t word)
{
    if ((word & CAPTURE_FIRST) != 0)
        return 1;
    switch (capture_kind_of(word)) {
    case CAPTURE_SYSCALL: return 1 + CAPTURE_SYSCALL_ARGS;
    case CAPTURE_SYSCALL_END:
    case CAPTURE_THREAD_START: return 2;
    default: return 1;
    }
}

static struct strand *strand_of(struct assembler *all, unsigned lane, struct fault *error)
{
    if (all->strands[lane] == NULL) {
        all->strands[lane] = calloc(1, sizeof *all->strands[lane]);
        if (all->strands[lane] == NULL)
            *error = fault_memory("capture", "a thread");
        else
            all->strands[lane]->thread = UINT32_MAX;
    }
    return all->strands[lane];
}

uint64_t assemble_read(struct assembler *all, unsigned lane, const uint64_t *ring, uint64_t at, uint64_t words,
                       struct fault *error)
{
    struct strand *const strand = strand_of(all, lane, error);
    const uint64_t mask = CAPTURE_LANE_WORDS - 1;
    uint64_t done = 0;

    if (strand == NULL)
        return 0;
    error->kind = FAULT_NONE;
    while (done < words) {
        const uint64_t place = (at + done) & mask, word = ring[place];
        const bool has_first = (word & CAPTURE_FIRST) != 0;
        uint64_t length = event_words(word);
        bool taken;

        if (words - done < length)
            break;
        if (has_first && strand->has_first)
            taken = WORKS(*error, take_first(all, strand, word));
        else if (has_first || word >> CAPTURE_KIND_SHIFT == CAPTURE_BLOCK)
            taken = WORKS(*error, block_begins(all, strand, word, ring + place,
                                               min_u64(words - done, CAPTURE_LANE_WORDS - place), &length));
        else if (word >> CAPTURE_KIND_SHIFT == CAPTURE_LOAD || word >> CAPTURE_KIND_SHIFT == CAPTURE_STORE)
            taken = WORKS(*error, strand_take_access(all, strand, word));
        else
            taken = WORKS(*error, take_other(all, strand, ring, at + done));
        if (!taken)
            return done;
        done += length;
    }
    return done;
}

struct fault assemble_close(struct assembler *all, unsigned lane)
{
    struct strand *const strand = all->strands[lane];

    if (strand == NULL || !strand->has_begun)
        return fault_none();
    /* It vanished within a call of exec that never came back. */
    if (strand->ends_in_call && strand_calls_exec(all, strand))
        all->counts.execs++;
    return strand_thread_ends(all, strand, false);
}

const struct code_insn *assemble_last(const struct assembler *all, unsigned lane)
{
    const struct strand *const strand = all->strands[lane];

    return strand != NULL && strand->last_insn != 0 ? &all->code->insns[strand->last_insn - 1] : NULL;
}
