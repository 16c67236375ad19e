/* Internals of a rank, shared by rank.c (rows), power.c (power states) and the refresh policies. */
#ifndef MEMSYS_DRAM_RANK_INTERNAL_H
#define MEMSYS_DRAM_RANK_INTERNAL_H

#include "memsys/dram/dram_channel.h"

static inline uint64_t now_of(const struct dram_rank *rank)
{
    return sim_now_ps(rank->channel->sim);
}

static inline void raise_to(uint64_t *tick_ps, uint64_t at_least_ps)
{
    *tick_ps = max_u64(*tick_ps, at_least_ps);
}

static inline void schedule(struct dram_rank *rank, struct event *event, uint64_t when_ps)
{
    event_schedule(&rank->channel->sim->events, event, when_ps);
}

static inline bool is_watched(const struct dram_rank *rank)
{
    return rank->channel->commands;
}

/* Nothing to do in the direction that the bus takes next. */
static inline bool queue_is_empty(const struct dram_rank *rank)
{
    return (rank->channel->bus_next == BUS_READ ? rank->read_entries : rank->write_entries) == 0;
}

/* ---- rank.c */

/* No bank is closed before. */
void dram_rank_raise_precharges(struct dram_rank *rank, uint64_t at_least_ps);
/* An activate lies ahead. */
bool dram_rank_activate_is_due(const struct dram_rank *rank);
/* The rank leaves POWER_ACTIVE: an activate that only had a place is queued. */
void dram_rank_queue_activate(struct dram_rank *rank);

/* ---- power.c */

/* Changes the power state at when_ps. */
void dram_rank_schedule_power(struct dram_rank *rank, unsigned state, uint64_t when_ps);
/* Begins a low-power state now. */
void dram_rank_sleep_in(struct dram_rank *rank, unsigned state);
/* The events of power and wake. */
void dram_rank_init_power(struct dram_rank *rank);

#endif
