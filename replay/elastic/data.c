/* Modelled: the data generator (elastic-trace 2.6 to 2.11): limits of ROB, load and store buffer, the ready list,
 * sends, retries and responses, in the order of the reference's actions, since the order decides ticks (2.16).
 * Windows of records are in read.c, nodes in data_internal.h. Not modelled: forwarding, disambiguation, second halves
 * of split accesses; the reference has none either.
 *
 * Beyond the reference: a graph that drained before the end of the trace was noticed reads on (2.11); records that wait
 * for answers or for a time (DEP_ALONE, DEP_AFTER_ANSWER, DEP_AT_TIME), which no trace of the reference has. */
#include <stdlib.h>

#include "replay/elastic/data_internal.h"

/* ---- the present */

/* Something happens on the data side, which is not done: E(0) and the integrals over time reach the present. */
static void observe(struct elastic_cpu *cpu)
{
    uint64_t const now = sim_now_ps(cpu->sim), passed_ps = now - cpu->seen_ps;
    struct elastic_cpu_stats *const stats = &cpu->stats;

    if (passed_ps == 0)
        return;
    stats->rob_ps += passed_ps * plain_of(cpu)->in_flight_count;
    stats->load_buffer_ps += passed_ps * elastic_cpu_held(cpu, DEP_LOAD);
    stats->store_buffer_ps += passed_ps * elastic_cpu_held(cpu, DEP_STORE);
    cpu->seen_ps = now;
    cpu->edge_ps = clock_edge_ps(now, cpu->clock.period_ps, 0);
    cpi_stack_advance(&stats->cpi_stack, cpu->edge_ps - (cpu->edge_ps != now ? cpu->clock.period_ps : 0));
}

static void observe_statistics(struct elastic_cpu *cpu)
{
    struct elastic_cpu_stats *const stats = &cpu->stats;

    if (!cpu->data_done) {
        observe(cpu);
        cpi_stack_charge(&stats->cpi_stack);
    }
    stats->num_cycles = cpu->event_edge_ps / cpu->clock.period_ps;
    /* 0 until a record completes; one that overtook others may have been counted before */
    stats->micro_ops = stats->num_ops > stats->earlier_ops ? stats->num_ops - stats->earlier_ops : 0;
    stats->until_ps = cpu->seen_ps;
    stats->records = plain_of(cpu)->completed - cpu->records_before;
}

static void forget_statistics(struct elastic_cpu *cpu)
{
    cpu->event_edge_ps = 0;
    cpu->records_before = plain_of(cpu)->completed;
}

/* The head of depFreeQueue, though there is room? */
static bool waits_for_answers(const struct elastic_cpu *cpu)
{
    const struct store_shape *const shape = &plain_of(cpu)->dep_free->shape;

    return shape->present & (DEP_ALONE | DEP_AFTER_ANSWER) && cpu->dep_free_cause != CPI_ROB
        && cpu->free_entries[shape->links.type] > 0;
}

/* The CPI stack learns what the cycles are charged to in which nothing executes until something happens. */
static void tell_cause(struct elastic_cpu *cpu)
{
    enum cpi_part cause = CPI_DEPENDENCES;

    if (cpu->is_refused)
        cause = CPI_BLOCKED_CACHE;
    else if (cpu->dep_free_count && !waits_for_answers(cpu))
        cause = cpu->dep_free_cause;
    cpi_stack_set_cause(&cpu->stats.cpi_stack, cause);
    plain_of(cpu)->is_cause_new = false;
}

/* ---- resources (2.6) */

/* "The ROB is a distance test" on 16-bit numbers. */
static bool is_rob_full(const struct elastic_cpu *cpu, uint64_t rob_number)
{
    const struct data_node *const oldest = plain_of(cpu)->in_flight;

    return oldest && rob_number > oldest->rob_number
        && (uint16_t)(rob_number - oldest->rob_number) >= cpu->rob_limit;
}

/* The buffer whose entries the answer frees that the node waits for; CPI_WORKING if it waits for none. */
static enum cpi_part missing_answer(const struct elastic_cpu *cpu, const struct data_node *node)
{
    const struct data_node *other;

    if (node->shape.present & DEP_ALONE)
        return elastic_cpu_held(cpu, DEP_LOAD) ? CPI_LOAD_BUFFER
               : elastic_cpu_held(cpu, DEP_STORE) ? CPI_STORE_BUFFER : CPI_WORKING;
    if (!(node->shape.present & DEP_AFTER_ANSWER))
        return CPI_WORKING;
    other = elastic_data_find(plain_of(cpu), node->access.seq_num - node->shape.text);
    return other && other->state == DATA_LOAD_SENT ? CPI_LOAD_BUFFER
           : other && other->state == DATA_STORE_SENT ? CPI_STORE_BUFFER : CPI_WORKING;
}

/* CPI_WORKING if the node may issue, else the missing resource. */
static enum cpi_part missing_resource(const struct elastic_cpu *cpu, const struct data_node *node)
{
    enum cpi_part const answer = missing_answer(cpu, node);

    if (answer != CPI_WORKING)
        return answer;
    if (is_rob_full(cpu, node->rob_number))
        return CPI_ROB;
    if (cpu->free_entries[node->shape.links.type] == 0)
        return node->shape.links.type == DEP_LOAD ? CPI_LOAD_BUFFER : CPI_STORE_BUFFER;
    return CPI_WORKING;
}

static void occupy(struct elastic_cpu *cpu, struct data_node *node)
{
    struct data_node **place = &plain_of(cpu)->in_flight;

    while (*place && (*place)->access.record < node->access.record)
        place = &(*place)->younger;
    node->younger = *place;
    *place = node;
    plain_of(cpu)->in_flight_count++;
    cpu->free_entries[node->shape.links.type]--;
}

/* The node leaves the ROB and frees its buffer entry; but a store that was sent keeps it until the write response. */
static void release(struct elastic_cpu *cpu, struct data_node *node, bool is_sent_store)
{
    struct data_node **place = &plain_of(cpu)->in_flight;

    while (*place != node)
        place = &(*place)->younger;
    *place = node->younger;
    plain_of(cpu)->in_flight_count--;
    if (!is_sent_store)
        cpu->free_entries[node->shape.links.type]++;
}

/* ---- issue (2.7) */

/* Into the ready list: by tick, then by record; but a node whose access was refused stays the first (2.10). */
static void insert_ready(struct elastic_cpu *cpu, struct data_node *node)
{
    struct elastic_plain *const plain = plain_of(cpu);
    struct data_node **place = cpu->is_refused ? &plain->ready->next : &plain->ready;

    while (*place && ((*place)->execute_ps < node->execute_ps
                      || ((*place)->execute_ps == node->execute_ps && (*place)->access.record < node->access.record)))
        place = &(*place)->next;
    node->next = *place;
    *place = node;
    if (++plain->ready_count > cpu->stats.max_ready_list_size)
        cpu->stats.max_ready_list_size = plain->ready_count;
}

static void issue(struct elastic_cpu *cpu, struct data_node *node)
{
    node->execute_ps = node->shape.present & DEP_AT_TIME ? max_u64(cpu->began_ps + node->delay_ps, cpu->edge_ps)
                                                         : cpu->edge_ps + node->delay_ps;
    node->state = DATA_READY;
    insert_ready(cpu, node);
    occupy(cpu, node);
}

void elastic_data_issue_first(struct elastic_cpu *cpu, struct data_node *node)
{
    enum cpi_part const missing = missing_resource(cpu, node);
    struct elastic_plain *const plain = plain_of(cpu);

    if (missing == CPI_WORKING) {
        issue(cpu, node);
        return;
    }
    if (cpu->dep_free_count++ == 0) {
        plain->dep_free_end = &plain->dep_free;
        plain->is_cause_new = true;
        cpu->dep_free_cause = missing;
    }
    *plain->dep_free_end = node;
    plain->dep_free_end = &node->next;
}

/* Only the head of depFreeQueue is tried again. */
static void issue_dep_free(struct elastic_cpu *cpu)
{
    struct elastic_plain *const plain = plain_of(cpu);

    while (cpu->dep_free_count > 0) {
        struct data_node *const node = plain->dep_free;
        enum cpi_part const missing = missing_resource(cpu, node);

        if (missing != CPI_WORKING) {
            cpu->dep_free_cause = missing;
            return;
        }
        plain->dep_free = node->next;
        cpu->dep_free_count--;
        issue(cpu, node);
    }
}

/* ---- completion */

static void wake(struct elastic_cpu *cpu, struct data_node *child)
{
    if (--child->open_dependences == 0)
        elastic_data_issue_first(cpu, child);
}

static void release_dependents(struct elastic_cpu *cpu, struct data_node *node)
{
    for (size_t i = 0; i < node->dependent_count; i++)
        wake(cpu, node->dependents[i].child);
    node->dependent_count = 0;
}

/* A load was sent: loads and computations that were read and only had to follow it are released. */
static void release_early_dependents(struct elastic_cpu *cpu, struct data_node *load)
{
    size_t kept = 0;

    for (size_t i = 0; i < load->dependent_count; i++) {
        struct data_edge const edge = load->dependents[i];

        if (edge.is_order && edge.child->shape.links.type != DEP_STORE)
            wake(cpu, edge.child);
        else
            load->dependents[kept++] = edge;
    }
    load->dependent_count = kept;
}

static void complete(struct elastic_cpu *cpu, struct data_node *node, enum data_state state)
{
    cpu->stats.num_ops = node->rob_number;
    node->state = state;
    plain_of(cpu)->completed++;
}

static void tell_completion(struct elastic_cpu *cpu)
{
    if (plain_of(cpu)->completed == cpu->notify_at_records && cpu->notify)
        cpu->notify(cpu->context, cpu);
}

/* ---- execution (2.8) */

static enum elastic_sending send_again(struct elastic_cpu *cpu, const struct data_node *node)
{
    if (!elastic_access_send_again(cpu, &node->access))
        return ELASTIC_REFUSED;
    cpu->stats.data_retry_succeeded++;
    cpu->is_refused = false;
    return ELASTIC_SENT;
}

static enum elastic_sending send_first(struct elastic_cpu *cpu, const struct data_node *node)
{
    enum elastic_sending const sending = elastic_access_send(cpu, &node->access);

    if (sending == ELASTIC_SENT)
        cpu->stats.data_send_succeeded++;
    if (sending == ELASTIC_REFUSED) {
        cpu->stats.data_send_failed++;
        cpu->is_refused = true;
    }
    return sending;
}

static void remove_head(struct elastic_cpu *cpu, const struct data_node *node)
{
    assert(plain_of(cpu)->ready == node);
    plain_of(cpu)->ready = node->next;
    plain_of(cpu)->ready_count--;
}

/* Executes the head of the ready list; false if the L1D refuses its request. */
static bool execute_head(struct elastic_cpu *cpu)
{
    struct data_node *const node = plain_of(cpu)->ready;
    enum elastic_sending sending = ELASTIC_NOT_SENT;

    if (node->shape.is_access)
        sending = cpu->is_refused ? send_again(cpu, node) : send_first(cpu, node);
    if (sending == ELASTIC_REFUSED)
        return false;
    if (node->shape.links.type == DEP_LOAD && sending == ELASTIC_SENT) {
        node->state = DATA_LOAD_SENT;
        node->sent_ps = cpu->seen_ps;
        release_early_dependents(cpu, node);
        remove_head(cpu, node);
        return true;
    }
    release_dependents(cpu, node);
    remove_head(cpu, node);
    release(cpu, node, sending == ELASTIC_SENT);
    complete(cpu, node, sending == ELASTIC_SENT ? DATA_STORE_SENT : DATA_GONE);
    tell_completion(cpu);
    return true;
}

/* All that are due, until the L1D refuses one. */
static void execute_due(struct elastic_cpu *cpu)
{
    const struct elastic_plain *const plain = plain_of(cpu);

    while (plain->ready && plain->ready->execute_ps <= cpu->seen_ps && execute_head(cpu))
        cpi_stack_worked(&cpu->stats.cpi_stack);
}

static void want_window(struct elastic_cpu *cpu)
{
    if (data_nodes_live(plain_of(cpu)) < cpu->record_source.window_records && !cpu->trace_ended)
        plain_of(cpu)->window_wanted = true;
}

/* Never moved later; counted where it is newly scheduled. */
static void schedule_data(struct elastic_cpu *cpu, uint64_t when_ps)
{
    struct event_queue *const events = &cpu->sim->events;

    if (when_ps >= ELASTIC_LAST_TICK) {
        elastic_fail_late(cpu, plain_of(cpu)->ready->access.record, plain_of(cpu)->ready->access.seq_num);
    } else if (!cpu->data_event.scheduled) {
        cpu->stats.num_sched_dcache_event++;
        event_schedule(events, &cpu->data_event, when_ps);
    } else if (when_ps < cpu->data_event.when_ps) {
        event_reschedule(events, &cpu->data_event, when_ps);
    }
}

/* After an event that was not refused. */
static void schedule_next(struct elastic_cpu *cpu)
{
    const struct elastic_plain *const plain = plain_of(cpu);
    uint64_t const now = cpu->seen_ps, next_edge_ps = cpu->edge_ps + cpu->clock.period_ps;

    if (plain->ready) {
        schedule_data(cpu, max_u64(plain->ready->execute_ps, now));
    } else if (cpu->dep_free_count > 0) {
        if (missing_resource(cpu, plain->dep_free) == CPI_WORKING)
            schedule_data(cpu, next_edge_ps);
    } else if (data_nodes_live(plain) == 0 && !elastic_cpu_held(cpu, DEP_LOAD) && !elastic_cpu_held(cpu, DEP_STORE)) {
        cpu->data_done = cpu->trace_ended;
        if (!cpu->data_done) {
            cpu->sim->root->notices[NOTICE_GRAPH_DRAINED]++;
            schedule_data(cpu, next_edge_ps);
        }
    }
}

static void finish(struct elastic_cpu *cpu)
{
    cpu->stats.data_last_tick = cpu->seen_ps;
    cpu->stats.num_cycles = cpu->event_edge_ps / cpu->clock.period_ps;
    cpi_stack_close(&cpu->stats.cpi_stack, cpu->event_edge_ps);
    elastic_side_done(cpu);
}

static void data_event(void *owner)
{
    struct elastic_cpu *const cpu = owner;

    cpu->activity++;
    observe(cpu);
    if (plain_of(cpu)->window_wanted)
        elastic_data_read_window(cpu);
    plain_of(cpu)->window_wanted = false;
    if (cpu->fault.kind == FAULT_NONE) {
        issue_dep_free(cpu);
        execute_due(cpu);
    }
    cpu->event_edge_ps = cpu->edge_ps;
    if (cpu->fault.kind != FAULT_NONE)
        return;
    if (!cpu->is_refused) {
        want_window(cpu);
        schedule_next(cpu);
    }
    tell_cause(cpu);
    if (cpu->data_done)
        finish(cpu);
}

/* ---- responses (2.9) */

/* The store is complete, and its node may be gone. */
static void answer_store(struct elastic_cpu *cpu, uint64_t record)
{
    cpu->free_entries[DEP_STORE]++;
    if (record >= plain_of(cpu)->first_record)
        plain_of(cpu)->nodes[record - plain_of(cpu)->first_record]->state = DATA_GONE;
}

static void answer_load(struct elastic_cpu *cpu, uint64_t record)
{
    struct data_node *const load = plain_of(cpu)->nodes[record - plain_of(cpu)->first_record];

    assert(load->state == DATA_LOAD_SENT);
    latency_histogram_add(&cpu->stats.load_latency, cpu->seen_ps - load->sent_ps);
    release(cpu, load, false);       /* before the children are woken */
    complete(cpu, load, DATA_GONE);
    release_dependents(cpu, load);
    tell_completion(cpu);
}

static void answer(void *self, uint64_t address, uint64_t token)
{
    struct elastic_cpu *const cpu = self;
    const struct elastic_plain *const plain = plain_of(cpu);
    unsigned const response = token & 0xff;

    cpu->activity++;
    observe(cpu);
    sim_log(cpu->sim, cpu->data_name, "recv", response, address);
    if (command_attributes(response) & ATTR_WRITE)
        answer_store(cpu, token >> 8);
    else
        answer_load(cpu, token >> 8);
    want_window(cpu);
    if (!cpu->is_refused) {
        uint64_t const next_edge_ps = cpu->edge_ps + cpu->clock.period_ps;

        schedule_data(cpu, plain->ready ? max_u64(plain->ready->execute_ps, next_edge_ps) : next_edge_ps);
    }
    if (plain_of(cpu)->is_cause_new)
        tell_cause(cpu);
}

/* ---- life */

static struct fault data_open(struct elastic_cpu *cpu)
{
    *plain_of(cpu) = (struct elastic_plain){0};
    return fault_none();
}

static void data_close(struct elastic_cpu *cpu)
{
    struct elastic_plain *const plain = plain_of(cpu);

    for (size_t i = 0; i < plain->count; i++)
        plain->nodes[i]->state = DATA_GONE;
    elastic_data_drop(plain);
    free(plain->nodes);
    *plain = (struct elastic_plain){0};
}

static void data_take(struct elastic_cpu *cpu)
{
    elastic_data_drop(plain_of(cpu));
}

static uint64_t first_ps(struct elastic_cpu *cpu)
{
    return plain_of(cpu)->ready ? plain_of(cpu)->ready->execute_ps : UINT64_MAX;
}

/* Statistics begin after the first two windows (2.13, 2.15). */
static void data_begin(struct elastic_cpu *cpu, uint64_t offset_ps)
{
    for (struct data_node *node = plain_of(cpu)->ready; node; node = node->next)
        node->execute_ps -= offset_ps;
    if (!cpu->was_started)
        cpu->stats.max_dependents = cpu->stats.max_ready_list_size = 0;
}

static uint64_t completed(const struct elastic_cpu *cpu)
{
    return plain_of(cpu)->completed;
}

/* Dependents are counted when they are read; and each completion looks at notify_at_records. */
static void nothing_to_do(struct elastic_cpu *cpu)
{
    (void)cpu;
}

static bool data_stuck(const struct elastic_cpu *cpu, struct elastic_access *access)
{
    const struct elastic_plain *const plain = plain_of(cpu);
    const struct data_node *node = cpu->is_refused ? plain->ready : NULL;

    for (size_t i = 0; i < plain->count && !node; i++)
        if (plain->nodes[i]->state == DATA_LOAD_SENT || plain->nodes[i]->state == DATA_STORE_SENT)
            node = plain->nodes[i];
    if (node)
        *access = node->access;
    return node != NULL;
}

static uint64_t data_live(const struct elastic_cpu *cpu, uint64_t *oldest)
{
    const struct elastic_plain *const plain = plain_of(cpu);
    size_t i = 0;

    while (i < plain->count && plain->nodes[i]->state < DATA_WAITING)
        i++;
    *oldest = plain->first_record + i;
    return data_nodes_live(plain);
}

const struct elastic_data_side elastic_plain_side = {
    .open = data_open, .close = data_close, .take = data_take, .read_window = elastic_data_read_window,
    .first_ps = first_ps, .begin = data_begin, .event = data_event, .answer = answer, .observe = observe_statistics,
    .count_dependents = nothing_to_do, .forget = forget_statistics, .completed = completed,
    .notify_changed = nothing_to_do, .stuck = data_stuck, .live = data_live};
