/* A thread of an instruction trace as the pair of files that gem5's TraceCPU reads: deptrace and fetchtrace
 * (elastic-trace 1). Streaming. Files appear whole or not at all; after a failure neither is left. */
#ifndef PROTO_INSN_CONVERT_H
#define PROTO_INSN_CONVERT_H

#include "proto/insn/elastic.h"

struct insn_convert_request {
    const struct insn_trace *trace;
    size_t thread;
    struct insn_elastic_options options;
    struct depend_space space;
    const char *dep_out, *fetch_out;     /* gzip if the name ends with .gz */
};

struct insn_converted {
    struct depend_counts counts;
    uint64_t undecoded;
};

/* warn: called with the warnings found at a thread's end; may be NULL. */
struct fault insn_convert(const struct insn_convert_request *request, struct insn_converted *converted,
                          void (*warn)(const char *text));

#endif
