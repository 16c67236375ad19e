/* A file being written, for whatever writes one: it appears under its name whole, or not at all.
 *
 * Use: output_file_open, write to `descriptor` and close it, then output_file_take; output_file_drop instead of that,
 * or after a failure. The bytes go to a temporary file of its own beside the target, which is made anew and follows no
 * link, so that two writers of one name do not mix: the last to end is there. What is no regular file (a device, a
 * pipe, the file behind standard output) is written through. A symbolic link stays, and what it points to is replaced;
 * a replaced file keeps its mode. The bytes are on the disk before they get the name, and the name is when
 * output_file_take returns, so that a machine that stops leaves what was there, or what was written.
 * Ownership: the names are its own; the descriptor is the caller's. Errors: one line with the path and the reason. */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include <stdbool.h>

#include "base/fault.h"

struct output_file {
    int descriptor;
    char *path;                          /* of the file itself, behind links */
    char *temporary;                     /* NULL: written through */
};

struct fault output_file_open(struct output_file *output, const char *path);
/* The descriptor is closed, and all that was written is there. Frees the names in any case. */
struct fault output_file_take(struct output_file *output);
/* Removes the temporary file, frees the names. Fine after {0}, and after output_file_take. */
void output_file_drop(struct output_file *output);

#endif
