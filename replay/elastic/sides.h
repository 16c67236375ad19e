/* Interface between the two sides of an elastic CPU and its set-up (elastic_cpu.c). Private to those, and to the fast
 * paths that stand in their place. */
#ifndef REPLAY_ELASTIC_SIDES_H
#define REPLAY_ELASTIC_SIDES_H

#include "replay/elastic/elastic_cpu.h"

/* elastic_fetch.c: an ordinary read? */
bool elastic_fetch_is_read(const struct store_fetch_shape *fetch);
/* The first fetch becomes that of cpu->fetches. */
struct fault elastic_fetch_begin(struct elastic_cpu *cpu);
void elastic_fetch_event(void *cpu);

/* ---- the data side */

/* An access, for reports of stalls. */
struct elastic_access {
    const struct store_shape *shape;
    uint64_t record, seq_num, address;
};

/* A data side. elastic_plain_side is the model; a fast path may bind another before the core starts, which must leave
 * the core and all statistics as the plain one would. */
struct elastic_data_side {
    /* Makes its state in cpu->room. / Frees what that has; once more does nothing. */
    struct fault (*open)(struct elastic_cpu *cpu);
    void (*close)(struct elastic_cpu *cpu);
    /* Other records come, from cpu->record_source; all before are complete. */
    void (*take)(struct elastic_cpu *cpu);
    /* Reads up to one window; false if the trace ended or a fault stopped the run. */
    bool (*read_window)(struct elastic_cpu *cpu);
    /* Tick at which the first record executes; UINT64_MAX if none is ready. Then: all that are ready execute offset_ps
     * earlier; at the first start of the core, statistics forget the records read so far. */
    uint64_t (*first_ps)(struct elastic_cpu *cpu);
    void (*begin)(struct elastic_cpu *cpu, uint64_t offset_ps);
    /* The data event. / The L1D has served an access; token: elastic_token. */
    void (*event)(void *cpu);
    void (*answer)(void *cpu, uint64_t address, uint64_t token);
    /* Brings the statistics that depend on time up to the present. / Those of the dependences of records. */
    void (*observe)(struct elastic_cpu *cpu);
    void (*count_dependents)(struct elastic_cpu *cpu);
    /* From now on they count anew; the caller clears cpu->stats. */
    void (*forget)(struct elastic_cpu *cpu);
    /* Data records complete, from the start of the run. / notify_at_records has changed. */
    uint64_t (*completed)(const struct elastic_cpu *cpu);
    void (*notify_changed)(struct elastic_cpu *cpu);
    /* For reports of stalls: the access that the L1D refuses (is_refused), or the oldest without response; false if
     * none is known. / How many records were read and are not complete, and the oldest of them. */
    bool (*stuck)(const struct elastic_cpu *cpu, struct elastic_access *access);
    uint64_t (*live)(const struct elastic_cpu *cpu, uint64_t *oldest);
};

extern const struct elastic_data_side elastic_plain_side;

/* What became of an access whose turn it is. */
enum elastic_sending {
    ELASTIC_SENT,
    ELASTIC_REFUSED,
    ELASTIC_NOT_SENT,                /* it is strictly ordered, and needs no response */
    ELASTIC_NEEDS_PACKET             /* of hooks: nothing has happened yet */
};

/* elastic_access.c. Command of a load or store, and its request (2.8). */
enum command elastic_access_command(const struct store_shape *shape);
struct request elastic_access_request(const struct elastic_cpu *cpu, const struct elastic_access *access);
/* First attempt ("startMem"), with a packet that is kept if it is refused. Strictly ordered accesses are not sent. */
enum elastic_sending elastic_access_send(struct elastic_cpu *cpu, const struct elastic_access *access);
/* Once more, for the access that was refused; false if it is refused again. */
bool elastic_access_send_again(struct elastic_cpu *cpu, const struct elastic_access *access);
/* May the access of a record have its address? If not, a fault ends the run. */
bool elastic_access_is_valid(struct elastic_cpu *cpu, const struct elastic_access *access);

/* elastic_cpu.c */
void elastic_side_done(struct elastic_cpu *cpu);
/* Ends the run. The first fault counts. */
void elastic_fail(struct elastic_cpu *cpu, struct fault fault);
void elastic_fail_memory(struct elastic_cpu *cpu);
/* The delay of a record in the trace is too long. / It leads, from the present, beyond the end of simulated time. */
void elastic_fail_delay(struct elastic_cpu *cpu, uint64_t record, const struct store_record *read);
void elastic_fail_late(struct elastic_cpu *cpu, uint64_t record, uint64_t seq_num);
/* The fault for an address that is not in memory; `what` names the kind of record. */
struct fault elastic_address_fault(const struct elastic_cpu *cpu, const char *file, const char *what, uint64_t number,
                                   uint64_t address);

/* Memory begins and ends with a line, and accesses end with their line, so checking the first byte suffices. */
static inline bool elastic_is_in_memory(const struct elastic_cpu *cpu, uint64_t address)
{
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
