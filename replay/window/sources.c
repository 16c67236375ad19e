/* Of a record they are known. Of a hidden micro-op they are found in one of three ways, the first that gives any. */
#include "replay/window/sources.h"

void window_sources_begin(struct window_sources *sources, const struct window_feed *feed, uint64_t registers)
{
    *sources = (struct window_sources){.feed = feed, .registers = registers};
}

/* Both are numbers of micro-ops. */
static void add(const struct window_sources *sources, struct uop *uop, uint64_t number, uint64_t producer)
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
    add(sources, uop, number, last - 1);
    return true;
}

void window_sources_of_record(const struct window_sources *sources, struct uop *uop, const struct window_record *record,
                              uint64_t number)
{
    unsigned const count = window_feed_shape(sources->feed, record)->parent_count;

    for (unsigned i = 0; i < count; i++) {
        const struct window_record *const parent = window_feed_parent(sources->feed, record, i);

        if (parent && parent->kind.has_uop)
            add(sources, uop, number, window_feed_notes(sources->feed, parent)->uop);
    }
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

static bool add_guessed(const struct window_sources *sources, struct uop *uop, uint64_t number)
{
    unsigned found = 0;

    for (uint64_t i = 1; i <= RULE_GUESS_REACH && i <= number && found < RULE_GUESSES; i++) {
        if (!sources->writes[(number - i) % RULE_GUESS_REACH])
            continue;
        add(sources, uop, number, number - i);
        found++;
    }
    return found > 0;
}

enum source_kind window_sources_of_hidden(const struct window_sources *sources, struct uop *uop,
                                          const struct window_op *op, uint64_t number)
{
    const struct window_pc *const pc = window_pc_at(sources->feed->pcs, op->pc_number);

    if (pc->sources_are_sure && add_learnt(sources, uop, pc, number))
        return SOURCE_LEARNT;
    if (pc->resolver != WINDOW_NO_PC && add_latest(sources, uop, pc->resolver, number, RULE_RESOLVE_REACH))
        return SOURCE_RESOLVER;
    if (add_learnt(sources, uop, pc, number))
        return SOURCE_LEARNT;
    return op->gap > 0 && add_guessed(sources, uop, number) ? SOURCE_GUESSED : SOURCE_NONE;
}

void window_sources_note(struct window_sources *sources, bool writes, uint64_t number)
{
    sources->writes[number % RULE_GUESS_REACH] = writes;
}
