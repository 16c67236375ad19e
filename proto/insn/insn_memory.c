#include "proto/insn/insn_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

static bool insn_memory_fits(const struct insn_memory *memory, enum insn_piece_kind kind, uint64_t address,
                             uint64_t byte_count)
{
    uint64_t const had = kind == INSN_PIECE_BYTES ? memory->byte_count
        : kind == INSN_PIECE_IMAGE ? memory->image_bytes : memory->zero_bytes;
    uint64_t const most = kind == INSN_PIECE_BYTES ? INSN_MEMORY_MOST
        : kind == INSN_PIECE_IMAGE ? INSN_IMAGES_MOST : INSN_PIECE_MOST;

    return had <= most && byte_count <= most - had && address <= UINT64_MAX - byte_count;
}

bool insn_memory_add(struct insn_memory *memory, uint64_t call, uint64_t address, enum insn_piece_kind kind,
                     const uint8_t *bytes, uint64_t byte_count)
{
    struct insn_piece *const last = memory->piece_count > 0 ? &memory->pieces[memory->piece_count - 1] : NULL;

    if (byte_count == 0)
        return true;
    if (!insn_memory_fits(memory, kind, address, byte_count))
        return false;
    if (kind == INSN_PIECE_BYTES) {
        if (!list_fit(&memory->bytes, memory->byte_count + byte_count, &memory->byte_room, 1))
            return false;
        memcpy(memory->bytes + memory->byte_count, bytes, byte_count);
    }
    if (last && last->call == call && last->kind == kind && last->address + last->byte_count == address) {
        last->byte_count += byte_count;
    } else {
        if (!list_fit(&memory->pieces, memory->piece_count + 1, &memory->piece_room, sizeof *memory->pieces))
            return false;
        memory->pieces[memory->piece_count++] =
            (struct insn_piece){call, address, byte_count, memory->byte_count, kind};
    }
    memory->byte_count += kind == INSN_PIECE_BYTES ? byte_count : 0;
    memory->image_bytes += kind == INSN_PIECE_IMAGE ? byte_count : 0;
    memory->zero_bytes += kind == INSN_PIECE_ZEROS ? byte_count : 0;
    return true;
}

void insn_memory_free(struct insn_memory *memory)
{
    free(memory->pieces);
    free(memory->bytes);
    *memory = (struct insn_memory){0};
}
