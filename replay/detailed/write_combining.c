#include "replay/detailed/write_combining.h"

enum { LINE_PARTS = 64 };

static uint64_t part_bytes(const struct write_combining *combining)
{
    return combining->line_bytes > LINE_PARTS ? combining->line_bytes / LINE_PARTS : 1;
}

static uint64_t parts_below(uint64_t count)
{
    return count >= LINE_PARTS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

struct combined_line *combining_line(struct write_combining *combining, uint64_t line_address)
{
    struct combined_line *found = combining->lines;

    for (uint64_t i = 0; i < combining->count; i++) {
        struct combined_line *const line = &combining->lines[i];

        if (line->written != 0 && line->address == line_address)
            return line;
        if (found->written != 0 && (line->written == 0 || line->last_use < found->last_use))
            found = line;
    }
    return found;
}

void combining_write(struct write_combining *combining, struct combined_line *line, uint64_t address,
                     uint64_t size_bytes)
{
    uint64_t const offset = address & (combining->line_bytes - 1);
    uint64_t const end = (offset + size_bytes - 1) / part_bytes(combining) + 1;

    line->address = address - offset;
    line->last_use = ++combining->uses;
    line->written |= parts_below(end) & ~parts_below(offset / part_bytes(combining));
}

bool combining_is_full(const struct write_combining *combining, const struct combined_line *line)
{
    return line->written == parts_below(combining->line_bytes / part_bytes(combining));
}

struct combined_span combining_span(const struct write_combining *combining, const struct combined_line *line)
{
    uint64_t first = 0, end = LINE_PARTS;

    while ((line->written >> first & 1) == 0)
        first++;
    while ((line->written >> (end - 1) & 1) == 0)
        end--;
    return (struct combined_span){line->address + first * part_bytes(combining),
                                  (end - first) * part_bytes(combining)};
}
