/* Which lines, or pages, the bytes of an access lie in: for reports and for replays alike.
 *
 * Use: line_span_of; lines are numbered by their addresses divided by line_bytes. An access of 0 bytes touches its
 * first one; one that goes beyond the last address ends there. One of more than 64 KiB, which no replay takes, counts
 * with its first 64 KiB. */
#ifndef BASE_LINE_SPAN_H
#define BASE_LINE_SPAN_H

#include <stdint.h>

#define LINE_SPAN_MOST_BYTES 65536u

struct line_span { uint64_t first, count; };

static inline struct line_span line_span_of(uint64_t address, uint64_t bytes, uint64_t line_bytes)
{
    uint64_t const counted = bytes == 0 ? 1 : bytes < LINE_SPAN_MOST_BYTES ? bytes : LINE_SPAN_MOST_BYTES;
    uint64_t const last = address + counted - 1 < address ? UINT64_MAX : address + counted - 1;

    return (struct line_span){address / line_bytes, last / line_bytes - address / line_bytes + 1};
}

#endif
