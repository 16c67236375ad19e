/* File mark: shows that a file was replaced or written, without reading it.
 *
 * Use: file_mark_look before the file is read; later again, and file_mark_is_same. Equal marks: the file was neither
 * replaced nor written, within the resolution of the host's clock; only the host's administrator can set the change
 * time. A file that is not there has a mark of its own. */
#ifndef BASE_FILE_MARK_H
#define BASE_FILE_MARK_H

#include <stdbool.h>
#include <stdint.h>

struct file_mark {
    uint64_t device, inode, size_bytes;
    int64_t modified_s, modified_ns;
    int64_t changed_s, changed_ns;
};

struct file_mark file_mark_look(const char *path);
bool file_mark_is_same(const struct file_mark *one, const struct file_mark *other);

#endif
