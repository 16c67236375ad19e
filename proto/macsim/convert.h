/* A thread of a MacSim trace as the pair of files that gem5's TraceCPU reads: deptrace and fetchtrace (elastic-trace
 * 1).
 *
 * Streaming; memory is bounded by the window and the pages, which a survey of all threads of the application has filled
 * (proto/macsim/elastic.h). Files appear whole or not at all; after a failure neither is left. */
#ifndef PROTO_MACSIM_CONVERT_H
#define PROTO_MACSIM_CONVERT_H

#include "proto/macsim/elastic.h"

struct macsim_convert_request {
    const struct macsim_part *part;
    size_t thread;                       /* place in the part's header */
    struct macsim_elastic_options options;
    struct macsim_pages *pages;
    const char *dep_out, *fetch_out;     /* gzip if the name ends with .gz */
};

/* warn: called with the warnings known at the stream's end; may be NULL. */
struct fault macsim_convert(const struct macsim_convert_request *request, struct depend_counts *counts,
                            void (*warn)(const char *text));

#endif
