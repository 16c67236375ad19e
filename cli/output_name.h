/* Does the name of an output say what is written there? x.png for an SVG, or x.json.gz for a file that is not
 * compressed, misleads whoever opens it, so it is refused.
 *
 * Endings are compared with case aside. Names without an ending, devices, and "-" fit everything. */
#ifndef CLI_OUTPUT_NAME_H
#define CLI_OUTPUT_NAME_H

#include <stdbool.h>

/* "json" of "a/b.JSON" as it is written there; NULL: there is none. One begins with a letter and has eight characters
 * at most. */
const char *output_ending(const char *path);
/* Is it that ending ("json")? */
bool output_ends_in(const char *path, const char *ending);

/* what: "SVG"; endings: those that fit, with spaces between them ("html htm"), the first one being suggested; "" if the
 * format has none of its own. False: the name has the ending of another well-known format, and that is printed. */
bool cli_output_fits(const char *path, const char *what, const char *endings);
/* The same, but any ending that is not among them is refused. */
bool cli_output_fits_only(const char *path, const char *what, const char *endings);

#endif
