/* Internals of the reader of dependency traces, for callers that can predict the next record and decode it from the
 * stream's bytes.
 *
 * Use: dep_reader_seen returns the next message; if it is an instance of a template (dep_template_is), and its seq_num
 * and dependences keep the rules, decode the fields needed and call dep_reader_took. Else dep_reader_next reads it;
 * dep_reader_is_of returns its template. */
#ifndef PROTO_ELASTIC_DEP_READER_H
#define PROTO_ELASTIC_DEP_READER_H

#include "proto/elastic/dep_template.h"
#include "proto/elastic/dep_trace.h"
#include "proto/elastic/elastic_input.h"

struct dep_reader {
    struct input input;
    struct dep_header header;
    uint64_t *rob_dep, *reg_dep;     /* as many as the largest message so far has bytes */
    size_t capacity;
    uint64_t last_seq_num;
    struct dep_templates templates;
};

/* The place of the next message's length; USUAL_READ bytes behind it are readable. NULL: not as many are there. */
static inline const uint8_t *dep_reader_seen(const struct dep_reader *reader)
{
    struct stream const *const stream = &reader->input.stream;

    return stream->end - stream->next > USUAL_READ ? stream->next : NULL;
}

static inline void dep_reader_took(struct dep_reader *reader, struct dep_template *template, uint64_t seq_num)
{
    const uint8_t *const seen = reader->input.stream.next;

    reader->templates.last = template;
    reader->last_seq_num = seq_num;
    input_took_usual(&reader->input, seen + 1, seen[0]);
}

/* The template of a record that was just read, if it has one: as long as its `alike` is the record's. */
static inline struct dep_template *dep_reader_is_of(const struct dep_reader *reader, const struct dep_record *record)
{
    struct dep_template *const last = reader->templates.last;

    return record->alike != 0 && last->alike == record->alike ? last : NULL;
}

#endif
