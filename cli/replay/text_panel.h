/* A panel of text made of samples: a row a figure, with a bar of its share of the limit, or with the course of the last
 * samples.
 *
 * Use: text_panel_init; put a sample into `words`; text_panel_draw (in place, for terminals) or text_panel_line (one
 * line); again; at the end text_panel_whole, which shows the whole run that way; text_panel_free. What is shown is what
 * lies between that sample and the one shown before.
 * Rows, what matters first: memory bandwidth, row hits, the components whose queues are fullest; a line for the
 * memories and for each level of caches, with the fullest of several; load latency, buffers and cycles of all cores;
 * warps and stalls of all SMs. */
#ifndef CLI_REPLAY_TEXT_PANEL_H
#define CLI_REPLAY_TEXT_PANEL_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/replay/text_families.h"
#include "memsys/telemetry/telemetry.h"

enum { TEXT_PANEL_COURSE = 48 };

struct text_panel {
    const struct telemetry *layout;
    uint64_t *words, *before;
    bool has_before, is_whole;
    struct text_families families;
    double *areas;                       /* of each word of a level, times ps, since the statistics began */
    uint64_t area_ps, since_ps, samples;
    unsigned lines;                      /* on the screen, above the cursor */
    double course[2][TEXT_PANEL_COURSE]; /* of bytes read and written a second, the newest last */
};

struct fault text_panel_init(struct text_panel *panel, const struct telemetry *layout);
void text_panel_free(struct text_panel *panel);
void text_panel_draw(struct text_panel *panel, FILE *to);
void text_panel_line(struct text_panel *panel, FILE *to);
/* All since the statistics began; nothing where no sample came. Levels are means of the samples that were shown. */
void text_panel_whole(struct text_panel *panel, FILE *to, bool is_terminal);

#endif
