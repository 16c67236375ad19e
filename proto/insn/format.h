/* What a format's reader is to proto/insn/reader.c: the file's bytes, and its own state behind them.
 *
 * A format fills in `state` when it opens, and counts what it gives. Bytes that were looked at to tell the format are
 * still to be read. */
#ifndef PROTO_INSN_FORMAT_H
#define PROTO_INSN_FORMAT_H

#include "proto/insn/bytes.h"
#include "proto/insn/reader.h"

struct insn_reader;

struct insn_format {
    const char *name;
    /* Only looks at bytes->next; 0: is not; 1: is. Files that are one but cannot be read fail in `open`. */
    bool (*detect)(struct insn_bytes *bytes, struct fault *error);
    bool (*open)(struct insn_reader *reader, struct fault *error);
    enum insn_step (*next)(struct insn_reader *reader, struct insn *insn, struct fault *error);
    void (*close)(struct insn_reader *reader);
};

struct insn_reader {
    const struct insn_format *format;
    const char *name;                    /* of the format; one that knows several sets it when it opens */
    struct insn_bytes bytes;
    struct insn_counts counts;
    uint32_t lacks;
    char about[96], warning[240];        /* "": none */
    void *state;                         /* of the format */
    struct insn_access *accesses;        /* of the instruction at hand */
    size_t access_count, access_room;
};

extern const struct insn_format insn_drmemtrace, insn_text, insn_champsim;

/* Adds to the accesses of the instruction at hand, and counts. False: out of memory. */
bool insn_add_access(struct insn_reader *reader, const struct insn_access *access, struct fault *error);
/* Counts an instruction that is given, and hands it its accesses. */
void insn_give(struct insn_reader *reader, struct insn *insn);

#endif
