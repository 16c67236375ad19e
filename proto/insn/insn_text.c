/* Text formats (text-traces): Valgrind's lackey, din and extended din, Ramulator 1 and 2, DRAMsim3, DRAMSys' STL,
 * pinatrace, SST Prospero, NVMain, SCALE-Sim, and letters with addresses.
 *
 * A format is a function that takes one line (lines.h). The format is that given by the caller or by a first line `#
 * NAME`, else the first one that accepts each of the first 100 lines other than comments; or lackey, which may be
 * mixed with the program's own output, if it accepts one line in ten. Lines of a later kind are an error with their
 * number; foreign ones are counted and skipped. A file that matches two formats is refused, and the message names
 * both.
 * Not modelled: Ramulator 2's address vectors (they need the device's organisation) are refused by name. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "proto/insn/insn_format.h"
#include "proto/insn/lines.h"

#define EXTENDED_DIN INSN_FORMAT_ABOUT(extended_din)

enum { LOOKED_AT = 100, LOOKED_AT_BYTES = 1 << 18, FOREIGN_MOST = 10, SCALESIM_LINE_BYTES = 1 << 20 };

struct state {
    const struct text_format *format;
    uint64_t line_number;
    struct insn insn;                    /* the current one */
    bool is_at_hand;
    uint64_t time;                       /* the latest of the lines so far */
    bool is_forced;                      /* the format was chosen by the caller or the file */
    struct line line;                    /* of one whose accesses are given one after the other ... */
    bool has_rest;                       /* ... as long as there are any; the text holds until the next line */
    bool all_are_writes;
    uint64_t late;                       /* lines whose time is before that of a line before */
    uint64_t first_foreign;              /* line */
    char foreign[41];
};

/* ---- which format is it? */

/* A format's score over the first buffered lines. */
struct look {
    unsigned lines, taken;               /* other than comments; those that it takes */
    unsigned in_row;                     /* of those before the first that it does not */
    uint64_t wrong_line;                 /* 0: none */
    size_t column;
    const char *wrong;
    size_t wrong_length;
    bool has_valgrind;                   /* a line that Valgrind printed */
    bool all_sized;
    struct din_sizes sizes;
};

static size_t trimmed(const char *text, size_t length)
{
    while (length > 0 && strchr("\r \t", text[length - 1]))
        length--;
    return length;
}

static void look_at_line(const struct text_format *format, const char *text, size_t length, uint64_t number,
                         struct look *look)
{
    struct line line;
    size_t column;
    bool const good = text_take_line(format, text, length, &line, &column);

    look->lines++;
    look->taken += good;
    look->in_row += good && look->wrong_line == 0;
    if (good && line.what != LINE_NOTHING && line.what != LINE_HEAD && line.what != LINE_SUPERBLOCK) {
        look->all_sized &= line.size_bytes > 0;
        din_sizes_add(&look->sizes, text[0], line.size_bytes);
    }
    if (good || look->wrong_line != 0)
        return;
    look->wrong_line = number;
    look->column = column;
    look->wrong = text;
    look->wrong_length = length;
}

static struct look insn_text_look_at(const struct text_format *format, const char *text, const char *end, bool is_whole)
{
    struct look look = {.all_sized = true};

    for (uint64_t number = 1; text < end && look.lines < LOOKED_AT; number++) {
        const char *const newline = memchr(text, '\n', (size_t)(end - text));
        size_t const length = trimmed(text, (size_t)((newline ? newline : end) - text));

        if (!newline && !is_whole)
            break;
        if (length > 2 && memcmp(text, "==", 2) == 0)
            look.has_valgrind = true;
        if (!text_is_message(text, length))
            look_at_line(format, text, length, number, &look);
        text = newline ? newline + 1 : end;
    }
    return look;
}

static bool takes_all(const struct text_format *format, const char *text, const char *end, bool is_whole)
{
    struct look const look = insn_text_look_at(format, text, end, is_whole);

    return look.lines > 0 && look.wrong_line == 0;
}

/* By its file's name, which compression may have made longer. */
static bool may_be_named(const struct text_format *format, const char *path)
{
    const char *const name = path_name(path), *const at = format->suffix ? strstr(name, format->suffix) : name;

    return at && (!format->suffix || strchr(".", at[strlen(format->suffix)]));
}

/* A first line `# NAME`. */
static const struct text_format *format_said(const char *text, const char *end)
{
    const char *newline;

    newline = memchr(text, '\n', (size_t)(end - text));
    if (!newline || newline - text < 3 || text[0] != '#' || text[1] != ' ')
        return NULL;
    return text_format_named(text + 2, trimmed(text + 2, (size_t)(newline - text) - 2));
}

/* Lines of other programs between them: one in ten is of the format, or Valgrind says that it was there. */
static const struct text_format *format_among_foreign(const char *text, const char *end, bool is_whole)
{
    for (const struct text_format *format = text_formats; format->about; format++) {
        struct look look;

        if (!format->has_foreign_lines)
            continue;
        look = insn_text_look_at(format, text, end, is_whole);
        if (look.taken > 0 && (look.has_valgrind || FOREIGN_MOST * look.taken >= look.lines))
            return format;
    }
    return NULL;
}

static struct fault is_clear(const struct text_format *format, const struct look *look, struct trace_bytes *bytes,
                             bool is_whole)
{
    const char *const text = (const char *)bytes->next, *const end = (const char *)bytes->end;

    /* text-traces, common advice: without a hexadecimal letter both are possible. */
    if (strcmp(format->about->name, "din") == 0 && takes_all(text_format_named("cpu_trace", 9), text, end, is_whole))
        return fault_at_line(bytes->path, 1, "may be din or Ramulator's CPU trace: no address has a hexadecimal "
                             "letter; begin the file with a line `# din` or `# cpu_trace`, or give --format din or "
                             "--format cpu_trace");
    if (format->about == EXTENDED_DIN && din_sizes_may_be_times(&look->sizes))
        return fault_at_line(bytes->path, 1, "the third column may be a size (extended din) or a time: it holds what "
                             "no access is as long as, or grows from line to line; give --format extended_din if it "
                             "is a size in bytes, hexadecimal, or --format rw_time if it is a time in cycles");
    return fault_none();
}

static const struct text_format *format_of(struct trace_bytes *bytes, bool *is_said, struct fault *error)
{
    bool const is_whole = trace_bytes_look(bytes, LOOKED_AT_BYTES) < LOOKED_AT_BYTES;
    const char *const text = (const char *)bytes->next, *const end = (const char *)bytes->end;

    *is_said = false;
    if (memchr(text, '\0', (size_t)(end - text)))
        return NULL;
    *is_said = format_said(text, end) != NULL;
    if (*is_said)
        return format_said(text, end);
    for (const struct text_format *format = text_formats; format->about; format++) {
        struct look look;

        if (format->is_only_named || !may_be_named(format, bytes->path))
            continue;
        look = insn_text_look_at(format, text, end, is_whole);
        if (look.lines > 0 && look.wrong_line == 0)
            return WORKS(*error, is_clear(format, &look, bytes, is_whole)) ? format : NULL;
    }
    return format_among_foreign(text, end, is_whole);
}

static bool insn_text_detect(struct trace_bytes *bytes)
{
    struct fault ambiguous = fault_none();
    bool is_said;

    /* A file that may be of two formats is refused when it is opened. */
    return format_of(bytes, &is_said, &ambiguous) || ambiguous.kind != FAULT_NONE;
}

void insn_show_line(char shown[41], const char *text, size_t length)
{
    size_t count = 0;

    for (; count < length && count < 40; count++)
        shown[count] = (char)(text[count] >= ' ' && text[count] <= '~' ? text[count] : '?');
    shown[count] = '\0';
}

/* The format that takes most lines, then the one that comes furthest in the first line that it does not take. */
static void insn_text_guess(struct trace_bytes *bytes, struct insn_guess *guess)
{
    const char *const text = (const char *)bytes->next, *const end = (const char *)bytes->end;
    bool const is_whole = (size_t)(end - text) < LOOKED_AT_BYTES;
    struct look best = {.lines = 0};
    const struct text_format *nearest = NULL;

    for (const struct text_format *format = text_formats; format->about; format++) {
        struct look const look = insn_text_look_at(format, text, end, is_whole);

        if (look.wrong_line == 0 || format->is_only_named)
            continue;
        if (nearest && (look.taken < best.taken || (look.taken == best.taken && look.column <= best.column)))
            continue;
        best = look;
        nearest = format;
    }
    if (!nearest)
        return;
    guess->about = nearest->about;
    guess->taken = best.taken;
    guess->place = best.wrong_line;
    guess->column = best.column;
    insn_show_line(guess->found, best.wrong, best.wrong_length);
    snprintf(guess->problem, sizeof guess->problem, "%s", "the line is of another form");
}

/* ---- reading */

/* SCALE-Sim has a file for each kind of data; which is written, its name says. */
static bool is_named_written(const char *path)
{
    static const char *const names[] = {"ofmap", "OFMAP", "Ofmap", "write", "WRITE"};
    const char *const name = path_name(path);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strstr(name, names[i]))
            return true;
    return false;
}

static void insn_text_describe(struct insn_reader *reader)
{
    struct state *const state = reader->state;
    bool const is_scalesim = strcmp(state->format->about->name, "scalesim") == 0;

    reader->name = state->format->about->name;
    reader->lacks = state->format->lacks;
    reader->bytes.most_line_bytes = is_scalesim ? SCALESIM_LINE_BYTES : 0;
    reader->meaning = state->format->meaning;
    state->all_are_writes = is_scalesim && is_named_written(reader->bytes.path);
    snprintf(reader->about, sizeof reader->about, "%s%s", state->format->about->what,
             !is_scalesim ? "" : state->all_are_writes ? ", of writes by its name" : ", of reads");
}

/* A format whose lines may have sizes lacks none if the first ones all have one. */
static void look_for_sizes(struct insn_reader *reader)
{
    const struct state *const state = reader->state;
    struct trace_bytes const *const bytes = &reader->bytes;
    struct look const look = insn_text_look_at(state->format, (const char *)bytes->next, (const char *)bytes->end,
                                               (size_t)(bytes->end - bytes->next) < LOOKED_AT_BYTES);

    if (look.taken > 0 && look.all_sized)
        reader->lacks &= ~(1u << INSN_LACKS_ACCESS_SIZES);
}

static struct fault open_text(struct insn_reader *reader)
{
    struct fault fault = fault_none();
    struct state *const state = calloc(1, sizeof *state);

    if (!state)
        return fault_memory(reader->bytes.path, NULL);
    reader->state = state;
    if (reader->forced) {
        state->format = text_format_named(reader->forced, strlen(reader->forced));
        state->is_forced = true;
    } else {
        state->format = format_of(&reader->bytes, &state->is_forced, &fault);
    }
    if (!state->format)
        return fault;
    if (strcmp(state->format->about->name, "address_vector") == 0)
        return fault_at_line(reader->bytes.path, 1, "is a read-write trace of Ramulator 2, whose address vectors mean "
                             "nothing without the device's organisation; expected addresses, as in its load-store "
                             "trace");
    insn_text_describe(reader);
    look_for_sizes(reader);
    return fault_none();
}

static void close_text(struct insn_reader *reader)
{
    free(reader->state);
}

static struct fault insn_text_add(struct insn_reader *reader, uint64_t address, uint64_t size_bytes, bool is_write)
{
    return insn_add_access(reader, &(struct insn_access){.address = address, .size_bytes = (uint32_t)size_bytes,
                                                         .is_write = is_write});
}

static struct fault insn_text_add_accesses(struct insn_reader *reader, const struct line *line)
{
    if (line->what == LINE_FETCH || line->what == LINE_NOTHING)
        return fault_none();
    FORWARD(insn_text_add(reader, line->address, line->size_bytes, line->is_write));
    if (line->what == LINE_MODIFY)
        FORWARD(insn_text_add(reader, line->address, line->size_bytes, true));
    return !line->has_second ? fault_none() : insn_text_add(reader, line->second, line->size_bytes, true);
}

static enum insn_step insn_text_give(struct insn_reader *reader, struct insn *insn)
{
    struct state *const state = reader->state;

    *insn = state->insn;
    state->is_at_hand = false;
    insn_give(reader, insn);
    return INSN_RECORD;
}

/* Since the latest line before, or the beginning, or, where times are relative, as the line has it. Prospero counts
 * instructions of the whole program, of which one makes the access, and begins with the first that it recorded; the
 * others have a clock. Time that goes back is none, and the trace's warning counts it. */
static void insn_text_take_time(struct state *state, const struct line *line)
{
    bool const counts_instructions = state->format->counts_instructions;
    bool const is_relative = state->format->meaning.since == INSN_SINCE_ANSWER;
    uint64_t const gap = is_relative ? line->time : line->time > state->time ? line->time - state->time : 0;
    bool const is_first = state->time == 0;

    if (!counts_instructions && state->format->meaning.clock == INSN_CLOCK_NONE)
        return;
    if (counts_instructions)
        state->insn.gap = gap > 0 && !is_first ? gap - 1 : 0;
    else
        state->insn.gap_time = gap;
    state->late += !is_relative && line->time < state->time;
    if (line->time > state->time)
        state->time = line->time;
}

/* A fetch is kept until the next one, with the accesses between; an access without one is given at once. */
static void insn_text_begin(struct state *state, const struct line *line)
{
    bool const is_fetch = line->what == LINE_FETCH, is_counted = state->format->gaps_are_instructions;

    state->insn = (struct insn){.pc = is_fetch ? line->address : line->pc, .gap = line->gap,
                                .size_bytes = is_fetch ? (uint32_t)line->size_bytes : 0,
                                .form = is_fetch || is_counted ? INSN_EXECUTED : INSN_ACCESS_ONLY};
    state->is_at_hand = is_fetch;
    insn_text_take_time(state, line);
}

static struct fault insn_text_fail(const struct insn_reader *reader, const char *text, size_t length)
{
    const struct state *const state = reader->state;
    char found[41];

    insn_show_line(found, text, length);
    return fault_at_line(reader->bytes.path, state->line_number, "\"%s%s\" is no line of %s%s; expected %s", found,
                         length > 40 ? "..." : "", state->format->about->what, state->is_forced ? ""
                         : ", as those before it", state->format->about->form);
}

static struct fault fail_size(const struct insn_reader *reader, uint64_t size_bytes)
{
    const struct state *const state = reader->state;

    return fault_at_line(reader->bytes.path, state->line_number, "an access of %" PRIu64 " bytes; if the third column "
                         "is a time give --format rw_time, if it is a size --format extended_din", size_bytes);
}

/* A record behind the program's output in the same line, since that output had no line end. */
static bool take_behind_output(const struct text_format *format, const char *text, size_t length, struct line *line)
{
    size_t column;

    for (size_t i = 1; i < length; i++)
        if (text_begins_like_record(text + i, length - i) && text_take_line(format, text + i, length - i, line,
                                                                            &column))
            return true;
    return false;
}

static void count_foreign(struct insn_reader *reader, const char *text, size_t length)
{
    struct state *const state = reader->state;

    if (reader->counts.foreign++ > 0)
        return;
    state->first_foreign = state->line_number;
    insn_show_line(state->foreign, text, length);
}

enum taken { TAKEN, TAKEN_BEHIND_OUTPUT, NOT_A_RECORD, WRONG };

static enum taken insn_text_take(struct insn_reader *reader, const char *text, size_t length, struct line *line,
                                 struct fault *error)
{
    enum { MOST_BYTES = 4096 };          /* that an access may have of a file that does not say its format */
    const struct state *const state = reader->state;
    size_t column;

    if (text_is_message(text, length)) {
        reader->counts.messages += length > 1 && text[0] == text[1] && text[0] != '#';
        return NOT_A_RECORD;
    }
    if (text_take_line(state->format, text, length, line, &column)) {
        if (state->is_forced || line->size_bytes <= MOST_BYTES || state->format->about != EXTENDED_DIN)
            return TAKEN;
        *error = fail_size(reader, line->size_bytes);
        return WRONG;
    }
    if (!state->format->has_foreign_lines || text_begins_like_record(text, length)) {
        *error = insn_text_fail(reader, text, length);
        return WRONG;
    }
    if (take_behind_output(state->format, text, length, line))
        return TAKEN_BEHIND_OUTPUT;
    count_foreign(reader, text, length);
    return NOT_A_RECORD;
}

/* The next access of a line that has several. */
static struct fault give_rest(struct insn_reader *reader, struct insn *insn, bool *is_given)
{
    struct state *const state = reader->state;
    uint64_t address;

    *is_given = text_take_rest(&state->line.rest, &address);
    state->has_rest = *is_given;
    if (!*is_given)
        return fault_none();
    FORWARD(insn_text_add(reader, address, state->line.size_bytes, state->all_are_writes));
    insn_text_give(reader, insn);
    state->insn.gap_time = 0;
    return fault_none();
}

static enum insn_step insn_text_end(struct insn_reader *reader, struct insn *insn)
{
    const struct state *const state = reader->state;
    uint64_t const foreign = reader->counts.foreign;

    if (state->is_at_hand)
        return insn_text_give(reader, insn);
    if (foreign > 0)
        snprintf(reader->warning, sizeof reader->warning, "%" PRIu64 " line%s no record%s of %s and w%s left out; the "
                 "first is line %" PRIu64 ", \"%s\"", foreign, foreign > 1 ? "s are" : " is", foreign > 1 ? "s" : "",
                 state->format->about->what, foreign > 1 ? "ere" : "as", state->first_foreign, state->foreign);
    else if (state->late > 0)
        snprintf(reader->warning, sizeof reader->warning, INSN_LATE_WARNING, state->late);
    return INSN_END;
}

/* The line's accesses belong to the current record, or to one that begins. */
static struct fault use(struct insn_reader *reader, const struct line *line)
{
    struct state *const state = reader->state;

    if (line->what == LINE_HEAD)
        return fault_none();
    reader->counts.records++;
    if (line->what == LINE_SUPERBLOCK) {
        reader->counts.superblocks++;
        return fault_none();
    }
    if (line->what == LINE_FETCH || !state->is_at_hand)
        insn_text_begin(state, line);
    if (line->what == LINE_NOTHING)
        reader->counts.flushes++;
    return line->is_read_by_rest ? fault_none() : insn_text_add_accesses(reader, line);
}

static enum insn_step insn_text_next(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    struct state *const state = reader->state;

    for (;;) {
        uint64_t const offset = trace_bytes_offset(&reader->bytes);
        size_t length;
        const char *text;
        struct line line;
        enum taken taken;

        if (state->has_rest) {
            bool is_given;

            if (FAILS(*error, give_rest(reader, insn, &is_given)))
                return INSN_FAILED;
            if (is_given)
                return INSN_RECORD;
        }
        text = trace_bytes_line(&reader->bytes, &length, error);
        if (!text && error->kind != FAULT_NONE)
            return INSN_FAILED;
        if (!text)
            return insn_text_end(reader, insn);
        state->line_number++;
        taken = insn_text_take(reader, text, length, &line, error);
        if (taken == WRONG)
            return INSN_FAILED;
        if (taken == NOT_A_RECORD)
            continue;
        if (line.what == LINE_FETCH && state->is_at_hand) {
            /* The line is read again. */
            reader->bytes.next -= trace_bytes_offset(&reader->bytes) - offset;
            state->line_number--;
            return insn_text_give(reader, insn);
        }
        if (taken == TAKEN_BEHIND_OUTPUT)
            count_foreign(reader, text, length);
        if (FAILS(*error, use(reader, &line)))
            return INSN_FAILED;
        state->has_rest = line.is_read_by_rest;
        state->line = line;
        if (!state->is_at_hand && !state->has_rest && reader->access_count > 0)
            return insn_text_give(reader, insn);
    }
}

const struct insn_format insn_text = {
    .is_text = true, .detect = insn_text_detect, .guess = insn_text_guess, .open = open_text, .next = insn_text_next,
    .close = close_text};
