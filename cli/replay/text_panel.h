/* A panel of text made of samples: a row a figure, with a bar of its share of the limit, or with the course of the last
 * samples.
 *
 * Use: text_panel_init; put a sample into `words`; text_panel_draw (in place, for terminals) or text_panel_line (one
 * line); again; text_panel_free. What is shown is what lies between that sample and the one shown before.
 * Rows: memory bandwidth of all channels, row hits, load latency, CPI stack, buffers; hit rate and MSHRs of each cache
 * that is no L1 of many; bytes of each bus; warps and stalls of all SMs. */
#ifndef CLI_REPLAY_TEXT_PANEL_H
#define CLI_REPLAY_TEXT_PANEL_H

#include <stdbool.h>
#include <stdio.h>

#include "memsys/telemetry/telemetry.h"

enum { TEXT_PANEL_COURSE = 48 };

struct text_panel {
    const struct telemetry *layout;
    uint64_t *words, *before;
    bool has_before;
    unsigned lines;                      /* on the screen, above the cursor */
    double course[2][TEXT_PANEL_COURSE]; /* of bytes read and written a second, the newest last */
};

struct fault text_panel_init(struct text_panel *panel, const struct telemetry *layout);
void text_panel_free(struct text_panel *panel);
void text_panel_draw(struct text_panel *panel, FILE *to);
void text_panel_line(struct text_panel *panel, FILE *to);

#endif
