/* Advancing the data side (advance.h). */
#include "replay/fast/advance.h"

#include <string.h>

#include "replay/fast/fast_core.h"

/* Loads, stores and others in flight; a store that was sent is not. */
static uint64_t count_in_flight(const struct elastic_cpu *cpu, unsigned type)
{
    return elastic_cpu_held(cpu, type) - (type == DEP_STORE ? fast_of(cpu)->sent_stores : 0);
}

/* Adds the time up to `now` of records and stores in flight; with the sign reversed, removes it again. */
static void integrate(const struct elastic_cpu *cpu, uint64_t flight_ps[DEP_TYPES], uint64_t *sent_stores_ps,
                      uint64_t now)
{
    for (unsigned type = 0; type < DEP_TYPES; type++)
        flight_ps[type] += count_in_flight(cpu, type) * now;
    *sent_stores_ps += fast_of(cpu)->sent_stores * now;
}

void elastic_sums_now(const struct elastic_cpu *cpu, struct elastic_sums *sums)
{
    const struct elastic_cpu_stats *const stats = &cpu->stats;

    *sums = (struct elastic_sums){
        .dcache_events = stats->num_sched_dcache_event, .sent = stats->data_send_succeeded, .num_ops = stats->num_ops,
        .sent_stores_ps = fast_of(cpu)->sent_stores_ps, .latency_count = stats->load_latency.count,
        .latency_sum = stats->load_latency.sum,
        .odd = stats->data_send_failed + stats->data_retry_succeeded + stats->split_requests + stats->strict_order_loads
            + stats->strict_order_stores + stats->inst_send_failed};
    memcpy(sums->flight_ps, fast_of(cpu)->flight_ps, sizeof sums->flight_ps);
    memcpy(sums->cycles, stats->cpi_stack.cycles, sizeof sums->cycles);
    integrate(cpu, sums->flight_ps, &sums->sent_stores_ps, sim_now_ps(cpu->sim));
}

void elastic_sums_since(struct elastic_sums *sums, const struct elastic_sums *before, uint64_t first_rob_number)
{
    sums->dcache_events -= before->dcache_events;
    sums->sent -= before->sent;
    sums->num_ops -= first_rob_number;
    sums->sent_stores_ps -= before->sent_stores_ps;
    sums->latency_count -= before->latency_count;
    sums->latency_sum -= before->latency_sum;
    sums->odd -= before->odd;
    for (unsigned type = 0; type < DEP_TYPES; type++)
        sums->flight_ps[type] -= before->flight_ps[type];
    for (unsigned part = 0; part < CPI_PART_COUNT; part++)
        sums->cycles[part] -= before->cycles[part];
}

void elastic_advance_begin(struct elastic_cpu *cpu)
{
    integrate(cpu, fast_of(cpu)->flight_ps, &fast_of(cpu)->sent_stores_ps, sim_now_ps(cpu->sim));
}

void elastic_advance_end(struct elastic_cpu *cpu)
{
    integrate(cpu, fast_of(cpu)->flight_ps, &fast_of(cpu)->sent_stores_ps, 0 - sim_now_ps(cpu->sim));
}

static void add_sums(struct elastic_cpu *cpu, const struct elastic_stretch *stretch)
{
    const struct elastic_sums *const sums = stretch->sums;
    struct elastic_cpu_stats *const stats = &cpu->stats;

    stats->num_sched_dcache_event += sums->dcache_events;
    stats->data_send_succeeded += sums->sent;
    stats->num_ops = fast_of(cpu)->graph.nodes[elastic_graph_place(&fast_of(cpu)->graph, stretch->first)].rob_number
                     + sums->num_ops;
    stats->load_latency.count += sums->latency_count;
    stats->load_latency.sum += sums->latency_sum;
    stats->load_latency.bins[stretch->latency_bin] += sums->latency_count;
    if (sums->latency_count > 0) {
        stats->load_latency.last = stretch->latency;
        stats->load_latency.last_bin = stretch->latency_bin;
    }
    for (unsigned part = 0; part < CPI_PART_COUNT; part++)
        stats->cpi_stack.cycles[part] += sums->cycles[part];
    for (unsigned type = 0; type < DEP_TYPES; type++)
        fast_of(cpu)->flight_ps[type] += sums->flight_ps[type];
    fast_of(cpu)->sent_stores_ps += sums->sent_stores_ps;
}

/* States are found by elastic_snapshot_restore; but records that are over are marked at once, so that the ring has
 * room. */
void elastic_advance(struct elastic_cpu *cpu, const struct elastic_stretch *stretch)
{
    add_sums(cpu, stretch);
    cpu->activity++;
    fast_of(cpu)->graph.retired_count += stretch->length;
    elastic_graph_leave_behind(&fast_of(cpu)->graph, stretch->first, stretch->end);
}
