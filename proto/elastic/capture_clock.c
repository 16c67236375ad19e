/* The clock remembers the last RECENT sequence numbers in a table that is indexed by the number's low bits; a
 * dependence that reaches farther back counts as long complete. A record that depends on nothing recorded is taken to
 * start when the player would read it, which is when the window before the previous one has executed (elastic-trace
 * 2.5); in gem5's captures only the very first records are so. */
#include "proto/elastic/capture_clock.h"

#include <stdlib.h>

#include "base/arith.h"

#define RECENT (UINT64_C(1) << 16)
#define LOADS_PER_SECOND UINT64_C(1000000000)     /* a load lasts 1 ns */

struct capture_times {
    uint64_t seq_num;
    uint64_t executed, done;         /* done: of a load, when its data is there */
    bool known;
};

bool capture_clock_init(struct capture_clock *clock, const struct dep_header *header)
{
    *clock = (struct capture_clock){.window = header->window_size, .load_ticks = header->tick_freq / LOADS_PER_SECOND,
                                    .recent = calloc(RECENT, sizeof *clock->recent)};
    return clock->recent != NULL;
}

void capture_clock_free(struct capture_clock *clock)
{
    free(clock->recent);
    clock->recent = NULL;
}

static const struct capture_times *capture_clock_find(const struct capture_clock *clock, uint64_t seq_num)
{
    struct capture_times const *const times = &clock->recent[seq_num % RECENT];

    return times->known && times->seq_num == seq_num ? times : NULL;
}

bool capture_clock_released(const struct capture_clock *clock, const struct dep_record *record, uint64_t lowest,
                            uint64_t *when)
{
    bool any = false;

    *when = 0;
    for (uint32_t i = 0; i < record->rob_dep_count; i++) {
        struct capture_times const *const on = record->rob_dep[i] >= lowest
                                                    ? capture_clock_find(clock, record->rob_dep[i]) : NULL;

        any = any || on != NULL;
        if (on != NULL)
            *when = max_u64(*when, record->type == DEP_STORE ? on->done : on->executed);
    }
    for (uint32_t i = 0; i < record->reg_dep_count; i++) {
        struct capture_times const *const on = record->reg_dep[i] >= lowest
                                                    ? capture_clock_find(clock, record->reg_dep[i]) : NULL;

        any = any || on != NULL;
        if (on != NULL)
            *when = max_u64(*when, on->done);
    }
    return any;
}

uint64_t capture_clock_execute(struct capture_clock *clock, const struct dep_record *record)
{
    uint64_t released, executed;

    if (clock->count > 0 && clock->count % clock->window == 0) {
        clock->read_at = clock->next_read_at;
        clock->next_read_at = clock->latest;
    }
    clock->count++;
    if (!capture_clock_released(clock, record, 0, &released))
        released = clock->read_at;
    executed = add_saturated(released, record->comp_delay);
    clock->latest = max_u64(clock->latest, executed);
    clock->recent[record->seq_num % RECENT] = (struct capture_times){
        .seq_num = record->seq_num, .executed = executed, .known = true,
        .done = record->type == DEP_LOAD ? add_saturated(executed, clock->load_ticks) : executed
    };
    return executed;
}
