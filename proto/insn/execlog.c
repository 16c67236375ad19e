/* Logs of QEMU's plugin execlog: an instruction a line, with its accesses.
 *
 *   0, 0x401000, 0x8b000020, "add x0, x1, x0"
 *   0, 0x401004, 0xf9400021, "ldr x1, [x1]", load, 0x4000800000
 *   0, 0x401008, 0xf8400421, "str x1, [x2]", store, 0x20000008, RAM
 *
 * The first column is the processor, a thread here. Sizes of accesses are not in it. The bytes are the first four of
 * each instruction, regardless of its length, and the log does not name the architecture, so registers are unknown.
 * Values of registers are left out. */
#include <stdio.h>
#include <stdlib.h>

#include "proto/insn/insn_format.h"
#include "proto/insn/line_pieces.h"

enum { LOOKED_AT = 100, LOOKED_AT_BYTES = 1 << 14 };

struct state { uint64_t line_number; };

struct entry { uint64_t processor, pc, bits; struct line_parser rest; };

static bool take_comma(struct line_parser *p)
{
    skip_blanks(p);
    if (!take_char(p, ","))
        return false;
    skip_blanks(p);
    return true;
}

/* A text in quotes, in which a backslash keeps the next character. */
static bool skip_quoted(struct line_parser *p)
{
    if (!take_char(p, "\""))
        return false;
    for (; !is_done(p) && *p->at != '"'; p->at++)
        if (*p->at == '\\' && p->at + 1 < p->end)
            p->at++;
    return take_char(p, "\"");
}

static bool take_entry(struct line_parser *p, struct entry *entry)
{
    skip_blanks(p);
    if (!take_number(p, 10, &entry->processor) || !take_comma(p) || !take_0x(p, &entry->pc) || !take_comma(p)
        || !take_0x(p, &entry->bits) || !take_comma(p) || !skip_quoted(p))
        return false;
    entry->rest = *p;
    return is_done(p) || take_comma(p);
}

/* Number of entries before the first other line; *wrong: the number of that line, 0 if all are entries. */
static uint64_t execlog_look_at(const struct trace_bytes *bytes, uint64_t *wrong, struct insn_guess *guess)
{
    const char *text = (const char *)bytes->next;
    const char *const end = (const char *)bytes->end;
    uint64_t taken = 0;

    *wrong = 0;
    for (uint64_t number = 1; text < end && number <= LOOKED_AT && *wrong == 0; number++) {
        const char *const newline = memchr(text, '\n', (size_t)(end - text));
        struct line_parser p = {text, newline ? newline : end};
        struct entry entry;

        while (p.end > text && strchr("\r \t", p.end[-1]))
            p.end--;
        if (!newline && (size_t)(end - (const char *)bytes->next) >= LOOKED_AT_BYTES)
            break;
        if (p.end > text && !text_is_message(text, (size_t)(p.end - text))) {
            bool const good = take_entry(&p, &entry);

            taken += good;
            *wrong = good ? 0 : number;
            if (!good && guess) {
                guess->column = (size_t)(p.at - text) + 1;
                insn_show_line(guess->found, text, (size_t)(p.end - text));
            }
        }
        text = newline ? newline + 1 : end;
    }
    return taken;
}

static bool execlog_detect(struct trace_bytes *bytes)
{
    uint64_t wrong;

    trace_bytes_look(bytes, LOOKED_AT_BYTES);
    return trace_bytes_are_text(bytes) && execlog_look_at(bytes, &wrong, NULL) > 0 && wrong == 0;
}

static void execlog_guess(struct trace_bytes *bytes, struct insn_guess *guess)
{
    uint64_t const taken = execlog_look_at(bytes, &guess->place, guess);

    if (taken == 0 || guess->place == 0)
        return;
    guess->taken = taken;
    snprintf(guess->problem, sizeof guess->problem, "%s", "the line is of another form");
}

static struct fault open_execlog(struct insn_reader *reader)
{
    reader->state = calloc(1, sizeof(struct state));
    if (!reader->state)
        return fault_memory(reader->bytes.path, NULL);
    reader->may_hold_threads = true;
    reader->lacks = 1u << INSN_LACKS_DEPENDENCES | 1u << INSN_LACKS_BRANCHES | 1u << INSN_LACKS_INSN_SIZES
        | 1u << INSN_LACKS_ACCESS_SIZES;
    snprintf(reader->about, sizeof reader->about, "QEMU's plugin execlog");
    return fault_none();
}

static struct fault execlog_add_accesses(struct insn_reader *reader, struct line_parser rest)
{
    while (take_comma(&rest)) {
        bool const is_load = take_word(&rest, "load"), is_write = !is_load && take_word(&rest, "store");
        struct insn_access access = {.is_write = is_write};

        if ((is_load || is_write) && take_comma(&rest) && take_hex(&rest, &access.address))
            FORWARD(insn_add_access(reader, &access));
        while (!is_done(&rest) && *rest.at != ',')
            rest.at++;
    }
    return fault_none();
}

static enum insn_step execlog_next(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    struct state *const state = reader->state;

    for (;;) {
        size_t length;
        const char *const text = trace_bytes_line(&reader->bytes, &length, error);
        struct line_parser p = {text, text ? text + length : NULL};
        struct entry entry;
        char found[41];

        if (!text)
            return error->kind != FAULT_NONE ? INSN_FAILED : INSN_END;
        state->line_number++;
        if (text_is_message(text, length))
            continue;
        if (!take_entry(&p, &entry)) {
            insn_show_line(found, text, length);
            *error = fault_at_line(reader->bytes.path, state->line_number, "\"%s%s\" is no line of QEMU's plugin "
                                   "execlog; expected %s", found, length > 40 ? "..." : "", insn_execlog.about->form);
            return INSN_FAILED;
        }
        *insn = (struct insn){.thread = entry.processor, .pc = entry.pc};
        if (FAILS(*error, execlog_add_accesses(reader, entry.rest)))
            return INSN_FAILED;
        reader->counts.records++;
        insn_give(reader, insn);
        return INSN_RECORD;
    }
}

static void close_execlog(struct insn_reader *reader)
{
    free(reader->state);
}

const struct insn_format insn_execlog = {
    .about = INSN_FORMAT_ABOUT(execlog), .is_text = true, .detect = execlog_detect, .guess = execlog_guess,
    .open = open_execlog, .next = execlog_next, .close = close_execlog};
