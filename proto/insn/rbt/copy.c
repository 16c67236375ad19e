#include "proto/insn/rbt/copy.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/insn/rbt/rbt_format.h"
#include "proto/insn/rbt/rbt_writer.h"
#include "proto/insn/rbt/rows.h"

enum { PROGRESS_EVERY = 1 << 20, BACK_MOST = 255 };

struct copy {
    const struct insn_trace *trace;
    const struct rbt_copy_request *request;
    struct rbt_copy_result *result;
    struct rbt_writer *writer;
    bool has_bytes;
};

static bool copy_is_wanted(const struct rbt_copy_request *request, uint64_t id)
{
    for (size_t i = 0; i < request->thread_count; i++)
        if (request->threads[i] == id)
            return true;
    return !request->threads;
}

static void add_counts(struct insn_counts *sum, const struct insn_counts *counts)
{
#define COUNTER_ADD(name, what) sum->name += counts->name;
    INSN_COUNTERS(COUNTER_ADD)
    for (size_t i = 0; i < ISA_KIND_COUNT; i++)
        sum->kinds[i] += counts->kinds[i];
}

static struct fault copy_put_insn(struct copy *copy, uint32_t thread, const struct insn_cursor *cursor,
                                  struct insn_event *event)
{
    if (copy->has_bytes) {
        const uint8_t *bytes;
        size_t const length = insn_cursor_bytes(cursor, event->number, &bytes);

        event->insn.encoding_bytes = (uint8_t)length;
        memcpy(event->insn.encoding, bytes, length);
    }
    copy->result->insns++;
    copy->result->fetched += event->insn.gap + (event->insn.form == INSN_EXECUTED);
    if (copy->request->progress && copy->result->insns % PROGRESS_EVERY == 0)
        copy->request->progress(copy->request->context, copy->result->insns);
    return rbt_writer_put(copy->writer, thread, &event->insn, event->what);
}

/* Copies markers in the range or at its ends, except those before instruction 0. */
static struct fault copy_events(struct copy *copy, uint32_t thread, struct insn_cursor *cursor)
{
    struct fault fault = fault_none();
    const struct rbt_copy_request *const request = copy->request;
    enum insn_step step = INSN_END;
    struct insn_event event;
    uint64_t at = insn_cursor_skip(cursor, request->first);
    bool good = true;

    memset(&event, 0, sizeof event);
    if (request->first > 0)
        good = WORKS(fault, rbt_writer_mark(copy->writer, thread,
                                            &(struct insn_marker){.kind = INSN_MARKER_LOST, .value = request->first}));
    while (good && at < request->behind && (step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD) {
        if (event.is_marker)
            good = at < request->first || WORKS(fault, rbt_writer_mark(copy->writer, thread, &event.marker));
        else if (at++ >= request->first)
            good = WORKS(fault, copy_put_insn(copy, thread, cursor, &event));
    }
    return good && step != INSN_FAILED ? fault_none() : fault;
}

/* What is known of a thread when one of its cursors has read all that is wanted, and closes that. */
static struct fault end_cursor(struct copy *copy, const struct insn_thread *thread, struct insn_cursor *cursor,
                               struct fault fault)
{
    add_counts(&copy->result->counts, insn_cursor_counts(cursor));
    rbt_writer_lacks(copy->writer, insn_cursor_lacks(cursor));
    if (fault.kind == FAULT_NONE && insn_cursor_warning(cursor)) {
        char note[320];

        snprintf(note, sizeof note, "thread %" PRIu64 " %s", thread->id, insn_cursor_warning(cursor));
        fault = rbt_writer_note(copy->writer, note, 1);
    }
    if (insn_cursor_warning(cursor) && !copy->result->warning[0])
        snprintf(copy->result->warning, sizeof copy->result->warning, "thread %" PRIu64 ": %s", thread->id,
                 insn_cursor_warning(cursor));
    insn_cursor_close(cursor);
    return fault;
}

/* ---- parts */
struct parts {
    size_t next;                         /* part that has not begun */
    uint64_t at, left;                   /* event of the thread; instructions that are wanted from there */
    uint64_t given;                      /* accesses since the last gap */
};

/* Addresses that follow from one before the gap become addresses of their own. */
static struct fault put_in_part(struct copy *copy, uint32_t number, struct parts *parts,
                                const struct insn_cursor *cursor, struct insn_event *event)
{
    struct insn_access own[RBT_REGULAR_ACCESSES];
    struct insn within;

    if (parts->given < BACK_MOST)
        event->insn = *rbt_rows_within(parts->given, &event->insn, own, &within);
    parts->given += event->insn.access_count;
    return copy_put_insn(copy, number, cursor, event);
}

/* Parts that begin with the event. */
static void begin_parts(struct copy *copy, struct parts *parts)
{
    const struct rbt_copy_request *const request = copy->request;

    for (; parts->next < request->part_count && request->parts[parts->next].first == parts->at; parts->next++) {
        struct rbt_copy_part *const part = &request->parts[parts->next];

        part->placed = copy->result->insns;
        if (part->insns > parts->left)
            parts->left = part->insns;
    }
}

/* From the next part on to where no part has the next instruction. */
static struct fault copy_next_parts(struct copy *copy, uint32_t number, struct insn_cursor *cursor,
                                    struct parts *parts)
{
    uint64_t const first = copy->request->parts[parts->next].first, lost = first - parts->at;
    struct fault fault = fault_none();
    enum insn_step step = INSN_END;
    struct insn_event event;

    memset(&event, 0, sizeof event);
    if (lost > 0)
        FORWARD(rbt_writer_mark(copy->writer, number, &(struct insn_marker){.kind = INSN_MARKER_LOST, .value = lost}));
    parts->at = insn_cursor_skip(cursor, first);
    parts->left = parts->given = 0;
    while (fault.kind == FAULT_NONE && (step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD) {
        bool const is_insn = !event.is_marker && event.insn.form == INSN_EXECUTED;

        if (event.is_marker) {
            if (parts->at >= first)
                fault = rbt_writer_mark(copy->writer, number, &event.marker);
            continue;
        }
        begin_parts(copy, parts);
        if (is_insn && parts->left == 0 && parts->at >= first)
            return fault_none();
        if (parts->at >= first)
            fault = put_in_part(copy, number, parts, cursor, &event);
        parts->left -= is_insn && parts->at >= first;
        parts->at++;
    }
    return fault;
}

static struct fault copy_parts(struct copy *copy, size_t i, uint32_t number)
{
    const struct rbt_copy_request *const request = copy->request;
    struct parts parts = {0};
    struct fault fault = fault_none();

    while (fault.kind == FAULT_NONE && parts.next < request->part_count) {
        struct insn_cursor *const cursor = insn_cursor_open(copy->trace, i, &fault);
        size_t const next = parts.next;

        if (!cursor)
            return fault;
        fault = copy_next_parts(copy, number, cursor, &parts);
        fault = end_cursor(copy, insn_trace_thread(copy->trace, i), cursor, fault);
        if (fault.kind == FAULT_NONE && parts.next == next)
            return fault_at(insn_trace_thread(copy->trace, i)->path, FAULT_NO_OFFSET, "the trace ends before "
                            "instruction %" PRIu64 ", where a part begins", request->parts[next].first);
    }
    return fault;
}

static struct fault copy_thread(struct copy *copy, size_t i)
{
    struct fault fault = fault_none();
    const struct insn_thread *const thread = insn_trace_thread(copy->trace, i);
    uint32_t const number = rbt_writer_thread(copy->writer, thread->id, &fault);
    struct insn_cursor *cursor;

    if (number == UINT32_MAX)
        return fault;
    copy->result->threads++;
    if (copy->request->parts)
        return copy_parts(copy, i, number);
    cursor = insn_cursor_open(copy->trace, i, &fault);
    if (!cursor)
        return fault;
    return end_cursor(copy, thread, cursor, copy_events(copy, number, cursor));
}

/* A part that does not begin at the start lacks the values that the program had by then. */
static struct fault copy_program(struct copy *copy)
{
    const struct insn_kept *const from = insn_trace_kept(copy->trace);
    uint64_t const before = rbt_writer_bytes(copy->writer);
    struct insn_kept kept;

    if (!from || copy->request->first > 0 || copy->request->parts
        || (from->memory.has_start && copy->request->without_program))
        return fault_none();
    kept = *from;
    if (copy->request->without_program || (kept.bytes && kept.byte_count > INSN_KEPT_MOST))
        kept.bytes = NULL, kept.memory = (struct insn_memory){0};
    FORWARD(rbt_writer_program(copy->writer, &kept));
    copy->result->program_bytes = rbt_writer_bytes(copy->writer) - before;
    return fault_none();
}

static struct fault copy_rest(struct copy *copy)
{
    const struct insn_image *images;
    const struct insn_page *pages;
    size_t const image_count = insn_trace_images(copy->trace, &images);
    size_t const page_count = insn_trace_pages(copy->trace, &pages);
    uint64_t const before = rbt_writer_bytes(copy->writer);

    for (size_t i = 0; i < image_count && !copy->request->without_images; i++)
        FORWARD(rbt_writer_image(copy->writer, images[i].address, images[i].bytes, (size_t)images[i].byte_count));
    copy->result->image_bytes = rbt_writer_bytes(copy->writer) - before;
    for (size_t i = 0; i < page_count; i++)
        FORWARD(rbt_writer_page(copy->writer, &pages[i]));
    return copy_program(copy);
}

/* Notes the data of the source that an .rbt cannot hold. */
static struct fault note_losses(struct copy *copy)
{
    static const struct { const char *name; size_t offset; } losses[] = {
        {"software prefetches left out", offsetof(struct insn_counts, prefetches)},
        {"cache flushes left out", offsetof(struct insn_counts, flushes)},
        {"accesses before any instruction left out", offsetof(struct insn_counts, orphans)}};

    for (size_t i = 0; i < insn_trace_notes(copy->trace); i++) {
        uint64_t count;
        const char *const name = insn_trace_note(copy->trace, i, &count);

        FORWARD(rbt_writer_note(copy->writer, name, count));
    }
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        uint64_t const *const count = (const void *)((const char *)&copy->result->counts + losses[i].offset);

        if (*count > 0)
            FORWARD(rbt_writer_note(copy->writer, losses[i].name, *count));
    }
    return fault_none();
}

struct fault rbt_copy(const struct insn_trace *trace, const struct rbt_copy_request *request,
                      struct rbt_copy_result *result)
{
    struct fault fault = fault_none();
    struct rbt_description const description = {
        .isa = insn_trace_isa(trace), .lacks = insn_trace_lacks(trace), .meaning = insn_trace_meaning(trace),
        .source = request->source ? request->source : insn_trace_source(trace),
        .command = request->command ? request->command : insn_trace_command(trace)};
    struct copy copy = {.trace = trace, .request = request, .result = result,
                        .has_bytes = insn_trace_isa(trace) != ISA_CHAMPSIM};
    struct stat about;
    bool good = true;

    *result = (struct rbt_copy_result){0};
    copy.writer = rbt_writer_create(request->path, &description, &fault);
    if (!copy.writer)
        return fault;
    for (size_t i = 0; good && i < insn_trace_threads(trace); i++)
        if (copy_is_wanted(request, insn_trace_thread(trace, i)->id))
            good = WORKS(fault, copy_thread(&copy, i));
    if (!good || FAILS(fault, copy_rest(&copy)) || FAILS(fault, note_losses(&copy))) {
        rbt_writer_abandon(copy.writer);
        return fault;
    }
    FORWARD(rbt_writer_finish(copy.writer));
    /* A pipe's size is unknown. */
    if (stat(request->path, &about) == 0 && S_ISREG(about.st_mode))
        result->bytes = (uint64_t)about.st_size;
    return fault_none();
}
