#include "replay/record/stats_json.h"

#include <math.h>

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
    struct json *const json = context;

    json_key(json, leaf->name);
    if (leaf->value == rint(leaf->value) && fabs(leaf->value) < 0x1p63)
        json_write_signed(json, (int64_t)leaf->value);
    else
        json_write_real(json, leaf->value, 17);
}

void stats_json_put(struct json *json, struct json_layout layout, const struct stats *stats, uint64_t now_ps)
{
    json_begin_object(json, layout);
    stats_visit(stats, now_ps, STATS_SHOWN_AND_OURS, write_member, json);
    json_end(json);
}

bool stats_json_write(FILE *file, const struct stats *stats, uint64_t now_ps)
{
    struct json json = {.file = file};

    stats_json_put(&json, JSON_LINES(1, 0), stats, now_ps);
    return json_close(&json);
}
