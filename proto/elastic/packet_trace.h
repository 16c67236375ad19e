/* Packet trace: a list of requests with ticks; the instruction fetch trace ("fetchtrace") is one (elastic-trace 1.3).
 *
 * Use and errors as in proto/elastic/dep_trace.h. */
#ifndef PROTO_ELASTIC_PACKET_TRACE_H
#define PROTO_ELASTIC_PACKET_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/elastic/elastic_input.h"

enum packet_present { PACKET_HAS_FLAGS = 1 << 0, PACKET_HAS_PKT_ID = 1 << 1, PACKET_HAS_PC = 1 << 2 };

struct packet_id_string {
    uint32_t key;
    bool has_key, has_value;
    char value[128];
};

struct packet_header {
    char obj_id[256];
    uint32_t ver;
    bool has_ver;
    uint64_t tick_freq;
    size_t id_string_count;
    const struct packet_id_string *id_strings;    /* the reader's */
};

struct packet_record {
    uint64_t tick, addr, pkt_id, pc;
    uint32_t cmd;                    /* numeric MemCmd: 1 ReadReq, 4 WriteReq */
    uint32_t size_bytes, flags;
    uint32_t present;                /* enum packet_present */
};

enum packet_result { PACKET_RECORD, PACKET_END, PACKET_ERROR };

struct packet_reader;

/* NULL on failure. A decreasing tick is an error of packet_reader_next. */
struct packet_reader *packet_reader_open(const char *path, struct fault *error);
struct packet_reader *packet_reader_open_source(const struct stream_source *source, struct fault *error);
struct packet_reader *packet_reader_open_memory(const char *name, const void *data, size_t size,
                                                struct fault *error);
void packet_reader_close(struct packet_reader *reader);
const struct packet_header *packet_reader_header(const struct packet_reader *reader);
enum packet_result packet_reader_next(struct packet_reader *reader, struct packet_record *record,
                                      struct fault *error);
struct input *packet_reader_input(struct packet_reader *reader);

#endif
