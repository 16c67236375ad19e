/* The right path is read some instructions ahead of the core's requests. The successor of an instruction is known
 * only from the next one, so one instruction is held back (struct held) until the next is read.
 *
 * Properties that all executions of an instruction share are in static_insns.h; those of one execution are made
 * here. */
#include "replay/detailed/uops/thread.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/insn/insn_elastic.h"
#include "replay/detailed/rv64/rv64_machine.h"
#include "replay/detailed/uops/static_insns.h"
#include "replay/detailed/uops/uop_ring.h"
#include "replay/detailed/uops/values.h"

enum {
    READ_AT_ONCE = 64, USUAL_LINE = 64, MOST_ORPHANS = 1024, MOST_ACCESS_BYTES = 1 << 16,
    COPIES_SHIFT = 8, COPY_BLOCK = 1 << COPIES_SHIFT, COPY_BLOCKS = 256
};

struct held {
    bool is_there, is_repeat, has_target;
    enum insn_branch branch;
    uint32_t number;
    uint64_t pc, target;
    uint64_t event;                      /* its number among the thread's */
    unsigned count;
    uint32_t iteration_bytes;            /* see pieces_size; 0: not known */
    struct insn_access accesses[CRACK_MOST_ACCESSES];
};

/* An access that no instruction owns. */
struct orphan {
    uint64_t pc;                         /* 0: that of the next instruction */
    uint64_t event;                      /* its number among the thread's */
    struct insn_access access;
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
    bool has_system_calls;               /* the trace has its own */
    uint32_t usual_bytes;
    struct insn_cursor *cursor;
    struct insn_event event;
    uint64_t events, until;
    enum state state;
    struct fault fault;
    uint64_t base;                       /* number in the ring of the part's first instruction */
    struct ring ring;
    struct held held;
    struct orphan *orphans;              /* behind the one that is held */
    size_t orphan_count, orphan_room;
    struct uop orphan_uops[2];           /* a load, a store */
    struct static_insns statics;
    struct places places;
    struct images *images;
    struct values *values;               /* NULL: wrong paths are not executed */
    struct pieces cut;                   /* accesses of an instruction, cut at lines */
    struct insn_access iteration[CRACK_MOST_ACCESSES];
    struct wrong_copy *copies[COPY_BLOCKS];
    uint64_t copy_count;
    struct supply_range *mapped;
    struct supply_figures figures;
};

static bool lacks_memory(struct supply_thread *thread, const char *what)
{
    return WORKS(thread->fault, fault_memory(thread->path, what));
}

/* ---- accesses */

static void count_access(struct supply_thread *thread, bool is_write)
{
    *(is_write ? &thread->figures.stores : &thread->figures.loads) += 1;
}

/* A system call may have mapped the page. */
static void count_first_touch(struct supply_thread *thread, struct supply_access *access)
{
    if (access->is_first_touch && thread->values && values_have(thread->values, access))
        access->is_first_touch = false;
    thread->figures.first_touches += access->is_first_touch;
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
    if (FAILS(thread->fault, places_data(&thread->places, out)))
        return false;
    count_first_touch(thread, out);
    return true;
}

/* Loads, then stores. */
static bool put_all(struct supply_thread *thread, struct static_insn *fixed, struct supply_access *out)
{
    const struct held *const held = &thread->held;
    unsigned const line_bytes = (unsigned)thread->options.line_bytes;

    for (int is_write = 0; is_write < 2; is_write++)
        for (unsigned i = 0; i < held->count; i++) {
            const struct insn_access *const access = &held->accesses[i];

            if (access->is_write != is_write)
                continue;
            out->address = access->address;
            out->size_bytes = static_insns_bytes(&thread->statics, fixed, access, thread->usual_bytes, line_bytes);
            count_access(thread, is_write);
            if (FAILS(thread->fault, places_data(&thread->places, out)))
                return false;
            count_first_touch(thread, out++);
        }
    return true;
}

static bool thread_put_accesses(struct supply_thread *thread, struct static_insn *fixed, struct supply_insn *insn)
{
    struct supply_access *accesses;

    insn->accesses = NULL;
    if (insn->access_count == 0)
        return true;
    accesses = ring_accesses(&thread->ring, insn->access_count);
    if (!accesses)
        return lacks_memory(thread, "instructions");
    insn->accesses = accesses;
    return fixed->is_fixed ? put_one(thread, fixed->shape.is_atomic, accesses) : put_all(thread, fixed, accesses);
}

static struct crack_shape shape_of_held(const struct supply_thread *thread, const struct static_insn *fixed,
                                        bool is_last)
{
    struct crack_shape shape = {.is_last = is_last};

    if (fixed->is_fixed)
        return fixed->shape;
    for (unsigned i = 0; i < thread->held.count; i++)
        *(thread->held.accesses[i].is_write ? &shape.stores : &shape.loads) += 1;
    return shape;
}

/* ---- successors of instructions */

/* The successor that the held instruction would have without the trace; `next` if it cannot be predicted. */
static uint64_t expected_next(const struct held *held, const struct static_insn *fixed, uint64_t behind, uint64_t next)
{
    if (!isa_kind_is_branch(fixed->kind) || held->branch == INSN_NOT_TAKEN)
        return behind;
    if (held->branch == INSN_BRANCH_UNKNOWN && fixed->kind == ISA_CONDITIONAL)
        return next;
    if (fixed->has_target)
        return fixed->target;
    return held->has_target ? held->target : next;
}

/* Inserts the system call at `pc`, whose successor is `next`. */
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
    return WORKS(thread->fault, places_code(&thread->places, insn->pc, insn->size_bytes));
}

/* The system call that lies between, or NULL. */
static const struct image_insn *system_call_between(struct supply_thread *thread, uint64_t expected, uint64_t next)
{
    const struct image_insn *const call = !thread->has_system_calls && thread->images
                                              ? images_find(thread->images, expected) : NULL;

    return call && call->is_system_call && call->insn.pc == expected && call->insn.next_pc == next ? call : NULL;
}

/* ---- accesses that no instruction owns */

static bool thread_put_orphan(struct supply_thread *thread, const struct orphan *orphan, uint64_t next)
{
    struct supply_insn *const insn = ring_slot(&thread->ring);
    struct supply_access *const access = insn ? ring_accesses(&thread->ring, 1) : NULL;

    if (!access)
        return lacks_memory(thread, "accesses");
    *insn = (struct supply_insn){.pc = orphan->pc ? orphan->pc : next, .next_pc = next,
                                 .number = thread->ring.count - thread->base,
                                 .uops = &thread->orphan_uops[orphan->access.is_write], .uop_count = 1,
                                 .accesses = access, .access_count = 1, .is_unfetched = true};
    access->address = orphan->access.address;
    access->size_bytes = orphan->access.size_bytes ? orphan->access.size_bytes : thread->usual_bytes;
    count_access(thread, orphan->access.is_write);
    if (FAILS(thread->fault, places_data(&thread->places, access)))
        return false;
    count_first_touch(thread, access);
    ring_add(&thread->ring);
    thread->figures.instructions++;
    return true;
}

/* All but the last `left` of them, before an instruction at `next`. There is at least one. */
static bool put_orphans(struct supply_thread *thread, uint64_t next, size_t left)
{
    size_t const count = thread->orphan_count > left ? thread->orphan_count - left : 0;

    for (size_t i = 0; i < count; i++)
        if (!thread_put_orphan(thread, &thread->orphans[i], next))
            return false;
    memmove(thread->orphans, thread->orphans + count, (thread->orphan_count - count) * sizeof *thread->orphans);
    thread->orphan_count -= count;
    return true;
}

/* The held instruction is complete. next: pc of the next record; its own, if that is a further piece of it. */
static bool thread_finish(struct supply_thread *thread, uint64_t next, bool is_last)
{
    struct held *const held = &thread->held;
    struct static_insn *const fixed = &thread->statics.list[held->number];
    struct crack_shape const shape = shape_of_held(thread, fixed, is_last);
    struct supply_insn *const insn = ring_slot(&thread->ring);
    const struct image_insn *call = NULL;
    const struct made *made;
    uint64_t behind;

    if (!insn)
        return lacks_memory(thread, "instructions");
    if (fixed->learns && is_last)
        static_insns_learn(&thread->statics, held->number, held->pc, held->branch, next);
    made = static_insns_made(&thread->statics, held->number, held->pc, shape);
    if (!made)
        return lacks_memory(thread, "micro-ops");
    *insn = made->insn;
    insn->number = thread->ring.count - thread->base;
    insn->size_bytes = (uint8_t)fixed->size_bytes;
    insn->is_repeat = held->is_repeat;
    insn->is_string = fixed->group > 0 && !held->is_repeat;
    insn->next_pc = next;
    if (!fixed->has_target)
        insn->target = fixed->target;
    if (FAILS(thread->fault, places_code(&thread->places, held->pc, fixed->size_bytes))
        || !thread_put_accesses(thread, fixed, insn))
        return false;
    behind = held->pc + fixed->size_bytes;
    if (next != behind && is_last) {
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
    if (call && !put_system_call(thread, call, next))
        return false;
    return thread->orphan_count == 0 || !is_last || put_orphans(thread, next, 0);
}

/* Nothing in the trace gives the last instruction's successor. */
static bool finish_last(struct supply_thread *thread)
{
    const struct held *const held = &thread->held;
    const struct static_insn *const fixed = &thread->statics.list[held->number];
    uint64_t const behind = held->pc + fixed->size_bytes;
    uint64_t const next = expected_next(held, fixed, behind, behind);
    const struct image_insn *call = NULL;

    if (!thread->has_system_calls && thread->images)
        call = images_find(thread->images, next);
    return thread_finish(thread, next, true)
           && (!call || !call->is_system_call || call->insn.pc != next
               || put_system_call(thread, call, call->insn.next_pc));
}

/* Of the held instruction: it ends here, or something that has no pc follows. */
static bool finish_unknown(struct supply_thread *thread)
{
    const struct held *const held = &thread->held;
    const struct static_insn *const fixed = &thread->statics.list[held->number];
    uint64_t const behind = held->pc + fixed->size_bytes;

    return thread_finish(thread, expected_next(held, fixed, behind, behind), true);
}

/* ---- reading */

static void thread_hold(struct supply_thread *thread, const struct insn_access *accesses, size_t count, bool is_repeat)
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

static bool absorb(struct supply_thread *thread, const struct insn_access *accesses, size_t count)
{
    struct held *const held = &thread->held;

    return count > 0 && count == held->count
        && pieces_absorb(held->accesses, accesses, count, thread->options.line_bytes, thread->usual_bytes);
}

/* ChampSim's tracer writes a record for each iteration of a string instruction: nothing else that is no branch comes
 * twice in a row. */
static bool is_iteration(const struct supply_thread *thread, const struct static_insn *fixed, size_t count)
{
    const struct held *const held = &thread->held;

    return thread->statics.isa == ISA_CHAMPSIM && held->is_there && held->number == thread->event.number
        && held->pc == thread->event.insn.pc && !isa_kind_is_branch(fixed->kind) && count > 0 && count == held->count;
}

/* A string instruction, one of its iterations, or one with many accesses: in pieces. */
static bool take_pieces(struct supply_thread *thread, const struct static_insn *fixed,
                        const struct insn_access *accesses, size_t count, bool is_iteration)
{
    const struct insn *const insn = &thread->event.insn;
    size_t const step = fixed->group > 0 && fixed->group <= CRACK_MOST_ACCESSES ? fixed->group : CRACK_MOST_ACCESSES;
    size_t done = 0;
    bool const is_further = insn->form == INSN_REPEAT || is_iteration;
    bool is_repeat = is_further && thread->held.is_there && thread->held.number == thread->event.number;

    if (is_iteration) {
        pieces_size(thread->held.accesses, accesses, count, thread->usual_bytes, &thread->held.iteration_bytes,
                    thread->iteration);
        accesses = thread->iteration;
    }
    do {
        size_t const now = count - done < step ? count - done : step;

        if (!is_repeat || (fixed->group == 0 && !is_iteration) || !absorb(thread, accesses + done, now)) {
            if (thread->held.is_there && !thread_finish(thread, insn->pc, !is_repeat))
                return false;
            thread_hold(thread, accesses + done, now, is_repeat);
        }
        is_repeat = true;
        done += now;
    } while (done < count);
    return true;
}

static bool is_possible(struct supply_thread *thread, uint32_t bytes)
{
    return bytes <= MOST_ACCESS_BYTES
        || WORKS(thread->fault, fault_at(thread->path, FAULT_NO_OFFSET, "event %" PRIu64 ": an access of %" PRIu32
                                         " bytes; expected at most %d", thread->events - 1, bytes, MOST_ACCESS_BYTES));
}

static bool thread_take_insn(struct supply_thread *thread)
{
    const struct insn *const insn = &thread->event.insn;
    const struct insn_access *accesses = insn->accesses;
    size_t count = insn->access_count;
    const struct static_insn *const fixed = static_insns_of(&thread->statics, &thread->event);
    bool is_long = false, is_further;

    if (!fixed)
        return lacks_memory(thread, "static instructions");
    thread->figures.instructions += insn->form == INSN_EXECUTED;
    thread->has_system_calls |= fixed->kind == ISA_SYSTEM;
    for (size_t i = 0; i < count; i++) {
        is_long |= accesses[i].size_bytes > thread->options.line_bytes;
        if (!is_possible(thread, accesses[i].size_bytes))
            return false;
    }
    if (is_long) {
        if (!pieces_cut(&thread->cut, accesses, count, thread->options.line_bytes))
            return lacks_memory(thread, "accesses");
        accesses = thread->cut.list;
        count = thread->cut.count;
    }
    is_further = is_iteration(thread, fixed, count);
    if (insn->form == INSN_REPEAT || fixed->group > 0 || count > CRACK_MOST_ACCESSES || is_further)
        return take_pieces(thread, fixed, accesses, count, is_further);
    if (thread->held.is_there && !thread_finish(thread, insn->pc, true))
        return false;
    if (thread->orphan_count > 0 && !put_orphans(thread, insn->pc, 0))
        return false;
    thread_hold(thread, accesses, count, false);
    thread->held.iteration_bytes = 0;
    return true;
}

static bool add_orphan(struct supply_thread *thread, const struct insn_access *access)
{
    if (!list_fit(&thread->orphans, thread->orphan_count + 1, &thread->orphan_room, sizeof *thread->orphans))
        return lacks_memory(thread, "accesses");
    thread->orphans[thread->orphan_count++] = (struct orphan){thread->event.insn.pc, thread->events - 1, *access};
    thread->figures.orphans++;
    return true;
}

/* Accesses wait until the successor of the instruction before them is known, the last one also for its own pc; but at
 * most MOST_ORPHANS wait. */
static bool take_orphans(struct supply_thread *thread, bool is_behind)
{
    const struct insn *const insn = &thread->event.insn;

    if (thread->values)
        return WORKS(thread->fault, fault_at(thread->path, FAULT_NO_OFFSET, "event %" PRIu64 ": an access that no "
                                             "instruction owns, and the program beside the trace is executed with it; "
                                             "give cpu.wrongPathValues=no, or --model elastic", thread->events - 1));
    thread->supply.has_unfetched = true;
    if (is_behind || thread->orphan_count >= MOST_ORPHANS) {
        if (thread->held.is_there && !finish_unknown(thread))
            return false;
        if (thread->orphan_count > 0 && !put_orphans(thread, 0, is_behind ? 0 : 1))
            return false;
    }
    for (size_t i = 0; i < insn->access_count; i++) {
        struct insn_access const *const access = &insn->accesses[i];

        if (!is_possible(thread, access->size_bytes))
            return false;
        if (access->size_bytes <= thread->options.line_bytes) {
            if (!add_orphan(thread, access))
                return false;
            continue;
        }
        if (!pieces_cut(&thread->cut, access, 1, thread->options.line_bytes))
            return lacks_memory(thread, "accesses");
        for (size_t k = 0; k < thread->cut.count; k++)
            if (!add_orphan(thread, &thread->cut.list[k]))
                return false;
    }
    return true;
}

static void thread_end_part(struct supply_thread *thread)
{
    thread->state = STATE_ENDED;
    if ((thread->held.is_there && !finish_last(thread)) || (thread->orphan_count > 0 && !put_orphans(thread, 0, 0)))
        thread->state = STATE_FAILED;
}

static void thread_fail(struct supply_thread *thread)
{
    thread->state = STATE_FAILED;
    if (thread->fault.kind == FAULT_NONE)
        lacks_memory(thread, "instructions");
}

/* The trace cannot be read any further: the instruction before is given all the same. */
static void break_off(struct supply_thread *thread)
{
    struct fault const fault = thread->fault;

    if (thread->held.is_there)
        finish_unknown(thread);
    thread->fault = fault;
    thread_fail(thread);
}

/* An event; at the end of a part, up to the first instruction of the next one. */
static void read_event(struct supply_thread *thread)
{
    bool const is_behind = thread->events >= thread->until;

    switch (insn_cursor_next(thread->cursor, &thread->event, &thread->fault)) {
    case INSN_RECORD: break;
    case INSN_END: thread_end_part(thread); return;
    default: break_off(thread); return;
    }
    thread->events++;
    if (thread->event.is_marker) {
        thread->has_system_calls |= thread->event.marker.kind == INSN_MARKER_SYSCALL;
        if (thread->values && thread->held.is_there)
            values_mark(thread->values, &thread->event.marker);
    } else if (thread->event.insn.form == INSN_ACCESS_ONLY) {
        if (!take_orphans(thread, is_behind))
            thread_fail(thread);
        else if (is_behind)
            thread->state = STATE_ENDED;
    } else if (!thread_take_insn(thread)) {
        thread_fail(thread);
    } else if (is_behind) {
        thread->state = STATE_ENDED;
    }
}

static void read_more(struct supply_thread *thread)
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

static enum supply_step read_until(struct supply_thread *thread, uint64_t number,
                                   const struct supply_insn **insn, struct fault *fault)
{
    while (thread->state == STATE_READS && thread->base + number + SUPPLY_AHEAD >= thread->ring.count)
        read_more(thread);
    if ((thread->images && images_has_failed(thread->images))
        || (thread->values && values_has_failed(thread->values))) {
        *fault = fault_memory(thread->path, "instructions of wrong paths");
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
    if (at + SUPPLY_AHEAD < thread->ring.count) {
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

static void thread_release(struct supply *supply, uint64_t number)
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

static const struct supply_insn *thread_wrong(struct supply *supply, uint64_t pc, uint64_t state)
{
    struct supply_thread *const thread = thread_of(supply);
    const struct image_insn *const found = thread->images ? images_find(thread->images, pc) : NULL;
    struct wrong_copy *copy;

    if (!found && !thread->statics.keeps_code)
        return NULL;
    if (found && thread->values) {
        const struct supply_insn *const insn = values_wrong(thread->values, &found->insn, state, thread->base);

        if (insn)
            return insn;
    }
    if (found && !found->last)
        return &found->insn;
    copy = next_copy(thread);
    if (!copy)
        return found ? &found->insn : NULL;
    if (!found) {
        static_insns_wrong(&thread->statics, pc, &copy->insn, copy->accesses);
        return &copy->insn;
    }
    copy->insn = found->insn;
    copy->insn.accesses = copy->accesses;
    memcpy(copy->accesses, found->last, found->insn.access_count * sizeof copy->accesses[0]);
    return &copy->insn;
}

static bool thread_place(struct supply *supply, uint64_t address, uint64_t *at)
{
    return places_find(&thread_of(supply)->places, address, at);
}

static void hold_wrong(struct supply *supply, const struct supply_insn *insn, bool drops)
{
    values_hold(thread_of(supply)->values, insn, drops);
}

static const struct supply_ops operations = {right, thread_release, thread_wrong, thread_place, hold_wrong};

/* ---- set-up */

/* Code images are mapped from the start, too, as are the program's segments and its initial stack. */
static bool set_mapped(struct supply_thread *thread)
{
    const struct insn_program *const program = insn_trace_program(thread->trace);
    const struct insn_image *images;
    size_t const given = thread->options.mapped_count, segments = program ? program->segment_count + 1 : 0;
    size_t count = insn_trace_images(thread->trace, &images);

    thread->mapped = calloc(count + given + segments + 1, sizeof *thread->mapped);
    if (!thread->mapped)
        return false;
    for (size_t i = 0; i < given; i++)
        thread->mapped[i] = thread->options.mapped[i];
    for (size_t i = 0; i < count; i++)
        thread->mapped[given + i] = (struct supply_range){images[i].address, images[i].byte_count};
    count += given;
    for (size_t i = 0; program && i < program->segment_count; i++)
        thread->mapped[count++] =
            (struct supply_range){program->segments[i].address, program->segments[i].byte_count};
    if (program)
        thread->mapped[count++] =
            (struct supply_range){machine_first_stack(program), machine_stack_bytes(program)};
    thread->places.mapped = thread->mapped;
    thread->places.mapped_count = count;
    thread->places.finds_first_touches = true;
    return true;
}

static void make_orphan_uops(struct supply_thread *thread)
{
    struct crack_insn const unknown = {.isa = ISA_UNKNOWN, .kind = ISA_OTHER};

    for (unsigned is_write = 0; is_write < 2; is_write++) {
        struct crack_uops uops;

        crack(&unknown, (struct crack_shape){.loads = !is_write, .stores = (uint8_t)is_write, .is_last = true}, &uops);
        assert(uops.count == 1);
        thread->orphan_uops[is_write] = uops.list[0];
        thread->orphan_uops[is_write].flags |= UOP_NON_SPECULATIVE;
    }
}

static bool set_up(struct supply_thread *thread, size_t index)
{
    bool const has_all_pages = insn_trace_program(thread->trace) && insn_trace_threads(thread->trace) == 1;

    if (thread->options.line_bytes == 0)
        thread->options.line_bytes = USUAL_LINE;
    thread->usual_bytes = insn_trace_spans(thread->trace, (uint32_t)thread->options.line_bytes).usual_bytes;
    places_init(&thread->places, thread->options.space);
    if ((thread->options.page_faults || has_all_pages) && !set_mapped(thread))
        return lacks_memory(thread, "pages");
    thread->cursor = insn_cursor_open(thread->trace, index, &thread->fault);
    if (!thread->cursor)
        return false;
    static_insns_init(&thread->statics, thread->trace, thread->cursor);
    make_orphan_uops(thread);
    thread->images = images_open(thread->trace, &thread->fault);
    thread->statics.keeps_code = !thread->images && thread->statics.isa == ISA_CHAMPSIM;
    thread->supply.has_images = thread->images || thread->statics.keeps_code;
    thread->places.loads_around = thread->statics.keeps_code;
    thread->supply.takes_size_for_four = insn_trace_isa(thread->trace) == ISA_RV64;
    if (thread->images && thread->options.wrong_path_values)
        thread->values = values_open(thread->trace, index, &thread->ring, &thread->places, thread->options.memory,
                                     &thread->fault);
    thread->supply.has_values = thread->values != NULL;
    return thread->fault.kind == FAULT_NONE;
}

struct supply_thread *supply_thread_open(const struct insn_trace *trace, size_t thread,
                                         const struct supply_thread_options *options, struct fault *fault)
{
    struct supply_thread *const new = calloc(1, sizeof *new);

    *fault = fault_none();
    if (!new) {
        *fault = fault_memory(insn_trace_thread(trace, thread)->path, NULL);
        return NULL;
    }
    *new = (struct supply_thread){.supply.ops = &operations, .trace = trace, .options = *options, .until = UINT64_MAX,
                                  .path = insn_trace_thread(trace, thread)->path};
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
    static_insns_free(&thread->statics);
    for (unsigned i = 0; i < COPY_BLOCKS; i++)
        free(thread->copies[i]);
    free(thread->mapped);
    free(thread->cut.list);
    free(thread->orphans);
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
    if (thread->state != STATE_ENDED)
        return;
    if (thread->held.is_there)
        thread->state = thread->held.event >= event ? STATE_ENDED : STATE_READS;
    else if (thread->orphan_count > 0)
        thread->state = thread->orphans[0].event >= event ? STATE_ENDED : STATE_READS;
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
