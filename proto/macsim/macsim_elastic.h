/* A thread of a MacSim trace as elastic records: the dependences of each micro-op, its latency, and the fetches with
 * their times. The same records for a replay, for files that gem5's TraceCPU reads, and for a store. The rules are
 * those of proto/depend/depend.h, the micro-ops those of proto/macsim/uop.h; with compat, accesses are cut at the end
 * of their line, and loads of one instruction write one after the other.
 *
 * Use: macsim_elastic_survey for each thread of an application; macsim_elastic_open, macsim_elastic_next until it says
 * MACSIM_END, macsim_elastic_close. Addresses: proto/macsim/macsim_pages.h; v_addr holds the trace's. Memory is
 * bounded by the window. Ticks are picoseconds. Errors are those of the stream. */
#ifndef PROTO_MACSIM_MACSIM_ELASTIC_H
#define PROTO_MACSIM_MACSIM_ELASTIC_H

#include "proto/depend/depend.h"
#include "proto/macsim/macsim_pages.h"
#include "proto/macsim/set.h"
#include "proto/macsim/uop.h"

#define MACSIM_ELASTIC_WINDOW 768        /* 3 times the reference's ROB, as the probe's manual advises */
#define MACSIM_ELASTIC_WIDTH 4
#define MACSIM_ELASTIC_LINE_BYTES 64
#define MACSIM_ELASTIC_PERIOD_PS 250     /* 4 GHz, as params_x86 */
#define MACSIM_ELASTIC_TICK_FREQ DEPEND_TICK_FREQ

struct macsim_elastic_options {
    struct macsim_uop_options uops;
    uint64_t period_ps;                  /* of the core's clock */
    uint32_t width;                      /* micro-ops a cycle through the front end */
    uint32_t window;                     /* records; header field window_size */
    uint32_t line_bytes, fetch_bytes;    /* powers of two, at most a page */
    uint64_t first_seq;                  /* 1 or more */
    bool only_fetches;                   /* no data records are wanted */
};

struct macsim_elastic;

/* Defaults as above, x86's latencies, first_seq 1. */
struct macsim_elastic_options macsim_elastic_defaults(void);

/* Reads the thread once: gives its pages frames, counts its instructions and its kinds of micro-ops. */
struct fault macsim_elastic_survey(const struct macsim_part *part, size_t thread,
                                   const struct macsim_elastic_options *options, struct macsim_pages *pages,
                                   struct depend_counts *counts);

/* NULL on failure. Borrows part and pages, which more than one may share within a thread of the program. */
struct macsim_elastic *macsim_elastic_open(const struct macsim_part *part, size_t thread,
                                           const struct macsim_elastic_options *options, struct macsim_pages *pages,
                                           struct fault *error);
void macsim_elastic_close(struct macsim_elastic *elastic);
/* The next instruction; it may give no record and no fetch. */
enum macsim_step macsim_elastic_next(struct macsim_elastic *elastic, struct depend_output *output,
                                     struct fault *error);
const struct depend_counts *macsim_elastic_counted(const struct macsim_elastic *elastic);
/* Warnings at the end of the stream, including those of omitted or changed records; used like macsim_stream_warning. */
bool macsim_elastic_warning(const struct macsim_elastic *elastic, unsigned *told, char *text, size_t room);

/* A thread of a MacSim trace as the pair of files that gem5's TraceCPU reads: deptrace and fetchtrace (elastic-trace
 * 1).
 *
 * Streaming; memory is bounded by the window and the pages, which a survey of all threads of the application has filled
 * (proto/macsim/macsim_elastic.h). Files appear whole or not at all; after a failure neither is left. */

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
