/* Fuzz target: any bytes as an .rbt, as a whole and salvaged. It may be refused, with a text, but nothing may crash;
 * its output keeps to the documented limits. Hashes hold damage off, so they are set right first: all behind them is
 * tried. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/insn/insn_trace.h"
#include "proto/insn/rbt/rbt_file.h"
#include "tests/support/chunks.h"

/* A few bytes may encode many instructions; more than these only cost time. */
enum { EVENTS_MAX = 200000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void check_text(const struct fault *error)
{
    expect(fault_text(*error)[0] != '\0');
    for (const char *text = fault_text(*error); *text; text++)
        expect(*text >= ' ' && *text <= '~');
}

static void check(const struct insn_cursor *cursor, const struct insn_event *event)
{
    const uint8_t *bytes;
    uint64_t sum = 0;

    if (event->is_marker) {
        expect(event->marker.kind < INSN_MARKER_COUNT && event->marker.arg_count <= INSN_MARKER_ARGS);
        return;
    }
    expect(event->insn.kind < ISA_KIND_COUNT && event->insn.form <= INSN_ACCESS_ONLY);
    expect(event->number < insn_cursor_statics(cursor));
    expect(insn_cursor_bytes(cursor, event->number, &bytes) <= INSN_ENCODING_BYTES);
    for (size_t i = 0; i < event->insn.access_count; i++)
        sum += event->insn.accesses[i].address;
    expect(sum == 0 || event->insn.access_count > 0);
}

static void read_thread(const struct insn_trace *trace, size_t thread)
{
    struct fault error = fault_none();
    struct insn_cursor *const cursor = insn_cursor_open(trace, thread, &error);
    enum insn_step step = INSN_END;
    struct insn_event event;

    expect(cursor != NULL);
    for (size_t i = 0; i < EVENTS_MAX && (step = insn_cursor_next(cursor, &event, &error)) == INSN_RECORD; i++)
        check(cursor, &event);
    if (step == INSN_FAILED)
        check_text(&error);
    insn_cursor_close(cursor);
}

static void try(const char *path, bool salvages)
{
    struct fault error = fault_none();
    struct insn_trace *const trace = salvages ? insn_trace_open_salvaged(path, &error)
        : insn_trace_open_raw(path, &error);

    if (!trace) {
        check_text(&error);
        return;
    }
    for (size_t i = 0; i < insn_trace_threads(trace) && i < 8; i++)
        read_thread(trace, i);
    if (!salvages && insn_trace_kept(trace)) {
        struct insn_trace *const executed = insn_trace_open(path, &error);

        if (!executed)
            check_text(&error);
        insn_trace_close(executed);
    }
    insn_trace_close(trace);
}

static void try_bytes(const uint8_t *bytes, size_t size)
{
    int const file = memfd_create("trace", MFD_CLOEXEC);
    char path[64];

    expect(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (insn_is_rbt(path)) {
        try(path, false);
        try(path, true);
    }
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const bytes = malloc(size + 1);

    expect(bytes != NULL);
    memcpy(bytes, data, size);
    try_bytes(bytes, size);
    chunks_hash_again(bytes, size, &rbt_kind);
    try_bytes(bytes, size);
    free(bytes);
    return 0;
}
