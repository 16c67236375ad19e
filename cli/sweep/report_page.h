/* The HTML page of `rubato report`: one file without any reference to another, with charts and the numbers behind them.
 *
 * Use: page_begin, then sections in any order, page_end. Charts come from viz/draw/chart.h; a table follows each of
 * them in a fold. Texts are escaped here. Errors of the file show in ferror. */
#ifndef CLI_SWEEP_REPORT_PAGE_H
#define CLI_SWEEP_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "viz/draw/chart.h"

struct page {
    FILE *file;
    unsigned charts;
    bool is_in_row, is_in_fold;
};

void page_begin(struct page *page, FILE *file, const char *title);
/* What stands between is what readers without a script see; a script folds it. */
void page_static_begin(struct page *page);
void page_static_end(struct page *page);
/* With the library and the script of the charts to explore, which read the element that report_data.h writes. */
void page_end(struct page *page);

void page_heading(struct page *page, const char *text);
void page_paragraph(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text of several lines as it stands, in a fold that a click on `summary` opens. */
void page_text_fold(struct page *page, const char *summary, const char *text);

/* Draws it; the chart's id is the page's to give. False: out of memory. */
bool page_chart(struct page *page, struct chart *chart);

/* A table: page_table_begin with the headings; cells, page_row_end behind each row; page_table_end. It lies in a fold
 * that a click on `summary` opens; without a summary it just stands there. */
void page_table_begin(struct page *page, const char *summary, const char *const *headings, size_t count);
void page_cell(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_number(struct page *page, double value, int digits);      /* significant ones; NAN: a dash */
void page_row_end(struct page *page);
void page_table_end(struct page *page);

#endif
