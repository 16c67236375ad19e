/* The loaded-latency curve of a memory: bandwidth against latency, over rising rates.
 *
 * Use: traffic_curve_begin, then traffic_curve_step until it says that there is no more; each step measures one point.
 * Points: one read at a time; rates of 5 % to 100 % of the peak bandwidth, up to the first one that the memory cannot
 * keep up with; as many requests under way as the memory's queues hold.
 * Units: ticks are picoseconds. Ownership: the config and the trace of the pattern are borrowed. */
#ifndef REPLAY_TRAFFIC_CURVE_H
#define REPLAY_TRAFFIC_CURVE_H

#include "replay/traffic/traffic.h"

#define TRAFFIC_CURVE_POINTS 20

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
    struct traffic_load load;        /* of each point, but for rate and requests under way */
    double peak_bytes_per_s;
    unsigned depth;                  /* requests that fill the memory's queues */
    struct traffic_result *result;   /* of the last step */
    struct traffic_point points[TRAFFIC_CURVE_POINTS];
    unsigned count, next_rate;
};

/* load: pattern, requests and warmup; outstanding limits what the rates have under way. */
struct fault traffic_curve_begin(struct traffic_curve *curve, const struct system_config *config,
                                 const struct traffic_load *load);
/* Measures the next point; *more: there is another one. */
struct fault traffic_curve_step(struct traffic_curve *curve, bool *more);
void traffic_curve_end(struct traffic_curve *curve);

/* The figures of one measurement. */
struct traffic_point traffic_point_of(enum traffic_point_kind kind, const struct traffic_load *load,
                                      const struct traffic_result *result);

#endif
