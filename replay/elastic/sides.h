/* Interface between the two sides of an elastic CPU and its set-up (elastic_cpu.c). Private to those. */
#ifndef REPLAY_ELASTIC_SIDES_H
#define REPLAY_ELASTIC_SIDES_H

#include "replay/elastic/elastic_cpu.h"

/* fetch.c: an ordinary read? */
bool elastic_fetch_is_read(const struct store_fetch_shape *fetch);
/* The first fetch becomes that of cpu->fetches. */
struct fault elastic_fetch_begin(struct elastic_cpu *cpu);
void elastic_fetch_event(void *cpu);

/* read.c. Makes room for one more record, in the graph and in what holds its nodes. */
struct fault elastic_data_reserve(struct elastic_cpu *cpu);
/* Reads up to one window; false if the trace ended or a fault stopped the run. */
bool elastic_data_read_window(struct elastic_cpu *cpu);

/* data.c */
void elastic_data_event(void *cpu);
/* The L1D has served an access; token: elastic_token. */
void elastic_data_answer(void *cpu, uint64_t address, uint64_t token);
/* The request of an access, by its token, while its record has its place in the graph. */
void elastic_data_describe(void *cpu, uint64_t token, struct request *request);
/* Brings the statistics that depend on time up to the present. */
void elastic_data_observe(struct elastic_cpu *cpu);
/* From now on they count anew; the caller clears the others. */
void elastic_data_forget(struct elastic_cpu *cpu);
/* Command of a load or store (2.8). */
enum command elastic_data_command(const struct elastic_graph *graph, uint32_t place);

/* Finds what cpu->milestone is from now on, after window_due_at or notify_at_records changed, or one was reached. */
static inline void elastic_find_milestone(struct elastic_cpu *cpu)
{
    uint64_t const complete = cpu->graph.retired_count;

    if (complete >= cpu->window_due_at)
        cpu->tasks |= ELASTIC_WINDOW_DUE;
    cpu->milestone = cpu->tasks & ELASTIC_WINDOW_DUE ? UINT64_MAX : cpu->window_due_at;
    if (cpu->notify_at_records > complete)
        cpu->milestone = min_u64(cpu->milestone, cpu->notify_at_records);
    if (cpu->hooks.find_milestone)
        cpu->milestone = cpu->hooks.find_milestone(cpu, cpu->milestone);
}

/* elastic_cpu.c */
void elastic_side_done(struct elastic_cpu *cpu);
/* Ends the run. The first fault counts. */
void elastic_fail(struct elastic_cpu *cpu, struct fault fault);
/* The fault for an address that is not in memory; `what` names the kind of record. */
struct fault elastic_address_fault(const struct elastic_cpu *cpu, const char *file, const char *what, uint64_t number,
                                   uint64_t address);

/* Memory begins and ends with a line, and accesses end with their line, so the first byte tells. */
static inline bool elastic_is_in_memory(const struct elastic_cpu *cpu, uint64_t address)
{
    if (address - cpu->limits.memory_base < cpu->unbroken_bytes)
        return true;
    if (address < cpu->limits.memory_base || address >= cpu->limits.memory_end)
        return false;
    for (unsigned i = 0; i < cpu->limits.hole_count; i++)
        if (address >= cpu->limits.holes[i].base && address < cpu->limits.holes[i].end)
            return false;
    return true;
}

/* Flags of the read-modify-write operations, with and without the old value as a result. */
#define ELASTIC_ATOMIC_OPERATIONS UINT32_C(0xc0000000)

/* Bytes from an address to the end of its line. */
static inline uint32_t elastic_rest_of_line(const struct elastic_cpu *cpu, uint64_t address)
{
    return cpu->line_bytes - (uint32_t)(address & (cpu->line_bytes - 1));
}

/* Names the access of a data record, and the command of its response. */
static inline uint64_t elastic_token(uint64_t record, unsigned response)
{
    return record << 8 | response;
}

static inline uint64_t elastic_request_address(uint64_t address, uint32_t flags)
{
    return flags & REQUEST_SECURE ? address | ADDRESS_SECURE : address;
}

#endif
