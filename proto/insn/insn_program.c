/* Not read: sections, symbols, dynamic linking. */
#include "proto/insn/insn_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/list.h"
#include "proto/io/bytes.h"

enum {
    ELF_HEADER = 64, PROGRAM_HEADER = 56, CLASS_64 = 2, LITTLE_ENDIAN_DATA = 1, TYPE_EXECUTABLE = 2, LOADED = 1,
    READ_AT_ONCE = 1 << 16, MOST_HEADERS = 256
};
#define MOST_BYTES (UINT64_C(1) << 30)
#define MOST_MEMORY (UINT64_C(1) << 34)

/* The whole file. NULL: error. */
static uint8_t *insn_program_read_file(const char *path, uint64_t *size, struct fault *error)
{
    struct trace_bytes bytes;
    uint8_t *file = NULL;
    bool good = true;

    *size = 0;
    if (FAILS(*error, trace_bytes_open(&bytes, path)))
        return NULL;
    for (bool is_whole = false; good && !is_whole;) {
        enum stream_status const status = trace_bytes_need(&bytes, READ_AT_ONCE, error);
        size_t const count = (size_t)(bytes.end - bytes.next);

        is_whole = status == STREAM_SHORT;
        if (status != STREAM_FAILED && *size + count > MOST_BYTES)
            *error = fault_at(path, *size, "the program is larger than 1 GiB");
        else if (status != STREAM_FAILED && !list_resize(&file, *size + count + 1, 1))
            *error = fault_memory(path, "a program");
        good = error->kind == FAULT_NONE;
        if (good) {
            memcpy(file + *size, bytes.next, count);
            *size += count;
            bytes.next += count;
        }
    }
    trace_bytes_close(&bytes);
    if (!good) {
        free(file);
        return NULL;
    }
    return file;
}

static struct fault insn_program_check(const uint8_t *file, uint64_t size, const char *path, unsigned machine)
{
    if (size < ELF_HEADER || memcmp(file, "\177ELF", 4) != 0)
        return fault_at(path, 0, "no ELF file; expected the program of the trace");
    if (file[4] != CLASS_64 || file[5] != LITTLE_ENDIAN_DATA)
        return fault_at(path, 4, "ELF class %u, data %u; expected 2 and 1: 64 bits, little-endian", file[4], file[5]);
    if (bits_load16(file + 16) != TYPE_EXECUTABLE)
        return fault_at(path, 16, "ELF type %u; expected 2: a program at fixed addresses, linked statically",
                        bits_load16(file + 16));
    if (bits_load16(file + 18) != machine)
        return fault_at(path, 18, "ELF machine %u; expected that of the trace, %u", bits_load16(file + 18), machine);
    if (bits_load16(file + 54) != PROGRAM_HEADER || bits_load16(file + 56) > MOST_HEADERS)
        return fault_at(path, 54, "%u program headers of %u bytes; expected at most %d of %d", bits_load16(file + 56),
                        bits_load16(file + 54), MOST_HEADERS, PROGRAM_HEADER);
    return fault_none();
}

static struct fault read_segment(struct insn_program *program, uint64_t size, uint64_t at, const char *path)
{
    const uint8_t *const header = program->file + at;
    uint64_t const offset = bits_load64(header + 8), address = bits_load64(header + 16);
    uint64_t const file_count = bits_load64(header + 32), byte_count = bits_load64(header + 40);

    if (bits_load32(header) != LOADED || byte_count == 0)
        return fault_none();
    if (offset > size || file_count > size - offset)
        return fault_at(path, at + 8, "a segment of %" PRIu64 " bytes at offset %" PRIu64 "; the file has %" PRIu64,
                        file_count, offset, size);
    if (file_count > byte_count || byte_count > MOST_MEMORY || address > UINT64_MAX - byte_count)
        return fault_at(path, at + 16, "a segment of %" PRIu64 " bytes, %" PRIu64
                        " of them in the file, at 0x%" PRIx64 "; expected at most 2^34, no fewer than in the file, "
                        "inside of memory", byte_count, file_count, address);
    if (offset <= program->headers_at && program->headers_at < offset + file_count && program->header_bytes == 0) {
        program->headers_at += address - offset;
        program->header_bytes = PROGRAM_HEADER;
    }
    program->segments[program->segment_count++] =
        (struct insn_segment){address, byte_count, program->file + offset, file_count};
    return fault_none();
}

static struct fault read_headers(struct insn_program *program, uint64_t size, const char *path)
{
    uint64_t const at = bits_load64(program->file + 32);
    uint64_t loaded = 0;

    program->entry = bits_load64(program->file + 24);
    program->header_count = bits_load16(program->file + 56);
    program->headers_at = at;
    if (at > size || program->header_count * PROGRAM_HEADER > size - at)
        return fault_at(path, 32, "%" PRIu64 " program headers at offset %" PRIu64 "; the file has %" PRIu64 " bytes",
                        program->header_count, at, size);
    program->segments = calloc(program->header_count + 1, sizeof *program->segments);
    if (!program->segments)
        return fault_memory(path, "a program");
    for (uint64_t i = 0; i < program->header_count; i++)
        FORWARD(read_segment(program, size, at + i * PROGRAM_HEADER, path));
    for (uint64_t i = 0; i < program->segment_count; i++)        /* many may name the same bytes */
        loaded += program->segments[i].file_count;
    if (loaded > MOST_BYTES)
        return fault_at(path, at, "segments of %" PRIu64 " bytes in all; expected at most 1 GiB", loaded);
    if (program->segment_count == 0)
        return fault_at(path, at, "no segment that is loaded; expected one at least");
    if (program->header_bytes == 0)
        program->headers_at = 0;
    program->header_bytes = PROGRAM_HEADER;
    return fault_none();
}

struct insn_program *insn_program_read(const char *path, const char *name, unsigned machine, struct fault *error)
{
    struct insn_program *const program = calloc(1, sizeof *program);
    uint64_t size = 0;

    if (program) {
        program->path = strdup(path);
        program->name = program->path ? strdup(name) : NULL;
        program->file = program->name ? insn_program_read_file(path, &size, error) : NULL;
    }
    if (!program || !program->name)
        *error = fault_memory(path, "a program");
    if (program && program->file && WORKS(*error, insn_program_check(program->file, size, path, machine))
        && WORKS(*error, read_headers(program, size, path)))
        return program;
    insn_program_free(program);
    return NULL;
}

void insn_program_free(struct insn_program *program)
{
    if (!program)
        return;
    free(program->path);
    free(program->name);
    free(program->file);
    free(program->segments);
    free(program);
}
