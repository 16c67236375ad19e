/* Data dependency trace ("deptrace"): records of a run's micro-ops with their dependences (elastic-trace 1.1, 1.2).
 *
 * Use: dep_reader_open, dep_reader_next until it returns DEP_END or DEP_ERROR, dep_reader_close. Streaming: memory does
 * not grow with the file. Gzip or plain is found by content. Odd but readable files are accepted; warnings are texts
 * that the caller may show. Units: as in the file (comp_delay and tick_freq in ticks). */
#ifndef PROTO_ELASTIC_DEP_TRACE_H
#define PROTO_ELASTIC_DEP_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/elastic/elastic_input.h"

enum dep_type { DEP_INVALID = 0, DEP_LOAD = 1, DEP_STORE = 2, DEP_COMP = 3, DEP_TYPES };

/* Optional fields present in a record; an absent one has the value 0. */
enum dep_present {
    DEP_HAS_P_ADDR = 1 << 0, DEP_HAS_SIZE = 1 << 1, DEP_HAS_FLAGS = 1 << 2, DEP_HAS_WEIGHT = 1 << 3,
    DEP_HAS_PC = 1 << 4, DEP_HAS_V_ADDR = 1 << 5, DEP_HAS_ASID = 1 << 6,
    /* In no file: */
    DEP_AT_TIME = 1 << 7,            /* comp_delay counts from the beginning of the trace */
    DEP_ALONE = 1 << 8,              /* an access that waits for the responses to all before it, then for comp_delay */
    DEP_AFTER_ANSWER = 1 << 9        /* likewise for that of answer_dep, which was sent when its dependences end */
};

struct dep_record {
    uint64_t seq_num;
    uint64_t p_addr, v_addr, pc;
    uint64_t comp_delay;             /* ticks */
    uint32_t size_bytes, flags, weight, asid;
    uint32_t present;                /* enum dep_present */
    uint32_t type;                   /* enum dep_type */
    uint32_t rob_dep_count, reg_dep_count;
    const uint64_t *rob_dep, *reg_dep;    /* the reader's, valid until the next call */
    /* Not 0: a reader's records of the same number are equal in pc and in the fields between size_bytes and
     * reg_dep_count. Code that changes one of these fields sets it to 0. */
    uint64_t alike;
    uint64_t answer_dep;             /* with DEP_AFTER_ANSWER */
};

enum dep_result { DEP_RECORD, DEP_END, DEP_ERROR };

struct dep_reader;

/* NULL on failure. seq_num that does not rise, a dependence on the record itself or on a later number are errors of
 * dep_reader_next. */
struct dep_reader *dep_reader_open(const char *path, struct fault *error);
/* As the source says, such as with salvage: a file that breaks off, as a killed capture leaves it, ends after its last
 * whole record. */
struct dep_reader *dep_reader_open_source(const struct stream_source *source, struct fault *error);
/* From memory, which must outlive the reader; `name` is used in errors. */
struct dep_reader *dep_reader_open_memory(const char *name, const void *data, size_t size, struct fault *error);
void dep_reader_close(struct dep_reader *reader);
const struct dep_header *dep_reader_header(const struct dep_reader *reader);
enum dep_result dep_reader_next(struct dep_reader *reader, struct dep_record *record, struct fault *error);
/* The file below: warnings met so far, the position in its bytes, whether salvage met a broken end (known once
 * dep_reader_next returned DEP_END). */
struct input *dep_reader_input(struct dep_reader *reader);

/* Checks a record against its predecessors: seq_num above `last` (unless it is the `first`), dependences on earlier
 * numbers. Returns false with the value found and the value expected in `problem`. */
bool dep_record_check(const struct dep_record *record, bool first, uint64_t last, char *problem, size_t room);
/* "LOAD" ... of a type of 0 to 3. */
const char *dep_type_name(uint32_t type);

#endif
