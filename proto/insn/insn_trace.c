/* What both sources of a trace share: lists that grow, and decoding once a static instruction. */
#include "proto/insn/insn_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/insn/champsim_registers.h"
#include "proto/insn/insn_format.h"
#include "proto/insn/insn_source.h"

enum { NOT_SEEN, KNOWN, UNKNOWN };

enum { USUAL_ACCESS_BYTES = 8 };

enum { WHAT_PAGE = 256 };

/* The decoded instructions of a range of static instructions with consecutive numbers. */
struct what_page {
    struct isa_insn whats[WHAT_PAGE];
    uint8_t are_known[WHAT_PAGE];        /* NOT_SEEN, KNOWN, UNKNOWN */
};

/* ---- lists */

struct fault insn_trace_add_thread(struct insn_trace *trace, const struct insn_thread *thread, bool is_filtered)
{
    if (!list_fit_next(&trace->threads, trace->thread_count, sizeof *trace->threads)
        || !list_fit_next(&trace->is_filtered, trace->thread_count, sizeof *trace->is_filtered))
        return fault_memory(trace->path, "threads");
    trace->is_filtered[trace->thread_count] = is_filtered;
    trace->threads[trace->thread_count++] = *thread;
    return fault_none();
}

struct fault insn_trace_add_image(struct insn_trace *trace, uint64_t address, uint8_t *bytes, uint64_t count)
{
    if (!list_fit_next(&trace->images, trace->image_count, sizeof *trace->images)) {
        free(bytes);
        return fault_memory(trace->path, "code images");
    }
    trace->images[trace->image_count++] = (struct insn_image){address, count, bytes};
    return fault_none();
}

struct fault insn_trace_add_page(struct insn_trace *trace, const struct insn_page *page)
{
    if (!list_fit_next(&trace->pages, trace->page_count, sizeof *trace->pages))
        return fault_memory(trace->path, "pages");
    trace->pages[trace->page_count++] = *page;
    return fault_none();
}

/* ---- traces */

static bool has_decoder(const struct insn_trace *trace)
{
    return trace->isa != ISA_UNKNOWN && trace->isa != ISA_CHAMPSIM;
}

struct insn_trace *insn_trace_open_as(const char *path, const char *format, enum insn_open how, struct fault *error)
{
    bool const decodes = how == INSN_OPEN_DECODED;
    bool is_rbt;
    struct insn_trace *const trace = calloc(1, sizeof *trace);

    if (trace)
        trace->path = strdup(path);
    if (!trace || !trace->path) {
        free(trace);
        *error = fault_memory(path, NULL);
        return NULL;
    }
    trace->decodes = decodes;
    trace->salvages = how == INSN_OPEN_SALVAGED;
    if (format)
        snprintf(trace->forced, sizeof trace->forced, "%s", format);
    trace->format = format ? trace->forced : NULL;
    is_rbt = format ? strcmp(format, insn_rbt.about->name) == 0 : insn_is_rbt(path);
    trace->source = is_rbt ? &insn_source_rbt : &insn_source_files;
    if (FAILS(*error, trace->source->open(trace))) {
        insn_trace_close(trace);
        return NULL;
    }
    if (FAILS(*error, insn_trace_read_program(trace))) {
        insn_trace_close(trace);
        return NULL;
    }
    if (decodes && has_decoder(trace)) {
        struct isa_decoder *const decoder = isa_decoder_open(trace->isa, error);

        if (!decoder) {
            insn_trace_close(trace);
            return NULL;
        }
        isa_decoder_close(decoder);
    }
    return trace;
}

struct insn_trace *insn_trace_open(const char *path, struct fault *error)
{
    return insn_trace_open_as(path, NULL, INSN_OPEN_DECODED, error);
}

struct insn_trace *insn_trace_open_raw(const char *path, struct fault *error)
{
    return insn_trace_open_as(path, NULL, INSN_OPEN_RAW, error);
}

struct insn_trace *insn_trace_open_salvaged(const char *path, struct fault *error)
{
    return insn_trace_open_as(path, NULL, INSN_OPEN_SALVAGED, error);
}

void insn_trace_close(struct insn_trace *trace)
{
    if (!trace)
        return;
    trace->source->close(trace);
    for (size_t i = 0; i < trace->image_count; i++)
        free((void *)(uintptr_t)trace->images[i].bytes);
    free(trace->images);
    free(trace->pages);
    insn_program_free(trace->program);
    insn_kept_free(&trace->kept);
    free(trace->threads);
    free(trace->is_filtered);
    free(trace->further);
    free(trace->path);
    free(trace);
}

enum isa insn_trace_isa(const struct insn_trace *trace)
{
    return trace->isa;
}

const char *insn_trace_format(const struct insn_trace *trace)
{
    return trace->about;
}

uint32_t insn_trace_lacks(const struct insn_trace *trace)
{
    return trace->lacks;
}

struct insn_spans insn_trace_spans(const struct insn_trace *trace, uint32_t line_bytes)
{
    bool const are_lines = trace->lacks & 1u << INSN_LACKS_PARTS_OF_LINES;

    return are_lines ? (struct insn_spans){line_bytes, line_bytes} : (struct insn_spans){USUAL_ACCESS_BYTES, 0};
}

struct insn_meaning insn_trace_meaning(const struct insn_trace *trace)
{
    return trace->meaning;
}

const char *insn_trace_name(const struct insn_trace *trace)
{
    return trace->name;
}

const char *insn_trace_source(const struct insn_trace *trace)
{
    return trace->made_of ? trace->made_of : trace->about;
}

const char *insn_trace_command(const struct insn_trace *trace)
{
    return trace->command ? trace->command : "";
}

uint64_t insn_trace_bytes(const struct insn_trace *trace, uint64_t *image_bytes)
{
    *image_bytes = trace->image_bytes;
    return trace->file_bytes;
}

size_t insn_trace_notes(const struct insn_trace *trace)
{
    return trace->note_count;
}

const char *insn_trace_note(const struct insn_trace *trace, size_t i, uint64_t *count)
{
    *count = trace->notes[i].count;
    return trace->notes[i].name;
}

const struct insn_program *insn_trace_program(const struct insn_trace *trace)
{
    return trace->passed == 0 ? trace->program : NULL;
}

const struct insn_kept *insn_trace_kept(const struct insn_trace *trace)
{
    return trace->kept.name ? &trace->kept : NULL;
}

size_t insn_trace_threads(const struct insn_trace *trace)
{
    return trace->thread_count;
}

const struct insn_thread *insn_trace_thread(const struct insn_trace *trace, size_t i)
{
    return &trace->threads[i];
}

size_t insn_trace_images(const struct insn_trace *trace, const struct insn_image **images)
{
    *images = trace->images;
    return trace->image_count;
}

size_t insn_trace_pages(const struct insn_trace *trace, const struct insn_page **pages)
{
    *pages = trace->pages;
    return trace->page_count;
}

/* ---- cursors */

struct fault insn_trace_begin_behind(struct insn_trace *trace, uint64_t insns)
{
    if (trace->thread_count > 1)
        return fault_at(trace->path, FAULT_NO_OFFSET, "a part of a trace of %zu threads; expected one thread, as each "
                        "has a count of its own", trace->thread_count);
    trace->passed = insns;
    return fault_none();
}

/* False: *error, unless the thread ends before. */
static bool pass_over(struct insn_cursor *cursor, struct fault *error)
{
    uint64_t left = cursor->trace->passed - insn_cursor_skip(cursor, cursor->trace->passed);
    struct insn_event event;

    while (left > 0)
        switch (insn_cursor_next(cursor, &event, error)) {
        case INSN_RECORD:
            left -= !event.is_marker;
            break;
        case INSN_END:
            *error = fault_at(cursor->trace->path, FAULT_NO_OFFSET, "the trace ends %" PRIu64 " instructions before "
                              "the part that was asked for", left);
            return false;
        default:
            return false;
        }
    return true;
}

struct insn_cursor *insn_cursor_open(const struct insn_trace *trace, size_t thread, struct fault *error)
{
    struct insn_cursor *const cursor = calloc(1, sizeof *cursor);

    if (!cursor) {
        *error = fault_memory(trace->path, NULL);
        return NULL;
    }
    cursor->trace = trace;
    cursor->thread = thread;
    if (trace->decodes && has_decoder(trace))
        cursor->decoder = isa_decoder_open(trace->isa, error);
    if ((trace->decodes && has_decoder(trace) && !cursor->decoder)
        || FAILS(*error, trace->source->cursor_open(cursor))) {
        insn_cursor_close(cursor);
        return NULL;
    }
    if (trace->passed == 0 || pass_over(cursor, error))
        return cursor;
    insn_cursor_close(cursor);
    return NULL;
}

void insn_cursor_close(struct insn_cursor *cursor)
{
    if (!cursor)
        return;
    cursor->trace->source->cursor_close(cursor);
    if (cursor->decoder)
        isa_decoder_close(cursor->decoder);
    for (uint32_t i = 0; i < cursor->what_page_count; i++)
        free(cursor->whats[i]);
    free(cursor->whats);
    free(cursor);
}

/* NULL: out of memory. */
static struct what_page *page_of(struct insn_cursor *cursor, uint32_t number)
{
    uint32_t const at = number / WHAT_PAGE;

    if (at >= cursor->what_page_count) {
        uint32_t const count = 2 * at + 2;

        if (!list_extend(&cursor->whats, cursor->what_page_count, count, sizeof *cursor->whats, 0))
            return NULL;
        cursor->what_page_count = count;
    }
    if (!cursor->whats[at])
        cursor->whats[at] = calloc(1, sizeof *cursor->whats[at]);
    return cursor->whats[at];
}

static bool insn_trace_decode(struct insn_cursor *cursor, uint32_t number, struct isa_insn *what)
{
    const uint8_t *bytes;
    uint64_t pc;
    size_t const length = cursor->trace->source->bytes(cursor, number, &pc, &bytes);

    if (length == 0)
        return false;
    if (cursor->trace->isa == ISA_CHAMPSIM)
        return champsim_decode(bytes, length, what);
    return cursor->decoder && isa_decode(cursor->decoder, pc, bytes, length, what);
}

/* *what NULL: not known. False: out of memory. */
static bool find_what(struct insn_cursor *cursor, uint32_t number, const struct isa_insn **what)
{
    struct what_page *page = number / WHAT_PAGE < cursor->what_page_count ? cursor->whats[number / WHAT_PAGE] : NULL;
    uint32_t const at = number % WHAT_PAGE;

    if (!page)
        page = page_of(cursor, number);
    if (!page)
        return false;
    if (page->are_known[at] == NOT_SEEN)
        page->are_known[at] = insn_trace_decode(cursor, number, &page->whats[at]) ? KNOWN : UNKNOWN;
    *what = page->are_known[at] == KNOWN ? &page->whats[at] : NULL;
    return true;
}

uint64_t insn_cursor_skip(struct insn_cursor *cursor, uint64_t insns)
{
    return cursor->trace->source->skip ? cursor->trace->source->skip(cursor, insns) : 0;
}

enum insn_step insn_cursor_next(struct insn_cursor *cursor, struct insn_event *event, struct fault *error)
{
    enum insn_step const step = cursor->trace->source->next(cursor, event, error);

    if (step != INSN_RECORD || event->is_marker)
        return step;
    event->what = NULL;
    if (event->insn.form == INSN_ACCESS_ONLY)
        return INSN_RECORD;
    if (cursor->trace->decodes && !find_what(cursor, event->number, &event->what)) {
        *error = fault_memory(cursor->trace->path, "static instructions");
        return INSN_FAILED;
    }
    cursor->undecoded += event->what == NULL && event->insn.form == INSN_EXECUTED;
    return INSN_RECORD;
}

uint32_t insn_cursor_runs(const struct insn_cursor *cursor)
{
    return cursor->trace->source->runs ? cursor->trace->source->runs(cursor) : 0;
}

uint32_t insn_cursor_run_length(const struct insn_cursor *cursor, uint32_t run)
{
    return cursor->trace->source->run_length(cursor, run);
}

struct insn_place insn_cursor_run_place(const struct insn_cursor *cursor, uint32_t run, uint32_t at)
{
    return cursor->trace->source->run_place(cursor, run, at);
}

enum insn_step insn_cursor_next_run(struct insn_cursor *cursor, uint32_t *run, struct fault *error)
{
    return cursor->trace->source->next_run(cursor, run, error);
}

bool insn_cursor_has_run_accesses(const struct insn_cursor *cursor)
{
    return cursor->trace->passed == 0 && cursor->trace->source->has_run_accesses
        && cursor->trace->source->has_run_accesses(cursor);
}

enum insn_step insn_cursor_next_run_accesses(struct insn_cursor *cursor, struct insn_run *run, struct fault *error)
{
    return cursor->trace->source->next_run_accesses(cursor, run, error);
}

bool insn_cursor_run_insn(struct insn_cursor *cursor, uint32_t run, uint32_t at, struct insn_event *event)
{
    *event = (struct insn_event){.is_marker = false};
    cursor->trace->source->run_insn(cursor, run, at, event);
    return event->insn.form == INSN_ACCESS_ONLY || !cursor->trace->decodes
        || find_what(cursor, event->number, &event->what);
}

uint32_t insn_cursor_statics(const struct insn_cursor *cursor)
{
    return cursor->trace->source->statics(cursor);
}

uint64_t insn_cursor_undecoded(const struct insn_cursor *cursor)
{
    return cursor->undecoded;
}

size_t insn_cursor_bytes(const struct insn_cursor *cursor, uint32_t number, const uint8_t **bytes)
{
    uint64_t pc;

    return cursor->trace->source->bytes(cursor, number, &pc, bytes);
}

const struct insn_counts *insn_cursor_counts(const struct insn_cursor *cursor)
{
    return cursor->trace->source->counts(cursor);
}

uint32_t insn_cursor_lacks(const struct insn_cursor *cursor)
{
    return cursor->trace->source->lacks(cursor);
}

const char *insn_cursor_warning(const struct insn_cursor *cursor)
{
    return cursor->trace->source->warning(cursor);
}
