#include "replay/detailed/uops/static_insns.h"

#include "base/arith.h"
#include "base/list.h"

static uint32_t pieces_bytes_of(const struct insn_access *access, uint32_t usual_bytes)
{
    return access->size_bytes ? access->size_bytes : usual_bytes;
}

static bool follows(const struct insn_access *piece, const struct insn_access *access, uint32_t line_bytes,
                    uint32_t usual_bytes)
{
    uint32_t const bytes = pieces_bytes_of(piece, usual_bytes), more = pieces_bytes_of(access, usual_bytes);
    bool const goes_up = access->address == piece->address + bytes && access->address % line_bytes != 0;
    bool const goes_down = access->address + more == piece->address && piece->address % line_bytes != 0;

    return piece->is_write == access->is_write && (goes_up || goes_down) && bytes + more <= line_bytes;
}

bool pieces_absorb(struct insn_access *piece, const struct insn_access *iteration, size_t count, uint32_t line_bytes,
                   uint32_t usual_bytes)
{
    for (size_t i = 0; i < count; i++)
        if (!follows(&piece[i], &iteration[i], line_bytes, usual_bytes))
            return false;
    for (size_t i = 0; i < count; i++) {
        piece[i].size_bytes = pieces_bytes_of(&piece[i], usual_bytes) + pieces_bytes_of(&iteration[i], usual_bytes);
        if (iteration[i].address < piece[i].address)
            piece[i].address = iteration[i].address;
    }
    return true;
}

void pieces_size(struct insn_access *first, const struct insn_access *next, size_t count, uint32_t usual_bytes,
                 uint32_t *bytes, struct insn_access *sized)
{
    if (!*bytes) {
        uint64_t const up = next[0].address - first[0].address, step = min_u64(up, -up);

        *bytes = step > 0 && step < usual_bytes ? (uint32_t)step : usual_bytes;
        for (size_t i = 0; i < count; i++)
            first[i].size_bytes = *bytes;
    }
    for (size_t i = 0; i < count; i++) {
        sized[i] = next[i];
        sized[i].size_bytes = *bytes;
    }
}

static bool fit_pieces(struct pieces *pieces, const struct insn_access *accesses, size_t count, uint32_t line_bytes)
{
    size_t most = 0;

    for (size_t i = 0; i < count; i++)
        most += 2 + accesses[i].size_bytes / line_bytes;
    return list_fit(&pieces->list, most, &pieces->room, sizeof *pieces->list);
}

bool pieces_cut(struct pieces *pieces, const struct insn_access *accesses, size_t count, uint32_t line_bytes)
{
    if (!fit_pieces(pieces, accesses, count, line_bytes))
        return false;
    pieces->count = 0;
    for (size_t i = 0; i < count; i++) {
        bool const is_long = accesses[i].size_bytes > line_bytes;
        struct insn_access rest = accesses[i];
        uint32_t bytes = line_bytes - (uint32_t)(rest.address % line_bytes);

        while (is_long && rest.size_bytes > bytes) {
            pieces->list[pieces->count++] = (struct insn_access){
                .address = rest.address, .size_bytes = bytes, .is_write = rest.is_write};
            rest.address += bytes;
            rest.size_bytes -= bytes;
            bytes = line_bytes;
        }
        pieces->list[pieces->count++] = rest;
    }
    return true;
}
