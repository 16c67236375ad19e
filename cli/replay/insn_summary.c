#include "cli/replay/summary.h"

#include <inttypes.h>

#include "replay/config/config_values.h"

static void print_uops(FILE *to, const struct depend_counts *counts)
{
    const char *between = ": ";
    uint64_t all = 0;

    for (int kind = 0; kind < DEPEND_KIND_COUNT; kind++)
        all += counts->uops[kind];
    fprintf(to, "  micro-ops   %" PRIu64, all);
    for (int kind = 0; kind < DEPEND_KIND_COUNT; kind++) {
        if (counts->uops[kind] == 0)
            continue;
        fprintf(to, "%s%" PRIu64 " %s", between, counts->uops[kind], depend_kind_name((enum depend_kind)kind));
        between = ", ";
    }
    fprintf(to, "\n");
}

void insn_summary_lacks(FILE *to, const struct insn_threads_figures *figures, const char *indent)
{
    bool is_first = true;

    for (int lack = 0; lack < INSN_LACK_COUNT; lack++) {
        if (!(figures->lacks & 1u << lack))
            continue;
        fprintf(to, is_first ? "%slacks       %s" : "%s            %s", indent, insn_lack_text((enum insn_lack)lack));
        if (lack == INSN_LACKS_DEPENDENCES && figures->is_detailed)
            fprintf(to, ": no register is waited for");
        else if (lack == INSN_LACKS_DEPENDENCES)
            fprintf(to, ": accesses are issued in program order, within the reorder buffer");
        else if (lack == INSN_LACKS_ACCESS_SIZES)
            fprintf(to, ": each is %" PRIu32 " bytes", figures->usual_size_bytes);
        else if (lack == INSN_LACKS_PCS)
            fprintf(to, ": nothing is fetched");
        else if (lack == INSN_LACKS_INSTRUCTIONS)
            fprintf(to, ": time passes for those that have some only");
        fprintf(to, "\n");
        is_first = false;
    }
}

/* The meaning of addresses and times. */
static void print_meaning(FILE *to, const struct insn_threads_figures *figures)
{
    static const char *const places[] = {[INSN_ADDRESSES_VIRTUAL] = "virtual: pages get places in memory",
                                         [INSN_ADDRESSES_PHYSICAL] = "physical: they are places in memory"};
    const struct insn_meaning *const meaning = &figures->meaning;

    if (figures->are_mixed)
        fprintf(to, "  addresses   physical in %zu of %zu traces, virtual in the others\n", figures->physical,
                figures->traces);
    else
        fprintf(to, "  addresses   %s%s\n", places[meaning->addresses],
                figures->physical > 1 ? ", which the traces share" : "");
    if (meaning->clock == INSN_CLOCK_NONE || figures->are_mixed)
        return;
    fprintf(to, "  times       of the trace, %s", meaning->clock == INSN_CLOCK_PS ? "in picoseconds" : "in cycles of ");
    if (meaning->clock != INSN_CLOCK_PS)
        fprintf(to, "%g ns (%s)", 1e-3 * (double)figures->time_ps,
                figures->is_time_given ? "--trace-clock" : insn_clock_text(meaning->clock));
    fprintf(to, meaning->since == INSN_SINCE_ANSWER ? ", from the answer to the access before\n"
            : ": an access is sent then, or when it can be\n");
}

static void print_waits(FILE *to, const struct insn_threads_figures *figures)
{
    struct insn_sync_counts const *const sync = &figures->sync;

    if (figures->threads < 2)
        return;
    if (figures->is_free) {
        fprintf(to, "  waits       none (--sync free): %zu threads start at once and never wait\n",
                figures->threads);
        return;
    }
    fprintf(to, "  waits       %" PRIu64 " of %zu threads begin when they were created; %" PRIu64
            " waits end with their recorded wake-up, %" PRIu64 " are free\n",
            sync->creations, figures->threads, sync->waits, sync->unmatched);
    if (sync->unknown > 0)
        fprintf(to, "              %" PRIu64 " futex calls have no arguments in the trace, and are free\n",
                sync->unknown);
    if (sync->creations + sync->waits == 0)
        fprintf(to, "              the trace has no waits between threads: threads run free\n");
}

/* Of wrong paths that were executed. */
static void print_values(FILE *to, const struct machine_figures *values)
{
    uint64_t const wrong = values->addresses + values->targets + values->branches;

    fprintf(to, "  values      of wrong paths are those of the program, executed beside the trace");
    if (wrong > 0)
        fprintf(to, ", corrected %" PRIu64 " times: %" PRIu64 " addresses, %" PRIu64 " targets, %" PRIu64 " branches",
                wrong, values->addresses, values->targets, values->branches);
    if (values->unknown_calls > 0)
        fprintf(to, "; %" PRIu64 " system calls are not known", values->unknown_calls);
    fprintf(to, "\n");
}

/* Of traces that a detailed core executed. */
static void print_supply(FILE *to, const struct insn_threads_figures *figures)
{
    const struct supply_figures *const supply = &figures->supply;

    fprintf(to, "  accesses    %" PRIu64 " loads, %" PRIu64 " stores, %" PRIu64 " atomic ones\n", supply->loads,
            supply->stores, supply->atomics);
    if (supply->system_calls > 0)
        fprintf(to, "  put in      %" PRIu64 " system calls, where the trace continues after one that it lacks\n",
                supply->system_calls);
    if (supply->missing > 0)
        fprintf(to, "  missing     %" PRIu64 " accesses that an instruction makes and the trace lacks\n",
                supply->missing);
    if (supply->jumps > 0)
        fprintf(to, "  jumps       at %" PRIu64 " places the trace continues elsewhere without a branch\n",
                supply->jumps);
    if (figures->has_values && figures->values.begins_elsewhere)
        fprintf(to, "  no values   the trace does not begin where its program does: wrong paths neither mispredict nor "
                "load\n");
    else if (figures->has_values)
        print_values(to, &figures->values);
    else if (figures->has_images && figures->lacks_program)
        fprintf(to, "  no values   the trace keeps no program, and none (PROGRAM.elf.xz) lies beside it: wrong paths "
                "neither mispredict nor load\n");
    if (!figures->has_images && figures->has_seen_code)
        fprintf(to, "  no code     the trace has no code image: wrong paths hold what it executed there before\n");
    else if (!figures->has_images)
        fprintf(to, "  no code     the trace has no code image: fetch stops at mispredictions\n");
}

/* Lines and records of the files that are no instructions or accesses. */
static void print_left_out(FILE *to, const struct insn_left_out *left_out)
{
    const struct { uint64_t count; const char *one, *several; } rows[] = {
        {left_out->foreign, "line that is no record of the format", "lines that are no records of the format"},
        {left_out->messages, "line of messages of the tracer", "lines of messages of the tracer"},
        {left_out->superblocks, "beginning of a superblock", "beginnings of superblocks"},
        {left_out->zeros, "record of zeros", "records of zeros"},
        {left_out->without_data, "request that moves no data", "requests that move no data"}};
    const char *before = "  left out    ";

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].count == 0)
            continue;
        fprintf(to, "%s%" PRIu64 " %s", before, rows[i].count, rows[i].count == 1 ? rows[i].one : rows[i].several);
        before = ", ";
    }
    if (before[0] == ',')
        fprintf(to, "\n");
}

void insn_summary_print(FILE *to, const struct insn_threads_figures *figures, const struct system *system,
                        bool is_whole)
{
    uint64_t const cycles = (system_now_ps(system) - system->stats.reset_ps) / config_cpu_clock_ps(system->config);
    uint64_t const instructions = figures->depend.instructions;

    fprintf(to, "\ninstructions  %" PRIu64 " of %zu thread%s", instructions, figures->threads,
            figures->threads == 1 ? "" : "s");
    if (is_whole && cycles > 0)
        fprintf(to, ", IPC %.3f", (double)instructions / (double)cycles);
    fprintf(to, "%s\n", is_whole ? "" : " were read");
    if (figures->is_detailed)
        print_supply(to, figures);
    else
        print_uops(to, &figures->depend);
    print_meaning(to, figures);
    if (figures->is_elastic && !figures->is_detailed)
        fprintf(to, "  depend      on %" PRIu64 " registers, %" PRIu64 " in memory order, %" PRIu64 " on fetches\n",
                figures->depend.register_deps, figures->depend.memory_deps, figures->depend.fetch_deps);
    if (figures->undecoded > 0)
        fprintf(to, "  not decoded %" PRIu64 " (%.2f %%): they read and write no registers\n",
                figures->undecoded, instructions ? 100 * (double)figures->undecoded / (double)instructions : 0);
    print_left_out(to, &figures->left_out);
    if (figures->lost.places > 0) {
        fprintf(to, "  lost        instructions are missing at %" PRIu64 " place%s, ", figures->lost.places,
                figures->lost.places == 1 ? "" : "s");
        if (figures->lost.insns > 0)
            fprintf(to, "%" PRIu64 " of them as far as the trace says: no time passes there\n", figures->lost.insns);
        else
            fprintf(to, "unknown number: no time passes there\n");
    }
    insn_summary_lacks(to, figures, "  ");
    print_waits(to, figures);
}
