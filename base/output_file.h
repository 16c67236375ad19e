/* A file being written: it appears under its name whole, or not at all.
 *
 * Use: output_file_open, write to `descriptor` and close it, then output_file_take; output_file_drop instead of that,
 * or after a failure. The bytes go to a file of their own in the target's folder, which has no name until it is
 * whole, so that nothing is left of a process that is killed; where the file system has no such files it has a name
 * that is made anew and follows no link. Two writers of one name do not mix: the last to end is there. Devices, pipes
 * and the file behind standard output are written directly. A symbolic link stays, and its target is replaced,
 * unless another user may have planted it. A replaced file keeps the bits 0777 of its mode, its group and its access
 * control list if it is the user's own; the mode of another's file is not kept. Files that the process has read
 * (base/input_file.h) are not replaced, and nothing gets a name when an input has changed meanwhile. The bytes are on
 * the disk before they get the name, and the name is when output_file_take returns, so that a crash of the host leaves
 * the old file or the new one.
 * Ownership: the names are its own; the descriptor is the caller's. Errors: one
 * line with the path and the reason. */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include "base/fault.h"

struct output_file {
    int descriptor;
    char *path;                          /* of the file itself, behind links; NULL: written through */
    char *temporary;                     /* NULL: it has no name, or is written through */
    unsigned mode;                       /* that a new file is made with */
    int nameless;                        /* -1, or a second descriptor of the file without a name */
};

/* Is the path a link that leads nowhere, or one that another user may have planted? For outputs that others write. */
struct fault output_file_check_links(const char *path);

struct fault output_file_open(struct output_file *output, const char *path);
/* The same, but it grows beside the target as NAME.partial-PROCESS-NUMBER, and can be read there meanwhile, and after
 * the process was killed. */
struct fault output_file_open_visible(struct output_file *output, const char *path);
/* As output_file_open, for writers that read back and write at any offset: only regular files are accepted. */
struct fault output_file_open_anywhere(struct output_file *output, const char *path);
/* A file in the target's folder that will never have a name, to be written and read. */
struct fault output_file_open_scratch(int *descriptor, const char *path);
/* The descriptor is closed, and all that was written is there. Frees the names in any case. */
struct fault output_file_take(struct output_file *output);
/* The same without forcing the file to the disk, for files that can be made again and whose damage is detected, such
 * as stores of traces. */
struct fault output_file_take_unforced(struct output_file *output);
/* Removes the temporary file, frees the names. Fine after {0}, and after output_file_take. */
void output_file_drop(struct output_file *output);

#endif
