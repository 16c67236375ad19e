/* Kinds and sizes of branches are found once for each static instruction. One whose size nothing says has 4 bytes. */
#include "replay/warm/warm_walk_steps.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/list.h"
#include "replay/detailed/uops/crack.h"
#include "replay/detailed/uops/supply.h"

enum { USUAL_BYTES = 4 };
#define NO_LINE UINT64_MAX

struct fault warm_walk_no_memory(const struct warm_walk *walk)
{
    return fault_memory(walk->path, "the walk over a trace");
}

void warm_walk_close(struct warm_walk *walk)
{
    if (!walk)
        return;
    if (walk->way)
        walk->way->close(walk);
    insn_cursor_close(walk->cursor);
    free(walk->statics);
    free(walk);
}

uint64_t warm_walk_place(const struct warm_walk *walk)
{
    return walk->place;
}

/* ---- branches */
static struct static_branch find_static(const struct warm_walk *walk, const struct insn_event *event)
{
    const struct isa_insn *const what = event->what;
    struct crack_insn insn = {.isa = walk->isa, .what = what,
                              .kind = what ? (enum isa_kind)what->kind : event->insn.kind};
    uint32_t control;
    unsigned const size = what && what->size_bytes && walk->isa != ISA_REGDEPS ? what->size_bytes
                                                                              : event->insn.size_bytes;
    insn.length = insn_cursor_bytes(walk->cursor, event->number, &insn.bytes);
    control = crack_control(&insn);
    return (struct static_branch){
        .is_known = 1, .size_bytes = (uint8_t)(size > 0 && size < UINT8_MAX ? size : USUAL_BYTES),
        .flags = (uint8_t)((control & UOP_CALL ? WARM_BRANCH_CALL : 0) | (control & UOP_RETURN ? WARM_BRANCH_RETURN : 0)
                           | (control & UOP_DIRECT ? WARM_BRANCH_DIRECT : 0)
                           | (control & UOP_CONDITIONAL ? WARM_BRANCH_CONDITIONAL : 0))};
}

bool warm_walk_branch(struct warm_walk *walk, const struct insn_event *event, struct warm_branch *branch)
{
    struct static_branch *known;

    if (!list_fit_zeroed(&walk->statics, (size_t)event->number + 1, &walk->static_room, sizeof *walk->statics))
        return false;
    known = &walk->statics[event->number];
    if (!known->is_known)
        *known = find_static(walk, event);
    *branch = (struct warm_branch){.pc = event->insn.pc, .size_bytes = known->size_bytes, .flags = known->flags};
    return true;
}

/* ---- a step */
static bool use_lines(struct warm_walk *walk, enum warm_use use, uint64_t address, uint64_t bytes, uint64_t pc)
{
    uint64_t const first = address >> WARM_LINE_SHIFT, last = (address + (bytes ? bytes - 1 : 0)) >> WARM_LINE_SHIFT;

    for (uint64_t line = first;; line++) {
        if (!walk->sink.use(walk->sink.context, use, line, pc))
            return false;
        if (line >= last)
            return true;
    }
}

static bool take_fetch(struct warm_walk *walk, const struct insn_event *event)
{
    const struct insn *const insn = &event->insn;
    uint64_t const first = insn->pc >> WARM_LINE_SHIFT;
    uint64_t const last = (insn->pc + (insn->size_bytes ? insn->size_bytes - 1 : 0)) >> WARM_LINE_SHIFT;

    if (walk->has_pending) {
        walk->has_pending = false;
        walk->pending.next_pc = insn->pc;
        if (!walk->sink.branch(walk->sink.context, &walk->pending))
            return false;
    }
    if ((first != walk->line || last != walk->line)
        && !use_lines(walk, WARM_USE_FETCH, insn->pc, insn->size_bytes, insn->pc))
        return false;
    walk->line = last;
    walk->has_pending = isa_kind_is_branch(insn->kind);
    return !walk->has_pending || warm_walk_branch(walk, event, &walk->pending);
}

bool warm_walk_take(struct warm_walk *walk, const struct insn_event *event)
{
    const struct insn *const insn = &event->insn;

    if (insn->form == INSN_EXECUTED && !take_fetch(walk, event))
        return false;
    for (size_t i = 0; i < insn->access_count; i++) {
        struct insn_span const span = insn_span(&walk->spans, &insn->accesses[i]);

        if (!use_lines(walk, insn->accesses[i].is_write ? WARM_USE_WRITE : WARM_USE_READ, span.address,
                       span.size_bytes, insn->pc))
            return false;
    }
    return true;
}

struct fault warm_walk_too_short(const struct warm_walk *walk, uint64_t place)
{
    return fault_at(walk->path, FAULT_NO_OFFSET, "the trace ends at instruction %" PRIu64 "; expected %" PRIu64
                    " at least", walk->place, place);
}

/* learns: of what is passed; if not, it is left out. */
static struct fault go_to(struct warm_walk *walk, uint64_t place, bool learns, warm_walk_progress *progress,
                          void *context)
{
    struct fault fault = fault_none();
    struct insn_event event;

    while (walk->place < place) {
        switch (insn_cursor_next(walk->cursor, &event, &fault)) {
        case INSN_RECORD:
            break;
        case INSN_END:
            return warm_walk_too_short(walk, place);
        default:
            return fault;
        }
        if (event.is_marker)
            continue;
        if (learns && !warm_walk_take(walk, &event))
            return warm_walk_no_memory(walk);
        if (++walk->place % WARM_PROGRESS_EVENTS == 0 && progress && progress(context, walk->place))
            return fault_none();
    }
    return fault_none();
}

static struct fault advance(struct warm_walk *walk, uint64_t place, bool learns, warm_walk_progress *progress,
                            void *context)
{
    return (walk->way ? walk->way->go_to : go_to)(walk, place, learns, progress, context);
}

struct warm_walk *warm_walk_open(const struct insn_trace *trace, uint64_t from, const struct warm_sink *sink,
                                 const struct warm_walk_way *way, struct fault *fault)
{
    struct warm_walk *const walk = calloc(1, sizeof *walk);

    *fault = fault_none();
    if (!walk) {
        *fault = fault_memory(insn_trace_thread(trace, 0)->path, NULL);
        return NULL;
    }
    *walk = (struct warm_walk){.sink = *sink, .isa = insn_trace_isa(trace), .line = NO_LINE,
                               .path = insn_trace_thread(trace, 0)->path,
                               .spans = insn_trace_spans(trace, WARM_LINE_BYTES)};
    walk->cursor = insn_cursor_open(trace, 0, fault);
    if (walk->cursor) {
        walk->place = from > 0 ? insn_cursor_skip(walk->cursor, from) : 0;
        if (way && way->open(walk))
            walk->way = way;
        *fault = advance(walk, from, false, NULL, NULL);
    }
    if (walk->cursor && fault->kind == FAULT_NONE)
        return walk;
    warm_walk_close(walk);
    return NULL;
}

struct fault warm_walk_to(struct warm_walk *walk, uint64_t place, warm_walk_progress *progress, void *context)
{
    return advance(walk, place, true, progress, context);
}

void warm_walk_leave_line(struct warm_walk *walk)
{
    walk->line = NO_LINE;
}

struct warm_branch warm_walk_pending(const struct warm_walk *walk)
{
    return walk->has_pending ? walk->pending : (struct warm_branch){0};
}

void warm_walk_set_pending(struct warm_walk *walk, const struct warm_branch *pending)
{
    walk->pending = *pending;
    walk->has_pending = pending->size_bytes > 0;
}
