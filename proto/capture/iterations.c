/* The further iterations of a string instruction have a block of their own, and each is reported like any other block.
 * An iteration whose words equal those of the previous one, except for the addresses, is the same repeat, so it is
 * passed to the sink as a run.
 *
 * Not learned: iterations with more than a load and a store, since adjacent pieces would form one access. */
#include <string.h>

#include "base/arith.h"
#include "proto/capture/strand.h"

static uint64_t head_of(uint64_t word)
{
    return word >> CAPTURE_FIELD_SHIFT;
}

/* Words of the iteration that begins with words[0], if the next one begins behind them; 0: it does not, or they are not
 * all there, or no iteration's. */
static uint32_t iteration_length(const uint64_t *words, uint64_t count)
{
    const uint32_t length = repeats_length(words + 1, count - 1);

    return length != UINT32_MAX && words[length + 1] == words[0] ? length + 1 : 0;
}

/* Iterations from the one that has begun with words[0] on that are as the last one was; answers their words. */
static uint64_t put_iterations(struct assembler *all, struct strand *strand, const uint64_t *words, uint64_t count)
{
    const struct iteration *const iteration = &strand->iteration;
    struct rbt_writer_room room;
    uint64_t at = 0, most;
    uint32_t iterations = 0;

    if (iteration->begin != words[0] || iteration->version != all->code->version ||
        !all->sink.room(all->sink.of, strand->thread, &room))
        return 0;
    most = min_u64(min_u64(room.insns, room.accesses / iteration->accesses), (count - 1) / (1 + iteration->accesses));
    for (; iterations < most && words[at + 1 + iteration->accesses] == iteration->begin; iterations++) {
        const uint64_t *const accesses = words + at + 1;

        if (head_of(accesses[0]) != iteration->heads[0] ||
            head_of(accesses[iteration->accesses - 1]) != iteration->heads[iteration->accesses - 1])
            break;
        for (unsigned i = 0; i < iteration->accesses; i++)
            *room.addresses++ = accesses[i] & CAPTURE_VALUE_MASK;
        *room.runs++ = iteration->run;
        at += 1 + iteration->accesses;
    }
    if (iterations == 0)
        return 0;
    all->sink.put_runs(all->sink.of, strand->thread, iterations, iterations, iterations * iteration->accesses, 0,
                       code_insn(all->code, strand->block, 0)->pc);
    all->counts.repeats += iterations;
    all->counts.loads += (uint64_t)iterations * iteration->loads;
    all->counts.stores += (uint64_t)iterations * iteration->stores;
    return at;
}

/* Learns the results of an iteration whose words were read one by one. */
static void learn_iteration(struct assembler *all, struct strand *strand, const uint64_t *words, unsigned accesses,
                            const struct capture_counts *before)
{
    struct capture_counts same = all->counts;
    struct iteration *const iteration = &strand->iteration;

    iteration->begin = 0;
    same.repeats = before->repeats, same.loads = before->loads, same.stores = before->stores;
    if (!strand_is_iteration(all, strand) || memcmp(&same, before, sizeof same) != 0 ||
        all->counts.repeats != before->repeats + 1)
        return;
    *iteration = (struct iteration){
        .version = all->code->version, .accesses = accesses, .loads = (uint32_t)(all->counts.loads - before->loads),
        .stores = (uint32_t)(all->counts.stores - before->stores)
    };
    if (iteration->loads > 1 || iteration->stores > 1 || iteration->loads + iteration->stores != accesses)
        return;
    iteration->run = all->sink.run(all->sink.of, strand->thread, 1, accesses);
    if (iteration->run == RBT_WRITER_NO_RUN)
        return;
    for (unsigned i = 0; i < accesses; i++)
        iteration->heads[i] = head_of(words[1 + i]);
    iteration->begin = words[0];
}

uint64_t assemble_iterations(struct assembler *all, struct strand *strand, const uint64_t *words, uint64_t count,
                             struct fault *error)
{
    uint64_t done = 0;

    while (strand_is_iteration(all, strand)) {
        struct capture_counts before;
        uint32_t length;

        done += put_iterations(all, strand, words + done, count - done);
        length = iteration_length(words + done, count - done);
        if (length <= 1 || length > 1 + ITERATION_ACCESSES)
            break;
        before = all->counts;
        for (uint32_t i = 1; i < length; i++)
            if (FAILS(*error, strand_take_access(all, strand, words[done + i])))
                return done + 1;
        if (FAILS(*error, strand_begin_with(all, strand, words[done + length])))
            return done + 1;
        learn_iteration(all, strand, words + done, length - 1, &before);
        done += length;
    }
    return done + 1;
}
