/* Regions that PinPoints or LoopPoint has chosen: the CSV file of regions that their tools write.
 *
 * Use: pinpoints_read, with an open trace of the same run; the set is one that region_set_begin made.
 * Format: a line a region; lines that begin with `#` or `comment`, and empty ones, are comments. Fields:
 *      comment,thread-id,region-id,start-icount,end-icount,weight[,instructions]
 * or, by pcs and how often each was executed since the program began:
 *      comment,thread-id,region-id,start-pc,image,offset,start-count,end-pc,image,offset,end-count,relative,length,
 *      weight,multiplier,type
 * Thread ids are 0 or `global`. Of the second form, lines whose type is not `simulation` (warm-ups) are left out: each
 * region has the warm-up that was asked for. A count of 0 is the beginning of the program. Images, offsets, relative
 * counts, lengths and multipliers are not read: pcs are those of the trace.
 * Source: the scripts of PinPlay's tools, whose headers name these columns.
 * Errors: FAULT_INPUT with file, line, field: places that the trace does not reach, regions that end before they begin,
 * weights that do not add up to 1 within 0.1 % (they are rounded in the file, and scaled to 1). */
#ifndef REPLAY_REGIONS_PINPOINTS_H
#define REPLAY_REGIONS_PINPOINTS_H

#include "proto/insn/insn_trace.h"
#include "replay/regions/region_set.h"

struct fault pinpoints_read(struct region_set *set, const struct insn_trace *trace, const char *path, uint64_t warmup,
                            bool (*progress)(void *context, uint64_t instructions), void *context);

#endif
