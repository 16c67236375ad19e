#include "cli/svg_text.h"

#include "cli/shown.h"

void cli_svg_text(FILE *to, double x, double y, const char *anchor, const char *text)
{
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    for (text = cli_shown(text); *text != '\0'; text++) {
        if (*text == '<' || *text == '&')
            fputs(*text == '<' ? "&lt;" : "&amp;", to);
        else
            fputc(*text, to);
    }
    fputs("</text>\n", to);
}
