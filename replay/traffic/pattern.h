/* Traffic patterns: which line is asked for next, and whether it is read or written.
 *
 * Use: fill a struct traffic_pattern, traffic_source_init, then traffic_source_next for each request. The same pattern
 * and seed give the same requests on every machine.
 * Places are offsets into the range, whole lines; traffic_memory_address makes addresses of them. A trace gives
 * addresses instead. Units: bytes. Ownership: a source borrows its trace; otherwise plain values, nothing to free. */
#ifndef REPLAY_TRAFFIC_PATTERN_H
#define REPLAY_TRAFFIC_PATTERN_H

#include <stdint.h>

#include "base/fault.h"
#include "memsys/sim/random.h"
#include "replay/traffic/trace.h"

enum traffic_kind {
    TRAFFIC_RANDOM,                  /* every line of the range is equally likely */
    TRAFFIC_STREAM,                  /* line after line, from the start again at the end */
    TRAFFIC_STRIDE,                  /* each stride_bytes behind the one before; the next pass begins a line later */
    TRAFFIC_TRACE                    /* the requests of `trace`, from its start again at its end */
};

struct traffic_pattern {
    enum traffic_kind kind;
    uint64_t line_bytes;
    uint64_t range_bytes;            /* at least a line; whole lines of it are used */
    uint64_t stride_bytes;           /* whole lines, above 0 and at most the range; TRAFFIC_STRIDE only */
    double read_share;               /* 0 to 1; not for a trace, which says itself what it reads */
    uint64_t seed;
    const struct traffic_trace *trace;
};

struct traffic_source {
    struct traffic_pattern pattern;
    struct random_generator random;
    uint64_t lines;
    uint64_t write_below;            /* a draw below it is a write */
    uint64_t next_offset, pass_offset;
    uint64_t next_record;
};

/* Faults name the option to change. */
struct fault traffic_source_init(struct traffic_source *source, const struct traffic_pattern *pattern);

struct traffic_place traffic_source_next(struct traffic_source *source);

#endif
