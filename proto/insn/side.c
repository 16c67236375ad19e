/* Side files of a trace (drmemtrace 9).
 *
 * Page maps: PROGRAM.v2p.textproto beside PROGRAM.trace.*; v2p.textproto in a trace's folder, in aux/ in it or beside
 * it. Code images: PROGRAM.code.xz beside PROGRAM.trace.*: address, length (8 bytes each, little-endian) and bytes,
 * repeated. Programs: PROGRAM.elf.xz beside PROGRAM.trace.* or PROGRAM.rbt, an ELF file; of an .rbt that says which
 * program it is of (proto/insn/insn_kept.h), also PROGRAM.elf and the program by its own name. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Something by another file's name, which may be anything, is looked at only if it is a file. */
static bool side_is_file(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
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

/* ---- the program */

/* Of a trace that says nothing of its program, which is PROGRAM.elf.xz then. */
static struct fault read_named(struct insn_trace *trace, const char *beside, const char *own_name)
{
    struct fault fault = fault_none();
    struct insn_program *const program = insn_program_read(beside, own_name, ELF_RISCV, &fault);

    if (!program)
        return trace->decodes ? fault : fault_none();
    if (!insn_kept_take(&trace->kept, program->file, program->file_bytes, own_name, 0))
        fault = fault_memory(beside, "a program");
    trace->kept.is_beside = true;
    if (trace->decodes && fault.kind == FAULT_NONE)
        trace->program = program;
    else
        insn_program_free(program);
    return fault;
}

/* Of a trace that says which program it is of. is_meant: by its name the file is this trace's, so that another program
 * is an error. *found: the bytes are the trace's now. */
static struct fault read_same(struct insn_trace *trace, const char *beside, bool is_meant, bool *found)
{
    struct insn_kept other = {0};
    char own_id[INSN_ID_TEXT_ROOM], other_id[INSN_ID_TEXT_ROOM];
    struct fault fault = insn_kept_read(&other, beside, trace->kept.name);

    if (fault.kind == FAULT_NONE && insn_kept_is_same(&trace->kept, &other)) {
        *found = true;
        trace->kept.byte_count = other.byte_count;
        trace->kept.bytes = other.bytes;
        trace->kept.is_beside = true;
        other.bytes = NULL;
    } else if (fault.kind == FAULT_NONE) {
        insn_kept_id_text(&trace->kept, own_id);
        insn_kept_id_text(&other, other_id);
        fault = fault_at(beside, FAULT_NO_OFFSET, "a program with %s; expected the one that %.200s is of, with %s; put "
                         "that one there, or rename this file", other_id, path_name(trace->path), own_id);
    }
    insn_kept_free(&other);
    return is_meant || fault.kind == FAULT_MEMORY ? fault : fault_none();
}

/* beside: where the bytes were found; "" before. */
static struct fault find_same(struct insn_trace *trace, size_t folder, size_t stem, char beside[PATH_BYTES])
{
    struct { const char *ending; size_t before; } const places[] = {
        {".elf.xz", stem}, {".elf", stem}, {trace->kept.name, folder}};
    bool found = false;

    for (size_t i = 0; i < sizeof places / sizeof places[0] && !found; i++) {
        bool const is_meant = i < 2;
        char place[PATH_BYTES];

        if ((is_meant && stem <= folder) || strchr(places[i].ending, '/')
            || snprintf(place, sizeof place, "%.*s%s", (int)places[i].before, trace->path, places[i].ending)
               >= (int)sizeof place || !side_is_file(place))
            continue;
        FORWARD(read_same(trace, place, is_meant, &found));
        if (found)
            snprintf(beside, PATH_BYTES, "%s", place);
    }
    return fault_none();
}

/* To be executed. */
static struct fault make_program(struct insn_trace *trace, const char *beside)
{
    struct fault fault = fault_none();

    trace->program = insn_program_of_kept(&trace->kept, trace->images, trace->image_count, trace->path, ELF_RISCV,
                                          &fault);
    if (!trace->program)
        return fault.kind == FAULT_MEMORY ? fault
            : fault_at(trace->path, trace->kept.offset, "the program that it keeps cannot be executed: %.300s; capture "
                       "it again, or give it --no-program", fault_text(fault));
    if (!*beside)
        return fault_none();
    trace->program->path = strdup(beside);
    return trace->program->path ? fault_none() : fault_memory(beside, "a program");
}

struct fault insn_trace_read_program(struct insn_trace *trace)
{
    const char *const path = trace->path, *const name = path_name(path);
    size_t const stem = path_is_folder(path) ? 0 : stem_of(path), folder = (size_t)(name - path);
    char beside[PATH_BYTES], own_name[PATH_BYTES];

    if (trace->isa != ISA_RV64)
        return fault_none();
    if (!trace->kept.name) {
        if (stem <= folder || snprintf(beside, sizeof beside, "%.*s.elf.xz", (int)stem, path) >= (int)sizeof beside
            || !side_is_there(beside))
            return fault_none();
        snprintf(own_name, sizeof own_name, "%.*s", (int)(stem - folder), name);
        return read_named(trace, beside, own_name);
    }
    beside[0] = '\0';
    if (!insn_kept_can_run(&trace->kept))
        FORWARD(find_same(trace, folder, stem, beside));
    return trace->decodes && insn_kept_can_run(&trace->kept) ? make_program(trace, beside) : fault_none();
}
