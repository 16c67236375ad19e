/* Modelled: parameters, start-up, end and ports of the TraceCPU (elastic-trace 2.1, 2.13, 2.14). The two sides are in
 * elastic_fetch.c and data.c. Not modelled: progress messages, early exit (the builder's `finished` decides).
 *
 * Beyond the reference: a trace of fewer than two windows is replayed (2.13), since nothing but the first reads
 * depends on having them. */
#include "replay/elastic/elastic_cpu.h"

#include <inttypes.h>
#include <stdio.h>

#include "replay/config/core_params.h"
#include "replay/elastic/sides.h"

/* ---- faults */

void elastic_fail(struct elastic_cpu *cpu, struct fault fault)
{
    if (cpu->fault.kind == FAULT_NONE)
        cpu->fault = fault;
    event_queue_stop(&cpu->sim->events);
}

void elastic_fail_memory(struct elastic_cpu *cpu)
{
    elastic_fail(cpu, fault_make(FAULT_MEMORY, "out of memory for the dependences of records"));
}

void elastic_fail_delay(struct elastic_cpu *cpu, uint64_t record, const struct store_record *read)
{
    elastic_fail(cpu, fault_make(FAULT_INPUT, "%s: data record %" PRIu64 " (seq_num %" PRIu64 "): comp_delay %" PRIu64
                                 " is longer than can be simulated (2^62 ps); the file is damaged, or a factor is too "
                                 "large", cpu->record_source.name, record, read->seq_num, read->shape->comp_delay));
}

void elastic_fail_late(struct elastic_cpu *cpu, uint64_t record, uint64_t seq_num)
{
    elastic_fail(cpu, fault_make(FAULT_INPUT, "%s: data record %" PRIu64 " (seq_num %" PRIu64 "): comp_delay leads "
                                 "beyond the last tick that can be simulated (2^62 ps); the file is damaged, or a "
                                 "factor is too large", cpu->record_source.name, record, seq_num));
}

/* "1GiB": the smallest power of two that is at least `bytes`, which is at most 2^63. */
static void write_capacity(char *text, size_t size, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    unsigned exponent = 0;

    while (UINT64_C(1) << exponent < bytes)
        exponent++;
    snprintf(text, size, "%u%s", 1u << exponent % 10, units[exponent / 10]);
}

struct fault elastic_address_fault(const struct elastic_cpu *cpu, const char *file, const char *what, uint64_t number,
                                   uint64_t address)
{
    uint64_t const base = cpu->limits.memory_base, end = cpu->limits.memory_end;
    char capacity[16];

    if (address < base)
        return fault_make(FAULT_INPUT, "%s: %s %" PRIu64 ": address 0x%" PRIx64
                          " lies below memory, which begins at 0x%" PRIx64, file, what, number, address, base);
    if (address - base >= MOST_MEMORY_BYTES)
        return fault_make(FAULT_INPUT, "%s: %s %" PRIu64 ": address 0x%" PRIx64 " lies beyond any memory; the file is "
                          "damaged or was not captured with physical addresses", file, what, number, address);
    if (address < end)
        return fault_make(FAULT_INPUT, "%s: %s %" PRIu64 ": address 0x%" PRIx64 " lies in a hole between memories; "
                          "make the memory below it larger, or give one there", file, what, number, address);
    write_capacity(capacity, sizeof capacity, address - base + 1);
    return fault_make(FAULT_INPUT, "%s: %s %" PRIu64 ": address 0x%" PRIx64
                      " lies outside memory, which ends at 0x%" PRIx64 "; give memory.size=%s or more", file,
                      what, number, address, end, capacity);
}

/* ---- ports */

static bool recv_inst_response(void *self, struct packet *packet, unsigned port)
{
    struct elastic_cpu *const cpu = self;

    (void)port;
    packet_give(cpu->sim->packets, packet);
    return true;
}

static void recv_inst_retry(void *self, unsigned port)
{
    struct elastic_cpu *const cpu = self;

    (void)port;
    event_schedule(&cpu->sim->events, &cpu->fetch_event, sim_now_ps(cpu->sim));
}

static bool recv_data_response(void *self, struct packet *packet, unsigned port)
{
    struct elastic_cpu *const cpu = self;
    uint64_t const address = packet->address, token = elastic_token(packet->request.sequence, packet->command);

    (void)port;
    packet_give(cpu->sim->packets, packet);
    cpu->side->answer(cpu, address, token);
    return true;
}

static void recv_data_retry(void *self, unsigned port)
{
    struct elastic_cpu *const cpu = self;

    (void)port;
    event_schedule(&cpu->sim->events, &cpu->data_event, sim_now_ps(cpu->sim));
}

static void ignore_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self, (void)packet, (void)port;
}

/* The core never answers a snoop, so it is never asked to retry one. */
static void no_snoop_response(void *self, unsigned port)
{
    (void)self, (void)port;
    assert(false && "snoop response retry for a core");
}

static const struct above_ops inst_ops = {recv_inst_response, recv_inst_retry, ignore_snoop, no_snoop_response,
                                          NULL};
static const struct above_ops data_ops = {recv_data_response, recv_data_retry, ignore_snoop, no_snoop_response,
                                          NULL};

struct above elastic_cpu_inst_port(struct elastic_cpu *cpu)
{
    return (struct above){.ops = &inst_ops, .self = cpu, .requestor = cpu->inst_requestor};
}

struct above elastic_cpu_data_port(struct elastic_cpu *cpu)
{
    return (struct above){.ops = &data_ops, .self = cpu, .is_snooping = true, .requestor = cpu->data_requestor};
}

/* ---- set-up */

/* More than there are records, whether some come or go. */
#define NO_LIMIT (UINT64_MAX / 2)

struct fault elastic_cpu_init(struct elastic_cpu *cpu, const struct elastic_cpu_setup *setup)
{
    *cpu = (struct elastic_cpu){
        .side = &elastic_plain_side, .sim = setup->sim, .clock = clock_domain(setup->period_ps),
        .line_bytes = setup->line_bytes, .rob_limit = setup->params->rob,
        .limit = {NO_LIMIT, setup->params->load_buffer, setup->params->store_buffer, NO_LIMIT},
        .free_entries = {NO_LIMIT, setup->params->load_buffer, setup->params->store_buffer, NO_LIMIT},
        .delay_factor = 1.0 / setup->params->freq_multiplier,
        .tick_scale = setup->tick_scale > 0 ? setup->tick_scale : 1.0,
        .record_source = setup->records, .fetch_source = setup->fetches, .limits = setup->limits,
        .address_offset = setup->address_offset};
    assert(setup->period_ps > 0 && setup->params->freq_multiplier > 0);
    cpu->scales_ticks = cpu->tick_scale != 1.0;
    if (setup->records.window_records == 0)
        return fault_make(FAULT_INPUT, "%s: header field window_size is 0; expected the capture's depWindowSize",
                          setup->records.name);
    snprintf(cpu->name, sizeof cpu->name, "%s", setup->name);
    snprintf(cpu->inst_name, sizeof cpu->inst_name, "%s.inst", cpu->name);
    snprintf(cpu->data_name, sizeof cpu->data_name, "%s.data", cpu->name);
    cpu->inst_requestor = sim_add_requestor(cpu->sim, cpu->inst_name);
    cpu->data_requestor = sim_add_requestor(cpu->sim, cpu->data_name);
    event_init(&cpu->fetch_event, elastic_fetch_event, cpu, EVENT_DEFAULT);
    event_init(&cpu->data_event, cpu->side->event, cpu, EVENT_DEFAULT);
    cpi_stack_start(&cpu->stats.cpi_stack, cpu->clock, 0, CPI_DEPENDENCES);
    FORWARD(event_queue_reserve(&cpu->sim->events, 2));
    return cpu->side->open(cpu);
}

void elastic_cpu_free(struct elastic_cpu *cpu)
{
    if (cpu->refused_fetch)
        packet_give(cpu->sim->packets, cpu->refused_fetch);
    if (cpu->refused_packet)
        packet_give(cpu->sim->packets, cpu->refused_packet);
    cpu->refused_fetch = cpu->refused_packet = NULL;
    if (cpu->side)
        cpu->side->close(cpu);
}

void elastic_cpu_take(struct elastic_cpu *cpu, const struct record_source *records, const struct fetch_source *fetches)
{
    struct cpi_stack stack = cpu->stats.cpi_stack;       /* the time before is not charged */

    assert(!cpu->was_started || elastic_cpu_is_done(cpu));
    cpu->record_source = *records;
    cpu->fetch_source = *fetches;
    cpu->side->take(cpu);
    cpu->fetches = (struct store_fetch_batch){0};
    cpu->batch = (struct record_batch){0};
    cpu->fetches_taken = cpu->records_read = 0;
    cpu->fetches_are_sound_reads = false;
    cpu->fetch_ended = cpu->trace_ended = cpu->data_done = false;
    cpu->sides_done = 0;
    cpu->side->observe(cpu);
    stack.current_ps = cpu->stats.cpi_stack.current_ps;
    if (cpu->was_started) {
        cpi_stack_resume(&stack, CPI_DEPENDENCES);
    } else {
        cpi_stack_start(&stack, cpu->clock, stack.current_ps, CPI_DEPENDENCES);
        cpu->stats.since_ps = sim_now_ps(cpu->sim);
    }
    cpu->stats.cpi_stack = stack;
}

struct fault elastic_cpu_start(struct elastic_cpu *cpu)
{
    struct event_queue *const events = &cpu->sim->events;
    uint64_t const base_ps = cpu->edge_ps;
    uint64_t first_data_ps, offset_ps;

    cpu->began_ps = base_ps;
    if (cpu->fetch_source.batch)
        FORWARD(elastic_fetch_begin(cpu));
    else
        cpu->fetch_ended = true;
    for (int window = 0; window < 2; window++)
        cpu->side->read_window(cpu);
    if (cpu->fault.kind != FAULT_NONE)
        return cpu->fault;
    if (cpu->records_read == 0)
        return fault_make(FAULT_INPUT, "%s: no data record in the trace; expected at least one",
                          cpu->record_source.name);
    if (cpu->trace_ended && !cpu->record_source.may_be_short)
        cpu->sim->root->notices[NOTICE_SHORT_TRACE]++;
    first_data_ps = cpu->side->first_ps(cpu);
    offset_ps = cpu->fetch_ended ? first_data_ps - base_ps : min_u64(cpu->fetch_ps, first_data_ps - base_ps);
    if (cpu->fetch_ended)
        cpu->sides_done = 1;
    else
        event_schedule(events, &cpu->fetch_event, base_ps + cpu->fetch_ps - offset_ps);
    event_schedule(events, &cpu->data_event, first_data_ps - offset_ps);
    cpu->side->begin(cpu, offset_ps);
    cpu->was_started = true;
    return fault_none();
}

void elastic_side_done(struct elastic_cpu *cpu)
{
    cpu->sides_done++;
    if (cpu->sides_done == 2 && cpu->finished)
        cpu->finished(cpu->context, cpu);
}

void elastic_cpu_notify_at(struct elastic_cpu *cpu, uint64_t records)
{
    cpu->notify_at_records = records;
    cpu->side->notify_changed(cpu);
}

/* ---- statistics */

uint64_t elastic_cpu_records_completed(const struct elastic_cpu *cpu)
{
    return cpu->side->completed(cpu);
}

void elastic_cpu_sync(struct elastic_cpu *cpu)
{
    elastic_cpu_sync_figures(cpu);
    cpu->side->count_dependents(cpu);
}

void elastic_cpu_sync_figures(struct elastic_cpu *cpu)
{
    struct elastic_cpu_stats *const stats = &cpu->stats;

    cpu->side->observe(cpu);
    stats->data_send_attempted = stats->data_send_succeeded + stats->data_send_failed;
    stats->inst_send_attempted = stats->inst_send_succeeded + stats->inst_send_failed;
    if (cpu->data_done) {
        uint64_t const last_cyc = clock_cycles(sim_now_ps(cpu->sim), cpu->clock.period_ps);

        cpu->stats.fetch_tail_cyc = last_cyc - max_u64(cpu->stats.cpi_stack.current_ps, cpu->stats.since_ps)
                                                   / cpu->clock.period_ps;
    }
}

void elastic_cpu_reset_statistics(struct elastic_cpu *cpu)
{
    struct elastic_cpu_stats *const stats = &cpu->stats;
    struct cpi_stack stack;

    elastic_cpu_sync(cpu);
    stack = stats->cpi_stack;
    cpi_stack_reset(&stack);
    *stats = (struct elastic_cpu_stats){.since_ps = sim_now_ps(cpu->sim), .until_ps = sim_now_ps(cpu->sim),
                                        .earlier_ops = stats->earlier_ops + stats->micro_ops, .cpi_stack = stack};
    cpu->side->forget(cpu);
}

/* ---- stalls */

bool elastic_cpu_is_waiting(const struct elastic_cpu *cpu)
{
    return !elastic_cpu_is_done(cpu) && !cpu->fetch_event.scheduled && !cpu->data_event.scheduled;
}

bool elastic_cpu_stuck_address(const struct elastic_cpu *cpu, uint64_t *address)
{
    struct elastic_access access;

    if (cpu->side->stuck(cpu, &access))
        *address = elastic_request_address(access.address, access.shape->flags);
    else if (cpu->refused_fetch)
        *address = cpu->refused_fetch->address;
    else
        return false;
    return true;
}

static void describe_fetch(const struct elastic_cpu *cpu, char *text, size_t size)
{
    if (cpu->refused_fetch)
        snprintf(text, size, "the L1I refuses %s 0x%" PRIx64 " of fetch record %" PRIu64,
                 command_table[cpu->refused_fetch->command].name, cpu->fetch_address, elastic_cpu_fetch_number(cpu));
    else if (cpu->fetch_ended)
        snprintf(text, size, "all fetches sent");
    else
        snprintf(text, size, "fetch record %" PRIu64 " is due at tick %" PRIu64, elastic_cpu_fetch_number(cpu),
                 cpu->fetch_event.when_ps);
}

static void describe_data(const struct elastic_cpu *cpu, char *text, size_t size)
{
    struct elastic_access access;
    uint64_t oldest;

    if (cpu->side->stuck(cpu, &access)) {
        const char *const command = command_table[elastic_access_command(access.shape)].name;

        if (cpu->is_refused)
            snprintf(text, size, "the L1D refuses %s 0x%" PRIx64 " of data record %" PRIu64 " (seq_num %" PRIu64 ")",
                     command, access.address, access.record, access.seq_num);
        else
            snprintf(text, size, "no response to %s 0x%" PRIx64 " of data record %" PRIu64 " (seq_num %" PRIu64
                     "); %" PRIu64 " loads and %" PRIu64 " stores hold buffer entries", command, access.address,
                     access.record, access.seq_num, elastic_cpu_held(cpu, DEP_LOAD), elastic_cpu_held(cpu, DEP_STORE));
    } else if (elastic_cpu_held(cpu, DEP_STORE)) {
        snprintf(text, size, "no response to %" PRIu64 " stores", elastic_cpu_held(cpu, DEP_STORE));
    } else if (cpu->data_done) {
        snprintf(text, size, "all data records complete");
    } else {
        uint64_t const live = cpu->side->live(cpu, &oldest);

        snprintf(text, size, "%" PRIu64 " data records are not complete, the oldest is %" PRIu64, live, oldest);
    }
}

void elastic_cpu_describe(const struct elastic_cpu *cpu, char *text, size_t size)
{
    char data[200], fetch[120];

    describe_data(cpu, data, sizeof data);
    describe_fetch(cpu, fetch, sizeof fetch);
    snprintf(text, size, "%s: %s; %s", cpu->name, data, fetch);
}
