/* Side files of a trace (drmemtrace 9).
 *
 * Page maps: PROGRAM.v2p.textproto beside PROGRAM.trace.*; v2p.textproto in a trace's folder, in aux/ in it or beside
 * it. Code images: PROGRAM.code.xz beside PROGRAM.trace.*: address, length (8 bytes each, little-endian) and bytes,
 * repeated. Programs: PROGRAM.elf.xz beside PROGRAM.trace.* or PROGRAM.rbt, an ELF file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/bits.h"
#include "base/path.h"
#include "proto/insn/insn_source.h"
#include "proto/insn/v2p.h"
#include "proto/io/bytes.h"

enum { PATH_BYTES = 4096, ELF_RISCV = 243 };
#define MOST_IMAGE_BYTES (UINT64_C(1) << 32)

/* ---- code images */

static struct fault read_image(struct insn_trace *trace, struct trace_bytes *bytes)
{
    struct fault fault = fault_none();
    uint64_t const address = bits_load64(bytes->next), count = bits_load64(bytes->next + 8);
    uint64_t end;
    uint8_t *copy;

    if (count == 0 || count > MOST_IMAGE_BYTES || !add_u64(address, count, &end))
        return fault_at(bytes->path, trace_bytes_offset(bytes) + 8, "a code image of %" PRIu64 " bytes at 0x%" PRIx64
                        "; expected 1 to 2^32", count, address);
    bytes->next += 16;
    switch (trace_bytes_need(bytes, (size_t)count, &fault)) {
    case STREAM_OK: break;
    case STREAM_FAILED: return fault;
    case STREAM_SHORT:
        return fault_at(bytes->path, bytes->end_offset, "the file ends; expected a code image of %" PRIu64 " bytes",
                        count);
    }
    copy = malloc((size_t)count);
    if (!copy)
        return fault_memory(bytes->path, "a code image");
    memcpy(copy, bytes->next, (size_t)count);
    bytes->next += count;
    return insn_trace_add_image(trace, address, copy, count);
}

static struct fault read_images(struct insn_trace *trace, const char *path)
{
    struct fault fault = fault_none();
    struct trace_bytes bytes;
    enum stream_status status;
    bool good = true;

    FORWARD(trace_bytes_open(&bytes, path));
    while (good && (status = trace_bytes_need(&bytes, 16, &fault)) == STREAM_OK)
        good = WORKS(fault, read_image(trace, &bytes));
    if (good && status == STREAM_SHORT && bytes.next != bytes.end)
        good = WORKS(fault, fault_at(path, trace_bytes_offset(&bytes), "the file ends; expected an address and a "
                                     "length of 8 bytes each"));
    good = good && status == STREAM_SHORT;
    trace_bytes_close(&bytes);
    return good ? fault_none() : fault;
}

/* ---- where they lie */

static bool side_is_there(const char *path)
{
    return access(path, F_OK) == 0 && !path_is_folder(path);
}

/* The path up to ".trace", ".memtrace" or ".rbt" in its name; 0: it has none. */
static size_t stem_of(const char *path)
{
    const char *const name = path_name(path);
    const char *end = strstr(name, ".memtrace");

    if (!end)
        end = strstr(name, ".trace");
    if (!end)
        end = strstr(name, ".rbt");
    return end ? (size_t)(end - path) : 0;
}

static struct fault read_beside(struct insn_trace *trace, const char *path, size_t stem)
{
    char beside[PATH_BYTES];

    if (snprintf(beside, sizeof beside, "%.*s.v2p.textproto", (int)stem, path) < (int)sizeof beside
        && side_is_there(beside))
        FORWARD(insn_page_map_read(beside, &trace->pages, &trace->page_count));
    return snprintf(beside, sizeof beside, "%.*s.code.xz", (int)stem, path) >= (int)sizeof beside
        || !side_is_there(beside) ? fault_none() : read_images(trace, beside);
}

struct fault insn_trace_read_side_files(struct insn_trace *trace, const char *path)
{
    static const char *const places[] = {"v2p.textproto", "aux/v2p.textproto", "../aux/v2p.textproto",
                                         "trace/v2p.textproto"};
    bool const is_folder = path_is_folder(path);
    size_t const folder = is_folder ? strlen(path) : (size_t)(path_name(path) - path);
    char place[PATH_BYTES];

    if (!is_folder && stem_of(path) > 0)
        FORWARD(read_beside(trace, path, stem_of(path)));
    for (size_t i = 0; trace->page_count == 0 && i < sizeof places / sizeof places[0]; i++) {
        const char *const slash = folder == 0 || path[folder - 1] == '/' ? "" : "/";

        if (snprintf(place, sizeof place, "%.*s%s%s", (int)folder, path, slash, places[i]) < (int)sizeof place
            && side_is_there(place))
            FORWARD(insn_page_map_read(place, &trace->pages, &trace->page_count));
    }
    return fault_none();
}

struct fault insn_trace_read_program(struct insn_trace *trace)
{
    struct fault fault = fault_none();
    const char *const path = trace->path, *const name = path_name(path);
    size_t const stem = path_is_folder(path) ? 0 : stem_of(path);
    char beside[PATH_BYTES], own_name[PATH_BYTES];

    if (trace->isa != ISA_RV64 || stem <= (size_t)(name - path)
        || snprintf(beside, sizeof beside, "%.*s.elf.xz", (int)stem, path) >= (int)sizeof beside
            || !side_is_there(beside)) return fault_none();
    snprintf(own_name, sizeof own_name, "%.*s", (int)(stem - (size_t)(name - path)), name);
    trace->program = insn_program_read(beside, own_name, ELF_RISCV, &fault);
    return trace->program != NULL ? fault_none() : fault;
}
