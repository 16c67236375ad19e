/* Which layout and which opcodes a stream has (macsim-traces 2.4), with the evidence.
 *
 * Each layout is scored on the first 64 KiB of the streams: a record fits if all its fields are plausible in the
 * layout. PC order decides only between layouts whose records fit equally. Then each opcode table of the layout is
 * scored, on the first 2 MiB, by the consistency of opcode, control flow and accesses. A header's word and
 * version go first, as long as the bytes do not contradict them. */
#ifndef PROTO_MACSIM_DETECT_H
#define PROTO_MACSIM_DETECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/macsim/macsim_header.h"
#include "proto/macsim/record.h"
#include "proto/macsim/macsim_stream.h"

struct macsim_layout_score {
    uint64_t records;                    /* looked at; 0: the layout was not tried */
    uint64_t fits;                       /* records whose fields are all plausible */
    uint64_t fits_but_flags;             /* records whose fields are all plausible except flags (enum macsim_oddity) */
    uint64_t pc_pairs, pc_follows;       /* neighbours, and those whose PCs follow each other */
    uint64_t left_bytes;                 /* behind the last whole record, if the whole stream was seen */
    char fault[120];                     /* the first field that cannot be */
};

struct macsim_dialect_score {
    uint64_t agree, contradict;          /* both 0: not tried */
};

struct macsim_detection {
    struct macsim_format format;
    bool by_header, by_user;             /* the layout's origin; neither: the score decided */
    bool whole;                          /* the stream was seen to its end */
    uint64_t bytes;                      /* looked at */
    struct macsim_layout_score layouts[MACSIM_LAYOUT_COUNT];
    struct macsim_dialect_score dialects[MACSIM_DIALECT_COUNT];
    char reason[200];                    /* one sentence: why this layout and this dialect */
    char warning[240];                   /* "", or an oddity: the header disagrees, two tables fit equally */
};

/* A --format as typed: LAYOUT, LAYOUT/DIALECT or DIALECT, letters of any case. */
struct macsim_override {
    bool has_layout, has_dialect;
    enum macsim_layout layout;
    enum macsim_dialect dialect;
};

/* False: `problem` names the expected forms. */
bool macsim_override_parse(struct macsim_override *override, const char *text, char *problem, size_t room);

/* sources: streams of one application or kernel, looked at until 2 MiB are seen. header: NULL without; override: NULL
 * without. Fails if no layout fits 90 % of the records, with the best one's evidence, or the override's does not fit
 * half of them, ignoring flags; if a stream cannot be read; if the streams are empty and the header does not name the
 * kind. */
struct fault macsim_detect(struct macsim_detection *detection, const struct macsim_source *sources, size_t count,
                           const struct macsim_header *header, const struct macsim_override *override);

#endif
