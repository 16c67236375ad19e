/* Modelled: the fetch generator (elastic-trace 2.12). Fetches leave at the distances of the trace; a refused one
 * delays all later ones. Responses are discarded by the port. Not modelled: stalls of the core by instruction misses;
 * the reference has none either.
 *
 * Beyond the reference: a fetch that crosses a line, lies outside memory or has an unknown command is a fault that
 * names the record; there the caches' assumptions would break. */
#include "replay/elastic_sides.h"

/* Numeric commands of the trace: 1 ReadReq, 4 WriteReq. CMD_COUNT: none. */
static enum command fetch_command(uint32_t number)
{
    switch (number) {
    case 1:
        return CMD_ReadReq;
    case 4:
        return CMD_WriteReq;
    default:
        return CMD_COUNT;
    }
}

static bool is_fetch_in_line(const struct elastic_cpu *cpu, const struct packet_record *fetch)
{
    return (fetch->addr & (cpu->line_bytes - 1)) + fetch->size_bytes <= cpu->line_bytes;
}

static struct fault fetch_fault(const struct elastic_cpu *cpu, const struct packet_record *fetch, uint64_t number)
{
    const char *const name = cpu->fetch_source.name;
    unsigned long long const n = number, address = fetch->addr, tick = fetch->tick;

    if (fetch_command(fetch->cmd) == CMD_COUNT)
        return fault_make(FAULT_INPUT, "%s: fetch record %llu: cmd is %lu; expected 1 (ReadReq) or 4 (WriteReq)", name,
                          n, (unsigned long)fetch->cmd);
    if (!elastic_is_in_memory(cpu, fetch->addr))
        return elastic_address_fault(cpu, name, "fetch record", number, fetch->addr);
    if (!is_fetch_in_line(cpu, fetch))
        return fault_make(FAULT_INPUT, "%s: fetch record %llu: %lu bytes at 0x%llx cross a line of %lu bytes; expected "
                          "fetches within a line, so give a line at least as large as the capture's fetch block", name,
                          n, (unsigned long)fetch->size_bytes, address, (unsigned long)cpu->line_bytes);
    return fault_make(FAULT_INPUT, "%s: fetch record %llu: tick %llu lies beyond the last tick that can be simulated "
                      "(2^62 ps); the file is damaged, or --tick-scale is too large", name, n, tick);
}

/* Reads the next fetch; its tick becomes picoseconds. Ticks are scaled before they are subtracted, so errors do not add
 * up. */
static enum source_result read_fetch(struct elastic_cpu *cpu, struct packet_record *fetch, uint64_t number,
                                     struct fault *fault)
{
    enum source_result const result = cpu->fetch_source.next(cpu->fetch_source.self, fetch, fault);
    double scaled;

    if (result != SOURCE_RECORD)
        return result;
    fetch->addr += cpu->address_offset;
    scaled = (double)fetch->tick * cpu->tick_scale;
    if (fetch_command(fetch->cmd) == CMD_COUNT || !elastic_is_in_memory(cpu, fetch->addr)
        || !is_fetch_in_line(cpu, fetch) || scaled >= (double)ELASTIC_LAST_TICK) {
        *fault = fetch_fault(cpu, fetch, number);
        return SOURCE_FAULT;
    }
    if (cpu->tick_scale != 1.0)
        fetch->tick = (uint64_t)scaled;
    return SOURCE_RECORD;
}

struct fault elastic_fetch_begin(struct elastic_cpu *cpu)
{
    struct fault fault;

    switch (read_fetch(cpu, &cpu->fetch, 0, &fault)) {
    case SOURCE_RECORD:
        return fault_none();
    case SOURCE_END:
        return fault_make(FAULT_INPUT, "%s: no fetch in the trace; expected at least one", cpu->fetch_source.name);
    case SOURCE_FAULT:
        break;
    }
    return fault;
}

/* The fetch was accepted: the next one, or the end. */
static void advance(struct elastic_cpu *cpu)
{
    uint64_t const sent_tick = cpu->fetch.tick;
    struct fault fault;

    switch (read_fetch(cpu, &cpu->fetch, cpu->fetch_number + 1, &fault)) {
    case SOURCE_RECORD:
        cpu->fetch_number++;
        if (cpu->fetch.tick < sent_tick)
            elastic_fail(cpu, fault_make(FAULT_INPUT, "%s: fetch record %llu: tick %llu is before that of the record "
                                         "before it, %llu; expected ticks that do not fall", cpu->fetch_source.name,
                                         (unsigned long long)cpu->fetch_number, (unsigned long long)cpu->fetch.tick,
                                         (unsigned long long)sent_tick));
        else
            cpu->fetch_gap_ps = cpu->fetch.tick - sent_tick;
        break;
    case SOURCE_END:
        cpu->fetch_ended = true;
        cpu->stats.inst_last_tick = sim_now_ps(cpu->sim);
        break;
    case SOURCE_FAULT:
        elastic_fail(cpu, fault);
        break;
    }
}

/* Sends the current fetch or the refused packet of it; false if the L1I refuses. */
static bool send_fetch(struct elastic_cpu *cpu)
{
    const struct packet_record *const fetch = &cpu->fetch;
    struct packet *packet = cpu->refused_fetch;

    if (packet) {
        if (!cpu->icache.ops->recv_request(cpu->icache.self, packet, cpu->icache.port))
            return false;
        cpu->refused_fetch = NULL;
        cpu->stats.inst_retry_succeeded++;
        return true;
    }
    packet = packet_take(&cpu->sim->packets,
                         &(struct request){.address = elastic_request_address(fetch->addr, fetch->flags),
                                           .pc = fetch->pc, .size_bytes = fetch->size_bytes, .flags = fetch->flags,
                                           .requestor = cpu->inst_requestor, .has_pc = true},
                         fetch_command(fetch->cmd));
    cpu->stats.inst_send_attempted++;
    if (!cpu->icache.ops->recv_request(cpu->icache.self, packet, cpu->icache.port)) {
        cpu->stats.inst_send_failed++;
        cpu->refused_fetch = packet;
        return false;
    }
    cpu->stats.inst_send_succeeded++;
    return true;
}

void elastic_fetch_event(void *owner)
{
    struct elastic_cpu *const cpu = owner;

    cpu->activity++;
    if (!send_fetch(cpu))
        return;                      /* the L1I's retry comes back here */
    cpu->stats.fetches++;
    sim_log(cpu->sim, cpu->inst_name, "send", fetch_command(cpu->fetch.cmd), cpu->fetch.addr);
    advance(cpu);
    if (cpu->fault.kind != FAULT_NONE)
        return;
    if (cpu->fetch_ended) {
        elastic_side_done(cpu);
    } else if (sim_now_ps(cpu->sim) + cpu->fetch_gap_ps >= ELASTIC_LAST_TICK) {
        elastic_fail(cpu, fault_make(FAULT_INPUT, "%s: fetch record %llu would be sent after the last tick that can be "
                                     "simulated (2^62 ps); the file is damaged", cpu->fetch_source.name,
                                     (unsigned long long)cpu->fetch_number));
    } else {
        cpu->stats.num_sched_icache_event++;
        event_schedule(&cpu->sim->events, &cpu->fetch_event, sim_now_ps(cpu->sim) + cpu->fetch_gap_ps);
    }
}
