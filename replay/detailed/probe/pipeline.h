/* Pipeline listings: when each micro-op of a detailed core was in each stage (replay --pipeline).
 *
 * Two formats. A table, divided by tabs, its columns named in the first line:
 *   seq committed pc micro_op encoding op_class vaddr paddr size predicted_taken mispredicted
 *   fetch decode rename dispatch issue complete retire
 * pc, encoding and addresses hexadecimal without 0x, op_class gem5's number (riscv-decode 1), stages in cycles of the
 * core, complete when it was executed last; addresses only of micro-ops that accessed the cache; `-` for stages not
 * reached and unknown values. And gem5's O3PipeView lines, in ticks, which Konata shows: of a squashed micro-op
 * retire is 0; `store` is 0 if no cache request was sent before; class, encoding and address take the place of a
 * disassembly. Both list every micro-op that leaves the ROB, in that order: committed ones, and squashed ones, whose
 * retire is the cycle in which they left. Micro-ops squashed before they entered the ROB are not listed.
 *
 * Use: pipeline_open; pipeline_retired as `retired` of a detailed_listener, with the pipeline as context;
 * pipeline_close, or pipeline_discard for no file. Files are whole or not there, and compressed, as sinks are
 * (proto/io/sink.h). Ownership: nothing is borrowed. Errors: when the file cannot be written no more is;
 * pipeline_close says so. */
#ifndef REPLAY_DETAILED_PROBE_PIPELINE_H
#define REPLAY_DETAILED_PROBE_PIPELINE_H

#include <stdint.h>

#include "base/fault.h"
#include "replay/detailed/detailed_cpu.h"

enum pipeline_format { PIPELINE_TABLE, PIPELINE_O3PIPEVIEW };

/* By the name: a table if it ends in .tsv, optionally followed by .gz or .xz. */
enum pipeline_format pipeline_format_of(const char *path);

struct pipeline;

/* most_insts: number of committed instructions after which the listing ends; UINT64_MAX: at the end of the run. NULL
 * on failure. */
struct pipeline *pipeline_open(const char *path, enum pipeline_format format, uint64_t period_ps, uint64_t most_insts,
                               struct fault *fault);
void pipeline_retired(void *pipeline, const struct detailed_retired *retired);
/* Frees it in any case. */
struct fault pipeline_close(struct pipeline *pipeline);
/* NULL is fine. */
void pipeline_discard(struct pipeline *pipeline);

#endif
