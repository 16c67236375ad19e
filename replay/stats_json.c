/* JSON is written directly: names are made by our own registration files and hold nothing that needs an escape. */
#include "replay/stats_json.h"

#include <math.h>

struct writer {
    FILE *file;
    bool begun;
};

void stats_json_member(FILE *file, bool is_first, const char *name, double value)
{
    fprintf(file, "%s\n \"%s\": ", is_first ? "" : ",", name);
    if (!isfinite(value))
        fputs("null", file);
    else if (value == rint(value) && fabs(value) < 0x1p63)
        fprintf(file, "%.0f", value);
    else
        fprintf(file, "%.17g", value);
}

static void write_member(void *context, const struct stat_leaf *leaf)
{
    struct writer *const writer = context;

    stats_json_member(writer->file, !writer->begun, leaf->name, leaf->value);
    writer->begun = true;
}

void stats_json_write(FILE *file, const struct stats *stats, uint64_t now_ps)
{
    struct writer writer = {.file = file};

    fputc('{', file);
    stats_visit(stats, now_ps, STATS_SHOWN_AND_OURS, write_member, &writer);
    fputs("\n}\n", file);
}
