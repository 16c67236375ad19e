/* The common part of both kinds of trace: magic, framing into messages, header, kind, warnings (elastic-trace 1.1,
 * 1.8).
 *
 * Use: input_open reads magic and header and finds the kind; input_next returns the records' messages one by one, each
 * contiguous, valid until the next call. Messages are at most WIRE_MESSAGE_MAX bytes; STREAM_SLACK bytes behind one
 * are readable. With source.salvage a file that breaks off ends where its last whole message ends. */
#ifndef PROTO_ELASTIC_ELASTIC_INPUT_H
#define PROTO_ELASTIC_ELASTIC_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/io/bytes.h"
#include "proto/io/usual.h"
#include "proto/io/wire.h"

#define INPUT_WARNINGS_MAX 8

enum input_kind { INPUT_DEP_TRACE, INPUT_PACKET_TRACE };

struct input {
    struct stream stream;
    uint64_t message_count;          /* records, without the header */
    uint64_t message_offset;         /* of the message given last */
    const uint8_t *message;          /* its first byte */
    bool salvage;             /* a file that breaks off just ends */
    bool truncated;                  /* salvage found the file broken off */
    enum input_kind kind;
    uint8_t *header;                 /* the header message: header_length bytes and slack */
    size_t header_length;
    uint64_t header_offset;
    char warnings[INPUT_WARNINGS_MAX][256];
    size_t warning_count;
};

enum input_step { INPUT_MESSAGE, INPUT_END, INPUT_ERROR };

/* On failure nothing remains open. */
struct fault input_open(struct input *input, const struct stream_source *source);
void input_close(struct input *input);
enum input_step input_next(struct input *input, const uint8_t **message, size_t *length, struct fault *error);

/* The same for messages that proto/io/usual.h can read: is the next one such? Then look at it, and take it or leave it
 * to input_next. */
static inline bool input_has_usual(const struct input *input, const uint8_t **message, unsigned *length)
{
    struct stream const *const stream = &input->stream;

    if (stream->end - stream->next <= USUAL_READ || stream->next[0] > USUAL_BYTES)
        return false;
    *message = stream->next + 1;
    *length = stream->next[0];
    return true;
}

static inline void input_took_usual(struct input *input, const uint8_t *message, unsigned length)
{
    input->message_count++;
    input->stream.next = message + length;
}

/* Part of the file's compressed bytes consumed so far, 0 to 1: for progress lines. */
static inline double input_position(const struct input *input)
{
    return stream_position(&input->stream);
}

/* Reports that a field of the message returned last has `problem`; `at` is its first byte. */
void input_malformed(const struct input *input, const uint8_t *at, const char *problem, struct fault *error);
/* Keeps a warning; those beyond INPUT_WARNINGS_MAX are dropped. */
void input_warn(struct input *input, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The header of a dependency trace; a packet trace has these fields but the last. */
struct dep_header {
    char obj_id[256];                /* cut if longer, with a warning */
    uint32_t ver;
    bool has_ver;
    uint64_t tick_freq;              /* ticks a second */
    uint32_t window_size;
};

/* Reads the header; the caller checks input->kind before. id_string is called for each entry of a packet trace's
 * id_strings. */
struct fault input_read_header(struct input *input, struct dep_header *header,
                               struct fault (*id_string)(void *owner, const struct wire_field *entry), void *owner);

/* Text field -> C string of at most room-1 bytes. False: something was left out. */
bool input_text(const struct wire_field *field, char *text, size_t room);

/* Is this the beginning of a trace of that kind? */
bool input_is(struct trace_bytes *head, enum input_kind kind);
const char *input_kind_name(enum input_kind kind);

/* Cuts a range of records out of a pair of traces: the data records, and the fetches of the same time.
 *
 * The records carry no ticks; proto/elastic/capture_clock.h finds their times again.
 *
 * The cut begins at tick 0, which is the earliest execution in the range. Fetches from then to the latest execution
 * come along, shifted; so does the one before them, at tick 0, as its block is being executed. To the end of the file:
 * all fetches that follow. A cut that begins at record 0 keeps all ticks.
 *
 * Dependences on records before the cut are dropped, since they count as complete. A record that lost one keeps its
 * time: its comp_delay now counts from the last dependence that is left, or from the beginning of the cut if none is,
 * as the first records of a capture do (2.13). */

struct cut_request {
    const char *dep_in, *fetch_in, *dep_out, *fetch_out;
    uint64_t first, behind;          /* records [first, behind), counted from 0; UINT64_MAX: to the end */
    bool salvage;                    /* files that break off end there */
};

struct cut_result {
    uint64_t records, fetches;       /* written */
    uint64_t changed;                /* records that lost a dependence */
    uint64_t start_ticks, end_ticks; /* of the range, in the capture's time */
    uint64_t tick_freq;
    uint32_t window_size;
    bool dep_truncated, fetch_truncated;
};

/* On failure no output file remains. */
struct fault cut_traces(const struct cut_request *request, struct cut_result *result);

#endif
