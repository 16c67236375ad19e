/* The two trace files of a folder, found by the ends of their names, in which gem5's probe puts the object's path in
 * front: deptrace.proto.gz and fetchtrace.proto.gz, also without .gz. */
#ifndef PROTO_ELASTIC_TRACE_DIR_H
#define PROTO_ELASTIC_TRACE_DIR_H

#include <stdbool.h>

#include "base/fault.h"

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
