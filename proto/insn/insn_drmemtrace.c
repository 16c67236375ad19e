/* drmemtrace, DynamoRIO's offline traces (drmemtrace), versions 1 to 7, of 64-bit and 32-bit builds.
 *
 * States: an instruction is being assembled until a record that cannot belong to it (the next instruction, its
 * encoding or branch target, a thread, the end); until then data records add to it. Nothing is read ahead beyond that
 * record.
 * Markers are gathered while an instruction is being assembled and returned after it (drmemtrace_markers.h). A file
 * may hold several threads if it is of a version before 4, or core-sharded (1); their schedule is kept unchanged.
 * Prefetches and flushes are counted and left out. Data before any instruction are accesses without one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "proto/insn/drmemtrace_markers.h"
#include "proto/insn/insn_format.h"

enum { RECORD_64 = 12, RECORD_32 = 8, NEWEST = 7, TYPE_COUNT = 50, BUNDLE_MOST = 8, MOST_MARKERS = 4096,
       PART_RECORDS = 512, PART_LEAST = 16, MOST_ACCESS = 4096, LAST_MARKER = 255 };
/* Record types (drmemtrace 3) and markers (4) used by name here; the rest are in the table below. */
enum { BUNDLE = 17, THREAD = 22, THREAD_EXIT = 23, HEADER = 25, FOOTER = 26, MARKER = 28, ENCODING = 47 };
enum { MARKER_FILE_TYPE = 9, MARKER_VERSION = 12, MARKER_BRANCH_TARGET = 29 };

/* File type bits (drmemtrace 5). */
enum { FILTERED_OLD = 0x1, NO_DATA = 0x4, FILTERED_INSNS = 0x80, FILTERED_DATA = 0x100, HAS_ENCODINGS = 0x200,
       CORE_SHARDED = 0x10000, REGDEPS = 0x20000 };

enum what { UNKNOWN, INSN, NO_FETCH, LOAD, STORE, PREFETCH, FLUSH, OTHER };

/* The types: number, class, kind of the instruction, whether it is taken. All other types are prefetches. */
#define TYPES(T)                                                                                                      \
    T(0, LOAD, OTHER, BRANCH_UNKNOWN) T(1, STORE, OTHER, BRANCH_UNKNOWN)                                              \
    T(10, INSN, OTHER, BRANCH_UNKNOWN) T(11, INSN, DIRECT_JUMP, TAKEN) T(12, INSN, INDIRECT_JUMP, TAKEN)              \
    T(13, INSN, CONDITIONAL, BRANCH_UNKNOWN) T(14, INSN, DIRECT_CALL, TAKEN) T(15, INSN, INDIRECT_CALL, TAKEN)        \
    T(16, INSN, RETURN, TAKEN) T(17, OTHER, OTHER, BRANCH_UNKNOWN) T(18, FLUSH, OTHER, BRANCH_UNKNOWN)                \
    T(19, OTHER, OTHER, BRANCH_UNKNOWN) T(20, FLUSH, OTHER, BRANCH_UNKNOWN) T(21, OTHER, OTHER, BRANCH_UNKNOWN)       \
    T(22, OTHER, OTHER, BRANCH_UNKNOWN) T(23, OTHER, OTHER, BRANCH_UNKNOWN) T(24, OTHER, OTHER, BRANCH_UNKNOWN)       \
    T(25, OTHER, OTHER, BRANCH_UNKNOWN) T(26, OTHER, OTHER, BRANCH_UNKNOWN) T(28, OTHER, OTHER, BRANCH_UNKNOWN)       \
    T(29, NO_FETCH, OTHER, BRANCH_UNKNOWN) T(31, INSN, SYSTEM, BRANCH_UNKNOWN) T(47, OTHER, OTHER, BRANCH_UNKNOWN)    \
    T(48, INSN, CONDITIONAL, TAKEN) T(49, INSN, CONDITIONAL, NOT_TAKEN)

struct type { enum what what; enum isa_kind kind; enum insn_branch branch; };
#define TYPE_ENTRY(number, what, kind, branch) [number] = {what, ISA_##kind, INSN_##branch},
static const struct type types[TYPE_COUNT] = {TYPES(TYPE_ENTRY)};

struct record { unsigned type, size; uint64_t value; const uint8_t *value_bytes; };

struct state {
    size_t record_bytes;
    uint64_t version, file_type, thread, last_pc;
    struct insn insn;                    /* at hand, or only its encoding and target so far */
    bool is_at_hand, has_footer, is_part;
    uint8_t lengths[BUNDLE_MOST];        /* of a bundle's instructions that are still to be given */
    unsigned bundle_at, bundle_count;
    struct drmemtrace_markers markers;
};

static enum what what_of(unsigned type)
{
    if (type >= TYPE_COUNT || type == 30)
        return UNKNOWN;
    return types[type].what == UNKNOWN ? PREFETCH : types[type].what;
}

static struct fault insn_drmemtrace_fail(const struct insn_reader *reader, const char *what, uint64_t found)
{
    return fault_at(reader->bytes.path, trace_bytes_offset(&reader->bytes), "%s (%" PRIu64 "); the file is damaged, or "
                    "of a newer version than %d", what, found, NEWEST);
}

/* ---- records */

static size_t value_bytes(const struct state *state)
{
    return state->record_bytes - 4;
}

static struct record insn_drmemtrace_decode(const struct state *state, const uint8_t *at)
{
    return (struct record){.type = bits_load16(at), .size = bits_load16(at + 2), .value_bytes = at + 4,
                           .value = state->record_bytes == RECORD_64 ? bits_load64(at + 4) : bits_load32(at + 4)};
}

static void consume(struct insn_reader *reader)
{
    const struct state *const state = reader->state;

    reader->bytes.next += state->record_bytes;
    reader->counts.records++;
}

/* The size of records that this begins with; 0: it is no trace. A header, then a marker or a thread (drmemtrace 2). */
static size_t record_bytes_of(struct trace_bytes *bytes)
{
    static const size_t sizes[] = {RECORD_64, RECORD_32};

    if (trace_bytes_look(bytes, 2 * RECORD_64) < 2 * RECORD_32 || bits_load16(bytes->next) != HEADER)
        return 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bool const is_there = (size_t)(bytes->end - bytes->next) >= 2 * sizes[i];
        unsigned const second = is_there ? bits_load16(bytes->next + sizes[i]) : 0;

        if (second == MARKER || second == THREAD)
            return sizes[i];
    }
    return 0;
}

static bool is_canonical(uint64_t address)
{
    return address >> 57 == 0 || address >> 56 == 0xff;
}

/* Whether the record can occur in a trace. Laxer than the reader, which reports the defects. */
static bool is_plausible(const uint8_t *at)
{
    unsigned const type = bits_load16(at), size = bits_load16(at + 2);
    uint64_t const value = bits_load64(at + 4);

    switch (what_of(type)) {
    case UNKNOWN: return false;
    case INSN:
    case NO_FETCH: return size <= INSN_ENCODING_BYTES && value != 0 && is_canonical(value);
    case LOAD:
    case STORE: return size <= MOST_ACCESS && value != 0 && is_canonical(value);
    default: break;
    }
    if (type == MARKER)
        return size <= LAST_MARKER;
    return type != ENCODING || (size > 0 && size <= 8);
}

/* A part of a file: a window that was cut out, a member of a zip file. Instructions, and nothing that cannot be. */
static bool is_part_of_file(struct trace_bytes *bytes, bool *has_encodings)
{
    size_t const there = trace_bytes_look(bytes, PART_RECORDS * RECORD_64) / RECORD_64;
    size_t insns = 0;

    *has_encodings = false;
    if (there < PART_LEAST)
        return false;
    for (size_t i = 0; i < there && i < PART_RECORDS; i++) {
        const uint8_t *const at = bytes->next + i * RECORD_64;

        if (!is_plausible(at))
            return false;
        insns += what_of(bits_load16(at)) == INSN && bits_load16(at + 2) > 0;
        *has_encodings |= bits_load16(at) == ENCODING;
    }
    return insns >= PART_LEAST / 4;
}

static bool insn_drmemtrace_detect(struct trace_bytes *bytes)
{
    bool has_encodings;

    return record_bytes_of(bytes) != 0 || is_part_of_file(bytes, &has_encodings);
}

/* ---- the header */

static void insn_drmemtrace_describe(struct insn_reader *reader)
{
    static const struct { uint64_t bit; const char *name; enum isa isa; } isas[] = {
        {0x8, "AArch64", ISA_A64}, {0x10, "Arm", ISA_A32}, {0x20, "x86-32", ISA_X86_32},
        {0x40, "x86-64", ISA_X86_64}, {REGDEPS, "REGDEPS", ISA_REGDEPS}};
    const struct state *const state = reader->state;
    const char *isa = NULL;

    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++)
        if (state->file_type & isas[i].bit) {
            isa = isas[i].name;
            reader->isa = isas[i].isa;
        }
    reader->may_hold_threads = state->version < 4 || (state->file_type & CORE_SHARDED) != 0;
    snprintf(reader->about, sizeof reader->about, "drmemtrace version %" PRIu64 "%s%s%s", state->version,
             isa ? ", " : "", isa ? isa : "", state->file_type & CORE_SHARDED ? ", core-sharded" : "");
    reader->lacks = 0;
    if (!(state->file_type & HAS_ENCODINGS))
        reader->lacks |= 1u << INSN_LACKS_DEPENDENCES;
    if (state->version < 5)
        reader->lacks |= 1u << INSN_LACKS_OUTCOMES | 1u << INSN_LACKS_TARGETS;
    if (state->file_type & (FILTERED_OLD | FILTERED_INSNS | FILTERED_DATA))
        reader->lacks |= 1u << INSN_LACKS_HITS;
}

static struct fault take_version(struct insn_reader *reader, uint64_t version)
{
    struct state *const state = reader->state;

    if (version == 0 || version > NEWEST)
        return fault_at(reader->bytes.path, trace_bytes_offset(&reader->bytes), "version %" PRIu64
                        " of drmemtrace; expected 1 to %d", version, NEWEST);
    state->version = version;
    insn_drmemtrace_describe(reader);
    return fault_none();
}

static struct fault take_marker(struct insn_reader *reader, const struct record *record)
{
    struct state *const state = reader->state;

    reader->counts.markers++;
    switch (record->size) {
    case MARKER_VERSION: return take_version(reader, record->value);
    case MARKER_FILE_TYPE:
        state->file_type = record->value;
        insn_drmemtrace_describe(reader);
        break;
    case MARKER_BRANCH_TARGET:
        state->insn.has_target = true;
        state->insn.target = record->value;
        break;
    default: return drmemtrace_take_marker(&state->markers, reader, record->size, record->value);
    }
    return fault_none();
}

/* Without the head, which says version and contents. */
static struct fault open_part(struct insn_reader *reader)
{
    struct state *const state = reader->state;
    bool has_encodings;

    if (!is_part_of_file(&reader->bytes, &has_encodings))
        return fault_at(reader->bytes.path, 0, "begins with a record of type %u; expected 25, the header of "
                        "drmemtrace, or instructions", reader->bytes.end - reader->bytes.next >= 2
                        ? bits_load16(reader->bytes.next) : 0u);
    state->record_bytes = RECORD_64;
    state->version = NEWEST;
    state->file_type = has_encodings ? HAS_ENCODINGS : 0;
    state->is_part = true;
    insn_drmemtrace_describe(reader);
    reader->may_hold_threads = true;
    snprintf(reader->about, sizeof reader->about, "drmemtrace, a part without header, taken as version %d", NEWEST);
    return fault_none();
}

static struct fault open_drmemtrace(struct insn_reader *reader)
{
    struct state *const state = calloc(1, sizeof *state);

    if (!state)
        return fault_memory(reader->bytes.path, NULL);
    reader->state = state;
    state->record_bytes = record_bytes_of(&reader->bytes);
    if (state->record_bytes == 0)
        return open_part(reader);
    return take_version(reader, insn_drmemtrace_decode(state, reader->bytes.next).value);
}

static void close_drmemtrace(struct insn_reader *reader)
{
    free(reader->state);
}

/* ---- instructions */

static bool begins_another(const struct record *record)
{
    enum what const what = what_of(record->type);

    if (what == INSN || what == NO_FETCH)
        return true;
    return record->type == ENCODING || record->type == BUNDLE || record->type == THREAD || record->type == FOOTER
        || record->type == HEADER || (record->type == MARKER && record->size == MARKER_BRANCH_TARGET);
}

static struct fault take_encoding(struct insn_reader *reader, const struct record *record)
{
    struct state *const state = reader->state;
    struct insn *const insn = &state->insn;

    if (record->size == 0 || record->size > value_bytes(state)
        || insn->encoding_bytes + record->size > INSN_ENCODING_BYTES)
        return insn_drmemtrace_fail(reader, "an encoding is too long or empty", record->size);
    memcpy(insn->encoding + insn->encoding_bytes, record->value_bytes, record->size);
    insn->encoding_bytes = (uint8_t)(insn->encoding_bytes + record->size);
    reader->counts.encodings++;
    return fault_none();
}

static struct fault insn_drmemtrace_take_insn(struct insn_reader *reader, const struct record *record)
{
    struct state *const state = reader->state;
    struct insn *const insn = &state->insn;
    const struct type *const type = &types[record->type];

    if (insn->encoding_bytes > 0 && insn->encoding_bytes != record->size && record->size > 0
        && !(state->file_type & REGDEPS))
        return insn_drmemtrace_fail(reader, "an encoding is not as long as its instruction", record->size);
    /* One of size 0 only says the pc of the data behind it (7): its fetch hit in the tracer's filter. */
    insn->form = record->size == 0 ? INSN_ACCESS_ONLY : what_of(record->type) == NO_FETCH ? INSN_REPEAT : INSN_EXECUTED;
    insn->kind = type->kind;
    insn->branch = type->branch;
    insn->pc = record->value;
    insn->size_bytes = record->size;
    state->is_at_hand = true;
    return fault_none();
}

static struct fault take_bundle(struct insn_reader *reader, const struct record *record)
{
    struct state *const state = reader->state;

    if (record->size == 0 || record->size > value_bytes(state))
        return insn_drmemtrace_fail(reader, "a bundle of none or too many instructions", record->size);
    memcpy(state->lengths, record->value_bytes, record->size);
    state->bundle_at = 0;
    state->bundle_count = record->size;
    return fault_none();
}

static struct fault take_data(struct insn_reader *reader, const struct record *record)
{
    const struct state *const state = reader->state;
    struct insn_access const access = {.address = record->value, .size_bytes = record->size,
                                       .is_write = what_of(record->type) == STORE};

    reader->counts.unsized += record->size == 0;
    reader->counts.orphans += !state->is_at_hand;
    return insn_add_access(reader, &access);
}

static struct fault insn_drmemtrace_take(struct insn_reader *reader, const struct record *record)
{
    struct state *const state = reader->state;

    switch (what_of(record->type)) {
    case INSN:
    case NO_FETCH: return insn_drmemtrace_take_insn(reader, record);
    case LOAD:
    case STORE: return take_data(reader, record);
    case PREFETCH: reader->counts.prefetches++; return fault_none();
    case FLUSH: reader->counts.flushes++; return fault_none();
    case UNKNOWN: return insn_drmemtrace_fail(reader, "a record of unknown type", record->type);
    case OTHER: break;
    }
    switch (record->type) {
    case MARKER: return take_marker(reader, record);
    case ENCODING: return take_encoding(reader, record);
    case BUNDLE: return take_bundle(reader, record);
    case THREAD: state->thread = record->value; break;
    case THREAD_EXIT: return insn_add_marker(reader, &(struct insn_marker){.kind = INSN_MARKER_THREAD_END});
    case FOOTER: state->has_footer = true; break;
    case HEADER: state->has_footer = false; break;
    default: break;
    }
    return fault_none();
}

static enum insn_step insn_drmemtrace_give(struct insn_reader *reader, struct insn *insn)
{
    struct state *const state = reader->state;

    *insn = state->insn;
    insn->thread = state->thread;
    state->last_pc = insn->pc + insn->size_bytes;
    state->insn = (struct insn){0};
    state->is_at_hand = false;
    insn_give(reader, insn);
    return INSN_RECORD;
}

/* An access before any instruction; bytes and target of one that is still to come stay where they are. */
static enum insn_step give_orphan(struct insn_reader *reader, struct insn *insn)
{
    const struct state *const state = reader->state;

    *insn = (struct insn){.thread = state->thread, .form = INSN_ACCESS_ONLY};
    insn_give(reader, insn);
    return INSN_RECORD;
}

static void unbundle(struct state *state)
{
    state->insn = (struct insn){.pc = state->last_pc, .size_bytes = state->lengths[state->bundle_at++]};
    state->is_at_hand = true;
}

static enum insn_step insn_drmemtrace_end(struct insn_reader *reader, struct insn *insn)
{
    struct state *const state = reader->state;
    size_t const left = (size_t)(reader->bytes.end - reader->bytes.next);

    if (state->is_at_hand && (state->insn.form != INSN_ACCESS_ONLY || reader->access_count > 0))
        return insn_drmemtrace_give(reader, insn);
    state->is_at_hand = false;
    if (insn_has_marker(reader))
        return insn_give_marker(reader, insn, state->thread);
    if (left > 0)
        snprintf(reader->warning, sizeof reader->warning, "is cut: %zu bytes behind the last whole record", left);
    else if (!state->has_footer && !state->is_part)
        snprintf(reader->warning, sizeof reader->warning, "is cut: there is no footer");
    return INSN_END;
}

static enum insn_step insn_drmemtrace_next(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    struct state *const state = reader->state;

    for (;;) {
        enum stream_status status;
        struct record record;

        if (!state->is_at_hand && state->bundle_at < state->bundle_count)
            unbundle(state);
        if (state->is_at_hand && state->bundle_at < state->bundle_count)
            return insn_drmemtrace_give(reader, insn);
        status = trace_bytes_need(&reader->bytes, state->record_bytes, error);
        if (status == STREAM_FAILED)
            return INSN_FAILED;
        if (status == STREAM_SHORT)
            return insn_drmemtrace_end(reader, insn);
        record = insn_drmemtrace_decode(state, reader->bytes.next);
        if (state->is_at_hand && state->insn.form == INSN_ACCESS_ONLY && reader->access_count == 0
            && begins_another(&record)) {
            state->insn = (struct insn){0};
            state->is_at_hand = false;
        }
        if (begins_another(&record) || reader->marker_count - reader->marker_at >= MOST_MARKERS) {
            if (state->is_at_hand)
                return insn_drmemtrace_give(reader, insn);
            if (insn_has_marker(reader))
                return insn_give_marker(reader, insn, state->thread);
        }
        if (FAILS(*error, insn_drmemtrace_take(reader, &record)))
            return INSN_FAILED;
        consume(reader);
        if (!state->is_at_hand && reader->access_count > 0)
            return give_orphan(reader, insn);
    }
}

const struct insn_format insn_drmemtrace = {
    .about = INSN_FORMAT_ABOUT(drmemtrace), .detect = insn_drmemtrace_detect,
    .open = open_drmemtrace, .next = insn_drmemtrace_next, .close = close_drmemtrace};
