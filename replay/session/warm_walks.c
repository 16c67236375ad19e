#include "replay/session/warm_walks.h"

#include <inttypes.h>

#include "base/host_facts.h"
#include "replay/system/system_core.h"
#include "replay/warm/warm_system.h"

struct fault warm_walks_do(const struct warm_walks *walks, double *host_s, bool *is_interrupted)
{
    struct warm_program list[CONFIG_MAX_CORES];
    struct workload const *const workload = walks->workload;
    uint64_t const from = workload->options.insn.skipped;
    struct warm_programs const programs = {
        .list = list, .count = workload->insn_count, .format = insn_read_format_name(&workload->options.insn),
        .from = from, .place = from + walks->instructions, .is_interrupted = walks->is_interrupted,
        .context = walks->context};
    double const start_s = host_clock_s();

    for (size_t i = 0; i < programs.count; i++)
        list[i] = (struct warm_program){.path = workload->insn_paths[i],
                                        .core = insn_threads_first_core(walks->run, i),
                                        .space = vm_memory_nth_space(walks->spaces, (unsigned)i)};
    FORWARD(warm_system_programs(walks->system, &programs, is_interrupted));
    *host_s = host_clock_s() - start_s;
    if (!*is_interrupted)
        system_reset_stats(walks->system);
    return fault_none();
}

void warm_walks_warn_of_short(const struct system *system, uint64_t wanted, const struct warn_sink *warn)
{
    for (unsigned i = 0; i < system->core_count && wanted; i++) {
        const struct system_core *const core = &system->cores[i];
        uint64_t const retired = core_work(core) - core->counted_from;

        if (core->passes_begun > 0 && core_is_done(core) && retired < wanted)
            warn_of(warn, "%s: its trace ended when %" PRIu64 " of %" PRIu64 " instructions were retired; --restart "
                    "begins it again", core->name, retired, wanted);
    }
}
