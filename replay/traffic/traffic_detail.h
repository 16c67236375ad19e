/* One measurement in detail: latencies by the state of the row, by bank and over time, and what became of each access.
 *
 * Use: traffic_detail_make for a memory, traffic_detail_watch before its startup; traffic_detail_done for each request
 * that is done; traffic_detail_count after the run; traffic_detail_free. traffic_run (traffic.h) does all but the last.
 * An access is what a controller makes of a request: a transaction of a device command by command, a burst of gem5's
 * controller, which may be less than a line. Row states: hit, the row was open; miss, the bank was closed; conflict,
 * another row was closed for it first. Latencies of accesses go from their arrival at the controller to the end of
 * their data (reads) or to their column command (writes); waiting in front of the controller, front end and back end
 * are not in them. Simple memories have no banks, and their accesses are their requests.
 * Units: ps. Ownership: plain but for `banks`; the sinks chained behind are borrowed for the run. */
#ifndef REPLAY_TRAFFIC_TRAFFIC_DETAIL_H
#define REPLAY_TRAFFIC_TRAFFIC_DETAIL_H

#include <stdint.h>

#include "base/fault.h"
#include "memsys/command/cmd_rowhammer.h"
#include "memsys/dram/command.h"
#include "memsys/sim/latency_histogram.h"

enum traffic_row { TRAFFIC_ROW_HIT, TRAFFIC_ROW_MISS, TRAFFIC_ROW_CONFLICT, TRAFFIC_ROWS };
enum { TRAFFIC_READ, TRAFFIC_WRITE, TRAFFIC_WAYS };

struct traffic_bank {
    char channel[24], place[40];         /* "mem_ctrls3"; the bank's number at each level: "0.2.1" */
    uint64_t accesses[TRAFFIC_WAYS][TRAFFIC_ROWS];
    uint64_t latency_ps[TRAFFIC_WAYS], highest_ps[TRAFFIC_WAYS];    /* sums of all accesses; the longest */
    bool was_opened, was_precharged;     /* since its last access; precharged: for an access */
};

/* What became of the accesses of reads, and of writes: given = served + spared + waiting. */
struct traffic_fate {
    uint64_t requests, given, served;    /* accepted by the controllers; accesses of these; issued to the DRAM */
    uint64_t spared;                     /* reads answered from a waiting write, writes merged with one */
    uint64_t waiting;
};

enum { TRAFFIC_WINDOWS = 64 };

/* Requests that were done in it. */
struct traffic_window { uint64_t done[TRAFFIC_WAYS], latency_ps, highest_ps; };    /* latencies: of reads */

struct traffic_detail_port {
    struct traffic_detail *detail;
    size_t first_bank;
    const struct dram_channel *channels[2];
    struct dram_command_sink sink;
    struct cmd_sink device_sink;
};

struct traffic_detail {
    struct latency_histogram rows[TRAFFIC_WAYS][TRAFFIC_ROWS];
    struct traffic_bank *banks;
    size_t bank_count;
    char levels[64];                     /* of `place`: "Rank.BankGroup.Bank" */
    struct traffic_fate fates[TRAFFIC_WAYS];
    uint64_t access_bytes;               /* 0: memories differ */
    struct cmd_rowhammer rowhammer;      /* of the whole run */
    uint64_t drained_ps;                 /* the last write was in the DRAM */
    struct traffic_window windows[TRAFFIC_WINDOWS];
    uint64_t window_ps;                  /* doubled until all of the run fits */
    uint64_t since_ps, until_ps;         /* the end of the warm-up; when the last request was done */
    unsigned window_count;
    struct traffic_detail_port *ports;
};

struct traffic_memory;

/* FAULT_MEMORY. Zeroed before, or freed. */
struct fault traffic_detail_make(struct traffic_detail *detail, const struct traffic_memory *memory);
void traffic_detail_free(struct traffic_detail *detail);

/* `commands`, `device_commands`: sinks that hear of the same commands; may be NULL. */
void traffic_detail_watch(struct traffic_detail *detail, struct traffic_memory *memory,
                          const struct dram_command_sink *commands, const struct cmd_sink *device_commands);
/* latency_ps: of a read. */
void traffic_detail_done(struct traffic_detail *detail, uint64_t now_ps, unsigned way, uint64_t latency_ps);
/* Latencies, banks and windows begin anew: the warm-up is over. */
void traffic_detail_reset(struct traffic_detail *detail, uint64_t now_ps);
void traffic_detail_count(struct traffic_detail *detail, struct traffic_memory *memory);

#endif
