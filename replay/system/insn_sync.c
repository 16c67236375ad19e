/* Marks are collected in the order of events; the time of an event lies between the last stamp before it and the next
 * one after it. Once all are known, waits find their partners, cuts become parts, and a run of the parts in which each
 * takes no time shows that none waits for ever; should stamps contradict themselves, a wait is made free. */
#include "replay/system/insn_sync.h"

#include <stdlib.h>

#include "base/list.h"

enum mark_kind { MARK_CREATE, MARK_WAKE, MARK_WAIT, MARK_END };

struct insn_sync_mark {
    enum mark_kind kind;
    size_t thread;
    uint64_t cut;                        /* the event before which a part ends, or, of a wait, begins */
    uint64_t instructions;               /* before the cut */
    uint64_t before, after;              /* stamps; of a wait, that before its begin and behind its end */
    uint64_t value;                      /* address, or thread that was created */
    size_t partner;                      /* of a wait: mark; INSN_SYNC_NONE */
    bool is_used;                        /* there is a cut */
};

struct insn_sync_thread {
    uint64_t id, events, instructions;
    size_t first_mark, mark_count;
    struct insn_part *parts;
    size_t part_count;

    /* while it is read */
    uint64_t stamp;
    bool has_stamps;                     /* not only times */
    struct { bool is_known, waits, is_open; uint64_t address, before; } call;
    size_t open_marks;                   /* from that one on they have no stamp behind them yet */
};

enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, FUTEX_REQUEUE = 3, FUTEX_CMP_REQUEUE = 4, FUTEX_WAKE_OP = 5, FUTEX_LOCK_PI = 6,
       FUTEX_UNLOCK_PI = 7, FUTEX_WAIT_BITSET = 9, FUTEX_WAKE_BITSET = 10, FUTEX_WAIT_REQUEUE_PI = 11,
       FUTEX_CMP_REQUEUE_PI = 12, FUTEX_COMMAND = 127 };

static bool is_futex(enum isa isa, uint64_t number)
{
    switch (isa) {
    case ISA_X86_64: return number == 202;
    case ISA_X86_32: case ISA_A32: return number == 240;
    case ISA_A64: case ISA_RV64: return number == 98;
    default: return false;
    }
}

static bool waits(uint64_t command)
{
    return command == FUTEX_WAIT || command == FUTEX_LOCK_PI || command == FUTEX_WAIT_BITSET
        || command == FUTEX_WAIT_REQUEUE_PI;
}

static bool wakes(uint64_t command)
{
    return command == FUTEX_WAKE || command == FUTEX_REQUEUE || command == FUTEX_CMP_REQUEUE
        || command == FUTEX_WAKE_OP || command == FUTEX_UNLOCK_PI || command == FUTEX_WAKE_BITSET
        || command == FUTEX_CMP_REQUEUE_PI;
}

/* ---- reading */

bool insn_sync_init(struct insn_sync *sync, enum isa isa, size_t most_threads)
{
    *sync = (struct insn_sync){.isa = isa};
    sync->threads = calloc(most_threads + 1, sizeof *sync->threads);
    return sync->threads != NULL;
}

void insn_sync_free(struct insn_sync *sync)
{
    for (size_t i = 0; i < sync->thread_count; i++)
        free(sync->threads[i].parts);
    free(sync->threads);
    free(sync->marks);
    *sync = (struct insn_sync){.isa = ISA_UNKNOWN};
}

void insn_sync_thread(struct insn_sync *sync, uint64_t id)
{
    sync->threads[sync->thread_count++] = (struct insn_sync_thread){
        .id = id, .first_mark = sync->mark_count, .open_marks = sync->mark_count};
}

static struct insn_sync_thread *reading(struct insn_sync *sync)
{
    return &sync->threads[sync->thread_count - 1];
}

static bool add_mark(struct insn_sync *sync, enum mark_kind kind, uint64_t cut, uint64_t before, uint64_t value)
{
    struct insn_sync_thread *const thread = reading(sync);

    if (!list_fit(&sync->marks, sync->mark_count + 1, &sync->mark_room, sizeof *sync->marks))
        return false;
    sync->marks[sync->mark_count++] = (struct insn_sync_mark){
        .kind = kind, .thread = sync->thread_count - 1, .cut = cut, .instructions = thread->instructions,
        .before = before, .after = UINT64_MAX, .value = value, .partner = INSN_SYNC_NONE};
    thread->mark_count++;
    return true;
}

/* A wait that ends before the event at hand. */
static bool end_call(struct insn_sync *sync)
{
    struct insn_sync_thread *const thread = reading(sync);

    thread->call.is_open = false;
    return !thread->call.waits
        || add_mark(sync, MARK_WAIT, thread->events, thread->call.before, thread->call.address);
}

static bool begin_call(struct insn_sync *sync, const struct insn_marker *call)
{
    struct insn_sync_thread *const thread = reading(sync);
    uint64_t const command = call->arg_count > 1 ? call->args[1] & FUTEX_COMMAND : 0;

    if (!is_futex(sync->isa, call->value))
        return true;
    if (call->arg_count < 2) {
        sync->counts.unknown++;
        return true;
    }
    thread->call.is_open = true;
    thread->call.waits = waits(command);
    thread->call.address = call->args[0];
    thread->call.before = thread->stamp;
    return !wakes(command) || add_mark(sync, MARK_WAKE, thread->events + 1, thread->stamp, call->args[0]);
}

static void take_stamp(struct insn_sync *sync, uint64_t stamp)
{
    struct insn_sync_thread *const thread = reading(sync);

    if (stamp > thread->stamp)
        thread->stamp = stamp;
    for (; thread->open_marks < sync->mark_count; thread->open_marks++)
        if (sync->marks[thread->open_marks].after == UINT64_MAX)
            sync->marks[thread->open_marks].after = thread->stamp;
}

/* A wait ended before this instruction without a stamp behind its end: takes the last stamp, if it is newer than the
 * wait's begin. */
static void close_wait(struct insn_sync *sync)
{
    struct insn_sync_thread *const thread = reading(sync);
    struct insn_sync_mark *last;

    if (thread->open_marks >= sync->mark_count)
        return;
    last = &sync->marks[sync->mark_count - 1];
    if (last->kind == MARK_WAIT && last->after == UINT64_MAX && last->cut + 1 >= thread->events
        && thread->stamp > last->before)
        last->after = thread->stamp;
}

static bool take_marker(struct insn_sync *sync, const struct insn_marker *marker)
{
    struct insn_sync_thread *const thread = reading(sync);

    switch (marker->kind) {
    case INSN_MARKER_STAMP:
        thread->has_stamps = true;
        take_stamp(sync, marker->value);
        return true;
    case INSN_MARKER_TIMESTAMP:
        if (!thread->has_stamps)
            take_stamp(sync, marker->value);
        return true;
    case INSN_MARKER_CREATE:
        return add_mark(sync, MARK_CREATE, thread->events + 1, thread->stamp, marker->value);
    case INSN_MARKER_SYSCALL:
        return begin_call(sync, marker);
    case INSN_MARKER_SYSCALL_END:
        if (!thread->call.is_open)
            return true;
        thread->call.waits = thread->call.waits && marker->value == 0;
        return end_call(sync);
    default:
        return true;
    }
}

bool insn_sync_event(struct insn_sync *sync, const struct insn_event *event)
{
    struct insn_sync_thread *const thread = reading(sync);
    bool good = true;

    if (event->is_marker) {
        good = take_marker(sync, &event->marker);
    } else {
        if (thread->call.is_open)
            good = end_call(sync);
        if (good)
            close_wait(sync);
        thread->instructions++;
    }
    thread->events++;
    return good;
}

/* ---- partners */

/* Could this mark have ended the wait? */
static bool is_between(const struct insn_sync_mark *mark, const struct insn_sync_mark *wait)
{
    return mark->thread != wait->thread && mark->after > wait->before && mark->before < wait->after;
}

/* Wake-ups in the order of their stamps, each with the highest `after` up to it. */
struct wake { uint64_t before, after_so_far; size_t mark; };

static int by_stamp(const void *a, const void *b)
{
    const struct wake *const one = a, *const other = b;

    if (one->before != other->before)
        return one->before < other->before ? -1 : 1;
    return (one->mark > other->mark) - (one->mark < other->mark);
}

static struct wake *list_wakes(const struct insn_sync *sync, size_t *count)
{
    struct wake *const wakes_found = malloc((sync->mark_count + 1) * sizeof *wakes_found);
    uint64_t highest = 0;

    *count = 0;
    for (size_t i = 0; wakes_found && i < sync->mark_count; i++)
        if (sync->marks[i].kind == MARK_WAKE)
            wakes_found[(*count)++] = (struct wake){sync->marks[i].before, 0, i};
    if (wakes_found)
        qsort(wakes_found, *count, sizeof *wakes_found, by_stamp);
    for (size_t i = 0; i < *count; i++) {
        uint64_t const after = sync->marks[wakes_found[i].mark].after;

        highest = after > highest ? after : highest;
        wakes_found[i].after_so_far = highest;
    }
    return wakes_found;
}

static size_t find_wake(const struct insn_sync *sync, const struct insn_sync_mark *wait, const struct wake *list,
                        size_t count)
{
    size_t low = 0;

    for (size_t high = count; low < high;) {
        size_t const middle = (low + high) / 2;

        if (list[middle].before < wait->after)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low > 0 && list[low - 1].after_so_far > wait->before; low--) {
        const struct insn_sync_mark *const mark = &sync->marks[list[low - 1].mark];

        if (mark->value == wait->value && is_between(mark, wait))
            return list[low - 1].mark;
    }
    return INSN_SYNC_NONE;
}

/* The last end of another thread during the wait; the marks of ends are behind all others. */
static size_t find_end(const struct insn_sync *sync, const struct insn_sync_mark *wait)
{
    size_t best = INSN_SYNC_NONE;

    for (size_t i = sync->mark_count - sync->thread_count; i < sync->mark_count; i++)
        if (is_between(&sync->marks[i], wait)
            && (best == INSN_SYNC_NONE || sync->marks[i].before >= sync->marks[best].before))
            best = i;
    return best;
}

static size_t thread_of_id(const struct insn_sync *sync, uint64_t id)
{
    for (size_t i = 0; i < sync->thread_count; i++)
        if (sync->threads[i].id == id)
            return i;
    return INSN_SYNC_NONE;
}

static bool find_partners(struct insn_sync *sync)
{
    size_t count;
    struct wake *const list = list_wakes(sync, &count);

    if (!list)
        return false;
    for (size_t i = 0; i < sync->mark_count; i++) {
        struct insn_sync_mark *const mark = &sync->marks[i];
        size_t const child = mark->kind == MARK_CREATE ? thread_of_id(sync, mark->value) : INSN_SYNC_NONE;
        bool const has_stamps = mark->after != UINT64_MAX || mark->before != 0;

        if (mark->kind == MARK_WAIT) {
            mark->partner = has_stamps ? find_wake(sync, mark, list, count) : INSN_SYNC_NONE;
            if (mark->partner == INSN_SYNC_NONE && has_stamps)
                mark->partner = find_end(sync, mark);
            mark->is_used = mark->partner != INSN_SYNC_NONE;
            sync->counts.waits += mark->is_used;
            sync->counts.unmatched += !mark->is_used;
        } else if (child != INSN_SYNC_NONE && child != mark->thread) {
            mark->is_used = true;
        }
    }
    free(list);
    for (size_t i = 0; i < sync->mark_count; i++)
        if (sync->marks[i].kind == MARK_WAIT && sync->marks[i].is_used)
            sync->marks[sync->marks[i].partner].is_used = true;
    for (size_t i = 0; i < sync->mark_count; i++)
        sync->counts.wakes += sync->marks[i].kind == MARK_WAKE && sync->marks[i].is_used;
    return true;
}

/* ---- parts */

static bool make_parts(struct insn_sync *sync, size_t number)
{
    struct insn_sync_thread *const thread = &sync->threads[number];
    uint64_t cut = 0, instructions = 0;
    struct insn_part *parts;

    parts = malloc((thread->mark_count + 1) * sizeof *parts);
    if (!parts)
        return false;
    thread->parts = parts;
    for (size_t i = 0; i < thread->mark_count; i++) {
        const struct insn_sync_mark *const mark = &sync->marks[thread->first_mark + i];

        if (!mark->is_used || mark->kind == MARK_END || mark->cut <= cut)
            continue;
        cut = mark->cut;
        parts[thread->part_count++] = (struct insn_part){cut, mark->instructions - instructions, INSN_SYNC_NONE, 0};
        instructions = mark->instructions;
    }
    parts[thread->part_count++]
        = (struct insn_part){UINT64_MAX, thread->instructions - instructions, INSN_SYNC_NONE, 0};
    return true;
}

/* The part that ends with a cut; of a thread's end the last one. */
static size_t part_before(const struct insn_sync_thread *thread, uint64_t cut)
{
    size_t low = 0, high = thread->part_count - 1;

    while (low < high) {
        size_t const middle = (low + high) / 2;

        if (thread->parts[middle].until < cut)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void join_parts(struct insn_sync *sync)
{
    for (size_t i = 0; i < sync->mark_count; i++) {
        const struct insn_sync_mark *const mark = &sync->marks[i];
        struct insn_sync_thread *const thread = &sync->threads[mark->thread];
        struct insn_part *part;

        if (!mark->is_used)
            continue;
        if (mark->kind == MARK_CREATE) {
            part = sync->threads[thread_of_id(sync, mark->value)].parts;
            if (part->thread != INSN_SYNC_NONE)
                continue;                /* the number was used again */
            part->thread = mark->thread;
            part->part = part_before(thread, mark->cut);
            sync->counts.creations++;
        } else if (mark->kind == MARK_WAIT) {
            const struct insn_sync_mark *const partner = &sync->marks[mark->partner];
            size_t const before = mark->cut == 0 ? INSN_SYNC_NONE : part_before(thread, mark->cut);

            part = &thread->parts[before + 1];
            part->thread = partner->thread;
            part->part = part_before(&sync->threads[partner->thread], partner->cut);
        }
    }
}

/* ---- the proof that all comes to an end */

static bool may_begin(const struct insn_part *part, const size_t *done)
{
    return part->thread == INSN_SYNC_NONE || done[part->thread] > part->part;
}

static bool advance(const struct insn_sync *sync, size_t *done)
{
    bool has_advanced = false;

    for (size_t i = 0; i < sync->thread_count; i++)
        while (done[i] < sync->threads[i].part_count && may_begin(&sync->threads[i].parts[done[i]], done)) {
            done[i]++;
            has_advanced = true;
        }
    return has_advanced;
}

static bool check_parts(struct insn_sync *sync)
{
    size_t *const done = calloc(sync->thread_count + 1, sizeof *done);

    if (!done)
        return false;
    for (;;) {
        size_t stuck = INSN_SYNC_NONE;

        while (advance(sync, done)) {
        }
        for (size_t i = 0; i < sync->thread_count && stuck == INSN_SYNC_NONE; i++)
            if (done[i] < sync->threads[i].part_count)
                stuck = i;
        if (stuck == INSN_SYNC_NONE)
            break;
        sync->threads[stuck].parts[done[stuck]].thread = INSN_SYNC_NONE;
        sync->counts.unmatched++;
    }
    free(done);
    return true;
}

bool insn_sync_finish(struct insn_sync *sync, bool is_free)
{
    for (size_t i = 0; i < sync->thread_count; i++) {
        struct insn_sync_thread *const thread = &sync->threads[i];

        if (!add_mark(sync, MARK_END, thread->events, thread->stamp, 0))
            return false;
        reading(sync)->mark_count--;
        sync->marks[sync->mark_count - 1].thread = i;
        sync->marks[sync->mark_count - 1].cut = UINT64_MAX;
    }
    if (!is_free && !find_partners(sync))
        return false;
    for (size_t i = 0; i < sync->thread_count; i++)
        if (!make_parts(sync, i))
            return false;
    if (is_free)
        return true;
    join_parts(sync);
    return check_parts(sync);
}

size_t insn_sync_parts(const struct insn_sync *sync, size_t thread, const struct insn_part **parts)
{
    *parts = sync->threads[thread].parts;
    return sync->threads[thread].part_count;
}
