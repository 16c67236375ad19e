/* JSON is written directly: names are made by our own registration files and hold nothing that needs an escape. */
#include "cli/stats_json.h"

#include <math.h>
#include <stdbool.h>

struct writer {
    FILE *file;
    bool begun;
};

static void write_member(void *context, const struct stat_leaf *leaf)
{
    struct writer *const writer = context;

    fprintf(writer->file, "%s\n \"%s\": ", writer->begun ? "," : "", leaf->name);
    writer->begun = true;
    if (!isfinite(leaf->value))
        fputs("null", writer->file);
    else if (leaf->value == rint(leaf->value) && fabs(leaf->value) < 0x1p63)
        fprintf(writer->file, "%.0f", leaf->value);
    else
        fprintf(writer->file, "%.17g", leaf->value);
}

void stats_json_write(FILE *file, const struct stats *stats, uint64_t now_ps)
{
    struct writer writer = {.file = file};

    fputc('{', file);
    stats_visit(stats, now_ps, STATS_SHOWN_AND_OURS, write_member, &writer);
    fputs("\n}\n", file);
}
