/* Data dependency trace ("deptrace"): records of what each micro-op of a run depends on (elastic-trace 1.1, 1.2).
 *
 * Use: dep_reader_open, dep_reader_next until it returns DEP_END or DEP_ERROR, dep_reader_close. Streaming: memory does
 * not grow with the file. Gzip or plain is found by content. Odd but readable files are accepted; warnings are texts
 * that the caller may show. Units: as in the file (comp_delay and tick_freq in ticks). */
#ifndef PROTO_DEP_TRACE_H
#define PROTO_DEP_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/error.h"

enum dep_type { DEP_INVALID = 0, DEP_LOAD = 1, DEP_STORE = 2, DEP_COMP = 3, DEP_TYPES };

/* Optional fields that stand in a record; an absent one has the value 0. */
enum dep_present {
    DEP_HAS_P_ADDR = 1 << 0, DEP_HAS_SIZE = 1 << 1, DEP_HAS_FLAGS = 1 << 2, DEP_HAS_WEIGHT = 1 << 3,
    DEP_HAS_PC = 1 << 4, DEP_HAS_V_ADDR = 1 << 5, DEP_HAS_ASID = 1 << 6
};

struct dep_header {
    char obj_id[256];                /* cut if longer, with a warning */
    uint32_t ver;
    bool has_ver;
    uint64_t tick_freq;              /* ticks a second */
    uint32_t window_size;
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
    /* Not 0: a reader's records of the same number are equal in pc and in what stands between size_bytes and
     * reg_dep_count. Whoever changes one of these sets it to 0. */
    uint64_t alike;
};

enum dep_result { DEP_RECORD, DEP_END, DEP_ERROR };

struct dep_reader;

/* NULL on failure. seq_num that does not rise, a dependence on the record itself or on a later number are errors of
 * dep_reader_next. */
struct dep_reader *dep_reader_open(const char *path, struct proto_error *error);
/* A file that breaks off, as a killed capture leaves it, ends after its last whole record: dep_reader_truncated. */
struct dep_reader *dep_reader_open_salvage(const char *path, struct proto_error *error);
/* The same from memory, which must outlive the reader; `name` stands in errors. */
struct dep_reader *dep_reader_open_memory(const char *name, const void *data, size_t size, struct proto_error *error);
void dep_reader_close(struct dep_reader *reader);
const struct dep_header *dep_reader_header(const struct dep_reader *reader);
enum dep_result dep_reader_next(struct dep_reader *reader, struct dep_record *record, struct proto_error *error);
/* Warnings met so far: count, and the i-th text. */
size_t dep_reader_warning_count(const struct dep_reader *reader);
const char *dep_reader_warning(const struct dep_reader *reader, size_t i);
/* Part of the file's compressed bytes consumed so far, 0 to 1: for progress lines. */
double dep_reader_position(const struct dep_reader *reader);
/* Salvage met the broken end. Known once dep_reader_next returned DEP_END. */
bool dep_reader_truncated(const struct dep_reader *reader);
/* For who makes a store. Nothing is decompressed ahead but by dep_reader_unpack, which any thread may call at any time
 * between opening and closing; false: there is nothing to do, at the moment or at all. */
struct dep_reader *dep_reader_open_packing(const char *path, struct proto_error *error);
bool dep_reader_unpack(struct dep_reader *reader);
/* hash64 of the file as it stands on disk, of a reader opened by dep_reader_open_packing, once dep_reader_next returned
 * DEP_END. */
uint64_t dep_reader_hash(const struct dep_reader *reader);

/* The rules of a record among its neighbours: seq_num above `last` (unless it is the `first`), dependences on earlier
 * numbers. False: `problem` says what is wrong and what was expected. */
bool dep_record_check(const struct dep_record *record, bool first, uint64_t last, char *problem, size_t room);
/* "LOAD" ... of a type of 0 to 3. */
const char *dep_type_name(uint32_t type);

#endif
