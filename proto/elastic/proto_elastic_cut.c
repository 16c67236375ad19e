/* Two passes over the dependency trace: the first finds the range's times, the second writes. */
#include "proto/elastic/elastic_input.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/list.h"
#include "proto/elastic/capture_clock.h"
#include "proto/elastic/trace_writer.h"

/* Times of the range. */
static struct fault find_times(const struct cut_request *request, const struct stream_source *source,
                               struct cut_result *result)
{
    struct fault fault = fault_none();
    struct dep_reader *const reader = dep_reader_open_source(source, &fault);
    struct capture_clock clock = {0};
    struct dep_record record;
    enum dep_result step = DEP_RECORD;
    uint64_t earliest = UINT64_MAX, latest = 0, index = 0;
    bool good = reader != NULL;

    if (good && !capture_clock_init(&clock, dep_reader_header(reader)))
        good = WORKS(fault, fault_memory(request->dep_in, NULL));
    for (; good && (step = dep_reader_next(reader, &record, &fault)) == DEP_RECORD && index < request->behind;
         index++) {
        uint64_t const executed = capture_clock_execute(&clock, &record);

        if (index >= request->first) {
            earliest = earliest < executed ? earliest : executed;
            latest = max_u64(latest, executed);
        }
    }
    good = good && (step != DEP_ERROR || index == request->behind);    /* records behind the range may be damaged */
    if (good && index <= request->first)
        good = WORKS(fault, fault_at(request->dep_in, FAULT_NO_OFFSET, "holds %" PRIu64 " records; expected the range "
                                     "to begin before that, not at %" PRIu64, index, request->first));
    if (good) {
        result->tick_freq = dep_reader_header(reader)->tick_freq;
        result->window_size = dep_reader_header(reader)->window_size;
        result->dep_truncated = step == DEP_END && dep_reader_input(reader)->truncated;
        result->start_ticks = request->first == 0 ? 0 : earliest;
        result->end_ticks = step == DEP_END && !result->dep_truncated ? UINT64_MAX : latest;
    }
    capture_clock_free(&clock);
    dep_reader_close(reader);
    return good ? fault_none() : fault;
}

static uint32_t keep_from(const uint64_t *deps, uint32_t count, uint64_t lowest, uint64_t *kept)
{
    uint32_t kept_count = 0;

    for (uint32_t i = 0; i < count; i++)
        if (deps[i] >= lowest)
            kept[kept_count++] = deps[i];
    return kept_count;
}

struct kept_deps {
    uint64_t *values;                /* of both lists */
    size_t capacity;
};

/* Drops the dependences on records before the cut and adjusts comp_delay so that the record still executes at
 * `executed`. */
static bool drop_dependences(const struct capture_clock *clock, struct dep_record *record, uint64_t lowest,
                             uint64_t start,
                             uint64_t executed, struct kept_deps *kept)
{
    size_t const count = (size_t)record->rob_dep_count + record->reg_dep_count;
    uint64_t released;

    if (!list_fit(&kept->values, count, &kept->capacity, sizeof *kept->values))
        return false;
    if (!capture_clock_released(clock, record, lowest, &released))
        released = start;

    uint64_t *const reg_dep = kept->values + record->rob_dep_count;

    record->rob_dep_count = keep_from(record->rob_dep, record->rob_dep_count, lowest, kept->values);
    record->reg_dep_count = keep_from(record->reg_dep, record->reg_dep_count, lowest, reg_dep);
    record->rob_dep = kept->values;
    record->reg_dep = reg_dep;
    record->comp_delay = executed > released ? executed - released : 0;
    return true;
}

static bool reaches_below(const struct dep_record *record, uint64_t lowest)
{
    for (uint32_t i = 0; i < record->rob_dep_count; i++)
        if (record->rob_dep[i] < lowest)
            return true;
    for (uint32_t i = 0; i < record->reg_dep_count; i++)
        if (record->reg_dep[i] < lowest)
            return true;
    return false;
}

static struct fault write_records(const struct cut_request *request, struct cut_result *result,
                                  struct dep_reader *reader, struct trace_writer *writer)
{
    struct fault fault = fault_none();
    struct capture_clock clock = {0};
    struct dep_record record;
    struct kept_deps kept = {0};
    enum dep_result step = DEP_RECORD;
    uint64_t lowest = 0;
    bool good
        = capture_clock_init(&clock, dep_reader_header(reader)) || WORKS(fault, fault_memory(request->dep_in, NULL));

    for (uint64_t i = 0; good && i < request->behind; i++) {
        if ((step = dep_reader_next(reader, &record, &fault)) != DEP_RECORD)
            break;

        uint64_t const executed = capture_clock_execute(&clock, &record);

        if (i < request->first)
            continue;
        if (i == request->first && i > 0)
            lowest = record.seq_num;
        if (reaches_below(&record, lowest)) {
            result->changed++;
            if (!drop_dependences(&clock, &record, lowest, result->start_ticks, executed, &kept))
                good = WORKS(fault, fault_memory(request->dep_in, NULL));
        }
        good = good && WORKS(fault, dep_writer_put(writer, &record));
        result->records++;
    }
    free(kept.values);
    capture_clock_free(&clock);
    return good && step != DEP_ERROR ? fault_none() : fault;
}

/* Writes the last fetch before the range, then those of the range; without any of these, the next one. */
static struct fault write_fetches(const struct cut_request *request, struct cut_result *result,
                                  struct packet_reader *reader, struct trace_writer *writer)
{
    struct fault fault = fault_none();
    struct packet_record record, before = {0};
    enum packet_result step;
    bool has_before = false;

    while ((step = packet_reader_next(reader, &record, &fault)) == PACKET_RECORD) {
        if (record.tick < result->start_ticks) {
            before = record;
            has_before = true;
            continue;
        }
        if (has_before) {
            before.tick = 0;
            has_before = false;
            FORWARD(packet_writer_put(writer, &before));
            result->fetches++;
        }
        if (record.tick > result->end_ticks && result->fetches > 0)
            break;
        record.tick -= result->start_ticks;
        FORWARD(packet_writer_put(writer, &record));
        result->fetches++;
    }
    if (step == PACKET_ERROR)
        return fault;
    result->fetch_truncated = step == PACKET_END && packet_reader_input(reader)->truncated;
    if (has_before) {
        before.tick = 0;
        result->fetches++;
        return packet_writer_put(writer, &before);
    }
    return result->fetches > 0 ? fault_none() : fault_at(request->fetch_in, FAULT_NO_OFFSET,
                                                         "holds no records; expected at least one fetch; capture "
                                                         "again");
}

struct fault cut_traces(const struct cut_request *request, struct cut_result *result)
{
    struct fault fault = fault_none();
    struct dep_reader *dep = NULL;
    struct packet_reader *fetch = NULL;
    struct trace_writer *dep_writer = NULL, *fetch_writer = NULL;
    struct stream_source const dep_source = {.path = request->dep_in, .salvage = request->salvage};
    struct stream_source const fetch_source = {.path = request->fetch_in, .salvage = request->salvage};

    *result = (struct cut_result){0};
    (void)(WORKS(fault, find_times(request, &dep_source, result))
           && (dep = dep_reader_open_source(&dep_source, &fault)) != NULL
           && (fetch = packet_reader_open_source(&fetch_source, &fault)) != NULL
           && (dep_writer = dep_writer_open(request->dep_out, dep_reader_header(dep), &fault)) != NULL
           && (fetch_writer = packet_writer_open(request->fetch_out, packet_reader_header(fetch), &fault)) != NULL
           && WORKS(fault, write_records(request, result, dep, dep_writer))
           && WORKS(fault, write_fetches(request, result, fetch, fetch_writer)));
    fault = trace_writer_close_pair(dep_writer, fetch_writer, request->dep_out, fault);
    dep_reader_close(dep);
    packet_reader_close(fetch);
    return fault;
}
