/* Colour in what people read: on terminals only, and not if the environment has NO_COLOR (no-color.org) or its TERM is
 * dumb. Elsewhere both calls answer "".
 *
 * Use: fprintf(to, "%s%s%s", colour_on(to, COLOUR_WARNING), text, colour_off(to)). */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include <stdio.h>

enum colour { COLOUR_STRONG, COLOUR_GOOD, COLOUR_BAD, COLOUR_WARNING };

const char *colour_on(FILE *to, enum colour colour);
const char *colour_off(FILE *to);

#endif
