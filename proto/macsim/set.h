/* A MacSim trace as one names it: a trace_file_list, a header, a kernel_config.txt, a raw stream, or a folder that
 * holds such (macsim-traces 1).
 *
 * Use: macsim_set_open; applications in order, each with its parts: a CPU application has one part, a GPU application
 * one a kernel, in program order; a part's threads with macsim_part_path and macsim_stream_open; macsim_set_close. A
 * folder gives all headers in it and below it, in the order of their paths; headers that a list names belong to the
 * list. Streams without any header in their folder become a part each. Opening looks at all files that the headers
 * promise, but opens no stream but the ones it needs to tell the format. */
#ifndef PROTO_MACSIM_SET_H
#define PROTO_MACSIM_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/io/bytes.h"
#include "proto/macsim/detect.h"
#include "proto/macsim/header.h"
#include "proto/macsim/pack.h"
#include "proto/macsim/stream.h"

/* A CPU application's threads, or a kernel's warps. */
struct macsim_part {
    struct macsim_header header;         /* without one: path "", kind unknown, threads by the streams' names */
    struct macsim_detection detection;   /* of all its streams */
    bool has_header;
    bool is_stream;                      /* a stream that was named itself: base is its whole path */
    bool is_gpu;
    uint32_t warps_per_block;            /* GPU: leading ids of the first block */
    const struct macsim_packed_part *packed;     /* its streams, of a pack; NULL: they are files */
};

struct macsim_application {
    char *path;                          /* of the header or the list; of the stream without one */
    bool is_gpu;
    struct macsim_part *parts;
    size_t part_count;
};

struct macsim_set {
    char *path;                          /* as given */
    struct macsim_application *applications;
    size_t application_count;
    struct macsim_pack *pack;            /* that it was read from; NULL: files */
    char **warnings;                     /* one line each, ready to print */
    size_t warning_count;
};

/* override: of the format, NULL without. On failure nothing remains open. */
struct fault macsim_set_open(struct macsim_set *set, const char *path, const struct macsim_override *override);
void macsim_set_close(struct macsim_set *set);

/* Has it kernels of a GPU, or threads of CPUs? */
static inline bool macsim_set_has(const struct macsim_set *set, bool is_gpu)
{
    for (size_t i = 0; i < set->application_count; i++)
        if (set->applications[i].is_gpu == is_gpu)
            return true;
    return false;
}

/* Could a file that begins so, or the folder, be a MacSim trace? No verdict on the whole. */
bool macsim_set_is(struct trace_bytes *head);
bool macsim_set_is_in(const char *folder);

#define MACSIM_PATH_MAX 4096
/* That a stream's path is too long. */
struct fault macsim_long_path(const struct macsim_part *part);
/* The stream of thread `index`; false if it does not fit, which macsim_set_open has refused. */
bool macsim_part_path(const struct macsim_part *part, size_t index, char path[MACSIM_PATH_MAX]);
/* Opens it with the part's format. */
struct fault macsim_part_open(const struct macsim_part *part, size_t index, struct macsim_stream *stream);

/* Block and warp of a GPU thread's id (1.2). */
static inline uint64_t macsim_block_of(uint64_t id)
{
    return id >> 16;
}

static inline uint32_t macsim_warp_of(uint64_t id)
{
    return (uint32_t)(id & 0xffff);
}

#endif
