/* Inside of proto/insn/insn_trace.h: a trace, its cursors, and the two places that they read from, files of other tools
 * (readers) and .rbt. */
#ifndef PROTO_INSN_INSN_SOURCE_H
#define PROTO_INSN_INSN_SOURCE_H

#include "proto/insn/insn_trace.h"

struct insn_source {
    /* Fills the trace's threads, isa, about, lacks, meaning, images, pages; .name. On failure `close` is called. */
    struct fault (*open)(struct insn_trace *trace);
    void (*close)(struct insn_trace *trace);
    /* On failure `cursor_close` is called. */
    struct fault (*cursor_open)(struct insn_cursor *cursor);
    void (*cursor_close)(struct insn_cursor *cursor);
    /* All of the event but `what`, which insn_cursor_next fills in by `number`. */
    enum insn_step (*next)(struct insn_cursor *cursor, struct insn_event *event, struct fault *error);
    /* Of a cursor that has read nothing: passes over at most `insns` instructions that need not be read, with the
     * markers between them; returns their number. NULL: it cannot. */
    uint64_t (*skip)(struct insn_cursor *cursor, uint64_t insns);
    /* As insn_cursor_runs and those behind it. NULL: there are no runs. */
    uint32_t (*runs)(const struct insn_cursor *cursor);
    uint32_t (*run_length)(const struct insn_cursor *cursor, uint32_t run);
    struct insn_place (*run_place)(const struct insn_cursor *cursor, uint32_t run, uint32_t at);
    enum insn_step (*next_run)(struct insn_cursor *cursor, uint32_t *run, struct fault *error);
    /* As insn_cursor_has_run_accesses and those behind it, `what` left out. NULL: it has not. */
    bool (*has_run_accesses)(const struct insn_cursor *cursor);
    enum insn_step (*next_run_accesses)(struct insn_cursor *cursor, struct insn_run *run, struct fault *error);
    void (*run_insn)(const struct insn_cursor *cursor, uint32_t run, uint32_t at, struct insn_event *event);
    uint32_t (*statics)(const struct insn_cursor *cursor);
    size_t (*bytes)(const struct insn_cursor *cursor, uint32_t number, uint64_t *pc, const uint8_t **bytes);
    const struct insn_counts *(*counts)(const struct insn_cursor *cursor);
    uint32_t (*lacks)(const struct insn_cursor *cursor);
    const char *(*warning)(const struct insn_cursor *cursor);
};

/* A further file of a thread, which follows those before it. */
struct insn_further { size_t thread; const char *path; bool is_filtered; };

struct insn_note { char *name; uint64_t count; };

struct insn_trace {
    const struct insn_source *source;
    char *path;
    const char *format;                  /* of its files, if given by the caller; NULL: detected by content */
    char forced[32];
    bool decodes, salvages;
    enum isa isa;
    uint32_t lacks;
    struct insn_meaning meaning;
    char name[32], about[240], warning[240];
    struct insn_thread *threads;
    bool *is_filtered;                   /* of a thread: its file holds others, too. NULL: none is */
    size_t thread_count;
    struct insn_further *further;        /* in their order */
    size_t further_count;
    struct insn_image *images;
    size_t image_count;
    struct insn_page *pages;
    size_t page_count;
    struct insn_kept kept;               /* of its program */
    struct insn_program *program;        /* NULL: none */
    const char *made_of, *command;       /* the source's; NULL: none */
    const struct insn_note *notes;
    size_t note_count;
    uint64_t file_bytes, image_bytes;    /* of an .rbt, else 0 */
    uint64_t passed;                     /* instructions before those that cursors read */
    void *state;                         /* of the source */
};

struct insn_cursor {
    const struct insn_trace *trace;
    size_t thread;
    struct isa_decoder *decoder;         /* NULL: bytes are not decoded */
    struct what_page **whats;            /* by number, in pages that stay where they are */
    uint32_t what_page_count;
    uint64_t undecoded;
    void *state;                         /* of the source */
};

/* insn_source_rbt is defined in proto/insn/rbt/. */
extern const struct insn_source insn_source_files, insn_source_rbt;

struct fault insn_trace_add_thread(struct insn_trace *trace, const struct insn_thread *thread, bool is_filtered);
/* Takes the image's bytes, which must come from malloc, also on failure. */
struct fault insn_trace_add_image(struct insn_trace *trace, uint64_t address, uint8_t *bytes, uint64_t count);
struct fault insn_trace_add_page(struct insn_trace *trace, const struct insn_page *page);

/* Reads code images and page maps beside a file or in a folder (drmemtrace 9). Missing ones are not an error. */
struct fault insn_trace_read_side_files(struct insn_trace *trace, const char *path);
/* The program that the trace keeps or that lies beside it, if there is one that can be executed: `kept`, and of traces
 * that are decoded `program`. */
struct fault insn_trace_read_program(struct insn_trace *trace);

#endif
