/* Line by line, column by column; one cursor walks over a line. */
#include "proto/elastic/ascii.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/io/io_stream.h"

#define LINE_MAX_BYTES ((size_t)4 << 20)
#define DEFAULT_TICK_FREQ UINT64_C(1000000000000)

struct list {
    uint64_t *values;
    uint32_t count;
    size_t capacity;
};

struct ascii_reader {
    struct stream stream;
    uint64_t line;                   /* number of the line below, from 1 */
    const char *at, *end;            /* the rest of the line, without its end */
    bool pending;                    /* the line was looked at, but not used */
    bool full;
    enum input_kind kind;
    struct dep_header dep_header;
    struct packet_header packet_header;
    struct packet_id_string *id_strings;
    bool has_obj_id, has_tick_freq, has_window_size;
    struct list rob_dep, reg_dep;
    uint64_t records, last;          /* last: seq_num or tick */
};

/* --- lines -------------------------------------------------------------------------------------------------------- */

static const char *ascii_parse_name_of(const struct ascii_reader *reader)
{
    return stream_name(&reader->stream);
}

/* Fault: the line has something else in place of `what`. */
static struct fault unexpected(const struct ascii_reader *reader, const char *what)
{
    size_t const left = (size_t)(reader->end - reader->at);
    size_t const shown = left < 24 ? left : 24;
    char found[25] = "";

    for (size_t i = 0; i < shown; i++)
        found[i] = (char)(reader->at[i] >= ' ' && reader->at[i] <= '~' ? reader->at[i] : '?');

    return left == 0 ? fault_at_line(ascii_parse_name_of(reader), reader->line,
                                     "the line ends where %s was expected; see `rubato "
                                     "trace dump --help` for the form",
                                     what)
                     : fault_at_line(ascii_parse_name_of(reader), reader->line,
                                     "found \"%s\" where %s "
                                     "was expected; see `rubato trace dump --help` for the form",
                                     found, what);
}

/* The next line, without checks. */
static enum ascii_step ascii_parse_read_line(struct ascii_reader *reader, struct fault *error)
{
    struct stream *const stream = &reader->stream;
    const uint8_t *line_end;

    if (reader->pending) {
        reader->pending = false;
        return ASCII_RECORD;
    }
    for (size_t looked = 0; ; ) {
        size_t const have = (size_t)(stream->end - stream->next);

        line_end = have > looked ? memchr(stream->next + looked, '\n', have - looked) : NULL;
        looked = have;
        if (line_end != NULL)
            break;
        if (have > LINE_MAX_BYTES) {
            *error = fault_at_line(ascii_parse_name_of(reader), reader->line + 1, "is longer than %zu bytes; "
                                   "expected the text form of a trace", LINE_MAX_BYTES);
            return ASCII_ERROR;
        }

        enum stream_status const status = stream_need(stream, 2 * have + 1, error);

        if (status == STREAM_FAILED)
            return ASCII_ERROR;
        if (status == STREAM_SHORT && (size_t)(stream->end - stream->next) == have) {
            if (have == 0)
                return ASCII_END;
            line_end = stream->end;
            break;
        }
    }
    reader->line++;
    reader->at = (const char *)stream->next;
    reader->end = (const char *)line_end;
    stream->next = line_end == stream->end ? line_end : line_end + 1;
    if (reader->end > reader->at && reader->end[-1] == '\r')
        reader->end--;
    return ASCII_RECORD;
}

/* The next line that holds a record. */
static enum ascii_step read_record_line(struct ascii_reader *reader, struct fault *error)
{
    enum ascii_step step;

    do
        step = ascii_parse_read_line(reader, error);
    while (step == ASCII_RECORD && (reader->at == reader->end || reader->at[0] == '#'));
    return step;
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

static bool ascii_parse_take(struct ascii_reader *reader, char c)
{
    if (reader->at == reader->end || reader->at[0] != c)
        return false;
    reader->at++;
    return true;
}

static struct fault expect(struct ascii_reader *reader, char c, const char *what)
{
    return ascii_parse_take(reader, c) ? fault_none() : unexpected(reader, what);
}

static bool take_word(struct ascii_reader *reader, const char *word)
{
    size_t const length = strlen(word);

    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static struct fault ascii_parse_take_number(struct ascii_reader *reader, const char *field, uint64_t highest,
                                            uint64_t *number)
{
    uint64_t sum = 0;

    if (reader->at == reader->end || reader->at[0] < '0' || reader->at[0] > '9')
        return unexpected(reader, field);
    for (; reader->at < reader->end && reader->at[0] >= '0' && reader->at[0] <= '9'; reader->at++) {
        uint64_t const digit = (uint64_t)(reader->at[0] - '0');

        if (sum > (highest - digit) / 10)
            return fault_at_line(ascii_parse_name_of(reader), reader->line,
                                 "%s is too large; expected at most %" PRIu64, field, highest);
        sum = 10 * sum + digit;
    }
    *number = sum;
    return fault_none();
}

/* A number, or "-" for an absent one. */
static struct fault take_optional(struct ascii_reader *reader, const char *field, uint64_t highest, uint64_t *number,
                                  bool *present)
{
    *present = !ascii_parse_take(reader, '-');
    *number = 0;
    return !*present ? fault_none() : ascii_parse_take_number(reader, field, highest, number);
}

static bool ascii_parse_append(struct list *list, uint64_t value)
{
    if (!list_fit(&list->values, list->count + 1, &list->capacity, sizeof *list->values))
        return false;
    list->values[list->count++] = value;
    return true;
}

/* "[,number]*"; the first comma may be missing. */
static struct fault take_list(struct ascii_reader *reader, const char *field, struct list *list)
{
    list->count = 0;
    while (reader->at < reader->end && reader->at[0] != ':') {
        uint64_t number = 0;

        if ((list->count > 0 || reader->at[0] == ','))
            FORWARD(expect(reader, ',', "a comma"));
        FORWARD(ascii_parse_take_number(reader, field, UINT64_MAX, &number));
        if (!ascii_parse_append(list, number))
            return fault_memory(ascii_parse_name_of(reader), NULL);
    }
    return fault_none();
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *const found = c != '\0' ? strchr(digits, c) : NULL;

    return found != NULL ? (int)((found - digits) % 16) : -1;
}

static struct fault take_quoted(struct ascii_reader *reader, char *text, size_t room)
{
    size_t length = 0;

    FORWARD(expect(reader, '"', "a text in quotes"));
    while (!ascii_parse_take(reader, '"')) {
        char c;

        if (reader->at == reader->end)
            return unexpected(reader, "a closing quote");
        c = *reader->at++;
        if (c == '\\' && ascii_parse_take(reader, 'x')) {
            int const high = reader->end - reader->at >= 2 ? hex_digit(reader->at[0]) : -1;
            int const low = high >= 0 ? hex_digit(reader->at[1]) : -1;

            if (low < 0)
                return unexpected(reader, "two hexadecimal digits");
            c = (char)(high * 16 + low);
            reader->at += 2;
        } else if (c == '\\') {
            if (reader->at == reader->end)
                return unexpected(reader, "\\\\, \\\" or \\xNN");
            c = *reader->at++;
        }
        if (length + 1 == room)
            return fault_at_line(ascii_parse_name_of(reader), reader->line,
                                 "the text is too long; expected at most %zu bytes", room - 1);
        text[length++] = c;
    }
    text[length] = '\0';
    return fault_none();
}

static struct fault expect_end(struct ascii_reader *reader)
{
    return reader->at == reader->end ? fault_none() : unexpected(reader, "the end of the line");
}

/* --- header ------------------------------------------------------------------------------------------------------- */

static struct fault take_id_string(struct ascii_reader *reader)
{
    size_t const count = reader->packet_header.id_string_count;
    struct packet_id_string *strings;
    uint64_t key;

    if (!list_fit_next(&reader->id_strings, count, sizeof *strings))
        return fault_memory(ascii_parse_name_of(reader), NULL);
    strings = reader->id_strings;
    reader->packet_header.id_strings = strings;
    reader->packet_header.id_string_count = count + 1;
    strings[count] = (struct packet_id_string){0};
    FORWARD(take_optional(reader, "a key or -", UINT32_MAX, &key, &strings[count].has_key));
    FORWARD(expect(reader, ' ', "a space"));
    strings[count].key = (uint32_t)key;
    strings[count].has_value = !ascii_parse_take(reader, '-');
    return !strings[count].has_value ? fault_none() : take_quoted(reader, strings[count].value,
                                                                  sizeof strings[count].value);
}

/* A line behind "# "; unknown ones are comments. */
static struct fault take_header_line(struct ascii_reader *reader)
{
    uint64_t number;

    if (take_word(reader, "obj_id ")) {
        FORWARD(take_quoted(reader, reader->dep_header.obj_id, sizeof reader->dep_header.obj_id));
        reader->has_obj_id = true;
    } else if (take_word(reader, "ver ")) {
        FORWARD(ascii_parse_take_number(reader, "ver", UINT32_MAX, &number));
        reader->dep_header.ver = (uint32_t)number;
        reader->dep_header.has_ver = true;
    } else if (take_word(reader, "tick_freq ")) {
        FORWARD(ascii_parse_take_number(reader, "tick_freq", UINT64_MAX, &reader->dep_header.tick_freq));
        reader->has_tick_freq = true;
    } else if (reader->kind == INPUT_DEP_TRACE && take_word(reader, "window_size ")) {
        FORWARD(ascii_parse_take_number(reader, "window_size", UINT32_MAX, &number));
        reader->dep_header.window_size = (uint32_t)number;
        reader->has_window_size = true;
    } else if (reader->kind == INPUT_PACKET_TRACE && take_word(reader, "id_string ")) {
        FORWARD(take_id_string(reader));
    } else {
        return fault_none();
    }
    return expect_end(reader);
}

static struct fault check_header(const struct ascii_reader *reader)
{
    const char *const missing = !reader->has_obj_id ? "obj_id \"...\"" : !reader->has_tick_freq ? "tick_freq N"
        : reader->kind == INPUT_DEP_TRACE && !reader->has_window_size ? "window_size N" : NULL;

    if (missing != NULL)
        return fault_at_line(ascii_parse_name_of(reader), reader->line,
                             "the header lacks the line \"# %s\"; add it below the " "first line", missing);
    if (reader->dep_header.tick_freq == 0 || (reader->kind == INPUT_DEP_TRACE && reader->dep_header.window_size == 0))
        return fault_at_line(ascii_parse_name_of(reader), reader->line, "tick_freq and window_size must not be 0");
    return fault_none();
}

static struct fault take_header(struct ascii_reader *reader)
{
    struct fault fault = fault_none();
    enum ascii_step step = ASCII_RECORD;

    reader->full = true;
    while ((step = ascii_parse_read_line(reader, &fault)) == ASCII_RECORD && take_word(reader, "#")) {
        ascii_parse_take(reader, ' ');
        FORWARD(take_header_line(reader));
    }
    reader->pending = step == ASCII_RECORD;
    return (step != ASCII_ERROR && WORKS(fault, check_header(reader))) ? fault_none() : fault;
}

static struct fault find_form(struct ascii_reader *reader)
{
    struct fault fault = fault_none();
    enum ascii_step step = ascii_parse_read_line(reader, &fault);

    bool const is_dep = step == ASCII_RECORD && take_word(reader, ASCII_DEP_TITLE);

    if (is_dep || (step == ASCII_RECORD && take_word(reader, ASCII_PACKET_TITLE))) {
        reader->kind = is_dep ? INPUT_DEP_TRACE : INPUT_PACKET_TRACE;
        FORWARD(expect_end(reader));
        return take_header(reader);
    }
    if (step == ASCII_RECORD && take_word(reader, "gem5"))
        return fault_at(ascii_parse_name_of(reader), FAULT_NO_OFFSET,
                        "is a trace already; expected its text form, as `rubato " "trace dump` prints it");
    reader->pending = step == ASCII_RECORD;
    step = step == ASCII_RECORD ? read_record_line(reader, &fault) : step;
    if (step == ASCII_ERROR)
        return fault;
    if (step == ASCII_END)
        return fault_at(ascii_parse_name_of(reader), FAULT_NO_OFFSET,
                        "holds no records; expected the text form of a trace, as " "`rubato trace dump` prints it");
    reader->pending = true;
    reader->kind = INPUT_PACKET_TRACE;
    if (memchr(reader->at, ':', (size_t)(reader->end - reader->at)) != NULL)
        reader->kind = INPUT_DEP_TRACE;
    reader->dep_header.tick_freq = DEFAULT_TICK_FREQ;
    reader->dep_header.window_size = ASCII_GEM5_WINDOW;
    return fault_none();
}

struct ascii_reader *ascii_reader_open(const char *path, struct fault *error)
{
    struct ascii_reader *const reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        *error = fault_memory(path, NULL);
        return NULL;
    }
    if (FAILS(*error, stream_open(&reader->stream, &(struct stream_source){.path = path}))
        || FAILS(*error, find_form(reader))) {
        ascii_reader_close(reader);
        return NULL;
    }
    reader->packet_header.ver = reader->dep_header.ver;
    reader->packet_header.has_ver = reader->dep_header.has_ver;
    reader->packet_header.tick_freq = reader->dep_header.tick_freq;
    memcpy(reader->packet_header.obj_id, reader->dep_header.obj_id, sizeof reader->packet_header.obj_id);
    return reader;
}

void ascii_reader_close(struct ascii_reader *reader)
{
    if (reader == NULL)
        return;
    stream_close(&reader->stream);
    free(reader->id_strings);
    free(reader->rob_dep.values);
    free(reader->reg_dep.values);
    free(reader);
}

enum input_kind ascii_reader_kind(const struct ascii_reader *reader)
{
    return reader->kind;
}

bool ascii_reader_is_full(const struct ascii_reader *reader)
{
    return reader->full;
}

const struct dep_header *ascii_reader_dep_header(const struct ascii_reader *reader)
{
    return &reader->dep_header;
}

const struct packet_header *ascii_reader_packet_header(const struct ascii_reader *reader)
{
    return &reader->packet_header;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static struct fault take_type(struct ascii_reader *reader, uint32_t *type)
{
    for (uint32_t i = DEP_INVALID; i <= DEP_COMP; i++)
        if (take_word(reader, dep_type_name(i))) {
            *type = i;
            return fault_none();
        }
    return unexpected(reader, "INVALID, LOAD, STORE or COMP");
}

/* ",p_addr,size,flags,comp_delay" of which the first three may be missing from the right. */
static struct fault take_middle(struct ascii_reader *reader, struct dep_record *record)
{
    uint64_t numbers[4];
    bool present[4];
    unsigned count = 0;

    while (count < 4 && ascii_parse_take(reader, ',')) {
        FORWARD(take_optional(reader, "p_addr, size, flags or comp_delay", UINT64_MAX, &numbers[count],
                              &present[count]));
        count++;
    }
    if (count == 0 || !present[count - 1])
        return unexpected(reader, "comp_delay");
    record->comp_delay = numbers[count - 1];
    if (count > 1 && present[0]) {
        record->p_addr = numbers[0];
        record->present |= DEP_HAS_P_ADDR;
    }
    for (unsigned i = 1; i + 1 < count; i++) {
        if (!present[i])
            continue;
        if (numbers[i] > UINT32_MAX)
            return fault_at_line(ascii_parse_name_of(reader), reader->line,
                                 "%s is too large; expected at most %" PRIu32, i == 1 ? "size" : "flags", UINT32_MAX);
        *(i == 1 ? &record->size_bytes : &record->flags) = (uint32_t)numbers[i];
        record->present |= i == 1 ? DEP_HAS_SIZE : DEP_HAS_FLAGS;
    }
    return fault_none();
}

static struct fault take_dep_record(struct ascii_reader *reader, struct dep_record *record)
{
    uint64_t weight, asid;
    bool has_pc, has_weight, has_v_addr, has_asid;

    *record = (struct dep_record){0};
    FORWARD(ascii_parse_take_number(reader, "seq_num", UINT64_MAX, &record->seq_num));
    FORWARD(expect(reader, ',', "a comma"));
    FORWARD(take_optional(reader, "pc", UINT64_MAX, &record->pc, &has_pc));
    FORWARD(expect(reader, ',', "a comma"));
    FORWARD(take_optional(reader, "weight", UINT32_MAX, &weight, &has_weight));
    FORWARD(expect(reader, ',', "a comma"));
    FORWARD(take_type(reader, &record->type));
    FORWARD(take_middle(reader, record));
    FORWARD(expect(reader, ':', "a colon"));
    FORWARD(take_list(reader, "rob_dep", &reader->rob_dep));
    FORWARD(expect(reader, ':', "a colon"));
    FORWARD(take_list(reader, "reg_dep", &reader->reg_dep));
    record->weight = (uint32_t)weight;
    record->present |= (has_pc ? DEP_HAS_PC : 0u) | (has_weight ? DEP_HAS_WEIGHT : 0u);
    if (ascii_parse_take(reader, ':')) {
        FORWARD(take_optional(reader, "v_addr", UINT64_MAX, &record->v_addr, &has_v_addr));
        FORWARD(expect(reader, ',', "a comma"));
        FORWARD(take_optional(reader, "asid", UINT32_MAX, &asid, &has_asid));
        record->asid = (uint32_t)asid;
        record->present |= (has_v_addr ? DEP_HAS_V_ADDR : 0u) | (has_asid ? DEP_HAS_ASID : 0u);
    }
    record->rob_dep = reader->rob_dep.values;
    record->rob_dep_count = reader->rob_dep.count;
    record->reg_dep = reader->reg_dep.values;
    record->reg_dep_count = reader->reg_dep.count;
    return expect_end(reader);
}

enum ascii_step ascii_next_dep(struct ascii_reader *reader, struct dep_record *record, struct fault *error)
{
    enum ascii_step const step = read_record_line(reader, error);
    char problem[300];

    if (step != ASCII_RECORD)
        return step;
    if (FAILS(*error, take_dep_record(reader, record)))
        return ASCII_ERROR;
    if (!dep_record_check(record, reader->records == 0, reader->last, problem, sizeof problem)) {
        *error = fault_at_line(ascii_parse_name_of(reader), reader->line, "%s", problem);
        return ASCII_ERROR;
    }
    reader->records++;
    reader->last = record->seq_num;
    return ASCII_RECORD;
}

static struct fault take_command(struct ascii_reader *reader, uint32_t *cmd)
{
    uint64_t number;

    if (ascii_parse_take(reader, 'r')) {
        *cmd = 1;
    } else if (ascii_parse_take(reader, 'w')) {
        *cmd = 4;
    } else if (ascii_parse_take(reader, 'u')) {
        FORWARD(ascii_parse_take_number(reader, "the number of the command (u23; gem5's form does not tell it)",
                                        UINT32_MAX, &number));
        *cmd = (uint32_t)number;
    } else {
        return unexpected(reader, "a command (r, w, or u and a number)");
    }
    return fault_none();
}

static struct fault take_packet_record(struct ascii_reader *reader, struct packet_record *record)
{
    struct fault fault = fault_none();
    static const char *const names[] = {"addr", "size", "flags or tick", "tick or pc", "pc"};
    uint64_t numbers[5];
    bool present[5], has_pkt_id = false;
    unsigned count = 0;

    *record = (struct packet_record){0};
    if (reader->at[0] == '-' || (reader->at[0] >= '0' && reader->at[0] <= '9'))
        if (FAILS(fault, take_optional(reader, "pkt_id", UINT64_MAX, &record->pkt_id, &has_pkt_id))
            || FAILS(fault, expect(reader, ',', "a comma")))
            return fault;
    FORWARD(take_command(reader, &record->cmd));
    while (count < 5 && ascii_parse_take(reader, ',')) {
        FORWARD(take_optional(reader, names[count], UINT64_MAX, &numbers[count], &present[count]));
        count++;
    }

    bool const has_flags = count >= 4 && present[2], has_pc = count == 5 && present[4];
    unsigned const tick = count >= 4 ? 3 : 2;

    if (count < 3)
        return unexpected(reader, "addr, size and tick");
    if (!present[0] || !present[1] || !present[tick])
        return fault_at_line(ascii_parse_name_of(reader), reader->line, "addr, size or tick is -; expected a number");
    if (numbers[1] > UINT32_MAX || (has_flags && numbers[2] > UINT32_MAX))
        return fault_at_line(ascii_parse_name_of(reader), reader->line, "%s is too large; expected at most %" PRIu32,
                             numbers[1] > UINT32_MAX ? "size" : "flags", UINT32_MAX);
    record->addr = numbers[0];
    record->size_bytes = (uint32_t)numbers[1];
    record->flags = has_flags ? (uint32_t)numbers[2] : 0;
    record->tick = numbers[tick];
    record->pc = has_pc ? numbers[4] : 0;
    record->present = (has_flags ? PACKET_HAS_FLAGS : 0u) | (has_pkt_id ? PACKET_HAS_PKT_ID : 0u)
        | (has_pc ? PACKET_HAS_PC : 0u);
    return expect_end(reader);
}

enum ascii_step ascii_next_packet(struct ascii_reader *reader, struct packet_record *record, struct fault *error)
{
    enum ascii_step const step = read_record_line(reader, error);

    if (step != ASCII_RECORD)
        return step;
    if (FAILS(*error, take_packet_record(reader, record)))
        return ASCII_ERROR;
    if (record->tick < reader->last) {
        *error = fault_at_line(ascii_parse_name_of(reader), reader->line, "tick %" PRIu64 " follows %" PRIu64
                               "; expected ticks that never fall; sort the records by tick", record->tick,
                               reader->last);
        return ASCII_ERROR;
    }
    reader->last = record->tick;
    return ASCII_RECORD;
}
