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
#include "proto/gpu/gpu_store.h"
#include "proto/gpu/gpu_trace.h"
#include "proto/io/bytes.h"
#include "proto/macsim/detect.h"
#include "proto/macsim/macsim_header.h"
#include "proto/macsim/macsim_pack.h"
#include "proto/macsim/macsim_stream.h"

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

/* GPU applications of a MacSim set as a list of kernels (macsim-traces 1, 4.2, 4.3, 5); for proto/gpu/gpu_trace.h,
 * which says how to use them.
 *
 * Blocks and warps are those of the ids. A warp's number in its block is its place among them, since the ids of older
 * N64 sets are hardware warps and have gaps. Blocks come in the order in which the header names them first. Files are
 * open one at a time, while they are read. */

/* Is there a GPU application in the set? One that cannot be opened has none. */
bool macsim_list_detect(const char *path);
/* An empty list is an error, too. override: of the format, NULL without. compat: with the reference's documented
 * defects (proto/macsim/warp.c). To be closed by gpu_list_close. */
struct fault macsim_list_open(struct gpu_list *list, const char *path, const struct macsim_override *override,
                              bool compat);
/* Is it a list of a MacSim set? Has that CPU applications as well? */
bool macsim_list_is(const struct gpu_list *list);
bool macsim_list_has_threads(const struct gpu_list *list);

/* The streams of a MacSim header as one (proto/gpu/gpu_store.h). */

/* path: of the header. Reads all of them. */
struct fault macsim_streams_look(const char *path, struct gpu_streams *streams);

/* Scores of opcode tables (macsim-traces 2.4, 3 and 4), for proto/macsim/detect.c. Nothing here allocates. */

#define NO_DIALECT MACSIM_DIALECT_COUNT

/* Opcode tables of a layout, likeliest first; NO_DIALECT ends them. is_gpu: PTX in C52 and C80. */
const enum macsim_dialect *macsim_dialects_of(enum macsim_layout layout, bool is_gpu, enum macsim_kind kind);
/* With the registers that belong to the two. */
struct macsim_format macsim_format_of(enum macsim_layout layout, enum macsim_dialect dialect, bool is_gpu);

/* Bytes from a record to the next one that is an instruction's: skips address records of G64 and G72, which the opcode
 * table identifies. */
size_t macsim_step(const struct macsim_format *format, const uint8_t *record);

/* Scores the format's opcode table on the records of a stream: opcode, control flow, accesses and registers must
 * agree. whole: the stream ends behind them. */
void macsim_dialect_judge(struct macsim_dialect_score *score, const struct macsim_format *format, const uint8_t *bytes,
                          size_t length, bool whole);
/* More agreements over contradictions? */
bool macsim_dialect_is_better(const struct macsim_dialect_score *score, const struct macsim_dialect_score *than);
/* Does another table name an opcode of the records otherwise? */
bool macsim_dialect_differs(const struct macsim_format *format, enum macsim_dialect other, const uint8_t *bytes,
                            size_t length);

#endif
