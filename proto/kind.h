/* What a path holds, told by its content: the one place that knows all kinds of trace.
 *
 * Use: trace_kind_of, then the reader of that kind (named beside each), which checks the whole and says what is wrong;
 * nothing here is a verdict. GPU kernels come from several kinds: trace_list_open reads them all.
 * Errors: as the readers give them. */
#ifndef PROTO_KIND_H
#define PROTO_KIND_H

#include <stdbool.h>

#include "base/fault.h"
#include "proto/gpu/trace.h"
#include "proto/macsim/detect.h"

enum trace_kind {
    TRACE_IS_UNKNOWN,      /* nothing is there, or nothing known; any reader says what it expects */
    TRACE_IS_DATA,         /* elastic data dependency trace: proto/elastic/dep_trace.h */
    TRACE_IS_FETCH,        /* elastic fetch trace: proto/elastic/packet_trace.h */
    TRACE_IS_PAIR,         /* folder with both: proto/elastic/trace_dir.h */
    TRACE_IS_STORE,        /* store of both: proto/store/store.h */
    TRACE_IS_GPU_LIST,     /* list of GPU kernels, folder with one, or a kernel's file: proto/gpu/trace.h */
    TRACE_IS_GPU_STORE,    /* store of these: proto/gpu/store.h */
    TRACE_IS_MACSIM,       /* header, list or stream of MacSim, or a folder of such: proto/macsim/set.h */
    TRACE_IS_MACSIM_PACK,  /* threads of such in one file: proto/macsim/set.h, proto/macsim/pack.h */
    TRACE_IS_INSN          /* instructions, of drmemtrace, ChampSim and others: proto/insn/reader.h */
};

/* A folder with a kernelslist is a GPU list, whatever else lies in it or below it. A pipe is not read, and unknown. */
enum trace_kind trace_kind_of(const char *path);
/* The same where the caller may say the format of instruction traces (proto/insn/formats.h); NULL: it does not. */
enum trace_kind trace_kind_of_as(const char *path, const char *format);

/* Does a replay take it as instructions or accesses? Packet traces of gem5 are, in place of the fetches of a pair. */
static inline bool trace_kind_is_insn(enum trace_kind kind)
{
    return kind == TRACE_IS_INSN || kind == TRACE_IS_FETCH;
}

/* Is it a file that no reader knows, and no elastic trace that is damaged? Then true, and *error says what it is
 * instead, or which format is nearest and where the file is not of it. Of folders, pipes and what is not there false:
 * their readers say so. */
struct fault trace_check_known(const char *path, enum trace_kind kind);

static inline bool trace_kind_is_macsim(enum trace_kind kind)
{
    return kind == TRACE_IS_MACSIM || kind == TRACE_IS_MACSIM_PACK;
}

static inline bool trace_kind_is_gpu(enum trace_kind kind)
{
    return kind == TRACE_IS_GPU_LIST || kind == TRACE_IS_GPU_STORE;
}

/* Does trace_list_open find kernels there? A MacSim set is opened to tell; one that cannot be opened has none. */
bool trace_has_kernels(const char *path);

/* For MacSim sets only. */
struct trace_list_options {
    const struct macsim_override *format;        /* NULL: by header and content */
    bool macsim_compat;                  /* the reference's documented defects, too (proto/macsim/warp.c) */
};

/* As gpu_list_open, and MacSim sets with GPU applications, whose kernels are named by their headers. options: NULL for
 * none. To be closed by gpu_list_close; on failure nothing remains open. */
struct fault trace_list_open(struct gpu_list *list, const char *path, const struct trace_list_options *options);
/* The same as one file: gpu_store_pack. Fails for a store, and for a set that has threads of CPUs, too. */
struct fault trace_list_pack(const char *path, const struct trace_list_options *options, const char *store_path);

#endif
