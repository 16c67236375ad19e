#include "viz/state/state_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void findings_add_line(struct findings *findings, const char *head, const char *text, bool is_doubt)
{
    struct finding *const line = &findings->lines[findings->line_count];

    if (findings->line_count == FINDINGS_LINES)
        return;
    snprintf(line->head, sizeof line->head, "%s", head);
    snprintf(line->text, sizeof line->text, "%s", text);
    line->is_doubt = is_doubt;
    findings->line_count++;
}

bool findings_add_metric(struct findings *findings, const struct finding_metric *metric)
{
    if (!list_fit(&findings->metrics, findings->metric_count + 1, &findings->metric_room, sizeof *findings->metrics))
        return false;
    findings->metrics[findings->metric_count++] = *metric;
    return true;
}

const struct finding_metric *findings_metric(const struct findings *findings, const char *name)
{
    for (size_t i = 0; i < findings->metric_count; i++)
        if (strcmp(findings->metrics[i].name, name) == 0)
            return &findings->metrics[i];
    return NULL;
}

void findings_free(struct findings *findings)
{
    free(findings->metrics);
    *findings = (struct findings){0};
}
