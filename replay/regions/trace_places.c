/* Of each pc that is named, the next count that is wanted is kept, so that an execution is one comparison. A run of an
 * .rbt that has no such pc, and ends before the next place by instructions, is passed over as a whole. */
#include "replay/regions/trace_places.h"

#include <stdlib.h>

#include "base/number_map.h"

enum { PROGRESS_INSNS = 1 << 24 };

struct counter { uint64_t times, next; };        /* of a pc: executions, and that of the next place */

struct known_run { uint32_t places, instructions; bool has_pc; };        /* places: 0: it has not been met yet */

struct finder {
    struct trace_places *places;
    struct number_map numbers;           /* of a pc, its counter, plus 1 */
    struct counter *counters;
    struct known_run *runs;
    uint64_t next;                       /* place by instructions; UINT64_MAX: none is left */
    uint64_t shown;
};

/* The first place by instructions from `least` on. */
static uint64_t next_by_instructions(const struct trace_places *places, uint64_t least)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < places->count; i++)
        if (places->list[i].times == 0 && places->list[i].instructions >= least && places->list[i].instructions < next)
            next = places->list[i].instructions;
    return next;
}

static uint64_t next_by_times(const struct trace_places *places, uint64_t pc, uint64_t least)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < places->count; i++)
        if (places->list[i].pc == pc && places->list[i].times >= least && places->list[i].times < next)
            next = places->list[i].times;
    return next;
}

static bool begin(struct finder *finder)
{
    struct trace_places *const places = finder->places;

    finder->counters = calloc(places->count + 1, sizeof *finder->counters);
    for (size_t i = 0; finder->counters && i < places->count; i++) {
        uint64_t *number;

        if (places->list[i].times == 0)
            continue;
        number = number_map_put(&finder->numbers, places->list[i].pc);
        if (!number)
            return false;
        *number = i + 1;
        finder->counters[i].next = next_by_times(places, places->list[i].pc, 1);
    }
    finder->next = next_by_instructions(places, 0);
    return finder->counters != NULL;
}

/* Marks places of this kind: times 0: by instructions. */
static void found(struct trace_places *places, uint64_t pc, uint64_t times)
{
    for (size_t i = 0; i < places->count; i++) {
        struct trace_place *const place = &places->list[i];

        if (place->times != times || (times == 0 ? place->instructions != places->instructions : place->pc != pc))
            continue;
        place->is_found = true;
        place->instructions = places->instructions;
        place->event = places->events;
    }
}

static void take_place(struct finder *finder, struct insn_place at)
{
    struct trace_places *const places = finder->places;
    const uint64_t *number;

    if (at.form != INSN_EXECUTED) {
        places->events++;
        return;
    }
    if (places->instructions == finder->next) {
        found(places, 0, 0);
        finder->next = next_by_instructions(places, finder->next + 1);
    }
    number = number_map_get(&finder->numbers, at.pc);
    if (number) {
        struct counter *const counter = &finder->counters[*number - 1];

        if (++counter->times == counter->next) {
            found(places, at.pc, counter->times);
            counter->next = next_by_times(places, at.pc, counter->times + 1);
        }
    }
    places->instructions++;
    places->events++;
}

static struct fault read_insns(struct finder *finder, struct insn_cursor *cursor,
                               bool (*progress)(void *context, uint64_t instructions), void *context)
{
    struct fault fault = fault_none();
    struct insn_event event;
    enum insn_step step;

    while ((step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD) {
        if (!event.is_marker)
            take_place(finder, (struct insn_place){event.insn.pc, event.insn.kind, event.insn.form});
        if (progress && finder->places->instructions >= finder->shown + PROGRESS_INSNS
            && progress(context, finder->shown = finder->places->instructions))
            return fault_none();
    }
    return step == INSN_FAILED ? fault : fault_none();
}

static void learn_run(const struct finder *finder, const struct insn_cursor *cursor, uint32_t number)
{
    struct known_run *const run = &finder->runs[number];

    run->places = insn_cursor_run_length(cursor, number);
    for (uint32_t i = 0; i < run->places; i++) {
        struct insn_place const place = insn_cursor_run_place(cursor, number, i);

        run->instructions += place.form == INSN_EXECUTED;
        run->has_pc |= number_map_get(&finder->numbers, place.pc) != NULL;
    }
}

static struct fault read_runs(struct finder *finder, struct insn_cursor *cursor,
                              bool (*progress)(void *context, uint64_t instructions), void *context)
{
    struct trace_places *const places = finder->places;
    struct fault fault = fault_none();
    enum insn_step step;
    uint32_t number;

    while ((step = insn_cursor_next_run(cursor, &number, &fault)) == INSN_RECORD) {
        struct known_run *const run = &finder->runs[number];

        if (run->places == 0)
            learn_run(finder, cursor, number);
        if (!run->has_pc && places->instructions + run->instructions <= finder->next) {
            places->instructions += run->instructions;
            places->events += run->places;
        } else {
            for (uint32_t i = 0; i < run->places; i++)
                take_place(finder, insn_cursor_run_place(cursor, number, i));
        }
        if (progress && places->instructions >= finder->shown + PROGRESS_INSNS
            && progress(context, finder->shown = places->instructions))
            return fault_none();
    }
    return step == INSN_FAILED ? fault : fault_none();
}

struct fault trace_places_find(struct trace_places *places, const struct insn_trace *trace,
                         bool (*progress)(void *context, uint64_t instructions), void *context)
{
    const char *const path = insn_trace_thread(trace, 0)->path;
    struct fault fault = fault_none();
    struct finder finder = {.places = places};
    struct insn_cursor *cursor;
    uint32_t runs;

    if (insn_trace_threads(trace) != 1)
        return fault_at(path, FAULT_NO_OFFSET, "the trace has %zu threads; regions are of traces of one thread",
                        insn_trace_threads(trace));
    cursor = insn_cursor_open(trace, 0, &fault);
    if (!cursor)
        return fault;
    runs = insn_cursor_runs(cursor);
    finder.runs = calloc((size_t)runs + 1, sizeof *finder.runs);
    if (!begin(&finder) || !finder.runs)
        fault = fault_memory(path, NULL);
    else
        fault = (runs > 0 ? read_runs : read_insns)(&finder, cursor, progress, context);
    if (fault.kind == FAULT_NONE && finder.next == places->instructions)
        found(places, 0, 0);             /* the end of the trace */
    insn_cursor_close(cursor);
    number_map_free(&finder.numbers);
    free(finder.counters);
    free(finder.runs);
    return fault;
}
