/* The energy of a run in its summary: the total, its largest parts, energy-delay product, energy an instruction. All of
 * them are metrics; a system without technology has no such line. */
#include "cli/replay/summary.h"

#include <math.h>

/* Of the largest parts of the energy. */
enum { MOST_SHOWN = 3 };

struct energy_part { const char *metric, *name; double mj; };

/* Largest first; missing ones have none. */
static void weigh_parts(struct energy_part *parts, size_t count, const struct figures *figures)
{
    for (size_t i = 0; i < count; i++) {
        struct energy_part part = parts[i];
        size_t at = i;

        part.mj = metrics_value(figures, part.metric);
        if (isnan(part.mj))
            part.mj = 0;
        for (; at > 0 && parts[at - 1].mj < part.mj; at--)
            parts[at] = parts[at - 1];
        parts[at] = part;
    }
}

static void print_parts(FILE *to, const struct figures *figures, double of_mj)
{
    struct energy_part parts[] = {
        {"mem.energy_mj", "DRAM", 0}, {"energy.caches_mj", "caches", 0}, {"energy.buffers_mj", "buffers", 0},
        {"energy.tlbs_mj", "TLBs", 0}, {"energy.cores_mj", "cores", 0}, {"energy.leakage_mj", "leakage", 0}
    };

    weigh_parts(parts, sizeof parts / sizeof *parts, figures);
    for (size_t i = 0; i < MOST_SHOWN && parts[i].mj > 0; i++)
        fprintf(to, "%s %s %.1f %%", i == 0 ? ":" : ",", parts[i].name, 100 * parts[i].mj / of_mj);
}

void energy_summary_print(FILE *to, const struct figures *figures)
{
    double const total_mj = metrics_value(figures, "energy.total_mj"), edp = metrics_value(figures, "energy.edp"),
                 inst_nj = metrics_value(figures, "energy.nj_inst"), sram_mj = metrics_value(figures, "energy.sram_mj");

    if (isnan(sram_mj))
        return;
    if (isnan(total_mj)) {
        fprintf(to, "energy        %.4g mJ of SRAMs", sram_mj);
        print_parts(to, figures, sram_mj);
        fputs("; that of DRAM is not known\n", to);
        return;
    }
    fprintf(to, "energy        %.4g mJ", total_mj);
    print_parts(to, figures, total_mj);
    if (!isnan(inst_nj))
        fprintf(to, "; %.4g nJ an instruction", inst_nj);
    fprintf(to, "; EDP %.4g uJ s\n", edp);
}
