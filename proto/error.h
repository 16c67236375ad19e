/* What is wrong with a trace file, as a value; only cli/ prints it.
 *
 * The text is one line: file, byte offset (of the decompressed stream, or line of a text file), field, what was
 * expected and how to mend it. Functions of proto/ return true on success; on failure they fill the error that the
 * caller gave. */
#ifndef PROTO_ERROR_H
#define PROTO_ERROR_H

#include <stdbool.h>
#include <stdint.h>

struct proto_error {
    char text[600];
};

#define PROTO_NO_OFFSET UINT64_MAX

/* Writes "file: byte N: text" (without offset: "file: text"). Returns false, so that callers can return it. */
bool proto_fail(struct proto_error *error, const char *file, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with a line of a text file: "file: line N: text". */
bool proto_fail_line(struct proto_error *error, const char *file, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
