/* Files that the process reads: whether one changes meanwhile, whether an output would replace one, and which one an
 * address belongs to.
 *
 * Use: input_file_begin after a file was opened, input_file_end before it is closed; input_file_fopen and
 * input_file_fclose do both for a stream, input_file_map for a mapping. input_file_check after the reading, before
 * results are reported. All functions take NULL for a file that is not watched: a pipe, a device, one for which there
 * was no memory.
 * Changes that are noticed: any change of size, time of modification or time of change, between begin and end, of the
 * file that was opened. A file that gets another one under its name, or loses its name, is read on as it was, and has
 * not changed. After input_file_keep, a file that was written to so shortly before that its time would not tell a
 * later write apart makes input_file_begin wait for the next tick of the host's clock, 10 ms at most. Not noticed:
 * stores into memory that maps the file, in a page that had been written to before and was not yet written back.
 * State: one list for the process, as a SIGBUS has an address and nothing else, and outputs are named in all layers.
 * All functions may be called by several threads. */
#ifndef BASE_INPUT_FILE_H
#define BASE_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/fault.h"

struct input_file;

/* The name is copied. */
struct input_file *input_file_begin(int descriptor, const char *path);
/* The descriptor was closed (-1), or the file was opened again. */
void input_file_reopened(struct input_file *file, int descriptor);
void input_file_end(struct input_file *file);

/* From begin to end the thread only detects the kinds of files: opening a file then does not make it an input. The two
 * may be nested. */
void input_file_look_begin(void);
void input_file_look_end(void);

/* fopen for reading; NULL: errno says why. */
FILE *input_file_fopen(const char *path);
void input_file_fclose(FILE *stream);

/* From begin to end files of at most 1 GiB that the thread maps are copied to memory instead, for programs without a
 * handler of SIGBUS. */
void input_file_copy_begin(void);
void input_file_copy_end(void);
/* Maps all of a regular file for reading, and keeps the descriptor. NULL: errno says why; the descriptor is
 * the caller's then. */
struct input_file *input_file_map(int descriptor, const char *path, const void **bytes, size_t size);
/* Ends it, removes the mapping, closes the descriptor. */
void input_file_unmap(struct input_file *file);
/* Can its pages be given back, as they come again from the file? */
bool input_file_is_mapped(const struct input_file *file);
/* Name of the mapped file that has the address, in characters that do no harm; NULL: none. May be called by a signal
 * handler. */
const char *input_file_at(const void *address);

/* Number of files that were found changed so far. */
uint64_t input_file_changes(void);
/* Fails with the name of a file that changed while it was read: one that is being read, or one whose reading ended
 * since there were that many changes (0: since the process began). */
struct fault input_file_check(uint64_t since);

/* The same of those that are mapped. */
struct fault input_file_check_mapped(void);

/* A file that is an input though it is read by others (a database, a program that is run). */
void input_file_note(const char *path);
/* No longer an input: a file in a cache of our own, which may be made anew. */
void input_file_forget(const char *path);
/* A file that the process has written: it may read it and write it again. */
void input_file_made(const struct stat *about);
/* The process is a single command, so a file that it has read and closed remains an input. A program that runs
 * longer, such as one that uses the library, may write over a file that it read before. */
void input_file_keep(void);
/* Is that file being read, or was it, with inputs kept, and still has its name? */
bool input_file_is_input(const struct stat *about);

/* File mark: shows that a file was replaced or written, without reading it.
 *
 * Use: file_mark_look before the file is read; later again, and file_mark_is_same. Equal marks: the file was neither
 * replaced nor written, within the resolution of the host's clock; only the host's administrator can set the change
 * time. A file that is not there has a mark of its own. */

struct file_mark {
    uint64_t device, inode, size_bytes;
    int64_t modified_s, modified_ns;
    int64_t changed_s, changed_ns;
};

struct file_mark file_mark_look(const char *path);
bool file_mark_is_same(const struct file_mark *one, const struct file_mark *other);

#endif
