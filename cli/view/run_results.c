#include "cli/view/run_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config/config_lines.h"
#include "replay/config/config.h"

/* ---- of one run */

/* Shares as percentages. */
static void write_value(const struct metric *metric, double value, char *text, size_t room)
{
    if (strncmp(metric->unit, "of ", 3) == 0)
        snprintf(text, room, "%.*f %%", fabs(value) < 0.0995 ? 2 : 1, 100 * value);
    else if (fabs(value) >= 1e4 && value == floor(value))
        snprintf(text, room, "%.0f%s%s", value, metric->unit[0] ? " " : "", metric->unit);
    else
        snprintf(text, room, "%.4g%s%s", value, metric->unit[0] ? " " : "", metric->unit);
}

static void add_metric(void *context, const char *name, const struct metric *metric, double value)
{
    struct finding_metric made = {
        .number = value, .meaning = metric->definition,
        .better = metric->better == METRIC_HIGHER ? 1 : metric->better == METRIC_LOWER ? -1 : 0
    };

    if (isnan(value))
        return;
    snprintf(made.name, sizeof made.name, "%.*s", (int)sizeof made.name - 1, name);
    write_value(metric, value, made.value, sizeof made.value);
    findings_add_metric(context, &made);
}

void view_results_make(struct findings *findings, const struct figures *figures, const struct verdict *verdict)
{
    findings_free(findings);
    if (verdict->cores.count > 0)
        findings_add_line(findings, "bound by", verdict->cores.text, false);
    if (verdict->gpu.count > 0)
        findings_add_line(findings, verdict->cores.count > 0 ? "GPU bound by" : "bound by", verdict->gpu.text, false);
    for (size_t i = 0; i < verdict->doubt_count; i++)
        findings_add_line(findings, "doubtful", verdict->doubts[i], true);
    metrics_visit(figures, false, add_metric, findings);
}

/* ---- of two */

struct difference {
    char *text;
    size_t room, used;
    unsigned left_out;
};

static void add_key(struct difference *all, const char *key, const char *left, const char *right)
{
    enum { MORE = 24 };                  /* "; 123 more" */
    size_t const room = all->room - all->used;
    int length;

    if ((left && right && strcmp(left, right) == 0) || strcmp(key, "name") == 0)
        return;
    length = snprintf(all->text + all->used, room, "%s%s %s vs %s", all->used ? "; " : "", key, left ? left : "-",
                      right ? right : "-");
    if (length > 0 && all->left_out == 0 && (size_t)length + MORE < room) {
        all->used += (size_t)length;
        return;
    }
    all->text[all->used] = '\0';
    all->left_out++;
}

static bool write_difference(struct difference *all, const char *left, const char *right)
{
    struct config_lines one = {0}, other = {0};
    bool const good = config_lines_read(&one, left) && config_lines_read(&other, right);

    for (size_t i = 0; good && i < one.count; i++)
        add_key(all, one.list[i].key, one.list[i].value, config_lines_find(&other, one.list[i].key));
    for (size_t i = 0; good && i < other.count; i++)
        if (!config_lines_find(&one, other.list[i].key))
            add_key(all, other.list[i].key, NULL, other.list[i].value);
    if (good && all->left_out > 0)
        snprintf(all->text + all->used, all->room - all->used, "%s%u more", all->used ? "; " : "", all->left_out);
    else if (good && all->used == 0)
        snprintf(all->text, all->room, "the same system");
    config_lines_free(&one);
    config_lines_free(&other);
    return good;
}

struct fault view_results_difference(char *text, size_t room, const struct system_config *left,
                                     const struct system_config *right)
{
    struct difference all = {.text = text, .room = room};
    char *yaml[2] = {NULL};
    struct fault fault = config_to_compact_yaml(left, &yaml[0]);

    text[0] = '\0';
    if (fault.kind == FAULT_NONE)
        fault = config_to_compact_yaml(right, &yaml[1]);
    if (fault.kind == FAULT_NONE && !write_difference(&all, yaml[0], yaml[1]))
        fault = fault_make(FAULT_MEMORY, "out of memory");
    free(yaml[0]);
    free(yaml[1]);
    return fault;
}
