/* The parent's side of a capture without a host: rings that a test fills by hand, and a sink that records their output
 * as text.
 *
 * Use: rings_open; rings_tell for each block; rings_say for each word of a lane; rings_read, rings_close_lane;
 * rings_text; rings_free. A line for each call of the sink: "pc", in hexadecimal, then ">target" of a taken branch,
 * "-" of one not taken, "Laddress:size" and "Saddress:size" of accesses, "again" of a repeat; or "#marker value". Those
 * of threads other than the first known begin with the thread's id and a colon. */
#ifndef TESTS_SUPPORT_CAPTURE_RINGS_H
#define TESTS_SUPPORT_CAPTURE_RINGS_H

#include <inttypes.h>

#include "proto/capture/assemble.h"
#include "tests/support/unit.h"

enum { RINGS_LANES = 2, RINGS_TEXT_BYTES = 1 << 16, RINGS_THREADS = 16, RINGS_RUN_ROOM = 1024, RINGS_DERIVED = 8 };

struct ring_insn {
    uint64_t pc;
    const char *bytes;                   /* in hexadecimal, as in memory */
    bool is_doubtful;
};

struct rings {
    struct isa_decoder *decoder;
    struct code code;
    struct assembler *assembler;
    uint64_t *statics, *lanes[RINGS_LANES];
    uint64_t derived[RINGS_DERIVED];     /* of the instructions of the next TELL: CAPTURE_DERIVED ... */
    uint64_t statics_at, statics_told, at[RINGS_LANES], said[RINGS_LANES];
    uint64_t ids[RINGS_THREADS];
    uint32_t thread_count;
    uint32_t runs[RINGS_RUN_ROOM], run_count, put_as_runs;
    uint32_t followed;                   /* accesses that follow from others, of runs and of put instructions */
    uint64_t recent[256], given;         /* addresses that were put last, of all threads */
    uint64_t addresses[RINGS_RUN_ROOM];
    char text[RINGS_TEXT_BYTES];
    size_t filled;
};

static inline void rings_print(struct rings *rings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void rings_print(struct rings *rings, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    rings->filled += (size_t)vsnprintf(rings->text + rings->filled, RINGS_TEXT_BYTES - rings->filled, format,
                                       arguments);
    va_end(arguments);
    assert_true(rings->filled < RINGS_TEXT_BYTES);
}

static inline uint32_t rings_thread(void *of, uint64_t id, struct fault *error)
{
    struct rings *const rings = of;

    assert_true(rings->thread_count < RINGS_THREADS);
    rings->ids[rings->thread_count] = id;
    return rings->thread_count++;
}

static inline void rings_print_thread(struct rings *rings, uint32_t thread)
{
    assert_true(thread < rings->thread_count);
    if (thread != 0)
        rings_print(rings, "%" PRIu64 ":", rings->ids[thread]);
}

/* Does it follow as it says? */
static inline void rings_check_source(struct rings *rings, uint64_t pc, const struct insn_access *access)
{
    if (access->back != 0)
        assert_int_equal(rings->recent[(uint8_t)(rings->given - access->back)] + access->by, access->address);
    if (access->is_of_pc)
        assert_int_equal(pc + access->by, access->address);
    rings->followed += insn_access_follows(access);
    rings->recent[(uint8_t)rings->given++] = access->address;
}

static inline struct fault rings_put(void *of, uint32_t thread, const struct insn *insn)
{
    struct rings *const rings = of;

    rings_print_thread(rings, thread);
    rings_print(rings, "%" PRIx64, insn->pc);
    if (insn->branch == INSN_TAKEN && insn->has_target)
        rings_print(rings, " >%" PRIx64, insn->target);
    else if (insn->branch != INSN_BRANCH_UNKNOWN)
        rings_print(rings, insn->branch == INSN_TAKEN ? " >" : " -");
    if (insn->form == INSN_REPEAT)
        rings_print(rings, " again");
    for (size_t i = 0; i < insn->access_count; i++) {
        rings_print(rings, " %c%" PRIx64 ":%" PRIu32, insn->accesses[i].is_write ? 'S' : 'L',
                    insn->accesses[i].address, insn->accesses[i].size_bytes);
        rings_check_source(rings, insn->pc, &insn->accesses[i]);
    }
    rings_print(rings, "\n");
    return fault_none();
}

static inline struct fault rings_mark(void *of, uint32_t thread, const struct insn_marker *marker)
{
    struct rings *const rings = of;

    rings_print_thread(rings, thread);
    rings_print(rings, "#%s %" PRIx64 "\n", insn_marker_name(marker->kind), marker->value);
    return fault_none();
}

/* Runs are only counted. */

static inline uint32_t rings_run(void *of, uint32_t thread, unsigned count, unsigned accesses)
{
    struct rings *const rings = of;

    (void)thread, (void)accesses;
    assert_int_not_equal(count, 0);
    return rings->run_count++;
}

static inline bool rings_room(void *of, uint32_t thread, struct rbt_writer_room *room)
{
    struct rings *const rings = of;

    (void)thread;
    *room = (struct rbt_writer_room){rings->runs, rings->addresses, RINGS_RUN_ROOM, RINGS_RUN_ROOM};
    return true;
}

static inline void rings_put_runs(void *of, uint32_t thread, uint32_t count, uint32_t insns, uint32_t accesses,
                                  uint32_t followed, uint64_t target)
{
    struct rings *const rings = of;

    (void)thread, (void)accesses, (void)target;
    assert_true(count > 0 && insns >= count);
    rings->put_as_runs += count;
    rings->followed += followed;
}

/* region: NULL: all is recorded. has_runs: blocks may be put as runs. NULL: there is no decoder. */
static inline struct rings *rings_open_for(enum isa isa, const struct assemble_region *region, bool has_runs)
{
    static const struct assemble_region all = {.to_count = UINT64_MAX, .at_most = UINT64_MAX};
    struct rings *const rings = calloc(1, sizeof *rings);
    const struct assemble_sink sink = {.of = rings, .thread = rings_thread, .put = rings_put, .mark = rings_mark,
                                       .run = has_runs ? rings_run : NULL, .room = has_runs ? rings_room : NULL,
                                       .put_runs = has_runs ? rings_put_runs : NULL};
    struct fault error = {0};

    assert_non_null(rings);
    rings->decoder = isa_decoder_open(isa, &error);
    if (rings->decoder == NULL) {
        free(rings);
        return NULL;
    }
    code_begin(&rings->code, rings->decoder);
    rings->assembler = assemble_begin(&rings->code, &sink, region != NULL ? region : &all, &error);
    rings->statics = calloc(CAPTURE_STATICS_WORDS, sizeof *rings->statics);
    for (unsigned i = 0; i < RINGS_LANES; i++)
        rings->lanes[i] = calloc(CAPTURE_LANE_WORDS, sizeof *rings->lanes[i]);
    return rings;
}

static inline struct rings *rings_open(enum isa isa, const struct assemble_region *region)
{
    return rings_open_for(isa, region, false);
}

static inline void rings_free(struct rings *rings)
{
    assemble_end(rings->assembler);
    code_end(&rings->code);
    isa_decoder_close(rings->decoder);
    free(rings->statics);
    for (unsigned i = 0; i < RINGS_LANES; i++)
        free(rings->lanes[i]);
    free(rings);
}

static inline void rings_put_static(struct rings *rings, uint64_t word)
{
    rings->statics[rings->statics_told++ & (CAPTURE_STATICS_WORDS - 1)] = word;
}

static inline void rings_tell(struct rings *rings, uint64_t number, const struct ring_insn *insns, size_t count)
{
    struct fault error = fault_none();

    rings_put_static(rings, (uint64_t)CAPTURE_STATIC_BLOCK << CAPTURE_KIND_SHIFT | count);
    rings_put_static(rings, number);
    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(insns[i].bytes) / 2;
        uint8_t bytes[16] = {0};
        uint64_t words[2];

        for (size_t k = 0; k < size; k++) {
            unsigned byte;

            assert_int_equal(sscanf(insns[i].bytes + 2 * k, "%2x", &byte), 1);
            bytes[k] = (uint8_t)byte;
        }
        memcpy(words, bytes, sizeof words);
        rings_put_static(rings, insns[i].pc);
        rings_put_static(rings, size | (insns[i].is_doubtful ? CAPTURE_INSN_DOUBTFUL : 0) |
                         (i < RINGS_DERIVED ? rings->derived[i] : 0));
        rings_put_static(rings, words[0]);
        rings_put_static(rings, words[1]);
    }
    rings->statics_at += code_read(&rings->code, rings->statics, rings->statics_at,
                                   rings->statics_told - rings->statics_at, &error);
    assert_fine(error);
    assert_int_equal(rings->statics_at, rings->statics_told);
}

static inline void rings_say(struct rings *rings, unsigned lane, uint64_t word)
{
    rings->lanes[lane][rings->said[lane]++ & (CAPTURE_LANE_WORDS - 1)] = word;
}

static inline uint64_t said_block(uint64_t number)
{
    return capture_word(CAPTURE_BLOCK, 1, number);
}

static inline uint64_t said_access(enum capture_kind kind, unsigned insn, unsigned size_bytes, uint64_t address)
{
    unsigned shift = 0;

    while (1u << shift < size_bytes)
        shift++;
    return capture_word(kind, insn | shift << CAPTURE_SIZE_SHIFT, address);
}

/* A word with the block and its first access; and that it is this, as the first such word of the block needs. */
static inline uint64_t said_first(uint64_t number, uint64_t address)
{
    return CAPTURE_FIRST | number << CAPTURE_FIRST_SHIFT | address;
}

static inline uint64_t said_first_is(uint64_t number, uint64_t access)
{
    return capture_word(CAPTURE_FIRST_IS, 0, access >> CAPTURE_FIELD_SHIFT << CAPTURE_FIRST_NUMBER_BITS | number);
}

static inline uint64_t said_load(unsigned insn, unsigned size_bytes, uint64_t address)
{
    return said_access(CAPTURE_LOAD, insn, size_bytes, address);
}

static inline uint64_t said_store(unsigned insn, unsigned size_bytes, uint64_t address)
{
    return said_access(CAPTURE_STORE, insn, size_bytes, address);
}

static inline uint64_t said_begun(unsigned insn)
{
    return capture_word(CAPTURE_BEGUN, insn, 0);
}

static inline void rings_start(struct rings *rings, unsigned lane, uint64_t id, uint64_t creator)
{
    rings_say(rings, lane, capture_word(CAPTURE_THREAD_START, 0, id));
    rings_say(rings, lane, creator);
}

/* All that was said, in pieces of `piece` words; it must be taken. */
static inline void rings_read(struct rings *rings, unsigned lane, uint64_t piece)
{
    struct fault error = fault_none();

    while (rings->at[lane] < rings->said[lane]) {
        const uint64_t left = rings->said[lane] - rings->at[lane];
        const uint64_t done = assemble_read(rings->assembler, lane, rings->lanes[lane], rings->at[lane],
                                            left < piece ? left : piece, &error);

        assert_fine(error);
        assert_int_not_equal(done, 0);
        assert_true(done <= left && done <= piece);
        rings->at[lane] += done;
    }
}

/* The host has ended. */
static inline void rings_close_lane(struct rings *rings, unsigned lane)
{
    struct fault error = fault_none();

    rings_read(rings, lane, UINT64_MAX);
    assert_true(WORKS(error, assemble_close(rings->assembler, lane)));
}

static inline const struct capture_counts *rings_counts(const struct rings *rings)
{
    return assemble_counts(rings->assembler);
}

#endif
