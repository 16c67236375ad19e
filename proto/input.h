/* What both kinds of trace share: magic, framing into messages, header, kind, warnings (elastic-trace 1.1, 1.8).
 *
 * Use: input_open reads magic and header and finds the kind; input_next gives the records' messages one by one, each in
 * one piece, valid until the next call. Messages are at most INPUT_MESSAGE_MAX bytes; STREAM_SLACK bytes behind one are
 * readable. With source.salvage a file that breaks off ends where its last whole message ends. */
#ifndef PROTO_INPUT_H
#define PROTO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/error.h"
#include "proto/stream.h"
#include "proto/usual.h"
#include "proto/wire.h"

#define INPUT_MESSAGE_MAX (1u << 20)
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
bool input_open(struct input *input, const struct stream_source *source, struct proto_error *error);
void input_close(struct input *input);
enum input_step input_next(struct input *input, const uint8_t **message, size_t *length, struct proto_error *error);

/* The same for messages that proto/usual.h can read: is the next one such? Then look at it, and take it or leave it to
 * input_next. */
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

/* Keeps a warning; those beyond INPUT_WARNINGS_MAX are dropped. */
void input_warn(struct input *input, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The header's fields that both kinds have. Texts that do not fit are cut, with a warning. */
struct input_header {
    char obj_id[256];
    uint32_t ver, window_size;
    bool has_ver;
    uint64_t tick_freq;
};

/* Reads the header; the caller checks input->kind before. id_string is called for each entry of a packet trace's
 * id_strings. */
bool input_read_header(struct input *input, struct input_header *header,
                       bool (*id_string)(void *owner, const struct wire_field *entry,
                                         struct proto_error *error), void *owner,
                       struct proto_error *error);

/* Text field -> C string of at most room-1 bytes. False: something was left out. */
bool input_text(const struct wire_field *field, char *text, size_t room);

/* The kind of a trace file, by its content. */
bool input_detect(const char *path, enum input_kind *kind, struct proto_error *error);
const char *input_kind_name(enum input_kind kind);

#endif
