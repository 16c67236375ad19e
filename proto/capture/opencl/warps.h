/* Turns the runs of a work-group's work-items into the instructions of its warps.
 *
 * Work-items run in Oclgrind one after the other. Here the lanes of a warp run in lockstep: lanes that take different
 * paths after a piece diverge, the path whose next piece is first in the code runs first, and they reconverge at the
 * immediate post-dominator, the piece where all paths meet again. Each work-item's execution is preserved exactly, for
 * any control flow.
 *
 * Use: ocl_warps_begin for each group; ocl_warps_run for each reported run; ocl_warps_block, whose block is valid until
 * the next ocl_warps_begin; ocl_warps_free. Zeroed memory is ready for use.
 * Errors: FAULT_STALL without memory, FAULT_INPUT for inconsistent reports. */
#ifndef OPENCL_WARPS_H
#define OPENCL_WARPS_H

#include "proto/capture/opencl/opencl_code.h"
#include "proto/gpu/gpu_trace.h"

enum { OCL_ACCESS_MAX = 4096 };

struct ocl_counts {
    uint64_t groups, warps, records;     /* records: of warps */
    uint64_t item_instructions;          /* of work-items, which are the lanes of the records */
    uint64_t splits;                     /* times that lanes of a warp took different paths */
    uint64_t further;                    /* lanes of further records of one instruction: wide accesses, several */
    uint64_t cut_bytes;                  /* of accesses beyond OCL_ACCESS_MAX of one lane and instruction, left out */
    uint64_t waits;                      /* records of GCN3's waits, put in */
    uint64_t barriers, loads, stores, atomics;       /* records */
};

struct ocl_lane {
    uint64_t *events;
    size_t count, room, at;
    uint32_t *calls;                     /* pieces to come back to */
    size_t depth, call_room;
};

struct ocl_warps {
    struct ocl_code *code;
    unsigned warp_size;
    struct ocl_counts counts;            /* of all groups */
    struct ocl_lane *lanes;
    size_t lane_count, lane_room;
    struct gpu_inst *insts;
    size_t inst_count, inst_room;
    int64_t *values;
    size_t value_count, value_room;
    struct gpu_warp_list *lists;
    size_t list_room;
    struct gpu_block block;
    bool owed[OCL_REGISTERS];            /* GCN3: registers that loads have still to write */
    bool is_owed, has_sent;              /* any of them; accesses since the last wait */
};

struct fault ocl_warps_begin(struct ocl_warps *warps, const uint32_t id[3], size_t items);
struct fault ocl_warps_run(struct ocl_warps *warps, uint64_t item, const uint64_t *events, size_t count);
struct fault ocl_warps_block(struct ocl_warps *warps, const struct gpu_block **block);
void ocl_warps_free(struct ocl_warps *warps);

#endif
