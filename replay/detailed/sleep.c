/* Cycles of the detailed core that need not be executed.
 *
 * A cycle in which no stage did anything leaves the core as it was, so the next one does the same, until an answer, a
 * retry, a result of several cycles or a trap comes. What such a cycle counts is found by executing a second one: the
 * difference, times the cycles left out, is added. So nothing differs from executing all of them; `tests/unit/replay/
 * detailed/test_detailed_sleep.c` compares both.
 *
 * Of the reference's own sleep (o3-core 1.3) one thing shows, rule (c): a result of several cycles that wakes it is
 * executed a cycle earlier. */
#include "replay/detailed/core.h"

enum { ACTIVITY_CYC = 10 };              /* the reference goes on for so long */

uint64_t core_coming_cycle(const struct detailed_cpu *cpu)
{
    uint64_t edge;

    if (cpu->is_ticking)
        return cpu->cycle;
    edge = domain_cycles(cpu->clock, sim_now_ps(cpu->sim));
    return max_u64(edge, cpu->cycle + 1);
}

/* The first cycle in which something happens by itself; DETAILED_NEVER: none. */
static uint64_t next_of_itself(const struct detailed_cpu *cpu)
{
    const struct iew_stage *const iew = &cpu->iew;
    uint64_t next = cpu->commit.trap_cyc;

    if (iew->completions_held == 0)
        return next;
    for (uint64_t cycle = cpu->cycle; cycle <= cpu->cycle + iew->completion_mask; cycle++)
        if (iew->completions[cycle & iew->completion_mask])
            return min_u64(next, cycle + 1);
    return next;
}

static bool is_quiet(const struct detailed_cpu *cpu)
{
    return !cpu->changed && cpu->to_decode.held == 0 && cpu->to_rename.held == 0 && cpu->to_iew.held == 0
        && cpu->to_rob.held == 0 && cpu->to_execute.held == 0 && cpu->to_commit.held == 0 && !cpu->iew.update_next
        && !cpu->lsq.retried;
}

/* Would the reference sleep in that cycle? Its fetch waits, and nothing was active for a while. */
static bool reference_sleeps(const struct detailed_cpu *cpu, uint64_t cycle)
{
    return cpu->fetch.status != FETCH_RUNNING && cpu->last_activity + ACTIVITY_CYC < cycle
        && cpu->iew.ready_classes == 0;
}

static_assert(sizeof(struct detailed_stats) % sizeof(uint64_t) == 0, "all of its fields are uint64_t");

/* stats_repeated becomes what the cycle that has just been executed has counted. */
static void find_repeated(struct detailed_cpu *cpu)
{
    const uint64_t *const stats = (const uint64_t *)(const void *)&cpu->stats;
    uint64_t *const repeated = (uint64_t *)(void *)&cpu->stats_repeated;

    for (size_t i = 0; i < sizeof cpu->stats / sizeof *stats; i++)
        repeated[i] = stats[i] - repeated[i];
}

static void add_repeated(struct detailed_cpu *cpu, uint64_t cycles)
{
    const uint64_t *const repeated = (const uint64_t *)(const void *)&cpu->stats_repeated;
    uint64_t *const stats = (uint64_t *)(void *)&cpu->stats;

    for (size_t i = 0; i < sizeof cpu->stats / sizeof *stats; i++)
        stats[i] += repeated[i] * cycles;
}

static void schedule(struct detailed_cpu *cpu, uint64_t cycle)
{
    event_schedule_exit(&cpu->sim->events, &cpu->tick_event, cycle * cpu->clock.period_ps);
}

/* Cycles up to that one, which is executed next, were left out. */
static void account(struct detailed_cpu *cpu, uint64_t cycle)
{
    if (cycle > cpu->cycle + 1)
        add_repeated(cpu, cycle - cpu->cycle - 1);
    cpu->is_asleep = false;
    cpu->cycle = cycle - 1;
}

void core_wake(struct detailed_cpu *cpu)
{
    uint64_t cycle;

    cpu->activity++;
    if (cpu->is_ticking || !cpu->was_started || cpu->is_done || !cpu->is_asleep)
        return;
    cycle = core_coming_cycle(cpu);
    account(cpu, cycle);
    cpu->wakes_early = false;
    if (cpu->tick_event.scheduled)
        event_deschedule(&cpu->sim->events, &cpu->tick_event);
    schedule(cpu, cycle);
}

/* The cycle's stages are done: when is the next one? */
static void go_on(struct detailed_cpu *cpu)
{
    uint64_t next = cpu->cycle + 1;

    if (cpu->changed)
        cpu->last_activity = cpu->cycle;
    if (!is_quiet(cpu)) {
        cpu->was_unchanged = false;
    } else if (!cpu->was_unchanged) {
        cpu->was_unchanged = true;       /* one more, whose counts are those of all that follow */
        cpu->stats_repeated = cpu->stats;
    } else {
        cpu->is_asleep = true;
        cpu->was_unchanged = false;
        find_repeated(cpu);
        next = next_of_itself(cpu);
        if (next == DETAILED_NEVER)
            return;
        if (next > cpu->cycle + 2 && next != cpu->commit.trap_cyc && reference_sleeps(cpu, next - 1)) {
            next--;
            cpu->wakes_early = true;
        }
    }
    schedule(cpu, next);
}

void core_tick(void *owner)
{
    struct detailed_cpu *const cpu = owner;
    uint64_t const cycle = domain_cycles(cpu->clock, sim_now_ps(cpu->sim));

    if (cpu->is_asleep)
        account(cpu, cycle);
    if (cpu->wakes_early)
        issue_complete(cpu, cycle, cycle - cpu->params.issue_to_execute_cyc);
    cpu->wakes_early = false;
    issue_complete(cpu, cycle - 1, cycle - 1);
    cpu->cycle = cycle;
    cpu->is_ticking = true;
    cpu->changed = false;
    cpu->activity++;
    cpu->signals[cycle % SIGNAL_SLOTS] = (struct signals){.cycle = cycle};
    cpu->stats.cycles++;
    fetch_tick(cpu);
    decode_tick(cpu);
    rename_tick(cpu);
    iew_tick(cpu);
    commit_tick(cpu);
    slots_count(cpu);
    cpu->is_ticking = false;
    lsq_end_tick(cpu);
    if (!cpu->is_done)
        go_on(cpu);
}

void core_catch_up(struct detailed_cpu *cpu)
{
    uint64_t const coming = domain_cycles(cpu->clock, sim_now_ps(cpu->sim));

    if (!cpu->is_asleep || cpu->is_done || coming <= cpu->cycle + 1)
        return;
    add_repeated(cpu, coming - 1 - cpu->cycle);
    cpu->cycle = coming - 1;
}
