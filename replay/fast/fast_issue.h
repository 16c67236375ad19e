/* Issue of records (elastic-trace 2.6, 2.7), for those who find a record without open dependences: the reader
 * (fast_read.c) and completion (fast_data.c). Private to those. */
#ifndef REPLAY_FAST_FAST_ISSUE_H
#define REPLAY_FAST_FAST_ISSUE_H

#include "replay/fast/fast_core.h"

/* ---- the present */

/* Sets E(0), the next or current clock edge. */
static inline void find_edge(struct elastic_cpu *cpu, uint64_t now)
{
    uint64_t const since_ps = now - cpu->edge_ps;
    uint64_t cycles;

    if (now <= cpu->edge_ps)
        return;
    if (since_ps + cpu->clock.period_ps > UINT32_MAX)
        cycles = domain_cycles(cpu->clock, since_ps);
    else
        cycles = domain_short_cycles(cpu->clock, since_ps);
    cpu->edge_ps += cycles * cpu->clock.period_ps;
}

/* Something happens on the data side, which is not done. */
static inline void observe(struct elastic_cpu *cpu)
{
    uint64_t const now = sim_now_ps(cpu->sim);

    if (now == cpu->seen_ps)
        return;
    cpu->seen_ps = now;
    find_edge(cpu, now);
    cpi_stack_advance(&cpu->stats.cpi_stack, cpu->edge_ps - (cpu->edge_ps != now ? cpu->clock.period_ps : 0));
}

/* The same at a clock edge later than seen_ps. */
static inline void observe_edge(struct elastic_cpu *cpu, uint64_t now)
{
    cpu->seen_ps = cpu->edge_ps = now;
    cpi_stack_advance(&cpu->stats.cpi_stack, now);
}

/* ---- resources (2.6) and issue (2.7) */

/* "The ROB is a distance test" on 16-bit numbers (2.6). */
static inline bool is_rob_full(struct elastic_cpu *cpu, uint64_t rob_number)
{
    struct elastic_graph *const graph = &fast_of(cpu)->graph;

    elastic_graph_find_oldest(graph);
    return rob_number > graph->oldest_rob_number
        && (uint16_t)(rob_number - graph->oldest_rob_number) >= graph->rob_limit;
}

/* The resource that an awaited answer will free for the node; CPI_WORKING if none. The places of the ring
 * are in the order of records, and their sequence numbers without gaps (thread_sides). */
static inline enum cpi_part missing_answer(const struct elastic_cpu *cpu, uint32_t place)
{
    const struct elastic_graph *const graph = &fast_of(cpu)->graph;
    const struct store_shape *const shape = elastic_graph_shape(graph, place);
    uint32_t const other = elastic_graph_place(graph, (uint64_t)place - shape->text);

    if (shape->present & DEP_ALONE)
        return elastic_cpu_held(cpu, DEP_LOAD) ? CPI_LOAD_BUFFER
               : elastic_cpu_held(cpu, DEP_STORE) ? CPI_STORE_BUFFER : CPI_WORKING;
    if (graph->seq_nums[other] + shape->text != graph->seq_nums[place])
        return CPI_WORKING;
    switch (elastic_graph_state(graph, other)) {
    case ELASTIC_LOAD_SENT: return CPI_LOAD_BUFFER;
    case ELASTIC_STORE_SENT: return CPI_STORE_BUFFER;
    default: return CPI_WORKING;
    }
}

/* CPI_WORKING if the node may issue, else the missing resource; for a node that waits for answers, the buffer whose
 * entries these free. */
static inline enum cpi_part missing_resource(struct elastic_cpu *cpu, uint32_t place)
{
    struct elastic_graph *const graph = &fast_of(cpu)->graph;
    unsigned const type = elastic_graph_type(graph, place);

    if (elastic_graph_shape(graph, place)->present & (DEP_ALONE | DEP_AFTER_ANSWER)) {
        enum cpi_part const missing = missing_answer(cpu, place);

        if (missing != CPI_WORKING)
            return missing;
    }
    /* Less than the limit from a lower bound is less from the oldest. */
    if (graph->nodes[place].rob_number >= graph->rob_bound && is_rob_full(cpu, graph->nodes[place].rob_number))
        return CPI_ROB;
    if (cpu->free_entries[type] == 0)
        return type == DEP_LOAD ? CPI_LOAD_BUFFER : CPI_STORE_BUFFER;
    return CPI_WORKING;
}

/* A node that missing_resource lets issue goes into the ready list. `has_turn`: a record that is not in the list any
 * more counts as ready, too. */
static inline void issue(struct elastic_cpu *cpu, uint32_t place, uint64_t record, bool has_turn)
{
    unsigned const type = elastic_graph_type(&fast_of(cpu)->graph, place);
    const struct store_shape *const shape = elastic_graph_shape(&fast_of(cpu)->graph, place);
    uint64_t when_ps = cpu->edge_ps + shape->comp_delay;

    if (shape->present & DEP_AT_TIME)
        when_ps = max_u64(cpu->began_ps + shape->comp_delay, cpu->edge_ps);
    ready_list_insert(&fast_of(cpu)->ready, when_ps, record);
    ready_list_note_length(&fast_of(cpu)->ready, has_turn);
    if (elastic_graph_enter_flight(&fast_of(cpu)->graph, place, record))
        fast_of(cpu)->tasks |= ELASTIC_ROOM;
    fast_of(cpu)->flight_ps[type] -= cpu->seen_ps;
    cpu->free_entries[type]--;
}

/* Sets the resource that the head of dep_free_queue lacks now. */
static inline void set_dep_free_cause(struct elastic_cpu *cpu, enum cpi_part missing)
{
    cpu->dep_free_cause = missing;
    fast_of(cpu)->dep_free_oldest = fast_of(cpu)->graph.oldest_in_flight;
}

static inline void enter_dep_free_queue(struct elastic_cpu *cpu, uint64_t record, enum cpi_part missing)
{
    assert(cpu->dep_free_count <= fast_of(cpu)->dep_free_mask);
    if (cpu->dep_free_count == 0) {
        set_dep_free_cause(cpu, missing);
        fast_of(cpu)->tasks |= ELASTIC_NEW_CAUSE;
    }
    fast_of(cpu)->dep_free_queue[(fast_of(cpu)->dep_free_head + cpu->dep_free_count) & fast_of(cpu)->dep_free_mask]
        = record;
    cpu->dep_free_count++;
}

/* For a node that has just lost its last dependence: it overtakes those of dep_free_queue if it fits. */
static inline void issue_first(struct elastic_cpu *cpu, uint32_t place, uint64_t record, bool has_turn)
{
    enum cpi_part const missing = missing_resource(cpu, place);

    if (missing == CPI_WORKING)
        issue(cpu, place, record, has_turn);
    else
        enter_dep_free_queue(cpu, record, missing);
}

#endif
