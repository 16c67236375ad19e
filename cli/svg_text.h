/* A line of text in an SVG picture, as it can be shown: no control characters, and what SVG would read as its own is
 * quoted.
 *
 * x, y: user units; anchor: "start", "middle" or "end". */
#ifndef CLI_SVG_TEXT_H
#define CLI_SVG_TEXT_H

#include <stdio.h>

void cli_svg_text(FILE *to, double x, double y, const char *anchor, const char *text);

#endif
