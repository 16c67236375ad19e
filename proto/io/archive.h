/* Reads the compressed files that proto/io/io_stream.h does not support: zip, lz4, bzip2, by libarchive, which is
 * loaded when such a file is met.
 *
 * Use: archive_detect identifies the form by the first bytes; archive_open, archive_read until it returns 0,
 * archive_close. The members of a zip file are concatenated in file order.
 * Errors: one line with the file and the defect. Check sums are verified. */
#ifndef PROTO_IO_ARCHIVE_H
#define PROTO_IO_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct archive_file;

/* A regular file that begins with the magic number of zip, lz4 or bzip2. */
bool archive_detect(const char *path);
bool archive_is_zip(const char *path);

/* NULL: error is set, also if the library is missing in the build or at run time. */
struct archive_file *archive_open(const char *path, struct fault *error);
void archive_close(struct archive_file *file);

/* Up to `room` bytes. *member_ended: the member that they are of ends with them. Returns 0 at the end, -1 on
 * failure. */
int64_t archive_read(struct archive_file *file, void *to, size_t room, bool *member_ended, struct fault *error);

/* Bytes of the file itself read so far. */
uint64_t archive_position(const struct archive_file *file);

#endif
