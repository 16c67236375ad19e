/* A plain memory trace: lines `ADDRESS R` or `ADDRESS W`, as other memory simulators read them.
 *
 * Use: traffic_trace_read once, then traffic_trace_at. An address is hexadecimal after 0x, otherwise decimal; the word
 * after it begins with R or W, in either case (READ, write). Further words are not looked at. Empty lines and what
 * follows a # are left out. A gzip file is unpacked. Other traces: recorded.h.
 * Units: bytes. Ownership: the records, 8 bytes each, are the trace's; traffic_trace_free returns them. */
#ifndef REPLAY_TRAFFIC_TRACE_H
#define REPLAY_TRAFFIC_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct traffic_place {
    uint64_t offset;                 /* into the range of a pattern; of a trace: the address */
    bool is_write;
};

struct traffic_trace {
    uint64_t *records;               /* address of the line, 1 more for a write */
    size_t count, capacity;
    uint64_t *times_ps;              /* when they are due, since the beginning, or ...; NULL: at no time of their own */
    size_t time_room;
    bool is_after_answers;           /* ... since the end of the request before */
};

/* May an address be asked for? False: `why` is filled with what is wrong, as the end of a sentence. */
struct traffic_address_check {
    bool (*is_sound)(const void *context, uint64_t address, char *why, size_t size);
    const void *context;
};

/* path "-": standard input. line_bytes: a power of two; addresses are rounded down to whole lines. Faults name file and
 * line. */
struct fault traffic_trace_read(struct traffic_trace *trace, const char *path, uint64_t line_bytes,
                                const struct traffic_address_check *check);
void traffic_trace_free(struct traffic_trace *trace);

static inline struct traffic_place traffic_trace_at(const struct traffic_trace *trace, uint64_t number)
{
    uint64_t const record = trace->records[number];

    return (struct traffic_place){record & ~UINT64_C(1), record & 1};
}

#endif
