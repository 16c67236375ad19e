/* Fuzz target: any bytes as an instruction trace, from a file in memory. Nothing may crash; refusals can be printed,
 * and an instruction keeps to the limits that its readers rely on. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/insn/insn_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void check(const struct insn *insn)
{
    uint64_t sum = 0;

    expect(insn->kind < ISA_KIND_COUNT && insn->encoding_bytes <= INSN_ENCODING_BYTES);
    for (size_t i = 0; i < insn->access_count; i++)
        sum += insn->accesses[i].address;
    expect(sum == 0 || insn->access_count > 0);
}

/* The same bytes as each format in turn, whatever they look like. */
static void read_forced(const char *path)
{
    for (int i = 0; i < INSN_FORMAT_COUNT; i++) {
        struct fault error = fault_none();
        struct insn_reader *const reader = insn_reader_open_as(path, insn_format_abouts[i].name, &error);
        enum insn_step step = INSN_FAILED;
        struct insn insn;

        while (reader && (step = insn_reader_next(reader, &insn, &error)) == INSN_RECORD)
            check(&insn);
        expect(step != INSN_FAILED || fault_text(error)[0] != '\0');
        insn_reader_close(reader);
    }
}

/* The same bytes as a trace: threads, static instructions, markers. */
static void read_threads(const char *path)
{
    struct fault error;
    struct insn_trace *const trace = insn_trace_open_raw(path, &error);

    for (size_t i = 0; trace && i < insn_trace_threads(trace) && i < 4; i++) {
        struct insn_cursor *const cursor = insn_cursor_open(trace, i, &error);
        struct insn_event event;
        const uint8_t *bytes;

        expect(cursor != NULL);
        while (insn_cursor_next(cursor, &event, &error) == INSN_RECORD) {
            if (event.is_marker) {
                expect(event.marker.kind < INSN_MARKER_COUNT && event.marker.arg_count <= INSN_MARKER_ARGS);
                continue;
            }
            check(&event.insn);
            expect(event.number < insn_cursor_statics(cursor));
            expect(insn_cursor_bytes(cursor, event.number, &bytes) <= INSN_ENCODING_BYTES);
        }
        insn_cursor_close(cursor);
    }
    insn_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int const file = memfd_create("trace", MFD_CLOEXEC);
    struct fault error = fault_none();
    struct insn_reader *reader;
    enum insn_step step = INSN_FAILED;
    struct insn insn;
    char path[64];

    expect(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    reader = insn_reader_open(path, &error);
    while (reader && (step = insn_reader_next(reader, &insn, &error)) == INSN_RECORD)
        check(&insn);
    for (const char *text = fault_text(error); step == INSN_FAILED && *text; text++)
        expect(*text >= ' ' && *text <= '~');
    expect(step != INSN_FAILED || fault_text(error)[0] != '\0');
    insn_reader_close(reader);
    read_threads(path);
    read_forced(path);
    close(file);
    return 0;
}
