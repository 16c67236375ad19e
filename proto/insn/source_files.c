/* A trace in files of other tools: each file is a thread, or holds several, of which a cursor takes one.
 *
 * Threads: drmemtrace's files of versions from 4 on hold one thread (drmemtrace 1); older ones and core-sharded ones
 * are read once to find theirs, and so are small ones, in case they are not as they should be. A core-sharded folder
 * gives a thread for each pair of file and thread id: a thread's piece on that core. Formats without threads have one,
 * 0.
 * Architecture: what the file says. Without a statement of the file the encodings decide: RV64GC if each is 2 or 4
 * bytes long as its two low bits say, and most decode as such; x86-64 else. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/list.h"
#include "base/path.h"
#include "proto/insn/champsim_registers.h"
#include "proto/insn/insn_format.h"
#include "proto/insn/insn_program.h"
#include "proto/insn/insn_source.h"

enum { LOOKED_AT = 100000, MOST_THREADS = 1 << 16, SMALL_FILE = 1 << 20 };

struct cursor_state {
    struct insn_reader *reader;
    struct insn_statics statics;
    struct insn_counts counts;           /* of this thread, if the file holds others */
    bool is_filtered, has_started, has_threads;
    bool is_in_parts;                    /* the thread has further files; then counts are of this thread, too */
    size_t further_at;                   /* of those of the trace: the first that was not looked at */
    uint64_t thread;
};

/* ---- threads */

static struct insn_thread *find_thread(struct insn_trace *trace, size_t first, uint64_t id)
{
    for (size_t i = trace->thread_count; i > first; i--)
        if (trace->threads[i - 1].id == id)
            return &trace->threads[i - 1];
    return NULL;
}

/* The thread of the event just read. NULL: error is set. */
static struct insn_thread *thread_of(struct insn_trace *trace, size_t first, uint64_t id, const char *file,
                                     struct fault *error)
{
    struct insn_thread *const thread = find_thread(trace, first, id);

    if (thread)
        return thread;
    if (trace->thread_count - first >= MOST_THREADS) {
        *error = fault_at(file, FAULT_NO_OFFSET, "holds more than %d threads; expected fewer", MOST_THREADS);
        return NULL;
    }
    if (FAILS(*error, insn_trace_add_thread(trace, &(struct insn_thread){.id = id, .path = file}, true)))
        return NULL;
    return &trace->threads[trace->thread_count - 1];
}

static bool is_small(const char *file)
{
    struct stat about;

    return stat(file, &about) == 0 && about.st_size <= SMALL_FILE;
}

/* Reads all of a file that may hold several threads, else the part before the first instruction. */
static struct fault find_threads(struct insn_trace *trace, struct insn_reader *reader, const char *file)
{
    struct fault fault = fault_none();
    size_t const first = trace->thread_count;
    bool const is_read = reader->may_hold_threads || is_small(file);
    struct insn_thread *thread = NULL;
    enum insn_step step;
    struct insn insn;

    insn_reader_want_markers(reader);
    while ((step = insn_reader_next(reader, &insn, &fault)) == INSN_RECORD || step == INSN_MARKED) {
        if (!thread || thread->id != insn.thread)
            thread = thread_of(trace, first, insn.thread, file, &fault);
        if (!thread)
            return fault;
        if (step == INSN_MARKED && thread->first_stamp == 0
            && insn_reader_marker(reader)->kind == INSN_MARKER_TIMESTAMP)
            thread->first_stamp = insn_reader_marker(reader)->value;
        if (step == INSN_RECORD && !is_read)
            break;
        thread->instructions += step == INSN_RECORD && insn.form == INSN_EXECUTED;
    }
    if (step == INSN_FAILED)
        return fault;
    for (size_t i = 0; i < reader->page_count; i++)
        FORWARD(insn_trace_add_page(trace, &reader->pages[i]));
    if (trace->thread_count == first)
        return insn_trace_add_thread(trace, &(struct insn_thread){.path = file}, false);
    trace->is_filtered[first] = trace->thread_count > first + 1;
    return fault_none();
}

/* ---- architecture */

/* Bytes of RV64GC's instructions say their length in the two low bits. */
static bool has_riscv_length(const struct insn *insn)
{
    return insn->encoding_bytes == ((insn->encoding[0] & 3) == 3 ? 4 : 2);
}

/* How many of the encodings are RV64GC's; SIZE_MAX: one has another length. *count: all. */
static size_t count_riscv(struct insn_reader *reader, struct isa_decoder *decoder, size_t *count, struct fault *error)
{
    size_t good = 0;
    struct insn insn;
    struct isa_insn what;

    *count = 0;
    for (size_t i = 0; i < LOOKED_AT && insn_reader_next(reader, &insn, error) == INSN_RECORD; i++) {
        if (insn.encoding_bytes == 0)
            continue;
        if (!has_riscv_length(&insn))
            return SIZE_MAX;
        *count += 1;
        good += !decoder || isa_decode(decoder, insn.pc, insn.encoding, insn.encoding_bytes, &what);
    }
    return good;
}

static struct fault guess_isa(struct insn_trace *trace, const char *file)
{
    struct fault fault = fault_none();
    struct insn_reader *const reader = insn_reader_open_as(file, trace->format, &fault);
    struct isa_decoder *decoder;
    struct fault ignored;
    size_t count, good;

    if (!reader)
        return fault;
    decoder = isa_decoder_open(ISA_RV64, &ignored);
    good = count_riscv(reader, decoder, &count, &ignored);
    isa_decoder_close(decoder);
    insn_reader_close(reader);
    if (good == SIZE_MAX)
        trace->isa = ISA_X86_64;
    else if (count > 0)
        trace->isa = good > count - count / 8 - 1 ? ISA_RV64 : ISA_X86_64;
    if (trace->isa != ISA_UNKNOWN) {
        size_t const length = strlen(trace->about);

        snprintf(trace->about + length, sizeof trace->about - length, ", %s by its encodings", isa_name(trace->isa));
    }
    return fault_none();
}

/* ---- traces */

static struct fault source_files_describe(struct insn_trace *trace, const struct insn_reader *reader, const char *file,
                                          bool is_first)
{
    bool const has_bytes = strcmp(insn_reader_name(reader), "drmemtrace") == 0
        && !(insn_reader_lacks(reader) & 1u << INSN_LACKS_DEPENDENCES);

    trace->lacks |= insn_reader_lacks(reader);
    if (is_first) {
        snprintf(trace->name, sizeof trace->name, "%s", insn_reader_name(reader));
        snprintf(trace->about, sizeof trace->about, "%s", insn_reader_format(reader));
        trace->isa = insn_reader_isa(reader);
        trace->meaning = insn_reader_meaning(reader);
        return trace->isa != ISA_UNKNOWN || !has_bytes ? fault_none() : guess_isa(trace, file);
    }
    if (strcmp(trace->name, insn_reader_name(reader)) != 0)
        return fault_at(file, FAULT_NO_OFFSET, "is %s, and the files before it are %s; expected a folder of one "
                        "format", insn_reader_name(reader), trace->name);
    if (insn_reader_isa(reader) != ISA_UNKNOWN && insn_reader_isa(reader) != trace->isa)
        return fault_at(file, FAULT_NO_OFFSET, "is of %s, and the files before it are of %s; expected a folder of one "
                        "program", isa_name(insn_reader_isa(reader)), isa_name(trace->isa));
    return fault_none();
}

/* Of a file that `trace convert` wrote, "thread7.0001.champsimtrace.xz"; else 0. */
static uint64_t id_by_name(const char *file)
{
    const char *const name = path_name(file);

    return text_begins(name, "thread") ? strtoull(name + strlen("thread"), NULL, 10) : 0;
}

/* A thread of an earlier window continues in this one: such threads, from `first` on, become further files of it. */
static struct fault join_windows(struct insn_trace *trace, size_t first, const char *file)
{
    size_t kept = first;

    if (!insn_file_is_of_window(file))
        return fault_none();
    for (size_t i = first; i < trace->thread_count; i++) {
        struct insn_thread const thread = trace->threads[i];
        size_t before = 0;

        while (before < first && trace->threads[before].id != thread.id)
            before++;
        if (before == first) {
            trace->threads[kept] = thread;
            trace->is_filtered[kept++] = trace->is_filtered[i];
            continue;
        }
        if (!list_fit_next(&trace->further, trace->further_count, sizeof *trace->further))
            return fault_memory(trace->path, "windows");
        trace->further[trace->further_count++] = (struct insn_further){before, file, trace->is_filtered[i]};
        trace->threads[before].instructions += thread.instructions;
    }
    trace->thread_count = kept;
    return fault_none();
}

static struct fault add_file(struct insn_trace *trace, const char *file, bool is_first)
{
    struct fault fault = fault_none();
    struct insn_reader *const reader = insn_reader_open_as(file, trace->format, &fault);
    size_t const first = trace->thread_count;
    bool good = reader != NULL;

    if (good && (reader->may_hold_threads || strcmp(insn_reader_name(reader), "drmemtrace") == 0))
        good = WORKS(fault, find_threads(trace, reader, file));
    else if (good)
        good = WORKS(fault, insn_trace_add_thread(trace, &(struct insn_thread){.id = id_by_name(file), .path = file},
                                                  false));
    good = good && WORKS(fault, source_files_describe(trace, reader, file, is_first))
           && WORKS(fault, join_windows(trace, first, file));
    insn_reader_close(reader);
    return good ? fault_none() : fault;
}

static struct fault source_files_open_files(struct insn_trace *trace)
{
    struct fault fault = fault_none();
    char **const files = insn_files(trace->path, &fault);
    bool good = files != NULL;

    trace->state = files;
    for (char **file = files; good && *file; file++)
        good = WORKS(fault, add_file(trace, *file, file == files));
    return (good && WORKS(fault, insn_trace_read_side_files(trace, trace->path))) ? fault_none() : fault;
}

static void close_files(struct insn_trace *trace)
{
    insn_files_free(trace->state);
}

/* ---- cursors */

static struct fault open_cursor(struct insn_cursor *cursor)
{
    struct fault fault = fault_none();
    const struct insn_trace *const trace = cursor->trace;
    struct cursor_state *const state = calloc(1, sizeof *state);

    cursor->state = state;
    if (!state)
        return fault_memory(trace->path, NULL);
    state->is_filtered = trace->is_filtered[cursor->thread];
    state->has_threads = strcmp(trace->name, "drmemtrace") == 0;
    state->thread = trace->threads[cursor->thread].id;
    for (size_t i = 0; i < trace->further_count; i++)
        state->is_in_parts |= trace->further[i].thread == cursor->thread;
    state->reader = insn_reader_open_as(trace->threads[cursor->thread].path, trace->format, &fault);
    if (state->reader)
        insn_reader_want_markers(state->reader);
    return state->reader != NULL ? fault_none() : fault;
}

static void close_cursor(struct insn_cursor *cursor)
{
    struct cursor_state *const state = cursor->state;

    if (!state)
        return;
    insn_reader_close(state->reader);
    insn_statics_free(&state->statics);
    free(state);
}

/* Of ChampSim the registers, else the machine code. */
static struct fault find_static(const struct insn_cursor *cursor, struct insn_event *event)
{
    struct cursor_state *const state = cursor->state;
    struct insn *const insn = &event->insn;

    if (cursor->trace->isa == ISA_CHAMPSIM) {
        uint8_t bytes[INSN_ENCODING_BYTES];

        champsim_bytes(insn, bytes);
        event->number = insn_statics_find(&state->statics, insn->pc, bytes, CHAMPSIM_BYTES);
    } else {
        event->number = insn_statics_find(&state->statics, insn->pc, insn->encoding, insn->encoding_bytes);
    }
    return event->number != INSN_NO_STATIC ? fault_none() : fault_memory(cursor->trace->path, "static instructions");
}

static enum insn_step source_files_start(struct cursor_state *state, struct insn_event *event)
{
    state->has_started = true;
    event->is_marker = true;
    event->marker = (struct insn_marker){.kind = INSN_MARKER_THREAD_START};
    return INSN_RECORD;
}

/* The next file of the thread; INSN_END after the last. Execution between two windows is not recorded. */
static enum insn_step source_files_go_on(struct insn_cursor *cursor, struct insn_event *event, struct fault *error)
{
    const struct insn_trace *const trace = cursor->trace;
    struct cursor_state *const state = cursor->state;
    const struct insn_further *further;
    struct insn_reader *reader;

    while (state->further_at < trace->further_count && trace->further[state->further_at].thread != cursor->thread)
        state->further_at++;
    if (state->further_at == trace->further_count)
        return INSN_END;
    further = &trace->further[state->further_at++];
    reader = insn_reader_open_as(further->path, trace->format, error);
    if (!reader)
        return INSN_FAILED;
    insn_reader_close(state->reader);
    state->reader = reader;
    insn_reader_want_markers(state->reader);
    state->is_filtered = further->is_filtered;
    event->is_marker = true;
    event->marker = (struct insn_marker){.kind = INSN_MARKER_LOST};
    return INSN_RECORD;
}

static enum insn_step source_files_next(struct insn_cursor *cursor, struct insn_event *event, struct fault *error)
{
    struct cursor_state *const state = cursor->state;
    enum insn_step step;

    if (!state->has_started && state->has_threads)
        return source_files_start(state, event);
    for (;;) {
        step = insn_reader_next(state->reader, &event->insn, error);
        if (step == INSN_END && state->is_in_parts)
            return source_files_go_on(cursor, event, error);
        if (step != INSN_RECORD && step != INSN_MARKED)
            return step;
        /* A format without threads returns 0; the file's name may say which it is. */
        if (!state->has_threads && !state->reader->may_hold_threads)
            event->insn.thread = state->thread;
        if (event->insn.thread == state->thread)
            break;
        if (!state->is_filtered) {
            *error = fault_at(cursor->trace->threads[cursor->thread].path, trace_bytes_offset(&state->reader->bytes),
                              "thread %" PRIu64 " follows thread %" PRIu64 "; expected one thread, or the file type "
                              "of a core-sharded file (0x10000)", event->insn.thread, state->thread);
            return INSN_FAILED;
        }
    }
    event->is_marker = step == INSN_MARKED;
    if (event->is_marker) {
        event->marker = *insn_reader_marker(state->reader);
        return INSN_RECORD;
    }
    if (state->is_filtered || state->is_in_parts) {
        insn_count(&state->counts, &event->insn);
        insn_count_accesses(&state->counts, &event->insn);
    }
    return WORKS(*error, find_static(cursor, event)) ? INSN_RECORD : INSN_FAILED;
}

static uint32_t statics(const struct insn_cursor *cursor)
{
    return ((const struct cursor_state *)cursor->state)->statics.count;
}

static size_t source_files_bytes_of(const struct insn_cursor *cursor, uint32_t number, uint64_t *pc,
                                    const uint8_t **bytes)
{
    const struct insn_static *const insn = &((const struct cursor_state *)cursor->state)->statics.insns[number];

    *pc = insn->pc;
    *bytes = insn->bytes;
    return insn->length;
}

static const struct insn_counts *counts(const struct insn_cursor *cursor)
{
    const struct cursor_state *const state = cursor->state;

    return state->is_filtered || state->is_in_parts ? &state->counts : insn_reader_counts(state->reader);
}

static uint32_t lacks(const struct insn_cursor *cursor)
{
    return insn_reader_lacks(((const struct cursor_state *)cursor->state)->reader);
}

static const char *warning(const struct insn_cursor *cursor)
{
    return insn_reader_warning(((const struct cursor_state *)cursor->state)->reader);
}

const struct insn_source insn_source_files = {
    .open = source_files_open_files, .close = close_files, .cursor_open = open_cursor, .cursor_close = close_cursor,
    .next = source_files_next,
    .statics = statics, .bytes = source_files_bytes_of, .counts = counts, .lacks = lacks, .warning = warning};
