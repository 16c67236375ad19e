/* The figures are those since the last reset of statistics, as in the rest of the summary. */
#include "cli/replay/summary.h"

#include <inttypes.h>
#include <string.h>

#include "replay/config/config_values.h"
#include "replay/config/detailed_params.h"
#include "replay/config/units.h"
#include "replay/system/system_stats.h"

static double detailed_summary_ratio(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void print_head(FILE *to, const struct system *system, const struct system_core *core,
                       const struct detailed_stats *counted)
{
    char clock[UNITS_TEXT], end[64] = "";

    if (core->done_ps != TICK_NEVER && system->core_count > 1)
        snprintf(end, sizeof end, ", done at %.6f ms", 1e-9 * (double)system_counted_ps(system, core->done_ps));
    units_format(UNIT_PERIOD, config_cpu_clock_ps(system->config), 0, clock, sizeof clock);
    fprintf(to, "\n%-13s %" PRIu64 " cycles of %s, %" PRIu64 " instructions, %" PRIu64 " micro-ops, IPC %.3f, "
            "CPI %.3f%s\n", core->name, counted->cycles, clock, counted->instructions, counted->uops,
            detailed_summary_ratio(counted->instructions, counted->cycles),
            detailed_summary_ratio(counted->cycles, counted->instructions), end);
}

static void print_branches(FILE *to, const struct detailed_stats *counted)
{
    fprintf(to, "branches      %" PRIu64 ", %" PRIu64 " mispredicted (%.2f per 1000 instructions, %.2f %%), %" PRIu64
            " targets corrected by decode\n", counted->branches, counted->commit_mispredicts,
            1000 * detailed_summary_ratio(counted->commit_mispredicts, counted->instructions),
            100 * detailed_summary_ratio(counted->commit_mispredicts, counted->branches), counted->decode_mispredicted);
}

static void print_wrong_paths(FILE *to, const struct detailed_stats *counted)
{
    fprintf(to, "wrong paths   %" PRIu64 " of %" PRIu64 " instructions fetched (%.1f %%)", counted->wrong_insts,
            counted->fetched_insts, 100 * detailed_summary_ratio(counted->wrong_insts, counted->fetched_insts));
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
            " loads, %.1f of %" PRIu64 " stores on average\n", detailed_summary_ratio(counted->rob_cyc,
                                                                                      counted->cycles),
            params->rob_entries, detailed_summary_ratio(counted->queue_cyc, counted->cycles), params->iq_entries,
            detailed_summary_ratio(counted->load_cyc, counted->cycles), params->lq_entries,
            detailed_summary_ratio(counted->store_cyc, counted->cycles), params->sq_entries);
}

/* ---- where cycles went */
void cycle_share_put(struct table_writer *writer, const char *name, double cycles, double share)
{
    enum { BAR = 40 };
    char bar[BAR + 1] = "";

    memset(bar, '#', (size_t)(share * BAR + 0.5));
    table_word(writer, name);
    table_real(writer, cycles);
    table_real(writer, share);
    table_word(writer, bar);
    table_end_row(writer);
}

void cycle_shares_print(FILE *to, int width, void (*rows)(const void *context, struct table_writer *writer),
                        const void *context)
{
    struct table_column const columns[] = {
        TEXT_COLUMN("", -width, .gap = "  "), TEXT_COLUMN("", 12),
        TEXT_COLUMN("", 7, .text_digits = 1, .scale = 100, .suffix = " %", .gap = "  "), TEXT_COLUMN("", 0, .gap = "  ")
    };
    struct table table = TABLE_OF(columns, rows, context);

    table.has_no_head = true;
    table_print(to, TABLE_TEXT, &table);
}

struct slot_rows {
    const struct detailed_params *params;
    const struct detailed_stats *counted;
};

/* Slots of the commit width, shown as cycles. */
static void put_slots(const void *context, struct table_writer *writer)
{
    const struct slot_rows *const rows = context;
    uint64_t all = 0;

    for (int slot = 0; slot < DETAILED_SLOT_COUNT; slot++)
        all += rows->counted->slots[slot];
    for (int slot = 0; slot < DETAILED_SLOT_COUNT; slot++)
        cycle_share_put(writer, detailed_slot_names[slot],
                        (double)rows->counted->slots[slot] / (double)rows->params->commit_width,
                        detailed_summary_ratio(rows->counted->slots[slot], all));
}

void detailed_summary_print(FILE *to, const struct system *system, const struct system_core *core)
{
    const struct detailed_params *const params = config_detailed(system->config);
    const struct detailed_stats *const counted = detailed_cpu_stats(core->detailed);

    print_head(to, system, core, counted);
    print_branches(to, counted);
    print_wrong_paths(to, counted);
    print_memory(to, counted);
    print_queues(to, params, counted);
    fprintf(to, "where its cycles went (slots of its commit width, %" PRIu64 " a cycle)\n", params->commit_width);
    cycle_shares_print(to, 20, put_slots, &(struct slot_rows){params, counted});
}
