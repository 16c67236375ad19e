/* The columns are those of stats.txt, so that scripts made for it read ours; the comments are our own. */
#include "cli/replay/stats_text.h"

#include <math.h>

static void format_share(char *text, size_t size, double share)
{
    if (isnan(share))
        text[0] = '\0';
    else
        snprintf(text, size, "%.2f%%", share * 100.0);
}

static void write_line(void *context, const struct stat_leaf *leaf)
{
    FILE *const file = context;
    char value[400], share[32], cumulated[32];

    stats_format_value(value, sizeof value, leaf->value, leaf->precision);
    format_share(share, sizeof share, leaf->share);
    format_share(cumulated, sizeof cumulated, leaf->cumulated);
    fprintf(file, "%-40s %12s %10s %10s # %s (%s)\n", leaf->name, value, share, cumulated, leaf->stat->help,
            leaf->stat->unit);
}

void stats_text_write(FILE *file, const struct stats *stats, uint64_t now_ps)
{
    fputs("\n---------- Begin Simulation Statistics ----------\n", file);
    stats_visit(stats, now_ps, STATS_SHOWN, write_line, file);
    fputs("\n---------- End Simulation Statistics   ----------\n", file);
}
