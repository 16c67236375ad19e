/* The kind of each replay with --model window, as `compare --run` tells it, and the error that it expects of that kind.
 *
 *     window_kinds STATISTICS...
 *
 * A line a file: the file, the kind, least and most error in percent. Exit code: 0, or 2: a file cannot be read. */
#include <stdio.h>

#include "sweep/compare/comparison.h"

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct stats_table table = {0};
        struct run_figures figures;
        struct fault fault = stats_table_read(&table, argv[i]);

        if (fault.kind == FAULT_NONE)
            fault = run_figures_of(&table, argv[i], &figures);
        stats_table_free(&table);
        if (fault.kind != FAULT_NONE) {
            fprintf(stderr, "%s\n", fault_text(fault));
            return 2;
        }
        const struct window_kind_about *const about = &window_kinds[window_kind_of(&figures)];

        printf("%s\t%s\t%d\t%d\n", argv[i], about->name, about->least_pct, about->most_pct);
    }
    return 0;
}
