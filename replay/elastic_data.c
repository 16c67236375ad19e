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

/* Sets E(0), the next or current clock edge. Time goes on by less than a cycle as a rule. */
static inline void find_edge(struct elastic_cpu *cpu, uint64_t now)
{
    if (now <= cpu->edge_ps)
        return;
    if (now <= cpu->edge_ps + cpu->period_ps) {
        cpu->edge_cyc++;
        cpu->edge_ps += cpu->period_ps;
    } else {
        cpu->edge_cyc = clock_cycles(now, cpu->period_ps);
        cpu->edge_ps = cpu->edge_cyc * cpu->period_ps;
    }
}

static inline void observe(struct elastic_cpu *cpu)
{
    uint64_t const now = sim_now_ps(cpu->sim);

    if (now == cpu->seen_ps || cpu->data_done)
        return;
    cpu->seen_ps = now;
    find_edge(cpu, now);
    cpi_stack_advance(&cpu->stats.cpi_stack, cpu->edge_cyc - (cpu->edge_ps != now));
}

/* Integrals from the start of the run: rob_ps, load_buffer_ps, store_buffer_ps. A load holds its entry while it is in
 * flight, a store until its write response. */
static void integrate(const struct elastic_cpu *cpu, uint64_t integrals[3])
{
    uint64_t const now = cpu->seen_ps;
    uint64_t const stores_in_flight = cpu->held[DEP_STORE] - cpu->sent_stores;

    integrals[0] = cpu->graph.in_flight_count * now;
    for (int type = 0; type < DEP_TYPES; type++)
        integrals[0] += cpu->flight_ps[type];
    integrals[1] = cpu->flight_ps[DEP_LOAD] + cpu->held[DEP_LOAD] * now;
    integrals[2] = cpu->flight_ps[DEP_STORE] + stores_in_flight * now + cpu->sent_stores_ps + cpu->sent_stores * now;
}

void elastic_data_observe(struct elastic_cpu *cpu)
{
    struct elastic_cpu_stats *const stats = &cpu->stats;
    uint64_t integrals[3];

    observe(cpu);
    integrate(cpu, integrals);
    stats->rob_ps = integrals[0] - cpu->integrals_before[0];
    stats->load_buffer_ps = integrals[1] - cpu->integrals_before[1];
    stats->store_buffer_ps = integrals[2] - cpu->integrals_before[2];
    stats->until_ps = cpu->seen_ps;
    stats->records = elastic_cpu_records_completed(cpu) - cpu->records_before;
}

void elastic_data_forget(struct elastic_cpu *cpu)
{
    integrate(cpu, cpu->integrals_before);
    cpu->records_before = elastic_cpu_records_completed(cpu);
    cpu->graph.max_dependents = 0;
}

/* What the cycles are charged to in which nothing executes until something happens. */
static inline enum cpi_part present_cause(const struct elastic_cpu *cpu)
{
    if (cpu->refused_data)
        return CPI_BLOCKED_CACHE;
    return cpu->waiting_count ? cpu->waiting_cause : CPI_DEPENDENCES;
}

/* ---- resources (2.6) and issue (2.7) */

/* "The ROB is a distance test" on 16-bit numbers (2.6). */
static bool is_rob_full(struct elastic_cpu *cpu, uint64_t rob_number)
{
    struct elastic_graph *const graph = &cpu->graph;

    elastic_graph_find_oldest(graph);
    return rob_number > graph->oldest_rob_number
        && (uint16_t)(rob_number - graph->oldest_rob_number) >= cpu->rob_limit;
}

/* CPI_WORKING if the node may issue, else what is missing. */
static inline enum cpi_part missing_resource(struct elastic_cpu *cpu, const struct elastic_node *node)
{
    uint64_t const lower_bound = cpu->graph.oldest_rob_number;

    /* Less than the limit from a lower bound is less from the oldest. */
    if (node->rob_number > lower_bound && node->rob_number - lower_bound >= cpu->rob_limit
        && is_rob_full(cpu, node->rob_number))
        return CPI_ROB;
    if (cpu->held[node->type] >= cpu->limit[node->type])
        return node->type == DEP_LOAD ? CPI_LOAD_BUFFER : CPI_STORE_BUFFER;
    return CPI_WORKING;
}

/* The answer is missing_resource's; with CPI_WORKING the node is in the ready list. `has_turn`: a record that is not in
 * the list any more counts as ready, too. */
static inline enum cpi_part issue(struct elastic_cpu *cpu, uint32_t place, uint64_t record, bool has_turn)
{
    const struct elastic_node *const node = &cpu->graph.nodes[place];
    enum cpi_part const missing = missing_resource(cpu, node);

    if (missing != CPI_WORKING)
        return missing;
    ready_list_insert(&cpu->ready, cpu->edge_ps + node->delay_ps, record);
    if (cpu->ready.count + has_turn > cpu->stats.max_ready_list_size)
        cpu->stats.max_ready_list_size = cpu->ready.count + has_turn;
    elastic_graph_enter_flight(&cpu->graph, place, record);
    cpu->flight_ps[node->type] -= cpu->seen_ps;
    cpu->held[node->type]++;
    return CPI_WORKING;
}

static void wait_for_resource(struct elastic_cpu *cpu, uint64_t record, enum cpi_part missing)
{
    assert(cpu->waiting_count <= cpu->waiting_mask);
    if (cpu->waiting_count == 0)
        cpu->waiting_cause = missing;
    cpu->waiting[(cpu->waiting_head + cpu->waiting_count) & cpu->waiting_mask] = record;
    cpu->waiting_count++;
}

/* For a node that has just lost its last dependence: it overtakes waiting ones if it fits. */
static inline void issue_first(struct elastic_cpu *cpu, uint32_t place, uint64_t record, bool has_turn)
{
    enum cpi_part const missing = issue(cpu, place, record, has_turn);

    if (missing != CPI_WORKING)
        wait_for_resource(cpu, record, missing);
}

static void issue_waiting(struct elastic_cpu *cpu)
{
    while (cpu->waiting_count) {
        uint64_t const record = cpu->waiting[cpu->waiting_head];
        enum cpi_part const missing = issue(cpu, elastic_graph_place(&cpu->graph, record), record,
                                             cpu->has_turn);

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

static void fail_long_delay(struct elastic_cpu *cpu, const struct store_record *record, uint64_t number)
{
    elastic_fail(cpu, fault_make(FAULT_INPUT, "%s: data record %llu (seq_num %llu): comp_delay %llu is longer than "
                                 "can be simulated (2^62 ps); the file is damaged, or a factor is too large",
                                 cpu->record_source.name, (unsigned long long)number,
                                 (unsigned long long)record->seq_num, (unsigned long long)record->comp_delay));
}

/* Delay of a record in ps; false after a fault. */
static inline bool read_delay(struct elastic_cpu *cpu, const struct store_record *record, uint64_t number,
                              uint64_t *delay_ps)
{
    double delay;

    *delay_ps = record->comp_delay;
    if (!cpu->scales_delays && record->comp_delay < UINT64_C(1) << 53)
        return true;                 /* the calculation below would be exact */
    delay = (double)record->comp_delay * cpu->tick_scale * cpu->delay_factor;
    if (!(delay < (double)ELASTIC_LAST_TICK)) {
        fail_long_delay(cpu, record, number);
        return false;
    }
    *delay_ps = (uint64_t)delay;
    return true;
}

/* Puts records into the graph while it has room and they are right; the answer is how many. */
static size_t put_records(struct elastic_cpu *cpu, const struct store_record *records, size_t most)
{
    struct elastic_graph *const graph = &cpu->graph;
    size_t const limit = min_u64(most, graph->node_room);
    uint64_t const first = graph->next_record;
    uint64_t rob_number = cpu->rob_number, edges = 0;
    size_t count;

    for (count = 0; count < limit; count++) {
        const struct store_record *const record = &records[count];
        const struct store_shape *const shape = record->shape;
        uint64_t const address = record->p_addr + cpu->address_offset;
        bool const is_access = shape->type == DEP_LOAD || shape->type == DEP_STORE;
        uint64_t delay_ps;

        edges += (uint64_t)shape->rob_dep_count + shape->reg_dep_count;
        if (edges > graph->edge_room || !read_delay(cpu, record, first + count, &delay_ps))
            break;
        if (is_access && !elastic_is_in_memory(cpu, address) && !(shape->flags & REQUEST_STRICT_ORDER)) {
            elastic_fail(cpu, elastic_address_fault(cpu, cpu->record_source.name, "data record", first + count,
                                                    address));
            break;
        }
        rob_number += 1 + (uint64_t)shape->weight;
        elastic_graph_put(graph, first + count, record, address, delay_ps, rob_number);
    }
    cpu->rob_number = rob_number;
    return count;
}

/* Adds records to the graph; false if a fault stopped the run. */
static bool add_records(struct elastic_cpu *cpu, const struct store_record *records, size_t count)
{
    while (count > 0) {
        uint64_t const first = cpu->graph.next_record;
        size_t const added = put_records(cpu, records, count);

        if (cpu->fault.kind != FAULT_NONE)
            return false;
        if (added == 0) {
            const struct store_shape *const shape = records->shape;
            struct fault const fault
                = elastic_data_reserve(cpu, (uint64_t)shape->rob_dep_count + shape->reg_dep_count);

            if (fault.kind != FAULT_NONE) {
                elastic_fail(cpu, fault);
                return false;
            }
            continue;
        }
        elastic_graph_connect(&cpu->graph, records, added);
        for (uint64_t record = first; record < first + added; record++) {
            uint32_t const place = elastic_graph_place(&cpu->graph, record);

            if (cpu->graph.open_dependences[place] == 0)
                issue_first(cpu, place, record, cpu->has_turn);
        }
        records += added;
        count -= added;
    }
    return true;
}

/* The next records of the source, if there are any. */
static bool fetch_batch(struct elastic_cpu *cpu)
{
    struct fault fault;

    switch (cpu->record_source.batch(cpu->record_source.self, &cpu->batch, &fault)) {
    case SOURCE_RECORD:
        return true;
    case SOURCE_END:
        cpu->trace_ended = true;
        break;
    case SOURCE_FAULT:
        elastic_fail(cpu, fault);
        break;
    }
    cpu->batch.count = 0;
    return false;
}

bool elastic_data_read_window(struct elastic_cpu *cpu)
{
    uint64_t left = cpu->record_source.window_records;

    if (cpu->trace_ended || cpu->fault.kind != FAULT_NONE)
        return false;
    while (left > 0 && (cpu->batch.count > 0 || fetch_batch(cpu))) {
        size_t const count = min_u64(left, cpu->batch.count);

        if (!add_records(cpu, cpu->batch.records, count))
            return false;
        cpu->records_read += count;
        cpu->batch.records += count;
        cpu->batch.count -= count;
        left -= count;
    }
    if (cpu->fault.kind != FAULT_NONE)
        return false;
    if (cpu->graph.max_dependents > cpu->stats.max_dependents)
        cpu->stats.max_dependents = cpu->graph.max_dependents;
    return !cpu->trace_ended;
}

/* ---- completion */

/* One dependence less. */
static inline void wake(struct elastic_cpu *cpu, uint32_t place, bool has_turn)
{
    if (--cpu->graph.open_dependences[place] == 0)
        issue_first(cpu, place, elastic_graph_record(&cpu->graph, place), has_turn);
}

/* Wakes all dependents of a node, in the order in which they were read. */
static inline void release_dependents(struct elastic_cpu *cpu, uint32_t place, bool has_turn)
{
    struct elastic_node *const node = &cpu->graph.nodes[place];
    const struct elastic_edge *const edges = cpu->graph.edges;
    uint32_t const last = node->last_edge, head = elastic_head_edge(place);

    for (uint32_t edge = head; edge != last;) {
        edge = edges[edge].next;
        wake(cpu, elastic_edge_child(&edges[edge]), has_turn);
    }
    node->last_edge = head;
    node->dependents = 0;
}

/* A load was sent: loads and computations that only had to follow it are released, the others stay in the list. */
static void release_order_dependents(struct elastic_cpu *cpu, uint32_t place)
{
    struct elastic_graph *const graph = &cpu->graph;
    struct elastic_edge *const edges = graph->edges;
    struct elastic_node *const load = &graph->nodes[place];
    uint32_t const last = load->last_edge;
    uint32_t kept_last = elastic_head_edge(place), kept = 0;

    for (uint32_t edge = kept_last, next = edges[edge].next; edge != last;) {
        uint32_t child;

        edge = next;
        next = edges[edge].next;     /* before a kept edge is linked over it */
        child = elastic_edge_child(&edges[edge]);
        if (edges[edge].child & ELASTIC_EDGE_ORDER && graph->nodes[child].type != DEP_STORE) {
            wake(cpu, child, true);
        } else {
            edges[kept_last].next = edge;
            kept_last = edge;
            kept++;
        }
    }
    load->last_edge = kept_last;
    load->dependents = kept;
}

/* The node leaves the ROB and the graph, and what it held; but an ordinary store keeps its buffer entry until the write
 * response. */
static inline void leave(struct elastic_cpu *cpu, uint32_t place, bool is_sent_store)
{
    struct elastic_graph *const graph = &cpu->graph;
    const struct elastic_node *const node = &graph->nodes[place];

    elastic_graph_leave_flight(graph);
    cpu->flight_ps[node->type] += cpu->seen_ps;
    if (is_sent_store) {
        cpu->sent_stores++;
        cpu->sent_stores_ps -= cpu->seen_ps;
    } else {
        cpu->held[node->type]--;
    }
    cpu->stats.num_ops = node->rob_number;
    elastic_graph_retire(graph, place, is_sent_store ? ELASTIC_STORE_SENT : ELASTIC_GONE);
}

static inline void tell_completion(struct elastic_cpu *cpu)
{
    if (cpu->graph.retired_count == cpu->notify_at_records && cpu->notify)
        cpu->notify(cpu->context, cpu);
}

/* ---- execution (2.8) */

/* Flags of the read-modify-write operations, with and without the old value as a result. */
#define ATOMIC_OPERATIONS UINT32_C(0xc0000000)

enum command elastic_data_command(const struct elastic_graph *graph, uint32_t place)
{
    uint32_t const flags = graph->accesses[place].flags;

    if (graph->nodes[place].type == DEP_LOAD)
        return flags & REQUEST_LLSC ? CMD_LoadLockedReq
             : flags & REQUEST_PREFETCH_EXCLUSIVE ? CMD_SoftPFExReq
             : flags & REQUEST_PREFETCH ? CMD_SoftPFReq
             : flags & REQUEST_LOCKED_RMW ? CMD_LockedRMWReadReq : CMD_ReadReq;
    return flags & REQUEST_LLSC ? CMD_StoreCondReq
         : flags & (REQUEST_SWAP | REQUEST_SWAP_CONDITIONAL | ATOMIC_OPERATIONS) ? CMD_SwapReq
         : flags & REQUEST_LOCKED_RMW ? CMD_LockedRMWWriteReq : CMD_WriteReq;
}

static inline bool try_send(struct elastic_cpu *cpu, struct packet *packet, uint32_t place, enum command command)
{
    if (!cpu->dcache.ops->recv_request(cpu->dcache.self, packet, cpu->dcache.port))
        return false;
    sim_log(cpu->sim, cpu->data_name, "send", command, cpu->graph.accesses[place].address);
    return true;
}

/* First attempt ("startMem"); a refused packet is kept. */
static void send_first(struct elastic_cpu *cpu, uint64_t record, uint32_t place)
{
    struct elastic_access *const access = &cpu->graph.accesses[place];
    uint32_t const offset = (uint32_t)(access->address & (cpu->line_bytes - 1));
    enum command const command = elastic_data_command(&cpu->graph, place);
    struct packet *packet;

    if ((uint64_t)offset + access->size_bytes > cpu->line_bytes) {
        access->size_bytes = cpu->line_bytes - offset;
        cpu->stats.split_requests++;
    }
    packet = packet_take(&cpu->sim->packets,
                         &(struct request){.address = elastic_request_address(access->address, access->flags),
                                           .pc = access->pc, .sequence = record, .size_bytes = access->size_bytes,
                                           .flags = access->flags, .requestor = cpu->data_requestor, .has_pc = true},
                         command);
    cpu->stats.data_send_attempted++;
    if (try_send(cpu, packet, place, command)) {
        cpu->stats.data_send_succeeded++;
    } else {
        cpu->stats.data_send_failed++;
        cpu->refused_data = packet;
    }
}

/* Sends the packet of a load or store whose turn it is; false if the L1D refuses it. */
OUT_OF_LINE static bool send_packet(struct elastic_cpu *cpu, uint64_t record, uint32_t place)
{
    if (!cpu->refused_data) {
        send_first(cpu, record, place);
    } else if (try_send(cpu, cpu->refused_data, place, elastic_data_command(&cpu->graph, place))) {
        cpu->stats.data_retry_succeeded++;
        cpu->refused_data = NULL;
    }
    return !cpu->refused_data;
}

/* Flags that make more of an access than a plain one (port.h), or send nothing at all. */
#define NOT_PLAIN (REQUEST_UNCACHEABLE | REQUEST_STRICT_ORDER | REQUEST_LOCKED_RMW | REQUEST_LLSC | REQUEST_SWAP            \
                   | REQUEST_SWAP_CONDITIONAL | REQUEST_PREFETCH | REQUEST_PREFETCH_EXCLUSIVE | REQUEST_SECURE          \
                   | ATOMIC_OPERATIONS)

/* Serves a plain access that hits; false if it needs a packet. */
static inline bool try_plain(struct elastic_cpu *cpu, uint64_t record, uint32_t place, bool is_load)
{
    const struct elastic_access *const access = &cpu->graph.accesses[place];
    const struct below *const dcache = &cpu->dcache;
    bool (*const try)(void *, uint64_t, requestor_id, uint64_t) = is_load ? dcache->try_read : dcache->try_write;
    enum command const response = is_load ? CMD_ReadResp : CMD_WriteResp;
    uint64_t const offset = access->address & (cpu->line_bytes - 1);

    if (RARELY(access->flags & NOT_PLAIN || offset + access->size_bytes > cpu->line_bytes
               || (!is_load && access->size_bytes == cpu->line_bytes) || cpu->refused_data || !try))
        return false;
    if (RARELY(!try(dcache->self, access->address, cpu->data_requestor, elastic_token(record, response))))
        return false;
    cpu->stats.data_send_attempted++;
    cpu->stats.data_send_succeeded++;
    sim_log(cpu->sim, cpu->data_name, "send", is_load ? CMD_ReadReq : CMD_WriteReq, access->address);
    return true;
}

/* A node whose turn it is leaves; a sent store keeps its buffer entry. */
static inline void complete(struct elastic_cpu *cpu, uint32_t place, bool is_sent_store)
{
    release_dependents(cpu, place, true);
    leave(cpu, place, is_sent_store);
    tell_completion(cpu);
}

/* Executes a load whose turn it is; false if the L1D refuses its request. */
static bool execute_load(struct elastic_cpu *cpu, uint64_t record, uint32_t place)
{
    if (RARELY(!try_plain(cpu, record, place, true))) {
        if (cpu->graph.accesses[place].flags & REQUEST_STRICT_ORDER) {
            cpu->stats.strict_order_loads++;
            complete(cpu, place, false);
            return true;
        }
        if (!send_packet(cpu, record, place))
            return false;
    }
    cpu->graph.states[place] = ELASTIC_LOAD_SENT;
    cpu->graph.nodes[place].delay_ps = sim_now_ps(cpu->sim);
    release_order_dependents(cpu, place);
    return true;
}

/* The same for a store. */
static bool execute_store(struct elastic_cpu *cpu, uint64_t record, uint32_t place)
{
    bool is_sent = true;

    if (RARELY(!try_plain(cpu, record, place, false))) {
        is_sent = !(cpu->graph.accesses[place].flags & REQUEST_STRICT_ORDER);
        if (!is_sent)
            cpu->stats.strict_order_stores++;
        else if (!send_packet(cpu, record, place))
            return false;
    }
    complete(cpu, place, is_sent);
    return true;
}

/* Executes a record whose turn it is; false if the L1D refuses its request. */
static inline bool execute(struct elastic_cpu *cpu, uint64_t record)
{
    uint32_t const place = elastic_graph_place(&cpu->graph, record);
    uint8_t const type = cpu->graph.nodes[place].type;

    if (type == DEP_LOAD)
        return execute_load(cpu, record, place);
    if (type == DEP_STORE)
        return execute_store(cpu, record, place);
    complete(cpu, place, false);
    return true;
}

/* All whose tick has come, until the L1D refuses one, which keeps its turn. True if any executed. */
static inline bool execute_ready(struct elastic_cpu *cpu)
{
    bool worked = false;

    if (cpu->has_turn) {
        if (!execute(cpu, cpu->turn))
            return false;
        cpu->has_turn = false;
        worked = true;
    }
    while (cpu->ready.count && ready_list_head(&cpu->ready)->execute_ps <= cpu->seen_ps) {
        uint64_t const record = ready_list_head(&cpu->ready)->record;

        ready_list_remove_head(&cpu->ready);
        if (!execute(cpu, record)) {
            cpu->turn = record;
            cpu->has_turn = true;
            break;
        }
        worked = true;
    }
    return worked;
}

/* The run ends where simulated time does. */
static void fail_late(struct elastic_cpu *cpu)
{
    uint64_t const record = ready_list_head(&cpu->ready)->record;

    elastic_fail(cpu, fault_make(FAULT_INPUT, "%s: data record %llu (seq_num %llu): comp_delay leads beyond the "
                                 "last tick that can be simulated (2^62 ps); the file is damaged, or a factor is "
                                 "too large",
                                 cpu->record_source.name, (unsigned long long)record,
                                 (unsigned long long)cpu->graph.accesses[record & cpu->graph.mask].seq_num));
}

/* Tick at which the head of the ready list executes, `earliest_ps` at the earliest. There must be one. */
static inline uint64_t next_execution_ps(struct elastic_cpu *cpu, uint64_t earliest_ps)
{
    uint64_t const execute_ps = ready_list_head(&cpu->ready)->execute_ps;

    if (execute_ps >= ELASTIC_LAST_TICK)
        fail_late(cpu);
    return max_u64(execute_ps, earliest_ps);
}

static inline void want_window(struct elastic_cpu *cpu)
{
    if (elastic_graph_live_count(&cpu->graph) < cpu->record_source.window_records && !cpu->trace_ended)
        cpu->window_wanted = true;
}

/* Tick of the next data event after one that was not refused; TICK_NEVER if something else has to happen first. */
static inline uint64_t look_ahead(struct elastic_cpu *cpu)
{
    uint64_t const now = sim_now_ps(cpu->sim);
    uint64_t const next_edge_ps = cpu->edge_ps + cpu->period_ps;

    want_window(cpu);
    if (cpu->ready.count)
        return next_execution_ps(cpu, now);
    if (cpu->waiting_count) {
        uint32_t const place = elastic_graph_place(&cpu->graph, cpu->waiting[cpu->waiting_head]);

        return missing_resource(cpu, &cpu->graph.nodes[place]) == CPI_WORKING ? next_edge_ps : TICK_NEVER;
    }
    if (elastic_graph_live_count(&cpu->graph) || cpu->held[DEP_LOAD] || cpu->held[DEP_STORE])
        return TICK_NEVER;
    if (!cpu->trace_ended) {
        cpu->sim->notices[NOTICE_GRAPH_DRAINED]++;
        return next_edge_ps;
    }
    cpu->data_done = true;
    cpu->stats.data_last_tick = now;
    cpi_stack_close(&cpu->stats.cpi_stack, cpu->stats.num_cycles);
    return TICK_NEVER;
}

/* The answer is look_ahead's. */
static inline uint64_t data_event(struct elastic_cpu *cpu)
{
    uint64_t next_ps = TICK_NEVER;

    cpu->activity++;
    observe(cpu);
    if (cpu->window_wanted) {
        elastic_data_read_window(cpu);
        cpu->window_wanted = false;
        if (cpu->fault.kind != FAULT_NONE)
            return TICK_NEVER;
    }
    if (cpu->waiting_count)
        issue_waiting(cpu);
    if (execute_ready(cpu))
        cpi_stack_worked(&cpu->stats.cpi_stack);
    cpu->stats.num_cycles = cpu->edge_cyc;
    if (!cpu->refused_data)
        next_ps = look_ahead(cpu);
    cpi_stack_set_cause(&cpu->stats.cpi_stack, present_cause(cpu));
    if (cpu->data_done)
        elastic_side_done(cpu);
    return next_ps;
}

void elastic_data_event(void *owner)
{
    struct elastic_cpu *const cpu = owner;
    uint64_t next_ps;

    do {
        next_ps = data_event(cpu);
        if (next_ps == TICK_NEVER)
            return;
        cpu->stats.num_sched_dcache_event++;
    } while (event_continue(&cpu->sim->events, &cpu->data_event, next_ps));
}

/* ---- responses (2.9) */

static inline void schedule_after_response(struct elastic_cpu *cpu)
{
    struct event_queue *const events = &cpu->sim->events;
    uint64_t const next_edge_ps = cpu->edge_ps + cpu->period_ps;
    uint64_t when_ps = next_edge_ps;

    if (cpu->data_event.scheduled && cpu->data_event.when_ps <= next_edge_ps)
        return;
    if (cpu->ready.count)
        when_ps = next_execution_ps(cpu, next_edge_ps);
    if (!cpu->data_event.scheduled) {
        cpu->stats.num_sched_dcache_event++;
        event_schedule(events, &cpu->data_event, when_ps);
    } else if (when_ps < cpu->data_event.when_ps) {
        event_reschedule(events, &cpu->data_event, when_ps);
    }
}

static inline void answer_store(struct elastic_cpu *cpu, uint64_t record)
{
    assert(cpu->held[DEP_STORE] > 0);
    cpu->held[DEP_STORE]--;
    cpu->sent_stores--;
    cpu->sent_stores_ps += cpu->seen_ps;
    if (elastic_graph_holds(&cpu->graph, record))
        cpu->graph.states[elastic_graph_place(&cpu->graph, record)] = ELASTIC_GONE;
}

static inline void answer_load(struct elastic_cpu *cpu, uint64_t record)
{
    uint32_t const place = elastic_graph_place(&cpu->graph, record);

    assert(cpu->graph.states[place] == ELASTIC_LOAD_SENT);
    latency_histogram_add(&cpu->stats.load_latency, cpu->seen_ps - cpu->graph.nodes[place].delay_ps);
    leave(cpu, place, false);    /* before the children are woken */
    release_dependents(cpu, place, cpu->has_turn);
    tell_completion(cpu);
}

void elastic_data_answer(void *self, uint64_t address, uint64_t token)
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
    if (!cpu->refused_data)
        schedule_after_response(cpu);
    cpi_stack_set_cause(&cpu->stats.cpi_stack, present_cause(cpu));
}
