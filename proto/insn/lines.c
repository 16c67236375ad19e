/* Each function reads a line from left to right and stops at the first character that is wrong. */
#include "proto/insn/lines.h"

#include <string.h>

#include "proto/insn/line_pieces.h"

/* ---- pieces of a line */

/* R or W, or the words. */
static bool take_kind(struct line_parser *p, struct line *line)
{
    line->is_write = take_whole_word(p, "w") || take_whole_word(p, "write");
    return line->is_write || take_whole_word(p, "r") || take_whole_word(p, "read");
}

/* The end of a line, or comments behind a blank. */
static bool ends_or_goes_on(struct line_parser *p)
{
    return is_done(p) || skip_blanks(p);
}

/* ---- formats; text-traces 1 to 8 */

static bool lackey(struct line_parser *p, struct line *line)
{
    skip_blanks(p);
    if (take_whole_word(p, "sb")) {
        line->what = LINE_SUPERBLOCK;
        return skip_blanks(p) && take_hex(p, &line->address) && is_done(p);
    }
    line->what = take_char(p, "i") ? LINE_FETCH : take_char(p, "m") ? LINE_MODIFY : LINE_ACCESS;
    line->is_write = line->what == LINE_ACCESS && take_char(p, "s");
    if (line->what == LINE_ACCESS && !line->is_write && !take_char(p, "l"))
        return false;
    if (!skip_blanks(p) || !take_hex(p, &line->address) || !take_char(p, ","))
        return false;
    skip_blanks(p);
    return take_number(p, 10, &line->size_bytes) && is_done(p);
}

static bool din(struct line_parser *p, struct line *line)
{
    uint64_t label = UINT64_MAX;

    if (is_done(p) || *p->at < '0' || *p->at > '4' || !take_number(p, 10, &label) || label > 4)
        return false;
    line->what = label == 2 ? LINE_FETCH : label == 4 ? LINE_NOTHING : LINE_ACCESS;
    line->is_write = label == 1;
    return skip_blanks(p) && take_hex(p, &line->address) && ends_or_goes_on(p);
}

static bool extended_din(struct line_parser *p, struct line *line)
{
    char const type = is_done(p) ? '\0' : lower(*p->at);

    line->what = type == 'i' ? LINE_FETCH : type == 'c' || type == 'v' ? LINE_NOTHING : LINE_ACCESS;
    line->is_write = type == 'w';
    return take_char(p, "rwimcv") && skip_blanks(p) && take_hex(p, &line->address) && skip_blanks(p)
        && take_hex(p, &line->size_bytes) && ends_or_goes_on(p);
}

/* The same columns, of which the third is a time. */
static bool letter_address_time(struct line_parser *p, struct line *line)
{
    return take_kind(p, line) && skip_blanks(p) && take_hex(p, &line->address) && skip_blanks(p)
        && take_number(p, 10, &line->time) && is_done(p);
}

static bool letter_address(struct line_parser *p, struct line *line)
{
    return take_kind(p, line) && skip_blanks(p) && take_either(p, &line->address) && is_done(p);
}

static bool letter_hex(struct line_parser *p, struct line *line)
{
    return take_kind(p, line) && skip_blanks(p) && take_hex(p, &line->address) && is_done(p);
}

static bool ramulator_memory(struct line_parser *p, struct line *line)
{
    return take_either(p, &line->address) && skip_blanks(p) && take_kind(p, line) && is_done(p);
}

/* Also the three forms of DRAMsim2: k6 (P_...), mase (IFETCH), misc. */
static bool dramsim3(struct line_parser *p, struct line *line)
{
    static const char *const writes[] = {"write", "p_mem_wr", "p_i/o_wr", "boff"};
    static const char *const reads[] = {"read", "ifetch", "p_mem_rd", "p_fetch", "p_lock_rd", "p_lock_wr", "p_i/o_rd",
                                        "p_int_ack"};
    bool is_read = false;

    if (!take_hex(p, &line->address) || !skip_blanks(p))
        return false;
    for (size_t i = 0; !line->is_write && i < sizeof writes / sizeof writes[0]; i++)
        line->is_write = take_whole_word(p, writes[i]);
    for (size_t i = 0; !line->is_write && !is_read && i < sizeof reads / sizeof reads[0]; i++)
        is_read = take_whole_word(p, reads[i]);
    return (line->is_write || is_read) && skip_blanks(p) && take_number(p, 10, &line->time) && is_done(p);
}

static bool load_store(struct line_parser *p, struct line *line)
{
    line->is_write = take_whole_word(p, "st");
    return (line->is_write || take_whole_word(p, "ld")) && skip_blanks(p) && take_either(p, &line->address)
        && is_done(p);
}

/* <instructions before> <read> [<write-back>|R|W] */
static bool cpu_trace(struct line_parser *p, struct line *line)
{
    if (!take_number(p, 10, &line->gap) || !skip_blanks(p) || !take_either(p, &line->address))
        return false;
    if (is_done(p))
        return true;
    if (!skip_blanks(p))
        return false;
    line->is_write = take_whole_word(p, "w");
    if (line->is_write || take_whole_word(p, "r"))
        return is_done(p);
    line->has_second = take_either(p, &line->second);
    return line->has_second && is_done(p);
}

static bool stl(struct line_parser *p, struct line *line)
{
    if (!take_number(p, 10, &line->time) || !take_char(p, ":"))
        return false;
    skip_blanks(p);
    if (take_char(p, "(")) {
        if (!take_number(p, 10, &line->size_bytes) || !take_char(p, ")"))
            return false;
        skip_blanks(p);
    }
    line->is_write = take_whole_word(p, "write");
    return (line->is_write || take_whole_word(p, "read")) && skip_blanks(p) && take_hex(p, &line->address)
        && ends_or_goes_on(p);
}

static bool pinatrace(struct line_parser *p, struct line *line)
{
    if (!take_0x(p, &line->pc) || !take_char(p, ":"))
        return false;
    skip_blanks(p);
    line->is_write = take_whole_word(p, "w");
    if (!line->is_write && !take_whole_word(p, "r"))
        return false;
    if (!skip_blanks(p) || (!take_word(p, "(nil)") && !take_hex(p, &line->address)))
        return false;
    if (skip_blanks(p) && !take_number(p, 10, &line->size_bytes))
        line->size_bytes = 0;
    return true;
}

static bool prospero(struct line_parser *p, struct line *line)
{
    if (!take_number(p, 10, &line->time) || !skip_blanks(p))
        return false;
    line->is_write = take_whole_word(p, "w");
    return (line->is_write || take_whole_word(p, "r")) && skip_blanks(p) && take_number(p, 10, &line->address)
        && skip_blanks(p) && take_number(p, 10, &line->size_bytes) && is_done(p);
}

/* Data of any length, which is not kept. */
static bool skip_data(struct line_parser *p)
{
    const char *const before = p->at;

    take_word(p, "0x");
    while (take_char(p, "0123456789abcdef"))
        ;
    return p->at > before;
}

/* <cycle> R|W <address> <data> [<data before>] <thread>; a first line NVMV1 says the version. */
static bool nvmain(struct line_parser *p, struct line *line)
{
    uint64_t thread;

    if (take_word(p, "nvmv")) {
        line->what = LINE_HEAD;
        return take_number(p, 10, &thread) && is_done(p);
    }
    if (!take_number(p, 10, &line->time) || !skip_blanks(p))
        return false;
    line->is_write = take_whole_word(p, "w");
    if ((!line->is_write && !take_whole_word(p, "r")) || !skip_blanks(p) || !take_hex(p, &line->address)
        || !skip_blanks(p) || !skip_data(p) || !skip_blanks(p))
        return false;
    if (!skip_data(p))
        return false;
    return is_done(p) || (skip_blanks(p) && take_number(p, 10, &thread) && is_done(p));
}

/* A number of SCALE-Sim: it may be negative, and have a fraction of zeros. */
static bool take_signed(struct line_parser *p, uint64_t *number, bool *is_negative)
{
    *is_negative = take_char(p, "-");
    if (!take_number(p, 10, number))
        return false;
    if (take_char(p, "."))
        while (take_char(p, "0"))
            ;
    skip_blanks(p);
    return true;
}

/* <cycle>, <address>, <address> ... [,] */
static bool scalesim(struct line_parser *p, struct line *line)
{
    bool is_negative;
    uint64_t unused;

    skip_blanks(p);
    if (!take_signed(p, &line->time, &is_negative) || !take_char(p, ","))
        return false;
    if (is_negative)
        line->time = 0;
    line->is_read_by_rest = true;
    line->size_bytes = 1;                /* an element */
    line->rest = *p;
    do {
        skip_blanks(p);
        if (is_done(p))
            break;
        if (!take_signed(p, &unused, &is_negative))
            return false;
    } while (take_char(p, ","));
    return is_done(p);
}

/* -1 is no access. */
bool text_take_rest(struct line_parser *rest, uint64_t *address)
{
    bool is_negative = true;

    while (is_negative) {
        skip_blanks(rest);
        if (is_done(rest) || !take_signed(rest, address, &is_negative))
            return false;
        take_char(rest, ",");
    }
    return true;
}

static bool address_vector(struct line_parser *p, struct line *line)
{
    uint64_t part;
    unsigned parts = 0;

    (void)line;
    if (!take_char(p, "rw") || !skip_blanks(p))
        return false;
    do {
        if (!take_number(p, 10, &part))
            return false;
        parts++;
    } while (take_char(p, ","));
    return parts > 1 && is_done(p);
}

#define LACK(name) (1u << INSN_LACKS_##name)
#define NO_BRANCHES (LACK(DEPENDENCES) | LACK(BRANCHES) | LACK(THREADS))
#define OF_LINES LACK(PARTS_OF_LINES)
#define ADDRESSES_ONLY INSN_LACKS_ALL_BUT_ADDRESSES
/* The meaning of addresses and times, for each row; without TIMES the format has no times. */
#define VIRTUAL .meaning.addresses = INSN_ADDRESSES_VIRTUAL
#define PHYSICAL .meaning.addresses = INSN_ADDRESSES_PHYSICAL
#define TIMES(unit) .meaning.clock = INSN_CLOCK_##unit

#define ROW(name) &insn_format_abouts[INSN_FORMAT_##name]

const struct text_format text_formats[] = {
    {ROW(lackey), lackey, NO_BRANCHES, VIRTUAL, .has_foreign_lines = true},
    {ROW(pinatrace), pinatrace, NO_BRANCHES | LACK(INSTRUCTIONS) | LACK(INSN_SIZES) | LACK(ACCESS_SIZES), VIRTUAL},
    {ROW(rstl), stl, ADDRESSES_ONLY | OF_LINES, PHYSICAL, TIMES(MEMORY), .meaning.since = INSN_SINCE_ANSWER,
     .suffix = ".rstl"},
    {ROW(stl), stl, ADDRESSES_ONLY | OF_LINES, PHYSICAL, TIMES(MEMORY)},
    {ROW(prospero), prospero, ADDRESSES_ONLY & ~LACK(THREADS), VIRTUAL, .counts_instructions = true},
    {ROW(nvmain), nvmain, ADDRESSES_ONLY | LACK(ACCESS_SIZES) | OF_LINES, PHYSICAL, TIMES(CORE)},      /* CPUFreq */
    {ROW(ramulator), ramulator_memory, ADDRESSES_ONLY | LACK(ACCESS_SIZES) | OF_LINES, PHYSICAL},
    {ROW(dramsim3), dramsim3, ADDRESSES_ONLY | LACK(ACCESS_SIZES) | OF_LINES, PHYSICAL, TIMES(MEMORY)},
    {ROW(load_store), load_store, ADDRESSES_ONLY | LACK(ACCESS_SIZES) | OF_LINES, PHYSICAL},
    {ROW(address_vector), address_vector, 0, VIRTUAL},
    {ROW(extended_din), extended_din, NO_BRANCHES | LACK(INSN_SIZES), VIRTUAL},
    {ROW(rw_time), letter_address_time, ADDRESSES_ONLY | LACK(ACCESS_SIZES) | OF_LINES, PHYSICAL, TIMES(MEMORY),
     .is_only_named = true},
    {ROW(rw), letter_address, ADDRESSES_ONLY | LACK(ACCESS_SIZES), VIRTUAL},
    {ROW(rw_hex), letter_hex, ADDRESSES_ONLY | LACK(ACCESS_SIZES), VIRTUAL},
    {ROW(din), din, NO_BRANCHES | LACK(INSN_SIZES) | LACK(ACCESS_SIZES), VIRTUAL},
    {ROW(cpu_trace), cpu_trace,
     (ADDRESSES_ONLY | LACK(ACCESS_SIZES) | OF_LINES) & ~LACK(INSTRUCTIONS), PHYSICAL, .gaps_are_instructions = true},
    {ROW(scalesim), scalesim, ADDRESSES_ONLY, PHYSICAL, TIMES(CORE)},
    {.about = NULL}};

const struct text_format *text_format_named(const char *name, size_t length)
{
    enum insn_format_number const number = insn_format_find(name, length);

    for (const struct text_format *format = text_formats; format->about; format++)
        if (format->about == &insn_format_abouts[number])
            return format;
    return NULL;
}

bool text_take_line(const struct text_format *format, const char *text, size_t length, struct line *line,
                    size_t *column)
{
    struct line_parser parser = {text, text + length};
    bool good;

    *line = (struct line){.what = LINE_ACCESS};
    good = format->take(&parser, line) && line->size_bytes <= UINT32_MAX;
    *column = (size_t)(parser.at - text) + 1;
    return good;
}

bool text_is_message(const char *line, size_t length)
{
    static const char *const pairs[] = {"==", "--", "**", "//"};

    if (length == 0 || line[0] == '#' || line[0] == ';')
        return true;
    for (size_t i = 0; length >= 2 && i < sizeof pairs / sizeof pairs[0]; i++)
        if (memcmp(line, pairs[i], 2) == 0)
            return true;
    return false;
}

bool text_begins_like_record(const char *line, size_t length)
{
    enum { USUAL_DIGITS = 8 };
    struct line_parser p = {line, line + length};
    bool const has_blank = skip_blanks(&p);
    const char *const letter = p.at, *digits;

    if (!take_char(&p, "ilsm") || *letter >= 'a' || (!has_blank && *letter != 'I') || !skip_blanks(&p))
        return false;
    digits = p.at;
    take_word(&p, "0x");
    while (take_char(&p, "0123456789abcdef"))
        ;
    return p.at - digits >= USUAL_DIGITS || (p.at > digits && !is_done(&p) && *p.at == ',');
}

/* ---- is the third column a size, or a time? */

enum { MOST_USUAL_BYTES = 64 };

void din_sizes_add(struct din_sizes *sizes, char letter, uint64_t size_bytes)
{
    bool const is_power = size_bytes != 0 && (size_bytes & (size_bytes - 1)) == 0;

    sizes->grows = (sizes->lines == 0 || sizes->grows) && (sizes->lines == 0 || size_bytes > sizes->last);
    sizes->has_odd |= !is_power;
    sizes->has_huge |= size_bytes == 0 || size_bytes > MOST_USUAL_BYTES;
    sizes->has_other_letters |= !strchr("rw", lower(letter));
    sizes->last = size_bytes;
    sizes->lines++;
}

/* No access has 0 bytes, or more than a line's; and sizes that grow from each line to the next without being powers of
 * two are none. */
bool din_sizes_may_be_times(const struct din_sizes *sizes)
{
    return sizes->has_huge || (sizes->lines > 2 && sizes->grows && sizes->has_odd && !sizes->has_other_letters);
}
