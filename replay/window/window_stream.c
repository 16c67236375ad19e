/* One op is held back, because the next record determines its successor and whether it was mispredicted. */
#include "replay/window/window_stream.h"

#include "base/arith.h"

enum { MOST_CANDIDATES = 64 };           /* branches between two records that are looked at */

void window_stream_open(struct window_stream *stream, struct window_feed *feed)
{
    *stream = (struct window_stream){.feed = feed};
}

/* NULL: there was none yet. */
static inline struct window_op *pending_of(struct window_stream *stream)
{
    return stream->op_count > 0 ? window_stream_back(stream, 1) : NULL;
}

/* How many of `count` micro-ops, the last one a record `distance` behind the one before them, must belong to the
 * instruction before: the bytes hold no more instructions. RISC-V's instructions are one micro-op each. */
static uint32_t same_count_of(const struct window_pcs *pcs, uint64_t distance, uint64_t count, uint64_t known)
{
    if (!window_is_cracked(pcs) || distance == 0 || distance >= pcs->least_size * count)
        return distance == known && known > 0 && pcs->has_odd ? (uint32_t)(count - 1) : 0;
    return (uint32_t)(count - distance / pcs->least_size);
}

/* 3.4: the distance to the next record bounds the sizes, if no jump lies between them: it is at least their sum. */
static void learn_sizes(struct window_stream *stream)
{
    struct window_pcs *const pcs = stream->feed->pcs;
    const struct window_op *const pending = pending_of(stream);
    int32_t const number = pending->pc_number;
    uint64_t const distance = stream->pc - pending->pc, count = (uint64_t)stream->hidden_count + 1;
    uint64_t const known = window_pc_at(pcs, number)->size_bytes;
    uint64_t const least = pcs->least_size, most = pcs->has_odd ? RULE_LONGEST_INSTRUCTION : 4;

    stream->step = 0;
    stream->stays = distance == 0;
    stream->is_near = distance >= least * count && distance <= most * count && count <= RULE_SIZES_MOST;
    stream->same_count = same_count_of(pcs, distance, count, known);
    if (count == 1) {                    /* step and stays are of hidden ones */
        window_learn_size(pcs, number, distance);
        return;
    }
    if (stream->same_count > 0 || distance < least * count || distance > most * count || count > RULE_SIZES_MOST)
        return;
    if ((distance == least * count && !pcs->has_odd) || distance == most * count) {
        stream->step = (uint8_t)(distance / count);
        window_learn_size(pcs, number, stream->step);
    } else if (known > 0 && known < distance && (count == 2 || pcs->has_odd)) {
        stream->step = (uint8_t)((distance - known) / (count - 1));
    }
}

/* Does a hidden op belong to the instruction of the op before? left: hidden ops up to the record, itself included. */
static inline bool is_of_the_same(const struct window_stream *stream, uint32_t left)
{
    return stream->hidden_count - left < stream->same_count;
}

/* Was something filtered there where no jump hid its place? */
static bool is_filtered_at(const struct window_pcs *pcs, uint64_t pc)
{
    int32_t const number = window_pcs_find(pcs, pc);

    return number != WINDOW_NO_PC && window_pc_at(pcs, number)->was_filtered;
}

/* The size of an instruction of 2 or 4 bytes. Where no record tells it: most branches have 4, and most others before
 * one have 2, but none that takes more than a cycle, and none that accesses 1 or 2 bytes of memory. `left`:
 * instructions from the one behind it up to the record, which is `rest` away. */
static uint64_t even_size(const struct window_pcs *pcs, uint64_t pc, int32_t number, bool is_long, uint64_t rest,
                          uint64_t left)
{
    uint64_t const known = number != WINDOW_NO_PC ? window_pc_at(pcs, number)->size_bytes : 0;
    uint64_t const likely = is_long || window_pc_at(pcs, number)->is_slow ? 4 : 2, other = 6 - likely;

    if (known > 0 || !pcs->has_half)
        return known > 0 ? known : 4;
    if (rest >= likely + 2 * left && rest <= likely + 4 * left)
        return likely;
    if (rest >= other + 2 * left && rest <= other + 4 * left)
        return other;
    return is_filtered_at(pcs, pc + 2) && !is_filtered_at(pcs, pc + 4) ? 2 : 4;
}

/* Is a filtered one likely to be a branch? What is read by others at times computes: only dead results of it are
 * filtered. */
static inline bool is_likely_branch(const struct window_pcs *pcs, int32_t number)
{
    return number == WINDOW_NO_PC || !window_pc_at(pcs, number)->writes;
}

/* Has it 4 bytes for what it does? */
static inline bool is_long_op(const struct window_stream *stream, const struct window_op *op)
{
    return op->is_hidden ? is_likely_branch(stream->feed->pcs, op->pc_number)
        : (op->record->kind.type != DEP_COMP && window_feed_shape(stream->feed, op->record)->size_bytes <= 2);
}

/* The size of the instruction before a filtered one. Of those of any length, if the record is as near as they reach:
 * one that leaves a byte for each until the record; if it is not known, what leaves 2, as short branches have. */
static inline uint64_t size_before(struct window_stream *stream, const struct window_op *pending)
{
    const struct window_pcs *const pcs = stream->feed->pcs;
    uint64_t const size = window_size_at(pcs, pending->pc_number), rest = stream->pc - pending->pc;
    uint64_t const left = stream->hidden_left;

    if (!pcs->has_odd)
        return even_size(pcs, pending->pc, pending->pc_number, is_long_op(stream, pending), rest, left);
    if (rest > RULE_LONGEST_INSTRUCTION * (left + 1))
        return size;
    if (window_pc_at(pcs, pending->pc_number)->size_bytes == 0 && rest > RULE_SHORT_BRANCH * left)
        return rest - RULE_SHORT_BRANCH * left;
    if (size + left <= rest)
        return size;
    return rest > left ? rest - left : 0;
}

/* Where the op behind `pending` is that was filtered. */
static inline uint64_t hidden_pc(struct window_stream *stream)
{
    const struct window_op *const pending = pending_of(stream);

    if (!pending)
        return stream->pc - 4 * (uint64_t)stream->hidden_left;
    if (stream->stays || is_of_the_same(stream, stream->hidden_left))
        return pending->pc;
    if (stream->hidden_left <= stream->near_count)
        return stream->near_pcs[stream->hidden_left - 1];
    return pending->pc + size_before(stream, pending);
}

/* Is a filtered op likely there? Where its result is read, it would have a record. */
static int filtered_score(const struct window_pcs *pcs, uint64_t pc)
{
    int32_t const number = window_pcs_find(pcs, pc);

    if (number == WINDOW_NO_PC)
        return 0;
    return window_pc_at(pcs, number)->writes ? -1 : window_pc_at(pcs, number)->was_filtered;
}

static bool may_be_filtered_branch(const struct window_pcs *pcs, uint64_t pc)
{
    return is_filtered_at(pcs, pc) && is_likely_branch(pcs, window_pcs_find(pcs, pc));
}

/* Fills near_pcs with those that lie before the record, the nearest first, as far as something was filtered there that
 * may be a branch; returns how many. */
static uint32_t walk_back(struct window_stream *stream, uint32_t most)
{
    const struct window_pcs *const pcs = stream->feed->pcs;
    uint64_t pc = stream->pc;
    uint32_t count = 0;

    for (; count < most; count++) {
        if (may_be_filtered_branch(pcs, pc - 4))
            pc -= 4;
        else if (pcs->has_half && may_be_filtered_branch(pcs, pc - 2))
            pc -= 2;
        else
            break;
        stream->near_pcs[count] = pc;
    }
    return count;
}

/* Puts the last hidden one into the next line behind the op before, at its end, where least is. */
static void place_in_line(struct window_stream *stream)
{
    uint64_t const line = pending_of(stream)->pc / TIMELINE_LINE_BYTES + 1;

    stream->near_pcs[0] = (line + 1) * TIMELINE_LINE_BYTES - 4;
    stream->near_count = 1;
}

/* Hidden ops with a jump among them lie behind the op before, or before the record: as known places of filtered ones
 * say; all behind the op before if nothing does. */
static void place_near(struct window_stream *stream)
{
    const struct window_pcs *const pcs = stream->feed->pcs;
    const struct window_op *const pending = pending_of(stream);
    uint64_t const count = (uint64_t)stream->hidden_count + 1, distance = stream->pc - pending->pc;
    uint64_t pc = pending->pc;
    int32_t number = pending->pc_number;
    int scores[WINDOW_NEAR + 1] = {0}, best = 0;
    uint32_t most, near = 0;

    if (pcs->has_odd || stream->hidden_count == 0 || stream->hidden_count > WINDOW_NEAR || stream->stays
        || stream->same_count > 0 || (distance >= pcs->least_size * count && distance <= 4 * count))
        return;
    most = walk_back(stream, stream->hidden_count);
    stream->is_open = most == 0 && stream->hidden_count > 1;
    if (stream->is_open && window_pc_at(pcs, stream->record->kind.pc_number)->is_behind_line)
        place_in_line(stream);
    if (most == 0)
        return;
    for (uint32_t i = 1; i <= stream->hidden_count; i++) {
        bool const is_long = i > 1 ? is_likely_branch(pcs, number) : is_long_op(stream, pending);

        pc += even_size(pcs, pc, number, is_long, UINT64_MAX, 0);
        number = window_pcs_find(pcs, pc);
        scores[i] = scores[i - 1] + filtered_score(pcs, pc);
    }
    best = scores[stream->hidden_count];
    for (uint32_t back = 1; back <= most && back < stream->hidden_count; back++)
        if (scores[stream->hidden_count - back] + (int)back > best) {
            best = scores[stream->hidden_count - back] + (int)back;
            near = back;
        }
    stream->near_count = near;
}

/* A record whose result is never read, but which others depend on for order, may be a branch, if it reads something or
 * jumps. */
static bool may_be_branch(struct window_stream *stream)
{
    const struct window_op *const pending = pending_of(stream);
    const struct window_pc *const pc = pending ? window_pc_at(stream->feed->pcs, pending->pc_number) : NULL;

    return pc && !pending->is_hidden && pending->record->kind.type == DEP_COMP && !pc->writes
        && (pc->source_count > 0 || pc->times_taken > 0);
}

/* The first result of the right path behind a gap: that of the first instruction fetched. */
static uint64_t resumed_at(struct window_feed *feed, const struct window_record *record)
{
    uint64_t first = record->start;

    for (unsigned i = 0; i < 3; i++) {
        const struct window_record *const next = window_feed_ahead(feed, i);

        if (!next || next->kind.gap > 0)
            break;
        first = next->kind.type != DEP_STORE && next->start < first ? next->start : first;
    }
    return first;
}

static void set_mark(struct window_op *op, const struct window_stream *stream, const struct window_mark *mark)
{
    op->gap = mark->gap;
    op->resumed = stream->resumed;
    op->strays = mark->strays;
    op->stray_count = mark->stray_count;
    op->has_executed = mark->has_executed;
    op->is_unsure = op->is_hidden && stream->hidden_count > 1 && !stream->is_near;
}

static void add_mark(struct window_stream *stream, const struct window_mark *mark)
{
    if (stream->mark_count < WINDOW_MARKS)
        stream->marks[stream->mark_count++] = *mark;
    else
        stream->lost_gaps++;
}

/* The op before the hidden ones was mispredicted; a load or store cannot be. */
static void mark_pending(struct window_stream *stream, const struct window_mark *mark)
{
    struct window_op *const pending = pending_of(stream);

    if (pending && (pending->is_hidden || pending->record->kind.type == DEP_COMP))
        set_mark(pending, stream, mark);
    else
        stream->lost_gaps++;
}

/* 5, 1: squashed loads tell the mispredicted op, the last one before the first of them. A load's weight lies before
 * that op, so each load with weight begins a wrong path. */
static void place_squashed(struct window_stream *stream, const struct window_record *record)
{
    uint64_t const end = record->place;
    uint64_t place = end - window_feed_strays(stream->feed, record);
    uint32_t hidden = 0;

    stream->resumed = resumed_at(stream->feed, record);
    while (place < end) {
        const struct window_record *load = window_feed_at(stream->feed, place);
        struct window_mark mark = {.strays = place, .gap = place == end - window_feed_strays(stream->feed, record)
            ? load->kind.gap : 0, .has_executed = true};

        hidden += load->kind.weight;
        mark.left = stream->hidden_count - hidden + 1;
        do {
            mark.gap++;
            mark.stray_count++;
            load = ++place < end ? window_feed_at(stream->feed, place) : record;
            mark.gap += load->kind.gap;
        } while (place < end && load->kind.weight == 0);
        if (hidden > 0)
            add_mark(stream, &mark);
        else
            mark_pending(stream, &mark);
    }
}

/* How often a branch goes elsewhere than the time before, of 1000 times; one that decode can correct is out of
 * question. */
static unsigned restlessness(const struct window_pc *pc, bool is_long)
{
    if (is_long && window_pc_is_direct(pc))
        return 0;
    return pc->times > 0 ? (unsigned)(UINT64_C(1000) * pc->changes / pc->times) + 1 : 1;
}

/* Is a gap nearer to two wrong paths than to one? One whose length is not known is as long as the other. */
static bool is_of_two(const struct window_pcs *pcs, uint32_t gap, int32_t first, int32_t second)
{
    uint64_t const path = first != WINDOW_NO_PC ? window_pc_at(pcs, first)->path : 0;
    uint64_t const other = second != WINDOW_NO_PC ? window_pc_at(pcs, second)->path : 0;

    return second != WINDOW_NO_PC && path + other > 0
        && gap > (path > 0 ? path : other) + (other > 0 ? other : path) / 2;
}

/* Of the op behind a hidden one; left: hidden ops from it up to the record. */
static uint64_t next_hidden_pc(const struct window_stream *stream, uint64_t pc, int32_t number, uint32_t left)
{
    const struct window_pcs *const pcs = stream->feed->pcs;

    if (left > 0 && left <= stream->near_count)
        return stream->near_pcs[left - 1];
    if (pcs->has_odd)
        return pc + (number != WINDOW_NO_PC ? window_size_at(pcs, number) : 4);
    return pc + even_size(pcs, pc, number, is_likely_branch(pcs, number), stream->pc - pc, left);
}

/* The two of a gap's hidden micro-ops that go elsewhere most often, with their places. */
struct candidates {
    unsigned most, second_most;
    uint32_t left, second_left;
    int32_t first, second;
};

static void weigh_candidate(struct candidates *of_all, int32_t number, uint32_t left, unsigned restless)
{
    if (restless > of_all->most) {
        of_all->second = of_all->first;
        of_all->second_most = of_all->most;
        of_all->second_left = of_all->most >= RULE_TWO_RESTLESS ? of_all->left : 0;
        of_all->first = number;
        of_all->most = restless;
        of_all->left = left;
    } else if (restless >= RULE_TWO_RESTLESS && (of_all->second_left == 0 || restless > of_all->second_most)) {
        of_all->second = number;
        of_all->second_most = restless;
        of_all->second_left = left;
    }
}

/* When the latest of a branch's learnt sources had its result; 0: none is known. */
static uint64_t sources_done(struct window_stream *stream, const struct window_pc *pc)
{
    const struct window_pcs *const pcs = stream->feed->pcs;
    const struct window_op *const pending = pending_of(stream);
    uint64_t done = 0;

    if (!pending || !pc->is_comp || pc->writes)
        return 0;
    for (unsigned i = 0; i < pc->source_count; i++)
        done = max_u64(done, pc->sources[i] == pending->pc_number && pending->record
                                 ? pending->record->done : window_pc_at(pcs, pc->sources[i])->last_done);
    return done;
}

/* Was the right path fetched before the branch can have executed? */
static bool is_too_late(struct window_stream *stream, const struct window_pc *pc)
{
    uint64_t const least = stream->feed->pcs->core.resolve_cyc * window_feed_period(stream->feed);
    uint64_t const done = stream->is_learnt ? sources_done(stream, pc) : 0;

    return done > 0 && done + least > stream->resumed;
}

/* A branch of 2 bytes that falls through leaves the next instruction as its target in the reference's BTB, and is
 * mispredicted again (docs/spec/branch-prediction.md, 3): it need not go elsewhere for that. */
static unsigned short_again(const struct window_pcs *pcs, uint64_t step)
{
    return pcs->has_half && !pcs->has_odd && step == 2 ? RULE_AGAIN : 0;
}

/* 3.5: the micro-op that a wrong path was fetched behind, if no squashed load tells it: of the hidden ones, and the one
 * before if it may be a branch, the one that goes elsewhere most often. */
static void place_gap(struct window_stream *stream, const struct window_record *record)
{
    struct window_pcs *const pcs = stream->feed->pcs;
    bool const is_long = record->kind.gap >= pcs->core.gap_execute;
    const struct window_op *const pending = pending_of(stream);
    struct window_mark mark = {.gap = record->kind.gap, .left = record->kind.weight};
    struct candidates of_all = {.left = mark.left, .first = WINDOW_NO_PC, .second = WINDOW_NO_PC};
    uint64_t pc;

    stream->resumed = resumed_at(stream->feed, record);
    if (record->kind.weight == 0) {
        mark_pending(stream, &mark);
        return;
    }
    pc = hidden_pc(stream);
    for (uint32_t left = record->kind.weight; left > 0 && record->kind.weight - left < MOST_CANDIDATES; left--) {
        int32_t const number = window_pcs_find(pcs, pc);
        unsigned const restless = number != WINDOW_NO_PC ? restlessness(window_pc_at(pcs, number), is_long) : 1;
        uint64_t next = pc;

        if (!stream->stays && !is_of_the_same(stream, left - 1))
            next = left > 1 ? next_hidden_pc(stream, pc, number, left - 1) : stream->pc;
        if (!is_long || number == WINDOW_NO_PC || !is_too_late(stream, window_pc_at(pcs, number)))
            weigh_candidate(&of_all, number, left, restless + (is_long ? short_again(pcs, next - pc) : 0));
        pc = next;
    }
    mark.left = of_all.left;
    if (may_be_branch(stream) && restlessness(window_pc_at(pcs, pending->pc_number), is_long) > of_all.most) {
        mark_pending(stream, &mark);
        return;
    }
    add_mark(stream, &mark);
    if (of_all.second_left > 0 && stream->is_learnt &&
        is_of_two(pcs, record->kind.gap, of_all.first, of_all.second)) {
        mark.left = of_all.second_left;
        add_mark(stream, &mark);
    }
}

/* The number of a pc behind `pending`, which mostly is the one that was there before. */
static inline int32_t number_behind(struct window_stream *stream, uint64_t pc)
{
    struct window_pcs *const pcs = stream->feed->pcs;
    const struct window_op *const pending = pending_of(stream);
    int32_t number;

    if (pending && window_pc_at(pcs, pending->pc_number)->follower_pc == pc)
        return window_pc_at(pcs, pending->pc_number)->follower;
    number = window_pcs_take(pcs, pc);
    if (pending && number != WINDOW_NO_PC) {
        window_pc_at(pcs, pending->pc_number)->follower = number;
        window_pc_at(pcs, pending->pc_number)->follower_pc = pc;
    }
    return number;
}

/* Several filtered ones side by side count as one, which is the last; but an atomic access has its fence behind it. */
static bool is_fence(struct window_stream *stream, const struct window_op *op)
{
    const struct window_pcs *const pcs = stream->feed->pcs;
    const struct window_op *const pending = pending_of(stream);

    if (stream->hidden_left == 1 && window_pc_at(pcs, op->pc_number)->is_barrier)
        return true;
    return pending && pending->record && window_pc_at(pcs, pending->pc_number)->is_non_speculative
        && window_pc_at(pcs, pending->pc_number)->is_barrier;
}

static inline bool next_hidden(struct window_stream *stream, struct window_op *op)
{
    op->pc = hidden_pc(stream);
    op->pc_number = number_behind(stream, op->pc);
    if (op->pc_number == WINDOW_NO_PC) {
        stream->feed->fault = fault_make(FAULT_MEMORY, "out of memory for the pcs of a trace");
        return false;
    }
    op->record = NULL;
    op->is_hidden = true;
    if (stream->is_near)
        window_pc_at(stream->feed->pcs, op->pc_number)->was_filtered = true;
    if (stream->is_held && stream->hidden_left == stream->hidden_count)
        op->hold_cyc = (uint8_t)(window_pc_at(stream->feed->pcs, stream->record->kind.pc_number)->latency_cyc
                                 - stream->feed->pcs->core.serial_cyc);
    for (uint32_t i = 0; i < stream->mark_count; i++)
        if (stream->marks[i].left == stream->hidden_left) {
            set_mark(op, stream, &stream->marks[i]);
            op->is_alone = stream->hidden_count == 1;
        }
    op->is_barrier = stream->is_learnt && op->gap == 0 && is_fence(stream, op);
    stream->hidden_left--;
    window_learn_size(stream->feed->pcs, op->pc_number, stream->step);
    return true;
}

static inline void begin_record(struct window_stream *stream, struct window_record *record)
{
    stream->record = record;
    stream->pc = window_pc_at(stream->feed->pcs, record->kind.pc_number)->pc;
    stream->hidden_left = record->kind.weight;
    for (uint64_t i = 1; i <= window_feed_strays(stream->feed, record); i++)
        stream->hidden_left += window_feed_at(stream->feed, record->place - i)->kind.weight;
    stream->hidden_count = stream->hidden_left;
    stream->same_count = stream->near_count = 0;
    stream->is_open = false;
    if (stream->op_count > 0) {
        learn_sizes(stream);
        place_near(stream);
    }
    stream->is_held = stream->is_learnt && stream->hidden_count > 0
                   && window_pc_at(stream->feed->pcs, record->kind.pc_number)->holds_up;
    stream->mark_count = 0;
    if (record->kind.has_strays)
        place_squashed(stream, record);
    else if (record->kind.gap >= RULE_GAP)
        place_gap(stream, record);
}

static inline bool next_op(struct window_stream *stream, struct window_op *op)
{
    if (!stream->record) {
        struct window_record *const record = window_feed_next(stream->feed);

        if (!record)
            return false;
        begin_record(stream, record);
    }
    op->gap = 0;
    op->is_last = op->is_alone = op->is_held = op->is_open = op->is_barrier = false;
    op->hold_cyc = 0;
    if (stream->hidden_left > 0)
        return next_hidden(stream, op);
    op->pc = stream->pc;
    op->pc_number = stream->record->kind.pc_number;
    op->record = stream->record;
    op->is_hidden = false;
    op->is_held = stream->is_held;
    op->is_open = stream->is_open;
    stream->record = NULL;
    return true;
}

const struct window_op *window_stream_any(struct window_stream *stream, struct window_record *record)
{
    struct window_op *op;

    if (record)
        begin_record(stream, record);
    do {
        op = pending_of(stream);
        if (!next_op(stream, window_stream_back(stream, 0)))
            break;
        stream->op_count++;
        if (op) {
            op->next_pc = window_stream_back(stream, 1)->pc;
            return op;
        }
    } while (true);
    if (!op || stream->feed->fault.kind != FAULT_NONE || op->is_last)
        return NULL;
    op->is_last = true;
    op->next_pc = op->pc + 4;
    return op;
}
