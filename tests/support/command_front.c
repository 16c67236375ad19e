/* Front ends without cores: traces at their own times, as fast as they are taken, and the reference's latency and
 * throughput probe (docs/spec/command-dram.md 10). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "memsys/sim/sim_random.h"
#include "tests/support/command_case.h"

struct request {
    uint64_t time, address;
    int32_t vector[CMD_LEVELS];
    bool is_write, has_vector;
};

/* ---- traces */
struct trace_front {
    struct command_front front;
    const char *impl;
    struct request *requests;
    size_t count, room, next, sent;
    uint64_t left;
    int64_t per_cycle, tail;
};

static void trace_free(struct command_front *front)
{
    struct trace_front *const trace = (struct trace_front *)front;

    free(trace->requests);
    free(trace);
}

static json_t *trace_stats(const struct command_front *front)
{
    return json_pack("{s:s}", "impl", ((const struct trace_front *)front)->impl);
}

static bool send_request(struct command_run *run, const struct request *request, int32_t source,
                         void (*done)(struct command_run *, const struct command_entry *, int64_t, int64_t))
{
    struct cmd_access const access = {request->is_write ? CMD_WRITE : CMD_READ, request->address, source, 0,
                                      request->has_vector ? request->vector : NULL};

    return command_run_send(run, access, done, 0);
}

static void timed_done(struct command_run *run, const struct command_entry *entry, int64_t arrive, int64_t depart)
{
    (void)entry;
    (void)arrive;
    (void)depart;
    ((struct trace_front *)run->front)->left--;
}

/* Offers what is due; true: more is due, but not in this cycle (*is_refused: because the memory refused it). */
static bool offer(struct trace_front *trace, struct command_run *run, bool *is_refused)
{
    uint64_t const now = cmd_memory_now(run->memory);

    *is_refused = false;
    for (int64_t taken = 0; trace->next < trace->count && trace->requests[trace->next].time <= now; taken++) {
        if (trace->per_cycle && taken == trace->per_cycle)
            return true;
        *is_refused = !send_request(run, &trace->requests[trace->next], 0, timed_done);
        if (*is_refused)
            return true;
        trace->next++;
    }
    return false;
}

static void timed_run(struct command_front *front, struct command_run *run)
{
    struct trace_front *const trace = (struct trace_front *)front;
    struct fault fault = fault_none();

    while (fault.kind == FAULT_NONE && run->fault.kind == FAULT_NONE) {
        bool is_refused;
        bool const waits = offer(trace, run, &is_refused);
        uint64_t const now = cmd_memory_now(run->memory);
        uint64_t limit = UINT64_MAX;

        if (trace->next == trace->count && trace->left == 0) {
            while (fault.kind == FAULT_NONE && cmd_memory_now(run->memory) < now + (uint64_t)trace->tail)
                fault = cmd_memory_run(run->memory, now + (uint64_t)trace->tail);
            break;
        }
        if (waits && !is_refused)
            limit = now + 1;
        else if (!waits && trace->next < trace->count)
            limit = trace->requests[trace->next].time;
        fault = cmd_memory_run(run->memory, limit);
    }
    if (fault.kind != FAULT_NONE)
        run->fault = fault;
}

static void trace_tick(struct command_front *front, struct command_run *run)
{
    struct trace_front *const trace = (struct trace_front *)front;

    if (send_request(run, &trace->requests[trace->next], -1, NULL)) {
        trace->next = (trace->next + 1) % trace->count;
        trace->sent++;
    }
}

static bool trace_is_finished(const struct command_front *front)
{
    const struct trace_front *const trace = (const struct trace_front *)front;

    return trace->sent >= trace->count;
}

static bool read_line(const char *kind, const char *line, uint64_t *time, struct request *request)
{
    char word[4];
    unsigned long long delta = 0, address;
    int at = 0;

    memset(request, 0, sizeof *request);
    if (strcmp(kind, "timed-trace") == 0) {
        if (sscanf(line, "%llu %1[RW] %llx", &delta, word, &address) != 3)
            return false;
    } else if (strcmp(kind, "LoadStore") == 0) {
        if (sscanf(line, "%2[LDST]%n", word, &at) != 1)
            return false;
        address = strtoull(line + at, NULL, 0);
        word[0] = *word == 'S' ? 'W' : 'R';
    } else {
        char *end;

        address = UINT64_MAX;
        word[0] = *line;
        line++;
        for (unsigned level = 0; level < CMD_LEVELS && (*line == ' ' || *line == ','); level++) {
            request->vector[level] = (int32_t)strtol(line + 1, &end, 10);
            line = end;
        }
        request->has_vector = true;
    }
    *time += delta;
    request->time = *time;
    request->address = address;
    request->is_write = *word == 'W';
    return true;
}

static struct command_front *trace_new(const json_t *description, const char *kind, const char *text)
{
    const json_t *const front_end = json_object_get(description, "front_end");
    bool const is_timed = strcmp(kind, "timed-trace") == 0;
    struct trace_front *const trace = calloc(1, sizeof *trace);
    uint64_t time = 0;

    if (!trace)
        return NULL;
    trace->front = (struct command_front){.tick = trace_tick, .is_finished = trace_is_finished, .run = is_timed
                                          ? timed_run : NULL,
                                          .stats = trace_stats, .free = trace_free, .sources = 1};
    trace->impl = is_timed ? "External" : strcmp(kind, "LoadStore") == 0 ? "LoadStoreTrace" : "ReadWriteTrace";
    trace->per_cycle = command_number(front_end, "per_cycle", 0);
    trace->tail = command_number(front_end, "tail", 0);
    while (text && *text) {
        if (!list_fit(&trace->requests, trace->count + 1, &trace->room, sizeof *trace->requests)
            || !read_line(kind, text, &time, &trace->requests[trace->count])) {
            trace_free(&trace->front);
            return NULL;
        }
        trace->count++;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    trace->left = trace->count;
    return &trace->front;
}

/* ---- latency against throughput (10.4) */
struct latency_front {
    struct command_front front;
    struct random_generator random;
    int64_t clk, nop, at_nop, ratio, samples, warmup, sampling, needed, lines, rows, prefetch, stream_lines, units;
    int64_t positions[CMD_LEVELS], counts[CMD_LEVELS];
    size_t position_count;
    uint64_t index;
    unsigned row_level, column_level;
    bool probe_turn, only, stream_mode, is_warm, probe_flies, is_staggered, has_stream, has_probe, is_tracked;
    struct request stream, probe;
    int64_t sent, completed, probes, probe_latency, streams, stream_latency;
};

/* 13.3 with 64-bit words. */
static uint64_t below(struct random_generator *random, uint64_t count)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)random_next(random) * count;

    if ((uint64_t)product < count) {
        uint64_t const unfair = (0 - count) % count;

        while ((uint64_t)product < unfair)
            product = (wide)random_next(random) * count;
    }
    return (uint64_t)(product >> 64);
}

static void set_address(const struct latency_front *front, struct request *request)
{
    int64_t bank = 0;

    for (size_t i = 0; i < front->position_count; i++)
        bank = bank * front->counts[i] + request->vector[front->positions[i]];
    request->has_vector = true;
    request->address = (uint64_t)((bank * front->rows + request->vector[front->row_level]) * front->lines
                                  + request->vector[front->column_level] / front->prefetch);
}

static void probe_done(struct command_run *run, const struct command_entry *entry, int64_t arrive, int64_t depart)
{
    struct latency_front *const front = (struct latency_front *)run->front;

    (void)entry;
    front->probe_latency += depart - arrive;
    front->probes++;
    front->completed++;
    front->probe_flies = false;
}

static void stream_done(struct command_run *run, const struct command_entry *entry, int64_t arrive, int64_t depart)
{
    struct latency_front *const front = (struct latency_front *)run->front;

    (void)entry;
    front->sampling--;
    front->stream_latency += depart - arrive;
    front->streams++;
    front->completed++;
}

static void make_probe(struct latency_front *front)
{
    memset(&front->probe, 0, sizeof front->probe);
    for (size_t i = 0; i < front->position_count; i++)
        front->probe.vector[front->positions[i]] = (int32_t)below(&front->random, (uint64_t)front->counts[i]);
    front->probe.vector[front->row_level] = (int32_t)below(&front->random, (uint64_t)front->rows);
    front->probe.vector[front->column_level] = (int32_t)(below(&front->random,
                                                               (uint64_t)front->lines) * (uint64_t)front->prefetch);
    set_address(front, &front->probe);
    front->has_probe = true;
}

static void probe(struct latency_front *front, struct command_run *run)
{
    if (!front->is_warm || front->probes >= front->samples) {
        front->probe_turn = false;
        return;
    }
    if (!front->has_probe)
        make_probe(front);
    if (send_request(run, &front->probe, 1, probe_done)) {
        front->probe_flies = true;
        front->probe_turn = front->has_probe = false;
    }
}

static void make_stream(struct latency_front *front)
{
    int64_t const units = front->units, lines = front->stream_lines;
    int64_t bank = (int64_t)(front->index % (uint64_t)units), at = (int64_t)(front->index / (uint64_t)units);

    memset(&front->stream, 0, sizeof front->stream);
    front->stream.is_write = front->ratio < 100 && (int64_t)below(&front->random, 100) >= front->ratio;
    front->is_tracked = front->stream_mode && !front->only && !front->stream.is_write && front->is_warm
        && front->streams + front->sampling < front->samples;
    if (front->is_staggered && lines > 0)
        at += units <= lines ? bank * lines / units : bank / ((units + lines - 1) / lines) % lines;
    front->stream.vector[front->row_level] = (int32_t)(at / lines % front->rows);
    front->stream.vector[front->column_level] = (int32_t)(at % lines * front->prefetch);
    for (size_t i = front->position_count; i-- > 0;) {
        front->stream.vector[front->positions[i]] = (int32_t)(bank % front->counts[i]);
        bank /= front->counts[i];
    }
    set_address(front, &front->stream);
    front->has_stream = true;
}

static void stream(struct latency_front *front, struct command_run *run)
{
    if (!front->has_stream)
        make_stream(front);
    if (!send_request(run, &front->stream, 0, front->is_tracked ? stream_done : NULL))
        return;
    front->sampling += front->is_tracked;
    front->sent++;
    front->index++;
    front->probe_turn |= !front->only && !front->stream_mode;
    front->has_stream = front->is_tracked = false;
}

static void latency_tick(struct command_front *generic, struct command_run *run)
{
    struct latency_front *const front = (struct latency_front *)generic;

    front->clk++;
    if (!front->is_warm && front->clk > front->warmup) {
        front->is_warm = true;
        front->sent = front->completed = front->probes = front->probe_latency = 0;
        front->streams = front->stream_latency = 0;
        cmd_memory_reset_stats(run->memory);
    }
    if (front->only) {
        stream(front, run);
        return;
    }
    if (!front->probe_turn) {
        bool const skips = front->nop > 1 && front->at_nop != 0;

        front->at_nop = (front->at_nop + 1) % front->nop;
        if (skips) {
            front->probe_turn = !front->stream_mode;
            return;
        }
    }
    if (front->stream_mode || !front->probe_turn)
        stream(front, run);
    else if (front->probe_flies)
        front->probe_turn = false;
    else
        probe(front, run);
}

static bool latency_is_finished(const struct command_front *generic)
{
    const struct latency_front *const front = (const struct latency_front *)generic;

    return front->is_warm && (front->only ? front->sent >= front->needed : front->completed >= front->samples);
}

static json_t *average(int64_t sum, int64_t count)
{
    char text[64];

    snprintf(text, sizeof text, "%.6f", count ? (double)((float)sum / (float)count) : 0.0);
    return json_real(strtod(text, NULL));
}

static json_t *latency_stats(const struct command_front *generic)
{
    const struct latency_front *const front = (const struct latency_front *)generic;

    return json_pack("{s:s,s:o,s:o,s:I,s:I,s:I,s:I,s:I}", "impl", "LatencyThroughputTrace",
                     "avg_probe_latency", average(front->probe_latency, front->probes),
                     "avg_stream_latency", average(front->stream_latency, front->streams),
                     "probe_requests_completed", (json_int_t)front->probes,
                     "stream_latency_samples_completed", (json_int_t)front->streams,
                     "streaming_requests_sent", (json_int_t)front->sent,
                     "total_probe_latency", (json_int_t)front->probe_latency,
                     "total_stream_latency", (json_int_t)front->stream_latency);
}

static void latency_free(struct command_front *front)
{
    free(front);
}

struct command_front *command_latency_new(const json_t *front_end)
{
    struct latency_front *const front = calloc(1, sizeof *front);
    const char *const mode = json_string_value(json_object_get(front_end, "latency_measure_mode"));
    const json_t *const positions = json_object_get(front_end, "bank_positions");

    if (!front)
        return NULL;
    front->front = (struct command_front){.tick = latency_tick, .is_finished = latency_is_finished,
                                          .stats = latency_stats,
                                          .free = latency_free, .sources = 2};
    random_init(&front->random, (uint64_t)command_number(front_end, "seed", 12345));
    front->nop = command_number(front_end, "nop_counter", 1);
    front->ratio = command_number(front_end, "read_ratio", 100);
    front->only = command_number(front_end, "streaming_only", 0);
    front->stream_mode = mode && strcmp(mode, "stream-only") == 0;
    front->samples = command_number(front_end, "latency_sample_count", 0);
    if (!front->only && !front->stream_mode && front->samples <= 0)
        front->samples = command_number(front_end, "num_probe_requests", 0);
    front->needed = command_number(front_end, "num_streaming_requests", 0);
    front->warmup = command_number(front_end, "warmup_cycles", 10000);
    front->is_warm = front->warmup <= 0;
    front->lines = command_number(front_end, "num_cls", 1);
    front->rows = command_number(front_end, "num_rows", 1);
    front->prefetch = command_number(front_end, "internal_prefetch_size", 1);
    front->stream_lines = command_number(front_end, "stream_cls", 8);
    front->units = command_number(front_end, "total_bank_units", 1);
    front->is_staggered = command_number(front_end, "stagger_stream_rows", 0);
    front->row_level = (unsigned)command_number(front_end, "row_pos", 0);
    front->column_level = (unsigned)command_number(front_end, "col_pos", 0);
    for (; front->position_count < json_array_size(positions)
         && front->position_count < CMD_LEVELS; front->position_count++) {
        size_t const i = front->position_count;

        front->positions[i] = json_integer_value(json_array_get(positions, i));
        front->counts[i] = json_integer_value(json_array_get(json_object_get(front_end, "bank_counts"), i));
    }
    return &front->front;
}

/* ---- all of them */
struct command_front *command_front_new(const json_t *description, char **texts, size_t count)
{
    const json_t *const front_end = json_object_get(description, "front_end");
    const char *const kind = json_string_value(json_object_get(front_end, "kind"));

    if (!kind)
        return NULL;
    if (strcmp(kind, "SimpleO3") == 0 || strcmp(kind, "BHO3") == 0)
        return command_cores_new(front_end, texts, count);
    if (strcmp(kind, "LatencyThroughput") == 0)
        return command_latency_new(front_end);
    return count > 0 && texts[0] ? trace_new(description, kind, texts[0]) : NULL;
}
