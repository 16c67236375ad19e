/* A cycle of the detailed core: its stages, in the reference's order (o3-core 1.1), and when the next one is.
 *
 * Several cores whose edges fall into one tick execute their cycles in the order of their numbers, behind everything
 * else of that tick. In the reference the order is that of insertion, which turns round in every cycle; a core that
 * leaves cycles out (replay/fast/idle.h) could not know it.
 *
 * The reference sleeps while nothing is active (1.3). That shows in nothing but rule (c): a result of several cycles
 * that finds it asleep wakes it in that very cycle, and is executed one cycle earlier than others. */
#include "replay/detailed/detailed_core.h"

enum { ACTIVITY_CYC = 10 };              /* the reference keeps ticking this long after its last activity */

uint64_t core_coming_cycle(const struct detailed_cpu *cpu)
{
    uint64_t const now_ps = sim_now_ps(cpu->sim), cycle = domain_cycles(cpu->clock, now_ps);
    struct event_place const tick = {cycle * cpu->clock.period_ps, cpu->tick_event.number};

    if (cpu->is_ticking)
        return cpu->cycle;
    return max_u64(cycle + event_has_passed(&cpu->sim->events, &tick), cpu->cycle + 1);
}

/* (c) */
bool core_sleeps_in_reference(const struct detailed_cpu *cpu, uint64_t cycle)
{
    return cpu->last_activity + ACTIVITY_CYC < cycle && cpu->woken_cycle != cycle && cpu->fetch.status != FETCH_RUNNING
        && cpu->fetch.status != FETCH_HAS_ANSWER && cpu->iew.ready_classes == 0;
}

void core_wake(struct detailed_cpu *cpu)
{
    cpu->activity++;
    if (cpu->is_ticking || cpu->is_done || !cpu->was_started)
        return;
    cpu->woken_cycle = core_coming_cycle(cpu);
    if (cpu->hooks.wake)
        cpu->hooks.wake(cpu);
}

void core_schedule(struct detailed_cpu *cpu, uint64_t cycle)
{
    event_schedule_exit(&cpu->sim->events, &cpu->tick_event, cycle * cpu->clock.period_ps);
}

static void cycle_execute(struct detailed_cpu *cpu, uint64_t cycle)
{
    cpu->signals[cycle % SIGNAL_SLOTS] = (struct signals){.cycle = cycle};
    if (cpu->iew.completions_held > 0) {
        issue_complete(cpu, cycle - 1, cycle - 1);
        if (core_sleeps_in_reference(cpu, cycle))
            issue_complete(cpu, cycle, cycle - cpu->params.issue_to_execute_cyc);
    }
    cpu->cycle = cycle;
    cpu->is_ticking = true;
    cpu->changed = false;
    cpu->activity++;
    cpu->stats.cycles++;
    fetch_tick(cpu);
    decode_tick(cpu);
    rename_tick(cpu);
    iew_tick(cpu);
    commit_tick(cpu);
    slots_count(cpu);
    cpu->is_ticking = false;
    lsq_end_tick(cpu);
    if (cpu->changed)
        cpu->last_activity = cycle;
}

void core_tick(void *owner)
{
    struct detailed_cpu *const cpu = owner;
    uint64_t const cycle = domain_cycles(cpu->clock, sim_now_ps(cpu->sim));
    uint64_t next = cycle + 1;

    if (cpu->hooks.begin)
        cpu->hooks.begin(cpu, cycle);
    cycle_execute(cpu, cycle);
    if (cpu->is_done)
        return;
    if (cpu->hooks.next_cycle)
        next = cpu->hooks.next_cycle(cpu);
    if (next != DETAILED_NEVER)
        core_schedule(cpu, next);
}
