/* Checks that the ending of an output's name fits its format: x.png for an SVG, or x.json.gz for an uncompressed file,
 * would mislead its reader, and is refused.
 *
 * Endings are compared with case aside. Names without an ending, devices, and "-" fit everything. */
#ifndef CLI_COMMON_OUTPUT_NAME_H
#define CLI_COMMON_OUTPUT_NAME_H

#include <stdbool.h>

#include "replay/source/store_cache.h"

/* The ending of a path as it is written ("JSON" of "a/b.JSON"), or NULL if it has none. An ending begins with a letter
 * and has at most eight characters. */
const char *output_ending(const char *path);
/* Is it that ending ("json")? */
bool output_ends_in(const char *path, const char *ending);

/* what: "SVG"; endings: those that fit, with spaces between them ("html htm"), the first one being suggested; "" if the
 * format has none of its own. False: the name has the ending of another well-known format, and that is printed. */
bool cli_output_fits(const char *path, const char *what, const char *endings);
/* The same, but any ending that is not among them is refused. */
bool cli_output_fits_only(const char *path, const char *what, const char *endings);

/* Where commands keep stores of traces: --cache, --no-cache, or the usual folder. */

/* given: of --cache; NULL: $XDG_CACHE_HOME/rubato or ~/.cache/rubato, for which `room` is used. NULL: no stores are
 * kept, as neither variable is set, the path is too long, or is_off says so. */
const char *cli_store_folder(const char *given, bool is_off, char room[STORE_CACHE_PATH_MAX]);

#endif
