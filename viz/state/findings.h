/* What is known of a run that is over: what bounds it in a sentence, what makes its result doubtful, its metrics.
 *
 * The view cannot know them: who runs it works them out and hands them over as texts and numbers.
 * Use: begin with {0}; findings_add_line, findings_add_metric; findings_free.
 * Ownership: texts are copied but for `meaning`, which is borrowed and must outlive them. */
#ifndef VIZ_STATE_FINDINGS_H
#define VIZ_STATE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

enum { FINDINGS_LINES = 6, FINDINGS_HEAD = 16, FINDINGS_TEXT = 256, FINDINGS_NAME = 48, FINDINGS_VALUE = 32 };

struct finding {
    char head[FINDINGS_HEAD], text[FINDINGS_TEXT];       /* "bound by", "DRAM bandwidth: 71 % of cycles" */
    bool is_doubt;
};

struct finding_metric {
    char name[FINDINGS_NAME], value[FINDINGS_VALUE];     /* "mem.gb_s", "12.3 GB/s" */
    double number;
    int better;                          /* 1: higher is; -1: lower is; 0: neither */
    const char *meaning;
};

struct findings {
    struct finding lines[FINDINGS_LINES];
    size_t line_count;
    struct finding_metric *metrics;
    size_t metric_count, metric_room;
};

/* Beyond FINDINGS_LINES it is dropped. */
void findings_add_line(struct findings *findings, const char *head, const char *text, bool is_doubt);
/* False: there is no memory, it is left out. */
bool findings_add_metric(struct findings *findings, const struct finding_metric *metric);
/* NULL: there is none of that name. */
const struct finding_metric *findings_metric(const struct findings *findings, const char *name);
void findings_free(struct findings *findings);

#endif
