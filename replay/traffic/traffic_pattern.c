/* A draw decides between read and write, for random places another one decides where. A draw is scaled to the number of
 * lines by its remainder: of 2^64 values none is more than lines / 2^64 too frequent. */
#include "replay/traffic/traffic.h"

#include <inttypes.h>

static struct fault traffic_pattern_check(const struct traffic_pattern *pattern)
{
    if (!(pattern->read_share >= 0 && pattern->read_share <= 1))
        return fault_make(FAULT_INPUT, "--read-share is %g; give a number from 0 (all writes) to 1 (all reads)",
                          pattern->read_share);
    if (pattern->range_bytes < pattern->line_bytes)
        return fault_make(FAULT_INPUT, "--range is %" PRIu64 " bytes, less than a line of %" PRIu64 "; give more",
                          pattern->range_bytes, pattern->line_bytes);
    if (pattern->kind == TRAFFIC_STRIDE
        && (pattern->stride_bytes == 0 || pattern->stride_bytes % pattern->line_bytes != 0
            || pattern->stride_bytes > pattern->range_bytes))
        return fault_make(FAULT_INPUT, "--stride is %" PRIu64 " bytes; give a multiple of the line, %" PRIu64
                          ", and at most the range, %" PRIu64, pattern->stride_bytes, pattern->line_bytes,
                          pattern->range_bytes);
    return fault_none();
}

struct fault traffic_source_init(struct traffic_source *source, const struct traffic_pattern *pattern)
{
    double const write_share = 1 - pattern->read_share;

    *source = (struct traffic_source){.pattern = *pattern};
    if (pattern->kind == TRAFFIC_TRACE)
        return fault_none();
    FORWARD(traffic_pattern_check(pattern));
    source->lines = pattern->range_bytes / pattern->line_bytes;
    source->write_below = write_share >= 1 ? UINT64_MAX : (uint64_t)(write_share * 18446744073709551616.0);
    random_init(&source->random, pattern->seed);
    return fault_none();
}

static uint64_t next_stride(struct traffic_source *source)
{
    const struct traffic_pattern *const pattern = &source->pattern;
    uint64_t const end = source->lines * pattern->line_bytes;
    uint64_t const offset = source->next_offset;

    source->next_offset += pattern->stride_bytes;
    if (source->next_offset >= end) {
        source->pass_offset += pattern->line_bytes;
        if (source->pass_offset == pattern->stride_bytes || source->pass_offset == end)
            source->pass_offset = 0;
        source->next_offset = source->pass_offset;
    }
    return offset;
}

static uint64_t next_stream(struct traffic_source *source)
{
    uint64_t const offset = source->next_offset;

    source->next_offset += source->pattern.line_bytes;
    if (source->next_offset == source->lines * source->pattern.line_bytes)
        source->next_offset = 0;
    return offset;
}

static struct traffic_place next_of_trace(struct traffic_source *source)
{
    struct traffic_place const place = traffic_trace_at(source->pattern.trace, source->next_record++);

    if (source->next_record == source->pattern.trace->count)
        source->next_record = 0;
    return place;
}

struct traffic_place traffic_source_next(struct traffic_source *source)
{
    struct traffic_place place;

    if (source->pattern.kind == TRAFFIC_TRACE)
        return next_of_trace(source);
    place.is_write = random_next(&source->random) < source->write_below;
    switch (source->pattern.kind) {
    case TRAFFIC_STREAM: place.offset = next_stream(source); break;
    case TRAFFIC_STRIDE: place.offset = next_stride(source); break;
    default: place.offset = random_next(&source->random) % source->lines * source->pattern.line_bytes;
    }
    return place;
}
