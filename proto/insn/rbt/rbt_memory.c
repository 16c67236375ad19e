#include "proto/insn/rbt/rbt_memory.h"

#include "base/bits.h"

/* ---- writing */

bool rbt_memory_put(struct column_packer *packer, const struct insn_memory *memory, struct column *payload)
{
    struct column columns[2] = {{0}};
    uint64_t call = 0, end = 0;
    bool good;

    column_put_byte(payload, memory->has_start);
    if (memory->has_start) {
        column_put_number(payload, memory->start.pc);
        column_put_number(payload, memory->start.lead);
        for (unsigned i = 1; i < INSN_START_REGISTERS; i++)
            column_put_word(payload, memory->start.registers[i]);
    }
    column_put_number(payload, memory->piece_count);
    for (size_t i = 0; i < memory->piece_count; i++) {
        const struct insn_piece *const piece = &memory->pieces[i];

        column_put_byte(&columns[0], piece->kind);
        column_put_number(&columns[0], piece->call - call);
        column_put_number(&columns[0], bits_zigzag(piece->address - end));
        column_put_number(&columns[0], piece->byte_count);
        call = piece->call;
        end = piece->address + piece->byte_count;
    }
    column_put_bytes(&columns[1], memory->bytes, memory->byte_count);
    good = columns_pack(packer, columns, 2, payload);
    column_free(&columns[0]);
    column_free(&columns[1]);
    return good;
}

/* ---- reading */

static bool take_start(struct column_bytes *payload, struct insn_memory *memory)
{
    unsigned const has_start = column_take_byte(payload);

    memory->has_start = has_start == 1;
    if (!memory->has_start)
        return has_start == 0;
    memory->start.pc = column_take_number(payload);
    memory->start.lead = column_take_number(payload);
    for (unsigned i = 1; i < INSN_START_REGISTERS; i++)
        memory->start.registers[i] = column_take_word(payload);
    return !payload->failed && memory->start.lead <= INSN_LEAD_MOST;
}

static bool take_pieces(struct column_bytes pieces, struct column_bytes bytes, uint64_t count,
                        struct insn_memory *memory)
{
    uint64_t call = 0, end = 0;

    for (uint64_t i = 0; i < count && !pieces.failed; i++) {
        unsigned const kind = column_take_byte(&pieces);
        uint64_t const further = column_take_number(&pieces);
        uint64_t const address = end + bits_unzigzag(column_take_number(&pieces));
        uint64_t const byte_count = column_take_number(&pieces);
        const uint8_t *at = NULL;

        if (kind >= INSN_PIECE_KINDS || further > UINT64_MAX - call || byte_count == 0 || byte_count > INSN_PIECE_MOST)
            return false;
        if (kind == INSN_PIECE_BYTES)
            at = column_take_bytes(&bytes, byte_count);
        call += further;
        if (bytes.failed || (call == 0 && !memory->has_start)
            || !insn_memory_add(memory, call, address, (enum insn_piece_kind)kind, at, byte_count))
            return false;
        end = address + byte_count;
    }
    return !pieces.failed && pieces.at == pieces.end && bytes.at == bytes.end;
}

bool rbt_memory_take(struct columns_unpacked *unpacked, struct column_bytes *payload, struct insn_memory *memory)
{
    struct column_bytes columns[2];
    uint64_t count;
    size_t unused;

    if (payload->at == payload->end)
        return true;
    if (!take_start(payload, memory))
        return false;
    count = column_take_number(payload);
    return columns_unpack(unpacked, payload, INSN_MEMORY_MOST, 2, columns, &unused)
        && take_pieces(columns[0], columns[1], count, memory);
}
