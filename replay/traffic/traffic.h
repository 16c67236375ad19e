/* Traffic: the memories of a system driven without cores, and the figures of their response.
 *
 * Use: traffic_run once for each measurement; every one begins with cold memories at tick 0.
 * Closed loop (rate 0): `outstanding` requests are under way at any time. Open loop: request i is due at
 * i x line / rate, independent of those before; it is sent when it is due, or, if `outstanding` others are under way,
 * as soon as one of them is done. With the times of a trace request i is due at its time, or so long after the end of
 * the one before, which it waits for then. Each memory channel takes requests in their order: one that it refuses
 * holds up those behind it. Reads are under way from being sent until they are answered; writes until they are
 * accepted, like write-backs, as no request waits for their end.
 * A latency goes from the tick at which a read is due (closed loop: sent) to its answer. It therefore includes the
 * delay of a memory that cannot keep up, which grows with the length of the run.
 * With details (traffic_detail.h) the run goes on behind its last request until the controllers have issued all writes.
 * The first `warmup` requests are left out of all figures. Units: ticks are picoseconds, sizes bytes.
 * Ownership: plain values; the config and the trace of the pattern are borrowed for the call. */
#ifndef REPLAY_TRAFFIC_TRAFFIC_H
#define REPLAY_TRAFFIC_TRAFFIC_H

#include <stdint.h>

#include "base/fault.h"
#include "memsys/sim/latency_histogram.h"
#include "memsys/sim/sim_random.h"
#include "replay/traffic/traffic_detail.h"
#include "replay/traffic/traffic_trace.h"

/* Traffic patterns: which line is asked for next, and whether it is read or written.
 *
 * Use: fill a struct traffic_pattern, traffic_source_init, then traffic_source_next for each request. The same pattern
 * and seed give the same requests on every machine.
 * Places are offsets into the range, whole lines; traffic_memory_address makes addresses of them. A trace gives
 * addresses instead. Units: bytes. Ownership: a source borrows its trace; otherwise plain values, nothing to free. */

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
    double read_share;               /* 0 to 1; unused for a trace, which has its own reads and writes */
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

struct system_config;

struct traffic_load {
    struct traffic_pattern pattern;
    double rate_bytes_per_s;         /* offered; 0: closed loop */
    bool keeps_times;                /* of the pattern's trace, in place of a rate's, which is only said then */
    uint64_t outstanding;            /* above 0 */
    uint64_t requests;               /* above 0, warm-up included */
    uint64_t warmup;                 /* below requests */
    const struct dram_command_sink *commands;    /* of all DRAM channels; NULL: no observer */
    const struct cmd_sink *device_commands;      /* the same of memories command by command */
    struct traffic_detail *detail;   /* made and filled in, also after a fault; NULL: not wanted */
};

struct traffic_result {
    double offered_bytes_per_s;      /* 0: closed loop */
    double bytes_per_s;              /* lines done in a second */
    uint64_t time_ps;                /* simulated, of the measured requests ... */
    uint64_t end_ps;                 /* ... which end there; with details the writes in the DRAM, too */
    uint64_t reads, writes;          /* measured */
    uint64_t held;                   /* of them: met back-pressure, not accepted in the tick in which they were due */
    double held_ps;                  /* mean wait of all measured requests until a memory accepted them */
    uint64_t first_read_ps;          /* latency of the very first read, without other requests; 0: none */
    struct latency_histogram latency;        /* of reads, ps */
    struct latency_histogram write_latency;  /* of writes: until a memory accepted them */
    uint64_t row_hits, bursts;       /* of DRAM, of the whole run */
    uint64_t events;                 /* that were executed */
};

/* True if the memories held up requests and fell behind the offered rate by 2 % or more; less can be due to the last
 * refresh. */
bool traffic_is_saturated(const struct traffic_result *result);

struct fault traffic_run(const struct system_config *config, const struct traffic_load *load,
                         struct traffic_result *result);

/* The loaded-latency curve of a memory: bandwidth against latency, over rising rates.
 *
 * Use: traffic_curve_begin, then traffic_curve_step until it says that there is no more; each step measures one point.
 * Points: one read at a time; rates of 5 % to 100 % of the peak bandwidth, up to the first one that the memory cannot
 * keep up with; as many requests under way as the memory's queues hold. With knee_steps the rates between the last one
 * that the memory kept up with and the first that it did not are bisected that many times; rates rise.
 * Units: ticks are picoseconds. Ownership: the config and the trace of the pattern are borrowed. */

#define TRAFFIC_CURVE_POINTS 24
#define TRAFFIC_MOST_KNEE_STEPS 6

enum traffic_point_kind { POINT_UNLOADED, POINT_RATE, POINT_FULL };

struct traffic_point {
    enum traffic_point_kind kind;
    uint64_t outstanding, requests;
    double offered_bytes_per_s;      /* 0: closed loop */
    double bytes_per_s;
    double mean_ps;                  /* latency of reads, 0 without any; see replay/traffic/traffic.h */
    uint64_t lowest_ps, p50_ps, p99_ps;
    double held_ps, held_share;
    double row_hit_share;            /* of DRAM bursts */
    bool is_saturated;
};

struct traffic_curve {
    const struct system_config *config;
    struct traffic_load load;        /* of each point, without rate and requests in flight */
    double peak_bytes_per_s;
    unsigned depth;                  /* requests that fill the memory's queues */
    struct traffic_result *result;   /* of the last step */
    struct traffic_point points[TRAFFIC_CURVE_POINTS];
    unsigned count, next_rate;
    unsigned knee_steps;             /* that are left: 0 unless set after traffic_curve_begin */
};

/* load: pattern, requests and warmup; `outstanding` limits the requests in flight at each rate. */
struct fault traffic_curve_begin(struct traffic_curve *curve, const struct system_config *config,
                                 const struct traffic_load *load);
/* Measures the next point; *more: there is another one. */
struct fault traffic_curve_step(struct traffic_curve *curve, bool *more);
void traffic_curve_end(struct traffic_curve *curve);

/* The figures of one measurement. */
struct traffic_point traffic_point_of(enum traffic_point_kind kind, const struct traffic_load *load,
                                      const struct traffic_result *result);

#endif
