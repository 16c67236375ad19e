/* Requests to a memory of DRAM commands, what it reports, and its statistics (cmd_memory.h has their use). */
#ifndef MEMSYS_COMMAND_DEVICE_CMD_ACCESS_H
#define MEMSYS_COMMAND_DEVICE_CMD_ACCESS_H

#include "memsys/command/device/cmd_standard.h"

enum cmd_kind { CMD_INTERNAL = -1, CMD_READ = 0, CMD_WRITE = 1 };
enum cmd_answer { CMD_REFUSED, CMD_ACCEPTED };

struct cmd_access {
    enum cmd_kind kind;                  /* CMD_READ or CMD_WRITE */
    uint64_t address;                    /* bytes; an access lies within spec->tx_bytes */
    int32_t source;                      /* core, for statistics; -1: none */
    uint64_t token;                      /* the caller's; comes back with the completion */
    const int32_t *vector;               /* mapping `given`: an entry a level, the channel first; else NULL */
};

/* A command that was issued. */
struct cmd_issued {
    uint64_t tick;
    uint32_t channel;
    uint8_t command;                     /* of spec->command */
    enum cmd_kind kind;                  /* of the request for which it was issued */
    int32_t source;
    const int32_t *vector;               /* an entry a level; -1: all */
    uint64_t arrive;                     /* of the request; UINT64_MAX: internal */
    uint64_t token;                      /* of a read or write */
};

struct cmd_hooks {
    void *owner;
    /* NULL: not asked. depart - arrive is the latency as the statistics count it. */
    void (*completed)(void *owner, uint64_t token, enum cmd_kind kind, uint64_t arrive, uint64_t depart);
    void (*issued)(void *owner, const struct cmd_issued *issued);
    /* BlockHammer: from now on `source` may have that share of its misses in flight. */
    void (*throttled)(void *owner, int32_t source, float share);
    /* PRAC: a recovery has refreshed the victims of that row. */
    void (*served)(void *owner, uint64_t tick, uint32_t bank, int32_t row);
};

#define CMD_COUNTERS(C)                                                                                               \
    C(cycles) C(row_hits) C(row_misses) C(row_conflicts) C(read_row_hits) C(read_row_misses) C(read_row_conflicts)    \
    C(write_row_hits) C(write_row_misses) C(write_row_conflicts) C(num_read_reqs) C(num_write_reqs)                   \
    C(num_maintenance_reqs) C(num_read_reqs_served) C(num_write_reqs_served) C(num_maintenance_reqs_served)           \
    C(num_read_reqs_forwarded) C(num_write_reqs_coalesced) C(queue_len) C(read_queue_len) C(write_queue_len)          \
    C(priority_queue_len) C(read_latency) C(cas_issued) C(cas_skipped) C(act2_deadline_forced) C(act2_deferred)       \
    C(num_rckstrt_issued) C(num_rckstop_issued) C(prac_num_recovery)

/* Of a channel (11); rates are single-precision numbers, as the reference's. */
struct cmd_stats {
#define CMD_FIELD(name) uint64_t name;
    CMD_COUNTERS(CMD_FIELD)
#undef CMD_FIELD
    float queue_len_avg, read_queue_len_avg, write_queue_len_avg, priority_queue_len_avg, avg_read_latency;
    float read_throughput_MBps, write_throughput_MBps, total_throughput_MBps;
    uint64_t refreshes_postponed, refreshes_forced;      /* that fell due while requests waited: put off; the limit
                                                            forbade it */
    uint64_t commands[CMD_COMMANDS];     /* issued, by command */
};

struct cmd_core_stats {
    uint64_t read_row_hits, read_row_misses, read_row_conflicts;
};

/* A number of a defence, under the reference's name. */
struct cmd_named_count {
    const char *name;
    uint64_t value;
};

#endif
