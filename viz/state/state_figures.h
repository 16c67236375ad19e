/* The activity of a component between two samples, in the usual figures, for all kinds: how full, how much
 * it moves, how much of its peak that is, how often it hits. Made from the fields of its layout by their names
 * (replay/record/telemetry_text.h, replay/record/telemetry_text.h).
 *
 * Use: figures_of for numbers; figures_field for one field of a sample as people write it ("9.8 GB/s of 12.8 GB/s");
 * figures_bytes_rate and its like for one number with its unit. Figures that a component does not have, or that nothing
 * happened for, are NaN, and "-" as text.
 * A memory's are those of its channels together, a GPU's those of its SMs, the system's those of all its memories. */
#ifndef VIZ_STATE_STATE_FIGURES_H
#define VIZ_STATE_STATE_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/telemetry/telemetry.h"
#include "viz/draw/canvas.h"

struct component_figures {
    double occupancy;                    /* share of the fullest of its queues: MSHRs, ROB, buffers; 0 to 1 */
    const char *fullest;                 /* name of that queue */
    double read_rate, write_rate;        /* bytes a second */
    double rate;                         /* of both; of a bus, which knows no direction, this alone */
    double peak_rate;                    /* bytes a second that are possible */
    double busy;                         /* share of the peak; of a bus, of the time of its busiest way; of cores and
                                            SMs, of the cycles in which they work; 0 to 1 */
    double hit_rate;                     /* of demand accesses, of row hits for DRAM, of L1 reads for a GPU; 0 to 1 */
    double latency_ps;                   /* mean: of loads of a core (off by at most 6 %), of misses of a cache, of
                                            reads of DRAM and of a GPU */
};

/* `before` may be NULL: since the statistics began. */
struct component_figures figures_of(const struct telemetry *layout, uint32_t component, const uint64_t *before,
                          const uint64_t *words);
/* The same of all components, figures[component_count], in little more than one walk. */
void figures_of_all(const struct telemetry *layout, const uint64_t *before, const uint64_t *words,
                    struct component_figures *figures);
/* Bytes a second over a link, and the share of its peak (NaN: unknown). */
double figures_link_rate(const struct telemetry *layout, const struct telemetry_link *link, const uint64_t *before,
                         const uint64_t *words, double *share);

/* "12.8 GB/s", "1.53 us", "87.2 %", "12 of 20": three digits that count, SI prefixes. */
void figures_bytes_rate(char *text, size_t room, double bytes_per_second);
void figures_time(char *text, size_t room, double ps);
void figures_percent(char *text, size_t room, double share);
void figures_count(char *text, size_t room, double count);
/* A field's value between two samples, with its unit; elements one by one. */
void figures_field(char *text, size_t room, const struct telemetry_field *field, uint32_t element,
                   const uint64_t *before, const uint64_t *words);

/* The areas of the frame drawn last, so that pointing at one shows its name, numbers and meaning.
 *
 * Panels add areas while they draw, later ones lying on top; the view looks the pointer up and draws the box of
 * explanation. All that is drawn on a panel lies in such an area. Ownership: plain values; titles and numbers are
 * copied and cut to the room. */

enum { HITS_ROOM = 8192, HIT_TITLE = 96, HIT_NUMBERS = 256 };

enum hit_kind { HIT_COMPONENT, HIT_LINK, HIT_BANK, HIT_CHART, HIT_HEAT, HIT_PARAMETER, HIT_TEXT, HIT_REQUEST };

struct hit {
    struct area area;
    enum hit_kind kind;
    unsigned run;                        /* which of the runs that are compared */
    uint32_t component;                  /* TELEMETRY_NONE: none */
    uint32_t element;                    /* bank, link, chart, parameter: by kind */
    char title[HIT_TITLE];               /* the whole name, however it was cut in the picture */
    char numbers[HIT_NUMBERS];           /* lines */
    const char *meaning;                 /* of the figure, or a cut text; lives as long as the view */
};

struct hit_map {
    struct hit hits[HITS_ROOM];
    uint32_t count;
};

void hits_clear(struct hit_map *map);
/* NULL when there is no room: the picture is whole all the same. */
struct hit *hits_add(struct hit_map *map, enum hit_kind kind, struct area area);
/* Adds a title, legend, scale or word of a bar: text that represents no part of the system. Numbers may be added. NULL
 * also if the area is empty. */
struct hit *hits_add_text(struct hit_map *map, struct area area, unsigned run, const char *title, const char *meaning);
const struct hit *hits_find(const struct hit_map *map, int x, int y);
/* The same thing, maybe in another frame; of charts and of the map also the same moment and place, which their titles
 * say. Banks have a title only while the pointer is on them. */
bool hit_is_same(const struct hit *one, const struct hit *other);

/* Findings about a finished run: its bottleneck in a sentence, reasons to doubt its result, its metrics.
 *
 * The view cannot know them: the host works them out and passes them as texts and numbers.
 * Use: begin with {0}; findings_add_line, findings_add_metric; findings_free.
 * Ownership: texts are copied, except `meaning`, which is borrowed and must outlive them. */

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
/* Returns NULL if no metric has that name. */
const struct finding_metric *findings_metric(const struct findings *findings, const char *name);
void findings_free(struct findings *findings);

#endif
