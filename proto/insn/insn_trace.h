/* The common representation of instruction traces of all formats: threads, each with its instructions in order,
 * decoded; code images, page map and markers where the format has them.
 *
 * Use: insn_trace_open (a file of any format, a folder of drmemtrace, an .rbt); insn_trace_threads; for each thread
 * insn_cursor_open, insn_cursor_next until it returns INSN_END, insn_cursor_close; insn_trace_close. Cursors are
 * independent of each other; each may be read in a thread of the program of its own.
 * An instruction comes with `what`, decoded once for each pc and its bytes. NULL: nothing is known of its registers;
 * such instructions are counted by insn_cursor_undecoded. A format that has registers instead of bytes (ChampSim) gives
 * `what` from these; one without both never has one.
 * Ownership: an event and its accesses are valid until the next call, `what` until the cursor is closed, the rest
 * until insn_trace_close.
 * Errors: as in proto/insn/reader.h; insn_trace_open fails, too, where the decoder of the architecture is missing. */
#ifndef PROTO_INSN_INSN_TRACE_H
#define PROTO_INSN_INSN_TRACE_H

#include "proto/insn/insn_program.h"
#include "proto/insn/reader.h"

/* One step of a thread: an instruction (of struct insn all but `encoding` is filled in; insn_cursor_bytes has the
 * bytes), or a marker between two. */
struct insn_event {
    bool is_marker;
    struct insn_marker marker;
    struct insn insn;
    const struct isa_insn *what;         /* of insn; NULL: unknown */
    uint32_t number;                     /* of the static instruction, 0 to insn_cursor_statics - 1: pc and bytes */
};

struct insn_thread {
    uint64_t id;                         /* as the trace names it */
    uint64_t instructions;               /* fetched ones; 0: not known before it is read */
    uint64_t first_stamp;                /* order in which threads begin; 0: not known */
    const char *path;                    /* of the file that contains it */
};

struct insn_trace;
struct insn_cursor;

/* Which bytes accesses are of: an access without a size has usual_bytes; where line_bytes is not 0, addresses only tell
 * the line (INSN_LACKS_PARTS_OF_LINES), and each access is of whole lines: one, or as many as its size fills. */
struct insn_spans { uint32_t usual_bytes, line_bytes; };
struct insn_span { uint64_t address, size_bytes; };

static inline struct insn_span insn_span(const struct insn_spans *spans, const struct insn_access *access)
{
    uint64_t const size = access->size_bytes ? access->size_bytes : spans->usual_bytes, line = spans->line_bytes;

    if (line == 0)
        return (struct insn_span){access->address, size};
    return (struct insn_span){access->address & ~(line - 1), (size + line - 1) / line * line};
}

/* Does the file begin like an .rbt? */
bool insn_is_rbt(const char *path);

struct insn_trace *insn_trace_open(const char *path, struct fault *error);
/* The same with the format of this name (proto/insn/formats.h), without detection; NULL: detected from the content.
 * `how`: the three ways of the functions here. */
enum insn_open { INSN_OPEN_DECODED, INSN_OPEN_RAW, INSN_OPEN_SALVAGED };
struct insn_trace *insn_trace_open_as(const char *path, const char *format, enum insn_open how, struct fault *error);
/* The same without decoding, for those who copy or count: `what` is always NULL, no decoder is needed, and code images
 * and pages are there as well. */
struct insn_trace *insn_trace_open_raw(const char *path, struct fault *error);
/* The same for a truncated or damaged .rbt: opens its intact part, and cursors warn. Other files: as
 * insn_trace_open_raw. */
struct insn_trace *insn_trace_open_salvaged(const char *path, struct fault *error);
void insn_trace_close(struct insn_trace *trace);

enum isa insn_trace_isa(const struct insn_trace *trace);
/* As insn_reader_format, insn_reader_lacks (as far as known before it is read), insn_reader_warning. */
const char *insn_trace_format(const struct insn_trace *trace);
uint32_t insn_trace_lacks(const struct insn_trace *trace);
/* In lines of line_bytes. */
struct insn_spans insn_trace_spans(const struct insn_trace *trace, uint32_t line_bytes);
/* The meaning of its addresses and times. */
struct insn_meaning insn_trace_meaning(const struct insn_trace *trace);

/* In one word: drmemtrace, champsim, lackey, rbt ... */
const char *insn_trace_name(const struct insn_trace *trace);

/* For an .rbt: its source, and the captured command ("" if unknown); for other files: the format, and "". */
const char *insn_trace_source(const struct insn_trace *trace);
const char *insn_trace_command(const struct insn_trace *trace);
/* Of an .rbt: bytes of the file, and those of its code images; else 0. */
uint64_t insn_trace_bytes(const struct insn_trace *trace, uint64_t *image_bytes);
/* Named counts of an .rbt: events that a capture missed, items that a conversion left out. */
size_t insn_trace_notes(const struct insn_trace *trace);
const char *insn_trace_note(const struct insn_trace *trace, size_t i, uint64_t *count);

size_t insn_trace_threads(const struct insn_trace *trace);
const struct insn_thread *insn_trace_thread(const struct insn_trace *trace, size_t i);
size_t insn_trace_images(const struct insn_trace *trace, const struct insn_image **images);
/* The program, where the trace keeps it or it lies beside it, of an architecture whose programs are executed (RV64);
 * NULL: none. */
const struct insn_program *insn_trace_program(const struct insn_trace *trace);
/* What is known of it, with the bytes from either place. NULL: nothing. */
const struct insn_kept *insn_trace_kept(const struct insn_trace *trace);
size_t insn_trace_pages(const struct insn_trace *trace, const struct insn_page **pages);

/* Cursors that are opened from now on begin behind the first `insns` instructions, counted as by insn_cursor_skip, and
 * fail to open where the thread ends before. The program, whose execution would begin with the first one, is not there
 * any more. FAULT_INPUT: the trace has several threads. */
struct fault insn_trace_begin_behind(struct insn_trace *trace, uint64_t insns);

struct insn_cursor *insn_cursor_open(const struct insn_trace *trace, size_t thread, struct fault *error);
void insn_cursor_close(struct insn_cursor *cursor);
/* Before the first insn_cursor_next: skips up to `insns` of the thread's instructions and accesses without an
 * instruction, and the markers between them, without reading them; returns the number skipped. The rest is read as
 * usual. */
uint64_t insn_cursor_skip(struct insn_cursor *cursor, uint64_t insns);
enum insn_step insn_cursor_next(struct insn_cursor *cursor, struct insn_event *event, struct fault *error);

/* For those who only ask which code was executed: the thread's instructions in runs, which recur, without accesses and
 * markers. Much faster, as nothing of a run is decoded again. insn_cursor_runs: the number of different runs; 0: the
 * trace has none, and insn_cursor_next must be used (only an .rbt has them). Runs have numbers from 0 on.
 * A cursor is read by insn_cursor_next or by insn_cursor_next_run, never by both; counts are insn_cursor_next's. */
struct insn_place { uint64_t pc; enum isa_kind kind; enum insn_form form; };

uint32_t insn_cursor_runs(const struct insn_cursor *cursor);
/* Instructions and accesses without an instruction, at least 1. */
uint32_t insn_cursor_run_length(const struct insn_cursor *cursor, uint32_t run);
struct insn_place insn_cursor_run_place(const struct insn_cursor *cursor, uint32_t run, uint32_t at);
/* INSN_RECORD: the number of a run. */
enum insn_step insn_cursor_next_run(struct insn_cursor *cursor, uint32_t *run, struct fault *error);
/* The same with accesses, of a thread that has them run by run: an event for each run. A cursor may have passed over
 * instructions before (insn_cursor_skip), and is read by no other function. */
struct insn_run {
    uint32_t number;
    uint32_t count, further_count;
    const uint64_t *addresses;           /* of accesses, in their order, but not of: */
    const struct insn_access *further;   /* accesses of its last instruction, where they differ from time to time */
};

bool insn_cursor_has_run_accesses(const struct insn_cursor *cursor);
enum insn_step insn_cursor_next_run_accesses(struct insn_cursor *cursor, struct insn_run *run, struct fault *error);
/* An instruction of a run, as insn_cursor_next gives it, but without thread, target, gaps, and addresses of its
 * accesses; where those are `further`, it has none. False: out of memory. */
bool insn_cursor_run_insn(struct insn_cursor *cursor, uint32_t run, uint32_t at, struct insn_event *event);
/* So far: static instructions; executed instructions that could not be decoded; all counts. */
uint32_t insn_cursor_statics(const struct insn_cursor *cursor);
uint64_t insn_cursor_undecoded(const struct insn_cursor *cursor);
const struct insn_counts *insn_cursor_counts(const struct insn_cursor *cursor);
/* As insn_trace_lacks, plus properties found while reading; final at the end. */
uint32_t insn_cursor_lacks(const struct insn_cursor *cursor);
/* Bytes of the static instruction: machine code, or ChampSim's registers (proto/insn/champsim_registers.h). Returns
 * their number, or 0 if they are unknown. */
size_t insn_cursor_bytes(const struct insn_cursor *cursor, uint32_t number, const uint8_t **bytes);
/* Warning about the thread: one line, or NULL. Final at the end. */
const char *insn_cursor_warning(const struct insn_cursor *cursor);

#endif
