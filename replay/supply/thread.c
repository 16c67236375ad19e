/* The right path is read some instructions ahead of what was asked for; where an instruction goes on, the next one
 * tells. One is therefore held back (struct held) until the next is read.
 *
 * What is the same each time an instruction is executed is made once (struct made), for each number of the trace's
 * static instructions and each shape of its accesses; what differs is copied beside it. */
#define _POSIX_C_SOURCE 200809L
#include "replay/supply/thread.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hints.h"
#include "proto/insn/elastic.h"
#include "replay/supply/crack.h"
#include "replay/supply/images.h"
#include "replay/supply/ring.h"
#include "replay/supply/values.h"

enum {
    READ_AT_ONCE = 64, USUAL_SIZE = 4, MOST_SIZE = 15, USUAL_LINE = 64, MOST_ACCESS_BYTES = 1 << 16,
    COPIES_SHIFT = 8, COPY_BLOCK = 1 << COPIES_SHIFT, COPY_BLOCKS = 256
};

struct made {
    struct supply_insn insn;
    struct crack_shape shape;
    struct made *next;
};

/* Of a static instruction. */
struct fixed {
    struct made *made;                   /* of the shapes that were met, the last one first */
    const struct isa_insn *what;
    uint64_t target;                     /* of a branch; has_target: known from the instruction */
    enum isa_kind kind;
    unsigned size_bytes;
    unsigned group;                      /* accesses of an iteration of a string; 0: it is none */
    bool is_there, has_target, has_size;
    bool is_fixed;                       /* its accesses are those of `shape`, whatever is recorded */
    bool may_become_branch;
    bool learns;                         /* its size, its target, or what it is: from the trace */
    struct crack_shape shape;
};

struct held {
    bool is_there, is_repeat, has_target;
    enum insn_branch branch;
    uint32_t number;
    uint64_t pc, target;
    uint64_t event;                      /* its number among the thread's */
    unsigned count;
    struct insn_access accesses[CRACK_MOST_ACCESSES];
};

struct wrong_copy {
    struct supply_insn insn;
    struct supply_access accesses[CRACK_MOST_ACCESSES];
};

enum state { STATE_READS, STATE_ENDED, STATE_FAILED };

struct supply_thread {
    struct supply supply;
    const struct insn_trace *trace;
    struct supply_thread_options options;
    const char *path;
    enum isa isa;
    bool has_bytes;                      /* of machine code */
    bool has_system_calls;               /* the trace has its own */
    bool lacks_branches;
    uint32_t usual_bytes;
    struct insn_cursor *cursor;
    struct insn_event event;
    uint64_t events, until;
    enum state state;
    struct fault fault;
    uint64_t base;                       /* number in the ring of the part's first instruction */
    struct ring ring;
    struct held held;
    struct fixed *fixed;
    size_t fixed_room;
    struct arena arena;
    struct places places;
    struct images *images;
    struct values *values;               /* NULL: wrong paths are not executed */
    struct insn_access *cut;             /* accesses of an instruction, cut at lines */
    size_t cut_room;
    struct wrong_copy *copies[COPY_BLOCKS];
    uint64_t copy_count;
    struct supply_range *mapped;
    struct supply_figures figures;
};

static bool lacks_memory(struct supply_thread *thread, const char *what)
{
    return fault_memory(&thread->fault, thread->path, what);
}

/* ---- static instructions */

static bool is_of_registers(const struct supply_thread *thread)
{
    return thread->isa == ISA_REGDEPS || thread->isa == ISA_CHAMPSIM;
}

static void know(struct supply_thread *thread, const struct insn_event *event, struct fixed *fixed)
{
    const struct isa_insn *const what = event->what;
    struct crack_insn insn;

    *fixed = (struct fixed){.what = what, .kind = event->insn.kind, .is_there = true};
    if (what && thread->isa != ISA_REGDEPS)
        fixed->kind = (enum isa_kind)what->kind;
    fixed->size_bytes = event->insn.size_bytes ? event->insn.size_bytes
                        : what && !is_of_registers(thread) ? what->size_bytes : 0;
    fixed->has_size = fixed->size_bytes > 0 && fixed->size_bytes <= UINT8_MAX;
    if (!fixed->has_size)
        fixed->size_bytes = USUAL_SIZE;
    fixed->has_target = what && what->has_target;
    fixed->target = fixed->has_target ? what->target : 0;
    fixed->may_become_branch = thread->lacks_branches && !what && fixed->kind == ISA_OTHER;
    insn = (struct crack_insn){.isa = thread->isa, .what = what, .kind = fixed->kind};
    fixed->learns = !fixed->has_size || fixed->may_become_branch
                    || ((crack_control(&insn) & UOP_DIRECT) != 0 && !fixed->has_target);
    fixed->is_fixed = crack_is_fixed(&insn);
    if (fixed->is_fixed)
        fixed->shape = fixed->kind == ISA_SYSTEM ? (struct crack_shape){.is_last = true} : crack_usual(what);
    for (unsigned i = 0; what && what->is_string && i < what->operand_count; i++)
        fixed->group += (unsigned)what->operands[i].is_load + (unsigned)what->operands[i].is_store;
}

static NOINLINE struct fixed *new_fixed(struct supply_thread *thread, const struct insn_event *event)
{
    if (event->number >= thread->fixed_room) {
        size_t const room = 2 * (size_t)event->number + 1024;
        struct fixed *const more = realloc(thread->fixed, room * sizeof *more);

        if (!more) {
            lacks_memory(thread, "static instructions");
            return NULL;
        }
        memset(more + thread->fixed_room, 0, (room - thread->fixed_room) * sizeof *more);
        thread->fixed = more;
        thread->fixed_room = room;
    }
    if (!thread->fixed[event->number].is_there)
        know(thread, event, &thread->fixed[event->number]);
    return &thread->fixed[event->number];
}

static inline struct fixed *fixed_of(struct supply_thread *thread, const struct insn_event *event)
{
    if (likely(event->number < thread->fixed_room && thread->fixed[event->number].is_there))
        return &thread->fixed[event->number];
    return new_fixed(thread, event);
}

static void set_insn(const struct supply_thread *thread, const struct fixed *fixed, const uint8_t *bytes,
                     size_t length, struct made *made)
{
    made->insn.pc = thread->held.pc;
    made->insn.before = made->insn.state = SUPPLY_NO_STATE;
    made->insn.access_count = (uint16_t)crack_accesses(made->shape);
    for (size_t i = 0; thread->has_bytes && i < length && i < 4; i++)
        made->insn.encoding |= (uint32_t)bytes[i] << 8 * i;
    if (fixed->has_target)
        made->insn.target = fixed->target;
}

/* The micro-ops of the held instruction with these accesses. */
static NOINLINE struct made *make(struct supply_thread *thread, struct fixed *fixed, struct crack_shape shape)
{
    struct made *const made = arena_take(&thread->arena, sizeof *made);
    const uint8_t *bytes = NULL;
    size_t const length = insn_cursor_bytes(thread->cursor, thread->held.number, &bytes);
    struct crack_insn const insn = {.isa = thread->isa, .what = fixed->what, .kind = fixed->kind, .bytes = bytes,
                                    .length = thread->has_bytes ? length : 0};
    struct crack_uops cracked;
    struct uop *uops;

    if (!made)
        return NULL;
    crack(&insn, shape, &cracked);
    uops = arena_take(&thread->arena, cracked.count * sizeof *uops);
    if (!uops)
        return NULL;
    memcpy(uops, cracked.list, cracked.count * sizeof *uops);
    made->shape = shape;
    made->insn.uops = uops;
    made->insn.uop_count = (uint16_t)cracked.count;
    set_insn(thread, fixed, bytes, length, made);
    made->next = fixed->made;
    fixed->made = made;
    return made;
}

static bool is_same(struct crack_shape a, struct crack_shape b)
{
    return a.loads == b.loads && a.stores == b.stores && a.is_atomic == b.is_atomic && a.is_last == b.is_last;
}

static struct made *made_of(struct supply_thread *thread, struct fixed *fixed, struct crack_shape shape)
{
    struct made **at = &fixed->made, *found;

    while (*at && !is_same((*at)->shape, shape))
        at = &(*at)->next;
    if (!*at)
        return make(thread, fixed, shape);
    found = *at;
    *at = found->next;
    found->next = fixed->made;
    fixed->made = found;
    return found;
}

/* ---- accesses */

static void count_access(struct supply_thread *thread, bool is_write)
{
    *(is_write ? &thread->figures.stores : &thread->figures.loads) += 1;
}

/* All that is recorded as one: a read and a write of one place. */
static bool put_one(struct supply_thread *thread, bool is_atomic, struct supply_access *out)
{
    const struct held *const held = &thread->held;
    uint64_t start = UINT64_MAX, end = 0;

    if (held->count == 0) {
        thread->figures.missing++;
        *out = (struct supply_access){0};
        return true;
    }
    for (unsigned i = 0; i < held->count; i++) {
        const struct insn_access *const access = &held->accesses[i];
        uint64_t const last = access->address + (access->size_bytes ? access->size_bytes : thread->usual_bytes);

        start = access->address < start ? access->address : start;
        end = last > end ? last : end;
    }
    if (end - start > thread->options.line_bytes)
        end = start + (held->accesses[0].size_bytes ? held->accesses[0].size_bytes : thread->usual_bytes);
    out->address = start;
    out->size_bytes = (uint32_t)(end - start);
    if (is_atomic)
        thread->figures.atomics++;
    else
        count_access(thread, held->accesses[0].is_write);
    if (!places_data(&thread->places, out, &thread->fault))
        return false;
    thread->figures.first_touches += out->is_first_touch;
    return true;
}

/* Loads, then stores. */
static bool put_all(struct supply_thread *thread, struct supply_access *out)
{
    const struct held *const held = &thread->held;

    for (int is_write = 0; is_write < 2; is_write++)
        for (unsigned i = 0; i < held->count; i++) {
            const struct insn_access *const access = &held->accesses[i];

            if (access->is_write != is_write)
                continue;
            out->address = access->address;
            out->size_bytes = access->size_bytes ? access->size_bytes : thread->usual_bytes;
            count_access(thread, is_write);
            if (!places_data(&thread->places, out, &thread->fault))
                return false;
            thread->figures.first_touches += out->is_first_touch;
            out++;
        }
    return true;
}

static bool put_accesses(struct supply_thread *thread, const struct fixed *fixed, struct supply_insn *insn)
{
    struct supply_access *accesses;

    insn->accesses = NULL;
    if (insn->access_count == 0)
        return true;
    accesses = ring_accesses(&thread->ring, insn->access_count);
    if (!accesses)
        return lacks_memory(thread, "instructions");
    insn->accesses = accesses;
    return fixed->is_fixed ? put_one(thread, fixed->shape.is_atomic, accesses) : put_all(thread, accesses);
}

static struct crack_shape shape_of_held(const struct supply_thread *thread, const struct fixed *fixed, bool is_last)
{
    struct crack_shape shape = {.is_last = is_last};

    if (fixed->is_fixed)
        return fixed->shape;
    for (unsigned i = 0; i < thread->held.count; i++)
        *(thread->held.accesses[i].is_write ? &shape.stores : &shape.loads) += 1;
    return shape;
}

/* ---- where instructions go on */

/* Where the held instruction would go on, if the trace did not say it; `next`: nothing is known. */
static uint64_t expected_next(const struct held *held, const struct fixed *fixed, uint64_t behind, uint64_t next)
{
    if (!isa_kind_is_branch(fixed->kind) || held->branch == INSN_NOT_TAKEN)
        return behind;
    if (held->branch == INSN_BRANCH_UNKNOWN && fixed->kind == ISA_CONDITIONAL)
        return next;
    if (fixed->has_target)
        return fixed->target;
    return held->has_target ? held->target : next;
}

/* Puts in the system call at `pc`, which goes on at `next`. */
static bool put_system_call(struct supply_thread *thread, const struct image_insn *call, uint64_t next)
{
    struct supply_insn *const insn = ring_slot(&thread->ring);

    if (!insn)
        return lacks_memory(thread, "instructions");
    *insn = call->insn;
    insn->number = thread->ring.count - thread->base;
    insn->next_pc = next;
    ring_add(&thread->ring);
    thread->figures.system_calls++;
    return places_code(&thread->places, insn->pc, insn->size_bytes, &thread->fault);
}

/* The system call that lies between, or NULL. */
static const struct image_insn *system_call_between(struct supply_thread *thread, uint64_t expected, uint64_t next)
{
    const struct image_insn *const call = !thread->has_system_calls && thread->images
                                              ? images_find(thread->images, expected) : NULL;

    return call && call->is_system_call && call->insn.pc == expected && call->insn.next_pc == next ? call : NULL;
}

/* What was met teaches what its static instruction lacks. */
static void learn(struct supply_thread *thread, struct fixed *fixed, uint64_t next)
{
    const struct held *const held = &thread->held;
    uint64_t const distance = next - held->pc;
    bool const is_branch = isa_kind_is_branch(fixed->kind);

    if (!fixed->has_size && (!is_branch || held->branch != INSN_TAKEN) && distance > 0 && distance <= MOST_SIZE)
        fixed->size_bytes = (unsigned)distance;
    if (fixed->may_become_branch && next != held->pc + fixed->size_bytes) {
        fixed->kind = ISA_OTHER_BRANCH;
        fixed->may_become_branch = false;
        fixed->made = NULL;
    }
    if (isa_kind_is_branch(fixed->kind) && !fixed->has_target && next != held->pc + fixed->size_bytes)
        fixed->target = next;
}

/* The held instruction is whole. next: pc of what follows; its own, if that is a further piece of it. */
static bool finish(struct supply_thread *thread, uint64_t next, bool is_last)
{
    struct held *const held = &thread->held;
    struct fixed *const fixed = &thread->fixed[held->number];
    struct crack_shape const shape = shape_of_held(thread, fixed, is_last);
    struct supply_insn *const insn = ring_slot(&thread->ring);
    const struct image_insn *call = NULL;
    const struct made *made;
    uint64_t behind;

    if (unlikely(!insn))
        return lacks_memory(thread, "instructions");
    if (unlikely(fixed->learns) && is_last)
        learn(thread, fixed, next);
    made = fixed->made;
    if (unlikely(!made || !is_same(made->shape, shape))) {
        made = made_of(thread, fixed, shape);
        if (!made)
            return lacks_memory(thread, "micro-ops");
    }
    *insn = made->insn;
    insn->number = thread->ring.count - thread->base;
    insn->size_bytes = (uint8_t)fixed->size_bytes;
    insn->is_repeat = held->is_repeat;
    insn->next_pc = next;
    if (!fixed->has_target)
        insn->target = fixed->target;
    if (!places_code(&thread->places, held->pc, fixed->size_bytes, &thread->fault)
        || !put_accesses(thread, fixed, insn))
        return false;
    behind = held->pc + fixed->size_bytes;
    if (unlikely(next != behind) && is_last) {
        uint64_t const expected = expected_next(held, fixed, behind, next);

        if (expected != next)
            call = system_call_between(thread, expected, next);
        if (call)
            insn->next_pc = expected;
        insn->is_taken = isa_kind_is_branch(fixed->kind) && insn->next_pc != behind;
        thread->figures.jumps += !call && !isa_kind_is_branch(fixed->kind);
    }
    ring_add(&thread->ring);
    thread->figures.pieces += held->is_repeat;
    held->is_there = false;
    return !call || put_system_call(thread, call, next);
}

/* Behind the last one nothing says where it goes on. */
static bool finish_last(struct supply_thread *thread)
{
    const struct held *const held = &thread->held;
    const struct fixed *const fixed = &thread->fixed[held->number];
    uint64_t const behind = held->pc + fixed->size_bytes;
    uint64_t const next = expected_next(held, fixed, behind, behind);
    const struct image_insn *call = NULL;

    if (!thread->has_system_calls && thread->images)
        call = images_find(thread->images, next);
    return finish(thread, next, true)
           && (!call || !call->is_system_call || call->insn.pc != next
               || put_system_call(thread, call, call->insn.next_pc));
}

/* ---- reading */

static void hold(struct supply_thread *thread, const struct insn_access *accesses, size_t count, bool is_repeat)
{
    const struct insn *const insn = &thread->event.insn;
    struct held *const held = &thread->held;

    held->is_there = true;
    held->is_repeat = is_repeat;
    held->has_target = insn->has_target;
    held->branch = insn->branch;
    held->number = thread->event.number;
    held->pc = insn->pc;
    held->target = insn->target;
    held->event = thread->events - 1;
    held->count = (unsigned)count;
    for (size_t i = 0; i < count; i++)
        held->accesses[i] = accesses[i];
}

static uint32_t bytes_of(const struct supply_thread *thread, const struct insn_access *access)
{
    return access->size_bytes ? access->size_bytes : thread->usual_bytes;
}

/* A further iteration whose accesses go on where those of the held one end, in the same lines, becomes a part of it. */
static bool absorb(struct supply_thread *thread, const struct insn_access *accesses, size_t count)
{
    uint32_t const line = thread->options.line_bytes;
    struct held *const held = &thread->held;

    if (count != held->count || count == 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct insn_access const *const mine = &held->accesses[i];
        uint64_t const end = mine->address + bytes_of(thread, mine);
        bool const goes_up = accesses[i].address == end && end % line != 0;
        bool const goes_down = accesses[i].address + bytes_of(thread, &accesses[i]) == mine->address
            && mine->address % line != 0;

        if (mine->is_write != accesses[i].is_write || (!goes_up && !goes_down)
            || bytes_of(thread, mine) + bytes_of(thread, &accesses[i]) > line)
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        held->accesses[i].size_bytes = bytes_of(thread, &held->accesses[i]) + bytes_of(thread, &accesses[i]);
        if (accesses[i].address < held->accesses[i].address)
            held->accesses[i].address = accesses[i].address;
    }
    return true;
}

/* A string instruction, one of its iterations, or one with many accesses: in pieces. */
static NOINLINE bool take_pieces(struct supply_thread *thread, const struct fixed *fixed,
                                 const struct insn_access *accesses, size_t count)
{
    const struct insn *const insn = &thread->event.insn;
    size_t const step = fixed->group > 0 && fixed->group <= CRACK_MOST_ACCESSES ? fixed->group : CRACK_MOST_ACCESSES;
    size_t done = 0;
    bool is_repeat = insn->form == INSN_REPEAT && thread->held.is_there && thread->held.number == thread->event.number;

    do {
        size_t const now = count - done < step ? count - done : step;

        if (!is_repeat || fixed->group == 0 || !absorb(thread, accesses + done, now)) {
            if (thread->held.is_there && !finish(thread, insn->pc, !is_repeat))
                return false;
            hold(thread, accesses + done, now, is_repeat);
        }
        is_repeat = true;
        done += now;
    } while (done < count);
    return true;
}

/* Cut at lines, those that are longer than one. NULL: out of memory. */
static NOINLINE const struct insn_access *cut_at_lines(struct supply_thread *thread, const struct insn *insn,
                                                       size_t *count)
{
    uint32_t const line = thread->options.line_bytes;
    size_t most = 0, made = 0;

    for (size_t i = 0; i < insn->access_count; i++)
        most += 2 + insn->accesses[i].size_bytes / line;
    if (most > thread->cut_room) {
        struct insn_access *const more = realloc(thread->cut, most * sizeof *more);

        if (!more)
            return NULL;
        thread->cut = more;
        thread->cut_room = most;
    }
    for (size_t i = 0; i < insn->access_count; i++) {
        struct insn_access rest = insn->accesses[i];

        while (rest.size_bytes > line) {
            uint32_t const bytes = line - (uint32_t)(rest.address % line);

            thread->cut[made++] = (struct insn_access){rest.address, bytes, rest.is_write};
            rest.address += bytes;
            rest.size_bytes -= bytes;
        }
        thread->cut[made++] = rest;
    }
    *count = made;
    return thread->cut;
}

static bool is_possible(struct supply_thread *thread, uint32_t bytes)
{
    return bytes <= MOST_ACCESS_BYTES
        || fault_at(&thread->fault, thread->path, FAULT_NO_OFFSET, "event %" PRIu64 ": an access of %" PRIu32 " bytes; "
                    "expected at most %d", thread->events - 1, bytes, MOST_ACCESS_BYTES);
}

static bool take_insn(struct supply_thread *thread)
{
    const struct insn *const insn = &thread->event.insn;
    const struct insn_access *accesses = insn->accesses;
    size_t count = insn->access_count;
    const struct fixed *const fixed = fixed_of(thread, &thread->event);
    bool is_long = false;

    if (unlikely(!fixed))
        return false;
    thread->figures.instructions += insn->form == INSN_EXECUTED;
    thread->has_system_calls |= fixed->kind == ISA_SYSTEM;
    for (size_t i = 0; i < count; i++) {
        is_long |= accesses[i].size_bytes > thread->options.line_bytes;
        if (!is_possible(thread, accesses[i].size_bytes))
            return false;
    }
    if (unlikely(is_long)) {
        accesses = cut_at_lines(thread, insn, &count);
        if (!accesses)
            return lacks_memory(thread, "accesses");
    }
    if (unlikely(insn->form == INSN_REPEAT || fixed->group > 0 || count > CRACK_MOST_ACCESSES))
        return take_pieces(thread, fixed, accesses, count);
    if (likely(thread->held.is_there) && !finish(thread, insn->pc, true))
        return false;
    hold(thread, accesses, count, false);
    return true;
}

static void end(struct supply_thread *thread)
{
    thread->state = STATE_ENDED;
    if (thread->held.is_there && !finish_last(thread))
        thread->state = STATE_FAILED;
}

static void fail(struct supply_thread *thread)
{
    thread->state = STATE_FAILED;
    if (thread->fault.kind == FAULT_NONE)
        lacks_memory(thread, "instructions");
}

/* An event; at the end of a part, up to the first instruction of the next one. */
static void read_event(struct supply_thread *thread)
{
    bool const is_behind = thread->events >= thread->until;

    switch (insn_cursor_next(thread->cursor, &thread->event, &thread->fault)) {
    case INSN_RECORD: break;
    case INSN_END: end(thread); return;
    default: fail(thread); return;
    }
    thread->events++;
    if (thread->event.is_marker) {
        thread->has_system_calls |= thread->event.marker.kind == INSN_MARKER_SYSCALL;
    } else if (thread->event.insn.form == INSN_ACCESS_ONLY) {
        thread->figures.orphans++;
    } else if (!take_insn(thread)) {
        fail(thread);
    } else if (is_behind) {
        thread->state = STATE_ENDED;
    }
}

static NOINLINE void read_more(struct supply_thread *thread)
{
    uint64_t const until = thread->ring.count + READ_AT_ONCE;

    while (thread->state == STATE_READS && thread->ring.count < until)
        read_event(thread);
}

/* ---- the supply */

static struct supply_thread *thread_of(struct supply *supply)
{
    return (struct supply_thread *)supply;
}

static NOINLINE enum supply_step read_until(struct supply_thread *thread, uint64_t number,
                                            const struct supply_insn **insn, struct fault *fault)
{
    while (thread->state == STATE_READS && thread->base + number + SUPPLY_AHEAD >= thread->ring.count)
        read_more(thread);
    if ((thread->images && images_has_failed(thread->images))
        || (thread->values && values_has_failed(thread->values))) {
        fault_memory(fault, thread->path, "instructions of wrong paths");
        return SUPPLY_FAULT;
    }
    if (thread->base + number < thread->ring.count) {
        *insn = ring_at(&thread->ring, thread->base + number);
        return SUPPLY_INSN;
    }
    if (thread->state == STATE_ENDED)
        return SUPPLY_END;
    *fault = thread->fault;
    return SUPPLY_FAULT;
}

static enum supply_step right(struct supply *supply, uint64_t number, const struct supply_insn **insn,
                              struct fault *fault)
{
    struct supply_thread *const thread = thread_of(supply);
    uint64_t const at = thread->base + number;

    assert(at >= thread->ring.first);
    if (likely(at + SUPPLY_AHEAD < thread->ring.count)) {
        *insn = ring_at(&thread->ring, at);
        return SUPPLY_INSN;
    }
    return read_until(thread, number, insn, fault);
}

static void note_loads(struct supply_thread *thread, uint64_t until)
{
    for (uint64_t number = thread->ring.first; number < until; number++) {
        const struct supply_insn *const insn = ring_at(&thread->ring, number);

        if (insn->access_count > 0)
            images_note(thread->images, insn);
    }
}

static void release_ring(struct supply_thread *thread, uint64_t until)
{
    if (thread->options.wrong_path_loads && thread->images)
        note_loads(thread, until);
    if (thread->values)
        values_release(thread->values, until);
    ring_release(&thread->ring, until);
}

static void release(struct supply *supply, uint64_t number)
{
    struct supply_thread *const thread = thread_of(supply);

    release_ring(thread, thread->base + number);
}

/* One of the last 65,536. NULL: out of memory. */
static struct wrong_copy *next_copy(struct supply_thread *thread)
{
    struct wrong_copy **const block = &thread->copies[thread->copy_count >> COPIES_SHIFT & (COPY_BLOCKS - 1)];

    if (!*block)
        *block = malloc(COPY_BLOCK * sizeof **block);
    return *block ? &(*block)[thread->copy_count++ & (COPY_BLOCK - 1)] : NULL;
}

static const struct supply_insn *wrong(struct supply *supply, uint64_t pc, uint64_t state)
{
    struct supply_thread *const thread = thread_of(supply);
    const struct image_insn *const found = thread->images ? images_find(thread->images, pc) : NULL;
    struct wrong_copy *copy;

    if (!found)
        return NULL;
    if (thread->values) {
        const struct supply_insn *const insn = values_wrong(thread->values, &found->insn, state, thread->base);

        if (insn)
            return insn;
    }
    if (!found->last)
        return &found->insn;
    copy = next_copy(thread);
    if (!copy)
        return &found->insn;
    copy->insn = found->insn;
    copy->insn.accesses = copy->accesses;
    memcpy(copy->accesses, found->last, found->insn.access_count * sizeof copy->accesses[0]);
    return &copy->insn;
}

static bool place(struct supply *supply, uint64_t address, uint64_t *at)
{
    return places_find(&thread_of(supply)->places, address, at);
}

static void hold_wrong(struct supply *supply, const struct supply_insn *insn, bool drops)
{
    values_hold(thread_of(supply)->values, insn, drops);
}

static const struct supply_ops operations = {right, release, wrong, hold_wrong, place};

/* ---- set-up */

struct fault supply_check(const struct insn_trace *trace)
{
    static const enum insn_lack needed[] = {INSN_LACKS_PCS, INSN_LACKS_INSTRUCTIONS};
    const char *const path = insn_trace_thread(trace, 0)->path;
    struct fault fault = fault_none();

    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (insn_trace_lacks(trace) & 1u << needed[i]) {
            fault_at(&fault, path, FAULT_NO_OFFSET, "the trace (%s) lacks %s; a detailed core needs each instruction "
                     "with its pc: replay it with the model elastic, or capture instructions",
                     insn_trace_name(trace), insn_lack_text(needed[i]));
            return fault;
        }
    return fault;
}

uint32_t supply_lacks(const struct insn_trace *trace)
{
    return insn_trace_lacks(trace)
        & (1u << INSN_LACKS_DEPENDENCES | 1u << INSN_LACKS_INSN_SIZES | 1u << INSN_LACKS_ACCESS_SIZES
           | 1u << INSN_LACKS_BRANCHES | 1u << INSN_LACKS_HIGH_ADDRESSES | 1u << INSN_LACKS_HITS
           | 1u << INSN_LACKS_PARTS_OF_LINES);
}

struct fault supply_touch_images(const struct insn_trace *trace, struct space *space)
{
    const struct insn_image *images;
    size_t const count = insn_trace_images(trace, &images);

    for (size_t i = 0; i < count; i++)
        FAULT_TRY(space_touch(space, images[i].address, images[i].byte_count));
    return fault_none();
}

/* Code images are mapped from the start, too. */
static bool set_mapped(struct supply_thread *thread)
{
    const struct insn_image *images;
    size_t const count = insn_trace_images(thread->trace, &images), given = thread->options.mapped_count;

    thread->mapped = calloc(count + given + 1, sizeof *thread->mapped);
    if (!thread->mapped)
        return false;
    for (size_t i = 0; i < given; i++)
        thread->mapped[i] = thread->options.mapped[i];
    for (size_t i = 0; i < count; i++)
        thread->mapped[given + i] = (struct supply_range){images[i].address, images[i].byte_count};
    thread->places.mapped = thread->mapped;
    thread->places.mapped_count = count + given;
    thread->places.finds_first_touches = true;
    return true;
}

static bool set_up(struct supply_thread *thread, size_t index)
{
    thread->isa = insn_trace_isa(thread->trace);
    thread->has_bytes = thread->isa != ISA_UNKNOWN && !is_of_registers(thread);
    thread->lacks_branches = (insn_trace_lacks(thread->trace) & 1u << INSN_LACKS_BRANCHES) != 0;
    if (thread->options.line_bytes == 0)
        thread->options.line_bytes = USUAL_LINE;
    thread->usual_bytes = insn_elastic_size_bytes(thread->trace, thread->options.line_bytes);
    thread->until = UINT64_MAX;
    places_init(&thread->places, thread->options.space);
    if (thread->options.page_faults && !set_mapped(thread))
        return lacks_memory(thread, "pages");
    thread->cursor = insn_cursor_open(thread->trace, index, &thread->fault);
    if (!thread->cursor)
        return false;
    thread->images = images_open(thread->trace, &thread->fault);
    thread->supply.has_images = thread->images != NULL;
    if (thread->images && thread->options.wrong_path_values && insn_trace_threads(thread->trace) == 1)
        thread->values = values_open(thread->trace, &thread->ring, &thread->places, &thread->fault);
    thread->supply.has_values = thread->values != NULL;
    return thread->fault.kind == FAULT_NONE;
}

struct supply_thread *supply_thread_open(const struct insn_trace *trace, size_t thread,
                                         const struct supply_thread_options *options, struct fault *fault)
{
    struct supply_thread *const new = calloc(1, sizeof *new);

    *fault = fault_none();
    if (!new) {
        fault_memory(fault, insn_trace_thread(trace, thread)->path, NULL);
        return NULL;
    }
    new->supply.ops = &operations;
    new->trace = trace;
    new->options = *options;
    new->path = insn_trace_thread(trace, thread)->path;
    if (set_up(new, thread))
        return new;
    *fault = new->fault;
    supply_thread_close(new);
    return NULL;
}

void supply_thread_close(struct supply_thread *thread)
{
    if (!thread)
        return;
    ring_free(&thread->ring);
    places_free(&thread->places);
    images_close(thread->images);
    values_close(thread->values);
    insn_cursor_close(thread->cursor);
    arena_free(&thread->arena);
    for (unsigned i = 0; i < COPY_BLOCKS; i++)
        free(thread->copies[i]);
    free(thread->mapped);
    free(thread->cut);
    free(thread->fixed);
    free(thread);
}

struct supply *supply_of_thread(struct supply_thread *thread)
{
    return &thread->supply;
}

void supply_thread_until(struct supply_thread *thread, uint64_t event)
{
    release_ring(thread, thread->ring.count);
    thread->base = thread->ring.count;
    thread->until = event;
    if (thread->state == STATE_ENDED && thread->held.is_there)
        thread->state = thread->held.event >= event ? STATE_ENDED : STATE_READS;
}

const struct supply_figures *supply_thread_figures(const struct supply_thread *thread)
{
    return &thread->figures;
}

const struct machine_figures *supply_thread_values(const struct supply_thread *thread)
{
    return thread->values ? values_figures(thread->values) : NULL;
}

const struct insn_cursor *supply_thread_cursor(const struct supply_thread *thread)
{
    return thread->cursor;
}
