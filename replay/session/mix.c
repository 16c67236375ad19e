#include "replay/session/mix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "replay/config/config_values.h"

static void mix_judge(struct mix *mix)
{
    double speedups = 0, slowdowns = 0, lowest = INFINITY, highest = 0;

    mix->is_whole = mix->count > 0;
    for (size_t i = 0; i < mix->count; i++) {
        double const slowdown = mix_slowdown(&mix->programs[i]);

        mix->is_whole &= mix_has_end(&mix->programs[i]);
        speedups += 1 / slowdown;
        slowdowns += slowdown;
        lowest = fmin(lowest, slowdown);
        highest = fmax(highest, slowdown);
    }
    if (!mix->is_whole)
        return;
    mix->weighted_speedup = speedups;
    mix->harmonic_speedup = (double)mix->count / slowdowns;
    mix->fairness = lowest / highest;
    mix->max_slowdown = highest;
}

struct fault mix_run(struct mix *mix, struct session *session)
{
    *mix = (struct mix){.count = session_programs(session)};
    mix->programs = calloc(mix->count + 1, sizeof *mix->programs);
    if (!mix->programs)
        return fault_make(FAULT_MEMORY, "out of memory for the programs of a mix");
    for (size_t i = 0; i < mix->count; i++)
        mix->programs[i].program = session_program(session, i);
    for (size_t i = 0; i < mix->count; i++) {
        FORWARD(session_run_alone(session, i, &mix->programs[i].program, &mix->programs[i].alone_ps));
        if (session_result(session)->is_interrupted)
            return fault_none();
    }
    mix_judge(mix);
    return fault_none();
}

void mix_free(struct mix *mix)
{
    free(mix->programs);
    *mix = (struct mix){.count = 0};
}

static void visit_ticks(const char *component, uint64_t shared_ps, uint64_t alone_ps,
                        void (*visit)(void *context, const char *name, double value), void *context)
{
    char name[64];

    snprintf(name, sizeof name, "system.%s.sharedTicks", component);
    visit(context, name, (double)shared_ps);
    snprintf(name, sizeof name, "system.%s.aloneTicks", component);
    visit(context, name, (double)alone_ps);
}

void mix_visit(const struct mix *mix, const struct system_config *config,
               void (*visit)(void *context, const char *name, double value), void *context)
{
    char core[24];

    if (!mix->is_whole)
        return;
    visit(context, "mixWeightedSpeedup", mix->weighted_speedup);
    visit(context, "mixHarmonicSpeedup", mix->harmonic_speedup);
    visit(context, "mixFairness", mix->fairness);
    visit(context, "mixMaxSlowdown", mix->max_slowdown);
    for (unsigned i = 0; i < config_core_count(config); i++) {
        uint64_t shared_ps = 0, alone_ps = 0;

        for (size_t k = 0; k < mix->count; k++) {
            const struct mix_program *const one = &mix->programs[k];

            if (one->program.is_gpu || one->program.core != i)
                continue;
            shared_ps += one->program.done_ps;
            alone_ps += one->alone_ps;
        }
        text_member_name(core, sizeof core, "cpu", i, config_core_count(config));
        if (alone_ps > 0)
            visit_ticks(core, shared_ps, alone_ps, visit, context);
    }
    for (size_t k = 0; k < mix->count; k++)
        if (mix->programs[k].program.is_gpu)
            visit_ticks("gpu", mix->programs[k].program.done_ps, mix->programs[k].alone_ps, visit, context);
}
