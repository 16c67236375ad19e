/* Kinds of trace, a row each: how a file's head or a folder's names tell one, and the facts that replays and commands
 * need of it.
 *
 * Use: trace_kind_of, then the reader of that kind (named beside its number), which checks the whole and says what is
 * wrong; a kind is no verdict. The head of a file is read once, for all rows. GPU kernels come from several kinds:
 * trace_list_open reads them all. A new format of instruction traces is a row of proto/insn/formats.h instead.
 * Errors: as the readers give them. */
#ifndef PROTO_FORMATS_H
#define PROTO_FORMATS_H

#include <stdbool.h>

#include "base/fault.h"
#include "proto/gpu/trace.h"
#include "proto/io/bytes.h"
#include "proto/macsim/detect.h"

/* In the order in which a file or a folder is asked: from cheap and certain to dear. */
enum trace_number {
    TRACE_IS_STORE,        /* store of a pair: proto/store/store.h */
    TRACE_IS_GPU_STORE,    /* store of GPU kernels: proto/gpu/store.h */
    TRACE_IS_MACSIM_PACK,  /* threads of MacSim in one file: proto/macsim/set.h, proto/macsim/pack.h */
    TRACE_IS_MACSIM,       /* header, list or stream of MacSim, or a folder of such: proto/macsim/set.h */
    TRACE_IS_GPU_LIST,     /* list of GPU kernels, folder with one, or a kernel's file: proto/gpu/trace.h */
    TRACE_IS_DATA,         /* elastic data dependency trace: proto/elastic/dep_trace.h */
    TRACE_IS_FETCH,        /* elastic fetch trace: proto/elastic/packet_trace.h */
    TRACE_IS_PAIR,         /* folder with both: proto/elastic/trace_dir.h */
    TRACE_IS_INSN,         /* instructions, of drmemtrace, ChampSim and others: proto/insn/reader.h */
    TRACE_IS_UNKNOWN       /* nothing is there, or nothing known; any reader says what it expects */
};

/* What a replay takes it as. */
enum trace_work {
    TRACE_WORK_UNKNOWN,
    TRACE_WORK_PAIRS,      /* elastic traces, one for each core */
    TRACE_WORK_INSNS,      /* threads of instructions or accesses; a packet trace of gem5, too */
    TRACE_WORK_MACSIM,     /* threads of MacSim, kernels, or both */
    TRACE_WORK_KERNELS     /* of a GPU */
};

struct trace_kind {
    const char *name;                    /* "MacSim trace" */
    enum trace_work work;
    unsigned packings;                   /* enum trace_packing: those in which its reader takes a file */
    const char *magic;                   /* 8 bytes with which its files begin; NULL: is_file tells */
    bool (*is_file)(struct trace_bytes *head);
    bool (*is_folder)(const char *path); /* NULL: it is always a file */
    bool has_instructions;               /* detailed cores execute it; else accesses at most */
    bool is_set;                         /* files that lie together: outputs beside them might replace one */
};

/* By number. */
extern const struct trace_kind trace_kinds[TRACE_IS_UNKNOWN + 1];

/* A folder with a kernelslist is a GPU list, whatever else lies in it or below it. A pipe is not read, and unknown. */
const struct trace_kind *trace_kind_of(const char *path);
/* The same where the caller may say the format of instruction traces (proto/insn/formats.h); NULL: it does not. */
const struct trace_kind *trace_kind_of_as(const char *path, const char *format);

static inline enum trace_number trace_number_of(const struct trace_kind *kind)
{
    return (enum trace_number)(kind - trace_kinds);
}

static inline bool trace_is_known(const char *path)
{
    return trace_kind_of(path)->work != TRACE_WORK_UNKNOWN;
}

/* Is it a file that no reader knows, and no elastic trace that is damaged? Then true, and *error says what it is
 * instead, or which format is nearest and where the file is not of it. Of folders, pipes and what is not there false:
 * their readers say so. */
struct fault trace_check_known(const char *path, const struct trace_kind *kind);

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
