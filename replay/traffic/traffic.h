/* Traffic: the memories of a system driven by themselves, and what they did with it.
 *
 * Use: traffic_run once for each measurement; every one begins with cold memories at tick 0.
 * Closed loop (rate 0): `outstanding` requests are under way at any time. Open loop: request i is due at
 * i x line / rate, whatever became of those before; it is sent when it is due, or, if `outstanding` others are under
 * way, as soon as one of them is done. With the times of a trace request i is due at its time, or so long after the
 * end of the one before, which it waits for then. Each memory channel takes requests in their order: one that it
 * refuses holds up those behind it. Reads are under way from being sent until they are answered; writes until they are
 * accepted, like write-backs, as no request waits for their end.
 * A latency goes from the tick at which a read is due (closed loop: sent) to its answer. What a memory that cannot keep
 * up costs is therefore in it, and grows with the length of the run.
 * The first `warmup` requests are left out of all figures. Units: ticks are picoseconds, sizes bytes.
 * Ownership: plain values; the config and the trace of the pattern are borrowed for the call. */
#ifndef REPLAY_TRAFFIC_TRAFFIC_H
#define REPLAY_TRAFFIC_TRAFFIC_H

#include "replay/config/config.h"
#include "memsys/sim/latency_histogram.h"
#include "replay/traffic/pattern.h"

struct traffic_load {
    struct traffic_pattern pattern;
    double rate_bytes_per_s;         /* offered; 0: closed loop */
    bool keeps_times;                /* of the pattern's trace, in place of a rate's, which is only said then */
    uint64_t outstanding;            /* above 0 */
    uint64_t requests;               /* above 0, warm-up included */
    uint64_t warmup;                 /* below requests */
    const struct dram_command_sink *commands;    /* of all DRAM channels; NULL: nobody wants to see them */
};

struct traffic_result {
    double offered_bytes_per_s;      /* 0: closed loop */
    double bytes_per_s;              /* lines done in a second */
    uint64_t time_ps;                /* simulated, of the measured requests ... */
    uint64_t end_ps;                 /* ... which end there */
    uint64_t reads, writes;          /* measured */
    uint64_t held;                   /* of them: met back-pressure, not accepted in the tick in which they were due */
    double held_ps;                  /* mean wait of all measured requests until a memory accepted them */
    uint64_t first_read_ps;          /* latency of the very first read, when nothing else goes on; 0: none */
    struct latency_histogram latency;        /* of reads, ps */
    uint64_t row_hits, bursts;       /* of DRAM, of the whole run */
    uint64_t events;                 /* that were executed */
};

/* True if the memories fell behind what was offered by 2 % or more; less can be the refresh that comes last. */
bool traffic_is_saturated(const struct traffic_result *result);

struct fault traffic_run(const struct system_config *config, const struct traffic_load *load,
                         struct traffic_result *result);

#endif
