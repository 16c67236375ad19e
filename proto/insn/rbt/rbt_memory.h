/* Memory of a program (proto/insn/insn_memory.h) as the program's chunk has it, behind its other columns.
 *
 * Source: docs/spec/rbt.md 3. */
#ifndef PROTO_INSN_RBT_RBT_MEMORY_H
#define PROTO_INSN_RBT_RBT_MEMORY_H

#include "proto/container/column.h"
#include "proto/insn/insn_memory.h"

/* False: out of memory. */
bool rbt_memory_put(struct column_packer *packer, const struct insn_memory *memory, struct column *payload);
/* memory: {0}; it stays so where the payload ends. False: damaged, or out of memory. */
bool rbt_memory_take(struct columns_unpacked *unpacked, struct column_bytes *payload, struct insn_memory *memory);

#endif
