/* Plain HTML 5 with a few rules of style inside; no script. */
#define _POSIX_C_SOURCE 200809L
#include "cli/sweep/report_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "cli/shown.h"

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222;background:#fff}"
    "h1{font-size:1.6em}h2{font-size:1.25em;margin-top:2em;border-bottom:1px solid #ccc}"
    "table{border-collapse:collapse;margin:.5em 0;font-variant-numeric:tabular-nums}"
    "th,td{padding:.15em .7em;border-bottom:1px solid #ddd;text-align:right}"
    "th:first-child,td:first-child{text-align:left}th{background:#f4f4f4}"
    "figure{margin:1em 0;display:inline-block;vertical-align:top}figure svg{max-width:100%;height:auto}"
    "details{margin:.3em 0}summary{cursor:pointer;color:#0072b2}.wide{overflow-x:auto}";

static void put_text(FILE *to, const char *text)
{
    for (text = cli_shown(text); *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '&': fputs("&amp;", to); break;
        case '"': fputs("&quot;", to); break;
        default: fputc(*text, to); break;
        }
}

static void put_formatted(FILE *to, const char *format, va_list arguments)
{
    char text[4096];

    vsnprintf(text, sizeof text, format, arguments);
    put_text(to, text);
}

void page_begin(struct page *page, FILE *file, const char *title)
{
    *page = (struct page){.file = file};
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n"
          "<title>", file);
    put_text(file, title);
    fprintf(file, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", style);
    put_text(file, title);
    fputs("</h1>\n", file);
}

void page_end(struct page *page)
{
    fputs("</body>\n</html>\n", page->file);
}

void page_heading(struct page *page, const char *text)
{
    fputs("<h2>", page->file);
    put_text(page->file, text);
    fputs("</h2>\n", page->file);
}

void page_paragraph(struct page *page, const char *format, ...)
{
    va_list arguments;

    fputs("<p>", page->file);
    va_start(arguments, format);
    put_formatted(page->file, format, arguments);
    va_end(arguments);
    fputs("</p>\n", page->file);
}

bool page_chart(struct page *page, struct chart *chart)
{
    char id[24];
    char *svg;

    snprintf(id, sizeof id, "chart%u", ++page->charts);
    chart->id = id;
    if (!chart_svg(chart, &svg, page->problem, sizeof page->problem))
        return false;
    fprintf(page->file, "<figure>%s</figure>\n", svg);
    free(svg);
    return true;
}

void page_table_begin(struct page *page, const char *summary, const char *const *headings, size_t count)
{
    page->is_in_fold = summary != NULL;
    if (summary) {
        fputs("<details><summary>", page->file);
        put_text(page->file, summary);
        fputs("</summary>", page->file);
    }
    fputs("<div class=\"wide\"><table>\n<tr>", page->file);
    for (size_t i = 0; i < count; i++) {
        fputs("<th>", page->file);
        put_text(page->file, headings[i]);
        fputs("</th>", page->file);
    }
    fputs("</tr>\n", page->file);
}

static void begin_cell(struct page *page)
{
    fputs(page->is_in_row ? "<td>" : "<tr><td>", page->file);
    page->is_in_row = true;
}

void page_cell(struct page *page, const char *format, ...)
{
    va_list arguments;

    begin_cell(page);
    va_start(arguments, format);
    put_formatted(page->file, format, arguments);
    va_end(arguments);
    fputs("</td>", page->file);
}

void page_number(struct page *page, double value, int digits)
{
    if (isfinite(value))
        page_cell(page, "%.*g", digits, value);
    else
        page_cell(page, "\u2013");
}

void page_row_end(struct page *page)
{
    fputs("</tr>\n", page->file);
    page->is_in_row = false;
}

void page_table_end(struct page *page)
{
    fputs(page->is_in_fold ? "</table></div></details>\n" : "</table></div>\n", page->file);
}
