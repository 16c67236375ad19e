/* Cycles of a detailed core that need not be executed.
 *
 * Shortens: a cycle in which no stage did anything, and after which no wire between stages holds anything, is
 * followed by equal ones until an answer or a retry of the L1s comes, a result of several cycles, or a trap.
 * Why the result is the same: the stages are functions of the core's state and its inputs; if a cycle changes
 * neither, the next one is identical. Its counts are found by executing a second such cycle; the difference, times
 * the number of skipped cycles, is added.
 * Test: tests/unit/replay/fast/test_idle.c compares it with the plain engine, statistics and all. */
#include "replay/fast/idle.h"

#include <stdlib.h>

#include "replay/detailed/detailed_core.h"

struct idle {
    uint64_t delay_cyc;                  /* the longest delay between stages */
    bool is_asleep;
    bool was_quiet;                      /* the last cycle did nothing */
    struct detailed_stats repeated;      /* asleep: counts of a cycle; before: counts at its start */
};

static_assert(sizeof(struct detailed_stats) % sizeof(uint64_t) == 0, "all of its fields are uint64_t");
enum { COUNTERS = sizeof(struct detailed_stats) / sizeof(uint64_t) };

/* Sets `repeated` to the counts of the cycle just executed. */
static void find_repeated(struct detailed_cpu *cpu, struct idle *idle)
{
    const uint64_t *const stats = (const uint64_t *)(const void *)&cpu->stats;
    uint64_t *const repeated = (uint64_t *)(void *)&idle->repeated;

    for (size_t i = 0; i < COUNTERS; i++)
        repeated[i] = stats[i] - repeated[i];
}

/* Cycles before that one were not executed. */
static void account(struct detailed_cpu *cpu, struct idle *idle, uint64_t cycle)
{
    const uint64_t *const repeated = (const uint64_t *)(const void *)&idle->repeated;
    uint64_t *const stats = (uint64_t *)(void *)&cpu->stats;
    uint64_t const left_out = cycle - cpu->cycle - 1;

    for (size_t i = 0; left_out > 0 && i < COUNTERS; i++)
        stats[i] += repeated[i] * left_out;
    cpu->cycle = cycle - 1;
}

static uint64_t longest_delay(const struct detailed_params *params)
{
    uint64_t const commit = max_u64(max_u64(params->commit_to_fetch_cyc, params->commit_to_decode_cyc),
                                    max_u64(params->commit_to_rename_cyc, params->commit_to_iew_cyc));
    uint64_t const others = max_u64(max_u64(params->decode_to_fetch_cyc, params->rename_to_decode_cyc),
                                    max_u64(params->iew_to_rename_cyc, params->iew_to_commit_cyc));

    return max_u64(commit, others);
}

static bool is_quiet(const struct detailed_cpu *cpu, const struct idle *idle)
{
    return !cpu->changed && cpu->delayed == 0 && cpu->cycle - cpu->last_activity >= idle->delay_cyc
        && cpu->to_decode.held == 0 && cpu->to_rename.held == 0 && cpu->to_iew.held == 0 && cpu->to_rob.held == 0
        && cpu->to_execute.held == 0 && cpu->to_commit.held == 0 && !cpu->iew.update_next && !cpu->lsq.retried;
}

/* The first cycle in which something happens by itself; DETAILED_NEVER: none. */
static uint64_t next_of_itself(const struct detailed_cpu *cpu)
{
    const struct iew_stage *const iew = &cpu->iew;
    uint64_t const trap = cpu->commit.trap_cyc;

    if (iew->completions_held == 0)
        return trap;
    for (uint64_t cycle = cpu->cycle; cycle <= cpu->cycle + iew->completion_mask; cycle++)
        if (iew->completions[cycle & iew->completion_mask])
            return min_u64(trap, cycle > cpu->cycle && core_sleeps_in_reference(cpu, cycle) ? cycle : cycle + 1);
    return trap;
}

static uint64_t next_cycle(struct detailed_cpu *cpu)
{
    struct idle *const idle = cpu->hooked;

    if (!is_quiet(cpu, idle)) {
        idle->was_quiet = false;
        return cpu->cycle + 1;
    }
    if (!idle->was_quiet) {
        idle->was_quiet = true;
        return cpu->cycle + 1;
    }
    idle->was_quiet = false;
    idle->is_asleep = true;
    find_repeated(cpu, idle);
    return next_of_itself(cpu);
}

static void idle_begin(struct detailed_cpu *cpu, uint64_t cycle)
{
    struct idle *const idle = cpu->hooked;

    if (idle->is_asleep)
        account(cpu, idle, cycle);
    idle->is_asleep = false;
    if (idle->was_quiet)
        idle->repeated = cpu->stats;
}

static void wake(struct detailed_cpu *cpu)
{
    struct idle *const idle = cpu->hooked;
    struct event_queue *const events = &cpu->sim->events;
    uint64_t const cycle = cpu->woken_cycle;

    idle->was_quiet = false;
    if (!idle->is_asleep)
        return;
    if (cpu->tick_event.scheduled) {
        if (cpu->tick_event.when_ps <= cycle * cpu->clock.period_ps)
            return;
        event_deschedule(events, &cpu->tick_event);
    }
    core_schedule(cpu, cycle);
}

static void catch_up(struct detailed_cpu *cpu)
{
    struct idle *const idle = cpu->hooked;
    uint64_t const coming = core_coming_cycle(cpu);

    idle->was_quiet = false;
    if (idle->is_asleep && coming > cpu->cycle + 1)
        account(cpu, idle, coming);
}

struct fault idle_bind(struct detailed_cpu *cpu)
{
    struct idle *const idle = calloc(1, sizeof *idle);

    if (!idle)
        return fault_make(FAULT_MEMORY, "out of memory for a detailed core");
    idle->delay_cyc = longest_delay(&cpu->params);
    cpu->hooked = idle;
    cpu->hooks = (struct detailed_hooks){.next_cycle = next_cycle, .begin = idle_begin, .wake = wake,
        .catch_up = catch_up};
    return fault_none();
}
