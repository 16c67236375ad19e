/* Of a record they are known. Of a hidden micro-op they are found in one of three ways, the first that gives any. */
#include "replay/window/window_learnt.h"

#include "base/arith.h"

void window_sources_begin(struct window_sources *sources, struct window_stream *stream, uint64_t registers)
{
    *sources = (struct window_sources){.feed = stream->feed, .stream = stream, .registers = registers};
}

/* Both are numbers of micro-ops. */
static void sources_add(const struct window_sources *sources, struct uop *uop, uint64_t number, uint64_t producer)
{
    uint16_t const reg = (uint16_t)(producer & (sources->registers - 1));

    if (number - producer >= sources->registers || uop->source_count == UOP_SOURCES)
        return;
    for (unsigned i = 0; i < uop->source_count; i++)
        if (uop->sources[i] == reg)
            return;
    uop->sources[uop->source_count++] = reg;
}

/* The latest micro-op of a pc that has a result; false: it is further back than `reach`. */
static bool add_latest(const struct window_sources *sources, struct uop *uop, int32_t pc_number, uint64_t number,
                       uint64_t reach)
{
    uint64_t const last = window_pc_at(sources->feed->pcs, pc_number)->last_uop;

    if (last == 0 || number - (last - 1) > reach)
        return false;
    sources_add(sources, uop, number, last - 1);
    return true;
}

static bool is_among(const int32_t *pcs, unsigned count, int32_t pc)
{
    for (unsigned i = 0; i < count; i++)
        if (pcs[i] == pc)
            return true;
    return false;
}

/* A source that is none of the last ones takes the place of one that is none now: both write its register. */
static void note_sources(struct window_pc *pc, const int32_t *sources, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned slot = 0;

        if (is_among(pc->last_sources, pc->last_source_count, sources[i]))
            continue;
        while (slot < pc->last_source_count && is_among(sources, count, pc->last_sources[slot]))
            slot++;
        if (slot == RULE_LEARNT)
            continue;
        pc->other_sources[slot] = slot < pc->last_source_count ? pc->last_sources[slot] : sources[i];
        pc->last_sources[slot] = sources[i];
        if (slot == pc->last_source_count)
            pc->last_source_count++;
    }
}

void window_sources_of_record(const struct window_sources *sources, struct uop *uop, const struct window_record *record,
                              uint64_t number)
{
    unsigned const count = window_feed_shape(sources->feed, record)->parent_count;
    struct window_pc *const pc = window_pc_at(sources->feed->pcs, record->kind.pc_number);
    int32_t parents[RULE_LEARNT];
    unsigned parent_count = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct window_record *const parent = window_feed_parent(sources->feed, record, i);

        if (parent && parent_count < RULE_LEARNT)
            parents[parent_count++] = parent->kind.pc_number;
        if (parent && parent->kind.has_uop)
            sources_add(sources, uop, number, window_feed_notes(sources->feed, parent)->uop);
    }
    note_sources(pc, parents, parent_count);
}

/* A micro-op whose result was used would have been recorded, so the hidden one is not of this pc. */
static bool add_learnt(const struct window_sources *sources, struct uop *uop, const struct window_pc *pc,
                       uint64_t number)
{
    if (!pc->is_comp || pc->writes)
        return false;
    for (unsigned i = 0; i < pc->source_count; i++)
        add_latest(sources, uop, pc->sources[i], number, RULE_LEARNT_REACH);
    return pc->source_count > 0;
}

/* 3.7: the nearest results; not those that came so late that the right path cannot have waited for them, too. */
static bool add_guessed(const struct window_sources *sources, struct uop *uop, const struct window_op *op,
                        uint64_t number)
{
    struct window_stream *const stream = sources->stream;
    uint64_t const before = stream->op_count - (op->is_last ? 1 : 2);
    uint64_t const least = sources->feed->pcs->core.resolve_cyc * window_feed_period(sources->feed);
    unsigned found = 0;

    for (uint64_t i = 1; i <= RULE_GUESS_REACH && i <= before && found < RULE_GUESSES; i++) {
        const struct window_record *const record =
            window_stream_back(stream, stream->op_count - before + i)->record;

        if (!record || record->kind.type == DEP_STORE || !record->kind.has_uop)
            continue;
        if (record->done + least <= op->resumed)
            sources_add(sources, uop, number, window_feed_notes(sources->feed, record)->uop);
        found++;
    }
    return uop->source_count > 0;
}

uint64_t window_sources_unread(const struct window_sources *sources, const struct window_op *op)
{
    struct window_stream *const stream = sources->stream;
    uint64_t const before = stream->op_count - (op->is_last ? 1 : 2);

    for (uint64_t i = 1; i <= RULE_RESOLVE_REACH && i <= before; i++) {
        const struct window_record *const record =
            window_stream_back(stream, stream->op_count - before + i)->record;

        if (record && record->kind.type != DEP_STORE && !record->kind.has_reader && record->kind.has_uop)
            return record->done;
    }
    return 0;
}

/* 5, 7: a recorded result that no record reads was read by a filtered one. The branch waited for the one done last,
 * though not so late that it could not have executed before the right path resumed. */
static bool add_unread(const struct window_sources *sources, struct uop *uop, const struct window_op *op,
                       uint64_t number)
{
    struct window_stream *const stream = sources->stream;
    uint64_t const before = stream->op_count - (op->is_last ? 1 : 2);
    uint64_t const least = sources->feed->pcs->core.resolve_cyc * window_feed_period(sources->feed);
    const struct window_record *latest = NULL;

    for (uint64_t i = 1; i <= RULE_RESOLVE_REACH && i <= before; i++) {
        const struct window_record *const record =
            window_stream_back(stream, stream->op_count - before + i)->record;

        if (record && record->kind.type != DEP_STORE && !record->kind.has_reader && record->kind.has_uop
            && record->done + least <= op->resumed && (!latest || record->done > latest->done))
            latest = record;
    }
    if (!latest)
        return false;
    sources_add(sources, uop, number, window_feed_notes(sources->feed, latest)->uop);
    return true;
}

uint64_t window_sources_done(const struct window_sources *sources, const struct window_op *op)
{
    const struct window_pcs *const pcs = sources->feed->pcs;
    const struct window_pc *const pc = window_pc_at(pcs, op->pc_number);
    uint64_t done = 0;

    if (op->record) {
        for (unsigned i = 0; i < window_feed_shape(sources->feed, op->record)->parent_count; i++) {
            const struct window_record *const parent = window_feed_parent(sources->feed, op->record, i);

            done = parent ? max_u64(done, parent->done) : done;
        }
        return done;
    }
    if (pc->is_comp && !pc->writes)
        for (unsigned i = 0; i < pc->source_count; i++)
            done = max_u64(done, window_pc_at(pcs, pc->sources[i])->last_done);
    return done > 0 || pc->resolver == WINDOW_NO_PC ? done : window_pc_at(pcs, pc->resolver)->last_done;
}

enum source_kind window_sources_of_hidden(const struct window_sources *sources, struct uop *uop,
                                          const struct window_op *op, uint64_t number)
{
    const struct window_pc *const pc = window_pc_at(sources->feed->pcs, op->pc_number);

    if (pc->sources_are_sure && add_learnt(sources, uop, pc, number))
        return SOURCE_LEARNT;
    if (op->gap > 0 && add_unread(sources, uop, op, number))
        return SOURCE_UNREAD;
    if (pc->resolver != WINDOW_NO_PC && add_latest(sources, uop, pc->resolver, number, RULE_RESOLVE_REACH))
        return SOURCE_RESOLVER;
    if (add_learnt(sources, uop, pc, number))
        return SOURCE_LEARNT;
    return op->gap > 0 && add_guessed(sources, uop, op, number) ? SOURCE_GUESSED : SOURCE_NONE;
}
