/* The figures are those since the last reset of statistics, as in the rest of the summary. */
#include "cli/replay/detailed_summary.h"

#include <inttypes.h>
#include <string.h>

#include "replay/config/units.h"
#include "replay/system/detailed_stats.h"

static double ratio(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void print_head(FILE *to, const struct system *system, const struct system_core *core,
                       const struct detailed_stats *counted)
{
    char clock[UNITS_TEXT], end[64] = "";

    if (core->done_ps != TICK_NEVER && system->core_count > 1)
        snprintf(end, sizeof end, ", done at %.6f ms", 1e-9 * (double)system_counted_ps(system, core->done_ps));
    units_format(UNIT_PERIOD, system->config.cpu_clock_ps, 0, clock, sizeof clock);
    fprintf(to, "\n%-13s %" PRIu64 " cycles of %s, %" PRIu64 " instructions, %" PRIu64 " micro-ops, IPC %.3f, "
            "CPI %.3f%s\n", core->name, counted->cycles, clock, counted->instructions, counted->uops,
            ratio(counted->instructions, counted->cycles), ratio(counted->cycles, counted->instructions), end);
}

static void print_branches(FILE *to, const struct detailed_stats *counted)
{
    fprintf(to, "branches      %" PRIu64 ", %" PRIu64 " mispredicted (%.2f per 1000 instructions, %.2f %%), %" PRIu64
            " targets corrected by decode\n", counted->branches, counted->commit_mispredicts,
            1000 * ratio(counted->commit_mispredicts, counted->instructions),
            100 * ratio(counted->commit_mispredicts, counted->branches), counted->decode_mispredicted);
}

static void print_wrong_paths(FILE *to, const struct detailed_stats *counted)
{
    fprintf(to, "wrong paths   %" PRIu64 " of %" PRIu64 " instructions fetched (%.1f %%)", counted->wrong_insts,
            counted->fetched_insts, 100 * ratio(counted->wrong_insts, counted->fetched_insts));
    if (counted->wrong_unknown > 0)
        fprintf(to, "; after %" PRIu64 " mispredictions no code was known, and fetch stopped", counted->wrong_unknown);
    fprintf(to, "\n");
}

static void print_memory(FILE *to, const struct detailed_stats *counted)
{
    fprintf(to, "memory        %" PRIu64 " loads (%" PRIu64 " forwarded from stores), %" PRIu64 " stores, %" PRIu64
            " order violations, %" PRIu64 " refused by the L1D\n", counted->loads, counted->forwarded_loads,
            counted->stores, counted->order_violations, counted->blocked_by_cache);
}

static void print_queues(FILE *to, const struct detailed_params *params, const struct detailed_stats *counted)
{
    fprintf(to, "in flight     %.1f of %" PRIu64 " micro-ops, %.1f of %" PRIu64 " waiting to issue, %.1f of %" PRIu64
            " loads, %.1f of %" PRIu64 " stores on average\n", ratio(counted->rob_cyc, counted->cycles),
            params->rob_entries, ratio(counted->queue_cyc, counted->cycles), params->iq_entries,
            ratio(counted->load_cyc, counted->cycles), params->lq_entries,
            ratio(counted->store_cyc, counted->cycles), params->sq_entries);
}

/* Slots of the commit width, shown as cycles. */
static void print_slots(FILE *to, const struct detailed_params *params, const struct detailed_stats *counted)
{
    uint64_t all = 0;

    for (int slot = 0; slot < DETAILED_SLOT_COUNT; slot++)
        all += counted->slots[slot];
    fprintf(to, "where its cycles went (slots of its commit width, %" PRIu64 " a cycle)\n", params->commit_width);
    for (int slot = 0; slot < DETAILED_SLOT_COUNT; slot++) {
        double const share = 100 * ratio(counted->slots[slot], all);
        int const length = (int)(share / 100 * SUMMARY_BAR_WIDTH + 0.5);
        char bar[SUMMARY_BAR_WIDTH + 1];

        memset(bar, '#', (size_t)length);
        bar[length] = '\0';
        fprintf(to, "  %-20s %12.0f  %5.1f %%%s%s\n", detailed_slot_names[slot],
                (double)counted->slots[slot] / (double)params->commit_width, share, length ? "  " : "", bar);
    }
}

void detailed_summary_print(FILE *to, const struct system *system, const struct system_core *core)
{
    const struct detailed_params *const params = &system->config.detailed;
    const struct detailed_stats *const counted = detailed_cpu_stats(core->detailed);

    print_head(to, system, core, counted);
    print_branches(to, counted);
    print_wrong_paths(to, counted);
    print_memory(to, counted);
    print_queues(to, params, counted);
    print_slots(to, params, counted);
}
