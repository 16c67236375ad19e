/* A plain memory trace: lines `ADDRESS R` or `ADDRESS W`, as other memory simulators read them.
 *
 * Use: traffic_trace_read once, then traffic_trace_at. An address is hexadecimal after 0x, otherwise decimal; the word
 * after it begins with R or W, in either case (READ, write). Further words are not looked at. Lines `R 0,0,2,1,77,5`
 * are those of Ramulator 2's read-write traces: the access at these levels of the device, channel first. Empty lines
 * and comments after # are left out. A gzip file is unpacked. Other traces: traffic_recorded_read, below.
 * Units: bytes. Ownership: the records, 8 bytes each, are the trace's; traffic_trace_free returns them. */
#ifndef REPLAY_TRAFFIC_TRAFFIC_TRACE_H
#define REPLAY_TRAFFIC_TRAFFIC_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct traffic_place {
    uint64_t offset;                 /* into the range of a pattern; of a trace: the address */
    bool is_write;
};

struct traffic_trace {
    uint64_t *records;               /* address of the line or access, 1 more for a write */
    size_t count, capacity;
    uint64_t *times_ps;              /* when they are due, since the beginning, or ...; NULL: at no time of their own */
    size_t time_room;
    bool is_after_answers;           /* ... since the end of the request before */
    uint64_t access_bytes;           /* each is of one access of the device; 0: of a line */
    char warning[400];               /* one line about the file; "": none */
};

/* May an address be requested? Which one lies at a vector of levels, how many bytes has an access there? False: `why`
 * is filled with the error, as the end of a sentence. */
enum { TRAFFIC_MOST_LEVELS = 16 };
struct traffic_vector { int32_t entries[TRAFFIC_MOST_LEVELS]; unsigned count; };
struct traffic_address_check {
    bool (*is_sound)(const void *context, uint64_t address, char *why, size_t size);
    bool (*find)(void *context, const struct traffic_vector *vector, uint64_t *address, uint64_t *access_bytes,
                 char *why, size_t size);
    void *context;
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

/* A recorded trace as traffic: the accesses of an instruction trace of any format (proto/insn/insn_trace.h), each a
 * request for each line that it touches, thread after thread. Times are kept if the format has them; times that go back
 * count as the latest before. Instructions between accesses are dropped, unless time_ps gives each of them a time.
 *
 * Use: traffic_recorded_is for a file; traffic_recorded_read in place of traffic_trace_read. Virtual addresses get
 * places as `pages` of the system says, in the order of the trace.
 * Ownership: as traffic_trace_read. Faults name the file. */

struct system_config;

/* Is it one of a format that says more than ADDRESS R or W? */
bool traffic_recorded_is(const char *path);
/* time_ps: of a cycle, 0: the memory's clock, whatever the format's; or where the format has instructions and no times,
 * of an instruction, 0: none has a time. */
struct fault traffic_recorded_read(struct traffic_trace *trace, const char *path, const struct system_config *config,
                                   uint64_t time_ps);

#endif
