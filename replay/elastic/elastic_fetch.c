/* Modelled: the fetch generator (elastic-trace 2.12). Fetches leave at the distances of the trace; a refused one
 * delays all later ones. Responses are discarded by the port. Not modelled: stalls of the core by instruction misses;
 * the reference has none either.
 *
 * Beyond the reference: a fetch that crosses a line, lies outside memory or has an unknown command is a fault that
 * names the record; there the caches' assumptions would break. */
#include "replay/elastic/sides.h"

/* Numeric commands of the trace. */
enum { FETCH_READ_REQ = 1, FETCH_WRITE_REQ = 4 };

static bool is_known_command(uint32_t number)
{
    return number == FETCH_READ_REQ || number == FETCH_WRITE_REQ;
}

static enum command fetch_command(const struct store_fetch_shape *fetch)
{
    return fetch->cmd == FETCH_READ_REQ ? CMD_ReadReq : CMD_WriteReq;
}

static bool is_in_line(const struct elastic_cpu *cpu, const struct store_fetch_shape *fetch, uint64_t address)
{
    return (address & (cpu->line_bytes - 1)) + fetch->size_bytes <= cpu->line_bytes;
}

/* Can it be sent, regardless of its tick? */
static bool elastic_fetch_is_sound(const struct elastic_cpu *cpu, const struct store_fetch_shape *fetch)
{
    uint64_t const address = fetch->addr + cpu->address_offset;

    return is_known_command(fetch->cmd) && elastic_is_in_memory(cpu, address) && is_in_line(cpu, fetch, address);
}

bool elastic_fetch_is_read(const struct store_fetch_shape *fetch)
{
    return fetch->cmd == FETCH_READ_REQ && !(fetch->flags & (REQUEST_UNCACHEABLE | REQUEST_SECURE));
}

/* The first of cpu->fetches cannot be sent: why. */
static struct fault fetch_fault(const struct elastic_cpu *cpu, uint64_t number)
{
    const struct store_fetch_shape *const fetch = cpu->fetches.fetches->shape;
    const char *const name = cpu->fetch_source.name;
    uint64_t const address = fetch->addr + cpu->address_offset;
    unsigned long long const n = number, tick = cpu->fetches.fetches->tick;

    if (!is_known_command(fetch->cmd))
        return fault_make(FAULT_INPUT, "%s: fetch record %llu: cmd is %lu; expected 1 (ReadReq) or 4 (WriteReq)", name,
                          n, (unsigned long)fetch->cmd);
    if (!elastic_is_in_memory(cpu, address))
        return elastic_address_fault(cpu, name, "fetch record", number, address);
    if (!is_in_line(cpu, fetch, address))
        return fault_make(FAULT_INPUT, "%s: fetch record %llu: %lu bytes at 0x%llx cross a line of %lu bytes; expected "
                          "fetches within a line, so give a line at least as large as the capture's fetch block", name,
                          n, (unsigned long)fetch->size_bytes, (unsigned long long)address,
                          (unsigned long)cpu->line_bytes);
    return fault_make(FAULT_INPUT, "%s: fetch record %llu: tick %llu lies beyond the last tick that can be simulated "
                      "(2^62 ps); the file is damaged, or --tick-scale is too large", name, n, tick);
}

/* The tick in picoseconds, or ELASTIC_LAST_TICK. Ticks are scaled before they are subtracted, so errors do not add
 * up. */
static inline uint64_t scaled_tick(const struct elastic_cpu *cpu, uint64_t tick)
{
    double scaled;

    if (!cpu->scales_ticks)
        return tick;
    scaled = (double)tick * cpu->tick_scale;
    return scaled < (double)ELASTIC_LAST_TICK ? (uint64_t)scaled : ELASTIC_LAST_TICK;
}

/* Makes the first of cpu->fetches the one to be sent; false if it cannot be sent at any tick. is_sound_read:
 * fetches_are_sound_reads. */
static inline bool elastic_fetch_prepare(struct elastic_cpu *cpu, bool is_sound_read)
{
    const struct store_fetch *const fetch = cpu->fetches.fetches;

    cpu->fetch_address = fetch->shape->addr + cpu->address_offset;
    cpu->fetch_ps = fetch->tick;
    if (is_sound_read)
        return true;
    cpu->fetch_ps = scaled_tick(cpu, fetch->tick);
    return elastic_fetch_is_sound(cpu, fetch->shape);
}

static enum source_result take_batch(struct elastic_cpu *cpu, struct fault *fault)
{
    struct store_fetch_batch *const batch = &cpu->fetches;
    enum source_result const result = cpu->fetch_source.batch(cpu->fetch_source.self, batch, fault);

    if (result != SOURCE_RECORD)
        return result;
    cpu->fetches_taken += batch->count;
    if (batch->shape_count > 0)
        cpu->fetches_are_sound_reads = !cpu->scales_ticks;
    for (size_t i = 0; i < batch->shape_count; i++)
        cpu->fetches_are_sound_reads = cpu->fetches_are_sound_reads && elastic_fetch_is_sound(cpu, &batch->shapes[i])
            && elastic_fetch_is_read(&batch->shapes[i]);
    return result;
}

struct fault elastic_fetch_begin(struct elastic_cpu *cpu)
{
    struct fault fault;

    switch (take_batch(cpu, &fault)) {
    case SOURCE_RECORD:
        return elastic_fetch_prepare(cpu, cpu->fetches_are_sound_reads) && cpu->fetch_ps < ELASTIC_LAST_TICK
            ? fault_none() : fetch_fault(cpu, 0);
    case SOURCE_END:
        return fault_make(FAULT_INPUT, "%s: no fetch in the trace; expected at least one", cpu->fetch_source.name);
    case SOURCE_FAULT:
        break;
    }
    return fault;
}

/* Takes the next batch after the last fetch of one was accepted; false at the end of the trace. */
static bool elastic_fetch_refill(struct elastic_cpu *cpu)
{
    struct fault fault;

    switch (take_batch(cpu, &fault)) {
    case SOURCE_RECORD:
        return true;
    case SOURCE_END:
        cpu->fetch_ended = true;
        cpu->stats.inst_last_tick = sim_now_ps(cpu->sim);
        elastic_side_done(cpu);
        break;
    case SOURCE_FAULT:
        elastic_fail(cpu, fault);
        break;
    }
    return false;
}

/* The first of cpu->fetches, which follows one of tick `sent_ps`, ends the run. */
static void elastic_fetch_fail(struct elastic_cpu *cpu, bool can_be_sent, uint64_t sent_ps)
{
    const char *const name = cpu->fetch_source.name;
    unsigned long long const number = elastic_cpu_fetch_number(cpu), tick = cpu->fetch_ps;

    if (!can_be_sent || cpu->fetch_ps >= ELASTIC_LAST_TICK)
        elastic_fail(cpu, fetch_fault(cpu, number));
    else if (cpu->fetch_ps < sent_ps)
        elastic_fail(cpu, fault_make(FAULT_INPUT, "%s: fetch record %llu: tick %llu is before that of the record "
                                     "before it, %llu; expected ticks that do not fall", name, number, tick,
                                     (unsigned long long)sent_ps));
    else
        elastic_fail(cpu, fault_make(FAULT_INPUT, "%s: fetch record %llu would be sent after the last tick that can be "
                                     "simulated (2^62 ps); the file is damaged", name, number));
}

/* Sends the fetch whose turn it is; false if the L1I refuses. */
static bool send_packet(struct elastic_cpu *cpu)
{
    const struct store_fetch_shape *const fetch = cpu->fetches.fetches->shape;
    struct packet *const packet = packet_pool_pop(cpu->sim->packets);
    struct request *const request = &packet->request;

    /* Field by field in its place: a copy would wait for the narrower writes before it. */
    request->address = elastic_request_address(cpu->fetch_address, fetch->flags);
    request->pc = fetch->pc;
    request->sequence = 0;
    request->size_bytes = fetch->size_bytes;
    request->flags = fetch->flags;
    request->requestor = cpu->inst_requestor;
    request->has_pc = true;
    packet_init(packet, request, fetch_command(fetch));
    if (!cpu->icache.ops->recv_request(cpu->icache.self, packet, cpu->icache.port)) {
        cpu->stats.inst_send_failed++;
        cpu->refused_fetch = packet;
        return false;
    }
    return true;
}

static inline bool send_fetch(struct elastic_cpu *cpu)
{
    if (!(cpu->hooks.fetch && cpu->hooks.fetch(cpu)) && !send_packet(cpu))
        return false;
    cpu->stats.inst_send_succeeded++;
    return true;
}

/* The same for the packet of a fetch that was refused. */
static bool send_refused(struct elastic_cpu *cpu)
{
    if (!cpu->icache.ops->recv_request(cpu->icache.self, cpu->refused_fetch, cpu->icache.port))
        return false;
    cpu->refused_fetch = NULL;
    cpu->stats.inst_retry_succeeded++;
    return true;
}

/* The first of cpu->fetches, made ready by `prepare`, is due the distance from one of tick `sent_ps` after it. */
static inline void elastic_fetch_schedule(struct elastic_cpu *cpu, bool can_be_sent, uint64_t sent_ps)
{
    struct event_queue *const events = &cpu->sim->events;
    uint64_t const gap_ps = cpu->fetch_ps - sent_ps, due_ps = events->now_ps + gap_ps;

    /* Ticks so far were below ELASTIC_LAST_TICK, a power of two: a tick beyond it, or a negative difference, has that
     * or a higher bit set. */
    if (!can_be_sent || (cpu->fetch_ps | gap_ps | due_ps) >= ELASTIC_LAST_TICK) {
        elastic_fetch_fail(cpu, can_be_sent, sent_ps);
        return;
    }
    cpu->stats.num_sched_icache_event++;
    event_schedule_in_place(events, &cpu->fetch_event, due_ps);
}

/* The fetch was accepted, which was the last of its batch. */
static void go_to_next_batch(struct elastic_cpu *cpu)
{
    uint64_t const sent_ps = cpu->fetch_ps;

    if (elastic_fetch_refill(cpu))
        elastic_fetch_schedule(cpu, elastic_fetch_prepare(cpu, cpu->fetches_are_sound_reads), sent_ps);
}

/* The fetch was accepted. */
static inline void go_to_next(struct elastic_cpu *cpu, bool is_sound_read)
{
    uint64_t const sent_ps = cpu->fetch_ps;

    cpu->fetches.fetches++;
    if (--cpu->fetches.count == 0)
        go_to_next_batch(cpu);
    else
        elastic_fetch_schedule(cpu, elastic_fetch_prepare(cpu, is_sound_read), sent_ps);
}

/* All fetches but those that hooks say hit. */
static void fetch_slowly(struct elastic_cpu *cpu)
{
    if (cpu->refused_fetch ? !send_refused(cpu) : !send_fetch(cpu))
        return;
    if (cpu->sim->log.line)
        sim_log(cpu->sim, cpu->inst_name, "send", fetch_command(cpu->fetches.fetches->shape), cpu->fetch_address);
    go_to_next(cpu, cpu->fetches_are_sound_reads);
}

/* A fetch that is refused comes back here by the L1I's retry. Calls come last, so that hits need no frame. */
void elastic_fetch_event(void *owner)
{
    struct elastic_cpu *const cpu = owner;

    cpu->activity++;
    if (!cpu->hooks.fetch_hits || !cpu->hooks.fetch_hits(cpu)) {
        fetch_slowly(cpu);
        return;
    }
    cpu->stats.inst_send_succeeded++;
    go_to_next(cpu, true);
}
