/* Calls of modules (include/rubato_policy.h) as lines of text, which docs/module-log.md describes: "KIND INSTANCE
 * [FIELD=VALUE]...". A field that is not there is 0.
 *
 * Use: fill in a record and module_record_write it; module_record_read makes one of a line. Ownership: plain values.
 * Errors: what is wrong with a line, as the end of a sentence. */
#ifndef REPLAY_MODULES_MODULE_RECORD_H
#define REPLAY_MODULES_MODULE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/rubato_policy.h"

#define MODULE_LOG_FIRST_LINE "rubato module log 1"
enum { MODULE_RECORD_LINE = 1024, MODULE_RECORD_WORD = 64 };

/* F(NAME, name, form): forms are of module_record.c. */
#define MODULE_FIELDS(F)                                                                                              \
    F(AT, "at", NUMBER) F(ADDRESS, "address", HEX) F(VIRTUAL, "virtual", HEX) F(PC, "pc", HEX)                        \
    F(INSTRUCTION, "instruction", NUMBER) F(SET, "set", SMALL) F(WAY, "way", SMALL_OR_NONE)                           \
    F(CORE, "core", SMALL_OR_NONE) F(METADATA, "metadata", SMALL) F(TYPE, "type", TYPE) F(HIT, "hit", FLAG)           \
    F(FIRST_USE, "first_use", FLAG) F(HAS_PC, "has_pc", FLAG) F(JOINED, "joined", FLAG)                               \
    F(EVICTED, "evicted", HEX) F(EVICTED_VIRTUAL, "evicted_virtual", HEX)                                             \
    F(EVICTED_METADATA, "evicted_metadata", SMALL) F(PREFETCHED, "prefetched", FLAG)                                  \
    F(HAS_EVICTED, "has_evicted", FLAG) F(DIRTY, "dirty", FLAG) F(UNUSED, "unused", FLAG)                             \
    F(FOR_FILL, "for_fill", FLAG) F(FALL_THROUGH, "fall_through", HEX) F(SEQUENCE, "sequence", NUMBER)                \
    F(BRANCH, "branch", BRANCH) F(CONDITIONAL, "conditional", FLAG) F(TAKEN, "taken", FLAG) F(TARGET, "target", HEX)  \
    F(BELOW, "below", SMALL) F(QUEUE, "queue", QUEUE) F(IS, "is", NUMBER) F(VALID, "valid", FLAG)                     \
    F(ALWAYS, "always_taken", FLAG) F(SLOT, "slot", SLOT) F(CORES, "cores", SMALL) F(SETS, "sets", SMALL)             \
    F(WAYS, "ways", SMALL) F(LINE_BYTES, "line_bytes", SMALL) F(PAGE_BYTES, "page_bytes", SMALL)                      \
    F(MSHRS, "mshrs", SMALL) F(WRITE_BUFFERS, "write_buffers", SMALL) F(PREFETCH_QUEUE, "prefetch_queue", SMALL)      \
    F(HIT_CYCLES, "hit_cycles", SMALL) F(CLOCK_PS, "clock_ps", NUMBER) F(IS_VIRTUAL, "is_virtual", FLAG)              \
    F(MODULE, "module", WORD) F(PLACE, "place", WORD) F(OF, "kind", WORD) F(NAME, "name", WORD) F(VALUE, "value", WORD)

#define MODULE_FIELD_ENUM(name, text, form) FIELD_##name,
enum module_field { MODULE_FIELDS(MODULE_FIELD_ENUM) FIELD_COUNT };
#undef MODULE_FIELD_ENUM

/* K(NAME, name): calls of a module, then what it asks within one, then its answer. */
#define MODULE_RECORDS(K)                                                                                             \
    K(INSTANCE, "instance") K(PARAMETER, "parameter") K(CREATE, "create") K(ACCESS, "access") K(VICTIM, "victim")     \
    K(FILL, "fill") K(EVICT, "evicted") K(CYCLE, "cycle") K(BRANCH, "branch") K(PREDICT, "predict")                   \
    K(SHIFT, "shift") K(UNDO, "undo") K(CORRECT, "correct") K(TRAIN, "train") K(UPDATE, "update")                     \
    K(WARMUP_END, "warmup_end") K(RUN_END, "run_end") K(PREFETCH, "prefetch") K(RETIRED, "retired") K(WARM, "is_warm") \
    K(BANDWIDTH, "memory_bandwidth") K(OCCUPANCY, "occupancy") K(CAPACITY, "capacity") K(LINE, "line")                \
    K(SET_OF, "set_of") K(WAY_OF, "way_of") K(ANSWER, "answer")

#define MODULE_RECORD_ENUM(name, text) RECORD_##name,
enum module_record_kind { MODULE_RECORDS(MODULE_RECORD_ENUM) RECORD_COUNT };
#undef MODULE_RECORD_ENUM

enum { MODULE_RECORD_WORDS = FIELD_COUNT - FIELD_MODULE };

struct module_record {
    enum module_record_kind kind;
    uint32_t instance;
    uint64_t line;                       /* of the log, from 1 */
    uint64_t values[FIELD_MODULE];       /* [enum module_field] */
    char words[MODULE_RECORD_WORDS][MODULE_RECORD_WORD];     /* [field - FIELD_MODULE] */
};

const char *module_record_name(enum module_record_kind kind);
/* Is it asked within a call? */
static inline bool module_record_is_question(enum module_record_kind kind)
{
    return kind >= RECORD_PREFETCH && kind < RECORD_ANSWER;
}

/* Of a field of words; blanks become _, and what is too long is cut. */
void module_record_set_word(struct module_record *record, enum module_field field, const char *word);
static inline const char *module_record_word(const struct module_record *record, enum module_field field)
{
    return record->words[field - FIELD_MODULE];
}

/* Bytes of the line with its newline, at most MODULE_RECORD_LINE. */
size_t module_record_write(const struct module_record *record, char line[MODULE_RECORD_LINE]);
/* line: is cut into words. NULL, or what is wrong, in `problem`. */
const char *module_record_read(struct module_record *record, char *line, char problem[200]);

/* Between records and the interface's own structs. */
void module_record_of_request(struct module_record *record, const struct rubato_request *request);
void module_record_of_fill(struct module_record *record, const struct rubato_fill *fill);
void module_record_of_eviction(struct module_record *record, const struct rubato_eviction *eviction);
void module_record_of_branch(struct module_record *record, const struct rubato_branch *branch);
void module_record_of_place(struct module_record *record, const struct rubato_place *place);
struct rubato_request module_record_request(const struct module_record *record);
struct rubato_fill module_record_fill(const struct module_record *record);
struct rubato_eviction module_record_eviction(const struct module_record *record);
struct rubato_branch module_record_branch(const struct module_record *record);
/* name and kind stay the record's. */
struct rubato_place module_record_place(const struct module_record *record);

#endif
