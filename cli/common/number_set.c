#include "cli/common/number_set.h"

#include <inttypes.h>

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

void window_counts_print(FILE *to, const struct window_counts *counts, const char *indent)
{
    uint64_t const all = counts->records + counts->hidden;

    fprintf(to, "%srebuilt       %" PRIu64 " micro-ops: %" PRIu64 " recorded (%.1f %%), %" PRIu64
            " of which only the weight is left\n", indent, all, counts->records, percent(counts->records, all),
            counts->hidden);
    fprintf(to, "%s  sources     of these, %.1f %% by the time of mispredictions, %.1f %% as recorded elsewhere, "
            "%.1f %% guessed, %.1f %% none\n", indent, percent(counts->resolved_sources, counts->hidden),
            percent(counts->learnt_sources, counts->hidden), percent(counts->guessed_sources, counts->hidden),
            percent(counts->no_sources, counts->hidden));
    fprintf(to, "%s  branches    %" PRIu64 " mispredicted, %" PRIu64 " corrected by decode; %" PRIu64
            " wrong paths belong to no branch and are left out\n", indent, counts->mispredicted, counts->redirected,
            counts->unplaced);
    fprintf(to, "%s  wrong paths made %" PRIu64 " loads, which only read their lines again\n", indent,
            counts->squashed_loads);
    if (counts->serialising > 0)
        fprintf(to, "%s  serialising %" PRIu64 " micro-ops wait for all before them\n", indent, counts->serialising);
}

void window_counts_put(struct json *json, const char *key, const struct window_counts *counts)
{
    json_put_object(json, key, JSON_SPACED);
#define WINDOW_COUNT_PUT(field, name, help) json_put_number(json, name, counts->field);
    WINDOW_COUNTS(WINDOW_COUNT_PUT)
    json_end(json);
}
