/* Scores of opcode tables (macsim-traces 2.4, 3 and 4), for proto/macsim/detect.c. Nothing here allocates. */
#ifndef PROTO_MACSIM_DIALECT_H
#define PROTO_MACSIM_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/macsim/detect.h"

#define NO_DIALECT MACSIM_DIALECT_COUNT

/* Opcode tables of a layout, likeliest first; NO_DIALECT ends them. is_gpu: PTX in C52 and C80. */
const enum macsim_dialect *macsim_dialects_of(enum macsim_layout layout, bool is_gpu, enum macsim_kind kind);
/* With the registers that belong to the two. */
struct macsim_format macsim_format_of(enum macsim_layout layout, enum macsim_dialect dialect, bool is_gpu);

/* Bytes from a record to the next one that is an instruction's: address records of G64 and G72 are passed over, as the
 * opcode table tells them. */
size_t macsim_step(const struct macsim_format *format, const uint8_t *record);

/* Adds what the records of a stream say of the format's opcode table: opcode, control flow, accesses and registers must
 * agree. whole: the stream ends behind them. */
void macsim_dialect_judge(struct macsim_dialect_score *score, const struct macsim_format *format, const uint8_t *bytes,
                          size_t length, bool whole);
/* More agreements over contradictions? */
bool macsim_dialect_is_better(const struct macsim_dialect_score *score, const struct macsim_dialect_score *than);
/* Does another table name an opcode of the records otherwise? */
bool macsim_dialect_differs(const struct macsim_format *format, enum macsim_dialect other, const uint8_t *bytes,
                            size_t length);

#endif
