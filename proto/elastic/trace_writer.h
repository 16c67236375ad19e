/* Writer of both kinds of trace, in the form of the reference: fields by ascending number, lists unpacked
 * (elastic-trace 1.1).
 *
 * Use: dep_writer_open, dep_writer_put for each record, or the same of packets; trace_writer_close, or
 * trace_writer_discard to leave nothing.
 * Names, gzip and partial files: proto/io/sink.h. Fields are written if their bit in `present` is set. Records must
 * keep the rules that the reader checks (dep_record_check); ticks must not fall. */
#ifndef PROTO_ELASTIC_TRACE_WRITER_H
#define PROTO_ELASTIC_TRACE_WRITER_H

#include "base/fault.h"
#include "proto/elastic/dep_trace.h"
#include "proto/elastic/packet_trace.h"

struct trace_writer;

/* NULL on failure. */
struct trace_writer *dep_writer_open(const char *path, const struct dep_header *header, struct fault *error);
struct trace_writer *packet_writer_open(const char *path, const struct packet_header *header, struct fault *error);
/* Writes a record of the kind that the writer was opened for. */
struct fault dep_writer_put(struct trace_writer *writer, const struct dep_record *record);
struct fault packet_writer_put(struct trace_writer *writer, const struct packet_record *record);
/* Frees the writer in any case. */
struct fault trace_writer_close(struct trace_writer *writer);
void trace_writer_discard(struct trace_writer *writer);
/* Closes both if all they got is good. If it is not, or if one cannot be closed, neither file is left. */
struct fault trace_writer_close_pair(struct trace_writer *dep, struct trace_writer *fetch, const char *dep_path,
                                     struct fault so_far);

/* The two trace files of a folder, found by the ends of their names, in which gem5's probe puts the object's path in
 * front: deptrace.proto.gz and fetchtrace.proto.gz, also without .gz. */

#define TRACE_PATH_MAX 4096

struct trace_paths {
    char dep[TRACE_PATH_MAX], fetch[TRACE_PATH_MAX];
};

/* Fails if one of them is missing, or there are several of one kind. */
struct fault trace_dir_find(const char *folder, struct trace_paths *paths);

/* The folders of threads in a folder, thread0, thread1, ... and those in app0, app1, ... (`trace convert` writes
 * them), in the order of their numbers, that hold a pair each. NULL-terminated, to be freed by trace_dir_threads_free;
 * NULL: no folders, or out of memory. */
char **trace_dir_threads(const char *folder);
void trace_dir_threads_free(char **folders);

#endif
