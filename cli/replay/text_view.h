/* replay --view=text: the figures of a running replay, as text.
 *
 * On a terminal a panel is drawn in place some times a second, by a thread of its own that reads the newest sample from
 * a ring (memsys/telemetry/telemetry_ring.h): the run never waits for it. Elsewhere each sample is a line, written by
 * the run itself: the same run writes the same lines. At the end the whole run is shown that way.
 *
 * Use: text_view_start; text_view_show for each sample; text_view_end, also where nothing was started. Bars and
 * sparklines are UTF-8. Ownership: the layout must live until text_view_end; the struct may not move meanwhile. */
#ifndef CLI_REPLAY_TEXT_VIEW_H
#define CLI_REPLAY_TEXT_VIEW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "memsys/telemetry/telemetry.h"
#include "memsys/telemetry/telemetry_ring.h"

/* Components of one kind together, for views as text: all L2s, all channels. The most important come first: memories,
 * then caches from the last level up, then others.
 *
 * Use: text_families_init with the layout; text_families_fill for two samples; text_families_free.
 * Ownership: names of components are borrowed from the layout. Errors: FAULT_MEMORY. */

enum { TEXT_FAMILIES = 32, TEXT_FAMILY_NAME = 24, TEXT_FULLEST = 3 };

struct text_family {
    char name[TEXT_FAMILY_NAME];         /* "l2" of "l213" and of "cpu13.l2" */
    enum telemetry_part part;
    unsigned count;
    double hit_rate;                     /* of all together, by their accesses; NAN: nothing came */
    double rate, peak_rate;              /* bytes a second of memories */
    double mean, most;                   /* how full their fullest queues are; NAN: not known */
    uint32_t fullest;                    /* component with the most */
    const char *queue;                   /* of that one */
};

struct text_fullest {
    uint32_t component;
    const char *queue;
    double share;
};

struct component_figures;                /* those of viz/state/state_figures.h */

struct text_families {
    const struct telemetry *layout;
    struct text_family list[TEXT_FAMILIES];
    unsigned count;
    uint8_t *of;                         /* family of a component; TEXT_FAMILIES: none */
    struct component_figures *figures;   /* of all of them */
    struct text_fullest fullest[TEXT_FULLEST];   /* of different kinds, falling */
    unsigned fullest_count;
};

struct fault text_families_init(struct text_families *families, const struct telemetry *layout);
void text_families_fill(struct text_families *families, const uint64_t *before, const uint64_t *words);
void text_families_free(struct text_families *families);

/* A panel of text made of samples: a row a figure, with a bar of its share of the limit, or with the course of the last
 * samples.
 *
 * Use: text_panel_init; put a sample into `words`; text_panel_draw (in place, for terminals) or text_panel_line (one
 * line); again; at the end text_panel_whole, which shows the whole run that way; text_panel_free. The figures shown
 * are those between that sample and the previously shown one.
 * Rows, the most important first: memory bandwidth, row hits, the components whose queues are fullest; a line for the
 * memories and for each level of caches, with the fullest of several; load latency, buffers and cycles of all cores;
 * warps and stalls of all SMs. */

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
