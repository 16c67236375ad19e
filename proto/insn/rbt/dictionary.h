/* Dictionaries: static instructions, rows and runs that are new, in the chunk before the first block that needs them.
 *
 * Columns behind the numbers of those before and of these (docs/spec/rbt.md 4). */
#ifndef PROTO_INSN_RBT_DICTIONARY_H
#define PROTO_INSN_RBT_DICTIONARY_H

#include "proto/insn/insn_program.h"
#include "proto/container/column.h"
#include "proto/insn/rbt/rows.h"

/* Those from first_static, first_row and first_run on, appended to a payload. False: out of memory. */
bool rbt_dictionary_put(struct column_packer *packer, const struct insn_statics *statics, uint32_t first_static,
                        const struct rbt_rows *rows, uint32_t first_row, const struct rbt_runs *runs,
                        uint32_t first_run, struct column *payload);

/* A reader's data of a static instruction. */
struct rbt_static {
    uint64_t pc;
    uint8_t length;
    bool shares_pc;                      /* with another, before or behind it */
    uint8_t bytes[INSN_ENCODING_BYTES];
};

struct rbt_dictionary {
    struct rbt_static *statics;
    uint32_t static_count;
    size_t static_room;
    struct rbt_rows rows;
    struct rbt_runs runs;
};

extern const char *const rbt_row_accesses;       /* name of the column */

/* Appends a payload's. NULL: good; "": out of memory; else the column that is damaged. */
const char *rbt_dictionary_take(struct rbt_dictionary *dictionary, struct columns_unpacked *unpacked,
                                struct column_bytes payload);
/* Sets shares_pc when all are there. False: out of memory. */
bool rbt_dictionary_finish(struct rbt_dictionary *dictionary);
void rbt_dictionary_free(struct rbt_dictionary *dictionary);

#endif
