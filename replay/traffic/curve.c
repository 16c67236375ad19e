/* Each point is a run of its own from a cold start; so one more or one less changes no other. */
#include "replay/traffic/traffic.h"

#include <stdlib.h>

#include "replay/traffic/traffic_memory.h"

#define UNLOADED_REQUESTS 20000      /* they follow each other, and vary little */

/* percent of the peak */
static const unsigned rates[] = {5, 10, 20, 30, 40, 50, 60, 65, 70, 75, 80, 85, 90, 95, 100};
enum { RATE_COUNT = sizeof rates / sizeof rates[0] };

struct traffic_point traffic_point_of(enum traffic_point_kind kind, const struct traffic_load *load,
                                      const struct traffic_result *result)
{
    uint64_t const measured = load->requests - load->warmup;

    return (struct traffic_point){.kind = kind, .outstanding = load->outstanding,
                                  .requests = load->requests,
                                  .offered_bytes_per_s = result->offered_bytes_per_s,
                                  .bytes_per_s = result->bytes_per_s,
                                  .mean_ps = latency_histogram_mean(&result->latency),
                                  .lowest_ps = result->latency.lowest,
                                  .p50_ps = latency_histogram_percentile(&result->latency, 50),
                                  .p99_ps = latency_histogram_percentile(&result->latency, 99),
                                  .held_ps = result->held_ps,
                                  .held_share = (double)result->held / (double)measured,
                                  .row_hit_share = result->bursts ? (double)result->row_hits / (double)result->bursts
                                                                  : 0,
                                  .is_saturated = traffic_is_saturated(result)};
}

struct fault traffic_curve_begin(struct traffic_curve *curve, const struct system_config *config,
                                 const struct traffic_load *load)
{
    struct fault fault = fault_none();
    struct traffic_memory *const memory = traffic_memory_create(config, &fault);

    *curve = (struct traffic_curve){.config = config, .load = *load};
    if (!memory)
        return fault;
    curve->peak_bytes_per_s = memory->peak_bytes_per_s;
    curve->depth = traffic_memory_depth(memory);
    traffic_memory_destroy(memory);
    curve->result = malloc(sizeof *curve->result);
    return curve->result ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for a result");
}

static struct fault measure(struct traffic_curve *curve, enum traffic_point_kind kind, const struct traffic_load *load)
{
    FORWARD(traffic_run(curve->config, load, curve->result));
    curve->points[curve->count++] = traffic_point_of(kind, load, curve->result);
    return fault_none();
}

static struct fault measure_unloaded(struct traffic_curve *curve)
{
    struct traffic_load load = curve->load;

    load.outstanding = 1;
    load.pattern.read_share = 1;
    if (load.requests > UNLOADED_REQUESTS) {
        load.requests = UNLOADED_REQUESTS;
        load.warmup = UNLOADED_REQUESTS / 10;
    }
    return measure(curve, POINT_UNLOADED, &load);
}

/* The last point is of the lowest rate that was too high. The new one takes its place in the order of rates. */
static struct fault halve_knee(struct traffic_curve *curve)
{
    struct traffic_load load = curve->load;
    struct traffic_point *const high = &curve->points[curve->count - 1];
    struct traffic_point const saturated = *high;

    curve->knee_steps--;
    load.rate_bytes_per_s = (high[-1].offered_bytes_per_s + saturated.offered_bytes_per_s) / 2;
    curve->count--;
    FORWARD(measure(curve, POINT_RATE, &load));
    if (!high->is_saturated)
        curve->points[curve->count++] = saturated;
    return fault_none();
}

struct fault traffic_curve_step(struct traffic_curve *curve, bool *more)
{
    struct traffic_load load = curve->load;

    *more = true;
    if (curve->count == 0)
        return measure_unloaded(curve);
    if (curve->next_rate < RATE_COUNT && !curve->points[curve->count - 1].is_saturated) {
        load.rate_bytes_per_s = curve->peak_bytes_per_s * rates[curve->next_rate++] / 100;
        return measure(curve, POINT_RATE, &load);
    }
    if (curve->knee_steps > 0 && curve->count > 2 && curve->points[curve->count - 1].is_saturated)
        return halve_knee(curve);
    *more = false;
    load.outstanding = curve->depth;
    return measure(curve, POINT_FULL, &load);
}

void traffic_curve_end(struct traffic_curve *curve)
{
    free(curve->result);
    curve->result = NULL;
}
