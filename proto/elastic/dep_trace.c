/* Reader of dependency traces. Records are decoded where they lie in the stream's buffer, into arrays that are used
 * again.
 *
 * A record that differs from an earlier one only in some numbers is decoded by that one's template
 * (proto/elastic/dep_template.h). Any other record as gem5 writes it takes a fast way of its own (proto/io/usual.h).
 * Every other record, also one that breaks a rule, is decoded by the general decoder, the only one that reports
 * faults.
 *
 * That decoder jumps on the tags of the format, in any order; a tag that it does not know goes the slow way through
 * wire_value, which skips it. As protobuf does: the last of a repeated singular field wins,
 * numbers of 32-bit fields keep their low half, a known number with another wire type counts as unknown, lists may be
 * packed or not (elastic-trace 1.1). Unlike protobuf, a type outside 0 to 3 is named as such and not as a missing
 * field.
 *
 * Not read: the format of December 2015 (elastic-trace 1.4). Its records lack comp_delay in our numbering; the error
 * says so when the rest looks like it. */
#include "proto/elastic/dep_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "proto/elastic/dep_reader.h"

enum field_number {
    SEQ_NUM = DEP_FIELD_SEQ_NUM, TYPE = 2, P_ADDR = DEP_FIELD_P_ADDR, SIZE = 4, FLAGS = 5, ROB_DEP = DEP_FIELD_ROB_DEP,
    COMP_DELAY = DEP_FIELD_COMP_DELAY, REG_DEP = DEP_FIELD_REG_DEP, WEIGHT = 9, PC = 10, V_ADDR = DEP_FIELD_V_ADDR,
    ASID = 12
};

#define SEEN(number) (UINT32_C(1) << (number))
#define REQUIRED (SEEN(SEQ_NUM) | SEEN(TYPE) | SEEN(COMP_DELAY))
#define NUMBER_TAG(number) WIRE_TAG(number, WIRE_VARINT)
#define LIST_TAG(number) WIRE_TAG(number, WIRE_LENGTH)

_Static_assert(DEP_HAS_P_ADDR == SEEN(P_ADDR) >> 3 && DEP_HAS_SIZE == SEEN(SIZE) >> 3
               && DEP_HAS_FLAGS == SEEN(FLAGS) >> 3
               && DEP_HAS_WEIGHT == SEEN(WEIGHT) >> 6 && DEP_HAS_PC == SEEN(PC) >> 6
               && DEP_HAS_V_ADDR == SEEN(V_ADDR) >> 6 && DEP_HAS_ASID == SEEN(ASID) >> 6,
               "presence bits are the seen bits, moved");

static const char *const type_names[] = {"INVALID", "LOAD", "STORE", "COMP"};

const char *dep_type_name(uint32_t type)
{
    return type_names[type & 3];
}

static bool dep_reader_grow(struct dep_reader *reader, size_t capacity)
{
    if (!list_resize(&reader->rob_dep, capacity, sizeof *reader->rob_dep)
        || !list_resize(&reader->reg_dep, capacity, sizeof *reader->reg_dep))
        return false;
    reader->capacity = capacity;
    return true;
}

struct dep_reader *dep_reader_open_source(const struct stream_source *source, struct fault *error)
{
    struct dep_reader *const reader = calloc(1, sizeof *reader);

    if (reader == NULL || !dep_reader_grow(reader, 256) || !dep_templates_init(&reader->templates)) {
        *error = fault_memory(source->path, NULL);
        goto failed;
    }
    if (FAILS(*error, input_open(&reader->input, source)))
        goto failed;
    if (reader->input.kind != INPUT_DEP_TRACE) {
        *error = fault_at(source->path, reader->input.header_offset, "is a packet trace (such as a fetch trace): its "
                          "header has no window_size; expected a dependency trace; are the two files swapped?");
        goto failed;
    }
    if (WORKS(*error, input_read_header(&reader->input, &reader->header, NULL, NULL)))
        return reader;
failed:
    dep_reader_close(reader);
    return NULL;
}

struct dep_reader *dep_reader_open(const char *path, struct fault *error)
{
    return dep_reader_open_source(&(struct stream_source){.path = path}, error);
}

struct dep_reader *dep_reader_open_memory(const char *name, const void *data, size_t size, struct fault *error)
{
    struct stream_source const source = {.path = name, .data = size > 0 ? data : "", .size = size};

    return dep_reader_open_source(&source, error);
}

void dep_reader_close(struct dep_reader *reader)
{
    if (reader == NULL)
        return;
    input_close(&reader->input);
    free(reader->rob_dep);
    free(reader->reg_dep);
    dep_templates_free(&reader->templates);
    free(reader);
}

const struct dep_header *dep_reader_header(const struct dep_reader *reader)
{
    return &reader->header;
}

struct input *dep_reader_input(struct dep_reader *reader)
{
    return &reader->input;
}

/* --- errors; all of this is cold ---------------------------------------------------------------------------------- */

static enum dep_result malformed(const struct dep_reader *reader, const uint8_t *at, const char *problem,
                                 struct fault *error)
{
    input_malformed(&reader->input, at, problem, error);
    return DEP_ERROR;
}

/* elastic-trace 1.4: load and store flags in 2 and 3, the delay in 8. */
static bool looks_like_2015(const struct dep_record *record, uint32_t seen)
{
    return (seen & SEEN(TYPE)) && (seen & SEEN(P_ADDR)) && (seen & SEEN(REG_DEP)) && record->type <= 1
        && record->p_addr <= 1;
}

static enum dep_result unsound(const struct dep_reader *reader, const struct dep_record *record, uint32_t seen,
                               uint64_t type, struct fault *error)
{
    const char *const name = stream_name(&reader->input.stream);
    uint64_t const offset = reader->input.message_offset, number = reader->input.message_count - 1;
    char problem[300];

    if ((seen & REQUIRED) != REQUIRED) {
        const char *const missing = !(seen & SEEN(SEQ_NUM)) ? "seq_num (1)"
            : !(seen & SEEN(TYPE)) ? "type (2)" : "comp_delay (7)";

        *error = fault_at(name, offset, "record %" PRIu64 " lacks its required field %s; %s", number, missing,
                          looks_like_2015(record, seen) ? "it looks like the format of December 2015, which gem5 "
                          "replaced the same day; capture again with a released gem5" : "expected seq_num, type and "
                          "comp_delay in every record; write the file again with them");
    } else if (type > DEP_COMP) {
        *error = fault_at(name, offset, "record %" PRIu64 " has type %" PRIu64 "; expected 0 INVALID, 1 LOAD, 2 STORE "
                          "or 3 COMP; the file is damaged, or not a dependency trace", number, type);
    } else {
        dep_record_check(record, number == 0, reader->last_seq_num, problem, sizeof problem);
        *error = fault_at(name, offset, "record %" PRIu64 ": %s", number, problem);
    }
    return DEP_ERROR;
}

bool dep_record_check(const struct dep_record *record, bool first, uint64_t last, char *problem, size_t room)
{
    uint64_t const seq_num = record->seq_num;

    if (!first && seq_num <= last) {
        snprintf(problem, room, "seq_num %" PRIu64 " follows %" PRIu64 "; expected sequence numbers that rise; sort "
                 "the records and leave out doubles", seq_num, last);
        return false;
    }
    for (int list = 0; list < 2; list++) {
        const uint64_t *const deps = list == 0 ? record->rob_dep : record->reg_dep;
        uint32_t const count = list == 0 ? record->rob_dep_count : record->reg_dep_count;

        for (uint32_t i = 0; i < count; i++) {
            if (deps[i] < seq_num)
                continue;
            snprintf(problem, room, "%s of seq_num %" PRIu64 " names %" PRIu64 ", %s; expected an earlier number; "
                     "remove that dependence", list == 0 ? "rob_dep" : "reg_dep", seq_num, deps[i],
                     deps[i] == seq_num ? "the record itself" : "a later one");
            return false;
        }
    }
    return true;
}

/* --- decoding ----------------------------------------------------------------------------------------------------- */

/* A packed list; `at` points behind the tag. Each value takes a byte or more, so the arrays have room. */
static const uint8_t *unpack(const uint8_t *at, const uint8_t *end, uint64_t *values, uint32_t *count)
{
    uint64_t length;

    at = wire_varint(at, &length);
    if (at == NULL || at > end || (uint64_t)(end - at) < length)
        return NULL;

    const uint8_t *const list_end = at + length;

    while (at != NULL && at < list_end)
        at = wire_varint(at, &values[(*count)++]);
    return at == list_end ? at : NULL;
}

/* Takes the fields of a record that looks as gem5 writes it and keeps the rules. If it does not, `record` means
 * nothing. */
USUAL_INLINE bool take_usual(struct dep_reader *reader, struct usual usual, enum usual_width width,
                             struct dep_record *record)
{
    uint64_t *rob_dep = reader->rob_dep, *reg_dep = reader->reg_dep;
    uint64_t latest = 0;
    uint32_t present = 0;

#define TAKE_IF(number, target, c_type, presence)                                                                     \
    if (usual_is_at(&usual, number)) {                                                                                \
        record->target = (c_type)usual_number(&usual, width);                                                         \
        present |= (presence);                                                                                        \
    }
#define TAKE_LIST(number, next)                                                                                       \
    while (usual_is_at(&usual, number) && usual_is_in(&usual)) {                                                      \
        uint64_t const parent = usual_number(&usual, width);                                                          \
                                                                                                                      \
        latest = parent > latest ? parent : latest;                                                                   \
        *next++ = parent;                                                                                             \
    }
    /* One by one: as a whole it would be cleared by a slow loop. */
    record->p_addr = record->v_addr = record->pc = record->alike = 0;
    record->size_bytes = record->flags = record->weight = record->asid = 0;
    record->rob_dep = rob_dep;
    record->reg_dep = reg_dep;
    if (!usual_is_at(&usual, SEQ_NUM))
        return false;
    record->seq_num = usual_number(&usual, width);
    if (!usual_is_at(&usual, TYPE))
        return false;
    record->type = usual.message[usual.at + 1];
    usual.at += 2;
    if (usual_is_at(&usual, P_ADDR)) {
        record->p_addr = usual_number(&usual, width);
        present |= DEP_HAS_P_ADDR;
        TAKE_IF(SIZE, size_bytes, uint32_t, DEP_HAS_SIZE)
        TAKE_IF(FLAGS, flags, uint32_t, DEP_HAS_FLAGS)
    }
    TAKE_LIST(ROB_DEP, rob_dep)
    if (!usual_is_at(&usual, COMP_DELAY) || !usual_is_in(&usual))
        return false;
    record->comp_delay = usual_number(&usual, width);
    TAKE_LIST(REG_DEP, reg_dep)
    TAKE_IF(WEIGHT, weight, uint32_t, DEP_HAS_WEIGHT)
    TAKE_IF(PC, pc, uint64_t, DEP_HAS_PC)
    TAKE_IF(V_ADDR, v_addr, uint64_t, DEP_HAS_V_ADDR)
    TAKE_IF(ASID, asid, uint32_t, DEP_HAS_ASID)
#undef TAKE_IF
#undef TAKE_LIST
    record->present = present;
    record->rob_dep_count = (uint32_t)(rob_dep - record->rob_dep);
    record->reg_dep_count = (uint32_t)(reg_dep - record->reg_dep);
    if (!usual_is_whole(&usual) || record->type > DEP_COMP
        || (record->seq_num <= reader->last_seq_num && reader->input.message_count > 0)
        || (latest >= record->seq_num && record->rob_dep_count + record->reg_dep_count > 0))
        return false;
    reader->last_seq_num = record->seq_num;
    return true;
}

static enum dep_result next_of_any_kind(struct dep_reader *reader, struct dep_record *record,
                                        struct fault *error);

/* A message that no template matches. */
static enum dep_result next_usual(struct dep_reader *reader, const uint8_t *message, unsigned length,
                                  struct dep_record *record, struct fault *error)
{
    struct usual usual;
    bool good = false;

    switch (usual_begin(&usual, message, length)) {
    case USUAL_NARROW: good = take_usual(reader, usual, USUAL_NARROW, record); break;
    case USUAL_WIDE: good = take_usual(reader, usual, USUAL_WIDE, record); break;
    case USUAL_TOO_WIDE: break;
    }
    if (!good)
        return next_of_any_kind(reader, record, error);
    input_took_usual(&reader->input, message, length);
    dep_template_learn(&reader->templates, message, length, record);
    return DEP_RECORD;
}

USUAL_INLINE enum dep_result take_template(struct dep_reader *reader, const struct dep_template *template,
                                           const uint8_t *message, unsigned length, bool may_be_wide,
                                           struct dep_record *record, struct fault *error)
{
    if (!dep_template_take(&reader->templates, template, message, may_be_wide, record)
        || record->seq_num <= reader->last_seq_num)
        return next_of_any_kind(reader, record, error);
    reader->last_seq_num = record->seq_num;
    input_took_usual(&reader->input, message, length);
    return DEP_RECORD;
}

/* Not the message that was expected. */
static __attribute__((noinline)) enum dep_result next_other(struct dep_reader *reader, const uint8_t *message,
                                                            unsigned length, struct dep_record *record,
                                                            struct fault *error)
{
    const struct dep_template *const template = dep_template_find(&reader->templates, message - 1);

    return template == NULL ? next_usual(reader, message, length, record, error)
                            : take_template(reader, template, message, length, true, record, error);
}

/* Rare cases are tail calls, so that the rest may stay in registers. */
enum dep_result dep_reader_next(struct dep_reader *reader, struct dep_record *record, struct fault *error)
{
    const uint8_t *message;
    unsigned length;
    const struct dep_template *template;

    if (!input_has_usual(&reader->input, &message, &length))
        return next_of_any_kind(reader, record, error);
    template = dep_template_next(&reader->templates, message - 1);
    return template == NULL ? next_other(reader, message, length, record, error)
                            : take_template(reader, template, message, length, false, record, error);
}

/* The parts of a message that need a check or a count. */
struct any_fields {
    uint32_t rob_count, reg_count, seen;
    uint64_t type;
};

/* Reads the fields of a message in any order; DEP_RECORD or DEP_ERROR. */
static inline enum dep_result read_any_fields(struct dep_reader *reader, const uint8_t *at, const uint8_t *end,
                                              struct dep_record *record, struct any_fields *fields,
                                              struct fault *error)
{
    uint64_t *const rob_dep = reader->rob_dep, *const reg_dep = reader->reg_dep;
    const uint8_t *field_at;
    uint64_t tag, value = 0;

    *record = (struct dep_record){.rob_dep = rob_dep, .reg_dep = reg_dep};
    while (at < end) {
        field_at = at;
        at = wire_tag(at, &tag);
        if (at == NULL || at > end)
            return malformed(reader, field_at, "a field number that does not end where it should", error);
        switch (tag) {
#define NUMBER(number, target, c_type)                                                                                \
    case NUMBER_TAG(number):                                                                                          \
        at = wire_varint(at, &value);                                                                                 \
        target = (c_type)value;                                                                                       \
        fields->seen |= SEEN(number);                                                                                 \
        break;
        NUMBER(SEQ_NUM, record->seq_num, uint64_t)
        NUMBER(TYPE, fields->type, uint32_t)
        NUMBER(P_ADDR, record->p_addr, uint64_t)
        NUMBER(SIZE, record->size_bytes, uint32_t)
        NUMBER(FLAGS, record->flags, uint32_t)
        NUMBER(ROB_DEP, rob_dep[fields->rob_count++], uint64_t)
        NUMBER(COMP_DELAY, record->comp_delay, uint64_t)
        NUMBER(REG_DEP, reg_dep[fields->reg_count++], uint64_t)
        NUMBER(WEIGHT, record->weight, uint32_t)
        NUMBER(PC, record->pc, uint64_t)
        NUMBER(V_ADDR, record->v_addr, uint64_t)
        NUMBER(ASID, record->asid, uint32_t)
#undef NUMBER
        case LIST_TAG(ROB_DEP): at = unpack(at, end, rob_dep, &fields->rob_count); break;
        case LIST_TAG(REG_DEP): at = unpack(at, end, reg_dep, &fields->reg_count); break;
        default: {
            struct wire_field skipped;
            const char *problem;

            at = wire_value(at, end, tag, &skipped, &problem);
            if (at == NULL)
                return malformed(reader, field_at, problem, error);
        }
        }
        if (at == NULL || at > end)
            return malformed(reader, field_at, at == NULL ? "a number or list that does not end where it should"
                                                          : "a number that runs past the end of its message", error);
    }
    return DEP_RECORD;
}

static __attribute__((noinline)) enum dep_result next_of_any_kind(struct dep_reader *reader, struct dep_record *record,
                                                                  struct fault *error)
{
    struct any_fields fields = {0};
    const uint8_t *at;
    uint64_t latest = 0;
    size_t length;

    switch (input_next(&reader->input, &at, &length, error)) {
    case INPUT_MESSAGE: break;
    case INPUT_END: return DEP_END;
    case INPUT_ERROR: return DEP_ERROR;
    }
    if (length > reader->capacity && !dep_reader_grow(reader, length)) {
        *error = fault_memory(stream_name(&reader->input.stream), NULL);
        return DEP_ERROR;
    }
    if (read_any_fields(reader, at, at + length, record, &fields, error) == DEP_ERROR)
        return DEP_ERROR;
    for (uint32_t i = 0; i < fields.rob_count; i++)
        latest = record->rob_dep[i] > latest ? record->rob_dep[i] : latest;
    for (uint32_t i = 0; i < fields.reg_count; i++)
        latest = record->reg_dep[i] > latest ? record->reg_dep[i] : latest;
    record->type = (uint8_t)(fields.type & 3);
    record->present = (fields.seen >> 3 & (DEP_HAS_P_ADDR | DEP_HAS_SIZE | DEP_HAS_FLAGS))
        | (fields.seen >> 6 & (DEP_HAS_WEIGHT | DEP_HAS_PC | DEP_HAS_V_ADDR | DEP_HAS_ASID));
    record->rob_dep_count = fields.rob_count;
    record->reg_dep_count = fields.reg_count;
    if ((fields.seen & REQUIRED) != REQUIRED || fields.type > DEP_COMP
        || (record->seq_num <= reader->last_seq_num && reader->input.message_count > 1)
        || (fields.rob_count + fields.reg_count > 0 && latest >= record->seq_num))
        return unsound(reader, record, fields.seen, fields.type, error);
    reader->last_seq_num = record->seq_num;
    return DEP_RECORD;
}
