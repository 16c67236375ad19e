/* Kinds of trace, a row each: how it is recognised by a file's head or a folder's names, and its properties needed by
 * replays and commands.
 *
 * Use: trace_kind_of, then the reader of that kind (named beside its number), which checks the whole file and reports
 * defects: a recognised kind does not mean a valid trace. The head of a file is read once, for all rows. Several kinds
 * contain GPU kernels: trace_list_open reads them all. A new format of instruction traces is a row of
 * proto/insn/formats.h instead.
 * Errors: those of the readers. */
#ifndef PROTO_TRACE_FORMATS_H
#define PROTO_TRACE_FORMATS_H

#include <stdbool.h>

#include "base/fault.h"
#include "proto/gpu/gpu_trace.h"
#include "proto/io/bytes.h"
#include "proto/macsim/detect.h"

/* In the order of detection: from cheap and certain tests to expensive ones. */
enum trace_number {
    TRACE_IS_STORE,        /* store of a pair of elastic traces: proto/store/store.h */
    TRACE_IS_GPU_STORE,    /* store of GPU kernels: proto/gpu/gpu_store.h */
    TRACE_IS_MACSIM_PACK,  /* MacSim threads in one file: proto/macsim/set.h, proto/macsim/macsim_pack.h */
    TRACE_IS_MACSIM,       /* MacSim header, list or stream, or a folder with these: proto/macsim/set.h */
    TRACE_IS_GPU_LIST,     /* list of GPU kernels, folder with one, or a kernel's file: proto/gpu/gpu_trace.h */
    TRACE_IS_DATA,         /* elastic data dependency trace: proto/elastic/dep_trace.h */
    TRACE_IS_FETCH,        /* elastic fetch trace: proto/elastic/packet_trace.h */
    TRACE_IS_PAIR,         /* folder with both: proto/elastic/trace_writer.h */
    TRACE_IS_INSN,         /* instructions, of drmemtrace, ChampSim and others: proto/insn/reader.h */
    TRACE_IS_UNKNOWN       /* missing or unknown; any reader reports the expected kinds */
};

/* How a replay treats the kind. */
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
    unsigned packings;                   /* enum trace_packing: the compressions that its reader accepts */
    const char *magic;                   /* the first 8 bytes of its files; NULL: see is_file */
    bool (*is_file)(struct trace_bytes *head);
    bool (*is_folder)(const char *path); /* NULL: it is always a file */
    const char *addresses;               /* "virtual", "physical" ... NULL: each of its formats says */
    const char *requests;                /* the unit of an access; NULL likewise */
    const char *lacks;                   /* properties that a replay has to do without; NULL likewise */
    bool has_instructions;               /* detailed cores can execute it; else its accesses at most */
    bool is_set;                         /* several files in one folder: outputs there might replace one */
};

/* By number. */
extern const struct trace_kind trace_kinds[TRACE_IS_UNKNOWN + 1];

/* A folder with a kernelslist is a GPU list, regardless of its other contents. A pipe is not read, and its kind is
 * unknown. */
const struct trace_kind *trace_kind_of(const char *path);
/* The same with a given format of instruction traces (proto/insn/formats.h), or NULL. */
const struct trace_kind *trace_kind_of_as(const char *path, const char *format);

static inline enum trace_number trace_number_of(const struct trace_kind *kind)
{
    return (enum trace_number)(kind - trace_kinds);
}

static inline bool trace_is_known(const char *path)
{
    return trace_kind_of(path)->work != TRACE_WORK_UNKNOWN;
}

/* Whether it is a file of no known kind, and not a damaged elastic trace. If so, *error names its actual kind, or the
 * nearest format and the first deviation from it. False for folders, pipes and missing files: their readers report
 * these. */
struct fault trace_check_known(const char *path, const struct trace_kind *kind);

/* Whether trace_list_open finds kernels there. A MacSim set is opened for this; one that cannot be opened counts as
 * without kernels. */
bool trace_has_kernels(const char *path);

/* For MacSim sets only. */
struct trace_list_options {
    const struct macsim_override *format;        /* NULL: by header and content */
    bool macsim_compat;                  /* the reference's documented defects, too (proto/macsim/warp.c) */
};

/* Like gpu_list_open, but also opens MacSim sets with GPU applications, whose headers name the kernels. options: NULL
 * for none. Close with gpu_list_close; on failure nothing remains open. */
struct fault trace_list_open(struct gpu_list *list, const char *path, const struct trace_list_options *options);
/* Packs the same kernels into one file by gpu_store_pack. Fails for a store, and for a set with CPU threads as well. */
struct fault trace_list_pack(const char *path, const struct trace_list_options *options, const char *store_path);

#endif
