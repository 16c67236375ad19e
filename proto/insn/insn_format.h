/* The interface between proto/insn/reader.c and the reader of a format: the file's bytes, followed by the format's own
 * state.
 *
 * A format sets `state` when it opens, and counts the instructions and markers that it returns. Format detection
 * consumes no bytes. */
#ifndef PROTO_INSN_INSN_FORMAT_H
#define PROTO_INSN_INSN_FORMAT_H

#include "proto/io/bytes.h"
#include "proto/insn/reader.h"

struct insn_reader;

/* How far a file that is of no format is of this one. */
struct insn_guess {
    const struct insn_format_about *about;
    uint64_t taken;                      /* lines or records that are of it */
    uint64_t place;                      /* of the first that is not: line from 1, or byte */
    size_t column;                       /* text formats: the first wrong character, from 1 */
    char problem[120];                   /* binary formats: the defect; "": not a candidate */
    char found[41];                      /* text formats: the line's beginning */
};

/* A format, or several that one reader reads (text). */
struct insn_format {
    const struct insn_format_about *about;       /* NULL: several, whose reader sets reader->name */
    bool is_text;
    /* Looks at the first bytes (trace_bytes_look), and cannot fail: `open` refuses files that are one but cannot be
     * read. */
    bool (*detect)(struct trace_bytes *bytes);
    /* May be NULL. Only looks at bytes->next, too. */
    void (*guess)(struct trace_bytes *bytes, struct insn_guess *guess);
    /* With reader->forced the content was not looked at. */
    struct fault (*open)(struct insn_reader *reader);
    enum insn_step (*next)(struct insn_reader *reader, struct insn *insn, struct fault *error);
    void (*close)(struct insn_reader *reader);
};

struct insn_reader {
    const struct insn_format *format;
    const char *name;                    /* of the format; one that knows several sets it when it opens */
    const char *forced;                  /* the name given by the caller; NULL: detected by content */
    struct trace_bytes bytes;
    struct insn_counts counts;
    uint32_t lacks;
    struct insn_meaning meaning;
    enum isa isa;                        /* ISA_UNKNOWN: the file does not say */
    bool may_hold_threads;               /* several in one file */
    bool gives_markers;
    struct insn_marker *markers;         /* behind the instruction that was given last, of one thread */
    size_t marker_at, marker_count, marker_room;
    struct insn_page *pages;             /* stated by the file itself */
    size_t page_count;
    char about[96], warning[240];        /* "": none */
    void *state;                         /* of the format */
    struct insn_access *accesses;        /* of the current instruction */
    size_t access_count, access_room;
};

/* insn_rbt is defined in proto/insn/rbt/. */
#define INSN_FORMAT_ABOUT(name) &insn_format_abouts[INSN_FORMAT_##name]
extern const struct insn_format insn_drmemtrace, insn_text, insn_champsim, insn_rbt, insn_prospero_binary, insn_spike,
    insn_execlog, insn_packets;

/* Is the file text, by its first bytes? One byte of zero, or many that no text has, say no. */
bool trace_bytes_are_text(const struct trace_bytes *bytes);
/* The fault of a file of no format: its real kind, or the nearest format and the first deviation from it. */
struct fault insn_refuse(struct trace_bytes *bytes, const struct insn_format *const *formats, size_t count);
/* Refuses files of other kinds, recognised by their first bytes; some may look like a trace. The fault names the
 * kind. */
struct fault insn_refuse_foreign(struct trace_bytes *bytes, bool only_tar);
/* At most 40 characters of a line that can be printed. */
void insn_show_line(char shown[41], const char *text, size_t length);

/* Adds to the accesses of the current instruction, and counts. FAULT_MEMORY. */
struct fault insn_add_access(struct insn_reader *reader, const struct insn_access *access);
/* Counts an instruction that is given, and hands it its accesses. */
void insn_give(struct insn_reader *reader, struct insn *insn);
/* Counts the instruction, without its accesses. */
void insn_count(struct insn_counts *counts, const struct insn *insn);
void insn_count_accesses(struct insn_counts *counts, const struct insn *insn);

/* Adds a marker to the pending ones of the format. FAULT_MEMORY. */
struct fault insn_add_marker(struct insn_reader *reader, const struct insn_marker *marker);
struct fault insn_add_page(struct insn_reader *reader, const struct insn_page *page);
static inline bool insn_has_marker(const struct insn_reader *reader)
{
    return reader->marker_at < reader->marker_count;
}
/* Gives the next of them. */
enum insn_step insn_give_marker(struct insn_reader *reader, struct insn *insn, uint64_t thread);

/* Of a format with times; an uint64_t. */
#define INSN_LATE_WARNING                                                                                             \
    "%" PRIu64 " of its times are before that of an earlier access, and are taken as equal to it"

#endif
