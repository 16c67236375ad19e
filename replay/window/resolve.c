/* Of each misprediction, the candidates are the micro-ops before it. A result that came so late that the branch must
 * have executed before it is no source; of those that fit, the latest is the one that the branch waited for. */
#include "replay/window/window_learnt.h"

#include <stdlib.h>

enum { CANDIDATES = 12, LAGS = RULE_RESOLVE_SPREAD_CYC + 1 };

struct candidate {
    uint32_t seen, early, last;          /* last: misprediction that it was looked at for, from 1 */
    uint32_t lags[LAGS];                 /* how often its result came so much before the next one */
};

struct window_resolvers {
    uint32_t count;                      /* mispredictions */
    uint32_t used;
    int32_t pcs[CANDIDATES];             /* of the candidates */
    struct candidate candidates[CANDIDATES];
};

/* The candidate of a pc; a new one while there is room, NULL otherwise. Most mispredictions of a branch see the same
 * micro-ops in the same order, so the candidate behind the last one found (`likely`, changed) is tried first. */
static struct candidate *candidate_of(struct window_resolvers *resolvers, int32_t pc, unsigned *likely)
{
    unsigned found = *likely;

    if (found >= resolvers->used || resolvers->pcs[found] != pc)
        for (found = 0; found < resolvers->used && resolvers->pcs[found] != pc;)
            found++;
    if (found == CANDIDATES)
        return NULL;
    if (found == resolvers->used)
        resolvers->pcs[resolvers->used++] = pc;
    *likely = found + 1;
    return &resolvers->candidates[found];
}

/* The squash walk over the wrong-path entries of the ROB delays the next result; the last of the captured numbers had
 * not entered the ROB yet. */
static uint64_t walk_of(const struct captured_core *core, uint32_t gap)
{
    return gap > core->front_ops ? (gap - core->front_ops + core->squash_width - 1) / core->squash_width : 0;
}

/* A block that is in the fetch buffer saves a cycle; both times are one. */
static void count_lag(struct candidate *candidate, uint64_t lag_cyc, uint64_t least_cyc)
{
    candidate->seen++;
    if (lag_cyc < least_cyc)
        candidate->early++;
    else if (lag_cyc < least_cyc + LAGS)
        candidate->lags[lag_cyc > least_cyc ? lag_cyc - least_cyc : 1]++;
}

bool window_resolve_learn(struct window_pc *pc, struct window_stream *stream, const struct window_op *op)
{
    uint64_t const period = window_feed_period(stream->feed);
    uint64_t const before = stream->op_count - (op->is_last ? 1 : 2);
    const struct captured_core *const core = &stream->feed->pcs->core;
    uint64_t const walk_cyc = walk_of(core, op->gap);
    unsigned likely = 0;

    if (!pc->resolvers)
        pc->resolvers = calloc(1, sizeof *pc->resolvers);
    if (!pc->resolvers)
        return false;
    pc->resolvers->count++;
    for (uint64_t i = 1; i <= RULE_RESOLVE_REACH && i <= before; i++) {
        const struct window_record *const record =
            window_stream_back(stream, stream->op_count - before + i)->record;
        bool const has_result = record && record->kind.type != DEP_STORE;
        struct candidate *const candidate = has_result ? candidate_of(pc->resolvers, record->kind.pc_number, &likely)
                                                        : NULL;
        uint64_t const lag_cyc = has_result && op->resumed > record->done ? (op->resumed - record->done) / period : 0;

        if (!candidate || candidate->last == pc->resolvers->count)
            continue;                    /* a later one of that pc was looked at */
        candidate->last = pc->resolvers->count;
        count_lag(candidate, lag_cyc > walk_cyc ? lag_cyc - walk_cyc : 0, core->resolve_cyc);
    }
    return true;
}

void window_resolve_decide(struct window_pc *pc)
{
    const struct window_resolvers *const resolvers = pc->resolvers;
    unsigned best = LAGS;

    if (!resolvers || resolvers->count < RULE_RESOLVE_SEEN)
        return;
    for (unsigned i = 0; i < resolvers->used; i++) {
        const struct candidate *const candidate = &resolvers->candidates[i];

        if (candidate->early * UINT64_C(100) > candidate->seen * (uint64_t)RULE_RESOLVE_EARLY_PERCENT)
            continue;
        for (unsigned lag = 0; lag < best; lag++)
            if (candidate->lags[lag] * UINT64_C(100) >= resolvers->count * (uint64_t)RULE_RESOLVE_PERCENT) {
                best = lag;
                pc->resolver = resolvers->pcs[i];
            }
    }
}
