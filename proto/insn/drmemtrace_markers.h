/* Markers of drmemtrace (drmemtrace 4), as those of proto/insn/insn.h.
 *
 * Given are: time stamps, system calls with the arguments and the result that function markers tell, signals and
 * their end, and regions where the window's number changes. A failed system call's result is -errno. The others do not
 * concern the thread's execution and are dropped. Pairs of a physical and a virtual address are pages. */
#ifndef PROTO_INSN_DRMEMTRACE_MARKERS_H
#define PROTO_INSN_DRMEMTRACE_MARKERS_H

#include "proto/insn/insn_format.h"

struct drmemtrace_markers {
    uint64_t function;                   /* of the last marker FUNC_ID */
    uint64_t window;
    bool has_window;
    uint64_t page_bytes, physical;       /* page_bytes 0: not said, 4 KiB */
    bool repeats_time;                   /* a component begins: its first time stamp is that of before */
};

/* FAULT_MEMORY. */
struct fault drmemtrace_take_marker(struct drmemtrace_markers *markers, struct insn_reader *reader, unsigned kind,
                                    uint64_t value);

#endif
