#include "proto/insn/insn_kept.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "base/list.h"
#include "proto/io/bytes.h"

enum {
    ELF_BYTES = 64, SEGMENT_BYTES = 56, SEGMENT_LOADED = 1, SEGMENT_NOTES = 4, NOTE_BYTES = 12, NOTE_BUILD_ID = 3,
    SECTIONS_AT = 40, SECTION_BYTES_AT = 58, SECTION_FIELDS = 6, READ_AT_ONCE = 1 << 16
};

/* A program header that lies in the file; NULL: no such header. */
static const uint8_t *kept_segment(const uint8_t *file, uint64_t size, unsigned i)
{
    uint64_t const at = bits_load64(file + 32);

    if (i >= bits_load16(file + 56) || bits_load16(file + 54) != SEGMENT_BYTES || at > size
        || (uint64_t)(i + 1) * SEGMENT_BYTES > size - at)
        return NULL;
    return file + at + (uint64_t)i * SEGMENT_BYTES;
}

/* Where a segment's bytes end in the file. */
static uint64_t end_in_file(const uint8_t *segment, uint64_t size)
{
    uint64_t const offset = bits_load64(segment + 8), count = bits_load64(segment + 32);

    return offset > size ? size : count > size - offset ? size : offset + count;
}

static void take_build_id(struct insn_kept *kept, const uint8_t *notes, uint64_t count)
{
    while (count >= NOTE_BYTES) {
        uint64_t const name = bits_load32(notes), what = bits_load32(notes + 4), type = bits_load32(notes + 8);
        uint64_t const what_at = NOTE_BYTES + (name + 3) / 4 * 4, next = what_at + (what + 3) / 4 * 4;

        if (what_at > count || what > count - what_at)
            return;
        if (type == NOTE_BUILD_ID && name == 4 && memcmp(notes + NOTE_BYTES, "GNU", 4) == 0 && what > 0
            && what <= INSN_BUILD_ID_BYTES) {
            memcpy(kept->build_id, notes + what_at, what);
            kept->build_id_bytes = (uint8_t)what;
            return;
        }
        if (next > count)
            return;
        notes += next;
        count -= next;
    }
}

bool insn_kept_take(struct insn_kept *kept, const uint8_t *file, uint64_t size, const char *name, uint64_t base)
{
    uint64_t end = ELF_BYTES;

    if (size < ELF_BYTES || memcmp(file, "\177ELF\2\1", 6) != 0 || !kept_segment(file, size, 0))
        return false;
    *kept = (struct insn_kept){.name = strndup(name, INSN_KEPT_NAME_BYTES), .base = base};
    for (unsigned i = 0; kept_segment(file, size, i); i++) {
        const uint8_t *const segment = kept_segment(file, size, i);
        uint64_t const headers_end = (uint64_t)(segment - file) + SEGMENT_BYTES;

        end = headers_end > end ? headers_end : end;
        if (bits_load32(segment) == SEGMENT_LOADED && end_in_file(segment, size) > end)
            end = end_in_file(segment, size);
        if (bits_load32(segment) == SEGMENT_NOTES && kept->build_id_bytes == 0 && bits_load64(segment + 8) <= size)
            take_build_id(kept, file + bits_load64(segment + 8),
                          end_in_file(segment, size) - bits_load64(segment + 8));
    }
    kept->byte_count = end;
    kept->bytes = malloc((size_t)end);
    if (!kept->name || !kept->bytes) {
        insn_kept_free(kept);
        return false;
    }
    memcpy(kept->bytes, file, (size_t)end);
    memset(kept->bytes + SECTIONS_AT, 0, 8);
    memset(kept->bytes + SECTION_BYTES_AT, 0, SECTION_FIELDS);
    kept->hash = hash64(kept->bytes, (size_t)end);
    return true;
}

uint8_t *insn_kept_read_file(const char *path, uint64_t *size, struct fault *error)
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
        if (status != STREAM_FAILED && *size + count > INSN_PROGRAM_MOST)
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

struct fault insn_kept_read(struct insn_kept *kept, const char *path, const char *name)
{
    struct fault fault = fault_none();
    uint64_t size = 0;
    uint8_t *const file = insn_kept_read_file(path, &size, &fault);

    if (file && !insn_kept_take(kept, file, size, name, 0))
        fault = fault_at(path, 0, "no ELF file of 64 bits, little-endian, with program headers; expected the program "
                         "of the trace");
    free(file);
    return fault;
}

bool insn_kept_is_same(const struct insn_kept *kept, const struct insn_kept *other)
{
    if (kept->build_id_bytes == 0)
        return other->build_id_bytes == 0 && kept->hash == other->hash;
    return kept->build_id_bytes == other->build_id_bytes
        && memcmp(kept->build_id, other->build_id, kept->build_id_bytes) == 0;
}

void insn_kept_id_text(const struct insn_kept *kept, char text[INSN_ID_TEXT_ROOM])
{
    int at = sprintf(text, "build-id ");

    if (kept->build_id_bytes == 0) {
        sprintf(text, "hash %016" PRIx64, kept->hash);
        return;
    }
    for (unsigned i = 0; i < kept->build_id_bytes; i++)
        at += sprintf(text + at, "%02x", kept->build_id[i]);
}

void insn_kept_leave_out(struct insn_kept *kept)
{
    free(kept->bytes);
    kept->bytes = NULL;
    insn_memory_free(&kept->memory);
}

void insn_kept_free(struct insn_kept *kept)
{
    free(kept->name);
    free(kept->bytes);
    free(kept->stack);
    insn_memory_free(&kept->memory);
    *kept = (struct insn_kept){0};
}
