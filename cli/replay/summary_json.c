#include "cli/replay/summary.h"

#include <math.h>

#include "base/json.h"
#include "cli/replay/where.h"
#include "memsys/command/cmd_hammer.h"

static void put_metric(void *context, const char *name, const struct metric *metric, double value)
{
    (void)metric;
    json_put_real(context, name, value, 17);
}

static void put_side(struct json *json, const char *key, const struct verdict_side *side)
{
    if (side->count == 0)
        return;
    json_put_object(json, key, JSON_LINES(3, 2));
    json_put_string(json, "text", side->text);
    json_put_array(json, "bounds", JSON_LINES(4, 3));
    for (size_t i = 0; i < side->count; i++) {
        json_begin_object(json, JSON_SPACED);
        json_put_string(json, "cause", verdict_key(side->bounds[i].cause));
        json_put_real(json, "share", side->bounds[i].share, 6);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

/* Rows by the least of their activations. */
static void put_hammered_rows(struct json *json, const struct figures *figures)
{
    char name[METRIC_NAME];
    size_t found;

    if (isnan(metrics_value(figures, "mem.rowhammer.most")))
        return;
    json_put_object(json, "rows_by_activations", JSON_LINES(2, 1));
    for (unsigned i = 0; i < CMD_HAMMER_BINS; i++) {
        double rows;

        snprintf(name, sizeof name, "rowhammer.rows::%s", cmd_hammer_bin_names[i]);
        rows = figures_sum(figures, "mem", name, FIGURES_ALL, &found);
        snprintf(name, sizeof name, "%llu", 1ull << i);
        if (rows > 0)
            json_put_real(json, name, rows, 17);
    }
    json_end(json);
}

bool summary_json_write(FILE *file, const char *system, const struct figures *figures, const struct verdict *verdict,
                        const struct where *where)
{
    struct json json = {.file = file};

    json_begin_object(&json, JSON_LINES(1, 0));
    json_put_string(&json, "system", system);
    json_put_object(&json, "metrics", JSON_LINES(2, 1));
    metrics_visit(figures, true, put_metric, &json);
    json_end(&json);
    put_hammered_rows(&json, figures);
    json_put_object(&json, "verdict", JSON_LINES(2, 1));
    put_side(&json, "cores", &verdict->cores);
    put_side(&json, "gpu", &verdict->gpu);
    json_put_array(&json, "doubts", JSON_LINES(3, 2));
    for (size_t i = 0; i < verdict->doubt_count; i++)
        json_write_string(&json, verdict->doubts[i]);
    json_end(&json);
    json_end(&json);
    if (where)
        where_put_json(&json, where);
    json_end(&json);
    return json_close(&json);
}
