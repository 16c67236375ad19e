/* Lines of text formats (text-traces): a function for each format that takes one line, and the table of formats.
 *
 * Use: text_formats in their order; text_take_line for each line without its end and trailing blanks.
 * Letters of words and hexadecimal digits are of either case, blanks are spaces or tabs, any number of them.
 * Ownership: `rest` points into the line. */
#ifndef PROTO_INSN_LINES_H
#define PROTO_INSN_LINES_H

#include "proto/insn/formats.h"
#include "proto/insn/reader.h"

struct line_parser { const char *at, *end; };

struct line {
    enum { LINE_FETCH, LINE_ACCESS, LINE_MODIFY, LINE_NOTHING, LINE_SUPERBLOCK, LINE_HEAD } what;
    uint64_t address, size_bytes, pc, gap, second;
    uint64_t time;                       /* cycles or instructions from the beginning, of formats that have these */
    bool is_write, has_second;           /* second: a store that goes with it */
    bool is_read_by_rest;                /* its accesses are in `rest`: text_take_rest returns them one by one */
    struct line_parser rest;
};

struct text_format {
    const struct insn_format_about *about;
    /* Returns false for a line of another form; the parser is then at the first wrong character. */
    bool (*take)(struct line_parser *parser, struct line *line);
    uint32_t lacks;
    struct insn_meaning meaning;
    const char *suffix;                  /* of the names of its files, whose lines others have, too; NULL: any */
    bool is_only_named;                  /* never found by its lines: others are of the same form */
    bool counts_instructions;            /* `time` of its lines is instructions so far, of which one makes the access */
    bool gaps_are_instructions;          /* each line is an instruction, behind `gap` others */
    bool has_foreign_lines;              /* output of the traced program may be mixed in */
};

/* In the order in which they are tried; ends with one without about. */
extern const struct text_format text_formats[];

/* NULL if absent. */
const struct text_format *text_format_named(const char *name, size_t length);

/* *column: of the first character that is wrong, from 1. */
bool text_take_line(const struct text_format *format, const char *text, size_t length, struct line *line,
                    size_t *column);
/* The next access of a line; false at the end of the line. */
bool text_take_rest(struct line_parser *rest, uint64_t *address);

/* Messages of the tracer, and comments. */
bool text_is_message(const char *line, size_t length);
/* Does a line that a format with foreign lines does not take begin as its records do? Then it is a damaged record. */
bool text_begins_like_record(const char *line, size_t length);

/* Are the third columns of these lines plausible sizes of accesses of extended din? `looked_at` and `state` gather. */
struct din_sizes { uint64_t last, lines; bool grows, has_odd, has_huge, has_other_letters; };
void din_sizes_add(struct din_sizes *sizes, char letter, uint64_t size_bytes);
bool din_sizes_may_be_times(const struct din_sizes *sizes);

#endif
