/* Modelled: the data generator (elastic-trace 2.6 to 2.11): limits of ROB, load and store buffer, the ready list,
 * sends, retries and responses, in the order of the reference's actions, since the order decides ticks (2.16).
 * Windows of records are in read.c, issue in fast_issue.h. Not modelled: forwarding, disambiguation, second halves of
 * split accesses; the reference has none either.
 *
 * Beyond the reference: a graph that drained before the end of the trace was noticed reads on (2.11).
 *
 * A node's way: read (ELASTIC_WAITING) -> issued into the ready list, taking ROB and buffer entries (ELASTIC_READY)
 * -> executed: a load is sent (ELASTIC_LOAD_SENT) until its response; anything else is complete. A node without
 * dependences that finds no resource goes into dep_free_queue, whose head alone is tried again, at the start of a
 * data event. */
#include "replay/fast/fast_issue.h"

/* ---- the present */

/* Integrals from the start of the run: rob_ps, load_buffer_ps, store_buffer_ps. A load holds its entry while it is in
 * flight, a store until its write response. */
static void integrate(const struct elastic_cpu *cpu, uint64_t integrals[3])
{
    uint64_t const now = cpu->seen_ps;
    uint64_t const stores_in_flight = elastic_cpu_held(cpu, DEP_STORE) - fast_of(cpu)->sent_stores;

    integrals[0] = 0 - fast_of(cpu)->sent_stores * now;
    for (unsigned type = 0; type < DEP_TYPES; type++)
        integrals[0] += fast_of(cpu)->flight_ps[type] + elastic_cpu_held(cpu, type) * now;
    integrals[1] = fast_of(cpu)->flight_ps[DEP_LOAD] + elastic_cpu_held(cpu, DEP_LOAD) * now;
    integrals[2] = fast_of(cpu)->flight_ps[DEP_STORE] + stores_in_flight * now + fast_of(cpu)->sent_stores_ps
                 + fast_of(cpu)->sent_stores * now;
}

void fast_data_observe(struct elastic_cpu *cpu)
{
    struct elastic_cpu_stats *const stats = &cpu->stats;
    uint64_t integrals[3];

    if (!cpu->data_done) {
        observe(cpu);
        cpi_stack_charge(&stats->cpi_stack);
    }
    integrate(cpu, integrals);
    stats->num_cycles = cpu->event_edge_ps / cpu->clock.period_ps;
    /* 0 until a record completes; one that overtook others may have been counted before */
    stats->micro_ops = stats->num_ops > stats->earlier_ops ? stats->num_ops - stats->earlier_ops : 0;
    stats->max_ready_list_size = ready_list_longest(&fast_of(cpu)->ready);
    stats->rob_ps = integrals[0] - fast_of(cpu)->integrals_before[0];
    stats->load_buffer_ps = integrals[1] - fast_of(cpu)->integrals_before[1];
    stats->store_buffer_ps = integrals[2] - fast_of(cpu)->integrals_before[2];
    stats->until_ps = cpu->seen_ps;
    stats->records = elastic_cpu_records_completed(cpu) - cpu->records_before;
}

void fast_data_forget(struct elastic_cpu *cpu)
{
    if (fast_of(cpu)->hooks.forget)
        fast_of(cpu)->hooks.forget(cpu);
    integrate(cpu, fast_of(cpu)->integrals_before);
    cpu->event_edge_ps = 0;
    cpu->records_before = elastic_cpu_records_completed(cpu);
    elastic_graph_forget_longest(&fast_of(cpu)->graph);
    ready_list_forget_longest(&fast_of(cpu)->ready);
}

/* The head of dep_free_queue, though there is room? */
static inline bool waits_for_answers(const struct elastic_cpu *cpu)
{
    const struct elastic_fast *const fast = fast_of(cpu);
    uint32_t const place = elastic_graph_place(&fast->graph, fast->dep_free_queue[fast->dep_free_head]);

    return elastic_graph_shape(&fast_of(cpu)->graph, place)->present & (DEP_ALONE | DEP_AFTER_ANSWER)
        && cpu->dep_free_cause != CPI_ROB
        && cpu->free_entries[elastic_graph_type(&fast_of(cpu)->graph, place)] > 0;
}

/* The cause to which cycles without execution are charged until the next event. */
static inline enum cpi_part present_cause(const struct elastic_cpu *cpu)
{
    if (cpu->is_refused)
        return CPI_BLOCKED_CACHE;
    return cpu->dep_free_count && !waits_for_answers(cpu) ? cpu->dep_free_cause : CPI_DEPENDENCES;
}

/* ---- resources and issue: see also fast_issue.h */

/* The head of dep_free_queue lacks the same resource as before until a window is read or one of these happens: the
 * record that was the oldest in flight leaves, or an older one enters (issue), or an entry of the buffer that is full
 * is given back. Called after the state has changed: a node that begins to wait earlier may be waiting for this very
 * record. */
static inline void note_left(struct elastic_cpu *cpu, uint64_t record)
{
    if (record == fast_of(cpu)->dep_free_oldest)
        fast_of(cpu)->tasks |= ELASTIC_ROOM;
}

static inline void note_entry_back(struct elastic_cpu *cpu, enum cpi_part buffer)
{
    if (cpu->dep_free_cause == buffer && cpu->dep_free_count)
        fast_of(cpu)->tasks |= ELASTIC_ROOM;
}

static void issue_dep_free(struct elastic_cpu *cpu)
{
    while (cpu->dep_free_count) {
        uint64_t const record = fast_of(cpu)->dep_free_queue[fast_of(cpu)->dep_free_head];
        uint32_t const place = elastic_graph_place(&fast_of(cpu)->graph, record);
        enum cpi_part const missing = missing_resource(cpu, place);

        if (missing != CPI_WORKING) {
            set_dep_free_cause(cpu, missing);
            return;
        }
        issue(cpu, place, record, fast_of(cpu)->tasks & ELASTIC_TURN);
        fast_of(cpu)->dep_free_head = (fast_of(cpu)->dep_free_head + 1) & fast_of(cpu)->dep_free_mask;
        cpu->dep_free_count--;
    }
    fast_of(cpu)->dep_free_oldest = UINT64_MAX;
}

/* ---- completion */

/* One dependence less for a record, which may not be read yet. */
static inline void wake(struct elastic_cpu *cpu, uint64_t record, bool has_turn)
{
    uint32_t const place = elastic_graph_place(&fast_of(cpu)->graph, record);

    if (--fast_of(cpu)->graph.open_dependences[place] == 0)
        issue_first(cpu, place, record, has_turn);
}

/* Wakes the child of a link if the link's kind is `are_early` (elastic_link_is_early). */
static inline void wake_some(struct elastic_cpu *cpu, uint64_t record, uint32_t link, uint64_t early_end,
                             bool are_early, bool has_turn)
{
    if (elastic_link_is_early(record, link, early_end) == are_early)
        wake(cpu, record + store_link_distance(link), has_turn);
}

static inline void wake_listed(struct elastic_cpu *cpu, const struct store_links *links, uint64_t record,
                               uint64_t early_end, bool are_early, bool has_turn)
{
    struct store_link_list const list = store_link_list(links);

    for (uint32_t i = 0; i < list.count; i++)
        wake_some(cpu, record, store_listed_link(&list, i), early_end, are_early, has_turn);
}

/* Of a node's dependents, in their order, wakes the early ones or all others. */
static void wake_dependents(struct elastic_cpu *cpu, uint32_t place, uint64_t record, uint64_t early_end,
                            bool are_early, bool has_turn)
{
    const struct elastic_graph *const graph = &fast_of(cpu)->graph;
    const struct store_links *const links = &elastic_graph_shape(graph, place)->links;
    const uint16_t *link = links->near, *const end = link + (links->count & STORE_NEAR_LINKS);
    uint32_t far = links->count & ELASTIC_HAS_FAR_EDGES ? graph->far_lists[place].count : 0;

    if (links->count & STORE_LISTS_LINKS) {
        wake_listed(cpu, links, record, early_end, are_early, has_turn);
        return;
    }
    for (uint32_t edge = graph->far_lists[place].first; far > 0; far--) {
        uint32_t const far_link = graph->far_edges[edge].link;

        for (; link < end && store_link_distance(*link) <= store_link_distance(far_link); link++)
            wake_some(cpu, record, *link, early_end, are_early, has_turn);
        wake_some(cpu, record, far_link, early_end, are_early, has_turn);
        edge = graph->far_edges[edge].next;
    }
    for (; link < end; link++)
        wake_some(cpu, record, *link, early_end, are_early, has_turn);
}

/* release_dependents for a node whose list is long, or not of near links alone. */
static void release_all_dependents(struct elastic_cpu *cpu, uint32_t place, uint64_t record, bool was_sent,
                                   bool has_turn)
{
    struct elastic_graph *const graph = &fast_of(cpu)->graph;
    unsigned const count = elastic_graph_shape(graph, place)->links.count;
    uint64_t const early_end = was_sent && count & STORE_HAS_EARLY_LINKS ? graph->far_lists[place].early_end : 0;

    elastic_graph_note_dependents(graph, place, record, early_end);
    wake_dependents(cpu, place, record, early_end, false, has_turn);
    if (count & ELASTIC_HAS_FAR_EDGES)
        elastic_graph_free_far_edges(graph, place);
}

/* Wakes the children of `count` links. Most nodes have one to three links, each number with its own code: the host
 * predicts a jump by the count better than the exit of a loop. */
static inline void release_few(struct elastic_cpu *cpu, const uint16_t *link, unsigned count, uint64_t record,
                               bool has_turn)
{
    switch (count) {
    default:
        for (; count > 3; count--)
            wake(cpu, record + store_link_distance(*link++), has_turn);
        /* fall through */
    case 3:
        wake(cpu, record + store_link_distance(*link++), has_turn);
        /* fall through */
    case 2:
        wake(cpu, record + store_link_distance(*link++), has_turn);
        /* fall through */
    case 1:
        wake(cpu, record + store_link_distance(*link), has_turn);
        break;
    case 0:
        break;
    }
}

/* Wakes all dependents of a node, in their order, but those that were let go when it was sent; it is to be retired.
 * `was_sent`: it is a load whose response has come. */
static inline void release_dependents(struct elastic_cpu *cpu, uint32_t place, uint64_t record, bool was_sent,
                                      bool has_turn)
{
    const struct store_links *const links = &elastic_graph_shape(&fast_of(cpu)->graph, place)->links;
    unsigned const count = links->count;

    if (count > fast_of(cpu)->graph.near_count)
        release_all_dependents(cpu, place, record, was_sent, has_turn);
    else
        release_few(cpu, links->near, count, record, has_turn);
}

/* release_early_dependents for a load that has them. */
static void release_early_ones(struct elastic_cpu *cpu, uint32_t place, uint64_t record)
{
    struct elastic_graph *const graph = &fast_of(cpu)->graph;

    elastic_graph_note_dependents(graph, place, record, 0);
    graph->far_lists[place].early_end = graph->next_record;
    wake_dependents(cpu, place, record, graph->next_record, true, true);
}

/* A load was sent: those that were read and only had to follow it are released. */
static inline void release_early_dependents(struct elastic_cpu *cpu, uint32_t place, uint64_t record)
{
    if (elastic_graph_shape(&fast_of(cpu)->graph, place)->links.count & STORE_HAS_EARLY_LINKS)
        release_early_ones(cpu, place, record);
}

/* The node leaves the ROB and frees its buffer entry; but an ordinary store keeps its entry until the write response.
 * Other nodes see only the freed entry before the node is retired. */
static inline void data_leave(struct elastic_cpu *cpu, uint32_t place, unsigned type, bool is_sent_store)
{
    fast_of(cpu)->flight_ps[type] += cpu->seen_ps;
    if (is_sent_store) {
        fast_of(cpu)->sent_stores++;
        fast_of(cpu)->sent_stores_ps -= cpu->seen_ps;
    } else {
        cpu->free_entries[type]++;
        if (type == DEP_LOAD || type == DEP_STORE)
            note_entry_back(cpu, type == DEP_LOAD ? CPI_LOAD_BUFFER : CPI_STORE_BUFFER);
    }
    cpu->stats.num_ops = fast_of(cpu)->graph.nodes[place].rob_number;
}

static inline void retire(struct elastic_cpu *cpu, uint32_t place, uint64_t record, enum elastic_state state)
{
    elastic_graph_retire(&fast_of(cpu)->graph, place, state);
    note_left(cpu, record);
}

static void reach_milestone(struct elastic_cpu *cpu, uint64_t record)
{
    if (fast_of(cpu)->hooks.complete && !fast_of(cpu)->hooks.complete(cpu, record))
        return;
    if (fast_of(cpu)->graph.retired_count == cpu->notify_at_records && cpu->notify)
        cpu->notify(cpu->context, cpu);
    fast_find_milestone(cpu);
}

static inline void tell_completion(struct elastic_cpu *cpu, uint64_t record)
{
    if (fast_of(cpu)->graph.retired_count >= fast_of(cpu)->milestone)
        reach_milestone(cpu, record);
}

/* ---- execution (2.8) */

void fast_data_describe(void *self, uint64_t token, struct request *request)
{
    struct elastic_access const access = fast_access(self, token >> 8);

    *request = elastic_access_request(self, &access);
}

/* The general way. */
static enum elastic_sending send_packet(struct elastic_cpu *cpu, uint64_t record)
{
    struct elastic_access const access = fast_access(cpu, record);

    return elastic_access_send(cpu, &access);
}

static inline enum elastic_sending send_without_packet(struct elastic_cpu *cpu, uint64_t record, uint32_t place,
                                                       bool is_load)
{
    return fast_of(cpu)->hooks.send ? fast_of(cpu)->hooks.send(cpu, record, place, is_load) : ELASTIC_NEEDS_PACKET;
}

/* Its turn has come. Its resources are unlimited, so it may free them before its children are woken. */
static inline void complete_computation(struct elastic_cpu *cpu, uint32_t place, uint64_t record)
{
    data_leave(cpu, place, DEP_COMP, false);
    release_dependents(cpu, place, record, false, true);
    retire(cpu, place, record, ELASTIC_GONE);
    tell_completion(cpu, record);
}

/* A load whose turn it is was sent, and waits for its response. */
static inline void wait_for_response(struct elastic_cpu *cpu, uint32_t place, uint64_t record)
{
    elastic_graph_set_state(&fast_of(cpu)->graph, place, ELASTIC_LOAD_SENT);
    fast_of(cpu)->graph.sent_ps[place] = sim_now_ps(cpu->sim);
    release_early_dependents(cpu, place, record);
}

/* Completes a store, or a load that is not sent. */
static void complete_access(struct elastic_cpu *cpu, uint32_t place, uint64_t record, unsigned type,
                            bool is_sent_store)
{
    release_dependents(cpu, place, record, false, true);
    data_leave(cpu, place, type, is_sent_store);
    retire(cpu, place, record, is_sent_store ? ELASTIC_STORE_SENT : ELASTIC_GONE);
    tell_completion(cpu, record);
}

/* Executes a load or store whose turn it is; false if the L1D refuses its request. */
static inline bool execute_access(struct elastic_cpu *cpu, uint64_t record, uint32_t place, unsigned type)
{
    bool const is_load = type == DEP_LOAD;
    enum elastic_sending sending = send_without_packet(cpu, record, place, is_load);

    if (sending == ELASTIC_NEEDS_PACKET)
        sending = send_packet(cpu, record);
    if (sending == ELASTIC_REFUSED) {
        cpu->stats.data_send_failed++;
        cpu->is_refused = true;
        return false;
    }
    if (sending == ELASTIC_SENT)
        cpu->stats.data_send_succeeded++;
    if (is_load && sending == ELASTIC_SENT)
        wait_for_response(cpu, place, record);
    else
        complete_access(cpu, place, record, type, sending == ELASTIC_SENT);
    return true;
}

/* Sends the refused record again; it has no packet yet if a hook found the refusal. */
static bool send_again(struct elastic_cpu *cpu, uint64_t record, uint32_t place, bool is_load)
{
    struct elastic_access const access = fast_access(cpu, record);

    if (!cpu->refused_packet) {
        enum elastic_sending const sending = send_without_packet(cpu, record, place, is_load);

        if (sending != ELASTIC_NEEDS_PACKET)
            return sending == ELASTIC_SENT;
    }
    return elastic_access_send_again(cpu, &access);
}

/* The same for the record that was refused. */
static bool execute_again(struct elastic_cpu *cpu)
{
    uint64_t const record = fast_of(cpu)->turn;
    uint32_t const place = elastic_graph_place(&fast_of(cpu)->graph, record);

    if (!send_again(cpu, record, place, elastic_graph_type(&fast_of(cpu)->graph, place) == DEP_LOAD))
        return false;
    cpu->stats.data_retry_succeeded++;
    cpu->is_refused = false;
    if (elastic_graph_type(&fast_of(cpu)->graph, place) == DEP_LOAD)
        wait_for_response(cpu, place, record);
    else
        complete_access(cpu, place, record, DEP_STORE, true);
    return true;
}

/* Executes a record whose turn it is; false if the L1D refuses its request. */
static inline bool data_execute(struct elastic_cpu *cpu, uint64_t record)
{
    uint32_t const place = elastic_graph_place(&fast_of(cpu)->graph, record);
    unsigned const type = elastic_graph_type(&fast_of(cpu)->graph, place);

    if (type == DEP_LOAD)
        return execute_access(cpu, record, place, DEP_LOAD);
    if (type == DEP_STORE)
        return execute_access(cpu, record, place, DEP_STORE);
    complete_computation(cpu, place, record);
    return true;
}

/* All that are due, until the L1D refuses one, which keeps its turn. If that is the first, the cycle is idle. */
static inline void execute_due(struct elastic_cpu *cpu)
{
    struct ready_list *const ready = &fast_of(cpu)->ready;
    uint64_t first;

    if (!ready_list_is_due(ready))
        return;
    first = ready_list_head_record(ready);
    do {
        uint64_t const record = ready_list_head_record(ready);

        ready_list_remove_head(ready);
        if (!data_execute(cpu, record)) {
            fast_of(cpu)->turn = record;
            fast_of(cpu)->tasks |= ELASTIC_TURN;
            if (record == first)
                return;
            break;
        }
    } while (ready_list_is_due(ready));
    cpi_stack_worked(&cpu->stats.cpi_stack);
}

/* Tick at which the head of the ready list executes, `earliest_ps` at the earliest. There must be one. */
static inline uint64_t next_execution_ps(struct elastic_cpu *cpu, uint64_t earliest_ps)
{
    uint64_t const execute_ps = ready_list_next_ps(&fast_of(cpu)->ready);

    if (execute_ps >= ELASTIC_LAST_TICK)
        elastic_fail_late(cpu, ready_list_head_record(&fast_of(cpu)->ready),
                          fast_access(cpu, ready_list_head_record(&fast_of(cpu)->ready)).seq_num);
    return max_u64(execute_ps, earliest_ps);
}

static inline void want_window(struct elastic_cpu *cpu)
{
    if (fast_of(cpu)->tasks & ELASTIC_WINDOW_DUE)
        fast_of(cpu)->tasks |= ELASTIC_WINDOW_WANTED;
}

static inline void tell_cause(struct elastic_cpu *cpu)
{
    cpi_stack_set_cause(&cpu->stats.cpi_stack, present_cause(cpu));
    fast_of(cpu)->tasks &= ~(unsigned)ELASTIC_NEW_CAUSE;
}

/* The part before execute_due of an event that has tasks; false if nothing may be executed. */
static bool begin_event(struct elastic_cpu *cpu)
{
    fast_of(cpu)->tasks = (fast_of(cpu)->tasks & ~(unsigned)ELASTIC_ROOM) | ELASTIC_UNTOLD;
    if (fast_of(cpu)->tasks & ELASTIC_WINDOW_WANTED) {
        fast_data_read_window(cpu);
        if (cpu->fault.kind != FAULT_NONE)
            return false;
    }
    if (cpu->dep_free_count)
        issue_dep_free(cpu);
    if (fast_of(cpu)->tasks & ELASTIC_TURN) {
        if (!execute_again(cpu))
            return false;
        fast_of(cpu)->tasks &= ~(unsigned)ELASTIC_TURN;
        cpi_stack_worked(&cpu->stats.cpi_stack);
    }
    return true;
}

/* Tick of the next data event after one that was not refused; TICK_NEVER if something else has to happen first. */
static uint64_t data_look_ahead(struct elastic_cpu *cpu)
{
    uint64_t const now = sim_now_ps(cpu->sim);
    uint64_t const next_edge_ps = cpu->edge_ps + cpu->clock.period_ps;

    if (ready_list_count(&fast_of(cpu)->ready))
        return next_execution_ps(cpu, now);
    if (cpu->dep_free_count) {
        uint64_t const head = fast_of(cpu)->dep_free_queue[fast_of(cpu)->dep_free_head];

        if (missing_resource(cpu, elastic_graph_place(&fast_of(cpu)->graph, head)) != CPI_WORKING)
            return TICK_NEVER;
        fast_of(cpu)->tasks |= ELASTIC_ROOM;
        return next_edge_ps;
    }
    if (elastic_graph_live_count(&fast_of(cpu)->graph) || elastic_cpu_held(cpu, DEP_LOAD)
        || elastic_cpu_held(cpu, DEP_STORE))
        return TICK_NEVER;
    if (!cpu->trace_ended) {
        cpu->sim->root->notices[NOTICE_GRAPH_DRAINED]++;
        return next_edge_ps;
    }
    cpu->data_done = true;
    cpu->stats.data_last_tick = now;
    cpu->stats.num_cycles = cpu->event_edge_ps / cpu->clock.period_ps;
    cpi_stack_close(&cpu->stats.cpi_stack, cpu->event_edge_ps);
    return TICK_NEVER;
}

/* After an event that had or has tasks, or has nothing left to execute. The answer is data_look_ahead's. */
static uint64_t end_event(struct elastic_cpu *cpu)
{
    uint64_t next_ps = TICK_NEVER;
    bool const is_point = fast_of(cpu)->tasks & ELASTIC_POINT;

    fast_of(cpu)->tasks &= ~(unsigned)(ELASTIC_UNTOLD | ELASTIC_POINT);
    if (cpu->fault.kind != FAULT_NONE)
        return TICK_NEVER;
    if (!cpu->is_refused) {
        want_window(cpu);
        next_ps = data_look_ahead(cpu);
    }
    tell_cause(cpu);
    if (is_point) {
        next_ps = fast_of(cpu)->hooks.at_point(cpu, next_ps);
        fast_find_milestone(cpu);
    }
    if (cpu->data_done)
        elastic_side_done(cpu);
    return next_ps;
}

/* The next data event is due at when_ps; true: it is executing already. */
static inline bool schedule_next(struct elastic_cpu *cpu, uint64_t when_ps)
{
    cpu->stats.num_sched_dcache_event++;
    if (fast_of(cpu)->hooks.continue_at)
        return fast_of(cpu)->hooks.continue_at(cpu, when_ps);
    event_schedule(&cpu->sim->events, &cpu->data_event, when_ps);
    return false;
}

/* The data event, and those after it that execute at once. */
static inline void execute_events(struct elastic_cpu *cpu)
{
    struct ready_list *const ready = &fast_of(cpu)->ready;
    bool is_at_edge = false;         /* for certain, and the head of the ready list executes there */
    uint64_t next_ps = 0;

    cpu->activity++;
    do {
        if (is_at_edge) {
            observe_edge(cpu, next_ps);
            ready_list_set_now_to_head(ready, next_ps);
        } else {
            observe(cpu);
            ready_list_set_now(ready, cpu->seen_ps);
        }
        if (fast_of(cpu)->tasks == 0 || begin_event(cpu))
            execute_due(cpu);
        cpu->event_edge_ps = cpu->edge_ps;
        next_ps = ready_list_next_ps(ready);
        is_at_edge = fast_of(cpu)->is_ready_at_edges;
        /* An event without tasks leaves the cause unchanged, and nothing due at its tick. */
        if (fast_of(cpu)->tasks != 0 || next_ps >= ELASTIC_LAST_TICK) {
            next_ps = end_event(cpu);
            if (next_ps == TICK_NEVER)
                return;
            is_at_edge = false;
        }
    } while (schedule_next(cpu, next_ps));
}

/* ---- responses (2.9) */

static inline void schedule_after_response(struct elastic_cpu *cpu)
{
    struct event_queue *const events = &cpu->sim->events;
    uint64_t const next_edge_ps = cpu->edge_ps + cpu->clock.period_ps;
    uint64_t when_ps = next_edge_ps;

    if (cpu->data_event.scheduled && cpu->data_event.when_ps <= next_edge_ps)
        return;                      /* it comes no later than the tick to be found */
    if (ready_list_count(&fast_of(cpu)->ready))
        when_ps = next_execution_ps(cpu, next_edge_ps);
    if (!cpu->data_event.scheduled) {
        cpu->stats.num_sched_dcache_event++;
        event_schedule_in_place(events, &cpu->data_event, when_ps);
    } else if (when_ps < cpu->data_event.when_ps) {
        event_reschedule(events, &cpu->data_event, when_ps);
    }
}

static inline void answer_store(struct elastic_cpu *cpu, uint64_t record)
{
    HOT_ASSERT(elastic_cpu_held(cpu, DEP_STORE) > 0);
    cpu->free_entries[DEP_STORE]++;
    note_entry_back(cpu, CPI_STORE_BUFFER);
    fast_of(cpu)->sent_stores--;
    fast_of(cpu)->sent_stores_ps += cpu->seen_ps;
    if (elastic_graph_holds(&fast_of(cpu)->graph, record))
        elastic_graph_set_state(&fast_of(cpu)->graph, elastic_graph_place(&fast_of(cpu)->graph, record), ELASTIC_GONE);
}

static inline void answer_load(struct elastic_cpu *cpu, uint64_t record)
{
    uint32_t const place = elastic_graph_place(&fast_of(cpu)->graph, record);

    HOT_ASSERT(elastic_graph_state(&fast_of(cpu)->graph, place) == ELASTIC_LOAD_SENT);
    latency_histogram_add(&cpu->stats.load_latency, cpu->seen_ps - fast_of(cpu)->graph.sent_ps[place]);
    data_leave(cpu, place, DEP_LOAD, false);    /* before the children are woken */
    retire(cpu, place, record, ELASTIC_GONE);
    release_dependents(cpu, place, record, true, fast_of(cpu)->tasks & ELASTIC_TURN);
    tell_completion(cpu, record);
}

/* In line also where hooks call it, in a program that is optimised as one piece. This is its only definition, so
 * statics used here are the same everywhere. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wstatic-in-inline"
#endif
inline void fast_data_answer(void *self, uint64_t address, uint64_t token)
{
    struct elastic_cpu *const cpu = self;
    uint64_t const record = token >> 8;
    unsigned const response = token & 0xff;

    cpu->activity++;
    observe(cpu);
    sim_log(cpu->sim, cpu->data_name, "recv", response, address);
    if (command_attributes(response) & ATTR_WRITE)
        answer_store(cpu, record);
    else
        answer_load(cpu, record);
    want_window(cpu);
    if (!cpu->is_refused)
        schedule_after_response(cpu);
    if (fast_of(cpu)->tasks & ELASTIC_NEW_CAUSE)
        tell_cause(cpu);
}

/* ---- events */

void fast_data_event(void *owner)
{
    struct elastic_cpu *const cpu = owner;

    do
        execute_events(cpu);
    while (fast_of(cpu)->hooks.go_on && fast_of(cpu)->hooks.go_on(cpu));
}
