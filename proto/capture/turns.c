/* A string instruction that goes on has a block of its own, each turn of which is told like any other block. A turn
 * whose words are as those of the turn before becomes the same repeat with other addresses, so it is put as one.
 *
 * Not learned: turns that have more than a load and a store, since pieces that touch would be one access. */
#include <string.h>

#include "base/arith.h"
#include "proto/capture/strand.h"

static uint64_t head_of(uint64_t word)
{
    return word >> CAPTURE_FIELD_SHIFT;
}

/* Words of the turn that begins with words[0], if the next one begins behind them; 0: it does not, or they are not all
 * there, or no turn's. */
static uint32_t turn_length(const uint64_t *words, uint64_t count)
{
    const uint32_t length = repeats_length(words + 1, count - 1);

    return length != UINT32_MAX && words[length + 1] == words[0] ? length + 1 : 0;
}

/* Turns from the one that has begun with words[0] on that are as the last one was; answers their words. */
static uint64_t put_turns(struct assembler *all, struct strand *strand, const uint64_t *words, uint64_t count)
{
    const struct turn *const turn = &strand->turn;
    struct rbt_writer_room room;
    uint64_t at = 0, most;
    uint32_t turns = 0;

    if (turn->begin != words[0] || turn->version != all->code->version ||
        !all->sink.room(all->sink.of, strand->thread, &room))
        return 0;
    most = min_u64(min_u64(room.insns, room.accesses / turn->accesses), (count - 1) / (1 + turn->accesses));
    for (; turns < most && words[at + 1 + turn->accesses] == turn->begin; turns++) {
        const uint64_t *const accesses = words + at + 1;

        if (head_of(accesses[0]) != turn->heads[0] ||
            head_of(accesses[turn->accesses - 1]) != turn->heads[turn->accesses - 1])
            break;
        for (unsigned i = 0; i < turn->accesses; i++)
            *room.addresses++ = accesses[i] & CAPTURE_VALUE_MASK;
        *room.runs++ = turn->run;
        at += 1 + turn->accesses;
    }
    if (turns == 0)
        return 0;
    all->sink.put_runs(all->sink.of, strand->thread, turns, turns, turns * turn->accesses, 0,
                       code_insn(all->code, strand->block, 0)->pc);
    all->counts.repeats += turns;
    all->counts.loads += (uint64_t)turns * turn->loads;
    all->counts.stores += (uint64_t)turns * turn->stores;
    return at;
}

/* What the words of a turn became, which was read one by one. */
static void learn_turn(struct assembler *all, struct strand *strand, const uint64_t *words, unsigned accesses,
                       const struct capture_counts *before)
{
    struct capture_counts same = all->counts;
    struct turn *const turn = &strand->turn;

    turn->begin = 0;
    same.repeats = before->repeats, same.loads = before->loads, same.stores = before->stores;
    if (!assemble_is_turn(all, strand) || memcmp(&same, before, sizeof same) != 0 ||
        all->counts.repeats != before->repeats + 1)
        return;
    *turn = (struct turn){
        .version = all->code->version, .accesses = accesses, .loads = (uint32_t)(all->counts.loads - before->loads),
        .stores = (uint32_t)(all->counts.stores - before->stores)
    };
    if (turn->loads > 1 || turn->stores > 1 || turn->loads + turn->stores != accesses)
        return;
    turn->run = all->sink.run(all->sink.of, strand->thread, 1, accesses);
    if (turn->run == RBT_WRITER_NO_RUN)
        return;
    for (unsigned i = 0; i < accesses; i++)
        turn->heads[i] = head_of(words[1 + i]);
    turn->begin = words[0];
}

uint64_t assemble_turns(struct assembler *all, struct strand *strand, const uint64_t *words, uint64_t count,
                        struct fault *error)
{
    uint64_t done = 0;

    while (assemble_is_turn(all, strand)) {
        struct capture_counts before;
        uint32_t length;

        done += put_turns(all, strand, words + done, count - done);
        length = turn_length(words + done, count - done);
        if (length <= 1 || length > 1 + TURN_ACCESSES)
            break;
        before = all->counts;
        for (uint32_t i = 1; i < length; i++)
            if (!assemble_take_access(all, strand, words[done + i], error))
                return done + 1;
        if (!assemble_begin_with(all, strand, words[done + length], error))
            return done + 1;
        learn_turn(all, strand, words + done, length - 1, &before);
        done += length;
    }
    return done + 1;
}
