/* Fuzz target: any words in the rings of a capture, which the guest may write. Byte 0: architecture in bits 1:0, region
 * in bits 3:2, bit 4: where in the rings it begins, bit 5: a file is written and read again, bit 6: blocks are put as
 * runs, bit 7: with the code of fast/. Then records of nine bytes: 0 to 2 a word of that lane, 3 of the statics; a
 * byte from 4 on has the lane of bits 1:0 read. The output keeps to the limits of its arrays and is readable as a
 * trace. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/capture/assemble.h"
#include "proto/capture/fast/bind_capture.h"
#include "proto/insn/rbt/rbt_writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LANES = 3, RECORD_BYTES = 9, MOST_ACCESSES = 2048, MOST_THREADS = 1 << 12 };

struct target {
    struct code code;
    struct assembler *assembler;
    struct rbt_writer *writer;           /* NULL: none */
    uint32_t threads;
    uint64_t insns, marks;
    uint64_t begin[LANES + 1], filled[LANES + 1];
    bool has_failed;
};

static uint64_t lanes[LANES][CAPTURE_LANE_WORDS], statics[CAPTURE_STATICS_WORDS];

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static uint32_t take_thread(void *of, uint64_t id, struct fault *error)
{
    struct target *const target = of;
    const uint32_t number = target->writer != NULL ? rbt_writer_thread(target->writer, id, error) : target->threads;

    expect(number == target->threads);
    target->threads++;
    return number;
}

static bool take_insn(void *of, uint32_t thread, const struct insn *insn, struct fault *error)
{
    struct target *const target = of;

    expect(thread < target->threads && insn->access_count <= MOST_ACCESSES);
    expect(insn->size_bytes > 0 && insn->size_bytes <= ISA_MAX_BYTES);
    expect(insn->encoding_bytes == 0 || insn->encoding_bytes == insn->size_bytes);
    for (size_t i = 0; i < insn->access_count; i++)
        expect(insn->accesses[i].size_bytes > 0 && insn->accesses[i].size_bytes <= 1 << 16);
    target->insns += insn->form == INSN_EXECUTED;
    return target->writer == NULL || WORKS(*error, rbt_writer_put(target->writer, thread, insn, NULL));
}

static bool take_marker(void *of, uint32_t thread, const struct insn_marker *marker, struct fault *error)
{
    struct target *const target = of;

    expect(thread < target->threads && marker->kind < INSN_MARKER_COUNT);
    target->marks++;
    return target->writer == NULL || WORKS(*error, rbt_writer_mark(target->writer, thread, marker));
}

static uint32_t take_run(void *of, uint32_t thread, unsigned count, unsigned accesses)
{
    struct target *const target = of;

    expect(thread < target->threads);
    return rbt_writer_run(target->writer, thread, count, accesses);
}

static uint32_t join_runs(void *of, const uint32_t *runs, unsigned count)
{
    struct target *const target = of;

    return rbt_writer_join(target->writer, runs, count);
}

static bool give_room(void *of, uint32_t thread, struct rbt_writer_room *room)
{
    struct target *const target = of;

    return rbt_writer_room(target->writer, thread, room);
}

static void take_runs(void *of, uint32_t thread, uint32_t count, uint32_t insns, uint32_t accesses,
                      uint32_t followed, uint64_t to)
{
    struct target *const target = of;

    expect(count > 0 && insns >= count);
    target->insns += insns;
    rbt_writer_put_runs(target->writer, thread, count, insns, accesses, followed, to);
}

static void expect_printable(const struct fault *error)
{
    expect(fault_text(*error)[0] != '\0');
    for (const char *text = fault_text(*error); *text != '\0'; text++)
        expect(*text >= ' ' && *text <= '~');
}

static uint64_t *ring_of(unsigned which)
{
    return which == LANES ? statics : lanes[which];
}

/* As capture.c: statics before the lane; a failure ends it. */
static void read_lane(struct target *target, unsigned lane)
{
    struct fault error = fault_none();
    uint64_t done;

    done = code_read(&target->code, statics, target->begin[LANES], target->filled[LANES], &error);
    expect(done <= target->filled[LANES]);
    target->begin[LANES] += done;
    target->filled[LANES] -= done;
    if (error.kind == FAULT_NONE && lane < LANES) {
        done = assemble_read(target->assembler, lane, lanes[lane], target->begin[lane], target->filled[lane], &error);
        expect(done <= target->filled[lane]);
        target->begin[lane] += done;
        target->filled[lane] -= done;
        (void)assemble_last(target->assembler, lane);
    }
    if (error.kind != FAULT_NONE) {
        expect_printable(&error);
        target->has_failed = true;
    }
}

static void take_records(struct target *target, const uint8_t *data, size_t size)
{
    while (size > 0 && !target->has_failed && target->threads < MOST_THREADS) {
        const unsigned which = data[0] & 3;

        if (data[0] >= 4) {
            read_lane(target, which);
            data++;
            size--;
            continue;
        }
        if (size < RECORD_BYTES)
            return;
        if (target->filled[which] < 1000000) {
            const uint64_t mask = which == LANES ? CAPTURE_STATICS_WORDS - 1 : CAPTURE_LANE_WORDS - 1;

            memcpy(&ring_of(which)[(target->begin[which] + target->filled[which]) & mask], data + 1, 8);
            target->filled[which]++;
        }
        data += RECORD_BYTES;
        size -= RECORD_BYTES;
    }
}

static void close_lanes(struct target *target)
{
    struct fault error = fault_none();

    for (unsigned i = 0; i < LANES && !target->has_failed; i++) {
        read_lane(target, i);
        if (!target->has_failed)
            expect(WORKS(error, assemble_close(target->assembler, i)));
    }
    code_sort_pages(&target->code);
    for (uint64_t i = 1; i < target->code.page_count; i++)
        expect(target->code.pages[i - 1].address < target->code.pages[i].address);
}

static void read_again(const char *path, const struct target *target)
{
    struct fault error = fault_none();
    struct insn_trace *const trace = insn_trace_open_raw(path, &error);
    uint64_t insns = 0, marks = 0;

    expect(trace != NULL && insn_trace_threads(trace) <= target->threads);
    for (size_t i = 0; i < insn_trace_threads(trace); i++) {
        struct insn_cursor *const cursor = insn_cursor_open(trace, i, &error);
        struct insn_event event;
        enum insn_step step;

        expect(cursor != NULL);
        while ((step = insn_cursor_next(cursor, &event, &error)) == INSN_RECORD) {
            insns += !event.is_marker && event.insn.form == INSN_EXECUTED;
            marks += event.is_marker;
        }
        expect(step == INSN_END);
        insn_cursor_close(cursor);
    }
    expect(insns == target->insns && marks == target->marks);
    insn_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum isa isas[] = {ISA_A64, ISA_X86_64, ISA_RV64, ISA_A64};
    static struct isa_decoder *decoders[sizeof isas / sizeof isas[0]];
    static const struct assemble_region regions[] = {
        {.to_count = UINT64_MAX, .at_most = UINT64_MAX}, {.from_count = 2, .to_count = 6, .at_most = 3},
        {.from_pc = true, .to_pc = true, .to_count = UINT64_MAX, .at_most = UINT64_MAX},
        {.to_count = 4, .at_most = UINT64_MAX}
    };
    struct target target = {.has_failed = false};
    struct assemble_sink sink = {.of = &target, .thread = take_thread, .put = take_insn, .mark = take_marker};
    struct fault error = fault_none();
    char path[64];

    if (size == 0)
        return 0;
    if (decoders[data[0] & 3] == NULL)
        decoders[data[0] & 3] = isa_decoder_open(isas[data[0] & 3], &error);
    if (decoders[data[0] & 3] == NULL)
        return 0;
    code_begin(&target.code, decoders[data[0] & 3]);
    target.code.zeroed_bytes = 64;
    target.code.from_pc = 0x1004;
    target.code.to_pc = 0x1008;
    for (unsigned i = 0; i <= LANES; i++)
        target.begin[i] = (data[0] & 16) != 0 ? UINT64_MAX - 3 : 0;
    if ((data[0] & 32) != 0) {
        const struct rbt_description description = {.isa = isas[data[0] & 3], .source = "capture", .command = ""};

        snprintf(path, sizeof path, "/dev/shm/rubato-fuzz-capture.%ld.rbt", (long)getpid());
        target.writer = rbt_writer_create(path, &description, &error);
        expect(target.writer != NULL);
    }
    if (target.writer != NULL && (data[0] & 64) != 0) {
        sink.run = take_run;
        sink.join = join_runs;
        sink.room = give_room;
        sink.put_runs = take_runs;
    }
    target.assembler = assemble_begin(&target.code, &sink, &regions[data[0] >> 2 & 3], &error);
    expect(target.assembler != NULL);
    if ((data[0] & 128) != 0)
        capture_bind_fast(target.assembler);
    take_records(&target, data + 1, size - 1);
    close_lanes(&target);
    if (target.writer != NULL) {
        expect(WORKS(error, rbt_writer_finish(target.writer)));
        read_again(path, &target);
        unlink(path);
    }
    assemble_end(target.assembler);
    code_end(&target.code);
    return 0;
}
