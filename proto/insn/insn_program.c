/* Not read: sections, symbols, dynamic linking. */
#include "proto/insn/insn_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/bits.h"
#include "base/list.h"

enum {
    ELF_HEADER = 64, PROGRAM_HEADER = 56, CLASS_64 = 2, LITTLE_ENDIAN_DATA = 1, TYPE_EXECUTABLE = 2, TYPE_MOVED = 3,
    LOADED = 1, MOST_HEADERS = 256
};
#define MOST_MEMORY (UINT64_C(1) << 34)

/* Where a program at no fixed addresses lies is known of those that a trace keeps. */
static struct fault insn_program_check(const uint8_t *file, uint64_t size, const char *path, unsigned machine,
                                       bool is_kept)
{
    if (size < ELF_HEADER || memcmp(file, "\177ELF", 4) != 0)
        return fault_at(path, 0, "no ELF file; expected the program of the trace");
    if (file[4] != CLASS_64 || file[5] != LITTLE_ENDIAN_DATA)
        return fault_at(path, 4, "ELF class %u, data %u; expected 2 and 1: 64 bits, little-endian", file[4], file[5]);
    if (bits_load16(file + 16) != TYPE_EXECUTABLE && !(is_kept && bits_load16(file + 16) == TYPE_MOVED))
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
    if (loaded > INSN_PROGRAM_MOST)
        return fault_at(path, at, "segments of %" PRIu64 " bytes in all; expected at most 1 GiB", loaded);
    if (program->segment_count == 0)
        return fault_at(path, at, "no segment that is loaded; expected one at least");
    if (program->header_bytes == 0)
        program->headers_at = 0;
    program->header_bytes = PROGRAM_HEADER;
    return fault_none();
}

/* Takes the file's bytes, also on failure. */
static struct insn_program *insn_program_make(uint8_t *file, uint64_t size, const char *path, const char *name,
                                              struct fault *error)
{
    struct insn_program *const program = calloc(1, sizeof *program);

    if (program) {
        program->file = file;
        program->file_bytes = size;
        program->name = strdup(name);
    } else {
        free(file);
    }
    if (program && program->name)
        return program;
    *error = fault_memory(path, "a program");
    insn_program_free(program);
    return NULL;
}

struct insn_program *insn_program_read(const char *path, const char *name, unsigned machine, struct fault *error)
{
    uint64_t size = 0;
    uint8_t *const file = insn_kept_read_file(path, &size, error);
    struct insn_program *const program = file ? insn_program_make(file, size, path, name, error) : NULL;

    if (!program)
        return NULL;
    program->path = strdup(path);
    if (!program->path)
        *error = fault_memory(path, "a program");
    else if (WORKS(*error, insn_program_check(file, size, path, machine, false))
             && WORKS(*error, read_headers(program, size, path)))
        return program;
    insn_program_free(program);
    return NULL;
}

static bool copy_stack(struct insn_program *program, const struct insn_kept *kept)
{
    if (kept->stack_words == 0)
        return true;
    program->stack = malloc((size_t)kept->stack_words * sizeof *program->stack);
    if (!program->stack)
        return false;
    memcpy(program->stack, kept->stack, (size_t)kept->stack_words * sizeof *program->stack);
    program->stack_words = kept->stack_words;
    program->sp = kept->sp;
    return true;
}

static bool move(struct insn_program *program, uint64_t base)
{
    for (size_t i = 0; i < program->segment_count; i++) {
        struct insn_segment *const segment = &program->segments[i];

        segment->address += base;
        if (segment->address > UINT64_MAX - segment->byte_count)
            return false;
    }
    program->entry += base;
    program->headers_at += program->headers_at != 0 ? base : 0;
    return true;
}

/* ---- memory */

struct images { const struct insn_image *list; size_t count; };

/* Adds a piece to the segments, which exist from the start on, or to what a call wrote. */
static bool put_piece(struct insn_program *program, uint64_t call, const struct insn_segment *segment)
{
    if (call == 0) {
        if (!list_fit_next(&program->segments, program->segment_count, sizeof *program->segments))
            return false;
        program->segments[program->segment_count++] = *segment;
        return true;
    }
    if (segment->file_count == 0)
        return true;
    if (!list_fit_next(&program->writes, program->write_count, sizeof *program->writes))
        return false;
    program->writes[program->write_count++] =
        (struct insn_write){call, segment->address, segment->file_count, segment->bytes};
    return true;
}

/* The part of the piece at an address that one image has, or none has: then it is zero. */
static struct insn_segment part_of_images(const struct images *images, uint64_t address, uint64_t most)
{
    for (size_t i = 0; i < images->count; i++) {
        const struct insn_image *const image = &images->list[i];
        uint64_t const at = address - image->address, there = address >= image->address ? image->byte_count : 0;

        if (at < there)
            return (struct insn_segment){address, min_u64(most, there - at), image->bytes + at,
                                         min_u64(most, there - at)};
        if (image->address > address && image->byte_count > 0)
            most = min_u64(most, image->address - address);
    }
    return (struct insn_segment){address, most, NULL, 0};
}

static bool take_pieces(struct insn_program *program, const struct insn_memory *memory, const struct images *images)
{
    for (size_t i = 0; i < memory->piece_count; i++) {
        const struct insn_piece *const piece = &memory->pieces[i];
        struct insn_segment segment = {piece->address, piece->byte_count, NULL, 0};

        if (piece->kind == INSN_PIECE_BYTES)
            segment.bytes = memory->bytes + piece->at, segment.file_count = piece->byte_count;
        for (uint64_t done = 0; done < piece->byte_count; done += segment.byte_count) {
            if (piece->kind == INSN_PIECE_IMAGE)
                segment = part_of_images(images, piece->address + done, piece->byte_count - done);
            if (!put_piece(program, piece->call, &segment))
                return false;
        }
    }
    return true;
}

/* Begins in the middle, with memory and registers as they were there. */
static struct insn_program *program_from_start(const struct insn_kept *kept, const struct images *images,
                                               const char *path, struct fault *error)
{
    struct insn_program *const program = insn_program_make(NULL, 0, path, kept->name, error);

    if (!program)
        return NULL;
    program->start = &kept->memory.start;
    program->entry = kept->memory.start.pc;
    if (take_pieces(program, &kept->memory, images))
        return program;
    *error = fault_memory(path, "a program");
    insn_program_free(program);
    return NULL;
}

struct insn_program *insn_program_of_kept(const struct insn_kept *kept, const struct insn_image *images,
                                          size_t image_count, const char *path, unsigned machine,
                                          struct fault *error)
{
    struct images const of_trace = {images, image_count};
    uint8_t *const file = kept->memory.has_start ? NULL : malloc((size_t)kept->byte_count + 1);
    struct insn_program *program;

    if (kept->memory.has_start)
        return program_from_start(kept, &of_trace, path, error);
    if (!file) {
        *error = fault_memory(path, "a program");
        return NULL;
    }
    memcpy(file, kept->bytes, (size_t)kept->byte_count);
    program = insn_program_make(file, kept->byte_count, path, kept->name, error);
    if (!program)
        return NULL;
    if (WORKS(*error, insn_program_check(file, kept->byte_count, path, machine, true))
        && WORKS(*error, read_headers(program, kept->byte_count, path))) {
        if (!copy_stack(program, kept) || !take_pieces(program, &kept->memory, &of_trace))
            *error = fault_memory(path, "a program");
        else if (move(program, kept->base))
            return program;
        else
            *error = fault_at(path, FAULT_NO_OFFSET, "its program was moved by 0x%" PRIx64 "; expected segments inside "
                              "of memory", kept->base);
    }
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
    free(program->stack);
    free(program->writes);
    free(program);
}
