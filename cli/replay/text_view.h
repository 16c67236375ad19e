/* replay --view=text: the figures of a run while it goes on, as text.
 *
 * On a terminal a panel is drawn in place some times a second, by a thread of its own that reads the newest sample from
 * a ring (memsys/telemetry/ring.h): the run never waits for it. Elsewhere each sample is a line, written by the run
 * itself: the same run writes the same lines. At the end the whole run is shown that way.
 *
 * Use: text_view_start; text_view_show for each sample; text_view_end, also where nothing was started. Bars and
 * sparklines are UTF-8. Ownership: the layout must live until text_view_end; the struct may not move meanwhile. */
#ifndef CLI_REPLAY_TEXT_VIEW_H
#define CLI_REPLAY_TEXT_VIEW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/replay/text_panel.h"
#include "memsys/telemetry/ring.h"

struct text_view {
    FILE *to;
    bool is_started, is_terminal;
    struct text_panel panel;
    struct telemetry_ring ring;          /* of the run */
    void *memory;
    size_t memory_bytes;
    pthread_t thread;
};

/* FAULT_MEMORY, also if there is no thread to be had; text_view_end is due in any case. */
struct fault text_view_start(struct text_view *view, const struct telemetry *layout, FILE *to);
void text_view_show(struct text_view *view, const uint64_t *words);
void text_view_end(struct text_view *view);

#endif
