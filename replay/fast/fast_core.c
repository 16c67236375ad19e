/* Set-up of the fast data side, and reports of stalls (fast_core.h). */
#include "replay/fast/fast_core.h"

#include <stdlib.h>

#include "replay/fast/graph_scan.h"

/* Places of the ring at first: enough for two windows of common captures. It grows if the trace needs more. */
#define FIRST_PLACES 2048

static uint64_t unbroken_bytes(const struct elastic_limits *limits)
{
    uint64_t end = limits->memory_end;

    for (unsigned i = 0; i < limits->hole_count; i++)
        end = min_u64(end, limits->holes[i].base);
    return end - limits->memory_base;
}

static struct fault fast_open(struct elastic_cpu *cpu)
{
    struct elastic_fast *const fast = fast_of(cpu);

    *fast = (struct elastic_fast){.unbroken_bytes = unbroken_bytes(&cpu->limits)};
    fast->unscaled_delay = cpu->delay_factor != 1.0 || cpu->scales_ticks ? 0 : UINT64_C(1) << 53;
    fast->is_ready_at_edges = fast->unscaled_delay > 0;
    FORWARD(elastic_graph_init(&fast->graph, FIRST_PLACES, cpu->record_source.known_reach_seq, cpu->rob_limit));
    graph_scan_bind(&fast->graph);
    return fast_data_reserve(cpu);
}

static void fast_close(struct elastic_cpu *cpu)
{
    struct elastic_fast *const fast = fast_of(cpu);

    if (fast->hooks.free)
        fast->hooks.free(cpu);
    elastic_graph_free(&fast->graph);
    ready_list_free(&fast->ready);
    free(fast->dep_free_queue);
    *fast = (struct elastic_fast){0};
}

static void fast_take(struct elastic_cpu *cpu)
{
    struct elastic_fast *const fast = fast_of(cpu);

    fast->graph.known_reach_seq = cpu->record_source.known_reach_seq;
    elastic_graph_begin_trace(&fast->graph);
    fast->is_ready_at_edges = fast->unscaled_delay > 0;
    if (fast->hooks.take)
        fast->hooks.take(cpu);
}

static uint64_t first_ps(struct elastic_cpu *cpu)
{
    return ready_list_next_ps(&fast_of(cpu)->ready);
}

static void fast_begin(struct elastic_cpu *cpu, uint64_t offset_ps)
{
    struct elastic_fast *const fast = fast_of(cpu);

    ready_list_shift(&fast->ready, offset_ps);
    fast->is_ready_at_edges = fast->is_ready_at_edges && offset_ps % cpu->clock.period_ps == 0;
    if (!cpu->was_started) {
        elastic_graph_forget_longest(&fast->graph);
        ready_list_forget_longest(&fast->ready);
    }
}

static void count_dependents(struct elastic_cpu *cpu)
{
    elastic_graph_note_all_dependents(&fast_of(cpu)->graph);
    cpu->stats.max_dependents = fast_of(cpu)->graph.max_dependents;
}

static uint64_t completed(const struct elastic_cpu *cpu)
{
    return fast_of(cpu)->graph.retired_count;
}

static bool fast_stuck(const struct elastic_cpu *cpu, struct elastic_access *access)
{
    const struct elastic_graph *const graph = &fast_of(cpu)->graph;
    uint64_t const places = graph->mask + 1;
    uint64_t record = graph->next_record > places ? graph->next_record - places : 0;

    for (; record < graph->next_record && !cpu->is_refused; record++) {
        enum elastic_state const state = elastic_graph_state(graph, elastic_graph_place(graph, record));

        if (state == ELASTIC_LOAD_SENT || state == ELASTIC_STORE_SENT)
            break;
    }
    if (!cpu->is_refused && record == graph->next_record)
        return false;
    *access = fast_access(cpu, cpu->is_refused ? fast_of(cpu)->turn : record);
    return true;
}

static uint64_t fast_live(const struct elastic_cpu *cpu, uint64_t *oldest)
{
    const struct elastic_graph *const graph = &fast_of(cpu)->graph;

    *oldest = elastic_graph_first(graph, graph->first_record, ELASTIC_WAITING);
    return elastic_graph_live_count(graph);
}

struct fault fast_core_bind(struct elastic_cpu *cpu)
{
    static const struct elastic_data_side side = {
        .open = fast_open, .close = fast_close, .take = fast_take, .read_window = fast_data_read_window,
        .first_ps = first_ps, .begin = fast_begin, .event = fast_data_event, .answer = fast_data_answer,
        .observe = fast_data_observe, .count_dependents = count_dependents, .forget = fast_data_forget,
        .completed = completed, .notify_changed = fast_find_milestone, .stuck = fast_stuck, .live = fast_live};

    cpu->side->close(cpu);
    cpu->side = &side;
    cpu->data_event.handler = fast_data_event;
    return side.open(cpu);
}
