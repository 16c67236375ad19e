/* Plain HTML 5. Style, library and script are bytes of the command (cli/sweep/page/). */
#include "cli/sweep/report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli/common/shown.h"

extern const char report_style[], report_style_end[], report_library[], report_library_end[];
extern const char report_script[], report_script_end[];

static void put_asset(FILE *to, const char *begin, const char *end)
{
    fwrite(begin, 1, (size_t)(end - begin), to);
}

static void report_page_put_text(FILE *to, const char *text)
{
    html_put_escaped(to, cli_shown(text));
}

static void report_page_put_part(FILE *to, const char *text, size_t length)
{
    html_put_escaped(to, cli_shown_part(text, length));
}

static void put_formatted(FILE *to, const char *format, va_list arguments)
{
    char text[4096];

    vsnprintf(text, sizeof text, format, arguments);
    report_page_put_text(to, text);
}

/* The content security policy keeps a browser from any request, even if a text contains markup; a served page may ask
 * its server. */
static void begin(struct page *page, FILE *file, const char *title, const char *stamp)
{
    *page = (struct page){.file = file};
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src data: blob:", file);
    fputs(stamp ? "; connect-src 'self'\">\n" : "\">\n", file);
    if (stamp)
        fprintf(file, "<meta name=\"stamp\" content=\"%s\">\n", stamp);
    fputs("<meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n"
          "<title>", file);
    report_page_put_text(file, title);
    fputs("</title>\n<style>\n", file);
    put_asset(file, report_style, report_style_end);
    fputs("</style>\n</head>\n<body>\n<h1>", file);
    report_page_put_text(file, title);
    fputs("</h1>\n", file);
}

void page_begin(struct page *page, FILE *file, const char *title)
{
    begin(page, file, title, NULL);
}

void page_begin_served(struct page *page, FILE *file, const char *title, const char *stamp)
{
    begin(page, file, title, stamp);
}

void page_static_begin(struct page *page)
{
    fputs("<div id=\"explore\"></div>\n<div id=\"static\">\n", page->file);
}

void page_static_end(struct page *page)
{
    fputs("</div>\n", page->file);
}

void page_end(struct page *page)
{
    fputs("<script>", page->file);
    put_asset(page->file, report_library, report_library_end);
    fputs("</script>\n<script>\n\"use strict\";\n", page->file);
    put_asset(page->file, report_script, report_script_end);
    fputs("</script>\n</body>\n</html>\n", page->file);
}

void page_end_plain(struct page *page)
{
    fputs("</body>\n</html>\n", page->file);
}

void page_heading(struct page *page, const char *text)
{
    page_heading_at(page, NULL, text);
}

void page_heading_at(struct page *page, const char *id, const char *text)
{
    if (id)
        fprintf(page->file, "<h2 id=\"%s\">", id);
    else
        fputs("<h2>", page->file);
    report_page_put_text(page->file, text);
    fputs("</h2>\n", page->file);
}

void page_anchor(struct page *page, const char *id)
{
    fprintf(page->file, "<span id=\"%s\"></span>\n", id);
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

void page_text(struct page *page, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put_formatted(page->file, format, arguments);
    va_end(arguments);
}

void page_text_fold(struct page *page, const char *summary, const char *text)
{
    fputs("<details><summary>", page->file);
    report_page_put_text(page->file, summary);
    fputs("</summary><pre>", page->file);
    while (*text) {
        int const length = (int)strcspn(text, "\n");

        report_page_put_part(page->file, text, (size_t)length);
        fputc('\n', page->file);
        text += length + (text[length] != '\0');
    }
    fputs("</pre></details>\n", page->file);
}

void page_table_begin(struct page *page, const char *summary, const char *const *headings, size_t count)
{
    page->is_in_fold = summary != NULL;
    if (summary) {
        fputs("<details open><summary>", page->file);
        report_page_put_text(page->file, summary);
        fputs("</summary>", page->file);
    }
    fputs("<div class=\"wide\"><table>\n<tr>", page->file);
    for (size_t i = 0; i < count; i++) {
        fputs("<th>", page->file);
        report_page_put_text(page->file, headings[i]);
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
