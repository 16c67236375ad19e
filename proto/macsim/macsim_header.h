/* Text headers of MacSim traces (macsim-traces 1.1): applications, kernels, lists of kernels, lists of traces; each
 * era.
 *
 * Use: macsim_header_read, macsim_header_free. Paths of lists are found as 1.1 says: as given, or in the list's folder
 * by their last two components, or the last one. Text files may be gzip. Errors name the file and the token. */
#ifndef PROTO_MACSIM_MACSIM_HEADER_H
#define PROTO_MACSIM_MACSIM_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/macsim/record.h"

/* enum suffix, word, GPU? */
#define MACSIM_KINDS(K)                                                                                               \
    K(X86, "x86", false) K(A64, "a64", false) K(IGPU, "igpu", false)                                                  \
    K(PTX, "ptx", true) K(NEWPTX, "newptx", true) K(NVBIT, "nvbit", true)

#define MACSIM_KIND_ENUM(suffix, word, gpu) MACSIM_KIND_##suffix,
enum macsim_kind { MACSIM_KIND_UNKNOWN, MACSIM_KINDS(MACSIM_KIND_ENUM) MACSIM_KIND_COUNT };
#undef MACSIM_KIND_ENUM

const char *macsim_kind_name(enum macsim_kind kind);
bool macsim_kind_is_gpu(enum macsim_kind kind);

/* Layouts of the header, by the age of the tracer (macsim-traces, table in 1.1). */
enum macsim_era {
    MACSIM_ERA_2011,                     /* count word ... */
    MACSIM_ERA_2013_APRIL,               /* version count word ... */
    MACSIM_ERA_2013_MAY,                 /* word [version] count ... */
    MACSIM_ERA_2020,                     /* x86 1.3 count; ptx and newptx of version 14 */
    MACSIM_ERA_OTHER                     /* a64, igpu, nvbit */
};

/* As `trace info` prints it: "2011-09 to 2013-04" and so on. */
const char *macsim_era_name(enum macsim_era era);

enum macsim_header_form {
    MACSIM_THREADS,                      /* an application's threads or a kernel's warps */
    MACSIM_KERNEL_LIST,                  /* paths of kernels' headers */
    MACSIM_TRACE_LIST                    /* trace_file_list: paths of headers, no kind */
};

struct macsim_thread {
    uint64_t id;                         /* CPU: number; GPU: (block << 16) + warp */
    uint64_t start;                      /* instructions of the main thread before this one begins */
};

struct macsim_header {
    char *path;
    char *base;                          /* path up to its last '.': streams are <base>_<id>.raw */
    enum macsim_header_form form;
    enum macsim_kind kind;
    enum macsim_era era;
    char version[32];                    /* as written, with `?` for unprintable bytes; "" without */
    uint64_t version_number;             /* GPU: 11, 13, 131, 14; 0 without */
    uint64_t max_blocks;                 /* resident on a core; 0 without */
    struct macsim_thread *threads;
    size_t thread_count;
    char **paths;                        /* of a list: as found, else as given (macsim_set_open refuses those) */
    size_t path_count;
    char warnings[4][256];               /* one line each, without the path */
    size_t warning_count;
};

/* On failure nothing remains. A file that is no header of any form fails, too. */
struct fault macsim_header_read(struct macsim_header *header, const char *path);
/* The same for text in memory; path names it and gives its folder. */
struct fault macsim_header_read_memory(struct macsim_header *header, const char *path, const void *data, size_t size);
void macsim_header_free(struct macsim_header *header);

/* Could the bytes begin a header or a list? By the first three tokens, without a verdict on the rest. */
bool macsim_header_detect(const char *data, size_t size);

/* Path of thread number `index`'s stream; false if it does not fit. */
bool macsim_header_stream_path(const struct macsim_header *header, size_t index, char *path, size_t room);

/* Layout and opcodes implied by kind and version (2.4, rule 1); false if ambiguous. */
bool macsim_header_format(const struct macsim_header *header, struct macsim_format *format);

#endif
