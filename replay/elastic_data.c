/* Modelled: the data generator (elastic-trace 2.4 to 2.11): windows of records, the dependence graph, limits of ROB,
 * load and store buffer, the ready list, sends, retries and responses, in the order of the reference's actions, since
 * the order decides ticks (2.16). Not modelled: forwarding, disambiguation, second halves of split accesses; the
 * reference has none either.
 *
 * Beyond the reference: a graph that drained before the end of the trace was noticed reads on (2.11). An address
 * outside memory is a fault when the record is read.
 *
 * A node's way: read (ELASTIC_WAITING) -> issued into the ready list, taking ROB and buffer entries (ELASTIC_READY)
 * -> executed: a load is sent (ELASTIC_LOAD_SENT) until its response; anything else is complete. A node without
 * dependences that finds no resource goes into the waiting ring, whose head alone is tried again, at the start of a
 * data event. */
#include "replay/elastic_sides.h"

#include <stdlib.h>
#include <string.h>

/* ---- the present */

void elastic_data_observe(struct elastic_cpu *cpu)
{
    uint64_t const now = sim_now_ps(cpu->sim);
    uint64_t const passed = now - cpu->seen_ps;
    uint64_t const cycle = now / cpu->period_ps;
    struct elastic_cpu_stats *const stats = &cpu->stats;

    if (passed == 0 || cpu->data_done)
        return;
    stats->rob_ps += cpu->graph.in_flight_count * passed;
    stats->load_buffer_ps += cpu->loads * passed;
    stats->store_buffer_ps += cpu->stores * passed;
    stats->until_ps = now;
    cpu->seen_ps = now;
    cpu->edge_ps = cycle * cpu->period_ps + (cycle * cpu->period_ps != now ? cpu->period_ps : 0);
    cpi_stack_advance(&stats->cpi_stack, cycle);
}

/* What the cycles are charged to in which nothing executes until something happens. */
static enum cpi_part present_cause(const struct elastic_cpu *cpu)
{
    if (cpu->refused_data)
        return CPI_BLOCKED_CACHE;
    return cpu->waiting_count ? cpu->waiting_cause : CPI_DEPENDENCES;
}

/* ---- resources (2.6) and issue (2.7) */

/* CPI_WORKING if the node may issue, else what is missing. */
static enum cpi_part missing_resource(const struct elastic_cpu *cpu, const struct elastic_node *node)
{
    const struct elastic_graph *const graph = &cpu->graph;

    if (graph->in_flight_count) {
        uint64_t const oldest = elastic_graph_node(graph, graph->oldest_in_flight)->rob_number;

        if (node->rob_number > oldest && (uint16_t)(node->rob_number - oldest) >= cpu->rob_limit)
            return CPI_ROB;
    }
    if (node->type == DEP_LOAD && cpu->loads >= cpu->load_limit)
        return CPI_LOAD_BUFFER;
    if (node->type == DEP_STORE && cpu->stores >= cpu->store_limit)
        return CPI_STORE_BUFFER;
    return CPI_WORKING;
}

static void fail_late(struct elastic_cpu *cpu, uint64_t record, const struct elastic_node *node)
{
    elastic_fail(cpu, fault_make(FAULT_INPUT, "%s: data record %llu (seq_num %llu): comp_delay leads beyond the "
                                 "last tick that can be simulated (2^62 ps); the file is damaged, or a factor is "
                                 "too large",
                                 cpu->record_source.name, (unsigned long long)record,
                                 (unsigned long long)node->seq_num));
}

/* The answer is missing_resource's; with CPI_WORKING the node is in the ready list. */
static enum cpi_part issue(struct elastic_cpu *cpu, uint64_t record)
{
    struct elastic_node *const node = elastic_graph_node(&cpu->graph, record);
    enum cpi_part const missing = missing_resource(cpu, node);

    if (missing != CPI_WORKING)
        return missing;
    if (cpu->edge_ps + node->delay_ps >= ELASTIC_LAST_TICK)
        fail_late(cpu, record, node);
    ready_list_insert(&cpu->ready, cpu->edge_ps + node->delay_ps, record, cpu->refused_data != NULL);
    if (cpu->ready.count > cpu->stats.max_ready_list_size)
        cpu->stats.max_ready_list_size = cpu->ready.count;
    node->state = ELASTIC_READY;
    elastic_graph_enter_flight(&cpu->graph, record);
    cpu->loads += node->type == DEP_LOAD;
    cpu->stores += node->type == DEP_STORE;
    return CPI_WORKING;
}

/* For a node that has just lost its last dependence: it overtakes waiting ones if it fits. */
static void issue_first(struct elastic_cpu *cpu, uint64_t record)
{
    enum cpi_part const missing = issue(cpu, record);

    if (missing == CPI_WORKING)
        return;
    assert(cpu->waiting_count <= cpu->waiting_mask);
    if (cpu->waiting_count == 0)
        cpu->waiting_cause = missing;
    cpu->waiting[(cpu->waiting_head + cpu->waiting_count) & cpu->waiting_mask] = record;
    cpu->waiting_count++;
}

static void issue_waiting(struct elastic_cpu *cpu)
{
    while (cpu->waiting_count) {
        enum cpi_part const missing = issue(cpu, cpu->waiting[cpu->waiting_head]);

        if (missing != CPI_WORKING) {
            cpu->waiting_cause = missing;
            return;
        }
        cpu->waiting_head = (cpu->waiting_head + 1) & cpu->waiting_mask;
        cpu->waiting_count--;
    }
}

/* ---- reading (2.4, 2.5) */

/* Ready list and waiting ring hold live nodes only, so that room for the whole graph is enough. */
struct fault elastic_data_reserve(struct elastic_cpu *cpu, uint64_t dependences)
{
    uint64_t const old_places = cpu->graph.mask + 1;
    uint64_t places;
    uint64_t *waiting;

    FAULT_TRY(elastic_graph_reserve(&cpu->graph, dependences));
    places = cpu->graph.mask + 1;
    if (places == old_places && cpu->waiting)
        return fault_none();
    FAULT_TRY(ready_list_reserve(&cpu->ready, places));
    waiting = malloc(places * sizeof *waiting);
    if (!waiting)
        return fault_make(FAULT_MEMORY, "out of memory for %llu waiting records", (unsigned long long)places);
    for (uint64_t i = 0; i < cpu->waiting_count; i++)
        waiting[i] = cpu->waiting[(cpu->waiting_head + i) & cpu->waiting_mask];
    free(cpu->waiting);
    cpu->waiting = waiting;
    cpu->waiting_head = 0;
    cpu->waiting_mask = places - 1;
    return fault_none();
}

/* Adds a record to the graph; false if a fault stopped the run. */
static bool add_record(struct elastic_cpu *cpu, const struct dep_record *record)
{
    double const delay = (double)record->comp_delay * cpu->tick_scale * cpu->delay_factor;
    uint64_t const dependences = (uint64_t)record->rob_dep_count + record->reg_dep_count;
    uint64_t const number = cpu->graph.next_record;
    bool const is_access = record->type == DEP_LOAD || record->type == DEP_STORE;
    const struct elastic_node *node;

    if (!(delay < (double)ELASTIC_LAST_TICK)) {
        elastic_fail(cpu, fault_make(FAULT_INPUT, "%s: data record %llu (seq_num %llu): comp_delay %llu is longer than "
                                     "can be simulated (2^62 ps); the file is damaged, or a factor is too large",
                                     cpu->record_source.name, (unsigned long long)number,
                                     (unsigned long long)record->seq_num, (unsigned long long)record->comp_delay));
        return false;
    }
    if (is_access && !(record->flags & REQUEST_STRICT_ORDER) && !elastic_is_in_memory(cpu, record->p_addr)) {
        elastic_fail(cpu, elastic_address_fault(cpu, cpu->record_source.name, "data record", number, record->p_addr));
        return false;
    }
    if (!elastic_graph_has_room(&cpu->graph, dependences)) {
        struct fault const fault = elastic_data_reserve(cpu, dependences);

        if (fault.kind != FAULT_NONE) {
            elastic_fail(cpu, fault);
            return false;
        }
    }
    cpu->rob_number += 1 + (uint64_t)record->weight;
    node = elastic_graph_add(&cpu->graph, record, (uint64_t)delay, cpu->rob_number);
    if (node->open_dependences == 0)
        issue_first(cpu, number);
    return cpu->fault.kind == FAULT_NONE;
}

bool elastic_data_read_window(struct elastic_cpu *cpu)
{
    struct dep_record record;
    struct fault fault;

    if (cpu->trace_ended || cpu->fault.kind != FAULT_NONE)
        return false;
    for (uint64_t i = 0; i < cpu->record_source.window_records; i++) {
        enum source_result const result = cpu->record_source.next(cpu->record_source.self, &record, &fault);

        if (result == SOURCE_END) {
            cpu->trace_ended = true;
            break;
        }
        if (result == SOURCE_FAULT)
            elastic_fail(cpu, fault);
        record.p_addr += cpu->address_offset;
        if (result == SOURCE_FAULT || !add_record(cpu, &record))
            return false;
        cpu->records_read++;
    }
    if (cpu->graph.max_dependents > cpu->stats.max_dependents)
        cpu->stats.max_dependents = cpu->graph.max_dependents;
    return !cpu->trace_ended;
}

/* ---- completion */

/* Wakes all dependents of a node, in the order in which they were read. */
static void release_dependents(struct elastic_cpu *cpu, struct elastic_node *node)
{
    struct elastic_graph *const graph = &cpu->graph;
    uint32_t const last = node->last_edge;
    uint32_t edge = last;

    if (last == ELASTIC_NO_EDGE)
        return;
    do {
        uint64_t child;

        edge = graph->edges[edge].next;
        child = elastic_graph_child(graph, edge);
        if (--elastic_graph_node(graph, child)->open_dependences == 0)
            issue_first(cpu, child);
    } while (edge != last);
    elastic_graph_give_edges(graph, last, node->dependents);
    node->last_edge = ELASTIC_NO_EDGE;
    node->dependents = 0;
}

/* A load was sent: loads and computations that only had to follow it are released, the others stay in the list. */
static void release_order_dependents(struct elastic_cpu *cpu, struct elastic_node *load)
{
    struct elastic_graph *const graph = &cpu->graph;
    uint32_t const last = load->last_edge;
    uint32_t kept_first = ELASTIC_NO_EDGE, kept_last = ELASTIC_NO_EDGE, kept = 0;
    uint32_t edge, next;

    if (last == ELASTIC_NO_EDGE)
        return;
    next = graph->edges[last].next;
    do {
        uint64_t const child = elastic_graph_child(graph, next);
        struct elastic_node *const node = elastic_graph_node(graph, child);

        edge = next;
        next = graph->edges[edge].next;
        if (graph->edges[edge].child & ELASTIC_EDGE_ORDER && node->type != DEP_STORE) {
            graph->edges[edge].next = graph->free_edge;
            graph->free_edge = edge;
            graph->free_edge_count++;
            if (--node->open_dependences == 0)
                issue_first(cpu, child);
        } else {
            if (kept == 0)
                kept_first = edge;
            else
                graph->edges[kept_last].next = edge;
            kept_last = edge;
            kept++;
        }
    } while (edge != last);
    if (kept)
        graph->edges[kept_last].next = kept_first;
    load->last_edge = kept_last;
    load->dependents = kept;
}

/* The node leaves the ROB. Ordinary stores keep their buffer entry until the write response. */
static void release_resources(struct elastic_cpu *cpu, uint64_t record, const struct elastic_node *node)
{
    elastic_graph_leave_flight(&cpu->graph, record);
    cpu->loads -= node->type == DEP_LOAD;
    cpu->stores -= node->type == DEP_STORE && elastic_is_strictly_ordered(node);
}

static void complete(struct elastic_cpu *cpu, uint64_t record, const struct elastic_node *node)
{
    bool const awaits_response = node->type == DEP_STORE && !elastic_is_strictly_ordered(node);

    cpu->stats.num_ops = node->rob_number;
    cpu->stats.records++;
    elastic_graph_retire(&cpu->graph, record, awaits_response ? ELASTIC_STORE_SENT : ELASTIC_GONE);
    if (++cpu->records_completed == cpu->notify_at_records && cpu->notify)
        cpu->notify(cpu->context, cpu);
}

/* ---- execution (2.8) */

enum command elastic_data_command(const struct elastic_node *node)
{
    uint32_t const atomic = UINT32_C(0xc0000000);
    uint32_t const flags = node->flags;

    if (node->type == DEP_LOAD)
        return flags & REQUEST_LLSC ? CMD_LoadLockedReq
             : flags & REQUEST_PREFETCH_EXCLUSIVE ? CMD_SoftPFExReq
             : flags & REQUEST_PREFETCH ? CMD_SoftPFReq
             : flags & REQUEST_LOCKED_RMW ? CMD_LockedRMWReadReq : CMD_ReadReq;
    return flags & REQUEST_LLSC ? CMD_StoreCondReq
         : flags & (REQUEST_SWAP | REQUEST_SWAP_CONDITIONAL | atomic) ? CMD_SwapReq
         : flags & REQUEST_LOCKED_RMW ? CMD_LockedRMWWriteReq : CMD_WriteReq;
}

static bool try_send(struct elastic_cpu *cpu, struct packet *packet, const struct elastic_node *node,
                     enum command command)
{
    if (!cpu->dcache.ops->recv_request(cpu->dcache.self, packet, cpu->dcache.port))
        return false;
    sim_log(cpu->sim, cpu->data_name, "send", command, node->address);
    return true;
}

/* First attempt ("startMem"); a refused packet is kept. */
static void send_first(struct elastic_cpu *cpu, uint64_t record, struct elastic_node *node)
{
    uint32_t const offset = (uint32_t)(node->address & (cpu->line_bytes - 1));
    enum command const command = elastic_data_command(node);
    struct packet *packet;

    if (elastic_is_strictly_ordered(node)) {
        *(node->type == DEP_LOAD ? &cpu->stats.strict_order_loads : &cpu->stats.strict_order_stores) += 1;
        return;
    }
    if ((uint64_t)offset + node->size_bytes > cpu->line_bytes) {
        node->size_bytes = cpu->line_bytes - offset;
        cpu->stats.split_requests++;
    }
    packet = packet_take(&cpu->sim->packets,
                         &(struct request){.address = elastic_request_address(node->address, node->flags),
                                           .pc = node->pc, .sequence = record, .size_bytes = node->size_bytes,
                                           .flags = node->flags, .requestor = cpu->data_requestor, .has_pc = true},
                         command);
    cpu->stats.data_send_attempted++;
    if (try_send(cpu, packet, node, command)) {
        cpu->stats.data_send_succeeded++;
    } else {
        cpu->stats.data_send_failed++;
        cpu->refused_data = packet;
    }
}

/* Executes the head of the ready list; false if the L1D refuses its request. */
static bool execute_head(struct elastic_cpu *cpu)
{
    uint64_t const record = ready_list_head(&cpu->ready)->record;
    struct elastic_node *const node = elastic_graph_node(&cpu->graph, record);
    bool const waits_for_response = node->type == DEP_LOAD && !elastic_is_strictly_ordered(node);

    if (cpu->refused_data) {
        if (try_send(cpu, cpu->refused_data, node, elastic_data_command(node))) {
            cpu->stats.data_retry_succeeded++;
            cpu->refused_data = NULL;
        }
    } else if (node->type == DEP_LOAD || node->type == DEP_STORE) {
        send_first(cpu, record, node);
    }
    if (cpu->refused_data)
        return false;
    cpi_stack_worked(&cpu->stats.cpi_stack);
    if (waits_for_response) {
        node->state = ELASTIC_LOAD_SENT;
        node->delay_ps = sim_now_ps(cpu->sim);
        release_order_dependents(cpu, node);
    } else {
        release_dependents(cpu, node);
    }
    assert(ready_list_head(&cpu->ready)->record == record);
    ready_list_remove_head(&cpu->ready);
    if (!waits_for_response) {
        release_resources(cpu, record, node);
        complete(cpu, record, node);
    }
    return true;
}

static void schedule_data(struct elastic_cpu *cpu, uint64_t when_ps)
{
    struct event_queue *const events = &cpu->sim->events;

    if (!cpu->data_event.scheduled) {
        cpu->stats.num_sched_dcache_event++;
        event_schedule(events, &cpu->data_event, when_ps);
    } else if (when_ps < cpu->data_event.when_ps) {
        event_reschedule(events, &cpu->data_event, when_ps);
    }
}

static void want_window(struct elastic_cpu *cpu)
{
    if (cpu->graph.live_count < cpu->record_source.window_records && !cpu->trace_ended)
        cpu->window_wanted = true;
}

/* What follows a data event that was not refused. */
static void look_ahead(struct elastic_cpu *cpu)
{
    uint64_t const now = sim_now_ps(cpu->sim);
    uint64_t const next_edge_ps = cpu->edge_ps + cpu->period_ps;
    bool const is_idle = cpu->graph.live_count == 0 && cpu->loads == 0 && cpu->stores == 0;

    want_window(cpu);
    if (cpu->ready.count) {
        schedule_data(cpu, max_u64(ready_list_head(&cpu->ready)->execute_ps, now));
    } else if (cpu->waiting_count) {
        if (missing_resource(cpu, elastic_graph_node(&cpu->graph, cpu->waiting[cpu->waiting_head])) == CPI_WORKING)
            schedule_data(cpu, next_edge_ps);
    } else if (is_idle && !cpu->trace_ended) {
        cpu->sim->notices[NOTICE_GRAPH_DRAINED]++;
        schedule_data(cpu, next_edge_ps);
    } else if (is_idle) {
        cpu->data_done = true;
        cpu->stats.data_last_tick = now;
        cpi_stack_close(&cpu->stats.cpi_stack, cpu->stats.num_cycles);
    }
}

void elastic_data_event(void *owner)
{
    struct elastic_cpu *const cpu = owner;

    cpu->activity++;
    elastic_data_observe(cpu);
    if (cpu->window_wanted) {
        elastic_data_read_window(cpu);
        cpu->window_wanted = false;
        if (cpu->fault.kind != FAULT_NONE)
            return;
    }
    issue_waiting(cpu);
    while (cpu->ready.count && ready_list_head(&cpu->ready)->execute_ps <= cpu->seen_ps)
        if (!execute_head(cpu))
            break;
    cpu->stats.num_cycles = cpu->edge_ps / cpu->period_ps;
    if (!cpu->refused_data)
        look_ahead(cpu);
    cpi_stack_set_cause(&cpu->stats.cpi_stack, present_cause(cpu));
    if (cpu->data_done)
        elastic_side_done(cpu);
}

/* ---- responses (2.9) */

void elastic_data_response(struct elastic_cpu *cpu, struct packet *packet)
{
    uint64_t const record = packet->request.sequence;
    struct elastic_node *const node = elastic_graph_node(&cpu->graph, record);

    cpu->activity++;
    elastic_data_observe(cpu);
    sim_log(cpu->sim, cpu->data_name, "recv", packet->command, packet->address);
    if (packet_is(packet, ATTR_WRITE)) {
        assert(cpu->stores > 0);
        cpu->stores--;
        if (elastic_graph_holds(&cpu->graph, record))
            node->state = ELASTIC_GONE;
    } else {
        assert(elastic_graph_holds(&cpu->graph, record) && node->state == ELASTIC_LOAD_SENT);
        latency_histogram_add(&cpu->stats.load_latency, cpu->seen_ps - node->delay_ps);
        release_resources(cpu, record, node);    /* before the children are woken */
        release_dependents(cpu, node);
        complete(cpu, record, node);
    }
    packet_give(&cpu->sim->packets, packet);
    want_window(cpu);
    if (!cpu->refused_data) {
        uint64_t const next_edge_ps = cpu->edge_ps + cpu->period_ps;

        schedule_data(cpu, cpu->ready.count ? max_u64(ready_list_head(&cpu->ready)->execute_ps, next_edge_ps)
                                            : next_edge_ps);
    }
    cpi_stack_set_cause(&cpu->stats.cpi_stack, present_cause(cpu));
}
