/* Text formats (text-traces): Valgrind's lackey, din and extended din, Ramulator 1 and 2, DRAMsim3, DRAMSys' STL,
 * pinatrace, SST Prospero.
 *
 * A format is a function that takes one line. A file is of the format that a first line `# NAME` says, else of the
 * first that takes each of its first 100 lines that are no comments. Lines of a later kind are an error with their
 * number. Not modelled: Ramulator 2's address vectors (they need the device's organisation) are refused by name;
 * times of DRAMsim3, STL and Prospero become gaps. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/path.h"
#include "proto/insn/format.h"

enum { LOOKED_AT = 100, LOOKED_AT_BYTES = 1 << 14 };

struct line {
    enum { FETCH, ACCESS, MODIFY, NOTHING } what;
    uint64_t address, size_bytes, pc, gap, second;
    uint64_t time;                       /* cycles or instructions from the beginning, of formats that have these */
    bool is_write, has_second;           /* second: a store that goes with it */
};

struct parser { const char *at, *end; };

/* ---- pieces of a line */

static bool take_char(struct parser *parser, const char *of)
{
    if (parser->at == parser->end || !strchr(of, *parser->at))
        return false;
    parser->at++;
    return true;
}

static bool skip_blanks(struct parser *parser)
{
    const char *const before = parser->at;

    while (take_char(parser, " \t"))
        ;
    return parser->at > before;
}

static bool take_word(struct parser *parser, const char *word)
{
    size_t const length = strlen(word);

    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static bool take_number(struct parser *parser, unsigned base, uint64_t *number)
{
    const char *const before = parser->at;

    *number = 0;
    for (; parser->at < parser->end; parser->at++) {
        char const c = *parser->at;
        unsigned const digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
            : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;

        if (digit >= base)
            break;
        if (!append_digit(number, base, digit))
            return false;
    }
    return parser->at > before;
}

static bool take_hex(struct parser *parser, uint64_t *number)
{
    if (!take_word(parser, "0x"))
        take_word(parser, "0X");
    return take_number(parser, 16, number);
}

static bool take_0x(struct parser *parser, uint64_t *number)
{
    return take_word(parser, "0x") && take_number(parser, 16, number);
}

/* 0x hex, or decimal. */
static bool take_either(struct parser *parser, uint64_t *number)
{
    return take_word(parser, "0x") ? take_number(parser, 16, number) : take_number(parser, 10, number);
}

static bool is_done(const struct parser *parser)
{
    return parser->at == parser->end;
}

/* ---- formats; text-traces 1 to 8 */

static bool lackey(struct parser p, struct line *line)
{
    bool const blank = take_char(&p, " ");

    if (!blank && take_word(&p, "I  "))
        return line->what = FETCH, take_number(&p, 16, &line->address) && take_char(&p, ",")
            && take_number(&p, 10, &line->size_bytes) && is_done(&p);
    line->what = take_char(&p, "M") ? MODIFY : ACCESS;
    line->is_write = line->what == ACCESS && take_char(&p, "S");
    return (line->what == MODIFY || line->is_write || take_char(&p, "L")) && take_char(&p, " ")
        && take_number(&p, 16, &line->address) && take_char(&p, ",") && take_number(&p, 10, &line->size_bytes)
        && is_done(&p);
}

static bool din(struct parser p, struct line *line)
{
    uint64_t label;
    bool const good = take_number(&p, 10, &label) && label <= 4 && skip_blanks(&p)
        && take_number(&p, 16, &line->address) && (is_done(&p) || skip_blanks(&p));

    line->what = label == 2 ? FETCH : label == 4 ? NOTHING : ACCESS;
    line->is_write = label == 1;
    line->size_bytes = 0;
    return good;
}

static bool extended_din(struct parser p, struct line *line)
{
    char const type = is_done(&p) ? '\0' : *p.at;
    bool const good = take_char(&p, "rwimcvRWIMCV") && skip_blanks(&p) && take_hex(&p, &line->address)
        && skip_blanks(&p) && take_hex(&p, &line->size_bytes) && (is_done(&p) || skip_blanks(&p));

    line->what = strchr("iI", type) ? FETCH : strchr("cvCV", type) ? NOTHING : ACCESS;
    line->is_write = type == 'w' || type == 'W';
    return good;
}

static bool ramulator_memory(struct parser p, struct line *line)
{
    bool const good = take_0x(&p, &line->address) && skip_blanks(&p);

    line->is_write = take_char(&p, "W");
    return good && (line->is_write || take_char(&p, "R")) && is_done(&p);
}

static bool dramsim3(struct parser p, struct line *line)
{
    static const char *const writes[] = {"WRITE", "write", "P_MEM_WR", "BOFF"};
    static const char *const reads[] = {"READ", "read", "P_MEM_RD", "P_FETCH", "P_LOCK_RD", "P_LOCK_WR"};
    bool is_read = false;

    if (!take_hex(&p, &line->address) || !skip_blanks(&p))
        return false;
    for (size_t i = 0; !line->is_write && i < sizeof writes / sizeof writes[0]; i++)
        line->is_write = take_word(&p, writes[i]);
    for (size_t i = 0; !line->is_write && !is_read && i < sizeof reads / sizeof reads[0]; i++)
        is_read = take_word(&p, reads[i]);
    return (line->is_write || is_read) && skip_blanks(&p) && take_number(&p, 10, &line->time) && is_done(&p);
}

static bool load_store(struct parser p, struct line *line)
{
    line->is_write = take_word(&p, "ST ");
    return (line->is_write || take_word(&p, "LD ")) && take_either(&p, &line->address) && is_done(&p);
}

/* <instructions before> <read> [<write-back>|R|W] */
static bool cpu_trace(struct parser p, struct line *line)
{
    if (!take_number(&p, 10, &line->gap) || !skip_blanks(&p) || !take_either(&p, &line->address))
        return false;
    if (is_done(&p))
        return true;
    if (!skip_blanks(&p))
        return false;
    line->is_write = take_char(&p, "W");
    if (line->is_write || take_char(&p, "R"))
        return is_done(&p);
    line->has_second = take_either(&p, &line->second);
    return line->has_second && is_done(&p);
}

static bool stl(struct parser p, struct line *line)
{
    if (!take_number(&p, 10, &line->time) || !take_char(&p, ":"))
        return false;
    skip_blanks(&p);
    if (take_char(&p, "(")) {
        if (!take_number(&p, 10, &line->size_bytes) || !take_char(&p, ")"))
            return false;
        skip_blanks(&p);
    }
    line->is_write = take_word(&p, "write");
    return (line->is_write || take_word(&p, "read")) && skip_blanks(&p) && take_hex(&p, &line->address)
        && (is_done(&p) || skip_blanks(&p));
}

static bool pinatrace(struct parser p, struct line *line)
{
    if (!take_0x(&p, &line->pc) || !take_word(&p, ": "))
        return false;
    line->is_write = take_char(&p, "W");
    if (!line->is_write && !take_char(&p, "R"))
        return false;
    if (!skip_blanks(&p))
        return false;
    if (!take_word(&p, "(nil)") && !take_hex(&p, &line->address))
        return false;
    if (skip_blanks(&p) && !take_number(&p, 10, &line->size_bytes))
        line->size_bytes = 0;
    return true;
}

static bool prospero(struct parser p, struct line *line)
{
    if (!take_number(&p, 10, &line->time) || !skip_blanks(&p))
        return false;
    line->is_write = take_char(&p, "Ww");
    return (line->is_write || take_char(&p, "Rr")) && skip_blanks(&p) && take_number(&p, 10, &line->address)
        && skip_blanks(&p) && take_number(&p, 10, &line->size_bytes) && is_done(&p);
}

static bool address_vector(struct parser p, struct line *line)
{
    uint64_t part;
    unsigned parts = 0;

    (void)line;
    if (!take_char(&p, "RW") || !take_char(&p, " "))
        return false;
    do {
        if (!take_number(&p, 10, &part))
            return false;
        parts++;
    } while (take_char(&p, ","));
    return parts > 1 && is_done(&p);
}

#define LACK(name) (1u << INSN_LACKS_##name)
#define NO_BRANCHES (LACK(DEPENDENCES) | LACK(BRANCHES) | LACK(THREADS))
#define OF_LINES LACK(PARTS_OF_LINES)
/* What addresses and times mean, of each row; without TIMES it has none. */
#define VIRTUAL .meaning.addresses = INSN_ADDRESSES_VIRTUAL
#define PHYSICAL .meaning.addresses = INSN_ADDRESSES_PHYSICAL
#define TIMES(unit) .meaning.clock = INSN_CLOCK_##unit
#define ADDRESSES_ONLY (NO_BRANCHES | LACK(PCS) | LACK(INSTRUCTIONS) | LACK(INSN_SIZES))

/* In the order in which they are tried. */
static const struct text_format {
    const char *name, *about;
    bool (*take)(struct parser parser, struct line *line);
    uint32_t lacks;
    const char *form;                    /* of its lines */
    struct insn_meaning meaning;
    const char *suffix;                  /* of the names of its files, whose lines others have, too; NULL: any */
} formats[] = {
    {"lackey", "Valgrind's lackey", lackey, NO_BRANCHES, "I, L, S or M, and ADDRESS,BYTES", VIRTUAL},
    {"pinatrace", "pinatrace", pinatrace, NO_BRANCHES | LACK(INSTRUCTIONS) | LACK(INSN_SIZES) | LACK(ACCESS_SIZES),
     "0xPC: R or W 0xADDRESS", VIRTUAL},
    {"rstl", "DRAMSys' STL with relative times", stl, ADDRESSES_ONLY | OF_LINES, "CYCLE: read or write 0xADDRESS",
     PHYSICAL, TIMES(MEMORY), .meaning.since = INSN_SINCE_ANSWER, .suffix = ".rstl"},
    {"stl", "DRAMSys' STL", stl, ADDRESSES_ONLY | OF_LINES, "CYCLE: read or write 0xADDRESS",
     PHYSICAL, TIMES(MEMORY)},
    {"prospero", "SST Prospero", prospero, ADDRESSES_ONLY & ~LACK(THREADS),
     "INSTRUCTIONS R or W ADDRESS BYTES", VIRTUAL},
    {"ramulator", "Ramulator's memory trace", ramulator_memory, ADDRESSES_ONLY | LACK(ACCESS_SIZES) | OF_LINES,
     "0xADDRESS R or W", PHYSICAL},
    {"dramsim3", "DRAMsim3", dramsim3, ADDRESSES_ONLY | LACK(ACCESS_SIZES) | OF_LINES,
     "0xADDRESS READ or WRITE CYCLE", PHYSICAL, TIMES(MEMORY)},
    {"load_store", "Ramulator 2's load-store trace", load_store, ADDRESSES_ONLY | LACK(ACCESS_SIZES) | OF_LINES,
     "LD or ST ADDRESS", PHYSICAL},
    {"address_vector", "Ramulator 2's read-write trace", address_vector, 0, "R or W, and numbers", VIRTUAL},
    {"extended_din", "extended din", extended_din, NO_BRANCHES | LACK(INSN_SIZES), "r, w, i, m, c or v, ADDRESS BYTES",
     VIRTUAL},
    {"din", "din", din, NO_BRANCHES | LACK(INSN_SIZES) | LACK(ACCESS_SIZES), "LABEL from 0 to 4, ADDRESS", VIRTUAL},
    {"cpu_trace", "Ramulator's CPU trace", cpu_trace,
     (ADDRESSES_ONLY | LACK(ACCESS_SIZES) | OF_LINES) & ~LACK(INSTRUCTIONS), "INSTRUCTIONS ADDRESS [ADDRESS]",
     PHYSICAL},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

struct state {
    const struct text_format *format;
    uint64_t line_number;
    struct insn insn;                    /* at hand */
    bool is_at_hand;
    bool has_time;                       /* there was a line with it ... */
    uint64_t time;                       /* ... the last one's */
};

/* Messages of the tracer, comments. A pair of '=' begins each line that Valgrind prints. */
static bool is_skipped(const char *line, size_t length)
{
    return length == 0 || line[0] == '#' || (length >= 2 && line[0] == '=' && line[1] == '=')
        || (length >= 2 && line[0] == '-' && line[1] == '-');
}

static bool take_line(const struct text_format *format, const char *text, size_t length, struct line *line)
{
    *line = (struct line){.what = ACCESS};
    return format->take((struct parser){text, text + length}, line);
}

/* Does the format take each of the first lines at hand? */
static bool takes_all(const struct text_format *format, const char *text, const char *end, bool is_whole)
{
    unsigned lines = 0;

    while (text < end && lines < LOOKED_AT) {
        const char *const newline = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((newline ? newline : end) - text);
        struct line line;

        if (!newline && !is_whole)
            break;
        while (length > 0 && strchr("\r \t", text[length - 1]))
            length--;
        if (!is_skipped(text, length)) {
            if (!take_line(format, text, length, &line))
                return false;
            lines++;
        }
        text = newline ? newline + 1 : end;
    }
    return lines > 0;
}

/* By its file's name, which compression may have made longer. */
static bool may_be_named(const struct text_format *format, const char *path)
{
    const char *const name = path_name(path), *const at = format->suffix ? strstr(name, format->suffix) : name;

    return at && (!format->suffix || strchr(".", at[strlen(format->suffix)]));
}

static const struct text_format *format_named(const char *text, size_t length)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strlen(formats[i].name) == length && memcmp(text, formats[i].name, length) == 0)
            return &formats[i];
    return NULL;
}

/* A first line `# NAME`. */
static const struct text_format *format_said(const char *text, const char *end)
{
    const char *const newline = memchr(text, '\n', (size_t)(end - text));
    size_t length;

    if (!newline || newline - text < 3 || text[0] != '#' || text[1] != ' ')
        return NULL;
    length = (size_t)(newline - text) - 2;
    return format_named(text + 2, text[1 + length] == '\r' ? length - 1 : length);
}

static const struct text_format *format_of(struct insn_bytes *bytes, struct fault *error)
{
    enum stream_status const status = insn_bytes_need(bytes, LOOKED_AT_BYTES, error);
    const char *const text = (const char *)bytes->next, *const end = (const char *)bytes->end;

    if (status == STREAM_FAILED || memchr(text, '\0', (size_t)(end - text)))
        return NULL;
    if (format_said(text, end))
        return format_said(text, end);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (!may_be_named(&formats[i], bytes->path) || !takes_all(&formats[i], text, end, status == STREAM_SHORT))
            continue;
        /* text-traces, common advice: without a hexadecimal letter both are possible. */
        if (formats[i].take == din && takes_all(format_named("cpu_trace", 9), text, end, status == STREAM_SHORT))
            fault_at_line(error, bytes->path, 1, "may be din or Ramulator's CPU trace: no address has a hexadecimal "
                          "letter; "
                          "begin the file with a line `# din` or `# cpu_trace`");
        return error->kind == FAULT_NONE ? &formats[i] : NULL;
    }
    return NULL;
}

static bool detect(struct insn_bytes *bytes, struct fault *error)
{
    if (format_of(bytes, error))
        return true;
    /* What may be of two formats is refused when it is opened. */
    if (error->kind == FAULT_NONE || insn_bytes_need(bytes, LOOKED_AT_BYTES, error) == STREAM_FAILED)
        return false;
    error->kind = FAULT_NONE;
    return true;
}

static bool open_text(struct insn_reader *reader, struct fault *error)
{
    struct state *const state = calloc(1, sizeof *state);

    if (!state)
        return fault_memory(error, reader->bytes.path, NULL);
    reader->state = state;
    state->format = format_of(&reader->bytes, error);
    if (!state->format)
        return false;
    if (state->format->take == address_vector)
        return fault_at_line(error, reader->bytes.path, 1, "is a read-write trace of Ramulator 2, whose address "
                             "vectors "
                             "mean nothing without the device's organisation; expected addresses, as in its "
                             "load-store trace");
    reader->name = state->format->name;
    reader->lacks = state->format->lacks;
    reader->meaning = state->format->meaning;
    snprintf(reader->about, sizeof reader->about, "%s", state->format->about);
    return true;
}

static void close_text(struct insn_reader *reader)
{
    free(reader->state);
}

static bool add(struct insn_reader *reader, uint64_t address, uint64_t size_bytes, bool is_write, struct fault *error)
{
    return insn_add_access(reader, &(struct insn_access){.address = address, .size_bytes = (uint32_t)size_bytes,
                                                         .is_write = is_write}, error);
}

static bool add_accesses(struct insn_reader *reader, const struct line *line, struct fault *error)
{
    if (line->what == FETCH || line->what == NOTHING)
        return true;
    if (!add(reader, line->address, line->size_bytes, line->is_write, error))
        return false;
    if (line->what == MODIFY && !add(reader, line->address, line->size_bytes, true, error))
        return false;
    return !line->has_second || add(reader, line->second, line->size_bytes, true, error);
}

static enum insn_step give(struct insn_reader *reader, struct insn *insn)
{
    struct state *const state = reader->state;

    *insn = state->insn;
    state->is_at_hand = false;
    insn_give(reader, insn);
    return INSN_RECORD;
}

/* Since the line before, or, where times are relative, as the line has it. Prospero counts instructions, of which one
 * makes the access; the others have a clock. Time that goes back is none. */
static void take_time(struct state *state, const struct line *line)
{
    bool const counts_instructions = state->format->take == prospero;
    bool const is_relative = state->format->meaning.since == INSN_SINCE_ANSWER;
    uint64_t gap = is_relative ? line->time
        : state->has_time && line->time > state->time ? line->time - state->time : 0;

    if (!counts_instructions && state->format->meaning.clock == INSN_CLOCK_NONE)
        return;
    if (counts_instructions)
        state->insn.gap = gap > 0 ? gap - 1 : 0;
    else
        state->insn.gap_time = gap;
    state->has_time = true;
    state->time = line->time;
}

/* A fetch is at hand until the next one, with the accesses between; an access without one is given at once. */
static void begin(struct state *state, const struct line *line)
{
    bool const is_fetch = line->what == FETCH, is_counted = state->format->take == cpu_trace;

    state->insn = (struct insn){.pc = is_fetch ? line->address : line->pc, .gap = line->gap,
                                .size_bytes = is_fetch ? (uint32_t)line->size_bytes : 0,
                                .form = is_fetch || is_counted ? INSN_EXECUTED : INSN_ACCESS_ONLY};
    state->is_at_hand = is_fetch;
    take_time(state, line);
}

static bool fail(const struct insn_reader *reader, const char *text, size_t length, struct fault *error)
{
    const struct state *const state = reader->state;

    char found[41];
    size_t count = 0;

    for (; count < length && count < sizeof found - 1; count++)
        found[count] = (char)(text[count] >= ' ' && text[count] <= '~' ? text[count] : '?');
    found[count] = '\0';
    return fault_at_line(error, reader->bytes.path, state->line_number, "\"%s%s\" is no line of %s, as those before "
                         "it; expected %s", found, count < length ? "..." : "", state->format->about,
                         state->format->form);
}

static enum insn_step next(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    struct state *const state = reader->state;

    for (;;) {
        uint64_t const offset = insn_bytes_offset(&reader->bytes);
        size_t length;
        const char *const text = insn_bytes_line(&reader->bytes, &length, error);
        struct line line;

        if (!text && error->kind != FAULT_NONE)
            return INSN_FAILED;
        if (!text)
            return state->is_at_hand ? give(reader, insn) : INSN_END;
        state->line_number++;
        if (is_skipped(text, length))
            continue;
        if (!take_line(state->format, text, length, &line) || line.size_bytes > UINT32_MAX)
            return fail(reader, text, length, error), INSN_FAILED;
        if (line.what == FETCH && state->is_at_hand) {
            /* The line is read again. */
            reader->bytes.next -= insn_bytes_offset(&reader->bytes) - offset;
            state->line_number--;
            return give(reader, insn);
        }
        reader->counts.records++;
        if (line.what == FETCH || !state->is_at_hand)
            begin(state, &line);
        if (line.what == NOTHING) {
            reader->counts.flushes++;
            continue;
        }
        if (!add_accesses(reader, &line, error))
            return INSN_FAILED;
        if (!state->is_at_hand)
            return give(reader, insn);
    }
}

const struct insn_format insn_text = {
    .name = "text", .detect = detect, .open = open_text, .next = next, .close = close_text};
