/* Records of MacSim's GPU warps as the warp instructions of proto/gpu/gpu_trace.h (macsim-traces 2.2, 2.3, 4.2, 4.3).
 *
 * Use, for a kernel: macsim_warps_init; for each thread block macsim_warps_begin_block, for each of its warps
 * macsim_warps_add for each record in order and macsim_warps_end_warp, then macsim_warps_block; macsim_warps_free.
 * Static instructions and opcodes grow; entries never change. The functions that answer false are out of memory, or the
 * block has more than 2^32 addresses or instructions. */
#ifndef PROTO_MACSIM_WARP_H
#define PROTO_MACSIM_WARP_H

#include "proto/gpu/gpu_text.h"
#include "proto/gpu/gpu_trace.h"
#include "proto/macsim/record.h"

/* Oddities of a record that do not prevent reading: O(value, meaning) */
#define MACSIM_WARP_ODDITIES(O)                                                                                       \
    O(NO_ADDRESS, "active lanes of a memory instruction have no address; they do not access memory")                  \
    O(NO_WIDTH, "a memory instruction has size 0; it counts as 4 bytes a lane")                                       \
    O(WIDE, "a memory instruction has more than 64 bytes a lane; it counts as 64")                                    \
    O(HIGH_REGISTER, "there are registers above 383; dependences through them are left out")                          \
    O(SURPLUS, "a memory instruction touches more blocks than it has active lanes; the rest is issued once more")

#define MACSIM_WARP_ODDITY(value, text) MACSIM_WARP_##value,
enum macsim_warp_oddity { MACSIM_WARP_ODDITIES(MACSIM_WARP_ODDITY) MACSIM_WARP_ODDITY_COUNT };
#undef MACSIM_WARP_ODDITY

const char *macsim_warp_oddity_text(enum macsim_warp_oddity oddity);

#define MACSIM_BLOCKS_MAX 256            /* of one instruction; more are another one's */

/* N64: an instruction whose records are still coming. */
struct macsim_pending {
    struct macsim_gpu_record record;
    uint64_t blocks[MACSIM_BLOCKS_MAX];  /* addresses */
    unsigned count;                      /* of blocks */
    unsigned records;                    /* met, with and without an address */
    uint8_t least_bytes;                 /* of any of them */
    bool is_there, has_children;
};

struct macsim_warps {
    struct macsim_format format;
    enum gpu_isa isa;
    bool compat;
    struct gpu_statics statics;
    struct gpu_opcode *opcodes;
    size_t opcode_count, opcode_room;
    uint16_t *opcode_of;                 /* 1 + index, by the fields that determine it; 0: not met */
    struct macsim_pending pending;
    uint64_t oddities[MACSIM_WARP_ODDITY_COUNT];
    /* the block at hand */
    struct gpu_inst *insts;
    size_t inst_count, inst_room;
    int64_t *values;
    size_t value_count, value_room;
    size_t *ends;                        /* of each warp, in insts */
    size_t warp_count, warp_room;
};

/* format: of the kernel's streams. compat: the reference's documented defects, see warp.c. */
bool macsim_warps_init(struct macsim_warps *warps, const struct macsim_format *format, bool compat);
void macsim_warps_free(struct macsim_warps *warps);

/* By the format: GPU_ISA_SASS for N64, else GPU_ISA_PTX. */
enum gpu_isa macsim_warps_isa(const struct macsim_format *format);
/* N64 does not say for which GPU its program was: the rules of Ampere's opcodes hold. */
#define MACSIM_BINARY_VERSION 80u

void macsim_warps_begin_block(struct macsim_warps *warps);
bool macsim_warps_add(struct macsim_warps *warps, const struct macsim_gpu_record *record);
bool macsim_warps_end_warp(struct macsim_warps *warps);
/* A copy in one piece of memory, the caller's; NULL: out of memory. */
struct gpu_block *macsim_warps_block(const struct macsim_warps *warps, uint32_t number);

#endif
