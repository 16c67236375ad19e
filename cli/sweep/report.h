/* The sections of `rubato report`, each a heading and tables; the script draws the charts (cli/sweep/page/).
 *
 * Functions that can fail print the reason and return the exit code. */
#ifndef CLI_SWEEP_REPORT_H
#define CLI_SWEEP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/sweep/unasked.h"
#include "sweep/compare/comparison.h"
#include "sweep/report/conclude.h"
#include "sweep/report/report_columns.h"
#include "sweep/report/report_space.h"
#include "sweep/results/sample.h"

/* The HTML page of `rubato report`: one file without any reference to another, with tables for readers without
 * scripts and the library and script that draw the charts.
 *
 * Use: page_begin, then sections in any order, page_end. Texts are escaped here. Errors of the file show in ferror. */

struct page {
    FILE *file;
    bool is_in_row, is_in_fold;
};

void page_begin(struct page *page, FILE *file, const char *title);
/* With the stamp of the results, which the script compares with that of the server (report_serve.h). */
void page_begin_served(struct page *page, FILE *file, const char *title, const char *stamp);
/* Content between the two calls is for readers without scripts; with scripts it is folded. */
void page_static_begin(struct page *page);
void page_static_end(struct page *page);
/* With the library and the script of the charts to explore, which read the element that report_data.c writes. */
void page_end(struct page *page);
/* Without both, for pages of tables and of pictures that are ready. */
void page_end_plain(struct page *page);

void page_heading(struct page *page, const char *text);
/* id: of the heading, for links; the script gives it to the charts instead, where there is one. The same of nothing. */
void page_heading_at(struct page *page, const char *id, const char *text);
void page_anchor(struct page *page, const char *id);
void page_paragraph(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text within an element that is open. */
void page_text(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text of several lines, verbatim, in a fold that a click on `summary` opens. */
void page_text_fold(struct page *page, const char *summary, const char *text);

/* A table: page_table_begin with the headings; cells, page_row_end behind each row; page_table_end. It lies in an
 * open fold with that summary; without a summary it cannot be folded. */
void page_table_begin(struct page *page, const char *summary, const char *const *headings, size_t count);
void page_cell(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_number(struct page *page, double value, int digits);      /* significant ones; NAN: a dash */
void page_row_end(struct page *page);
void page_table_end(struct page *page);

struct report_sample {
    json_t *statistics;                  /* of a point that is an estimate from regions; NULL: it is exact */
    struct sample *sample;
};

struct report {
    struct page page;
    const struct space *space;
    const struct report_columns *columns;    /* metric is the first */
    const char *metric;
    struct effects_design *designs;      /* of the space, fastest first once they are ranked; complete ones first */
    size_t design_count;
    size_t *design_of;                   /* of each point, its design's first point */
    struct report_sample *samples;       /* of each point */
    size_t sample_count, sample_room;
    bool has_samples;                    /* of any */
    size_t baseline;                     /* a point, by its place; CONCLUDE_FIRST: the first one */
    char unasked[UNASKED_TEXT];          /* the reason to doubt comparisons of the points; "": none */
    struct conclusions conclusions;
    const char *pair[2];                 /* keys of the axes of the heat map; NULL: those that interact most */
    struct json curves, errors, kernels; /* of memories under load, of replays, of GPUs; for report_data.c */
};

/* The page of a result file, as `rubato report` writes it without further options, and says so. */
int report_write(const char *results, const char *output);

/* effects_designs, ranked. */
int report_rank(struct report *report);

/* The samples of the points, for report_is_hidden and the script. */
struct fault report_samples_read(struct report *report, struct results *results);
void report_samples_free(struct report *report);
/* Are two designs, by their first points, not different with the confidence of their samples? */
bool report_is_hidden(const struct report *report, size_t one, size_t other);
/* An array: of each point its sample, or null; empty without any. */
void report_samples_tell(const struct report *report, struct json *json);
/* The member "t": Student's t by degrees of freedom, with the normal distribution's at 0. */
void report_samples_tell_t(const struct report *report, struct json *json);

/* Fills unasked and conclusions; the page's first section, and the same as text, a sentence a line. */
int report_conclude(struct report *report);
void report_conclusions(struct report *report);
void report_conclusions_print(const struct report *report, FILE *to);

void report_summary(struct report *report, const char *path);
int report_best(struct report *report);
int report_axes(struct report *report);
int report_pairs(struct report *report);
int report_fronts(struct report *report);
int report_loaded_latency(struct report *report);
int report_comparison(struct report *report, const struct comparison *comparison);
/* Where the sweep has several models of its cores. */
int report_models(struct report *report);
/* Where points have kernels of a GPU. */
int report_kernels(struct report *report, struct results *results);
/* Where points have a threshold of RowHammer. */
void report_hammer(struct report *report);
void report_failures(struct report *report);

/* The data of the charts of a report's page, as one JSON text inside the page: axes, figures, points and
 * configurations of a sweep, memories under load. cli/sweep/page/base.js reads it and shows the position of each
 * field.
 *
 * Use: report_data_write after the sections, once; report->curves was filled by report_loaded_latency, or is empty.
 * Texts are made harmless and escaped here: no byte of a file's text ends the element or begins another.
 * Returns the exit code, after printing the reason. */

int report_data_write(struct report *report, struct results *results, const char *path);

/* The list of systems, traces with hashes and versions, and the sweep's file, for readers with a script or without. */
int report_provenance(struct report *report, const struct results *results, const char *path);

#endif
